//! Publishing several tables that together keep every rule of a policy.
//!
//! Columns are split by rules and public facts alone, every table is made with
//! coins of its own, and what is about to leave is checked twice: the schema for
//! guardian normal form, and every guardian's groups by the independent recount.
//! The conditions are those of the proof in `openveil::schema`.

mod documents;
mod schema;
mod sub_table;

pub(super) use documents::plan;

use super::{Clock, Observer, Options, Published, Stage};
use crate::policy::{Policy, Rules};
use crate::release_dir::write::{self, Staging};
use crate::{Error, Location, load};
use openveil::coins::SecretCoins;
use schema::Prepared;
use sub_table::SubRelease;

/// Publishes the tables of a policy with rules.
///
/// # Errors
/// Bad input, a rule that no tables can keep, a failed check or a full disk;
/// nothing is left behind.
pub(super) fn run(
    policy: &Policy,
    rules: &Rules,
    options: Options,
    observer: &dyn Observer,
) -> Result<Published, Error> {
    refuse_options(options)?;
    let mut clock = Clock::default();
    let staging = Staging::new(&policy.out)?;
    observer.staging(Some(staging.path()));
    observer.begin(Stage::Read, policy.source.total_bytes());
    let table = clock.time(Stage::Read, || {
        load::load(policy, &|bytes| observer.advance(bytes))
    })?;
    observer.begin(Stage::Anonymize, None);
    let prepared = clock.time(Stage::Anonymize, || Prepared::new(policy, rules, &table))?;
    let tables = clock.time(Stage::Release, || {
        let numbers = 0..prepared.schema.tables().len();
        let made = numbers.map(|number| {
            let mut coins = coins(options, number);
            SubRelease::make(policy, &table, &prepared, number, &mut coins)
        });
        made.collect::<Result<Vec<_>, Error>>()
    })?;
    observer.begin(Stage::Verify, None);
    clock.time(Stage::Verify, || {
        prepared.verify()?;
        let mut tables = tables.iter().enumerate();
        tables.try_for_each(|(number, made)| made.verify(policy, &table, &prepared, number))
    })?;
    let rows = table.table.rows() as u64 * tables.len() as u64;
    observer.begin(Stage::Write, Some(rows));
    let files = clock.time(Stage::Write, || {
        write(policy, &table, &tables, &staging, observer)
    })?;
    let manifest = documents::manifest(policy, options, &table, &prepared, &tables, &files);
    write::write_json(&staging.release().join("manifest.json"), &manifest)?;
    let owner = documents::owner(policy, rules, options, &table, clock.timings_ms)?;
    write::write_json(&staging.owner().join("owner.json"), &owner)?;
    observer.staging(None);
    let written = staging.commit()?;
    Ok(Published {
        manifest,
        owner,
        written,
    })
}

/// What makes sense for a single table only.
pub(super) fn refuse_options(options: Options) -> Result<(), Error> {
    let stray = match options {
        Options { certify: true, .. } => "an l-cover is of one table: there is no `--certify`",
        Options { measure: true, .. } => {
            "ask `openveil query` with `--policy` for estimates beside true counts: there is no `--measure`"
        }
        _ => return Ok(()),
    };
    let problem = format!("the policy has [[rules]]; {stray} for several tables");
    Err(Error::new(Location::default(), problem))
}

/// Every table has coins of its own.
fn coins(options: Options, table: usize) -> SecretCoins {
    match options.test_seed {
        None => SecretCoins::from_os(),
        // Far apart, so that the tables of one seed are not those of the next.
        Some(seed) => {
            let step = (table as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            SecretCoins::from_test_seed(seed.wrapping_add(step))
        }
    }
}

/// The name of a sub-table, from which its files are named.
fn name(number: usize) -> String {
    format!("table-{}", number + 1)
}

/// Writes all tables; the names of each one's files.
fn write(
    policy: &Policy,
    table: &load::Loaded,
    tables: &[SubRelease],
    staging: &Staging,
    observer: &dyn Observer,
) -> Result<Vec<Vec<String>>, Error> {
    let progress = |rows| observer.advance(rows);
    let written = tables.iter().enumerate().map(|(number, made)| {
        let target = write::Target {
            folder: &staging.release(),
            name: &name(number),
            output: policy.output,
        };
        made.write(policy, table, &target, &progress)
    });
    written.collect()
}
