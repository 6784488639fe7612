//! The page: parts in the order of a template.

use super::sections::Sections;
use super::{Facts, Template};
use maud::{Markup, html};
use openveil_reader::report::{Attacked, frame};
use openveil_text::Language;

pub(super) fn html(
    facts: &Facts,
    attacked: Option<&Attacked>,
    template: Template,
    language: Language,
) -> String {
    let sections = Sections { facts, attacked, language };
    let (title, parts) = match template {
        Template::European => european(&sections),
        Template::Hipaa => hipaa(&sections),
    };
    let body = html! {
        h1 { (title) }
        (sections.head())
        @for (number, (heading, part)) in (1..).zip(parts) {
            h2 { (number) ". " (heading) }
            (part)
        }
        h2 { (language.choose("Signatures", "Unterschriften")) }
        (sections.signatures())
    };
    let code = language.code();
    frame(&title, code, &body)
}

type Parts = (String, Vec<(String, Markup)>);

/// A recipient-specific assessment by the questions of WP 216.
fn european(sections: &Sections<'_>) -> Parts {
    let say = |english: &str, german: &str| sections.language.choose(english, german).to_owned();
    let parts = vec![
        (say("Purpose and recipient", "Zweck und Empfänger"), sections.purpose()),
        (say("Data", "Daten"), sections.columns()),
        (say("Method and guarantee", "Verfahren und Garantie"), sections.promise()),
        (say("Not covered", "Nicht abgedeckt"), sections.limits()),
        (say("Risks before and after", "Risiken vorher und nachher"), sections.risks()),
        (
            say(
                "Singling out, linkability, inference (WP 216)",
                "Herausgreifen, Verknüpfbarkeit und Inferenz (WP 216)",
            ),
            sections.questions(),
        ),
        (say("Attacks", "Angriffe"), sections.attacks()),
        (say("Decisions", "Entscheidungen"), sections.decisions()),
        (say("Reproducibility", "Nachvollziehbarkeit"), sections.versions()),
    ];
    let title = say("Evidence of anonymisation", "Nachweis der Anonymisierung");
    (title, parts)
}

/// The five parts of an expert determination, as the guidance of the US Department of Health
/// and Human Services describes its steps (2012).
fn hipaa(sections: &Sections<'_>) -> Parts {
    let say = |english: &str, german: &str| sections.language.choose(english, german).to_owned();
    let parts = vec![
        (
            say(
                "Expert, purpose and anticipated recipients",
                "Sachverständige Person, Zweck und vorgesehene Empfänger",
            ),
            html! { (sections.expert()) (sections.purpose()) },
        ),
        (
            say(
                "Data: replicability, availability, distinguishability",
                "Daten: Beständigkeit, Verfügbarkeit, Unterscheidbarkeit",
            ),
            html! { (sections.columns()) (sections.distinguishability()) },
        ),
        (
            say("Methods applied", "Angewandte Verfahren"),
            html! { (sections.promise()) h3 { (say("Not covered", "Nicht abgedeckt")) } (sections.limits()) },
        ),
        (
            say("Risk after applying the methods", "Risiko nach Anwendung der Verfahren"),
            html! { (sections.risks()) (sections.questions()) (sections.attacks()) },
        ),
        (
            say("Determination and documentation", "Feststellung und Dokumentation"),
            html! { (sections.determination()) (sections.decisions()) (sections.versions()) },
        ),
    ];
    let title = say(
        "Expert determination, 45 CFR 164.514(b)(1)",
        "Sachverständigenfeststellung nach 45 CFR 164.514(b)(1)",
    );
    (title, parts)
}
