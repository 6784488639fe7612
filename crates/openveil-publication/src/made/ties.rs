//! Rows that share their sensitive value: reads, checks, groups and recounts them.

use crate::asked::Job;
use openveil_core::coins::{Coins, shuffle};
use openveil_core::table::{Groups, PeopleTable, View};
use openveil_core::ties::{self, TieTables, Ties};
use openveil_io::load::{Loaded, MISSING_LABEL, explain, is_missing};
use openveil_io::policy::Policy;
use openveil_io::release_dir::write::manifest::{TieSizeEntry, TiesEntry};
use openveil_io::{Error, ErrorKind, Location, Seen, Sight};
use openveil_text::text;

/// The ties of a table, which can be published.
#[derive(Debug)]
pub(crate) struct TiedTable {
    ties: Ties,
    tables: TieTables,
    entry: TiesEntry,
}

impl TiedTable {
    /// Returns the ties of a policy, if it has any. Draws nothing at random.
    ///
    /// # Errors
    /// Rows without a tie, a tie with two values, sizes that the model does not allow.
    pub(crate) fn new(
        policy: &Policy,
        loaded: &Loaded,
        view: &View,
    ) -> Result<Option<Self>, Error> {
        let Some(asked) = policy.ties() else {
            return Ok(None);
        };
        let id = loaded.person.as_ref().expect("what ties rows was read");
        if id.codes.iter().any(|&code| is_missing(policy, &id.name, id.values.get(code).trim())) {
            let place = Location::file(&policy.input.source.path).column(&asked.id);
            let problem = text!("is empty in some rows, but [ties] states that it ties rows");
            return Err(Error::new(place, problem)
                .help("give each row that is not tied to another row its own value")
                .of_kind(ErrorKind::Refused));
        }
        let ties = Ties::new(renumbered(&id.codes));
        if let Some((first, _)) = ties.differing(view.secret().codes()) {
            let tie = id.values.get(id.codes[first as usize]);
            let place = Location::file(&policy.input.source.path).column(view.secret().name());
            let problem = text!(
                "differs within the tie `{tie}` of `{}`, but [ties] states that tied rows have one value",
                asked.id
            );
            let error = Error::new(place, problem)
                .of_kind(ErrorKind::Refused)
                .of_values(Seen::new(Sight::Ties));
            return Err(error.help(
                text!("correct the values. If tied rows may differ, remove [ties]: write under [reader] about how many `people` a reader may know something, or use [persons] if a person has several rows"),
            ));
        }
        let settings = policy.settings();
        let tables = ties.tables(view);
        tables
            .check(&policy.privacy.model, policy.method.algorithm, &settings)
            .map_err(|cause| explain(policy, view, cause))?;
        let smallest = tables.smallest_groups(&settings);
        let sizes = ties.classes().into_iter().zip(smallest);
        let entry = TiesEntry {
            id: asked.id.clone(),
            largest: asked.largest,
            sizes: sizes
                .map(|((rows, ties), smallest)| TieSizeEntry {
                    rows,
                    ties,
                    smallest_group: Some(smallest.get()),
                })
                .collect(),
        };
        Ok(Some(Self { ties, tables, entry }))
    }

    /// Makes groups in which the rows of every tie are together.
    ///
    /// # Errors
    /// The errors of the algorithm.
    pub(crate) fn groups(
        &self,
        job: &Job,
        view: &View,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        let policy = &job.policy;
        let made = self.tables.groups(&policy.privacy.model, job.algorithm, &job.settings, coins);
        made.map_err(|cause| explain(policy, view, cause))
    }

    /// Recounts the groups, with code that shares nothing with the code that made them.
    ///
    /// # Errors
    /// Rows of a tie in several groups, or a group with ties of several sizes.
    pub(crate) fn verify(&self, membership: &Groups, view: &View) -> Result<(), Error> {
        let counted = ties::check::groups(membership, view.secret().codes(), &self.ties);
        counted.map_err(|cause| {
            let problem = text!(
                "the independent check rejected the release, and it was not written: {cause}"
            );
            Error::new(Location::default(), problem)
        })
    }

    /// Returns the entry of the manifest.
    pub(crate) fn entry(&self) -> &TiesEntry {
        &self.entry
    }
}

/// Returns the table with at most so many rows of every tie as the policy allows. If a tie has
/// more, the rows are drawn at random, whatever their values are. O(rows).
///
/// # Errors
/// None, if the table was read.
pub(crate) fn drawn_of_ties(
    policy: &Policy,
    mut loaded: Loaded,
    coins: &mut dyn Coins,
) -> Result<Loaded, Error> {
    let Some(largest) = policy.ties().and_then(|ties| ties.largest) else {
        return Ok(loaded);
    };
    let id = loaded.person.as_mut().expect("what ties rows was read");
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); id.values.len()];
    for (row, &code) in (0..).zip(&id.codes) {
        rows_of[code as usize].push(row);
    }
    let mut kept: Vec<u32> = Vec::with_capacity(id.codes.len());
    for mut rows in rows_of {
        if rows.len() > largest as usize {
            shuffle(&mut rows, coins);
            rows.truncate(largest as usize);
        }
        kept.extend(rows);
    }
    kept.sort_unstable();
    loaded.omitted.beyond_ties = id.codes.len() - kept.len();
    let of_kept = |codes: &[u32]| kept.iter().map(|&row| codes[row as usize]).collect::<Vec<u32>>();
    id.codes = of_kept(&id.codes);
    // Values that only left-out rows have must not be in a domain.
    let columns = loaded.table.columns().iter().map(|column| {
        let described = &policy.columns[column.name()];
        let own = column.clone().with_codes(of_kept(column.codes()));
        own.with_domain_of_rows(|value| value != MISSING_LABEL && described.gives(value))
    });
    loaded.table = PeopleTable::new(columns.collect())
        .map_err(|cause| Error::new(Location::file(&policy.input.source.path), cause.in_words()))?;
    Ok(loaded)
}

/// Returns numbers in the order of first appearance, without gaps.
fn renumbered(codes: &[u32]) -> Vec<u32> {
    let greatest = codes.iter().max().map_or(0, |&code| code as usize + 1);
    let (mut numbers, mut next) = (vec![u32::MAX; greatest], 0);
    codes
        .iter()
        .map(|&code| {
            let own = &mut numbers[code as usize];
            if *own == u32::MAX {
                *own = next;
                next += 1;
            }
            *own
        })
        .collect()
}
