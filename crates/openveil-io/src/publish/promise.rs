//! What is promised, in words and numbers.

use super::words::{in_words, parameters};
use crate::policy::Policy;
use crate::release_dir::write::manifest::{Guarantee, Model as ModelEntry};
use openveil::algorithm::{Adversary, Algorithm};
use openveil::exact::{Fraction, fraction};
use openveil::model::{Model, Requirement};
use openveil::release::Release;
use openveil::table::View;
use std::collections::BTreeMap;

/// The promise for a table; `release` is there once it is made.
pub(super) fn guarantee(policy: &Policy, table: &View, release: Option<&Release>) -> Guarantee {
    let protects = table.secret().columns().to_vec();
    let what = match &protects[..] {
        [one] => format!("value of `{one}`{}", exception(table)),
        several => format!(
            "combination of {} (not of each column by itself){}",
            several.join(", "),
            exception(table)
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
    let bound = max_posterior(policy.algorithm, &policy.model, table, release);
    let chance = match &bound {
        Some(bound) if *bound == fraction(1, 1) => {
            format!("the model does not keep anybody's {what} from being certain to {reader}")
        }
        Some(bound) => {
            let bound = chance_in_words(bound);
            format!("nobody's {what} can be guessed with a chance above {bound} by {reader}")
        }
        None => format!("what can be learned of anybody's {what} is bounded for {reader}"),
    };
    let model = match policy.model.ratio() {
        Some(_) => String::new(),
        None => {
            let words = policy.model.requirements().iter().map(in_words);
            let words: Vec<String> = words.collect();
            format!("; {} ({})", words.join("; "), policy.model)
        }
    };
    Guarantee {
        adversary: policy.algorithm.adversary().name().to_owned(),
        max_posterior: bound.map(|bound| bound.to_string()),
        statement: format!("{chance}{model}"),
        protects,
    }
}

/// What is not promised of values that need no protection.
fn exception(table: &View) -> String {
    let labels: Vec<String> = exempt_labels(table)
        .iter()
        .map(|label| format!("`{label}`"))
        .collect();
    match labels.is_empty() {
        true => String::new(),
        false => format!(
            ", unless it is {} (exempt: who has it may become certain),",
            labels.join(" or ")
        ),
    }
}

/// A chance as a fraction, if it is a simple one, or in percent, rounded up.
pub(super) fn chance_in_words(bound: &Fraction) -> String {
    if *bound.denom() <= 1_000.into() {
        return bound.to_string();
    }
    let hundredths = (bound * fraction(10_000, 1)).ceil().to_integer();
    let (percent, rest) = (&hundredths / 100u32, &hundredths % 100u32);
    format!("{percent}.{rest:0>2} %")
}

/// The bound of ratio l-diversity; for other models the model's own bound or the
/// highest share in a group of the release, whichever is less. A posterior is a mixture
/// of the groups' distributions, except after a refused cut of `halving`: there the
/// model holds, but shares need not be those of the group.
pub(super) fn max_posterior(
    algorithm: Algorithm,
    model: &Model,
    table: &View,
    release: Option<&Release>,
) -> Option<Fraction> {
    let bound = model.bind(table).ok()?.max_posterior();
    if model.ratio().is_some() || algorithm == Algorithm::Halving {
        return bound;
    }
    let shown = release.and_then(|release| highest_share(table, release));
    bound.into_iter().chain(shown).min()
}

/// The highest share of a protected value in a group.
fn highest_share(table: &View, release: &Release) -> Option<Fraction> {
    let exempt = table.secret().exempt();
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
fn exempt_labels(table: &View) -> Vec<String> {
    let sensitive = table.secret();
    let values = (0..sensitive.values() as u32).filter(|&value| sensitive.exempt()[value as usize]);
    values.map(|value| sensitive.label(value)).collect()
}

/// The model with its parameters, as in the policy and in manifests.
pub fn model_entry(policy: &Policy, table: &View) -> ModelEntry {
    ModelEntry {
        exempt: exempt_labels(table),
        ..entry(&policy.model)
    }
}

/// A model with its parameters.
pub(super) fn entry(model: &Model) -> ModelEntry {
    match model.requirements() {
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
    }
}

fn requirement(requirement: &Requirement) -> ModelEntry {
    let (name, variant, parameters) = parameters(requirement);
    let own = |(name, value): (&str, serde_json::Value)| (name.to_owned(), value);
    ModelEntry {
        name: name.to_owned(),
        variant: variant.map(str::to_owned),
        parameters: parameters.into_iter().map(own).collect(),
        exempt: Vec::new(),
    }
}
