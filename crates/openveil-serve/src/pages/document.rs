//! The view of a document of the program, with the same names and figures as `--json`.

use super::PageSources;
use maud::{Markup, html};
use openveil_reader::report::ShownTable;
use serde::Serialize;
use serde_json::{Map, Value};

/// The most rows of a list that are shown.
const MOST: usize = 50;

/// Shows the answer of a command.
pub(crate) fn shown(document: &impl Serialize) -> Markup {
    let value = serde_json::to_value(document).unwrap_or(Value::Null);
    html! { div.document lang="en" { (of_value(&value)) } }
}

fn of_value(value: &Value) -> Markup {
    match value {
        Value::Null => html! { "–" },
        Value::Bool(is) => html! { (if *is { "yes" } else { "no" }) },
        Value::Number(number) => match number.as_f64() {
            Some(own) if number.is_f64() => html! { (super::ahead::rounded(own)) },
            _ => html! { (number) },
        },
        Value::String(text) => html! { (text) },
        Value::Array(list) => of_list(list),
        Value::Object(own) => of_object(own),
    }
}

fn of_object(own: &Map<String, Value>) -> Markup {
    html! {
        dl {
            // Values that were not measured are not shown.
            @for (name, value) in own.iter().filter(|(_, value)| !value.is_null()) {
                dt { (name.replace('_', " ")) }
                dd { (of_value(value)) }
            }
        }
    }
}

/// Shows objects with the same simple fields as a table, others one after the other.
fn of_list(list: &[Value]) -> Markup {
    let rows: Option<Vec<&Map<String, Value>>> = list.iter().map(Value::as_object).collect();
    let is_simple =
        |row: &&Map<String, Value>| row.values().all(|own| !own.is_object() && !own.is_array());
    let more = list.len().saturating_sub(MOST);
    html! {
        @match rows.filter(|rows| !rows.is_empty() && rows.iter().all(is_simple)) {
            Some(rows) => {
                @let head: Vec<&String> = rows[0].keys().collect();
                div.wide tabindex="0" role="region" aria-label="table" {
                    table {
                        thead { tr { @for name in &head { th scope="col" { (name.replace('_', " ")) } } } }
                        tbody { @for row in rows.iter().take(MOST) {
                            tr { @for name in &head { td { (row.get(*name).map_or_else(|| html! {}, of_value)) } } }
                        } }
                    }
                }
            }
            None if list.iter().any(|own| own.is_object() || own.is_array()) => {
                ol { @for own in list.iter().take(MOST) { li { (of_value(own)) } } }
            }
            None => { @for (index, own) in list.iter().take(MOST).enumerate() { @if index > 0 { ", " } (of_value(own)) } }
        }
        @if more > 0 { p.note { "… " (more) } }
    }
}

/// Shows rows of cells, the header first.
pub(super) fn table(seen: &PageSources<'_>, rows: &ShownTable) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(rows[0].first().map_or(String::new(), |name| seen.texts.say(name))) {
            table {
                thead { tr { @for name in &rows[0] { th scope="col" { (seen.texts.say(name)) } } } }
                tbody { @for row in &rows[1..] { tr { @for cell in row { td { (seen.texts.say(cell)) } } } } }
            }
        }
    }
}
