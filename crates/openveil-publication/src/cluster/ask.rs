//! Questions to machines about their rows.

use super::rows::{beside, codes, numbers, table_of};
use super::{AnswerMismatch, ClusterFacts, TableParts, census};
use crate::chunked::Parting;
use openveil_core::coins::{CoinKey, Coins};
use openveil_io::Error;
use openveil_io::source::Batches;

impl ClusterFacts {
    /// Encodes rows: their codes, `c0` and on; `lot`; and a random number, `key`, which decides where
    /// they go. Call it only once, and store the result: other numbers would assign rows differently.
    ///
    /// # Errors
    /// Rows that were not counted.
    pub fn encode(&self, rows: &Batches, coins: &mut dyn Coins) -> Result<Batches, Error> {
        let raw = census::read(&self.job.policy, rows)?;
        let published = census::published(&self.job.policy, &raw.columns);
        let missing = census::missing(&self.job.policy, &published);
        let keep: Vec<usize> =
            (0..raw.rows).filter(|&row| census::is_kept(&published, &missing, row)).collect();
        let mut columns = Vec::new();
        for (column, codes) in published.iter().zip(&self.codes) {
            let code_of: Vec<Option<u32>> =
                column.values.iter().map(|text| codes.get(text).copied()).collect();
            let own = keep.iter().map(|&row| code_of[column.codes[row] as usize]);
            columns.push(own.collect::<Option<Vec<u32>>>().ok_or(AnswerMismatch::Changed)?);
        }
        columns.push(self.blueprint.lots(&columns));
        let part = |bits: u32, coins: &mut dyn Coins| u64::from(coins.below(1 << bits));
        let mut number = || part(21, coins) << 42 | part(21, coins) << 21 | part(21, coins);
        let keys = keep.iter().map(|_| number()).collect();
        let names =
            (0..self.codes.len()).map(|column| format!("c{column}")).chain(["lot".to_owned()]);
        table_of(names.zip(columns).collect(), vec![("key", keys)])
    }

    /// Decides how many rows of each lot go to which place, once the rows are counted: `lot`, `count`.
    /// Call it only once: coins decide.
    ///
    /// # Errors
    /// Counts that are not the table's.
    pub fn parts(&self, counts: &Batches, coins: &mut dyn Coins) -> Result<TableParts, Error> {
        let mut rows = vec![0; self.blueprint.grid.lots()];
        for (lot, count) in codes(counts, "lot")?.into_iter().zip(numbers(counts, "count")?) {
            let own = rows.get_mut(lot as usize).ok_or(AnswerMismatch::Changed)?;
            *own = u32::try_from(count).map_err(|_| AnswerMismatch::Changed)?;
        }
        let chunks = self.blueprint.chunks(&rows, coins).ok_or(AnswerMismatch::Changed)?;
        let parting = Parting::new(chunks.chunks(), self.shipped.part_rows);
        let keys = (0..parting.parts()).map(|_| CoinKey::drawn(coins)).collect();
        let of_lot =
            |lot: u32| chunks.allotment().shares(lot as usize).iter().map(move |own| (lot, own));
        let shares = (0..rows.len() as u32).flat_map(of_lot);
        let shares = shares.map(|(lot, own)| (lot, own.to, own.rows)).collect();
        Ok(TableParts { parting, shares, keys })
    }
}

