//! The first step: bringing and inspecting a table.

use super::{PageSources, Step, frame, next, select};
use crate::desk::{Brought, MOST_FILES, WorkKind};
use maud::{Markup, html};

pub(crate) fn page(seen: &PageSources<'_>) -> Markup {
    let title = seen.t("bring.title");
    let body = html! {
        (seen.work(WorkKind::Bring))
        @if let Some(table) = &seen.state.table {
            (brought(seen, table))
            details { summary { (seen.t("bring.another")) } (ways(seen)) }
        } @else {
            p { (seen.t("bring.intro")) }
            (ways(seen))
        }
    };
    frame::frame(seen, Step::Bring, title, &body)
}

/// Shows the ways to bring a table.
fn ways(seen: &PageSources<'_>) -> Markup {
    let files = seen.desk.root.as_ref().map(|root| root.tables());
    html! {
        form.drop id="upload" data-failed=(seen.t("bring.failed")) {
            label for="file" { (seen.t("bring.drop")) }
            input type="file" id="file" name="file";
            progress id="sent" max="1" value="0" hidden aria-label=(seen.t("bring.sending")) {}
            p id="upload-problem" role="alert" {}
            noscript { p { (seen.t("bring.no-script")) } }
        }
        @if let Some(files) = files {
            form method="post" action="/bring" {
                h2 { (seen.t("bring.here")) }
                @if files.is_empty() { p { (seen.t("bring.none-here")) } }
                ul.files {
                    @for file in &files {
                        li { button name="path" value=(file) { (file) } }
                    }
                }
                @if files.len() >= MOST_FILES { p.note { (seen.t("bring.more")) } }
            }
        } @else {
            p.note { (seen.t("bring.root")) " " code { "openveil serve --root ." } }
        }
        @if seen.desk.database.is_some() { (database(seen)) }
    }
}

/// Shows how the file is read, to correct wrong guesses.
fn reading(seen: &PageSources<'_>, table: &Brought) -> Markup {
    html! {
        details {
            summary { (seen.t("bring.read")) }
            form method="post" action="/reread" {
                @for (name, checked) in [("no-header", table.source.names.is_some()), ("trim", table.source.trim)] {
                    span.choice {
                        input type="checkbox" id=(name) name=(name) checked[checked];
                        label for=(name) { (seen.t(&format!("bring.{name}"))) }
                    }
                }
                @if table.source.is_text() {
                    label for="delimiter" { (seen.t("bring.delimiter")) }
                    (select("delimiter", "delimiter", &delimiters(seen), ""))
                    label for="encoding" { (seen.t("bring.encoding")) }
                    (select("encoding", "encoding", &encodings(seen), ""))
                }
                button { (seen.t("bring.reread")) }
            }
        }
    }
}

/// Separators of fields, by their names in forms.
pub(crate) const DELIMITERS: [(&str, u8); 4] =
    [("comma", b','), ("semicolon", b';'), ("tab", b'\t'), ("bar", b'|')];

const ENCODINGS: [&str; 6] =
    ["utf-8", "windows-1252", "utf-16", "iso-8859-2", "iso-8859-15", "shift_jis"];

fn delimiters(seen: &PageSources<'_>) -> Vec<(String, String)> {
    let guessed = (String::new(), seen.t("bring.as-guessed").to_owned());
    let named = DELIMITERS.map(|(name, _)| {
        let words = seen.t(&format!("delimiter.{name}"));
        (name.to_owned(), words.to_owned())
    });
    [guessed].into_iter().chain(named).collect()
}

fn encodings(seen: &PageSources<'_>) -> Vec<(String, String)> {
    let guessed = (String::new(), seen.t("bring.as-guessed").to_owned());
    let named = ENCODINGS.map(|name| (name.to_owned(), name.to_owned()));
    [guessed].into_iter().chain(named).collect()
}

/// Shows the form for a database query, if a database can be read.
fn database(seen: &PageSources<'_>) -> Markup {
    html! {
        form method="post" action="/ask" {
            h2 { (seen.t("bring.database")) }
            label for="place" { (seen.t("bring.place")) }
            input id="place" name="place" required placeholder="postgresql://localhost/health" autocomplete="off";
            label for="query" { (seen.t("bring.query")) }
            textarea.code id="query" name="query" rows="3" required spellcheck="false" {}
            button { (seen.t("bring.ask")) }
        }
    }
}

/// Shows the findings about the table.
fn brought(seen: &PageSources<'_>, table: &Brought) -> Markup {
    let found = &table.inspection;
    let texts = seen.texts;
    let rows = texts.number(found.rows as u64);
    let columns = texts.number(found.columns.len() as u64);
    let size = [("name", table.name.as_str()), ("rows", &rows), ("columns", &columns)];
    html! {
        p { (texts.fill("bring.brought", &size)) }
        @if !found.notes.is_empty() {
            ul.notes { @for note in &found.notes { li { (seen.texts.say(note)) } } }
        }
        @if let Some(why) = &seen.state.no_start {
            (seen.said(why))
        }
        @if table.source.memory.is_none() { (reading(seen, table)) }
        (next(seen, Step::Columns))
        h2 { (seen.t("bring.first-rows")) }
        div.wide tabindex="0" role="region" aria-label=(seen.t("bring.first-rows")) {
            table {
                thead { tr { @for column in &found.columns { th scope="col" { (column.name) } } } }
                tbody {
                    @for row in &table.rows {
                        tr { @for cell in row { td { (cell) } } }
                    }
                }
            }
        }
        h2 { (seen.t("bring.guessed")) }
        div.wide tabindex="0" role="region" aria-label=(seen.t("bring.guessed")) {
            table {
                thead { tr {
                    th scope="col" { (seen.t("bring.column")) }
                    th scope="col" { (seen.t("bring.type")) }
                    th scope="col" { (seen.t("bring.values")) }
                    th scope="col" { (seen.t("bring.missing")) }
                    th scope="col" { (seen.t("bring.role")) }
                    th scope="col" { (seen.t("bring.why")) }
                } }
                tbody {
                    @for column in &found.columns {
                        tr {
                            th scope="row" { (column.name) }
                            td { (column.value_type) }
                            td.number { (texts.number(column.distinct as u64)) }
                            td.number { (texts.number(column.missing as u64)) }
                            td { (texts.t(&format!("role.{}", column.guessed_role))) }
                            td { (seen.texts.say(&column.reason)) }
                        }
                    }
                }
            }
        }
    }
}
