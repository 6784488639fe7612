//! One of several published tables.

use super::schema::Prepared;
use crate::load::Loaded;
use crate::policy::Policy;
use crate::publish::refusal::explain;
use crate::release_dir::write::{self, Progress, Target};
use crate::{Error, Location};
use openveil::coins::{Coins, shuffle};
use openveil::release::{Release, check, publish};
use openveil::table::{ColumnSet, Groups, Table, View};

/// A published table, ready to be checked and written.
pub(super) enum SubRelease {
    /// Rows as they are, in a random order.
    Open { columns: ColumnSet, order: Vec<u32> },
    /// Rows in groups, sorted by what is published of them.
    Guarded(Box<Guarded>),
}

/// An anonymised table.
pub(super) struct Guarded {
    pub(super) columns: ColumnSet,
    pub(super) table: View,
    pub(super) release: Release,
    membership: Groups,
}

impl SubRelease {
    /// Makes one table. A guardian counts all its other columns as known.
    pub(super) fn make(
        policy: &Policy,
        table: &Loaded,
        prepared: &Prepared,
        number: usize,
        coins: &mut dyn Coins,
    ) -> Result<Self, Error> {
        let shape = prepared.schema.tables()[number];
        let (columns, protects) = (shape.columns(), shape.protects());
        if protects.is_empty() {
            let mut order: Vec<u32> = (0..table.table.rows() as u32).collect();
            shuffle(&mut order, coins);
            return Ok(Self::Open { columns, order });
        }
        if protects.len() > 1 {
            let problem = "a table guards several columns; no decomposition makes such tables";
            return Err(Error::new(Location::default(), problem));
        }
        let model = prepared.model(number)?;
        let own = table.table.view(columns - protects, protects);
        let groups = policy.algorithm.partition(&own, &model, coins);
        let groups = groups.map_err(|cause| {
            let error = explain(policy, &own, cause);
            let guards = table.table.names_of(columns).join(", ");
            let problem = format!("the table of {guards}: {}", error.problem());
            error.with_problem(problem)
        })?;
        let (release, membership) = publish(&own, &groups, policy.style);
        Ok(Self::Guarded(Box::new(Guarded {
            columns,
            table: own,
            release,
            membership,
        })))
    }

    /// Its columns.
    pub(super) fn columns(&self) -> ColumnSet {
        match self {
            Self::Open { columns, .. } => *columns,
            Self::Guarded(guarded) => guarded.columns,
        }
    }

    /// The recount, by code that shares nothing with what made the table.
    pub(super) fn verify(
        &self,
        policy: &Policy,
        table: &Loaded,
        prepared: &Prepared,
        number: usize,
    ) -> Result<(), Error> {
        let refused = |problem: String| Error::new(Location::default(), problem);
        let shape = prepared.schema.tables()[number];
        if self.columns() != shape.columns() {
            return Err(refused("a table does not have its columns".to_owned()));
        }
        match self {
            Self::Open { order, .. } => {
                let open = shape.protects().is_empty();
                let rows = Groups::from_iter([order.iter().copied()]);
                let all = rows.check_partition(table.table.rows());
                match open && all.is_ok() {
                    true => Ok(()),
                    false => Err(refused("a table does not hold every row once".to_owned())),
                }
            }
            Self::Guarded(made) => {
                let (release, membership) = (&made.release, &made.membership);
                let model = prepared.model(number)?;
                check::release(release, &made.table, membership, &model, policy.style)
                    .map_err(|violation| refused(openveil::Error::from(violation).to_string()))?;
                check_source(&made.table, table, made.columns, shape.protects())
            }
        }
    }

    /// Writes the table's files and says what they are called.
    pub(super) fn write(
        &self,
        policy: &Policy,
        table: &Loaded,
        target: &Target<'_>,
        progress: Progress<'_>,
    ) -> Result<Vec<String>, Error> {
        let names = table.names.names_of(self.columns());
        match self {
            Self::Open { columns, order } => {
                let column = |column: usize| {
                    let column = &table.table.columns()[column];
                    let codes = order.iter();
                    let codes = codes.map(|&row| column.codes()[row as usize]).collect();
                    (codes, column.domain())
                };
                let columns = columns.iter().map(column).collect();
                write::write_rows(target, &names, columns, progress)
            }
            Self::Guarded(made) => {
                let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                let (own, release) = (&made.table, &made.release);
                write::write_release(target, policy.style, own, release, &names, progress)
            }
        }
    }
}

/// What was anonymised is what was read, with the column secret that should be.
fn check_source(
    own: &View,
    table: &Loaded,
    columns: ColumnSet,
    protects: ColumnSet,
) -> Result<(), Error> {
    let known = own.known().iter();
    let known: Vec<(&str, &[u32])> = known.map(|c| (c.name(), c.codes())).collect();
    let secret = (own.secret().name(), own.secret().codes());
    let expected = |set: ColumnSet, records: &Table| -> Vec<(String, Vec<u32>)> {
        set.iter()
            .map(|c| (table.names.name(c).to_owned(), records.codes(c).to_vec()))
            .collect()
    };
    let same = |found: &[(&str, &[u32])], expected: &[(String, Vec<u32>)]| {
        found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(found, expected)| found.0 == expected.0 && found.1 == expected.1)
    };
    let fits = same(&known, &expected(columns - protects, &table.table))
        && same(&[secret], &expected(protects, &table.table));
    match fits {
        true => Ok(()),
        false => Err(Error::new(
            Location::default(),
            "a guardian was made from other columns than its own",
        )),
    }
}
