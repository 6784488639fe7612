//! Questions to machines about their rows.

use super::rows::{codes, numbers, table_of};
use super::{AnswerMismatch, BorderFinder, ClusterFacts, LotPlaces, TableParts, census, guard};
use crate::chunked::Parting;
use openveil_core::coins::{CoinKey, Coins};
use openveil_io::Error;
use openveil_io::source::Batches;
use std::collections::BTreeMap;

impl ClusterFacts {
    /// Encodes rows: their codes, `c0` and on; `lot` and `region`; and two random numbers, `deal`
    /// and `tie`, which decide where they go. Call it only once, and store the result: other
    /// numbers would assign rows differently.
    ///
    /// # Errors
    /// Rows that were not counted.
    pub fn encode(&self, rows: &Batches, coins: &mut dyn Coins) -> Result<Batches, Error> {
        let raw = census::read(&self.job.policy, rows)?;
        let published = census::published(&self.job.policy, &raw.columns);
        let missing = census::missing(&self.job.policy, &published);
        let keep: Vec<usize> = (0..raw.rows)
            .filter(|&row| census::is_kept(&published, &missing, row))
            .collect();
        let mut columns = Vec::new();
        for (column, codes) in published.iter().zip(&self.codes) {
            let code = |text: &str| codes.get(text).copied();
            let code_of: Vec<Option<u32>> = column.values.iter().map(code).collect();
            let own = keep.iter().map(|&row| code_of[column.codes[row] as usize]);
            columns.push(
                own.collect::<Option<Vec<u32>>>()
                    .ok_or(AnswerMismatch::Changed)?,
            );
        }
        let region = self.blueprint.region(&columns);
        let lots = (0..keep.len())
            .map(|row| self.blueprint.lot(&columns, row))
            .collect();
        let regions = (0..keep.len()).map(region).collect();
        let mut number = || {
            let part = |bits: u32, coins: &mut dyn Coins| u64::from(coins.below(1 << bits));
            part(21, coins) << 42 | part(21, coins) << 21 | part(21, coins)
        };
        let [deal, tie]: [Vec<u64>; 2] =
            std::array::from_fn(|_| keep.iter().map(|_| number()).collect());
        columns.push(lots);
        columns.push(regions);
        let names = (0..self.codes.len()).map(|column| format!("c{column}"));
        let names = names.chain(["lot", "region"].map(str::to_owned));
        table_of(
            names.zip(columns).collect(),
            vec![("deal", deal), ("tie", tie)],
        )
    }

    /// Finds the numbers that divide the rows of every value among columns.
    pub fn deal(&self) -> BorderFinder {
        BorderFinder::of(self.blueprint.layout.values())
    }

