//! Groups of one chunk after the other.

use super::deal::Columns;
use super::scratch::Scratch;
use crate::policy::Policy;
use crate::publish::schema::Guard;
use crate::{Error, Location};
use openveil::algorithm::cover::chunks;
use openveil::coins::Coins;
use openveil::release::{self, Content, Style, check};
use openveil::table::{Column, ColumnSet, Groups, View};

/// Rows on the shelf of their chunk: per row its column, its chunk, and the codes of all
/// published columns.
pub(super) struct Chunks {
    scratch: Scratch,
    columns: Columns,
    shelves: usize,
}

/// The chunks of a shelf, with their groups.
pub(super) struct Part {
    view: View,
    groups: Groups,
}

impl Chunks {
    pub(super) fn new(scratch: Scratch, columns: Columns, shelves: usize) -> Self {
        Self {
            scratch,
            columns,
            shelves,
        }
    }

    pub(super) fn shelves(&self) -> usize {
        self.shelves
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.scratch.rows()
    }

    /// Makes the groups of a shelf's chunks.
    ///
    /// # Errors
    /// A disk that cannot be read.
    pub(super) fn part(
        &self,
        shelf: usize,
        whole: &View,
        policy: &Policy,
        coins: &mut dyn Coins,
    ) -> Result<Part, Error> {
        let mut codes = self.scratch.take_all(shelf)?;
        let mut rest = codes.split_off(2).into_iter().map(Some).collect::<Vec<_>>();
        let [columns, chunk_of] = [&codes[0], &codes[1]];
        let view = self.view(whole, &mut rest)?;
        let settings = policy.settings();
        let mut groups = Groups::with_capacity(view.rows(), 0);
        for rows in by_chunk(chunk_of) {
            let own: Vec<u32> = rows.iter().map(|&row| columns[row as usize]).collect();
            let failed =
                |cause: openveil::Error| Error::new(Location::default(), cause.to_string());
            let part = match rows.len() == view.rows() {
                true => view.clone(),
                false => view.of_rows(&rows).map_err(failed)?,
            };
            let made = chunks::groups(&part, &own, &settings, coins).map_err(failed)?;
            groups.append(made.renumbered(|row| rows[row as usize]));
        }
        Ok(Part { view, groups })
    }

    /// Rows as a table, with the domains of the whole.
    fn view(&self, whole: &View, codes: &mut [Option<Vec<u32>>]) -> Result<View, Error> {
        let mut take = |at: usize| codes[at].take().expect("a column has one role");
        let mut filled = |columns: &[Column], set: ColumnSet| -> Vec<Column> {
            let columns = columns.iter().zip(set.iter());
            columns
                .map(|(column, at)| column.clone().with_codes(take(at)))
                .collect()
        };
        let known = filled(whole.known(), self.columns.known);
        let other = filled(whole.other(), self.columns.other);
        let secret = whole.secret().clone().with_codes(take(self.columns.secret));
        let strata: Vec<&str> = whole.strata_columns().map(Column::name).collect();
        let view = View::new(known, secret)
            .and_then(|view| view.with_other(other))
            .and_then(|view| view.with_strata(strata));
        view.map_err(|cause| Error::new(Location::default(), cause.to_string()))
    }
}

/// The rows of each chunk, in the order of chunks.
fn by_chunk(chunk_of: &[u32]) -> Vec<Vec<u32>> {
    let first = chunk_of.iter().copied().min().unwrap_or(0);
    let last = chunk_of.iter().copied().max().unwrap_or(0);
    let mut rows = vec![Vec::new(); (last - first) as usize + 1];
    for (row, &chunk) in (0..).zip(chunk_of) {
        rows[(chunk - first) as usize].push(row);
    }
    rows
}

impl Part {
    pub(super) fn view(&self) -> &View {
        &self.view
    }

    /// What is published of the part, and its groups in that order.
    pub(super) fn publish(&self, style: Style) -> (Content, Groups) {
        release::publish(&self.view, &self.groups, style)
    }

    /// The recount, by code that shares nothing with what made the part.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(
        &self,
        content: &Content,
        membership: &Groups,
        guard: &Guard,
        style: Style,
    ) -> Result<(), Error> {
        let checked = check::part(
            content,
            &self.view,
            membership,
            &guard.model,
            style,
            &guard.view,
        );
        checked.map_err(refused)
    }
}

fn refused(violation: check::Violation) -> Error {
    Error::new(
        Location::default(),
        openveil::Error::from(violation).to_string(),
    )
}

/// Counts the values of all parts: together they are those of the table.
pub(super) struct Recount(Vec<u64>);

impl Recount {
    pub(super) fn of(whole: &View) -> Self {
        Self(vec![0; whole.secret().values()])
    }

    pub(super) fn add(&mut self, content: &Content) {
        let values = content.row_values().iter();
        values.for_each(|&value| self.0[value as usize] += 1);
    }

    /// # Errors
    /// Values that are not those of the table.
    pub(super) fn check(&self, whole: &View) -> Result<(), Error> {
        let counts = whole.histogram();
        let pairs = self.0.iter().zip(counts.counts());
        let differs = |(released, input): &(&u64, &u32)| **released != u64::from(**input);
        match pairs.clone().find(differs) {
            None => Ok(()),
            Some((&released, &input)) => Err(refused(check::Violation::Multiset {
                released,
                input: input.into(),
            })),
        }
    }
}
