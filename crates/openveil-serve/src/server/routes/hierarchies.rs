//! Routes for editing trees.

use super::{App, AppState, FormFields, beside, change as changed, go, shown, texts};
use crate::desk::{DeskHandle, Draft, TopNodes, no_table, typed};
use crate::pages::{self, hierarchies};
use crate::texts::Problem;
use axum::extract::{RawQuery, State as Shared};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use openveil_io::{Error, Location, load};
use std::sync::Arc;
use toml::Value;

pub(super) async fn list(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, hierarchies::list)
}

pub(super) async fn edit(
    Shared(app): AppState,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let column = column_of(query.as_deref());
    beside(move || page(&app, &headers, &column, None)).await
}

/// Sends the tree as a file, in ARX's form.
pub(super) async fn export(Shared(app): AppState, RawQuery(query): RawQuery) -> Response {
    let column = column_of(query.as_deref());
    beside(move || match tree(&app.desk, &column) {
        Ok(tree) => {
            let headers = [
                (CONTENT_TYPE, "text/csv; charset=utf-8"),
                (CONTENT_DISPOSITION, "attachment; filename=\"hierarchy.csv\""),
            ];
            (headers, tree.csv()).into_response()
        }
        Err(error) => (axum::http::StatusCode::NOT_FOUND, format!("{error}\n")).into_response(),
    })
    .await
}

pub(super) async fn change(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    beside(move || {
        let desk = &app.desk;
        let column = form.one("column").unwrap_or_default().to_owned();
        let texts = texts(&headers);
        let made = made(desk, texts, &column, &form);
        let taken = made.and_then(|hierarchy| {
            changed(desk, texts, &form, |state| {
                state.draft.set_of_column(&column, "hierarchy", hierarchy);
            })
        });
        match taken {
            Ok(()) => go(&hierarchies::address(&column)),
            Err(problem) => page(&app, &headers, &column, Some(problem)),
        }
    })
    .await
}

/// Returns the column's new `hierarchy`. A rule or a file has to make a valid tree.
fn made(
    desk: &Arc<DeskHandle>,
    texts: &crate::texts::PageTexts,
    column: &str,
    form: &FormFields,
) -> Result<Option<Value>, Problem> {
    if let Some(place) = form.one("apart") {
        let mut tree = tree(desk, column).map_err(Problem::from)?;
        tree.take_apart(&numbers(place));
        return Ok(Some(tree.value()));
    }
    let made = match form.one("do") {
        Some("group") => {
            let mut tree = tree(desk, column).map_err(Problem::from)?;
            let places: Vec<Vec<usize>> = form.all("node").map(numbers).collect();
            let label = form.one("label").unwrap_or_default();
            if tree.group(&places, label) {
                tree.value()
            } else {
                return Err(texts.t("hierarchies.not-grouped").to_owned().into());
            }
        }
        Some("rule") => {
            let rule = form.one("rule").unwrap_or_default().to_owned();
            let widths = form.listed("widths").iter().filter_map(|own| typed(own)).collect();
            Value::Table([(rule, Value::Array(widths))].into_iter().collect())
        }
        Some("file") => {
            let lines = form.one("lines").unwrap_or_default().replace("\r\n", "\n");
            written(desk, &lines).map_err(Problem::from)?
        }
        _ => return Ok(None),
    };
    // A tree that the engine refuses is reported at once, and not stored. The content of a file
    // goes into the policy, which is then complete without the file.
    let mut draft = desk.state().draft.clone();
    draft.set_of_column(column, "hierarchy", Some(made.clone()));
    match tree_of(desk, &draft, column) {
        Ok(tree) if form.one("do") == Some("file") => Ok(Some(tree.value())),
        Ok(_) => Ok(Some(made)),
        Err(error) => Err(error.into()),
    }
}

/// Writes lines into a file that the engine reads.
fn written(desk: &DeskHandle, lines: &str) -> Result<Value, Error> {
    let folder = desk.hierarchies();
    let entries = std::fs::read_dir(&folder).map_or(0, Iterator::count);
    let name = format!("{}.csv", entries + 1);
    let path = folder.join(&name);
    std::fs::write(&path, lines).map_err(|cause| Error::io(&path, "write", &cause))?;
    Ok(format!("hierarchies/{name}").into())
}

fn page(app: &App, headers: &HeaderMap, column: &str, problem: Option<Problem>) -> Response {
    let tree = tree(&app.desk, column).map_err(Problem::from);
    shown(app, texts(headers), problem, |seen| pages::hierarchies::edit(seen, column, &tree))
}

/// Returns the tree of a column, as the engine makes it.
fn tree(desk: &DeskHandle, column: &str) -> Result<TopNodes, Error> {
    let draft = desk.state().draft.clone();
    tree_of(desk, &draft, column)
}

fn tree_of(desk: &DeskHandle, draft: &Draft, column: &str) -> Result<TopNodes, Error> {
    let source = desk.state().table.as_ref().map(|table| table.source.clone());
    let policy = desk.policy(draft, &source.ok_or_else(no_table)?)?;
    let loaded = load::load(&policy, &|_| {})?;
    let own = loaded.table.columns().iter().find(|own| own.name() == column).ok_or_else(|| {
        Error::new(Location::default().column(column), "is no column that can have a tree")
    })?;
    TopNodes::of_domain(own.domain())
}

/// Parses a path from the root, such as `0.2.1`.
fn numbers(place: &str) -> Vec<usize> {
    place.split('.').filter_map(|own| own.parse().ok()).collect()
}

fn column_of(query: Option<&str>) -> String {
    let form = FormFields::read(query.unwrap_or_default());
    form.one("column").unwrap_or_default().to_owned()
}
