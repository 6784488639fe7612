use openveil_core::table::Groups;
use rayon::prelude::*;
use std::ops::Range;

/// The number of groups that one thread counts in one go.
const STRETCH: usize = 1 << 12;

/// How often each sensitive value occurs in each group, in flat arrays.
#[derive(Debug, Clone)]
pub struct GroupCounts {
    entries: Vec<(u32, u32)>,
    /// Where each group's entries end.
    ends: Vec<usize>,
    sizes: Vec<u32>,
    whole: Vec<u32>,
}

/// One group: its values, ascending by code, each with its number of rows.
#[derive(Debug, Clone, Copy)]
pub struct CountedGroup<'a> {
    entries: &'a [(u32, u32)],
    size: u32,
}

impl<'a> CountedGroup<'a> {
    /// Codes and counts, ascending by code.
    pub fn entries(&self) -> &'a [(u32, u32)] {
        self.entries
    }

    /// Number of rows.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The counts alone.
    pub(super) fn counts(&self) -> impl Iterator<Item = u32> + 'a {
        self.entries.iter().map(|&(_, count)| count)
    }
}

impl GroupCounts {
    /// Counts the values of every group; `codes[row]` must be below `values`.
    ///
    /// O(n log largest group), in parallel.
    ///
    /// # Panics
    /// If a row of the groups has no code, or a code is not below `values`.
    pub fn count(groups: &Groups, codes: &[u32], values: usize) -> Self {
        let starts = (0..groups.len()).step_by(STRETCH);
        let stretches: Vec<Range<usize>> =
            starts.map(|start| start..(start + STRETCH).min(groups.len())).collect();
        let counted: Vec<Stretch> =
            stretches.into_par_iter().map(|stretch| count(groups, codes, stretch)).collect();
        let mut all = Self {
            entries: Vec::with_capacity(counted.iter().map(|part| part.entries.len()).sum()),
            ends: Vec::with_capacity(groups.len()),
            sizes: groups.iter().map(|group| group.len() as u32).collect(),
            whole: vec![0; values],
        };
        for part in counted {
            let before = all.entries.len();
            all.ends.extend(part.ends.iter().map(|end| before + end));
            all.entries.extend_from_slice(&part.entries);
        }
        for &(value, count) in &all.entries {
            all.whole[value as usize] += count;
        }
        all
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One group.
    pub fn group(&self, group: usize) -> CountedGroup<'_> {
        let start = match group {
            0 => 0,
            _ => self.ends[group - 1],
        };
        CountedGroup { entries: &self.entries[start..self.ends[group]], size: self.sizes[group] }
    }

    /// The rows of each group.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// How often each value occurs in the whole table.
    pub fn whole(&self) -> &[u32] {
        &self.whole
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.sizes.iter().copied().map(u64::from).sum()
    }
}

/// The counts of some consecutive groups.
struct Stretch {
    entries: Vec<(u32, u32)>,
    ends: Vec<usize>,
}

fn count(groups: &Groups, codes: &[u32], stretch: Range<usize>) -> Stretch {
    let mut counted = Stretch { entries: Vec::new(), ends: Vec::with_capacity(stretch.len()) };
    let mut sorted = Vec::new();
    for group in stretch {
        sorted.clear();
        sorted.extend(groups.get(group).iter().map(|&row| codes[row as usize]));
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b);
        counted.entries.extend(runs.map(|run| (run[0], run.len() as u32)));
        counted.ends.push(counted.entries.len());
    }
    counted
}
