//! `auto`, the default: `halving`, or `cover` where only that makes the groups that are asked for.
//!
//! The choice depends on the policy alone, so it is the same for every table that a reader holds
//! possible: the engine runs once, and its own proof applies word for word. It is made once per
//! run, even if the run works on several strata or publishes several tables. The guarantee of a
//! release is that of its engine, and the manifest names both.

use super::Cover;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Halving, Inside, Models, Profile, Settings};
use openveil_core::coins::{Coins, Distribution, Memory};
use openveil_core::model::{Criteria, Model};
use openveil_core::table::{Groups, View};

/// The default: chooses the engine from the policy, before any coin is tossed.
#[derive(Debug, Clone, Copy)]
pub struct Auto;

impl Algorithm for Auto {
    /// Returns what holds whichever engine is chosen. The guarantee of a release is that of its own
    /// engine ([`Algorithm::chosen`]).
    fn profile(&self) -> Profile {
        const REASON: &str =
            "the engine is chosen by the policy before the run, and each engine is safe by itself";
        Profile::safe("auto", REASON)
            .for_models(Models::Any)
            .with_exempt()
            .with_inside()
            .with_smallest_group()
            .in_chunks()
            .keeping_model()
    }

    fn chosen(
        &self,
        tables: &[(&View, &Model)],
        settings: &Settings,
    ) -> Result<Option<&'static dyn Algorithm>, Error> {
        Ok((!tables.is_empty()).then(|| engine(settings)))
    }

    fn check_limits(
        &self,
        view: &View,
        criteria: &Criteria,
        settings: &Settings,
    ) -> Result<(), Error> {
        engine(settings).check_limits(view, criteria, settings)
    }

    /// Groups one stratum with the engine chosen for it.
    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        engine(settings).groups(view, criteria, settings, coins)
    }

    fn distribution_of_groups(
        &self,
        view: &View,
        criteria: &Criteria,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        let engine = engine(&Settings::default());
        engine.distribution_of_groups(view, criteria, path_limit, memory)
    }
}

/// Only `cover` makes groups by coins alone.
fn engine(settings: &Settings) -> &'static dyn Algorithm {
    match settings.inside {
        Inside::Arranged => &Halving,
        Inside::Random => &Cover,
    }
}

#[cfg(test)]
mod tests;
