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
        Template::Ehds => ehds(&sections),
        Template::Office => office(&sections),
    };
    let body = html! {
        h1 { (title) }
        (sections.head())
        (sections.answer())
        h2 { (language.choose("Signatures", "Unterschriften")) }
        (sections.signable())
        (sections.signatures())
        div.annexes {
            @for (number, (heading, part)) in (1..).zip(parts) {
                h2 { (language.choose("Annex", "Anhang")) " " (number) ". " (heading) }
                (part)
            }
        }
    };
    frame(&title, language, &body)
}

type Parts = (String, Vec<(String, Markup)>);

/// A recipient-specific assessment by the questions of WP 216.
fn european(sections: &Sections<'_>) -> Parts {
    let say = |english: &str, german: &str| sections.language.choose(english, german).to_owned();
    let parts = vec![
        (say("Purpose and recipient", "Zweck und Empfänger"), sections.purpose()),
        (say("Data", "Daten"), sections.columns()),
        (say("Method and guarantee", "Verfahren und Garantie"), sections.promise()),
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
        (say("Methods applied", "Angewandte Verfahren"), sections.promise()),
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

/// The questions of a health data access body about an anonymised table (Regulation (EU) 2025/327).
fn ehds(sections: &Sections<'_>) -> Parts {
    let say = |english: &str, german: &str| sections.language.choose(english, german).to_owned();
    let parts = vec![
        (
            say(
                "Purpose and applicant (Art. 53, 54, 67)",
                "Zweck und antragstellende Person (Art. 53, 54, 67)",
            ),
            sections.purpose(),
        ),
        (
            say("Data minimisation (Art. 66)", "Datenminimierung (Art. 66)"),
            html! { (sections.columns()) (sections.distinguishability()) },
        ),
        (
            say("Anonymisation (Art. 66, 69)", "Anonymisierung (Art. 66, 69)"),
            html! { (sections.promise()) (sections.questions()) },
        ),
        (
            say(
                "Risk of re-identification (Art. 61, 73)",
                "Re-Identifikationsrisiko (Art. 61, 73)",
            ),
            html! { (sections.risks()) (sections.attacks()) },
        ),
        (
            say("Decision and record (Art. 68)", "Entscheidung und Nachweis (Art. 68)"),
            html! { (sections.decisions()) (sections.versions()) },
        ),
    ];
    let title = say(
        "Anonymised data for secondary use, Regulation (EU) 2025/327",
        "Anonymisierte Daten zur Sekundärnutzung, Verordnung (EU) 2025/327",
    );
    (title, parts)
}

/// The checklist of a statistics office: who asks, what goes out, what was measured, who decided.
fn office(sections: &Sections<'_>) -> Parts {
    let say = |english: &str, german: &str| sections.language.choose(english, german).to_owned();
    let parts = vec![
        (say("Request", "Antrag"), sections.purpose()),
        (
            say("Key variables and protected variables", "Schlüssel- und geschützte Merkmale"),
            sections.columns(),
        ),
        (
            say("Risk before and after protection", "Risiko vor und nach der Geheimhaltung"),
            html! { (sections.risks()) (sections.distinguishability()) },
        ),
        (say("Method", "Verfahren"), sections.promise()),
        (say("Attempted intrusion", "Versuchte Aufdeckung"), sections.attacks()),
        (say("Decision", "Entscheidung"), sections.decisions()),
        (say("Record", "Nachweis"), sections.versions()),
    ];
    (say("Disclosure checklist", "Prüfliste zur Geheimhaltung"), parts)
}
