//! The second step: the role of each column, in plain words.

use super::{PageSources, Step, frame, no_table, select};
use crate::desk::{Brought, Draft};
use maud::{Markup, html};
use openveil_tools::inspect::ColumnProfile;
use toml::Value;

/// Roles in the order in which they are offered; `attribute` if there are rules.
pub(crate) const ROLES: [&str; 7] =
    ["undecided", "quasi-identifier", "sensitive", "other", "identifier", "drop", "attribute"];

/// Roles whose values are published, perhaps coarsened.
pub(crate) const PUBLISHED: [&str; 3] = ["quasi-identifier", "sensitive", "other"];

const TYPES: [&str; 5] = ["text", "integer", "number", "date", "boolean"];

pub(crate) fn page(seen: &PageSources<'_>) -> Markup {
    let body = match &seen.state.table {
        None => no_table(seen),
        Some(table) => form(seen, table),
    };
    frame::frame(seen, Step::Columns, seen.t("columns.title"), &body)
}

fn form(seen: &PageSources<'_>, table: &Brought) -> Markup {
    let columns = &table.inspection.columns;
    html! {
        p { (seen.t("columns.intro")) }
        form method="post" action="/columns" data-saves {
            (seen.version())
            (bulk(seen, columns))
            @for (index, column) in columns.iter().enumerate() {
                (entry(seen, index, column))
            }
            (missing(seen))
            (belongs(seen, columns))
            p.next { button { (seen.t("columns.save")) } }
        }
    }
}

fn entry(seen: &PageSources<'_>, index: usize, column: &ColumnProfile) -> Markup {
    let draft = &seen.state.draft;
    let (role, value_type) = said(draft, column);
    let roles = ROLES.iter().filter(|own| **own != "attribute" || !draft.rules().is_empty());
    let roles: Vec<_> =
        roles.map(|own| (own.to_string(), seen.t(&format!("role.{own}")).to_owned())).collect();
    let types = TYPES.map(|own| (own.to_owned(), seen.t(&format!("type.{own}")).to_owned()));
    let (role_id, type_id) = (format!("role-{index}"), format!("type-{index}"));
    html! {
        fieldset.column {
            legend { (column.name) }
            (picture(seen, column))
            @if let Some(label) = &column.label { p.note { (label) } }
            @if let Some(why) = &column.unusable {
                p.note { (seen.texts.say(why)) }
            } @else {
                label for=(role_id) { (seen.t("columns.role")) }
                (select(&role_id, &role_id, &roles, &role))
                label for=(type_id) { (seen.t("columns.type")) }
                (select(&type_id, &type_id, &types, &value_type))
                p.example { (example(seen, column, &role)) }
                @if !column.reason.is_empty() { p.note { (seen.texts.say(&column.reason)) } }
                @for warning in warnings(seen, column, &role) { p.warning { (warning) } }
                @if role == "sensitive" { (protected(seen, index, column)) }
                @if PUBLISHED.contains(&&*role) { (floor(seen, index, column)) }
            }
        }
    }
}

/// Shows one control for all undecided columns, if there are several.
fn bulk(seen: &PageSources<'_>, columns: &[ColumnProfile]) -> Markup {
    let draft = &seen.state.draft;
    let undecided = columns.iter().filter(|column| said(draft, column).0 == "undecided");
    if undecided.count() < 2 {
        return html! {};
    }
    let later = (String::new(), seen.t("columns.bulk-later").to_owned());
    let roles = ["drop", "other", "quasi-identifier", "identifier"]
        .map(|own| (own.to_owned(), seen.t(&format!("role.{own}")).to_owned()));
    let options: Vec<_> = [later].into_iter().chain(roles).collect();
    html! {
        label for="bulk" { (seen.t("columns.bulk")) }
        (select("bulk", "bulk", &options, ""))
    }
}

/// Shows the distribution of a column's rows as small bars; the figures are beside it in words.
fn picture(seen: &PageSources<'_>, column: &ColumnProfile) -> Markup {
    let most = column.bars.iter().copied().max().unwrap_or(0).max(1);
    let height = |count: usize| (24 * count).div_ceil(most);
    let values = seen.texts.number(column.distinct as u64);
    html! {
        p.spread {
            svg width="96" height="24" viewBox="0 0 96 24" aria-hidden="true" {
                @for (at, &count) in column.bars.iter().enumerate() {
                    rect x=(8 * at) y=(24 - height(count)) width="7" height=(height(count)) {}
                }
            }
            span.note { (seen.texts.fill("columns.values", &[("values", &values), ("value", &column.top_value)])) }
        }
    }
}

/// Returns a column's role and type in the draft.
pub(crate) fn said(draft: &Draft, column: &ColumnProfile) -> (String, String) {
    let of = |key: &str| draft.of_column(&column.name, key).and_then(Value::as_str);
    // A role with another name in the engine is shown under the page's name.
    let role = match of("role").unwrap_or("drop") {
        "insensitive" => "other".to_owned(),
        role => role.to_owned(),
    };
    (role, of("type").unwrap_or("text").to_owned())
}

