//! Questions to machines about their rows.

use super::rows::{codes, numbers, table_of};
use super::{AnswerMismatch, BorderFinder, ClusterFacts, LotPlaces, TableParts, census};
use crate::chunked::Parting;
use openveil_core::coins::{CoinKey, Coins};
use openveil_io::Error;
use openveil_io::source::Batches;
use std::collections::BTreeMap;

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

    /// Finds the numbers that divide the rows of a lot among places, once the rows are counted. Call
    /// it only once: coins decide.
    ///
    /// # Errors
    /// Counts that are not the table's.
    pub fn chunks(
        &self,
        counts: &BTreeMap<u32, u64>,
        coins: &mut dyn Coins,
    ) -> Result<(BorderFinder, TableParts), Error> {
        let mut rows = vec![0; self.blueprint.grid.lots()];
        for (&lot, &count) in counts {
            let own = rows.get_mut(lot as usize).ok_or(AnswerMismatch::Changed)?;
            *own = u32::try_from(count).map_err(|_| AnswerMismatch::Changed)?;
        }
        let chunks = self.blueprint.chunks(&rows, coins).ok_or(AnswerMismatch::Changed)?;
        let parting = Parting::new(chunks.chunks(), self.shipped.part_rows);
        let keys = (0..parting.parts()).map(|_| CoinKey::drawn(coins)).collect();
        Ok((BorderFinder::new(chunks.allotment()), TableParts { parting, keys }))
    }

    /// Returns encoded rows with their `part` and `place`, without the numbers that decided them.
    ///
    /// # Errors
    /// A table of another form.
    pub fn place(
        &self,
        rows: &Batches,
        (chunks, parts): (&LotPlaces, &TableParts),
    ) -> Result<Batches, Error> {
        let place = numbered(rows)?
            .into_iter()
            .map(|(lot, key)| chunks.place(lot, key))
            .collect::<Option<Vec<u32>>>()
            .ok_or(AnswerMismatch::Changed)?;
        let part = place.iter().map(|&place| parts.parting.part_of(place)).collect();
        let mut columns = vec![("part".to_owned(), part), ("place".to_owned(), place)];
        for column in 0..self.codes.len() {
            let name = format!("c{column}");
            let own = codes(rows, &name)?;
            columns.push((name, own));
        }
        table_of(columns, Vec::new())
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

    /// Returns the encoded rows that are needed at the end: `lot`, `key`.
    ///
    /// # Errors
    /// A table of another form.
    pub fn picked(&self, rows: &Batches) -> Result<Batches, Error> {
        let (lots, keys) = self.pick(numbered(rows)?.into_iter()).into_iter().unzip();
        table_of(vec![("lot".to_owned(), lots)], vec![("key", keys)])
    }
}

/// Returns the lots and numbers of encoded rows.
fn numbered(rows: &Batches) -> Result<Vec<(u32, u64)>, Error> {
    let (lots, keys) = (codes(rows, "lot")?, numbers(rows, "key")?);
    Ok(lots.into_iter().zip(keys).collect())
}
