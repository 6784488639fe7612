//! Several questions that a release must not answer, instead of one.

use super::{PageSources, Step, frame, no_table};
use crate::desk::DraftRule;
use maud::{Markup, html};
use openveil_io::policy::Role;

pub(crate) fn page(seen: &PageSources<'_>) -> Markup {
    let body = match &seen.state.table {
        None => no_table(seen),
        Some(_) => html! {
            p { (seen.t("rules.intro")) }
            form method="post" action="/rules" {
                (seen.version())
                @for (index, rule) in seen.state.draft.rules().iter().enumerate() {
                    (entry(seen, index, rule))
                }
                p {
                    button name="do" value="add" { (seen.t("rules.add")) }
                    " "
                    button name="do" value="save" { (seen.t("rules.save")) }
                }
            }
            p { a href=(Step::Promise.path()) { (seen.t("rules.back")) } }
        },
    };
    frame::frame(seen, Step::Promise, seen.t("rules.title"), &body)
}

/// Returns the columns that rules may name.
pub(crate) fn columns(seen: &PageSources<'_>) -> Vec<String> {
    let draft = &seen.state.draft;
    let roles = [Role::Attribute, Role::QuasiIdentifier, Role::Sensitive];
    let mut columns: Vec<String> =
        roles.into_iter().flat_map(|role| draft.columns_with(role)).collect();
    columns.sort_unstable();
    columns
}

fn entry(seen: &PageSources<'_>, index: usize, rule: &DraftRule) -> Markup {
    let columns = columns(seen);
    let l = rule.more.get("l").map_or_else(String::new, ToString::to_string);
    let boxes = |what: &'static str, chosen: &[String]| {
        html! {
            fieldset {
                legend { (seen.t(&format!("rules.{what}"))) }
                @for (number, column) in columns.iter().enumerate() {
                    @let id = format!("{what}-{index}-{number}");
                    span.choice {
                        input type="checkbox" id=(id) name=(format!("{what}-{index}")) value=(column) checked[chosen.contains(column)];
                        label for=(id) { (column) }
                    }
                }
            }
        }
    };
    let l_id = format!("l-{index}");
    html! {
        fieldset.rule {
            legend { (seen.texts.fill("rules.rule", &[("number", &(index + 1).to_string())])) }
            (boxes("given", &rule.given))
            (boxes("protect", &rule.protect))
            label for=(l_id) { (seen.t("rules.l")) }
            input id=(l_id) name=(l_id) size="5" inputmode="numeric" value=(l);
            button name="do" value=(format!("remove-{index}")) { (seen.t("rules.remove")) }
        }
    }
}
