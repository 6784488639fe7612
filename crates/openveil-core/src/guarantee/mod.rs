//! The guarantee of a release, in words and numbers, from the proofs.
//!
//! One function makes every guarantee, from the model, the algorithm, the values that need no
//! protection and the table or histogram that enforces a rule. Documents only display it. Two facts
//! do not enter, since they change nothing:
//! * the style: a release is a function of the groups, their people's quasi-identifiers and its own
//!   coins, and the proofs are about groups;
//! * the reader's own column of a rule: a guardian counts all its other columns as known.

mod chance;
mod keeper;
mod phrases;
mod reader;
mod words;

pub use chance::Chance;
pub use keeper::{Keeper, PromisedHistory};
pub use reader::{BelievedAbout, InformedReader, Promise};

use crate::algorithm::Adversary;
use crate::table::Secret;
use openveil_text::{Text, text};
use std::fmt;
use words::SentenceParts;

/// A guarantee, and the reader against whom it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guarantee {
    /// The strongest reader against whom it holds.
    pub adversary: Adversary,
    /// How probable a guess of a protected value can be.
    pub chance: Chance,
    /// The columns whose values are protected; several columns are protected as a combination.
    /// Empty if values may become certain.
    pub protects: Vec<String>,
    /// Values that need no protection. They may become certain.
    pub exempt: Vec<String>,
    /// The guarantees for readers who know more of some people than of all.
    pub readers: Vec<Promise>,
    /// The guarantee in words.
    pub statement: Text,
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement.fmt(f)
    }
}

impl Guarantee {
    /// Returns the guarantee of a table against a reader who knows everybody's
    /// quasi-identifiers.
    pub fn of_table(secret: &Secret, keeper: Keeper<'_>) -> Self {
        let part = SentenceParts::new(secret, keeper);
        let statement = match part.adversary {
            Adversary::KnowsAlgorithm => {
                let reader = text!(
                    "a reader who knows everybody's quasi-identifiers, this program and its parameters, but not its random draws, and to whom every assignment of the values to the people was equally likely before the release"
                );
                let (sentence, terms) = (part.sentence(&reader), part.terms());
                text!(
                    "{sentence:text}{terms:text}. Not covered: a reader who learns from the release how values go with quasi-identifiers, and guesses by that"
                )
            }
            Adversary::SeesRelease => {
                let reader = text!(
                    "a reader who sees the release and does not know how it was made; one who re-runs the algorithm learns more"
                );
                part.sentence(&reader).and(part.terms())
            }
        };
        part.guarantee(statement)
    }

    /// Returns the guarantee of a rule against a reader who knows its left side, `given`.
    pub fn of_rule(given: &[String], secret: &Secret, keeper: Keeper<'_>) -> Self {
        let part = SentenceParts::new(secret, keeper);
        let reader = text!("a reader who knows {}", given.join(", "));
        let statement = part.sentence(&reader).and(part.terms());
        part.guarantee(statement)
    }

    /// Joins the guarantees of several rules, each of which holds by itself.
    ///
    /// # Panics
    /// If there are no rules.
    pub fn of_rules(rules: &[Self]) -> Self {
        let adversary = rules[0].adversary;
        let reader = match adversary {
            Adversary::KnowsAlgorithm => text!(
                "Every reader also knows every column's histogram, all tables, this program and its parameters, but not its random draws, and to every reader every assignment of the values to the people was equally likely before the release. Not covered: a reader who learns from the tables how values go with other columns, and guesses by that"
            ),
            Adversary::SeesRelease => text!(
                "Every reader also sees all tables and does not know how they were made; one who re-runs the algorithm learns more"
            ),
        };
        let promised = rules
            .iter()
            .map(|rule| rule.statement.clone().into_sentence())
            .reduce(|all, rule| text!("{all:text}. {rule:text}"))
            .unwrap_or_default();
        let chances = rules.iter().map(|rule| rule.chance.clone());
        let all = |lists: &dyn Fn(&Self) -> &Vec<String>| {
            let mut all: Vec<String> = rules.iter().flat_map(lists).cloned().collect();
            all.sort();
            all.dedup();
            all
        };
        Self {
            adversary,
            chance: chances.reduce(Chance::or).expect("there are rules"),
            protects: all(&|rule| &rule.protects),
            exempt: all(&|rule| &rule.exempt),
            readers: together(rules),
            statement: text!("{promised:text}. {reader:text}."),
        }
    }
}

/// Phrases in the statements of earlier versions, and the present ones.
const REWORDED: [(&str, &str); 11] = [
    ("but not its coins", "but not its random draws"),
    ("formed by coins", "formed by random draws"),
    ("ven if somebody knows ", "ven if a reader has prior odds of up to "),
    ("), and the values of everybody outside", "), and knows the values of everybody outside"),
    ("(exempt: who has it may become certain)", "(exempt: it may become certain who has it)"),
    (
        ", and whoever knows one of a person's learns the others",
        ", so a reader who knows one of a person's values learns the others",
    ),
    ("and concludes on the others", "and infers the others from it"),
    (
        "what is unknown of anybody is as much as among ",
        "the entropy of anybody's distribution is at least that of ",
    ),
    ("To a reader who knows ", "To a reader with prior odds of up to "),
    (
        "), and takes the groups as given without asking how they came about,",
        ") who takes the groups as given,",
    ),
    (
        "; somebody who asks that may learn more, and no bound is possible where people are grouped by what is known of them",
        "; a reader who asks how the groups were formed may learn more, and no bound exists where people are grouped by known columns",
    ),
];

/// Returns a statement with the phrases of earlier versions in present words, for comparisons: a
/// release keeps the words that it was published with.
pub fn in_present_words(statement: &str) -> String {
    let mut statement = statement.to_owned();
    for (earlier, present) in REWORDED {
        statement = statement.replace(earlier, present);
    }
    statement
}

/// The guarantees of all rules for readers who know more: the weakest of each kind. Leaves out a
/// guarantee that takes groups as given, because it is about one table only.
fn together(rules: &[Guarantee]) -> Vec<Promise> {
    let of = |rule: &Guarantee, reader| {
        rule.readers.iter().find(|promise| promise.reader == reader).cloned()
    };
    rules
        .iter()
        .map(|rule| of(rule, InformedReader::Informed))
        .reduce(|one: Option<Promise>, other: Option<Promise>| {
            let (one, other) = (one?, other?);
            Some(Promise { chance: one.chance.or(other.chance), ..one })
        })
        .flatten()
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests;
