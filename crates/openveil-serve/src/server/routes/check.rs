//! Routes for measuring, attacking and querying.

use super::{App, AppState, FormFields, go, shown, texts};
use crate::desk::{DeskHandle, Leave, ReleaseAnswer, WorkKind, no_table};
use crate::pages::{self, Step};
use axum::extract::State as Shared;
use axum::http::HeaderMap;
use axum::response::Response;
use openveil_io::Error;
use openveil_io::policy::{Policy, Role};
use openveil_io::release_dir::ReleasePlace;
use openveil_reader::attack as attacks;
use openveil_reader::query::Reader;
use openveil_requests::{Fit, Query, Request};
use openveil_tools::audit as audits;
use openveil_tools::audit::Audited;
use std::path::PathBuf;

pub(super) async fn page(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, pages::check::page)
}

/// Returns the page with the problem.
fn refused(app: &App, headers: &HeaderMap, error: Error) -> Response {
    shown(app, texts(headers), Some(error.into()), pages::check::page)
}

pub(super) async fn audit(Shared(app): AppState, headers: HeaderMap, form: FormFields) -> Response {
    let (what, request) = match request(&app.desk, &form) {
        Ok(asked) => asked,
        Err(error) => return refused(&app, &headers, error),
    };
    let _ = app.desk.begin(WorkKind::Audit, move |watch| {
        watch.begin("read", request.total_bytes());
        let report = audits::audit(&request, &|bytes| watch.advance(bytes))?;
        let leave: Leave = Box::new(move |state| state.audited = Some((what, report)));
        Ok(leave)
    });
    go(Step::Check.path())
}

/// Returns the audit request, and the table's name if it is not the release.
fn request(
    desk: &DeskHandle,
    form: &FormFields,
) -> Result<(Option<String>, audits::AuditRequest), Error> {
    let what = form.one("what").unwrap_or_default();
    let (name, table) = match what.strip_prefix("file:") {
        Some(name) => {
            let root = desk.root()?;
            (Some(name.to_owned()), root.file(name)?.into())
        }
        None if what.is_empty() => (None, release(desk)?.into()),
        None => {
            let table = desk.state().table.clone().ok_or_else(no_table)?;
            let table_of = table.source.memory.map(Audited::Table);
            let path = table.source.path;
            (Some(table.name), table_of.unwrap_or_else(|| path.into()))
        }
    };
    let mut request = audits::AuditRequest::new(table);
    request.quasi_identifiers = form.listed("known");
    request.sensitive = form.listed("secret");
    // For the table on the desk, the previous pages define the columns.
    if what == "table" {
        let state = desk.state();
        let or_said = |list: &mut Vec<String>, role| {
            if list.is_empty() {
                *list = state.draft.columns_with(role);
            }
        };
        or_said(&mut request.quasi_identifiers, Role::QuasiIdentifier);
        or_said(&mut request.sensitive, Role::Sensitive);
    }
    Ok((name, request))
}

/// Returns the folder of the release on the desk.
fn release(desk: &DeskHandle) -> Result<PathBuf, Error> {
    Ok(made(desk)?.1)
}

/// Returns the policy that the release on the desk was made with, and its folder.
fn made(desk: &DeskHandle) -> Result<(Policy, PathBuf), Error> {
    let state = desk.state();
    let made = state.published.as_ref().ok_or_else(no_table)?;
    let release = made.published.written.release.clone();
    Ok((made.policy.clone(), release))
}

/// Returns the release to attack: the one on the desk with the policy that it was made with, or a
/// folder below the root with the current policy.
fn attacked(desk: &DeskHandle, form: &FormFields) -> Result<(Policy, PathBuf), Error> {
    let Some(name) = form.one("what").and_then(|what| what.strip_prefix("file:")) else {
        return made(desk);
    };
    let root = desk.root()?;
    let table = root.file(name)?;
    let release = table.parent().ok_or_else(no_table)?.to_owned();
    Ok((desk.current_policy().ok_or_else(no_table)??, release))
}

pub(super) async fn query(Shared(app): AppState, headers: HeaderMap, form: FormFields) -> Response {
    let asked = made(&app.desk).and_then(|made| Ok((made, Query::from_texts(form.pairs())?)));
    let ((policy, release), request) = match asked {
        Ok(asked) => asked,
        Err(error) => return refused(&app, &headers, error),
    };
    // The true count is for the owner, who has the table.
    let counts = request.by.is_empty() && request.mean.is_none() && request.conditions.is_some();
    answer(&app, move || {
        let open = |effort| Ok(Reader::open(&release)?.with_effort(effort));
        Ok(ReleaseAnswer::Query(request.run(open, counts.then_some(&policy))?))
    })
}

pub(super) async fn fit(Shared(app): AppState, headers: HeaderMap, form: FormFields) -> Response {
    let release = match release(&app.desk) {
        Ok(release) => release,
        Err(error) => return refused(&app, &headers, error),
    };
    let formula = form.one("formula").unwrap_or_default().to_owned();
    answer(&app, move || {
        let open = |effort| Ok(Reader::open(&release)?.with_effort(effort));
        Ok(ReleaseAnswer::Fit(Fit::default().run(&formula, open)?))
    })
}

/// Answers a question in the background. The answer to an earlier one goes, so that none is taken
/// for it if this one fails.
fn answer(
    app: &App,
    work: impl FnOnce() -> Result<ReleaseAnswer, Error> + Send + 'static,
) -> Response {
    app.desk.state().answered = None;
    let _ = app.desk.begin(WorkKind::Ask, move |_| {
        let answer = work()?;
        let leave: Leave = Box::new(move |state| state.answered = Some(answer));
        Ok(leave)
    });
    go(Step::Check.path())
}

pub(super) async fn attack(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    let (policy, release) = match attacked(&app.desk, &form) {
        Ok(asked) => asked,
        Err(error) => return refused(&app, &headers, error),
    };
    let _ = app.desk.begin(WorkKind::Attack, move |watch| {
        let options = attacks::AttackOptions::default();
        let releases = [ReleasePlace::from(release)];
        let found = attacks::of_policy(&policy, &releases, &options, watch)?;
        let leave: Leave = Box::new(move |state| state.attacked = Some(found));
        Ok(leave)
    });
    go(Step::Check.path())
}
