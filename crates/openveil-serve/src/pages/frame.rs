//! The frame of every page.

use super::{PageSources, Step};
use crate::texts::name;
use maud::{DOCTYPE, Markup, html};
use openveil_text::Language;

/// A whole page.
pub(crate) fn frame(seen: &PageSources<'_>, here: Step, title: &str, body: &Markup) -> Markup {
    let texts = seen.texts;
    let running = seen.running();
    html! {
        (DOCTYPE)
        html lang=(texts.language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · Openveil" }
                link rel="stylesheet" href="/assets/style.css";
                link rel="icon" href="data:,";
                script src="/assets/page.js" defer {}
                @if running.is_some() {
                    // Without scripts, the page reloads itself.
                    noscript { meta http-equiv="refresh" content="2"; }
                }
            }
            body {
                a.skip href="#main" { (texts.t("page.skip")) }
                header {
                    p.brand { "Openveil" }
                    nav aria-label=(texts.t("page.steps")) {
                        ol {
                            @for step in Step::ALL {
                                li { a href=(step.path()) aria-current=[(step == here).then_some("step")] {
                                    (texts.t(&format!("step.{}", step.name())))
                                } }
                            }
                        }
                    }
                    (languages(seen, here))
                }
                main id="main" tabindex="-1" {
                    h1 { (title) }
                    @if let Some(problem) = &seen.problem { (seen.said(problem)) }
                    @if running.is_some() { (progress(seen)) }
                    (body)
                }
                footer { p { (texts.t("page.local")) } }
            }
        }
    }
}

fn languages(seen: &PageSources<'_>, here: Step) -> Markup {
    html! {
        form.languages method="post" action="/language" {
            input type="hidden" name="back" value=(here.path());
            @for language in Language::ALL {
                @if language == seen.texts.language {
                    span lang=(language.code()) aria-current="true" { (name(language)) }
                } @else {
                    button.plain name="to" value=(language.code()) lang=(language.code()) { (name(language)) }
                }
            }
        }
    }
}

/// Shows the progress of the running work, and a button to stop it.
fn progress(seen: &PageSources<'_>) -> Markup {
    let job = seen.running().and_then(|job| job.seen());
    let stage = job.map_or("", |job| job.stage);
    html! {
        section.progress id="progress" aria-live="polite" {
            p { (seen.t("job.running")) " " span id="stage" { (seen.texts.language.say(stage)) } }
            progress id="bar" aria-label=(seen.t("job.running")) max="1" {}
            form method="post" action="/stop" { button { (seen.t("job.stop")) } }
        }
    }
}
