//! Releases in memory, just made or read from a folder.

use crate::answer::{answer, ticking, watched};
use crate::documents::{list_of, named};
use crate::outgoing::columns_of;
use crate::policy::{checked, checked_if_any, is_by_arguments};
use extendr_api::prelude::*;
use openveil_bindings::release::{Crosstab, HeldRelease};
use openveil_bindings::work::Failure;
use openveil_bindings::{commands, input, json, voice};
use openveil_io::release_dir::Texts;
use openveil_publication::Options;
use openveil_reader::query::{Effort, Rounding, Statistic};
use std::path::{Path, PathBuf};

/// Publishes in memory, after checking that the folder `out` can be written to.
#[extendr]
#[allow(clippy::too_many_arguments)] // They are arguments of R.
fn publish(
    policy: List,
    table: Robj,
    file: Robj,
    out: Robj,
    test_seed: Robj,
    accept_algorithm_disclosure: bool,
    certify: bool,
    measure: bool,
    without_sample: Vec<String>,
    tick: Robj,
) -> Robj {
    answer(|| {
        let replaced = commands::Replaced {
            without_sample: without_sample.into_iter().map(PathBuf::from).collect(),
            ..commands::Replaced::default()
        };
        let policy = commands::with(&checked(&policy, &table, &file)?, replaced)?;
        let options = Options {
            test_seed: seed(&test_seed)?,
            accept_algorithm_disclosure,
            certify,
            measure,
            ..Options::default()
        };
        let out = out.as_str().map(PathBuf::from);
        let held = HeldRelease::publish(ticking(&tick), &policy, options, out, Texts::Plain)?;
        Ok::<_, Failure>(ExternalPtr::new(held))
    })
}

/// Returns a description of what publishing would do.
#[extendr]
fn plan(policy: List, table: Robj, file: Robj, tick: Robj) -> Robj {
    answer(|| {
        let voice = voice(is_by_arguments(&policy));
        let checked = checked(&policy, &table, &file)?;
        let planned = watched(&tick, |watch| {
            json(&openveil_publication::plan(&checked, Options::default(), watch)?, voice)
        })?;
        list_of(&planned)
    })
}

/// Reads a release from its folder.
#[extendr]
fn release_read(folder: &str) -> Robj {
    answer(|| Ok::<_, Failure>(ExternalPtr::new(HeldRelease::read(PathBuf::from(folder))?)))
}

/// Returns whether R still holds a release: a pointer does not outlive the session.
#[extendr]
fn release_is_there(release: Robj) -> bool {
    given_release(&release).is_ok()
}

/// Returns the manifest.
#[extendr]
fn release_manifest(release: Robj) -> Robj {
    answer(|| list_of(given_release(&release)?.manifest()?))
}

/// Returns the owner's figures of a release that was just made by a policy, with warnings in R's
/// words.
#[extendr]
fn release_owner(release: Robj, policy: List) -> Robj {
    answer(|| {
        let (owner, warnings) = given_release(&release)?.owner(is_by_arguments(&policy))?;
        Ok::<_, Failure>(list!(owner = list_of(&owner)?, warnings = warnings))
    })
}

/// Returns the tables by name, each as a list of columns.
#[extendr]
fn release_tables(release: Robj, unpack: bool, tick: Robj) -> Robj {
    answer(|| {
        let tables = given_release(&release)?.tables(ticking(&tick), unpack)?;
        let table = |(name, table)| Ok((name, columns_of(&table)?));
        let tables: Result<Vec<_>, Failure> = tables.into_iter().map(table).collect();
        Ok::<_, Failure>(named(tables?))
    })
}

/// Returns the public page, as HTML.
#[extendr]
fn release_report(release: Robj) -> Robj {
    answer(|| given_release(&release)?.report())
}

/// Writes a release into a folder; returns whether an earlier one was replaced.
#[extendr]
fn release_save(release: Robj, folder: &str) -> Robj {
    answer(|| given_release(&release)?.save(Path::new(folder)))
}

/// Returns an estimate of how many rows meet conditions. With `policy` (and a table or file) also
/// the true count.
#[extendr]
fn release_count(
    release: Robj,
    conditions: &str,
    policy: Robj,
    table: Robj,
    file: Robj,
    effort: Robj,
    tick: Robj,
) -> Robj {
    answer(|| {
        let policy = checked_if_any(&policy, &table, &file)?;
        let release = given_release(&release)?;
        list_of(&release.count(
            ticking(&tick),
            given_effort(&effort)?,
            conditions,
            policy.as_ref(),
        )?)
    })
}

