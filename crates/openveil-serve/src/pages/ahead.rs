//! The comparison of ways of publishing, which discloses nothing about who has which value.

use super::{PageSources, Step, frame, no_table, select};
use crate::desk::WorkKind;
use maud::{Markup, PreEscaped, html};
use openveil_core::release::Style;
use openveil_tools::compare::{Comparison, Row, plot};

pub(crate) fn page(seen: &PageSources<'_>) -> Markup {
    let body = match &seen.state.table {
        None => no_table(seen),
        Some(_) => html! {
            p { (seen.t("ahead.intro")) }
            (seen.work(WorkKind::Ahead))
            (form(seen))
            @if let Some(found) = &seen.state.compared { (comparison(seen, found)) }
        },
    };
    frame::frame(seen, Step::Ahead, seen.t("ahead.title"), &body)
}

fn form(seen: &PageSources<'_>) -> Markup {
    let mut bases = vec![
        ("shuffled".to_owned(), seen.t("ahead.shuffled").to_owned()),
        ("sample".to_owned(), seen.t("ahead.sample").to_owned()),
    ];
    let tables = seen.desk.root.as_ref().map_or_else(Vec::new, |root| root.tables());
    if !tables.is_empty() {
        bases.push(("other".to_owned(), seen.t("ahead.other").to_owned()));
    }
    html! {
        form method="post" action="/ahead" {
            label for="basis" { (seen.t("ahead.basis")) }
            (select("basis", "basis", &bases, "shuffled"))
            @if !tables.is_empty() {
                label for="other" { (seen.t("ahead.which")) }
                (select("other", "other", &tables.iter().map(|own| (own.clone(), own.clone())).collect::<Vec<_>>(), ""))
            }
            label for="l" { (seen.t("ahead.l")) }
            input id="l" name="l" value=(levels(seen));
            fieldset {
                legend { (seen.t("promise.style")) }
                @for style in Style::ALL {
                    @let name = style.name();
                    span.choice {
                        input type="checkbox" id=(name) name="style" value=(name) checked[style == Style::Generalize];
                        label for=(name) { (seen.t(&format!("style.{name}"))) }
                    }
                }
            }
            p.next { button disabled[seen.running().is_some()] { (seen.t("ahead.compare")) } }
        }
    }
}

/// Returns values of l around the chosen one, if there is one.
fn levels(seen: &PageSources<'_>) -> String {
    let l = seen.state.draft.shown("privacy", "l");
    let Some(l) = l.and_then(|l| l.parse::<u32>().ok()) else {
        return String::new();
    };
    let around: Vec<String> =
        [l / 2, l, l * 2].into_iter().filter(|&own| own >= 2).map(|own| own.to_string()).collect();
    around.join(", ")
}

/// Shows the table of a comparison and its plots.
fn comparison(seen: &PageSources<'_>, found: &Comparison) -> Markup {
    html! {
        section id="comparison" {
            h2 { (seen.t("ahead.found")) }
            p.note { (seen.texts.say(&found.note)) }
            @for picture in plot::plots(found) {
                figure {
                    // The engine's picture; names in it are escaped there.
                    (PreEscaped(picture.svg))
                }
            }
            div.wide tabindex="0" role="region" aria-label=(seen.t("ahead.found")) {
                table {
                    thead { tr {
                        @for name in ["model", "algorithm", "style", "highest chance"] { th scope="col" { (seen.texts.say(&name.into())) } }
                        @for figure in &found.figures { th scope="col" title=(seen.texts.say(&figure.meaning.into())) { (figure.name) } }
                    } }
                    tbody { @for row in &found.rows { (setting(seen, found, row)) } }
                }
            }
            details {
                summary { (seen.t("ahead.meaning")) }
                dl { @for figure in &found.figures { dt { (figure.name) } dd { (seen.texts.say(&figure.meaning.into())) } } }
            }
        }
    }
}

fn setting(seen: &PageSources<'_>, found: &Comparison, row: &Row) -> Markup {
    html! {
        tr {
            th scope="row" { (row.model) } td { (row.algorithm) } td { (row.style) }
            @if let Some(why) = &row.refused {
                td colspan=(found.figures.len() + 1) { (seen.texts.say(why)) }
            } @else {
                td { (row.max_posterior.as_deref().unwrap_or("–")) }
                @for figure in &found.figures {
                    td.number { @if let Some(value) = row.medians.get(figure.name) { (rounded(*value)) } }
                }
            }
        }
    }
}

/// Formats with four significant digits.
pub(crate) fn rounded(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 || value.fract() == 0.0 => format!("{value:.0}"),
        large if large >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
