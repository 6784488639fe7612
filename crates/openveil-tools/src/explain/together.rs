//! A reader's knowledge from releases separately and combined.

use super::published::ReleaseSeen;
use super::scene::problem;
use super::{ExplanationBasis, Scene};
use openveil_core::table::{Groups, Worlds};
use openveil_io::Error;
use openveil_papers::disclosure::{Census, TableSpace};
use serde::Serialize;
use std::collections::BTreeMap;

/// A reader's knowledge: how many tables remain possible, and everybody's chances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Known {
    /// Tables that the reader still considers.
    pub tables: u128,
    /// The greatest chance of any value of any person.
    pub highest: String,
    /// Whether everybody's chances satisfy the bound or the model.
    pub within: bool,
    /// For each person, the chance of each value that is possible.
    pub posteriors: BTreeMap<String, BTreeMap<String, String>>,
}

impl Known {
    pub(super) fn new(census: &Census, job: &ExplanationBasis<'_>) -> Self {
        let scene = job.scene();
        Self {
            tables: census.tables(),
            highest: census.highest_posterior().to_string(),
            within: census.satisfies(job.predicate()),
            posteriors: scene
                .people
                .iter()
                .enumerate()
                .map(|(person, name)| {
                    let named = census
                        .posterior(person)
                        .into_iter()
                        .enumerate()
                        .filter(|(code, _)| census.counts(person)[*code] > 0)
                        .map(|(code, chance)| (scene.labels[code].clone(), chance.to_string()));
                    (name.clone(), named.collect())
                })
                .collect(),
        }
    }
}

/// The groups of one function, and what they show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FunctionReport {
    /// Its groups.
    pub groups: String,
    /// The values of each group.
    pub released: Vec<Vec<String>>,
    /// The knowledge from them alone: the permutation set.
    #[serde(flatten)]
    pub known: Known,
}

/// Evaluates every function separately.
pub(super) fn each(job: &ExplanationBasis<'_>) -> Result<Vec<FunctionReport>, Error> {
    let scene = job.scene();
    let own = job.space.class_of(&scene.table)?;
    Ok(job
        .functions
        .iter()
        .enumerate()
        .map(|(function, groups)| {
            let mut known = Known::new(&job.space.permutation_set(function, own), job);
            known.within &= job.space.admits_groups(function, own, job.predicate());
            FunctionReport { groups: scene.name(groups), released: released(scene, groups), known }
        })
        .collect())
}

/// The values of each group, in their order.
fn released(scene: &Scene, groups: &Groups) -> Vec<Vec<String>> {
    groups
        .iter()
        .map(|group| {
            let mut codes: Vec<u32> = group.iter().map(|&p| scene.table[p as usize]).collect();
            codes.sort_unstable();
            codes.into_iter().map(|code| scene.label(code).to_owned()).collect()
        })
        .collect()
}

/// Several releases at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Together {
    /// The combined releases: groupings of the table, and releases by others.
    pub of: Vec<String>,
    /// The resulting knowledge.
    #[serde(flatten)]
    pub known: Known,
}

/// Returns the knowledge from all functions and all published tables, if there are two or more.
pub(super) fn all(
    job: &ExplanationBasis<'_>,
    published: &[ReleaseSeen],
) -> Result<Option<Together>, Error> {
    let scene = job.scene();
    let own = job.functions.iter().map(|groups| scene.name(groups));
    let of: Vec<String> = own.chain(published.iter().map(|table| table.text.clone())).collect();
    if of.len() < 2 && published.is_empty() {
        return Ok(None);
    }
    let class = job.space.class_of(&scene.table)?;
    for own in published {
        if !own.allows(&scene.table)? {
            let words = format!(
                "`{}` cannot have been published about these people with these values",
                own.text
            );
            return Err(
                problem(words).help("look for a group with other values than its people have")
            );
        }
    }
    let mut worlds = Worlds::new(&scene.table);
    let (mut number, mut kept) = (0, Vec::new());
    while let Some(world) = worlds.next_world() {
        let mut is_kept = (0..job.functions.len()).all(|function: usize| {
            let all = job.space.generalizations(function);
            all.generalisation(number) == all.generalisation(class)
        });
        for own in published {
            is_kept = is_kept && own.allows(world)?;
        }
        kept.push(is_kept);
        number += 1;
    }
    let census = job.space.disclosure_set(|table| kept[table]);
    Ok(Some(Together { of, known: Known::new(&census, job) }))
}
