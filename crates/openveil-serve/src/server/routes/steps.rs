//! Routes for bringing a table, comparing and publishing.

use super::{AppState, FormFields, beside, go, shown, texts};
use crate::desk::{BesideItself, DeskHandle, FirstRows, Leave, MadeRelease, WorkKind, dry_run};
use crate::pages::{self, Step};
use crate::server::guard::REPORTS;
use crate::texts::Problem;
use axum::extract::State as Shared;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse, Response};
use openveil_io::policy::Policy;
use openveil_io::progress::Nobody;
use openveil_io::source::{Encoding, Source};
use openveil_io::{Error, Location, policy as grammar};
use openveil_publication as publish;
use openveil_publication::{Options, Published};
use openveil_reader::report;
use openveil_tools::compare;
use openveil_tools::compare::Basis;
use openveil_tools::evidence::{self, Template};
use openveil_tools::inspect::Said;
use std::path::Path;

/// Name of the result of a database query.
const QUERY: &str = "query";

/// The sample for comparing ways of publishing has one row in this many.
const SAMPLED: usize = 10;

pub(super) async fn bring(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, pages::bring::page)
}

/// Brings a table below the root.
pub(super) async fn choose(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    let refused =
        |problem: Problem| shown(&app, texts(&headers), Some(problem), pages::bring::page);
    let name = form.one("path").unwrap_or_default().to_owned();
    let path = match &app.desk.root {
        Some(root) => root.file(&name),
        None => return refused(texts(&headers).t("bring.root").to_owned().into()),
    };
    match path {
        Err(error) => refused(error.into()),
        Ok(path) => {
            let file =
                Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let desk = app.desk.clone();
            // If a work is running already, the page shows it.
            let _ = app.desk.begin(WorkKind::Bring, move |watch| {
                desk.look_at(file, Source::new(path), &Said::default(), watch)
            });
            go(Step::Bring.path())
        }
    }
}

/// Returns a delimiter by its name on the page.
fn delimiter(name: &str) -> Option<u8> {
    pages::bring::DELIMITERS.iter().find(|(own, _)| *own == name).map(|(_, byte)| *byte)
}

/// Reads the same table in another way.
pub(super) async fn reread(Shared(app): AppState, form: FormFields) -> Response {
    let Some(table) = app.desk.state().table.clone() else {
        return go(Step::Bring.path());
    };
    let columns = table.inspection.columns.len();
    let encoding = form.some("encoding").map(Encoding::named).transpose();
    let said = Said {
        delimiter: form.some("delimiter").and_then(delimiter),
        encoding: encoding.unwrap_or_default(),
        sheet: None,
    };
    let source = Source {
        names: form
            .one("no-header")
            .map(|_| (1..=columns).map(|number| format!("column {number}")).collect()),
        trim: form.one("trim").is_some(),
        ..table.source
    };
    let desk = app.desk.clone();
    let _ = app
        .desk
        .begin(WorkKind::Bring, move |watch| desk.look_at(table.name, source, &said, watch));
    go(Step::Bring.path())
}

/// Brings the result of a database query.
pub(super) async fn ask(Shared(app): AppState, form: FormFields) -> Response {
    let Some(database) = app.desk.database.clone() else {
        return go(Step::Bring.path());
    };
    let place = form.one("place").unwrap_or_default().to_owned();
    let query = form.one("query").unwrap_or_default().to_owned();
    let desk = app.desk.clone();
    let _ = app.desk.begin(WorkKind::Bring, move |watch| {
        watch.begin("read", None);
        let table = database
            .ask(&place, &query)
            .map_err(|problem| Error::new(Location::default(), problem))?;
        desk.look_at(QUERY.to_owned(), Source::of_memory(QUERY, table), &Said::default(), watch)
    });
    go(Step::Bring.path())
}

pub(super) async fn ahead(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, pages::ahead::page)
}

pub(super) async fn compare(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    match request(&app.desk, &form) {
        Err(error) => shown(&app, texts(&headers), Some(error.into()), pages::ahead::page),
        Ok(request) => {
            let _ = app.desk.begin(WorkKind::Ahead, move |watch| {
                let found = compare::run(&request, watch)?;
                let leave: Leave = Box::new(move |state| state.compared = Some(found));
                Ok(leave)
            });
            go(Step::Ahead.path())
        }
    }
}

