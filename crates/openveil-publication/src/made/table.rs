//! One of the published tables.

use super::Clock;
use crate::asked::Job;
use crate::made::schema::{Guard, TablePlan};
use openveil_core::coins::{Coins, shuffle};
use openveil_core::release;
use openveil_core::release::Content;
use openveil_core::table::{Groups, View};
use openveil_io::Error;
use openveil_io::load::{Loaded, explain};
use openveil_io::policy::{Policy, Shape};
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::write;
use openveil_io::release_dir::write::{RowsWritten, WriteTarget};
use openveil_measures::utility::Tally;
use openveil_text::text;

/// A published table, ready to be checked and written.
#[derive(Debug)]
pub(crate) enum MadeTable {
    /// Rows as they are, in a random order.
    Open { order: Vec<u32> },
    /// Rows in groups, sorted by their published cells.
    Guarded(Box<Guarded>),
    /// Rows in groups, made, checked and written chunk by chunk.
    Chunked(Box<ChunkedTable>),
}

/// A table that did not fit into memory, once all of its chunks are published.
#[derive(Debug)]
pub(crate) struct ChunkedTable {
    /// The view, without rows.
    pub(crate) view: View,
    pub(crate) tally: Tally,
    /// Names of its files.
    pub(crate) files: Vec<String>,
}

/// An anonymised table.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) view: View,
    pub(crate) release: Content,
    pub(crate) tally: Tally,
    /// Members of each group; cleared once they are checked.
    pub(crate) membership: Groups,
}

impl MadeTable {
    /// Makes one table; `groups` may be given.
    pub(crate) fn new(
        job: &Job,
        loaded: &Loaded,
        plan: &TablePlan,
        known_groups: Option<Groups>,
        coins: &mut dyn Coins,
        clock: &mut Clock,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let Some(guard) = &plan.guard else {
            let mut order: Vec<u32> = (0..loaded.table.rows() as u32).collect();
            shuffle(&mut order, coins);
            return Ok(Self::Open { order });
        };
        let view = guard.view.clone();
        let groups = match known_groups {
            Some(groups) => Ok(groups),
            None => clock.time(Stage::Anonymize, || {
                job.algorithm.partition_with(&view, &guard.model, &job.settings, coins)
            }),
        };
        let groups = groups.map_err(|cause| {
            let error = explain(&job.policy, &view, cause);
            if job.policy.rules().is_none() {
                return error;
            }
            let columns = loaded.table.names_of(plan.columns).join(", ");
            let problem = text!("the table of {columns}: {:text}", error.problem());
            error.with_problem(problem)
        })?;
        observer.begin(Stage::Release, None);
        let (release, membership) =
            clock.time(Stage::Release, || published(guard, &view, &groups, &job.policy));
        Ok(Self::Guarded(Box::new(Guarded {
            tally: Tally::new(&release, &view).with_unrefused(&membership),
            view,
            release,
            membership,
        })))
    }

    /// Returns the view that was anonymised; none for rows as they are.
    pub(crate) fn view(&self) -> Option<&View> {
        match self {
            Self::Open { .. } => None,
            Self::Guarded(made) => Some(&made.view),
            Self::Chunked(made) => Some(&made.view),
        }
    }

    /// Returns the counts over its groups, if it was anonymised.
    pub(crate) fn tally(&self) -> Option<&Tally> {
        match self {
            Self::Open { .. } => None,
            Self::Guarded(made) => Some(&made.tally),
            Self::Chunked(made) => Some(&made.tally),
        }
    }

    /// Whether it was written part by part.
    pub(crate) fn is_in_parts(&self) -> bool {
        matches!(self, Self::Chunked(_))
    }

    /// Returns the table once for each of several columns that are protected by themselves, without
    /// regard to how they go together. Empty if one column is protected, or all as one.
    pub(crate) fn by_column(&self, loaded: &Loaded) -> Vec<Self> {
        let Self::Guarded(made) = self else {
            return Vec::new();
        };
        loaded
            .by_column(&made.view)
            .into_iter()
            .enumerate()
            .map(|(number, view)| {
                let codes = made.view.secret().codes_in(number);
                let release = made.release.of_part(&codes);
                Self::Guarded(Box::new(Guarded {
                    tally: Tally::new(&release, &view),
                    view,
                    release,
                    membership: Groups::with_capacity(0, 0),
                }))
            })
            .collect()
    }

    /// Deletes the record of who is in which group.
    pub(crate) fn forget_membership(&mut self) {
        if let Self::Guarded(made) = self {
            made.membership = Groups::with_capacity(0, 0);
        }
    }

    /// Writes the table's files; returns their names.
    pub(crate) fn write(
        &self,
        policy: &Policy,
        loaded: &Loaded,
        plan: &TablePlan,
        target: &WriteTarget<'_>,
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<Vec<String>, Error> {
        let shapes = shapes(policy, loaded, plan);
        match self {
            Self::Open { order } => {
                let columns = plan
                    .columns
                    .iter()
                    .map(|number: usize| {
                        let column = &loaded.table.columns()[number];
                        let codes = order.iter().map(|&row| column.codes()[row as usize]).collect();
                        (codes, column.domain())
                    })
                    .collect();
                write::write_rows(target, &shapes, columns, progress)
            }
            Self::Guarded(made) => {
                let made = (&made.view, &made.release);
                write::write_release(target, policy.output.style, made, &shapes, coins, progress)
            }
            Self::Chunked(made) => Ok(made.files.clone()),
        }
    }
}

/// Publishes groups of a guardian's rows as the policy says. Also returns the groups in the
/// release's order.
pub(crate) fn published(
    guard: &Guard,
    view: &View,
    groups: &Groups,
    policy: &Policy,
) -> (Content, Groups) {
    let least = policy.class_size(&guard.model);
    release::publish_in_classes(view, groups, policy.output.style, Some(least))
}

/// Returns whether a table that is published in parts shows the numbers of classes.
pub(crate) fn numbers_classes(guard: &Guard, policy: &Policy) -> bool {
    policy.output.style.numbers_classes(&guard.view)
}

/// Returns how the columns of a table are written.
pub(crate) fn shapes(policy: &Policy, loaded: &Loaded, plan: &TablePlan) -> Vec<Shape> {
    let names = loaded.table.names_of(plan.columns);
    names.iter().map(|name| policy.columns[name].shape(name)).collect()
}