impl TableParts {
    /// Returns the encoded rows of whole lots with their `part` and `place`, without the numbers that
    /// decided them: the rows of a lot with the least numbers go to its first place, and so on.
    ///
    /// # Errors
    /// A table of another form, rows that are not whole lots, or two rows of a lot with the same
    /// number at different places.
    pub fn place(&self, rows: &Batches) -> Result<Batches, Error> {
        let (lots, keys) = (codes(rows, "lot")?, numbers(rows, "key")?);
        let mut order: Vec<(u32, u64, u32)> =
            lots.into_iter().zip(keys).zip(0..).map(|((lot, key), row)| (lot, key, row)).collect();
        order.sort_unstable();
        let (mut parts, mut places) = (vec![0; order.len()], vec![0; order.len()]);
        for mut left in order.chunk_by(|a, b| a.0 == b.0) {
            let lot = left[0].0;
            let first = self.shares.partition_point(|share| share.0 < lot);
            for &(_, to, rows) in self.shares[first..].iter().take_while(|share| share.0 == lot) {
                let (own, others) =
                    left.split_at_checked(rows as usize).ok_or(AnswerMismatch::Changed)?;
                if others.first().zip(own.last()).is_some_and(|(next, last)| next.1 == last.1) {
                    return Err(AnswerMismatch::Tie.into());
                }
                for &(_, _, row) in own {
                    parts[row as usize] = self.parting.part_of(to);
                    places[row as usize] = to;
                }
                left = others;
            }
            if !left.is_empty() {
                return Err(AnswerMismatch::Changed.into());
            }
        }
        let columns = vec![("part", parts), ("place", places)];
        beside(columns, rows, |name| !matches!(name, "lot" | "key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::algorithm::chunks::Chunk;
    use proptest::prelude::*;

    /// Chunks of two places each, and a part for each chunk.
    fn parts(lots: &[Vec<(u32, u32)>]) -> TableParts {
        let of_lot = |(lot, shares): (u32, &Vec<(u32, u32)>)| -> Vec<(u32, u32, u32)> {
            shares.iter().map(|&(to, rows)| (lot, to, rows)).collect()
        };
        let shares = (0..).zip(lots).flat_map(of_lot).collect();
        let chunk = |number: u32| Chunk {
            stratum: 0,
            classes: 2,
            rows_each: 1,
            first: 2 * number,
            is_group: false,
        };
        let chunks: Vec<Chunk> = (0..8).map(chunk).collect();
        TableParts { parting: Parting::new(&chunks, 1), shares, keys: Vec::new() }
    }

    fn table(rows: &[(u32, u64)]) -> Batches {
        let (lots, keys) = rows.iter().copied().unzip();
        let codes = (0..rows.len() as u32).collect();
        let codes = vec![("c0".to_owned(), codes), ("lot".to_owned(), lots)];
        table_of(codes, vec![("key", keys)]).unwrap()
    }

    proptest! {
        /// However rows come, every share of a lot gets the rows with the least numbers that are left.
        #[test]
        fn places_are_those_of_sorted_numbers(
            lots in prop::collection::vec(prop::collection::vec((0u32..16, 0u32..9), 0..5), 1..5),
            numbers in Just((0..200u64).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let mut numbers = numbers.into_iter();
            let mut rows: Vec<((u32, u64), u32)> = Vec::new();
            for (lot, shares) in (0..).zip(&lots) {
                let to = shares.iter().flat_map(|&(to, rows)| vec![to; rows as usize]);
                let to: Vec<u32> = to.collect();
                let mut keys: Vec<u64> = numbers.by_ref().take(to.len()).collect();
                keys.sort_unstable();
                rows.extend(keys.into_iter().map(|key| (lot, key)).zip(to));
            }
            rows.sort_unstable_by_key(|&((_, key), _)| key);
            let (found, expected): (Vec<_>, Vec<u32>) = rows.into_iter().unzip();
            let placed = parts(&lots).place(&table(&found)).unwrap();
            let numbers: Vec<u32> = (0..found.len() as u32).collect();
            prop_assert_eq!(codes(&placed, "c0").unwrap(), numbers);
            prop_assert_eq!(codes(&placed, "place").unwrap(), expected.clone());
            let parts: Vec<u32> = expected.iter().map(|place| place / 2).collect();
            prop_assert_eq!(codes(&placed, "part").unwrap(), parts);
            prop_assert_eq!(placed.schema().fields().len(), 3);
        }
    }

    #[test]
    fn ties_between_places_and_rows_that_are_no_whole_lots_are_told() {
        let parts = parts(&[vec![(0, 1), (5, 2)]]);
        let told =
            |rows: &[(u32, u64)]| parts.place(&table(rows)).map(|_| ()).unwrap_err().to_string();
        assert!(told(&[(0, 5), (0, 5), (0, 6)]).starts_with("two rows drew"));
        for rows in [&[(0, 5), (0, 6)][..], &[(0, 5), (0, 6), (0, 7), (0, 8)], &[(1, 5)]] {
            assert!(told(rows).starts_with("the table changed between two reads"));
        }
        // Rows of one place may have the same number.
        assert!(parts.place(&table(&[(0, 5), (0, 6), (0, 6)])).is_ok());
    }
}
