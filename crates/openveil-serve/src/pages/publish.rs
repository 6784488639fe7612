//! The sixth step: publishing, and the result.

use super::{PageSources, Step, before, frame, next, no_table, promised};
use crate::desk::{BesideItself, Brought, FirstRows, MadeRelease, SAMPLE_FILE, WorkKind};
use maud::{Markup, html};

pub(crate) fn page(seen: &PageSources<'_>) -> Markup {
    let body = match &seen.state.table {
        None => no_table(seen),
        Some(table) => html! {
            (seen.work(WorkKind::Publish))
            @if let Some(made) = &seen.state.published { (result(seen, made)) }
            @else { p { (seen.t("publish.intro")) } }
            (before(seen))
            (dry(seen))
            @if let Some(own) = &seen.state.beside { (beside(seen, own)) }
            (run(seen))
            (automate(seen, table))
        },
    };
    frame::frame(seen, Step::Publish, seen.t("publish.title"), &body)
}

/// Shows what is about to be published, as the guarantee's page found it: to find it again would
/// read the table, and record another look at it.
fn before(seen: &PageSources<'_>) -> Markup {
    let version = seen.state.version;
    let is_made = seen.state.published.as_ref().is_some_and(|made| made.version == version);
    let planned = seen.state.planned.as_ref().filter(|(of, _)| *of == version && !is_made);
    html! { @if let Some((_, plan)) = planned { (before::section(seen, plan)) } }
}

/// Shows a dry run on a shuffled copy, before anything is published.
fn dry(seen: &PageSources<'_>) -> Markup {
    html! {
        @if seen.state.published.is_none() {
            (seen.work(WorkKind::Dry))
            form method="post" action="/dry" {
                p.note { (seen.t("beside.note")) }
                p { button disabled[seen.running().is_some()] { (seen.t("beside.try")) } }
            }
        }
    }
}

/// Shows a table beside its release.
fn beside(seen: &PageSources<'_>, own: &BesideItself) -> Markup {
    let before = seen.t(if own.is_dry { "beside.shuffled" } else { "beside.table" });
    html! {
        section id="beside" {
            h2 { (seen.t("beside.title")) }
            div.beside {
                (rows(before, &own.before))
                @for file in &own.after { (rows(&format!("{}: {}", seen.t("beside.release"), file.name), file)) }
            }
        }
    }
}

fn rows(caption: &str, table: &FirstRows) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for name in &table.columns { th scope="col" { (name) } } } }
                tbody { @for row in &table.rows { tr { @for cell in row { td { (cell) } } } } }
            }
        }
    }
}

/// Shows the button. If there was a release already, another one needs confirmation.
fn run(seen: &PageSources<'_>) -> Markup {
    let again = seen.state.published.is_some();
    html! {
        form method="post" action="/publish" {
            p.note { (seen.t("publish.once")) }
            @if again {
                span.choice {
                    input type="checkbox" id="sure" name="sure" required;
                    label for="sure" { (seen.t("publish.sure")) }
                }
            }
            p.next { button disabled[seen.running().is_some()] {
                (seen.t(if again { "publish.again" } else { "publish.publish" }))
            } }
        }
    }
}

/// Shows how to publish without the page.
fn automate(seen: &PageSources<'_>, table: &Brought) -> Markup {
    let sample = seen.desk.sample().exists();
    html! {
        h2 { (seen.t("publish.automate")) }
        p { (seen.t("publish.automate-note")) }
        p { a href="/files/policy.toml" download { (seen.t("policy.download")) } }
        @if sample {
            p { a href="/files/sample.json" download { (seen.t("publish.sample")) } " " (seen.t("publish.sample-note")) }
        }
        pre.code {
            "openveil publish policy.toml --input " (shell(&table.name)) " --out out"
            @if sample { " --without-sample " (SAMPLE_FILE) }
        }
    }
}

fn result(seen: &PageSources<'_>, made: &MadeRelease) -> Markup {
    let published = &made.published;
    let manifest = &published.manifest;
    let texts = seen.texts;
    let figures = [
        ("rows", texts.number(manifest.rows as u64)),
        ("groups", texts.number(manifest.groups as u64)),
        ("algorithm", manifest.algorithm.clone()),
    ];
    let figures: Vec<(&str, &str)> =
        figures.iter().map(|(name, own)| (*name, own.as_str())).collect();
    html! {
        section id="published" {
            h2 { (seen.t("publish.done")) }
            @if !manifest.fit_for_publication { p.warning id="unfit" { (seen.t("publish.unfit")) } }
            @if made.version != seen.state.version { p.warning { (seen.t("publish.earlier")) } }
            p { (texts.fill("publish.figures", &figures)) }
            (promised(seen, &manifest.guarantee))
            ul.downloads {
                li { a.button href="/files/release.zip" download { (seen.t("publish.release")) } " " span.note { (seen.t("publish.release-note")) } }
                li { a href="/files/report.html" { (seen.t("publish.report")) } }
                li { a.button.owner href="/files/owner.zip" download { (seen.t("publish.owner")) } " " span.warning { (seen.t("publish.owner-note")) } }
                li { a href="/files/owner.html" { (seen.t("publish.owner-report")) } }
                li { form.inline method="post" action="/evidence" { button.owner { (seen.t("publish.evidence")) } } " " span.warning { (seen.t("publish.owner-note")) } }
            }
            @if !published.owner.warnings.is_empty() {
                h3 { (seen.t("promise.warnings")) }
                ul { @for warning in &published.owner.warnings { li.warning { (seen.texts.say(warning)) } } }
            }
            (next(seen, Step::Check))
        }
    }
}

/// Quotes a word for a shell.
fn shell(word: &str) -> String {
    if word.chars().all(|c: char| c.is_ascii_alphanumeric() || "._-/".contains(c)) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::shell;

    #[test]
    fn names_are_words_of_a_shell() {
        assert_eq!(shell("people.csv"), "people.csv");
        assert_eq!(shell("it's; rm.csv"), "'it'\\''s; rm.csv'");
    }
}
