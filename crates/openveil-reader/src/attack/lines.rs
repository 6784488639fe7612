//! Findings of attacks on one table as lines: name, figure, and what the figure means.

use super::{AttackReport, IntersectionEntry, LearningEntry, Measurement, Rerun};
use crate::report::{GROUPS, PEOPLE, ROWS, counted_in, thousands};
use openveil_text::{Text, text};

/// An attack as a line of a table: its name, the figure, what the figure means.
pub type AttackLine = [Text; 3];

impl AttackReport {
    /// The attacks, one line each, for people.
    pub fn lines(&self) -> Vec<AttackLine> {
        vec![
            rerun(&self.rerun),
            homogeneity(self),
            similarity(self),
            background(self),
            minimality(self),
            learning(self),
            learner(self),
            intersection(self),
        ]
    }
}

/// A share in per cent.
fn percent(share: f64) -> Text {
    Text::number(format!("{:.1} %", 100.0 * share))
}

fn line(attack: &'static str, found: impl Into<Text>, meaning: impl Into<Text>) -> AttackLine {
    [attack.into(), found.into(), meaning.into()]
}

fn rerun(found: &Rerun) -> AttackLine {
    if found.kind == "none" {
        return absent("re-run", "see below");
    }
    let (share, exposed, sampled) =
        (percent(found.share), number(found.exposed), number(found.sampled));
    let share = text!("{share:text} ({exposed:text} of {sampled:text})");
    let meaning = match &*found.kind {
        "exchanges" => "people exposed: no exchange within the group gives the same release",
        "invariance" => {
            "people exposed: an exchange with the corresponding random draws gives another release"
        }
        "same-coins" => {
            "people exposed: with the same random draws, no exchange gives the same release"
        }
        "groups" => "people exposed: the group does not satisfy the model",
        _ => "people exposed: fewer than l - 1 others with other values to exchange with",
    };
    line("re-run", share, meaning)
}

fn homogeneity(report: &AttackReport) -> AttackLine {
    let found = &report.homogeneity;
    let (groups, highest) = (counted_in(found.groups as u128, GROUPS), &found.highest_share);
    let meaning = text!(
        "in {groups:text} with one protected value only; the highest share of a protected value in a group is {highest}"
    );
    line("homogeneity", counted_in(found.rows as u128, ROWS), meaning)
}

fn similarity(report: &AttackReport) -> AttackLine {
    match &report.similarity {
        Measurement::Measured(found) => {
            let groups = counted_in(found.groups as u128, GROUPS);
            line(
                "similarity",
                counted_in(found.rows as u128, ROWS),
                text!("in {groups:text} with one category only"),
            )
        }
        Measurement::NotMeasured { not_measured } => absent("similarity", not_measured.clone()),
    }
}

fn background(report: &AttackReport) -> AttackLine {
    let found = &report.background;
    let mean = decimal(found.mean);
    line(
        "background",
        text!("{} facts ({mean:text} on average)", found.min),
        "`not this value` facts that make somebody's value certain",
    )
}

fn minimality(report: &AttackReport) -> AttackLine {
    match &report.minimality {
        Measurement::Measured(found) => {
            let (left, all) = (decimal(found.mean_possible), decimal(found.mean_values));
            line(
                "minimality",
                text!("{} of {}", found.affected, found.sampled),
                text!(
                    "people with a value ruled out; {left:text} of {all:text} values are left on average"
                ),
            )
        }
        Measurement::NotMeasured { .. } => absent("minimality", "does not apply, see below"),
    }
}

fn learning(report: &AttackReport) -> AttackLine {
    match &report.learning {
        Measurement::Measured(LearningEntry { accuracy, majority, gain, .. }) => {
            let gain = Text::number(format!("{gain:+.1}"));
            let (accuracy, majority) = (percent(*accuracy), percent(*majority));
            line(
                "learning",
                text!("{gain:text} of 100 people"),
                text!(
                    "right guesses compared with guessing the group's majority: {accuracy:text} instead of {majority:text}"
                ),
            )
        }
        Measurement::NotMeasured { not_measured } => absent("learning", not_measured.clone()),
    }
}

/// The strongest reader, against whom the release promises nothing.
fn learner(report: &AttackReport) -> AttackLine {
    match &report.learner {
        Measurement::Measured(found) => {
            let right = found.accuracy_members_known.or(found.accuracy);
            let (believed, model) = (percent(found.believed), percent(found.accuracy_of_model));
            let meaning = if found.accuracy_members_known.is_some() {
                text!(
                    "of people are guessed right by a fit of the release alone if everybody's group is known; the reader expects {believed:text} on average; by the learned associations alone, {model:text} are right"
                )
            } else {
                text!(
                    "of people are guessed right by a fit of the release alone; the reader expects {believed:text} on average; by the learned associations alone, {model:text} are right"
                )
            };
            line("learner", right.map_or_else(|| "-".into(), percent), meaning)
        }
        Measurement::NotMeasured { not_measured } => absent("learner", not_measured.clone()),
    }
}

fn intersection(report: &AttackReport) -> AttackLine {
    match &report.intersection {
        Measurement::Measured(found) => {
            let (releases, left) = (found.releases, decimal(found.mean_values));
            let highest = percent(found.highest_posterior);
            let mean = percent(found.mean_highest_posterior);
            line(
                "intersection",
                certain(found),
                text!(
                    "after {releases} releases; {left:text} values left on average, posteriors up to {highest:text} ({mean:text} on average)"
                ),
            )
        }
        Measurement::NotMeasured { not_measured } => absent("intersection", not_measured.clone()),
    }
}

/// How many people's values are certain, exactly or as bounds.
fn certain(found: &IntersectionEntry) -> Text {
    let at_least = number(found.certain);
    match &found.exact {
        Some(exact) => {
            let people = counted_people(exact.certain);
            text!("{people:text} certain")
        }
        None if found.certain_at_most > found.certain => {
            let people = counted_people(found.certain_at_most);
            text!("{at_least:text} to {people:text} certain")
        }
        None => {
            let people = counted_people(found.certain);
            text!("{people:text} certain")
        }
    }
}

fn absent(attack: &'static str, reason: impl Into<Text>) -> AttackLine {
    line(attack, "not measured", reason)
}

fn number(number: usize) -> Text {
    Text::number(thousands(number as u128))
}

fn decimal(number: f64) -> Text {
    Text::number(format!("{number:.2}"))
}

/// `1 person`, `2,000 people`.
pub fn counted_people(people: usize) -> Text {
    counted_in(people as u128, PEOPLE)
}
