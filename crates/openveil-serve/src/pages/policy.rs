//! The policy as text, for settings that have no form.

use super::{PageSources, Step, frame};
use maud::{Markup, html};

/// Shows the policy; `text` is rejected input, if there is any.
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
