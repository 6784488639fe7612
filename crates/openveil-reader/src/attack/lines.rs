//! Findings of attacks on one table as lines: name, figure, and what the figure means.

use super::{AttackReport, IntersectionEntry, LearningEntry, Measurement, Rerun};
use crate::report::{counted, thousands};

/// An attack as a line of a table: its name, the figure, what the figure means.
pub type AttackLine = [String; 3];

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
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn line(attack: &str, found: impl Into<String>, meaning: impl Into<String>) -> AttackLine {
    [attack.to_owned(), found.into(), meaning.into()]
}

fn rerun(found: &Rerun) -> AttackLine {
    if found.kind == "none" {
        return absent("re-run", "see below");
    }
    let share = format!(
        "{} ({} of {})",
        percent(found.share),
        thousands(found.exposed as u128),
        thousands(found.sampled as u128)
    );
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
    let rows = counted(found.rows as u128, "row");
    let meaning = format!(
        "in {} with one protected value only; the highest share of a protected value in a group is {}",
        counted(found.groups as u128, "group"),
        found.highest_share
    );
    line("homogeneity", rows, meaning)
}

fn similarity(report: &AttackReport) -> AttackLine {
    match &report.similarity {
        Measurement::Measured(found) => line(
            "similarity",
            counted(found.rows as u128, "row"),
            format!("in {} with one category only", counted(found.groups as u128, "group")),
        ),
        Measurement::NotMeasured { not_measured } => absent("similarity", not_measured),
    }
}

fn background(report: &AttackReport) -> AttackLine {
    let found = &report.background;
    line(
        "background",
        format!("{} facts ({:.2} on average)", found.min, found.mean),
        "`not this value` facts that make somebody's value certain",
    )
}

fn minimality(report: &AttackReport) -> AttackLine {
    match &report.minimality {
        Measurement::Measured(found) => line(
            "minimality",
            format!("{} of {}", found.affected, found.sampled),
            format!(
                "people with a value ruled out; {:.2} of {:.2} values are left on average",
                found.mean_possible, found.mean_values
            ),
        ),
        Measurement::NotMeasured { .. } => absent("minimality", "does not apply, see below"),
    }
}

fn learning(report: &AttackReport) -> AttackLine {
    match &report.learning {
        Measurement::Measured(LearningEntry { accuracy, majority, gain, .. }) => line(
            "learning",
            format!("{gain:+.1} of 100 people"),
            format!(
                "right guesses compared with guessing the group's majority: {} instead of {}",
                percent(*accuracy),
                percent(*majority)
            ),
        ),
        Measurement::NotMeasured { not_measured } => absent("learning", not_measured),
    }
}

/// The strongest reader, against whom the release promises nothing.
fn learner(report: &AttackReport) -> AttackLine {
    match &report.learner {
        Measurement::Measured(found) => {
            let right = found.accuracy_members_known.or(found.accuracy);
            let groups = match found.accuracy_members_known {
                Some(_) => " if everybody's group is known",
                None => "",
            };
            line(
                "learner",
                right.map_or("-".to_owned(), percent),
                format!(
                    "of people are guessed right by a fit of the release alone{groups}; the reader expects {} on average; by the learned associations alone, {} are right",
                    percent(found.believed),
                    percent(found.accuracy_of_model)
                ),
            )
        }
        Measurement::NotMeasured { not_measured } => absent("learner", not_measured),
    }
}

fn intersection(report: &AttackReport) -> AttackLine {
    match &report.intersection {
        Measurement::Measured(found) => line(
            "intersection",
            certain(found),
            format!(
                "after {} releases; {:.2} values left on average, posteriors up to {} ({} on average)",
                found.releases,
                found.mean_values,
                percent(found.highest_posterior),
                percent(found.mean_highest_posterior)
            ),
        ),
        Measurement::NotMeasured { not_measured } => absent("intersection", not_measured),
    }
}

/// How many people's values are certain, exactly or as bounds.
fn certain(found: &IntersectionEntry) -> String {
    match &found.exact {
        Some(exact) => format!("{} certain", counted_people(exact.certain)),
        None if found.certain_at_most > found.certain => format!(
            "{} to {} certain",
            thousands(found.certain as u128),
            counted_people(found.certain_at_most)
        ),
        None => format!("{} certain", counted_people(found.certain)),
    }
}

fn absent(attack: &str, reason: impl ToString) -> AttackLine {
    line(attack, "not measured", reason.to_string())
}

/// `1 person`, `2,000 people`.
pub fn counted_people(people: usize) -> String {
    match people {
        1 => "1 person".to_owned(),
        several => format!("{} people", thousands(several as u128)),
    }
}