/// Returns a cross-table: `columns`, `independence` and `notes`. `bins` are borders by the name of their column.
#[extendr]
#[allow(clippy::too_many_arguments)] // They are arguments of R.
fn release_crosstab(
    release: Robj,
    by: Vec<String>,
    conditions: Robj,
    column: Robj,
    share: Robj,
    bins: List,
    weight: Robj,
    rounding: Robj,
    effort: Robj,
    tick: Robj,
) -> Robj {
    answer(|| {
        let rounding = rounding
            .as_real_slice()
            .map(|own| Rounding { least: own[0] as u64, base: own[1] as u64 });
        let statistic = match (column.as_str(), share.as_real()) {
            (None, _) => Statistic::Count,
            (Some(column), None) => Statistic::Mean(column.to_owned()),
            (Some(column), Some(share)) => Statistic::Quantile(column.to_owned(), share),
        };
        let bins = bins.iter().map(|(name, borders)| {
            (name.to_owned(), borders.as_string_vector().unwrap_or_default())
        });
        let asked = Crosstab {
            by,
            conditions: conditions.as_str().map(str::to_owned),
            statistic,
            weight: weight.as_str().map(str::to_owned),
            bins: bins.collect(),
            rounding,
        };
        let release = given_release(&release)?;
        let effort = given_effort(&effort)?;
        let (made, test, notes) = release.crosstab(ticking(&tick), effort, asked)?;
        Ok::<_, Failure>(list!(
            columns = columns_of(&made)?,
            independence =
                test.map(|own| Robj::from(vec![own.chi2, own.freedom, own.p])).unwrap_or_default(),
            notes = notes
        ))
    })
}

/// Returns a regression: `document`, `covariance` row after row, and for each coefficient the
/// `columns` and `values` of its term (NA for a column of numbers).
#[extendr]
fn release_regression(
    release: Robj,
    formula: &str,
    columns: Vec<String>,
    values: Vec<String>,
    effort: Robj,
    tick: Robj,
) -> Robj {
    answer(|| {
        let release = given_release(&release)?;
        let references: Vec<(String, String)> = columns.into_iter().zip(values).collect();
        let effort = given_effort(&effort)?;
        let (made, document) = release.regression(ticking(&tick), effort, formula, &references)?;
        let (mut columns, mut values): (Vec<Robj>, Vec<Robj>) = (Vec::new(), Vec::new());
        for own in &made.coefficients {
            let (names, of): (Vec<&str>, Vec<Option<&str>>) =
                own.of.iter().map(|(name, value)| (name.as_str(), value.as_deref())).unzip();
            columns.push(names.into());
            values.push(of.into());
        }
        Ok::<_, Failure>(list!(
            document = list_of(&document)?,
            covariance = made.covariance,
            columns = List::from_values(columns),
            values = List::from_values(values)
        ))
    })
}

/// Returns the possible values of each row, with their weights.
#[extendr]
fn release_weights(release: Robj, effort: Robj, tick: Robj) -> Robj {
    answer(|| {
        let release = given_release(&release)?;
        columns_of(&release.weights(ticking(&tick), given_effort(&effort)?)?)
    })
}

/// Returns completed tables that are consistent with the release.
#[extendr]
fn release_completed(release: Robj, number: f64, effort: Robj, tick: Robj) -> Robj {
    answer(|| {
        let release = given_release(&release)?;
        let number = if number >= 0.0 { number as usize } else { 0 };
        let made = release.completed(ticking(&tick), given_effort(&effort)?, number)?;
        let tables: Result<Vec<Robj>, Failure> = made.iter().map(columns_of).collect();
        Ok::<_, Failure>(List::from_values(tables?))
    })
}

/// Draws synthetic rows without a fit.
#[extendr]
fn release_sample(release: Robj, rows: f64, draw_seed: Robj, tick: Robj) -> Robj {
    answer(|| {
        // The most rows of a data frame.
        if !(0.0..=f64::from(i32::MAX)).contains(&rows) {
            return Err(input(format!("{rows} rows cannot be drawn")).into());
        }
        let seed = seed(&draw_seed)?;
        columns_of(&given_release(&release)?.sample(ticking(&tick), rows as usize, seed)?)
    })
}

/// Returns a release that R holds.
pub(crate) fn given_release(given: &Robj) -> Result<&HeldRelease, Failure> {
    let release: Result<&ExternalPtr<HeldRelease>, _> = given.try_into();
    let gone = |_| {
        input("the release is gone: it does not outlive the session")
            .help("write it to a folder with `ov_save` before `saveRDS`: there it is found again")
    };
    Ok(release.map_err(gone)?.addr())
}

/// Returns a seed: a whole number that a double represents exactly, or NULL.
fn seed(given: &Robj) -> Result<Option<u64>, Failure> {
    if given.is_null() {
        return Ok(None);
    }
    let number = given.as_real().or_else(|| given.as_integer().map(f64::from));
    match number {
        Some(own) if (0.0..=9_007_199_254_740_992.0).contains(&own) && own.fract() == 0.0 => {
            Ok(Some(own as u64))
        }
        _ => Err(input("a seed must be a whole number from 0 to 2^53").into()),
    }
}

/// Returns the effort of a fit: worlds, and a seed.
fn given_effort(given: &Robj) -> Result<Effort, Failure> {
    let [worlds, first]: [f64; 2] = given
        .as_real_vector()
        .and_then(|own| own.try_into().ok())
        .ok_or_else(|| input("`worlds` and `seed` must be one number each"))?;
    if !(worlds >= 0.0 && worlds.fract() == 0.0) {
        let problem = format!("{worlds} worlds cannot be made");
        return Err(input(problem).help("use 8, or 0 for none").into());
    }
    Ok(Effort { worlds: worlds as usize, seed: seed(&first.into())?.unwrap_or(1) })
}

extendr_module! {
    mod release;
    fn publish;
    fn plan;
    fn release_read;
    fn release_is_there;
    fn release_manifest;
    fn release_owner;
    fn release_tables;
    fn release_report;
    fn release_save;
    fn release_count;
    fn release_crosstab;
    fn release_regression;
    fn release_weights;
    fn release_completed;
    fn release_sample;
}
