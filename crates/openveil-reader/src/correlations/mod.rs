//! Measures the risk of correlations: how well readers guess who know how values depend on
//! quasi-identifiers, with and without a release. For the owner.
//!
//! The attack uses a release of the same kind, made with this module's own random draws. For the
//! true release nobody knows who is in which group, unless it was made without random draws. The
//! result is as informative, because readers do not depend on particular random draws.

mod found;
mod pictures;

pub(crate) use pictures::{calibration, guesses};

use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{SecretCoins, shuffle};
use openveil_core::table::{Groups, View};
use openveil_io::policy::Policy;
use openveil_io::release_dir::write::manifest::{MeasuredCorrelations, PublicTable};
use openveil_io::{Error, load};
use openveil_papers::attack;
use openveil_papers::attack::{Progress, correlations};
use openveil_text::text;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The table that readers know everybody's value of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KnownTable {
    /// A random half of the owner's table; the other half is released and guessed.
    #[default]
    Half,
    /// A table of other people with the same columns; the owner's table is guessed.
    Table(PathBuf),
}

impl KnownTable {
    /// A table if one is named.
    pub fn new(path: Option<&PathBuf>) -> Self {
        path.cloned().map_or(Self::Half, Self::Table)
    }
}

/// Steps that [`measure`] reports.
pub const STEPS: u64 = 3 * correlations::STEPS;

/// Measures readers' guesses about a table's people when an algorithm publishes the table as the
/// policy says. The seed repeats all random draws.
///
/// # Errors
/// A public table that cannot be read, or does not have the policy's columns.
///
/// Obstacles to a measurement are named in the result instead of being errors.
pub fn measure(
    policy: &Policy,
    algorithm: &dyn Algorithm,
    table: &View,
    public: &KnownTable,
    seed: u64,
    progress: Progress<'_>,
) -> Result<MeasuredCorrelations, Error> {
    let run = Runner { policy, algorithm, seed, progress };
    match public {
        KnownTable::Half => Ok(run.with_half(table)),
        KnownTable::Table(path) => run.with_table(table, path),
    }
}

struct Runner<'a> {
    policy: &'a Policy,
    algorithm: &'a dyn Algorithm,
    seed: u64,
    progress: Progress<'a>,
}

impl Runner<'_> {
    fn with_half(&self, table: &View) -> MeasuredCorrelations {
        let halves = self.halves(table).map(|rows| part(table, &rows));
        let [Some(public), Some(released)] = &halves else {
            return MeasuredCorrelations::not(
                "there are too few people to make half of them public",
            );
        };
        match (self.groups(public), self.groups(released)) {
            (Ok(known), Ok(groups)) => {
                let public = correlations::PublicKnowledge { table: public, groups: Some(&known) };
                self.read(found::half(public.table), public, released, &groups)
            }
            (Err(why), _) | (_, Err(why)) => MeasuredCorrelations::not(text!(
                "a half of the table cannot be published by itself ({why}); name another table of such people with `--public`"
            )),
        }
    }

    fn with_table(&self, table: &View, path: &Path) -> Result<MeasuredCorrelations, Error> {
        let mut policy = self.policy.clone();
        let read = policy.input.source.turn_to_others(path);
        let loaded = read.and_then(|()| load::load(&policy, &|_| {})).map_err(|error| {
            let problem = text!("the public table {}: {:text}", path.display(), error.problem());
            error.with_problem(problem)
        })?;
        let public = loaded.view(&policy)?;
        let groups = match self.groups(table) {
            Ok(groups) => groups,
            Err(why) => return Ok(MeasuredCorrelations::not(why)),
        };
        let matched = matched(&public, table);
        if matched == 0 {
            let why = "no one in the public table has a value that is in the table";
            return Ok(MeasuredCorrelations::not(why));
        }
        let known = self.groups(&public).ok();
        let source = found::public_table(path, &public, matched);
        let public = correlations::PublicKnowledge { table: &public, groups: known.as_ref() };
        Ok(self.read(source, public, table, &groups))
    }

    fn read(
        &self,
        source: PublicTable,
        public: correlations::PublicKnowledge<'_>,
        table: &View,
        groups: &Groups,
    ) -> MeasuredCorrelations {
        let asked = self.policy.privacy.model.asked_ratio().map(|ratio| ratio.l());
        let bound = asked.map_or(1.0, |l| 1.0 / f64::from(l));
        let released = correlations::GuessedPeople { table, groups };
        match attack::correlations(public, released, bound, self.progress) {
            Some(found) => {
                MeasuredCorrelations::Found(Box::new(found::correlations(&found, source, asked)))
            }
            None => MeasuredCorrelations::not("the columns have too many values"),
        }
    }

    fn groups(&self, table: &View) -> Result<Groups, String> {
        let mut coins = SecretCoins::from_test_seed(self.seed);
        let (model, settings) = (&self.policy.privacy.model, self.policy.settings());
        self.algorithm
            .partition_with(table, model, &settings, &mut coins)
            .map_err(|cause| cause.to_string())
    }

    /// Splits the people of every value in every stratum into two halves, so that rare values are
    /// in both.
    fn halves(&self, table: &View) -> [Vec<u32>; 2] {
        let mut coins = SecretCoins::from_test_seed(self.seed);
        let mut halves = [Vec::new(), Vec::new()];
        for stratum in table.strata() {
            let mut by_value = vec![Vec::new(); table.secret().values()];
            let everybody = 0..table.rows() as u32;
            let rows = stratum.rows().map_or_else(|| everybody.collect(), <[u32]>::to_vec);
            for row in rows {
                by_value[table.secret().codes()[row as usize] as usize].push(row);
            }
            let mut next = 0;
            for mut rows in by_value {
                shuffle(&mut rows, &mut coins);
                for row in rows {
                    halves[next].push(row);
                    next = 1 - next;
                }
            }
        }
        halves.each_mut().map(|half| {
            half.sort_unstable();
            std::mem::take(half)
        })
    }
}

/// How many people of a public table have a value that the table has.
fn matched(public: &View, table: &View) -> usize {
    let labels: HashSet<String> = table.secret().labels().into_iter().collect();
    let known: Vec<bool> =
        public.secret().labels().iter().map(|label| labels.contains(label)).collect();
    public.secret().codes().iter().filter(|&&code| known[code as usize]).count()
}

/// Returns some people of a table, in its strata.
fn part(table: &View, rows: &[u32]) -> Option<View> {
    let strata: Vec<String> =
        table.strata_columns().map(|column| column.name().to_owned()).collect();
    let part = table.of_rows(rows).ok()?;
    Some(part.with_strata(&strata).expect("its columns are known"))
}