fn request(desk: &DeskHandle, form: &FormFields) -> Result<compare::CompareRequest, Error> {
    let (draft, table) = {
        let state = desk.state();
        let table = state.table.clone();
        (state.draft.clone(), table.ok_or_else(crate::desk::no_table)?)
    };
    let basis = match form.one("basis") {
        Some("sample") => Basis::Sample {
            file: desk.sample(),
            rows: Some((table.inspection.rows / SAMPLED).max(1)),
        },
        Some("other") => {
            let root = desk.root()?;
            Basis::On(root.file(form.one("other").unwrap_or_default())?)
        }
        _ => Basis::Shuffled,
    };
    let mut policy = desk.policy(&draft, &table.source)?;
    // The comparison uses the whole table, or the sample itself.
    policy.input.part = openveil_io::policy::ReadRows::Everybody;
    let styles = form.all("style").map(grammar::style);
    let l = match &*form.listed("l").join(",") {
        "" => Vec::new(),
        values => compare::values_of_l(values)?,
    };
    Ok(compare::CompareRequest {
        policies: vec![policy],
        l,
        algorithms: Vec::new(),
        styles: styles.collect::<Result<_, Error>>()?,
        basis,
        trials: 3,
        queries: 200,
        state: None,
        test_seed: None,
    })
}

pub(super) async fn publish(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, pages::publish::page)
}

/// Publishes a shuffled copy, for viewing.
pub(super) async fn dry(Shared(app): AppState, headers: HeaderMap) -> Response {
    let folder = app.desk.folder().to_owned();
    match app.desk.current_policy() {
        None => go(Step::Bring.path()),
        Some(Err(error)) => shown(&app, texts(&headers), Some(error.into()), pages::publish::page),
        Some(Ok(policy)) => {
            let _ = app.desk.begin(WorkKind::Dry, move |watch| {
                let beside = dry_run(policy, &folder, watch)?;
                let leave: Leave = Box::new(move |state| state.beside = Some(beside));
                Ok(leave)
            });
            go(Step::Publish.path())
        }
    }
}

pub(super) async fn run(Shared(app): AppState, headers: HeaderMap) -> Response {
    // Changes from here on belong to a later version.
    let version = app.desk.state().version;
    let options = Options {
        language: texts(&headers).language,
        test_seed: app.desk.test_seed,
        ..Options::default()
    };
    app.desk.next_run();
    match app.desk.current_policy() {
        None => go(Step::Bring.path()),
        Some(Err(error)) => shown(&app, texts(&headers), Some(error.into()), pages::publish::page),
        Some(Ok(policy)) => {
            let _ = app.desk.begin(WorkKind::Publish, move |watch| {
                let published = publish::run(&policy, options, watch)?;
                let beside = made_beside(&policy, &published)?;
                let leave: Leave = Box::new(move |state| {
                    state.published = Some(MadeRelease { published, policy, version });
                    state.beside = Some(beside);
                    (state.audited, state.attacked, state.answered) = (None, None, None);
                });
                Ok(leave)
            });
            go(Step::Publish.path())
        }
    }
}

/// Attacks the release, and shows the page of evidence to sign. It goes to no file: browsers save it.
pub(super) async fn evidence(Shared(app): AppState, headers: HeaderMap) -> Response {
    let language = texts(&headers).language;
    beside(move || {
        let made = app
            .desk
            .state()
            .published
            .as_ref()
            .map(|own| (own.published.written.release.clone(), own.policy.clone()));
        let Some((release, policy)) = made else {
            return go(Step::Publish.path());
        };
        let folder = release.parent().unwrap_or(&release);
        let page =
            report::write_again(folder, Some(&policy), language, &Nobody).and_then(|written| {
                let form = (Template::European, language);
                evidence::html(folder, Some(&policy), written.attacked.as_ref(), form)
            });
        match page {
            Ok(page) => ([(CONTENT_SECURITY_POLICY, REPORTS)], Html(page)).into_response(),
            Err(error) => shown(&app, texts(&headers), Some(error.into()), pages::publish::page),
        }
    })
    .await
}

/// Returns the first rows of the table and of the released files.
fn made_beside(policy: &Policy, published: &Published) -> Result<BesideItself, Error> {
    let manifest = &published.manifest;
    let files = manifest.tables.iter().flat_map(|table| &table.files);
    let after = manifest.files.iter().chain(files).map(|name| {
        let source = Source {
            delimiter: manifest.delimiter as u8,
            ..Source::new(published.written.release.join(name))
        };
        FirstRows::read(name, &source)
    });
    Ok(BesideItself {
        before: FirstRows::read("", &policy.input.source)?,
        after: after.collect::<Result<_, Error>>()?,
        is_dry: false,
    })
}
