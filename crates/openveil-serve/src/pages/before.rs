//! Everything that will be promised and shown, before it is published.

use super::{PageSources, promised};
use maud::{Markup, html};
use openveil_io::release_dir::write::manifest::{ColumnEntry, OmittedEntry};
use openveil_publication::Plan;

pub(super) fn section(seen: &PageSources<'_>, plan: &Plan) -> Markup {
    let title = seen.t("before.title");
    html! {
        section id="before" {
            h2 { (title) }
            p { (figures(seen, plan)) }
            (promised(seen, &plan.guarantee))
            div.wide tabindex="0" role="region" aria-label=(title) {
                table {
                    thead { tr { @for name in ["before.column", "columns.role", "before.shown"] { th scope="col" { (seen.t(name)) } } } }
                    tbody {
                        @for column in &plan.columns {
                            tr {
                                th scope="row" { (column.name) }
                                td { (seen.t(&format!("role.{}", column.role))) }
                                td {
                                    @if let Some(kind) = column.cells { (seen.t(&format!("cells.{}", kind.name()))) }
                                    @if is_limited(column) { ", " (seen.t("before.limited")) }
                                }
                            }
                        }
                    }
                }
            }
            (omitted(seen, &plan.omitted))
            @for warning in &plan.warnings { p.warning { (seen.texts.say(warning)) } }
        }
    }
}

/// The numbers of rows and groups, as far as they are known.
fn figures(seen: &PageSources<'_>, plan: &Plan) -> String {
    let rows = seen.texts.number(plan.rows as u64);
    match plan.about_groups() {
        None => seen.texts.fill("before.rows", &[("rows", &rows), ("algorithm", &plan.algorithm)]),
        Some(groups) => seen.texts.fill(
            "before.groups",
            &[
                ("rows", &rows),
                ("groups", &seen.texts.number(groups)),
                ("algorithm", &plan.algorithm),
            ],
        ),
    }
}

/// Whether values of a column are published coarser than they are, whatever the groups.
fn is_limited(column: &ColumnEntry) -> bool {
    column.floor.is_some() || column.top.is_some() || column.bottom.is_some()
}

fn omitted(seen: &PageSources<'_>, omitted: &OmittedEntry) -> Markup {
    let columns: Vec<&str> =
        omitted.identifiers.iter().chain(&omitted.dropped).map(String::as_str).collect();
    let rows = seen.texts.number(omitted.rows as u64);
    html! {
        @if !columns.is_empty() { p { (seen.texts.fill("before.without", &[("columns", &columns.join(", "))])) } }
        @if omitted.rows > 0 { p { (seen.texts.fill("before.without-rows", &[("rows", &rows)])) } }
    }
}
