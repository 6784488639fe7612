//! What is promised, in words and numbers.

use crate::output::manifest::{Guarantee, Model as ModelEntry};
use crate::policy::Policy;
use openveil::algorithm::Adversary;
use openveil::exact::{Fraction, fraction};
use openveil::privacy::{Model, Requirement};
use openveil::release::Release;
use openveil::table::Table;
use std::collections::BTreeMap;

/// The promise for a table; `release` is there once it is made.
pub(super) fn guarantee(policy: &Policy, table: &Table, release: Option<&Release>) -> Guarantee {
    let protects = table.sensitive().columns().to_vec();
    let what = match &protects[..] {
        [one] => format!("value of `{one}`"),
        several => format!(
            "combination of {} (not of each column by itself)",
            several.join(", ")
        ),
    };
    let reader = match policy.algorithm.adversary() {
        Adversary::KnowsAlgorithm => {
            "a reader who knows everybody's quasi-identifiers, this program and its parameters, but not its coins"
        }
        Adversary::SeesRelease => {
            "a reader who sees the release and does not know how it was made; one who re-runs the algorithm learns more"
        }
    };
    let exception = match &exempt_labels(table)[..] {
        [] => String::new(),
        some => format!(
            "; {} need no protection and may become certain",
            some.join(", ")
        ),
    };
    let bound = max_posterior(&policy.model, table, release);
    let chance = match &bound {
        Some(bound) => {
            format!("nobody's {what} can be guessed with a chance above {bound} by {reader}")
        }
        None => format!("what can be learned of anybody's {what} is bounded for {reader}"),
    };
    let model = match policy.model.ratio() {
        Some(_) => String::new(),
        None => format!("; what can be learned satisfies {}", policy.model),
    };
    Guarantee {
        adversary: policy.algorithm.adversary().name().to_owned(),
        max_posterior: bound.map(|bound| bound.to_string()),
        statement: format!("{chance}{model}{exception}"),
        protects,
    }
}

/// The model's own bound, or else the highest share in a group: a posterior is a
/// mixture of the groups' distributions.
fn max_posterior(model: &Model, table: &Table, release: Option<&Release>) -> Option<Fraction> {
    if let Some(ratio) = model.ratio() {
        return Some(fraction(1, ratio.l().into()));
    }
    let release = release?;
    let exempt = table.sensitive().exempt();
    let highest = |group: usize| {
        let protected = release
            .value_counts(group)
            .filter(|&(value, _)| !exempt[value as usize]);
        let size = release.group_rows(group).len() as u128;
        let count = protected.map(|(_, count)| count).max().unwrap_or(0);
        (u128::from(count), size)
    };
    let (count, size) = (0..release.group_count())
        .map(highest)
        .max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)))?;
    Some(fraction(count, size))
}

/// The values that need no protection.
fn exempt_labels(table: &Table) -> Vec<String> {
    let sensitive = table.sensitive();
    let values = (0..sensitive.values() as u32).filter(|&value| sensitive.exempt()[value as usize]);
    values.map(|value| sensitive.label(value)).collect()
}

/// The model with its parameters, as in the policy and in manifests.
pub fn model_entry(policy: &Policy, table: &Table) -> ModelEntry {
    let mut entry = match policy.model.requirements() {
        [one] => requirement(one),
        several => {
            let all = several.iter().map(requirement).map(|entry| {
                serde_json::to_value(entry).expect("texts and numbers have a JSON form")
            });
            ModelEntry {
                name: "all".to_owned(),
                parameters: BTreeMap::from([("all".to_owned(), all.collect())]),
                ..ModelEntry::default()
            }
        }
    };
    entry.exempt = exempt_labels(table);
    entry
}

fn requirement(requirement: &Requirement) -> ModelEntry {
    let (name, variant, parameters) = match requirement {
        Requirement::KAnonymity { k } => ("k-anonymity", None, vec![("k", (*k).into())]),
        Requirement::Ratio(ratio) => ("l-diversity", Some("ratio"), vec![("l", ratio.l().into())]),
        Requirement::Distinct { l } => ("l-diversity", Some("distinct"), vec![("l", (*l).into())]),
        other => ("other", None, vec![("requirement", other.name().into())]),
    };
    let own = |(name, value): (&str, serde_json::Value)| (name.to_owned(), value);
    ModelEntry {
        name: name.to_owned(),
        variant: variant.map(str::to_owned),
        parameters: parameters.into_iter().map(own).collect(),
        exempt: Vec::new(),
    }
}
