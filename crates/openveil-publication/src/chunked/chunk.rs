//! Makes the groups of one chunk after the other.

use super::blueprint::{Blueprint, ColumnPlaces, Parting};
use crate::made::schema::Guard;
use crate::made::table::published;
use openveil_core::algorithm::Settings;
use openveil_core::coins::Coins;
use openveil_core::release::{Content, check};
use openveil_core::table::{Column, ColumnSet, Groups, View};
use openveil_io::policy::Policy;
use openveil_io::{Error, Location};

/// People of one or more chunks, with their groups.
pub(crate) struct DealtPeople {
    view: View,
    groups: Groups,
}

impl DealtPeople {
    /// Makes the groups of chunks from rows: per row its place, and the codes of all published
    /// columns.
    ///
    /// # Errors
    /// Rows that do not form whole chunks.
    pub(crate) fn new(
        mut rows: Vec<Vec<u32>>,
        (blueprint, parting): (&Blueprint, &Parting),
        whole: &View,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Self, Error> {
        let codes = rows.split_off(1);
        let place_of = &rows[0];
        let view = filled(whole, blueprint.columns, codes)?;
        let mut groups = Groups::with_capacity(view.rows(), 0);
        for (number, rows) in by_chunk(place_of, parting)? {
            let chunk = parting.chunk(number);
            let class = |&row: &u32| chunk.class(place_of[row as usize]);
            let class: Vec<u32> = rows.iter().map(class).collect();
            if !chunk.is_whole(&class) {
                let problem = "the rows of a chunk are not the rows that were assigned to it; nothing was published";
                return Err(Error::new(Location::default(), problem));
            }
            let part = if rows.len() == view.rows() { view.clone() } else { view.of_rows(&rows)? };
            let criteria = &blueprint.criteria[chunk.stratum as usize];
            let made = chunk.groups(&part, &class, criteria, settings, coins);
            groups.append(made.renumbered(|row| rows[row as usize]));
        }
        Ok(Self { view, groups })
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// Returns the published content of the part, and its groups in that order.
    pub(crate) fn publish(&self, guard: &Guard, policy: &Policy) -> (Content, Groups) {
        published(guard, &self.view, &self.groups, policy)
    }

    /// Recounts the part, with code that shares nothing with the code that made it.
    ///
    /// # Errors
    /// The problem that the recount found.
    pub(crate) fn check(
        &self,
        content: &Content,
        membership: &Groups,
        guard: &Guard,
        policy: &Policy,
    ) -> Result<(), Error> {
        let least = policy.class_size(&guard.model).get();
        let checked = check::part(
            content,
            &self.view,
            membership,
            &guard.model,
            policy.output.style,
            &guard.view,
        );
        checked.and_then(|()| check::classes(content, least)).map_err(refused)
    }
}

/// Returns rows as a table, with the domains of the whole table.
fn filled(whole: &View, columns: ColumnPlaces, codes: Vec<Vec<u32>>) -> Result<View, Error> {
    let mut codes: Vec<Option<Vec<u32>>> = codes.into_iter().map(Some).collect();
    let mut take = |at: usize| codes[at].take().expect("a column has one role");
    let mut filled = |columns: &[Column], set: ColumnSet| -> Vec<Column> {
        columns
            .iter()
            .zip(set.iter())
            .map(|(column, at)| column.clone().with_codes(take(at)))
            .collect()
    };
    let known = filled(whole.known(), columns.known);
    let other = filled(whole.other(), columns.other);
    let secret = whole.secret().clone().with_codes(take(columns.secret));
    let strata: Vec<&str> = whole.strata_columns().map(Column::name).collect();
    Ok(View::new(known, secret)?.with_other(other)?.with_strata(strata)?)
}

/// Returns the rows of each chunk, with its number, in the order of chunks.
fn by_chunk(place_of: &[u32], parting: &Parting) -> Result<Vec<(u32, Vec<u32>)>, Error> {
    let chunk_of = |&place: &u32| parting.chunk_of(place);
    let chunks: Option<Vec<u32>> = place_of.iter().map(chunk_of).collect();
    let chunks = chunks
        .ok_or_else(|| Error::new(Location::default(), "a row is at a place that there is not"))?;
    let first = chunks.iter().min().copied().unwrap_or(0);
    let mut rows: Vec<(u32, Vec<u32>)> = Vec::new();
    for (row, chunk) in (0..).zip(chunks) {
        let own = (chunk - first) as usize;
        while rows.len() <= own {
            rows.push((first + rows.len() as u32, Vec::new()));
        }
        rows[own].1.push(row);
    }
    rows.retain(|(_, rows)| !rows.is_empty());
    Ok(rows)
}

fn refused(violation: check::Violation) -> Error {
    openveil_core::Error::from(violation).into()
}

/// Counts the values of all parts, whose sum has to be the values of the table.
pub(crate) struct PartsRecount(Vec<u64>);

impl PartsRecount {
    pub(crate) fn new(whole: &View) -> Self {
        Self(vec![0; whole.secret().values()])
    }

    /// Counts so many rows of a value.
    pub(crate) fn count(&mut self, value: u32, rows: u64) {
        self.0[value as usize] += rows;
    }

    /// Counts the values of a part.
    pub(crate) fn add(&mut self, content: &Content) {
        content.row_values().iter().for_each(|&value| self.count(value, 1));
    }

    /// Checks that the counts of all parts are the table's.
    ///
    /// # Errors
    /// Counts that differ.
    pub(crate) fn check(&self, whole: &View) -> Result<(), Error> {
        let counts = whole.histogram();
        let pairs = self.0.iter().zip(counts.counts());
        match pairs.clone().find(|(released, input)| **released != u64::from(**input)) {
            None => Ok(()),
            Some((&released, &input)) => {
                Err(refused(check::Violation::Multiset { released, input: input.into() }))
            }
        }
    }
}