    /// Finds the numbers that divide the rows of a column and region among places, once the rows
    /// are counted. Call it only once: coins decide.
    ///
    /// # Errors
    /// Counts that do not fit the columns.
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
        if !self.blueprint.grid.fits(&rows) {
            return Err(AnswerMismatch::Changed.into());
        }
        let view = &guard(&self.schema).view;
        let chunks = self.blueprint.chunks(&rows, view, coins)?;
        let parting = Parting::of(chunks.chunks(), self.shipped.part_rows);
        let keys = (0..parting.parts()).map(|_| CoinKey::drawn(coins));
        let keys = keys.collect();
        Ok((
            BorderFinder::of(chunks.allotment()),
            TableParts { parting, keys },
        ))
    }

    /// Returns the number of encoded rows in each lot of the grid: `lot`, `rows`.
    ///
    /// # Errors
    /// A table of another form.
    pub fn grid(&self, rows: &Batches, deal: &LotPlaces) -> Result<Batches, Error> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        let lots = self.to_cut(rows, deal)?;
        lots.iter()
            .for_each(|(lot, _)| *counts.entry(*lot).or_default() += 1);
        let (lots, rows) = counts.into_iter().unzip();
        table_of(vec![("lot".to_owned(), lots)], vec![("rows", rows)])
    }

    /// Counts encoded rows for a round's question: `lot`, `prefix`, `rows`. The question is about
    /// chunks if rows have been assigned to columns, and about that assignment before.
    ///
    /// # Errors
    /// A table of another form.
    pub fn count(
        &self,
        rows: &Batches,
        asked: &BorderFinder,
        deal: Option<&LotPlaces>,
    ) -> Result<Batches, Error> {
        let counts = asked.count(self.numbered(rows, deal)?.into_iter());
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
    pub fn pick(
        &self,
        rows: &Batches,
        asked: &BorderFinder,
        deal: Option<&LotPlaces>,
    ) -> Result<Batches, Error> {
        let picked = asked.pick(self.numbered(rows, deal)?.into_iter());
        let (lots, keys) = picked.into_iter().unzip();
        table_of(vec![("lot".to_owned(), lots)], vec![("key", keys)])
    }

    fn numbered(&self, rows: &Batches, deal: Option<&LotPlaces>) -> Result<Vec<(u32, u64)>, Error> {
        match deal {
            None => self.to_deal(rows),
            Some(deal) => self.to_cut(rows, deal),
        }
    }

    /// Returns encoded rows (`lot`, `deal`) as lots and numbers.
    fn to_deal(&self, rows: &Batches) -> Result<Vec<(u32, u64)>, Error> {
        let (lots, keys) = (codes(rows, "lot")?, numbers(rows, "deal")?);
        Ok(lots.into_iter().zip(keys).collect())
    }

    /// Returns encoded rows (`lot`, `region`, `deal`, `tie`) as lots of the grid and numbers.
    fn to_cut(&self, rows: &Batches, deal: &LotPlaces) -> Result<Vec<(u32, u64)>, Error> {
        self.in_grid(rows, &self.column_of(rows, deal)?)
    }

    /// Like [`Self::to_cut`], but for rows whose column is known.
    fn in_grid(&self, rows: &Batches, columns: &[u32]) -> Result<Vec<(u32, u64)>, Error> {
        let regions = codes(rows, "region")?;
        let lots = columns.iter().zip(regions);
        let lots = lots.map(|(&column, region)| self.blueprint.grid.lot(column, region) as u32);
        Ok(lots.zip(numbers(rows, "tie")?).collect())
    }

    fn column_of(&self, rows: &Batches, deal: &LotPlaces) -> Result<Vec<u32>, Error> {
        let rows = self.to_deal(rows)?;
        let columns = rows.into_iter().map(|(lot, key)| deal.place(lot, key));
        let columns: Option<Vec<u32>> = columns.collect();
        Ok(columns.ok_or(AnswerMismatch::Changed)?)
    }

    /// Returns encoded rows with their `part`, `place` and `dealt` column, without the numbers that
    /// decided them.
    ///
    /// # Errors
    /// A table of another form.
    pub fn place(
        &self,
        rows: &Batches,
        deal: &LotPlaces,
        (chunks, parts): (&LotPlaces, &TableParts),
    ) -> Result<Batches, Error> {
        let dealt = self.column_of(rows, deal)?;
        let cut = self.in_grid(rows, &dealt)?.into_iter();
        let place = cut.map(|(lot, key)| chunks.place(lot, key));
        let place = place
            .collect::<Option<Vec<u32>>>()
            .ok_or(AnswerMismatch::Changed)?;
        let part = place
            .iter()
            .map(|&place| parts.parting.part_of(place))
            .collect();
        let mut columns = vec![
            ("part".to_owned(), part),
            ("place".to_owned(), place),
            ("dealt".to_owned(), dealt),
        ];
        for column in 0..self.codes.len() {
            let name = format!("c{column}");
            let own = codes(rows, &name)?;
            columns.push((name, own));
        }
        table_of(columns, Vec::new())
    }
}
