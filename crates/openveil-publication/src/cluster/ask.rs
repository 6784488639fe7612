//! Questions to machines about their rows.

use super::rows::{codes, numbered, numbers, table_of, with_codes};
use super::{AnswerMismatch, BorderFinder, ClusterFacts, LotParts, TableParts, census};
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

    /// Finds the numbers that divide the rows of a lot among parts, once the rows are counted: `lot`,
    /// `count`. Call it only once: coins decide.
    ///
    /// # Errors
    /// Counts that are not the table's.
    pub fn chunks(
        &self,
        counts: &Batches,
        coins: &mut dyn Coins,
    ) -> Result<(BorderFinder, TableParts), Error> {
        let mut rows = vec![0; self.blueprint.grid.lots()];
        for (lot, count) in codes(counts, "lot")?.into_iter().zip(numbers(counts, "count")?) {
            let own = rows.get_mut(lot as usize).ok_or(AnswerMismatch::Changed)?;
            *own = u32::try_from(count).map_err(|_| AnswerMismatch::Changed)?;
        }
        let chunks = self.blueprint.chunks(&rows, coins).ok_or(AnswerMismatch::Changed)?;
        let parting = Parting::new(chunks.chunks(), self.shipped.part_rows);
        let keys = (0..parting.parts()).map(|_| CoinKey::drawn(coins)).collect();
        let allotment = chunks.allotment();
        let asked = BorderFinder::new(allotment, |place| parting.part_of(place));
        let shares = |lot| allotment.shares(lot).iter().map(|share| (share.to, share.rows));
        let shares = (0..allotment.lots()).map(|lot| shares(lot).collect()).collect();
        Ok((asked, TableParts { parting, shares, keys }))
    }
}

impl LotParts {
    /// Returns encoded rows with their `part`, which comes first.
    ///
    /// # Errors
    /// A table of another form.
    pub fn place(&self, rows: &Batches) -> Result<Batches, Error> {
        let parts = numbered(rows)?.into_iter().map(|(lot, key)| self.part(lot, key));
        let parts: Option<Vec<u32>> = parts.collect();
        with_codes("part", &parts.ok_or(AnswerMismatch::Changed)?, rows)
    }
}

impl BorderFinder {
    /// Counts encoded rows for a round's question: `lot`, `prefix`, `rows`.
    ///
    /// # Errors
    /// A table of another form.
    pub fn counted(&self, rows: &Batches) -> Result<Batches, Error> {
        let counts = self.count(numbered(rows)?.into_iter());
        let lots = counts.keys().map(|(lot, _)| *lot).collect();
        let prefixes = counts.keys().map(|(_, prefix)| *prefix).collect();
        let rows = counts.into_values().collect();
        let numbers = vec![("prefix", prefixes), ("rows", rows)];
        table_of(vec![("lot".to_owned(), lots)], numbers)
    }

    /// Continues with the sum of the counts of all machines: `lot`, `prefix`, `rows`.
    ///
    /// # Errors
    /// A table of another form, or counts that do not fit the lots.
    pub fn continue_with(&mut self, counts: &Batches) -> Result<(), Error> {
        let prefixes = codes(counts, "lot")?.into_iter().zip(numbers(counts, "prefix")?);
        self.absorb(&prefixes.zip(numbers(counts, "rows")?).collect())
    }

    /// Returns the encoded rows that are needed at the end: `lot`, `key`.
    ///
    /// # Errors
    /// A table of another form.
    pub fn picked(&self, rows: &Batches) -> Result<Batches, Error> {
        let (lots, keys) = self.pick(numbered(rows)?.into_iter()).into_iter().unzip();
        table_of(vec![("lot".to_owned(), lots)], vec![("key", keys)])
    }

    /// Returns the parts of all lots, from all rows that are needed at the end.
    ///
    /// # Errors
    /// A table of another form, rows that differ from the counted ones, or two rows with the same
    /// number on both sides of a border.
    pub fn ended(self, picked: &Batches) -> Result<LotParts, Error> {
        self.finish(numbered(picked)?)
    }
}
