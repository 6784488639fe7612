//! The other commands, with the options of the command line.

use crate::answer::{answer, watched};
use crate::documents::{list_of, section_of};
use crate::incoming::given_table;
use crate::outgoing::columns_of;
use crate::policy::{checked, checked_if_any};
use crate::release::given_release;
use extendr_api::prelude::*;
use openveil_bindings::work::{set_threads, Failure};
use openveil_bindings::{commands, input};
use openveil_io::policy::Policy;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::source::Source;
use openveil_tools::audit::Audited;
use std::path::{Path, PathBuf};

/// Returns the options of a command, by name.
#[extendr]
fn options(command: &str) -> Vec<String> {
    commands::options(command)
}

/// Inspects a table or a file; returns `found` and `policy`, the text of a starter policy or NULL.
#[extendr]
fn inspect(table: Robj, file: Robj, options: Robj, tick: Robj) -> Robj {
    answer(|| {
        let source = match file.as_str() {
            Some(path) => Source::new(Path::new(path)),
            None => Source::of_memory("table", given_table(&table)?.clone()),
        };
        let options = section_of(&options)?;
        let (found, policy) = watched(&tick, |_| commands::inspect(options, source))?;
        Ok::<_, Failure>(list!(found = list_of(&found)?, policy = policy))
    })
}

/// Measures a table, a release in memory, or a path; returns `found`, and with `rows` the risks of
/// each row.
#[extendr]
fn audit(
    given: Robj,
    options: Robj,
    policy: Robj,
    original: Robj,
    file: Robj,
    rows: bool,
    tick: Robj,
) -> Robj {
    answer(|| {
        let audited = audited(&given)?;
        let policy = checked_if_any(&policy, &original, &file)?;
        let options = section_of(&options)?;
        let (found, risks) = watched(&tick, |_| commands::audit(options, audited, policy, rows))?;
        let risks = risks.as_ref().map(columns_of).transpose()?;
        Ok::<_, Failure>(list!(found = list_of(&found)?, row_risks = risks.unwrap_or_default()))
    })
}

/// Checks a table or a release against a policy, whose types are those of `columns` or `file`; returns a list
/// of checks.
#[extendr]
fn check(given: Robj, policy: List, columns: Robj, file: Robj, tick: Robj) -> Robj {
    answer(|| {
        let (audited, policy) = (audited(&given)?, checked(&policy, &columns, &file)?);
        list_of(&watched(&tick, |_| commands::check(audited, policy))?)
    })
}

fn audited(given: &Robj) -> Result<Audited, Failure> {
    Ok(match (given.as_str(), given_table(given)) {
        (Some(path), _) => Audited::Path(PathBuf::from(path)),
        (None, Ok(table)) => Audited::Table(table.clone()),
        (None, Err(_)) => Audited::Release(given_release(given)?.place()?.clone()),
    })
}

/// Enumerates small tables.
#[extendr]
fn verify(options: Robj, tick: Robj) -> Robj {
    answer(|| {
        let options = section_of(&options)?;
        list_of(&watched(&tick, |_| commands::verify(options))?)
    })
}

/// Explains what readers infer about a few people.
#[extendr]
fn explain(options: Robj, tick: Robj) -> Robj {
    answer(|| {
        let options = section_of(&options)?;
        list_of(&watched(&tick, |_| commands::explain(options))?)
    })
}

/// Measures ways of publishing side by side.
#[extendr]
fn compare(policies: List, table: Robj, file: Robj, options: Robj, tick: Robj) -> Robj {
    answer(|| {
        let policy = |own: Robj| {
            let list =
                own.as_list().ok_or_else(|| input("a policy must be made by `ov_policy`"))?;
            checked(&list, &table, &file)
        };
        let policies: Vec<Policy> = policies.values().map(policy).collect::<Result<_, _>>()?;
        let options = section_of(&options)?;
        list_of(&watched(&tick, |watch| commands::compare(options, policies, watch))?)
    })
}

/// Attacks releases of the table of a policy: releases in memory, or paths of folders.
#[extendr]
fn attack(
    releases: List,
    policy: List,
    table: Robj,
    file: Robj,
    options: Robj,
    tick: Robj,
) -> Robj {
    answer(|| {
        let place = |own: Robj| match own.as_str() {
            Some(path) => Ok(ReleasePlace::Folder(PathBuf::from(path))),
            None => Ok(given_release(&own)?.place()?.clone()),
        };
        let places: Vec<_> = releases.values().map(place).collect::<Result<_, Failure>>()?;
        let policy = checked(&policy, &table, &file)?;
        let options = section_of(&options)?;
        list_of(&watched(&tick, |watch| commands::attack(options, &policy, &places, watch))?)
    })
}

/// Writes the pages of a release in a folder again, its metadata, and a page of evidence.
#[extendr]
fn report(
    folder: &str,
    policy: Robj,
    table: Robj,
    file: Robj,
    evidence: Robj,
    options: Robj,
    tick: Robj,
) -> Robj {
    answer(|| {
        let policy = checked_if_any(&policy, &table, &file)?;
        let (options, evidence) = (section_of(&options)?, evidence.as_str().map(Path::new));
        list_of(&watched(&tick, |watch| {
            commands::report(options, Path::new(folder), policy.as_ref(), evidence, watch)
        })?)
    })
}

/// Sets the number of threads; NULL means as many as there are cores.
#[extendr]
fn threads(number: Robj) -> Robj {
    answer(|| {
        let given = number.as_real().or_else(|| number.as_integer().map(f64::from));
        set_threads(given.map(|own| own as i64))?;
        Ok::<_, Failure>(Robj::from(()))
    })
}

extendr_module! {
    mod commands;
    fn options;
    fn inspect;
    fn audit;
    fn check;
    fn verify;
    fn explain;
    fn compare;
    fn attack;
    fn report;
    fn threads;
}
