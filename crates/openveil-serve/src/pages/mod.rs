//! The pages: one file for each step, and the frame around all of them.

pub(crate) mod ahead;
mod ask;
mod before;
pub(crate) mod bring;
pub(crate) mod check;
pub(crate) mod columns;
pub(crate) mod document;
pub(crate) mod frame;
mod gauge;
pub(crate) mod hierarchies;
pub(crate) mod policy;
pub(crate) mod promise;
pub(crate) mod publish;
pub(crate) mod rules;

use crate::desk::{DeskHandle, DeskState, DeskWork, End, WorkKind};
use crate::texts::{PageTexts, Problem};
use maud::{Markup, html};
use openveil_io::release_dir::write::manifest::GuaranteeEntry;
use openveil_text::Language;
use std::sync::Arc;

/// The steps, in the order in which a person takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Bring,
    Columns,
    Promise,
    Ahead,
    Hierarchies,
    Publish,
    Check,
}

impl Step {
    pub(crate) const ALL: [Self; 7] = [
        Self::Bring,
        Self::Columns,
        Self::Promise,
        Self::Ahead,
        Self::Hierarchies,
        Self::Publish,
        Self::Check,
    ];

    /// The name in addresses and in texts.
    fn name(self) -> &'static str {
        match self {
            Self::Bring => "bring",
            Self::Columns => "columns",
            Self::Promise => "promise",
            Self::Ahead => "ahead",
            Self::Hierarchies => "hierarchies",
            Self::Publish => "publish",
            Self::Check => "check",
        }
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Bring => "/",
            Self::Columns => "/columns",
            Self::Promise => "/promise",
            Self::Ahead => "/ahead",
            Self::Hierarchies => "/hierarchies",
            Self::Publish => "/publish",
            Self::Check => "/check",
        }
    }
}

/// The data of a page.
pub(crate) struct PageSources<'a> {
    pub(crate) desk: &'a Arc<DeskHandle>,
    pub(crate) state: &'a DeskState,
    pub(crate) texts: &'static PageTexts,
    pub(crate) job: Option<Arc<DeskWork>>,
    /// How the work had ended when the page was begun. It is read once, because the work may end
    /// meanwhile: one part of the page could see it running and another ended, and the page would
    /// show neither its progress nor its end.
    pub(crate) end: Option<End>,
    /// The problem with the last request.
    pub(crate) problem: Option<Problem>,
}

/// Shows a guarantee's statements. On a German page, the English words, which are binding, are
/// quoted below the German ones.
pub(crate) fn promised(seen: &PageSources<'_>, guarantee: &GuaranteeEntry) -> Markup {
    let others = || guarantee.readers.iter();
    let german: Option<Vec<&String>> = std::iter::once(&guarantee.statement_de)
        .chain(others().map(|reader| &reader.statement_de))
        .map(Option::as_ref)
        .collect();
    let english = html! {
        blockquote lang="en" {
            p { (guarantee.statement) }
            @for reader in others() { p { (reader.statement) } }
        }
    };
    match german.filter(|_| seen.texts.language == Language::German) {
        None => english,
        Some(words) => html! {
            blockquote { @for words in words { p { (words) } } }
            details { summary { (seen.t("promise.binding")) } (english) }
        },
    }
}

impl PageSources<'_> {
    pub(crate) fn t(&self, key: &str) -> &str {
        self.texts.t(key)
    }

    /// Returns how a work ended, if the last work was of this kind.
    fn ended(&self, kind: WorkKind) -> Option<End> {
        self.job.as_ref().filter(|job| job.kind == kind).and_then(|_| self.end.clone())
    }

    /// Returns the running work.
    fn running(&self) -> Option<&Arc<DeskWork>> {
        self.job.as_ref().filter(|_| self.end.is_none())
    }

    /// Shows how the last work of its kind ended, if it failed or was stopped.
    fn work(&self, kind: WorkKind) -> Markup {
        match (self.running(), self.ended(kind)) {
            (Some(_), _) => html! {},
            (None, Some(End::Failed(error))) => self.said(&error),
            (None, Some(End::Stopped)) => {
                html! { p.note role="status" { (self.t("job.stopped")) } }
            }
            _ => html! {},
        }
    }

    /// Shows a problem.
    pub(crate) fn said(&self, problem: &Problem) -> Markup {
        html! {
            div.problem role="alert" {
                h2 { (self.t("page.problem")) }
                pre { (self.texts.problem(problem)) }
            }
        }
    }

    /// Returns a hidden field with the version of the policy that a form is based on.
    fn version(&self) -> Markup {
        html! { input type="hidden" name="version" value=(self.state.version); }
    }
}

/// Returns a selection list; options are values with their labels.
fn select(name: &str, id: &str, options: &[(String, String)], chosen: &str) -> Markup {
    html! {
        select name=(name) id=(id) {
            @for (value, shown) in options {
                option value=(value) selected[value == chosen] { (shown) }
            }
        }
    }
}

/// Returns a button to the next step.
fn next(seen: &PageSources<'_>, step: Step) -> Markup {
    html! {
        p.next { a.button href=(step.path()) { (seen.t(&format!("next.{}", step.name()))) } }
    }
}

/// Shows that there is no table yet.
fn no_table(seen: &PageSources<'_>) -> Markup {
    html! { p { (seen.t("page.no-table")) " " a href="/" { (seen.t("page.bring-one")) } } }
}

/// Returns the page that waits for a work.
pub(crate) fn of_work(kind: Option<WorkKind>) -> Step {
    match kind {
        None | Some(WorkKind::Bring) => Step::Bring,
        Some(WorkKind::Ahead) => Step::Ahead,
        Some(WorkKind::Dry | WorkKind::Publish) => Step::Publish,
        Some(WorkKind::Audit | WorkKind::Attack | WorkKind::Ask) => Step::Check,
    }
}
