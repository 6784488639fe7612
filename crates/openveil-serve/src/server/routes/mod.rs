//! Routes: bringing and publishing, settings of the policy, trees, checking.

mod check;
mod hierarchies;
mod settings;
mod steps;

use super::form::FormFields;
use super::{App, files, upload};
use crate::desk::{DeskHandle, DeskState};
use crate::pages::{self, PageSources, Step};
use crate::texts::{PageTexts, Problem, asked};
use axum::Router;
use axum::extract::{DefaultBodyLimit, State as Shared};
use axum::http::header::{ACCEPT_LANGUAGE, COOKIE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post, put};
use futures_util::stream::{self, Stream};
use maud::Markup;
use openveil_io::without_control;
use openveil_text::Language;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// The most bytes of a form: a policy or a tree as text.
const LARGEST_FORM: usize = 16 << 20;

/// How often progress is sent.
const TICK: Duration = Duration::from_millis(250);

/// The cookie with the language.
const LANGUAGE: &str = "openveil-language";

type AppState = Shared<Arc<App>>;

/// All addresses.
pub(super) fn all() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(steps::bring))
        .route("/bring", post(steps::choose))
        .route("/ask", post(steps::ask))
        .route("/reread", post(steps::reread))
        .route("/upload", put(upload::upload).layer(DefaultBodyLimit::disable()))
        .route("/columns", get(settings::columns).post(settings::set_columns))
        .route("/promise", get(settings::promise).post(settings::set_promise))
        .route("/rules", get(settings::rules).post(settings::set_rules))
        .route("/policy", get(settings::policy).post(settings::set_policy))
        .route("/ahead", get(steps::ahead).post(steps::compare))
        .route("/hierarchies", get(hierarchies::list))
        .route("/hierarchies/edit", get(hierarchies::edit).post(hierarchies::change))
        .route("/hierarchies/export", get(hierarchies::export))
        .route("/publish", get(steps::publish).post(steps::run))
        .route("/dry", post(steps::dry))
        .route("/check", get(check::page))
        .route("/check/audit", post(check::audit))
        .route("/check/query", post(check::query))
        .route("/check/fit", post(check::fit))
        .route("/check/attack", post(check::attack))
        .route("/evidence", post(steps::evidence))
        .route("/files/{name}", get(files::download))
        .route("/assets/{name}", get(files::asset))
        .route("/progress", get(progress))
        .route("/stop", post(stop))
        .route("/language", post(language))
        .fallback(nowhere)
        .layer(DefaultBodyLimit::max(LARGEST_FORM))
}

/// Returns the texts in the chosen language, or in the browser's language.
fn texts(headers: &HeaderMap) -> &'static PageTexts {
    let chosen = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .find_map(|pair| match pair.trim().split_once('=') {
            Some((LANGUAGE, code)) => Language::from_code(code),
            _ => None,
        });
    let accepted = || headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    PageTexts::of(chosen.unwrap_or_else(|| asked(accepted().unwrap_or_default())))
}

/// Runs longer work outside the threads that handle connections.
async fn beside(work: impl FnOnce() -> Response + Send + 'static) -> Response {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| {
        (StatusCode::INTERNAL_SERVER_ERROR, "a defect of openveil\n").into_response()
    })
}

/// Returns a page about the desk.
fn shown(
    app: &App,
    texts: &'static PageTexts,
    problem: Option<Problem>,
    page: impl FnOnce(&PageSources<'_>) -> Markup,
) -> Response {
    let status = match problem {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let desk = &app.desk;
    let job = desk.job();
    let end = job.as_ref().and_then(|job| job.end());
    let state = desk.state();
    let seen = PageSources { desk, state: &state, texts, job, end, problem };
    let page = below(app.prefix(), &without_control(page(&seen).into_string()));
    (status, Html(page)).into_response()
}

/// Adds the secret prefix to a page's addresses. Quotes in shown text are escaped, so the pattern
/// occurs only in attributes.
fn below(prefix: &str, page: &str) -> String {
    let mut page = page.to_owned();
    for attribute in ["href", "action", "src"] {
        page = page.replace(&format!(" {attribute}=\"/"), &format!(" {attribute}=\"{prefix}/"));
    }
    page
}

/// Redirects the browser to a page, so that a reload repeats nothing.
fn go(path: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, path)]).into_response()
}

/// Changes the policy, if the form is based on its current version; else changes nothing.
///
/// # Errors
/// A message that the policy has changed meanwhile.
fn change(
    desk: &DeskHandle,
    texts: &PageTexts,
    form: &FormFields,
    change: impl FnOnce(&mut DeskState),
) -> Result<(), Problem> {
    let version = form.one("version").and_then(|version| version.parse::<u64>().ok());
    desk.change(|state| {
        if version == Some(state.version) {
            change(state);
            Ok(())
        } else {
            Err(texts.t("page.conflict").to_owned().into())
        }
    })
}

/// Streams the progress of the work until it ends.
async fn progress(
    Shared(app): AppState,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let language = texts(&headers).language;
    let told = stream::unfold((app, false), move |(app, ended)| async move {
        if ended {
            return None;
        }
        tokio::time::sleep(TICK).await;
        let event = match app.desk.running() {
            Some(job) => {
                let mut seen = job.seen();
                if let Some(seen) = &mut seen {
                    seen.stage = language.say(seen.stage);
                }
                let seen = serde_json::to_string(&seen).unwrap_or_default();
                (Event::default().data(seen), false)
            }
            // Browsers ignore events without data.
            None => (Event::default().event("end").data("end"), true),
        };
        Some((Ok(event.0), (app, event.1)))
    });
    Sse::new(told).keep_alive(KeepAlive::default())
}

async fn stop(Shared(app): AppState) -> Response {
    let job = app.desk.running();
    if let Some(job) = &job {
        job.stop();
    }
    let kind = job.map(|job| job.kind);
    go(pages::of_work(kind).path())
}

async fn language(Shared(app): AppState, form: FormFields) -> Response {
    let to = form.one("to").and_then(Language::from_code).unwrap_or_default();
    let (code, prefix) = (to.code(), app.prefix());
    let cookie = format!("{LANGUAGE}={code}; Path={prefix}/; HttpOnly; SameSite=Strict");
    let back = form.one("back").unwrap_or("/");
    let back = Step::ALL.into_iter().map(Step::path).find(|path| *path == back);
    let headers = [(SET_COOKIE, cookie.as_str()), (LOCATION, back.unwrap_or("/"))];
    (StatusCode::SEE_OTHER, headers).into_response()
}

async fn nowhere() -> Response {
    (StatusCode::NOT_FOUND, "There is no such page.\n").into_response()
}
