//! Lays values end to end and deals them out in turn.

use super::signatures::{Signature, Signatures};

/// A value and the number of its rows to be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::algorithm::cover) struct ValueRun {
    pub(in crate::algorithm::cover) value: u32,
    pub(in crate::algorithm::cover) count: u32,
}

/// Lays the runs end to end; group j takes positions j, j + q, j + 2q, …. A run of at most q rows
/// gives each group at most one row, and a longer run gives all groups about equally many: every
/// group is a small copy of the histogram. Groups between two neighbouring run borders (modulo q)
/// share a signature: at most one signature more than there are runs.
///
/// O(runs · log runs + total length of the signatures).
pub(super) fn round_robin(runs: &[ValueRun], groups: u32) -> Signatures {
    let mut starts: Vec<u64> = Vec::with_capacity(runs.len());
    let mut rows = 0u64;
    for run in runs {
        starts.push(rows);
        rows += u64::from(run.count);
    }
    let q = u64::from(groups);
    let mut borders: Vec<u64> = starts.iter().chain([&rows]).map(|start| start % q).collect();
    borders.push(q);
    borders.sort_unstable();
    borders.dedup();
    let signatures = borders.windows(2).map(|border| {
        let positions = (border[0]..rows).step_by(groups as usize);
        let value_at =
            |position| runs[starts.partition_point(|&start| start <= position) - 1].value;
        Signature {
            values: positions.map(value_at).collect(),
            groups: (border[1] - border[0]) as u32,
        }
    });
    Signatures::new(signatures.collect())
}
