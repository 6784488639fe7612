//! The policy as a text: everything that has no form can be said here.

use super::{PageSources, Step, frame};
use maud::{Markup, html};

/// `text` is what was typed, where it could not be taken.
pub(crate) fn page(seen: &PageSources<'_>, text: Option<&str>) -> Markup {
    let own = seen.state.draft.text();
    let body = html! {
        p { (seen.t("policy.intro")) }
        form method="post" action="/policy" {
            (seen.version())
            label for="text" { (seen.t("policy.text")) }
            textarea.code id="text" name="text" rows="24" spellcheck="false" lang="en" { (text.unwrap_or(&own)) }
            p.next { button { (seen.t("policy.save")) } }
        }
        p { a href="/files/policy.toml" { (seen.t("policy.download")) } }
    };
    frame::frame(seen, Step::Promise, seen.t("policy.title"), &body)
}