/// Explains the role for this column, with an example of a stranger's knowledge.
fn example(seen: &PageSources<'_>, column: &ColumnProfile, role: &str) -> String {
    let with = [("column", column.name.as_str()), ("value", column.top_value.as_str())];
    seen.texts.fill(&format!("example.{role}"), &with)
}

/// Returns warnings about risky roles.
fn warnings(seen: &PageSources<'_>, column: &ColumnProfile, role: &str) -> Vec<String> {
    let warn = |key: &str| seen.texts.fill(key, &[("column", &column.name)]);
    let mut warnings = Vec::new();
    let guessed = column.guessed_role;
    if guessed == "identifier" && !["identifier", "drop"].contains(&role) {
        warnings.push(warn("risk.names-people"));
    }
    if role == "other" && guessed == "quasi-identifier" {
        warnings.push(warn("risk.known"));
    }
    if role == "other" && guessed == "sensitive" {
        warnings.push(warn("risk.secret"));
    }
    let exempt = seen.state.draft.of_column(&column.name, "exempt");
    let is_exempt = exempt
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .any(|value| value == column.top_value);
    if role == "sensitive" && column.largest_l.is_none() && !is_exempt {
        warnings.push(warn("risk.one-value"));
    }
    warnings
}

/// Shows other settings of a column that stays secret.
fn protected(seen: &PageSources<'_>, index: usize, column: &ColumnProfile) -> Markup {
    let draft = &seen.state.draft;
    let own = |key: &str| draft.of_column(&column.name, key);
    let exempt = own("exempt").and_then(Value::as_array);
    let exempt =
        exempt.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
    let quantiles = own("quantiles").map_or_else(String::new, ToString::to_string);
    let (exempt_id, quantiles_id) = (format!("exempt-{index}"), format!("quantiles-{index}"));
    html! {
        details open[!exempt.is_empty() || !quantiles.is_empty()] {
            summary { (seen.t("columns.more")) }
            label for=(exempt_id) { (seen.t("columns.exempt")) }
            textarea name=(exempt_id) id=(exempt_id) rows="2" { (exempt) }
            label for=(quantiles_id) { (seen.t("columns.quantiles")) }
            input name=(quantiles_id) id=(quantiles_id) inputmode="numeric" size="6" value=(quantiles);
        }
    }
}

/// Shows the finest form in which values of a column may be published.
fn floor(seen: &PageSources<'_>, index: usize, column: &ColumnProfile) -> Markup {
    let draft = &seen.state.draft;
    let own = draft.of_column(&column.name, "floor");
    let own = own.map_or_else(String::new, |own| {
        own.as_str().map_or_else(|| own.to_string(), str::to_owned)
    });
    let id = format!("floor-{index}");
    html! {
        details open[!own.is_empty()] {
            summary { (seen.t("columns.floor")) }
            label for=(id) { (seen.t("columns.floor-how")) }
            input name=(id) id=(id) size="10" value=(own);
        }
    }
}

/// Shows which rows belong together: rows of one person, or rows of people who share the secret.
fn belongs(seen: &PageSources<'_>, columns: &[ColumnProfile]) -> Markup {
    let draft = &seen.state.draft;
    let names: Vec<&str> = columns
        .iter()
        .filter(|column| {
            let is_named = said(draft, column).0 == "identifier";
            is_named && column.unusable.is_none()
        })
        .map(|column| column.name.as_str())
        .collect();
    if names.is_empty() {
        return html! {};
    }
    let said = |section: &str| draft.shown(section, "id").map(|id| format!("{section}:{id}"));
    let are_people = draft.get("input", "rows-are-people").is_some();
    let people = are_people.then(|| "people".to_owned());
    let chosen = said("persons").or(said("ties")).or(people).unwrap_or_default();
    let undecided = (String::new(), seen.t("belongs.undecided").to_owned());
    let people = ("people".to_owned(), seen.t("belongs.people").to_owned());
    let of_name = names.iter().flat_map(|name| {
        ["persons", "ties"].map(|section| {
            let words = seen.texts.fill(&format!("belongs.{section}"), &[("column", name)]);
            (format!("{section}:{name}"), words)
        })
    });
    let options: Vec<_> = [undecided, people].into_iter().chain(of_name).collect();
    html! {
        label for="belongs" { (seen.t("belongs.which")) }
        (select("belongs", "belongs", &options, &chosen))
    }
}

/// Shows the choices for rows with missing values.
fn missing(seen: &PageSources<'_>) -> Markup {
    let chosen = seen.state.draft.shown("input", "missing");
    let options = ["error", "drop-rows", "keep"]
        .map(|own| (own.to_owned(), seen.t(&format!("missing.{own}")).to_owned()));
    html! {
        label for="missing" { (seen.t("columns.missing")) }
        (select("missing", "missing", &options, chosen.as_deref().unwrap_or("error")))
    }
}
