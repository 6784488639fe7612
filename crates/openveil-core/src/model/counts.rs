/// A multiset of sensitive values: codes with positive counts, ascending by code.
///
/// It represents the values of a group, a person's posterior in exact weights, or the whole table's
/// histogram. Values that do not occur are not listed.
#[derive(Debug, Clone, Copy)]
pub struct Counts<'a> {
    entries: &'a [(u32, u128)],
    total: u128,
}

impl<'a> Counts<'a> {
    /// A multiset from its entries: codes ascending, counts positive, their sum
    /// below 2^127.
    pub fn new(entries: &'a [(u32, u128)]) -> Self {
        debug_assert!(entries.windows(2).all(|pair| pair[0].0 < pair[1].0));
        debug_assert!(entries.iter().all(|&(_, count)| count > 0));
        let total = entries.iter().map(|&(_, count)| count).sum();
        Self { entries, total }
    }

    /// Codes and counts, ascending by code.
    pub fn entries(&self) -> &'a [(u32, u128)] {
        self.entries
    }

    /// The sum of the counts.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// Number of different values.
    pub fn distinct(&self) -> usize {
        self.entries.len()
    }

    /// How often a value occurs. O(log values).
    pub fn count(&self, value: u32) -> u128 {
        let found = self.entries.binary_search_by_key(&value, |entry| entry.0);
        found.map_or(0, |index| self.entries[index].1)
    }
}

/// A buffer for the entries of a [`Counts`], which can be reused for the next one.
#[derive(Debug, Clone, Default)]
pub struct CountBuffer {
    entries: Vec<(u32, u128)>,
    codes: Vec<u32>,
    dense: Vec<u32>,
}

/// Up to this many codes, sorting is faster than counting by value.
const SORTED: usize = 64;

impl CountBuffer {
    /// Counts some codes. O(n log n) for few of them, O(n) for many.
    pub fn of_codes(&mut self, codes: impl IntoIterator<Item = u32>) -> Counts<'_> {
        self.codes.clear();
        self.codes.extend(codes);
        self.entries.clear();
        let values = self.codes.iter().max().map_or(0, |&last| last as usize + 1);
        if self.codes.len() > SORTED && self.codes.len() >= values {
            self.count_densely(values);
        } else {
            self.codes.sort_unstable();
            let runs = self.codes.chunk_by(|a, b| a == b);
            self.entries.extend(runs.map(|run| (run[0], run.len() as u128)));
        }
        Counts::new(&self.entries)
    }

    /// Reads ascending codes with positive counts. O(values).
    pub fn of_entries(&mut self, entries: impl IntoIterator<Item = (u32, u32)>) -> Counts<'_> {
        let entries = entries.into_iter();
        self.entries.clear();
        self.entries.extend(entries.map(|(value, count)| (value, count.into())));
        Counts::new(&self.entries)
    }

    fn count_densely(&mut self, values: usize) {
        self.dense.clear();
        self.dense.resize(values, 0);
        for &code in &self.codes {
            self.dense[code as usize] += 1;
        }
        let counts = (0..).zip(&self.dense).filter(|&(_, &count)| count > 0);
        self.entries.extend(counts.map(|(value, &count)| (value, count.into())));
    }

    /// Reads counts indexed by value. O(values).
    pub fn of_dense<C: Copy + Into<u128>>(&mut self, counts: &[C]) -> Counts<'_> {
        self.entries.clear();
        let counts = counts.iter().map(|&count| count.into());
        let entries = (0..).zip(counts).filter(|&(_, count)| count > 0);
        self.entries.extend(entries);
        Counts::new(&self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_codes_are_counted_like_few() {
        let mut tally = CountBuffer::default();
        let codes = || (0..1_000).map(|i| i * i % 7);
        let many = tally.of_codes(codes()).entries().to_vec();
        assert_eq!(
            many,
            [0, 1, 2, 4]
                .map(|value| (value, codes().filter(|&code| code == value).count() as u128))
        );
    }

    #[test]
    fn both_ways_of_counting_agree() {
        let mut tally = CountBuffer::default();
        let counts = tally.of_codes([3, 1, 3, 3]);
        assert_eq!(counts.entries(), [(1, 1), (3, 3)]);
        assert_eq!(
            (counts.total(), counts.count(3), counts.count(2), counts.distinct()),
            (4, 3, 0, 2)
        );
        let counts = tally.of_dense(&[0u32, 1, 0, 3]);
        assert_eq!(counts.entries(), [(1, 1), (3, 3)]);
        let counts = tally.of_entries([(1, 1), (3, 3)]);
        assert_eq!((counts.entries(), counts.total()), (&[(1, 1), (3, 3)][..], 4));
    }
}
