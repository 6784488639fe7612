//! The first page: what somebody learns because of the release, the guarantee in a sentence, and
//! what each column is good for.

use super::PublicFacts;
use crate::report::page::table;
use maud::{Markup, html};
use openveil_analysis::Verdict;
use openveil_io::release_dir::write::manifest::{LearnedEntry, Protected};

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

impl PublicFacts<'_> {
    pub(super) fn glance(&self) -> Markup {
        html! {
            h2 { "At a glance" }
            (self.three_numbers())
            p { strong { (self.in_a_sentence()) } }
            ul { @for condition in self.conditions() { li { (condition) } } }
            @for learned in &self.folder.manifest.utility.learned { (verdicts(learned)) }
        }
    }

    /// How often a reader who learns from the release guesses right: in the table, outside, and the
    /// difference.
    fn three_numbers(&self) -> Markup {
        let learned = &self.folder.manifest.utility.learned;
        if learned.is_empty() {
            return html! { p { "How often a reader who learns from the release guesses right was not measured: the release is too large, has too few groups or has no quasi-identifiers." } };
        }
        let share = |share: Option<f64>| share.map_or("–".to_owned(), percent);
        let rows: Vec<Vec<String>> = learned
            .iter()
            .map(|own| {
                let shares = [Some(own.believed), own.outside, own.because(), own.most_frequent];
                std::iter::once(own.sensitive.clone()).chain(shares.map(share)).collect()
            })
            .collect();
        let head = [
            "sensitive column",
            "people in the table",
            "people like them outside",
            "because of the release",
            "without the release",
        ];
        html! {
            (table("Guessed right by a reader who learns from the release", &head, &rows, &[1, 2, 3, 4]))
            p { "The difference of the first two figures is what being in the table costs a person. Without the release, somebody would always guess the most frequent value." }
        }
    }

    /// The guarantee in at most 45 words; the words of the manifest follow on the next page.
    fn in_a_sentence(&self) -> String {
        let manifest = &self.folder.manifest;
        let what = match manifest.protected() {
            Protected::Nothing => "a person's value".to_owned(),
            Protected::One(column) => format!("a person's {column}"),
            Protected::Each(columns) => {
                format!("a person's {}, each by itself,", columns.join(" or "))
            }
            Protected::Together(columns) => {
                format!("a person's combination of {} (not each by itself)", columns.join(" and "))
            }
            Protected::ByRules(columns) => {
                format!(
                    "a person's {}, where a rule protects it from this reader,",
                    columns.join(" or ")
                )
            }
        };
        let reader = match manifest.guarantee.adversary.as_str() {
            "knows-algorithm" if manifest.rules.is_empty() => {
                "Even a reader who knows this program, its source and everybody's quasi-identifiers"
            }
            "knows-algorithm" => {
                "Even a reader who knows this program, its source and the given columns of a rule"
            }
            _ => "A reader who sees the release and does not know how it was made",
        };
        match manifest.guarantee.max_posterior.as_deref() {
            Some("1") => format!("{reader} may become certain of {what}."),
            Some(bound) => format!("{reader} guesses {what} with a chance of at most {bound}."),
            None => format!("{reader} is never certain of {what}; no number is promised."),
        }
    }

    /// The conditions of the guarantee, one each.
    fn conditions(&self) -> Vec<String> {
        let manifest = &self.folder.manifest;
        let mut conditions = Vec::new();
        if manifest.guarantee.adversary == "knows-algorithm" {
            conditions.push("The reader does not know the random draws of the release. Before it, every assignment of the values to the people was equally likely to the reader. Who learns from the release which values go with which people guesses better: the figures above.".to_owned());
        } else {
            conditions.push("A reader who runs the algorithm again learns more.".to_owned());
        }
        if let Some(strata) = &manifest.strata {
            let columns = strata.columns.join(", ");
            conditions.push(format!(
                "How often each value occurs among people of equal {columns} counts as known."
            ));
        }
        if manifest.history.is_some() {
            conditions.push("It holds for all releases of this history together, as long as coming and leaving do not depend on values.".to_owned());
        }
        if let Some(ties) = &manifest.ties {
            conditions.push(format!("Rows with one value of {} have one value; the reader may know which rows these are.", ties.id));
        }
        if matches!(manifest.protected(), Protected::Each(_)) {
            conditions.push("A reader who knows one of a person's protected values may infer the others from it.".to_owned());
        }
        if manifest.persons.is_some() {
            conditions.push(
                "It is about people, and about the values of those of their rows that count."
                    .to_owned(),
            );
        }
        if !manifest.model.exempt.is_empty() {
            conditions.push(
                "Some values need no protection and may become certain: the list is below."
                    .to_owned(),
            );
        }
        conditions
    }
}

/// Says of each known column whether cross-tables with the sensitive one can be used.
fn verdicts(learned: &LearnedEntry) -> Markup {
    let rows: Vec<Vec<String>> = learned
        .columns
        .iter()
        .map(|column| {
            vec![
                column.column.clone(),
                Verdict::of(column.recovered).name().to_owned(),
                format!("{:.0} %", 100.0 * column.recovered),
            ]
        })
        .collect();
    let caption = format!("Cross-tables with {}", learned.sensitive);
    html! { (table(&caption, &["column", "verdict", "share of the association that is found"], &rows, &[2])) }
}
