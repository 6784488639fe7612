//! *decompose*: decides from the histogram alone where the rows of each value go.

mod any;
mod choices;
mod in_turn;
mod pack;
mod program;
mod ratio;
mod runs;
mod sets;
mod signatures;

pub use any::decompose_any;
pub use ratio::decompose;

use openveil_core::table::{Histogram, Members};
use runs::ValueRun;

/// Whether the rows of a value may lie in two columns of one unit.
type MayMeet<'a> = &'a dyn Fn(&ValueRun) -> bool;

/// A plan that assigns the rows of each value to units of groups and to the columns of each unit.
///
/// All rows stand in one *line*, the rows of a value together. A column
/// of a unit is a stretch of the line, one row for each group of the unit; all columns of all units
/// together are the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decomposition {
    /// Each run has rows. No column has two runs of the same value.
    line: Vec<ValueRun>,
    /// Where each run ends in the line.
    ends: Vec<u32>,
    units: Vec<Unit>,
}

/// Groups that take one row from each of the same columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Number of groups, at least one: the rows of each column.
    pub groups: u32,
    /// Where each column starts in the line.
    pub columns: Vec<u32>,
}

/// Decomposes a histogram of values that are sets into groups in which no protected member is in
/// too many sets. `None` if the greedy search leaves somebody over.
pub(crate) fn decompose_sets(
    histogram: &Histogram,
    members: &Members,
    l: u32,
) -> Option<Decomposition> {
    let found = sets::packed(histogram, members, l)?;
    Some(Decomposition::of_signatures(&found, histogram.counts()))
}

impl Decomposition {
    /// The values in the order of the line, each once, with their numbers of rows.
    pub fn line(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.line.iter().map(|run| (run.value, run.count))
    }

    /// The units.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Number of groups in all units.
    pub fn groups(&self) -> u32 {
        self.units.iter().map(|unit| unit.groups).sum()
    }

    /// The values in a column of a unit, with their numbers of rows, in the order of the line.
    /// O(log values + values of the column).
    pub fn values(&self, unit: &Unit, column: usize) -> Vec<(u32, u32)> {
        let (first, last) = (unit.columns[column], unit.columns[column] + unit.groups);
        let from = self.ends.partition_point(|&end| end <= first);
        self.line[from..]
            .iter()
            .zip(&self.ends[from..])
            .map_while(|(run, &end)| {
                let start = (end - run.count).max(first);
                (start < last).then(|| (run.value, end.min(last) - start))
            })
            .collect()
    }

    /// The values in all columns of a unit, as [`Decomposition::values`] returns them.
    pub fn all_values(&self, unit: &Unit) -> Vec<Vec<(u32, u32)>> {
        let columns = 0..unit.columns.len();
        columns.map(|column| self.values(unit, column)).collect()
    }

    fn new(line: Vec<ValueRun>, units: Vec<Unit>) -> Self {
        let mut end = 0;
        let ends = line.iter().map(|run| {
            end += run.count;
            end
        });
        Self { ends: ends.collect(), line, units }
    }

    /// Cuts a line into columns of `groups` places; returns the units that result.
    ///
    /// A value that straddles two columns has the last places of one and the first of the next.
    /// Groups are cut into units behind these first places, so that the value lies in one column of
    /// each unit. A value that may meet itself causes no cut. The last column may be short, which
    /// also causes a cut. O(runs + columns²).
    fn of_line(line: Vec<ValueRun>, groups: u32, may_meet: MayMeet<'_>) -> Self {
        let rows = line.iter().map(|run| run.count).sum::<u32>();
        let mut cuts = vec![0, rows % groups, groups];
        let mut start = 0;
        for run in &line {
            let end = start + run.count;
            let straddles = start / groups != (end - 1) / groups;
            if straddles && !may_meet(run) {
                cuts.push(end % groups);
            }
            start = end;
        }
        cuts.sort_unstable();
        cuts.dedup();
        Self::new(
            line,
            cuts.windows(2)
                .map(|cut| Unit {
                    groups: cut[1] - cut[0],
                    columns: (cut[0]..rows).step_by(groups as usize).collect(),
                })
                .collect(),
        )
    }

    /// One value per slot: a unit for each signature, a column for each of its values.
    fn of_signatures(signatures: &signatures::Signatures, counts: &[u32]) -> Self {
        let line: Vec<ValueRun> = (0..)
            .zip(counts)
            .map(|(value, &count)| ValueRun { value, count })
            .filter(|run| run.count > 0)
            .collect();
        let mut next = vec![0; counts.len()];
        let mut rows = 0;
        for run in &line {
            next[run.value as usize] = rows;
            rows += run.count;
        }
        let units = signatures
            .iter()
            .map(|signature| {
                let mut column = |&value: &u32| {
                    let start = next[value as usize];
                    next[value as usize] += signature.groups;
                    start
                };
                Unit {
                    groups: signature.groups,
                    columns: signature.values.iter().map(&mut column).collect(),
                }
            })
            .collect();
        Self::new(line, units)
    }
}

#[cfg(test)]
mod tests;
