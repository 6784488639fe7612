//! Makes the release, and recounts it.

use super::rows::codes;
use super::{AnswerMismatch, ClusterFacts, TableParts, guard};
use crate::checked::CheckedTables;
use crate::chunked::{DealtPeople, PartsRecount};
use crate::made::Clock;
use crate::made::table::{ChunkedTable, MadeTable, numbers_classes, shapes};
use crate::release::Release;
use openveil_core::coins::SecretCoins;
use openveil_core::table::Groups;
use openveil_io::Error;
use openveil_io::load;
use openveil_io::policy::Shape;
use openveil_io::release_dir::write;
use openveil_io::release_dir::write::{Manifest, Owner};
use openveil_io::source::{Batches, Source};
use openveil_measures::utility::Tally;
use std::collections::HashMap;

impl ClusterFacts {
    /// Publishes the placed rows of one part. Returns its released rows, checked, with groups
    /// numbered from 1, and its tally as a JSON document.
    ///
    /// # Errors
    /// Rows that are not the rows of the part, or a release that the check refuses.
    pub fn part(&self, rows: &Batches, parts: &TableParts) -> Result<(Batches, String), Error> {
        let number = *codes(rows, "part")?.first().ok_or(AnswerMismatch::Changed)?;
        let key = parts.keys.get(number as usize).ok_or(AnswerMismatch::Changed)?;
        let coins = &mut key.coins();
        let mut columns = vec![codes(rows, "place")?];
        for column in 0..self.codes.len() {
            columns.push(codes(rows, &format!("c{column}"))?);
        }
        sort(&mut columns);
        let (guard, policy) = (guard(&self.schema), &self.job.policy);
        let planned = (&self.blueprint, &parts.parting);
        let part = DealtPeople::new(columns, planned, &guard.view, &self.job.settings, coins)?;
        let (content, membership) = part.publish(guard, policy);
        part.check(&content, &membership, guard, policy)?;
        let shapes = self.shapes();
        let shown = (policy.output.style, numbers_classes(guard, policy));
        let released = write::batches(part.view(), &content, shown, &shapes, coins)?;
        let tally = Tally::new(&content, part.view()).with_unrefused(&membership);
        let tally = serde_json::to_string(&tally).expect("numbers have a JSON form");
        Ok((released, tally))
    }

    /// Returns the released columns of a part, without rows.
    ///
    /// # Errors
    /// None that can occur with a plan.
    pub fn released(&self) -> Result<Batches, Error> {
        let (guard, policy) = (guard(&self.schema), &self.job.policy);
        let view = &guard.view;
        let none = Groups::with_capacity(0, 0);
        let (content, _) = openveil_core::release::publish(view, &none, policy.output.style);
        let coins = &mut SecretCoins::from_test_seed(0);
        let shown = (policy.output.style, numbers_classes(guard, policy));
        write::batches(view, &content, shown, &self.shapes(), coins)
    }

    fn shapes(&self) -> Vec<Shape> {
        shapes(&self.job.policy, &self.loaded, &self.schema.tables[0])
    }

    /// Returns the manifest and the owner's report, from the tallies of all parts and the counts of
    /// released values; `files` are the names of the table's files.
    ///
    /// # Errors
    /// Parts that do not belong to the plan.
    pub fn documents(
        &self,
        tallies: &[String],
        files: Vec<String>,
    ) -> Result<(Manifest, Owner), Error> {
        let guard = guard(&self.schema);
        let mut tally = Tally::empty(guard.view.known().len());
        for own in tallies {
            tally.add(serde_json::from_str(own).map_err(|_| AnswerMismatch::Changed)?);
        }
        if tally.rows != self.loaded.table.rows() as u64 {
            return Err(AnswerMismatch::Changed.into());
        }
        let made = ChunkedTable { view: guard.view.clone(), tally, files: files.clone() };
        let (loaded, schema) = (self.loaded.clone(), self.schema.clone());
        let made = MadeTable::Chunked(Box::new(made));
        let (job, clock) = (self.job.clone(), Clock::default());
        let checked = CheckedTables::from_parts(job, (loaded, schema), vec![made], clock);
        let release = Release::from_checked(checked);
        Ok((release.manifest_of(vec![files]), release.owner()?))
    }

    /// Checks the values of a written release, each with its number of rows.
    ///
    /// # Errors
    /// Values that differ from the table's.
    pub fn recount(&self, values: &Batches) -> Result<(), Error> {
        let source = Source::of_memory("release", values.clone());
        let raw = source.read_all()?;
        let [texts, rows] = &raw.columns[..] else {
            return Err(AnswerMismatch::Changed.into());
        };
        let view = &guard(&self.schema).view;
        let mut recount = PartsRecount::new(view);
        let code_of: HashMap<String, u32> = view.secret().labels().into_iter().zip(0..).collect();
        for (&text, &rows_of) in texts.codes.iter().zip(&rows.codes) {
            let text = match texts.values.get(text) {
                "" => load::MISSING_LABEL,
                text => text,
            };
            let code = code_of.get(text).ok_or(AnswerMismatch::Changed)?;
            let rows = rows.values.get(rows_of).parse();
            recount.count(*code, rows.map_err(|_| AnswerMismatch::Changed)?);
        }
        recount.check(view)
    }
}

/// Sorts rows, so that their order does not depend on how they arrived: a part that is made twice
/// is the same. Rows with equal codes are interchangeable.
fn sort(columns: &mut [Vec<u32>]) {
    let rows = columns.first().map_or(0, Vec::len);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    // Sorting by one column after the other, the first last, needs no comparisons of whole rows.
    for column in columns.iter().rev() {
        order = sorted_by(column, &order);
    }
    for column in columns {
        *column = order.iter().map(|&row| column[row as usize]).collect();
    }
}

/// Returns rows in the order of their codes, and otherwise as they were. O(rows + greatest code).
fn sorted_by(codes: &[u32], rows: &[u32]) -> Vec<u32> {
    let greatest = codes.iter().max().map_or(0, |&code| code as usize);
    let mut next = vec![0; greatest + 2];
    for &code in codes {
        next[code as usize + 1] += 1;
    }
    for code in 0..greatest {
        next[code + 1] += next[code];
    }
    let mut sorted = vec![0; rows.len()];
    for &row in rows {
        let next: &mut usize = &mut next[codes[row as usize] as usize];
        sorted[*next] = row;
        *next += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_sorted_as_by_comparison(
            mut rows in prop::collection::vec((0u32..4, 0u32..3, 0u32..70), 0..90),
        ) {
            let mut columns = vec![Vec::new(); 3];
            for &(first, second, third) in &rows {
                columns.iter_mut().zip([first, second, third]).for_each(|(own, code)| own.push(code));
            }
            sort(&mut columns);
            rows.sort_unstable();
            let sorted = (0..rows.len()).map(|row| (columns[0][row], columns[1][row], columns[2][row]));
            prop_assert_eq!(sorted.collect::<Vec<_>>(), rows);
        }
    }
}
