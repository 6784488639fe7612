#![doc = include_str!("proof.md")]

mod slack;

use crate::Error;
use crate::algorithm::cover::{check_width, decomposition};
use crate::algorithm::{Algorithm, Cover, Halving, Inside, Models, Profile, Settings};
use crate::coins::{Coins, Distribution, Memory};
use crate::model::{Criteria, Model};
use crate::table::{Groups, View};

/// `halving` is chosen if random groups this many times as large as those of `cover` satisfy the
/// model: first where cells are generalised, since large groups blur them; then where cells stay
/// exact.
const SLACK: [usize; 2] = [4, 10];

/// The default: chooses the engine that suits the model, before any coin is tossed, from the model,
/// the histogram and the numbers of rows and quasi-identifiers.
#[derive(Debug, Clone, Copy)]
pub struct Auto;

impl Algorithm for Auto {
    /// Returns what holds whichever engine is chosen. The guarantee of a release is that of its own
    /// engine ([`Algorithm::chosen`]).
    fn profile(&self) -> Profile {
        const REASON: &str = "the engine is chosen by public facts before the run, and each engine is safe by itself";
        Profile::safe("auto", REASON)
            .for_models(Models::Any)
            .with_exempt()
            .with_effort()
            .with_inside()
            .with_lots()
            .keeping_model()
    }

    fn chosen(
        &self,
        tables: &[(&View, &Model)],
        settings: &Settings,
    ) -> Result<Option<&'static dyn Algorithm>, Error> {
        match tables {
            [] => Ok(None),
            _ => Ok(Some(engine(tables, settings)?)),
        }
    }

    /// Groups one stratum with the engine chosen for it.
    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        engine_of(view, criteria, settings).groups(view, criteria, settings, coins)
    }

    /// Chooses one engine for all strata.
    fn partition_with(
        &self,
        view: &View,
        model: &Model,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        engine(&[(view, model)], settings)?.partition_with(view, model, settings, coins)
    }

    fn distribution(
        &self,
        view: &View,
        model: &Model,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        let chosen = memory.of(view, || engine(&[(view, model)], &Settings::default()))?;
        chosen.distribution(view, model, path_limit, memory)
    }
}

/// Returns the one engine for all tables of a run: `halving` if it suits every stratum of all of
/// them, or if `cover` cannot arrange that many quasi-identifiers; otherwise `cover`.
fn engine(
    tables: &[(&View, &Model)],
    settings: &Settings,
) -> Result<&'static dyn Algorithm, Error> {
    if tables.iter().any(|(view, _)| check_width(view).is_err()) {
        return Ok(&Halving);
    }
    for (view, model) in tables {
        for stratum in view.strata() {
            let part = stratum.view(view);
            let own = engine_of(&part, &model.bind(&part)?, settings);
            if own.name() != Halving.name() {
                return Ok(own);
            }
        }
    }
    Ok(&Halving)
}

/// Returns the engine for one stratum: `halving` if random groups a few times as large as those of
/// `cover` nearly always satisfy the model, so that cuts are rarely refused; otherwise `cover`,
/// which needs no slack.
fn engine_of(view: &View, criteria: &Criteria, settings: &Settings) -> &'static dyn Algorithm {
    // Only `cover` forms groups inside a unit in other ways, or groups for each of several columns.
    if settings.inside != Inside::Arranged || view.secret().each().is_some() {
        return &Cover;
    }
    let [generalised, exact] = SLACK;
    let slack = if settings.keeps_marginals {
        generalised
    } else {
        exact
    };
    let size = slack * cover_size(view, criteria);
    if slack::holds_on_random_groups(&view.histogram(), criteria, size) {
        &Halving
    } else {
        &Cover
    }
}

/// Rows in an average group of `cover`, rounded up, from its decomposition of the histogram.
fn cover_size(view: &View, criteria: &Criteria) -> usize {
    let groups = match criteria.ratio() {
        Some(ratio) => view.rows() / ratio.l() as usize,
        None => decomposition(view, criteria).map_or(1, |found| found.groups() as usize),
    };
    view.rows().div_ceil(groups.max(1))
}

#[cfg(test)]
mod tests;
