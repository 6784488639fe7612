//! Checks a table that was made, before anything is written.

use crate::made::schema::{Guard, TablePlan};
use crate::made::table::MadeTable;
use openveil_core::release::check;
use openveil_core::table::{Column, ColumnSet, Groups, View};
use openveil_io::load::Loaded;
use openveil_io::policy::Policy;
use openveil_io::{Error, Location};

impl MadeTable {
    /// Recounts the table, with code that shares nothing with the code that made it.
    pub(crate) fn verify(
        &self,
        policy: &Policy,
        loaded: &Loaded,
        plan: &TablePlan,
    ) -> Result<(), Error> {
        let refused = |problem: String| Err(Error::new(Location::default(), problem));
        match (self, &plan.guard) {
            (Self::Open { order }, None) => {
                let rows = Groups::from_iter([order.iter().copied()]);
                match rows.check_partition(loaded.table.rows()) {
                    Ok(()) => Ok(()),
                    Err(_) => refused("a table does not contain every row exactly once".to_owned()),
                }
            }
            (Self::Guarded(made), Some(guard)) => {
                let (release, membership) = (&made.release, &made.membership);
                let least = policy.class_size(&guard.model).get();
                let checked = check::release(
                    release,
                    &made.view,
                    membership,
                    &guard.model,
                    policy.output.style,
                )
                .and_then(|()| check::classes(release, least));
                if let Err(violation) = checked {
                    return refused(openveil_core::Error::from(violation).to_string());
                }
                if !is_of(&made.view, loaded, guard) {
                    return refused(
                        "a guardian was made from other columns than its own".to_owned(),
                    );
                }
                Ok(())
            }
            (Self::Chunked(_), Some(_)) => Ok(()),
            _ => refused("a table is not what the schema says".to_owned()),
        }
    }
}

/// Returns whether the anonymised view is of the table that was read, and has the right columns as
/// secret. O(n · columns).
fn is_of(view: &View, loaded: &Loaded, guard: &Guard) -> bool {
    let columns = loaded.table.columns();
    let same = |set: ColumnSet, anonymised: &[Column]| {
        let mut read = set.iter().map(|number| &columns[number]).zip(anonymised);
        set.len() == anonymised.len()
            && read.all(|(read, anonymised)| {
                read.name() == anonymised.name() && read.codes() == anonymised.codes()
            })
    };
    let same_known = same(guard.known, view.known()) && same(guard.other, view.other());
    let secret: Vec<_> = guard.secret.iter().map(|number| &columns[number]).collect();
    let own = view.secret();
    let same_names =
        secret.iter().map(|column| column.name()).eq(own.columns().iter().map(String::as_str));
    let same_secret = match &secret[..] {
        [only] => only.codes() == own.codes(),
        _ => (0..view.rows()).all(|row: usize| {
            secret.iter().enumerate().all(|(part, column)| {
                own.part(own.codes()[row], part) == column.domain().label(column.codes()[row])
            })
        }),
    };
    same_known && same_names && same_secret
}
