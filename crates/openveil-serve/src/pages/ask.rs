//! Questions to the release: counts, cross-tables and regressions.

use super::PageSources;
use super::document::table;
use crate::desk::{ReleaseAnswer, WorkKind};
use maud::{Markup, html};
use openveil_reader::query::{Answer, CrossTable, Regression, RoundedTable};
use openveil_requests::Answered;
use openveil_text::Text;

/// The forms, and the last answer.
pub(super) fn section(seen: &PageSources<'_>) -> Markup {
    html! {
        section {
            h2 { (seen.t("check.query")) }
            p { (seen.t("check.query-note")) }
            (seen.work(WorkKind::Ask))
            form method="post" action="/check/query" {
                label for="where" { (seen.t("check.where")) }
                input id="where" name="where" placeholder="age >= 30 and sex = Female";
                label for="by" { (seen.t("check.by")) }
                input id="by" name="by" placeholder="age,sex";
                label for="mean" { (seen.t("check.mean")) }
                input id="mean" name="mean";
                label for="min" { (seen.t("check.min")) }
                input id="min" name="min" inputmode="numeric";
                button disabled[seen.running().is_some()] { (seen.t("check.ask")) }
            }
            p { (seen.t("check.fit-note")) }
            form method="post" action="/check/fit" {
                label for="formula" { (seen.t("check.formula")) }
                input id="formula" name="formula" required placeholder="job ~ age + sex";
                button disabled[seen.running().is_some()] { (seen.t("check.fit")) }
            }
            @if let Some(answer) = &seen.state.answered {
                div.document id="answer" aria-live="polite" { (answered(seen, answer)) }
            }
        }
    }
}

fn answered(seen: &PageSources<'_>, answer: &ReleaseAnswer) -> Markup {
    match answer {
        ReleaseAnswer::Query(Answered::Count(answer)) => count(seen, answer),
        ReleaseAnswer::Query(Answered::Table(table)) => cells(seen, table),
        ReleaseAnswer::Query(Answered::Rounded(table)) => rounded(seen, table),
        ReleaseAnswer::Fit(regression) => coefficients(seen, regression),
    }
}

/// A count from the release beside the true count.
fn count(seen: &PageSources<'_>, answer: &Answer) -> Markup {
    let number = super::ahead::rounded;
    html! {
        p { code { (answer.conditions) } }
        dl {
            dt { (seen.t("check.estimate")) } dd { (number(answer.figure.estimate)) }
            dt { (seen.t("check.error")) } dd { (number(answer.figure.interval[0])) " – " (number(answer.figure.interval[1])) }
            @if let Some(count) = answer.true_count {
                dt { (seen.t("check.true")) } dd.owner { (seen.texts.number(count)) }
            }
        }
        (notes(seen, &answer.notes))
    }
}

fn cells(seen: &PageSources<'_>, own: &CrossTable) -> Markup {
    html! {
        h3 { (seen.texts.say(&own.title())) }
        @if let Some(conditions) = &own.conditions { p { code { (conditions) } } }
        (table(seen, &own.shown()))
        @if let Some(test) = own.test() { p { (seen.texts.say(&test)) } }
        (notes(seen, &own.notes))
    }
}

fn rounded(seen: &PageSources<'_>, own: &RoundedTable) -> Markup {
    html! {
        (table(seen, &own.shown()))
        (notes(seen, &own.notes))
    }
}

fn coefficients(seen: &PageSources<'_>, own: &Regression) -> Markup {
    html! {
        h3 { (seen.texts.say(&own.title())) }
        @for (value, rows) in own.shown() {
            @if let Some(value) = value { h4 { (value) } }
            (table(seen, &rows))
        }
        (notes(seen, &own.notes))
    }
}

fn notes(seen: &PageSources<'_>, notes: &[Text]) -> Markup {
    html! { @for note in notes { p.note { (seen.texts.say(note)) } } }
}
