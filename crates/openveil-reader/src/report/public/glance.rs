//! The first page: what somebody learns because of the release, the guarantee in a sentence, and
//! what each column is good for.

use super::PublicFacts;
use crate::report::page::table;
use crate::report::words::whole_share;
use maud::{Markup, html};
use openveil_analysis::Verdict;
use openveil_io::release_dir::write::manifest::{LearnedEntry, Protected};
use openveil_text::{Text, text};

impl PublicFacts<'_> {
    pub(super) fn glance(&self) -> Markup {
        html! {
            h2 { (text!("At a glance")) }
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
            return html! { p { (text!("How often a reader who learns from the release guesses right was not measured: the release is too large, has too few groups or has no quasi-identifiers.")) } };
        }
        let shown = |share: Option<f64>| {
            share.map_or_else(
                || "–".to_owned().into(),
                |share| Text::number(format!("{:.1} %", 100.0 * share)),
            )
        };
        let rows: Vec<Vec<Text>> = learned
            .iter()
            .map(|own| {
                let shares = [Some(own.believed), own.outside, own.because(), own.most_frequent];
                std::iter::once(own.sensitive.clone().into()).chain(shares.map(shown)).collect()
            })
            .collect();
        let head = [
            text!("sensitive column"),
            text!("people in the table"),
            text!("people like them outside"),
            text!("because of the release"),
            text!("without the release"),
        ];
        html! {
            (table(text!("Guessed right by a reader who learns from the release"), &head, &rows, &[1, 2, 3, 4]))
            p { (text!("The difference of the first two figures is what being in the table costs a person. Without the release, somebody would always guess the most frequent value.")) }
        }
    }

    /// The guarantee in at most 45 words; the words of the manifest follow on the next page.
    fn in_a_sentence(&self) -> Text {
        let manifest = &self.folder.manifest;
        let listed = |columns: &[String], between: &'static str| {
            Text::listed(columns.iter().cloned().map(Text::from), &between.into())
        };
        let what = match manifest.protected() {
            Protected::Nothing => text!("a person's value"),
            Protected::One(column) => text!("a person's {column}"),
            Protected::Each(columns) => {
                text!("a person's {:text}, each by itself,", listed(columns, " or "))
            }
            Protected::Together(columns) => text!(
                "a person's combination of {:text} (not each by itself)",
                listed(columns, " and ")
            ),
            Protected::ByRules(columns) => text!(
                "a person's {:text}, where a rule protects it from this reader,",
                listed(columns, " or ")
            ),
        };
        let reader = match manifest.guarantee.adversary.as_str() {
            "knows-algorithm" if manifest.rules.is_empty() => text!(
                "Even a reader who knows this program, its source and everybody's quasi-identifiers"
            ),
            "knows-algorithm" => text!(
                "Even a reader who knows this program, its source and the given columns of a rule"
            ),
            _ => text!("A reader who sees the release and does not know how it was made"),
        };
        match manifest.guarantee.max_posterior.as_deref() {
            Some("1") => text!("{reader:text} may become certain of {what:text}."),
            Some(bound) => {
                text!("{reader:text} guesses {what:text} with a chance of at most {bound}.")
            }
            None => text!("{reader:text} is never certain of {what:text}; no number is promised."),
        }
    }

    /// The conditions of the guarantee, one each.
    fn conditions(&self) -> Vec<Text> {
        let manifest = &self.folder.manifest;
        let mut conditions = Vec::new();
        if manifest.guarantee.adversary == "knows-algorithm" {
            conditions.push(text!("The reader does not know the random draws of the release. Before it, every assignment of the values to the people was equally likely to the reader. Who learns from the release which values go with which people guesses better: the figures above."));
        } else {
            conditions.push(text!("A reader who runs the algorithm again learns more."));
        }
        if let Some(strata) = &manifest.strata {
            let columns = strata.columns.join(", ");
            conditions.push(text!(
                "How often each value occurs among people of equal {columns} counts as known."
            ));
        }
        if manifest.history.is_some() {
            conditions.push(text!("It holds for all releases of this history together, as long as coming and leaving do not depend on values."));
        }
        if let Some(ties) = &manifest.ties {
            conditions.push(text!("Rows with one value of {} have one value; the reader may know which rows these are.", ties.id));
        }
        if matches!(manifest.protected(), Protected::Each(_)) {
            conditions.push(text!("A reader who knows one of a person's protected values may infer the others from it."));
        }
        if manifest.persons.is_some() {
            conditions.push(text!(
                "It is about people, and about the values of those of their rows that count."
            ));
        }
        if !manifest.model.exempt.is_empty() {
            conditions.push(text!(
                "Some values need no protection and may become certain: the list is below."
            ));
        }
        conditions
    }
}

/// Says of each known column whether cross-tables with the sensitive one can be used.
fn verdicts(learned: &LearnedEntry) -> Markup {
    let rows: Vec<Vec<Text>> = learned
        .columns
        .iter()
        .map(|column| {
            let verdict = Verdict::of(column.recovered).name();
            vec![column.column.clone().into(), verdict.into(), whole_share(column.recovered)]
        })
        .collect();
    let head = [text!("column"), text!("verdict"), text!("share of the association that is found")];
    html! { (table(text!("Cross-tables with {}", learned.sensitive), &head, &rows, &[2])) }
}
