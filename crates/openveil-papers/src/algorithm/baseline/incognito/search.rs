//! The search: subsets of columns by size, and their generalisations by height.

use super::FullDomain;
use super::frequencies::Frequencies;
use crate::algorithm::taxonomy::Taxonomy;
use openveil_core::Error;
use openveil_core::model::Criteria;
use openveil_core::table::View;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// The largest number of generalisations of subsets of the columns that are tracked.
const LIMIT: u64 = 1 << 26;

/// Returns all minimal generalisations that hold, in no particular order. The table as one group
/// must satisfy the criteria, which must be monotone.
pub(super) fn minimal(
    table: &View,
    taxonomies: &[Taxonomy],
    criteria: &Criteria,
) -> Result<Vec<FullDomain>, Error> {
    let columns = taxonomies.len();
    if columns == 0 {
        return Ok(vec![FullDomain { levels: Vec::new() }]);
    }
    let lattice = Lattice::new(taxonomies)?;
    let exact: Vec<(usize, u32)> = (0..columns).map(|column| (column, 0)).collect();
    let search = LatticeSearch {
        table,
        taxonomies,
        criteria,
        finest: Frequencies::of_rows(table).rolled_up(table, taxonomies, &exact),
        lattice,
    };
    let mut holds = vec![false; search.lattice.size];
    // The empty subset of columns: the table as one group.
    holds[0] = true;
    for size in 1..columns {
        let found: Vec<Vec<usize>> = (1u32..1 << columns)
            .filter(|subset| subset.count_ones() == size as u32)
            .collect::<Vec<_>>()
            .par_iter()
            .map(|&subset| search.subset(&members(subset, columns), &holds).holding)
            .collect();
        found.into_iter().flatten().for_each(|at| holds[at] = true);
    }
    let all: Vec<usize> = (0..columns).collect();
    Ok(search.subset(&all, &holds).minimal)
}

fn members(subset: u32, columns: usize) -> Vec<usize> {
    (0..columns).filter(|column| subset >> column & 1 == 1).collect()
}

/// Numbers for the generalisations of all subsets of the columns: digits in mixed radix, with 0 for
/// a column that is left out, and the level plus one otherwise.
struct Lattice {
    strides: Vec<usize>,
    size: usize,
}

impl Lattice {
    fn new(taxonomies: &[Taxonomy]) -> Result<Self, Error> {
        let mut strides = Vec::with_capacity(taxonomies.len());
        let mut size = 1u128;
        for taxonomy in taxonomies {
            strides.push(size as usize);
            size = size.saturating_mul(taxonomy.len() as u128 + 1);
        }
        if size > LIMIT.into() {
            return Err(Error::BeyondLimit {
                what: "generalisations of subsets of the quasi-identifiers",
                needed: size.to_string(),
                limit: LIMIT,
            });
        }
        Ok(Self { strides, size: size as usize })
    }

    fn number(&self, levels: &[(usize, u32)]) -> usize {
        levels.iter().map(|&(column, level)| (level as usize + 1) * self.strides[column]).sum()
    }
}

struct LatticeSearch<'a> {
    table: &'a View,
    taxonomies: &'a [Taxonomy],
    criteria: &'a Criteria,
    lattice: Lattice,
    /// The frequencies of all columns at their lowest level.
    finest: Frequencies,
}

/// The generalisations found for one subset of the columns.
#[derive(Default)]
struct SubsetGeneralizations {
    /// Numbers of the generalisations that hold.
    holding: Vec<usize>,
    minimal: Vec<FullDomain>,
}

impl LatticeSearch<'_> {
    /// Finds the generalisations of a subset that hold; `holds` contains the results of all smaller
    /// subsets.
    fn subset(&self, columns: &[usize], holds: &[bool]) -> SubsetGeneralizations {
        let mut found = SubsetGeneralizations::default();
        let mut holding: HashSet<usize> = HashSet::new();
        let mut below: HashMap<usize, Frequencies> = HashMap::new();
        for candidates in self.candidates(columns, holds) {
            let mut here = HashMap::new();
            for levels in candidates {
                let number = self.lattice.number(&levels);
                let lower = self.specializations(&levels, number);
                // Generalisation property.
                if lower.iter().any(|number| holding.contains(number)) {
                    holding.insert(number);
                    continue;
                }
                let set = lower
                    .iter()
                    .filter_map(|number| below.get(number))
                    .min_by_key(|set| set.len())
                    .unwrap_or(&self.finest)
                    .rolled_up(self.table, self.taxonomies, &levels);
                if set.hold(self.criteria) {
                    holding.insert(number);
                    let levels = levels.iter().map(|&(_, level)| level).collect();
                    found.minimal.push(FullDomain { levels });
                } else {
                    here.insert(number, set);
                }
            }
            below = here;
        }
        found.holding = holding.into_iter().collect();
        found
    }

    /// Returns the generalisations of a subset that its subsets with one column less do not rule
    /// out (subset property), by height, which is the sum of levels.
    fn candidates(&self, columns: &[usize], holds: &[bool]) -> Vec<Vec<Vec<(usize, u32)>>> {
        let tops: Vec<u32> =
            columns.iter().map(|&column| self.taxonomies[column].len() as u32 - 1).collect();
        let mut by_height = vec![Vec::new(); tops.iter().sum::<u32>() as usize + 1];
        let mut levels: Vec<(usize, u32)> = columns.iter().map(|&column| (column, 0)).collect();
        loop {
            let number = self.lattice.number(&levels);
            let is_candidate = levels.iter().all(|&(column, level)| {
                holds[number - (level as usize + 1) * self.lattice.strides[column]]
            });
            if is_candidate {
                let height: u32 = levels.iter().map(|&(_, level)| level).sum();
                by_height[height as usize].push(levels.clone());
            }
            let Some(raised) = (0..tops.len()).find(|&at| levels[at].1 < tops[at]) else {
                return by_height;
            };
            levels[raised].1 += 1;
            levels[..raised].iter_mut().for_each(|entry| entry.1 = 0);
        }
    }

    /// Returns the numbers of the generalisations with one level less in one column.
    fn specializations(&self, levels: &[(usize, u32)], number: usize) -> Vec<usize> {
        levels
            .iter()
            .filter(|&&(_, level)| level > 0)
            .map(|&(column, _)| number - self.lattice.strides[column])
            .collect()
    }
}
