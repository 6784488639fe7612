//! The cost of readers who know functional dependencies.

use super::super::{ExperimentEffort, FigureLines, folder, mean};
use crate::rules::ways::PublishingWay;
use crate::rules::{Dataset, data, random_rules};
use openveil_core::table::ColumnSet;
use openveil_reader::picture::Line;
use openveil_rules::estimate::divergence;
use openveil_rules::normal_form::check;
use openveil_rules::{Dependency, Rule, RulesError as SchemaError, discovered, refuse_determined};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

/// Measures of a rule set and a way that are shown.
#[derive(Clone, Copy)]
pub(super) enum DependencyMeasure {
    /// Divergence of rule sets that can be satisfied against both kinds of readers.
    Divergence,
    /// Rule sets, in percent, that no tables can satisfy against a reader who knows the
    /// dependencies, and rule sets that tables for an ignorant reader would break.
    Trouble,
}

#[derive(Default, Clone)]
struct DependencyMeasures {
    /// By way, without dependencies and with them.
    divergence: BTreeMap<(&'static str, bool), Vec<f64>>,
    /// By problem: 100 for each rule set that has it, 0 otherwise.
    trouble: BTreeMap<&'static str, Vec<f64>>,
}

/// A cache, since two figures show the same runs.
static KNOWN: Mutex<Option<Vec<(f64, DependencyMeasures)>>> = Mutex::new(None);

/// The number of columns on the left of a rule.
const LEFT: usize = 3;

pub(super) fn figures(effort: &ExperimentEffort, shown: DependencyMeasure) -> FigureLines {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match known.take() {
        Some(found) => found,
        None => measured(effort)?,
    };
    let mut lines: BTreeMap<String, Line> = BTreeMap::new();
    for (at, found) in &found {
        let values: Vec<(String, &Vec<f64>)> = match shown {
            DependencyMeasure::Divergence => found
                .divergence
                .iter()
                .map(|((way, knows), values)| {
                    let reader = if *knows { "known" } else { "not known" };
                    (format!("{way}; dependencies {reader}"), values)
                })
                .collect(),
            DependencyMeasure::Trouble => {
                found.trouble.iter().map(|(name, values)| ((*name).to_owned(), values)).collect()
            }
        };
        for (name, values) in values {
            let line = lines.entry(name.clone()).or_insert(Line { name, points: Vec::new() });
            line.points.extend(mean(*at, values));
        }
    }
    *known = Some(found);
    Ok(lines.into_values().collect())
}

/// Returns the dependencies of one column on another that hold in every row.
fn dependencies(data: &Dataset) -> Result<Vec<Dependency>, SchemaError> {
    let exact = discovered(&data.records, 1.0);
    let of_found = |found: openveil_rules::Discovered| {
        Dependency::new(ColumnSet::one(found.given), ColumnSet::one(found.determines))
    };
    exact.into_iter().map(of_found).collect()
}

fn measured(effort: &ExperimentEffort) -> Result<Vec<(f64, DependencyMeasures)>, Box<dyn Error>> {
    let data = data::adult_in_detail(&folder(effort)?.join("adult"), 10_000, 1)?;
    let dependencies = dependencies(&data)?;
    let mut all = Vec::new();
    for count in [1, 3, 5, 7] {
        let mut found = DependencyMeasures::default();
        for seed in 100..100 + effort.sets {
            if let Some(rules) = random_rules(&data, count, LEFT, 2, seed) {
                measure(&data, &rules, &dependencies, seed, &mut found)?;
            }
        }
        all.push((count as f64, found));
    }
    Ok(all)
}

fn measure(
    data: &Dataset,
    rules: &[Rule],
    dependencies: &[Dependency],
    seed: u64,
    found: &mut DependencyMeasures,
) -> Result<(), Box<dyn Error>> {
    let mut trouble = |name: &'static str, is_so: bool| {
        let share = if is_so { 100.0 } else { 0.0 };
        found.trouble.entry(name).or_default().push(share);
    };
    let is_hopeless = refuse_determined(rules, dependencies).is_err();
    trouble("no tables can keep the rules", is_hopeless);
    if is_hopeless {
        return Ok(());
    }
    for way in [PublishingWay::Uad, PublishingWay::Gd] {
        let unaware = way.schema(data, rules, &[], 2, seed)?;
        let is_broken = !check(&unaware, rules, dependencies).normal_form();
        let name = if way == PublishingWay::Uad {
            "UAD's tables break a rule"
        } else {
            "GD's tables break a rule"
        };
        trouble(name, is_broken);
        let aware = way.schema(data, rules, dependencies, 2, seed);
        let refused =
            if way == PublishingWay::Uad { "UAD finds no tables" } else { "GD finds no tables" };
        trouble(refused, aware.is_err());
        // Only sets that can be satisfied against both readers are compared.
        let Ok(aware) = aware else { continue };
        for (schema, knows) in [(unaware, false), (aware, true)] {
            let estimate = PublishingWay::published(data, &schema, 2, seed)?;
            let values = found.divergence.entry((way.name(), knows)).or_default();
            values.push(divergence(&data.records, &estimate)?);
        }
    }
    Ok(())
}
