use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::distribution;
use openveil_core::exact::{Fraction, fraction};
use openveil_core::model::Model;
use openveil_core::release::{Content, Style, publish};
use openveil_core::table::{View, Worlds};
use rayon::prelude::*;

/// The largest number of tables that are examined.
const MOST_WORLDS: u128 = 5_040;

/// The largest number of paths of coins for each table.
const MOST_PATHS: u64 = 100_000;

/// A release, and the way it was made.
#[derive(Debug, Clone)]
pub struct ReleaseRun<'a> {
    /// The release that everybody sees.
    pub release: &'a Content,
    /// The algorithm that made it.
    pub algorithm: &'a dyn Algorithm,
    /// The model that it had to satisfy.
    pub model: &'a Model,
    /// How groups were arranged.
    pub settings: Settings,
    /// How quasi-identifiers are published.
    pub style: Style,
}

/// A reader's exact knowledge after all releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exact {
    /// The number of tables that can lead to all releases.
    pub tables: u64,
    /// The highest probability of any person's protected value.
    pub max_posterior: Fraction,
    /// People whose protected value is certain: rows, from 0.
    pub certain: Vec<u32>,
    /// Number of people for whom a protected value is above the bound.
    pub above_bound: usize,
}

/// Weights every table that is possible for a reader who knows the histogram (of every stratum) by
/// its probability to lead to all these releases, each with its own coins. None if there are more
/// than 5,040 tables.
///
/// Time: the time of the algorithms for every table and every path of coins, at most 100,000.
///
/// # Errors
/// [`Error::BeyondLimit`] for more paths; errors of an algorithm about a table.
pub fn exact(
    table: &View,
    releases: &[ReleaseRun<'_>],
    bound: &Fraction,
) -> Result<Option<Exact>, Error> {
    let mut worlds = Worlds::of_table(table);
    if worlds.count().is_none_or(|count| count > MOST_WORLDS) {
        return Ok(None);
    }
    let mut all: Vec<Vec<u32>> = Vec::new();
    while let Some(world) = worlds.next_world() {
        all.push(world.to_vec());
    }
    let weights: Vec<Fraction> =
        all.par_iter().map(|world| weight(table, world, releases)).collect::<Result<_, Error>>()?;
    Ok(Some(judged(table, &all, &weights, bound)))
}

/// Returns the probability that a table leads to all releases.
fn weight(table: &View, world: &[u32], releases: &[ReleaseRun<'_>]) -> Result<Fraction, Error> {
    let view = table.with_secret_codes(world.to_vec())?;
    let mut weight = fraction(1, 1);
    for made in releases {
        weight *= distribution(MOST_PATHS, |coins| {
            let groups = made.algorithm.partition_with(&view, made.model, &made.settings, coins)?;
            Ok(publish(&view, &groups, made.style).0 == *made.release)
        })?
        .probability(&true);
        if weight == fraction(0, 1) {
            break;
        }
    }
    Ok(weight)
}

fn judged(table: &View, worlds: &[Vec<u32>], weights: &[Fraction], bound: &Fraction) -> Exact {
    let nothing = fraction(0, 1);
    let total: Fraction = weights.iter().sum();
    let exempt = table.secret().exempt();
    let mut found = Exact {
        tables: weights.iter().filter(|weight| **weight > nothing).count() as u64,
        max_posterior: nothing.clone(),
        certain: Vec::new(),
        above_bound: 0,
    };
    if total == nothing {
        return found;
    }
    for row in 0..table.rows() {
        let mut by_value = vec![nothing.clone(); table.secret().values()];
        for (world, weight) in worlds.iter().zip(weights) {
            by_value[world[row] as usize] += weight;
        }
        let protected = by_value.into_iter().zip(exempt);
        let highest =
            protected.filter(|&(_, &exempt)| !exempt).map(|(weight, _)| weight / &total).max();
        let highest = highest.unwrap_or_else(|| nothing.clone());
        found.above_bound += usize::from(highest > *bound);
        if highest == fraction(1, 1) {
            found.certain.push(row as u32);
        }
        found.max_posterior = found.max_posterior.max(highest);
    }
    found
}
