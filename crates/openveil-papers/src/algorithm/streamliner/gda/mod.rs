//! GDA, guided and dependent (Privacy Streamliner, section 3.3, Table 7).

mod average;
mod clusters;
mod fronts;
mod left_overs;
mod nearest;
mod summary;

use super::colours::Colours;
use super::largest_first::LargestFirst;
use clusters::Clusters;
use fronts::Fronts;
use openveil_core::Error;
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Groups, View};

/// Divides a table into groups by GDA as printed. **Unsafe**: it is deterministic and uses
/// quasi-identifiers and values together. A reader who runs it on the possible tables may learn a
/// person's value with certainty.
///
/// A row's weighted rank is the sum, over the quasi-identifiers, of the column's weight times the
/// position of the row's value in the ordered domain, counted from 1 (it saturates at `u64::MAX`).
/// The colour with the most incomplete rows is finished row by row, in ascending order of weighted
/// rank. Each row takes the first remaining row of each of the l−1 other colours whose first
/// remaining row is closest in weighted rank. Left-overs go, colour by colour, to the group without
/// their colour that has the least average distance. If there is none, they go to the nearest
/// group, which merges with the next nearest (as seen from the left-over) until the ratio holds.
///
/// Ties are broken by the smallest row number: between equally ranked rows of a colour, between
/// equally large colours (by their first remaining rows), and between equally close rows. Groups at
/// equal average distance are taken in the order in which they were formed (a merged group counts
/// as formed when its oldest part was).
///
/// O(n log n) time for the groups. A left-over searches a tree over the groups: in logarithmic
/// time, unless many groups spread widely around its weighted rank, and in linear time at worst.
///
/// # Errors
/// None, if the table is eligible.
pub fn gda(table: &View, model: RatioDiversity) -> Result<Groups, Error> {
    let colours = Colours::new(table);
    let ranks = weighted_ranks(table);
    let mut fronts = Fronts::new(&colours, &ranks);
    let mut clusters = Clusters::new(&ranks);
    form_groups(&mut fronts, &mut clusters, model.l() as usize - 1);
    left_overs::place(&mut clusters, &fronts, &colours, model);
    Ok(clusters.into_groups())
}

/// Returns the weighted rank of every row (section 3.3).
fn weighted_ranks(table: &View) -> Vec<u64> {
    let mut ranks = vec![0u64; table.rows()];
    for column in table.known() {
        let weight = u64::from(column.weight());
        for (rank, &code) in ranks.iter_mut().zip(column.codes()) {
            *rank = rank.saturating_add(weight.saturating_mul(u64::from(code) + 1));
        }
    }
    ranks
}

/// Table 7, lines 6–9: forms groups of one row from each of 1 + `others` colours, until fewer
/// colours than that are incomplete.
fn form_groups(fronts: &mut Fronts<'_>, clusters: &mut Clusters<'_>, others: usize) {
    let mut waiting = LargestFirst::new(fronts.colours(), |colour| fronts.priority(colour));
    let mut group = Vec::with_capacity(others + 1);
    while let Some(current) = waiting.pop(|colour| fronts.priority(colour)) {
        fronts.withdraw(current);
        while fronts.open() >= others {
            let Some(person) = fronts.take_withdrawn(current) else {
                break;
            };
            group.clear();
            group.push(person);
            fronts.take_nearest(person.0, others, &mut group);
            clusters.push(&group);
        }
    }
}

#[cfg(test)]
mod tests;
