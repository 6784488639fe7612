//! The publishing algorithms, behind one trait. Each has a folder with its code, its
//! tests and its proof.

pub mod chunks;
pub mod halving;
mod profile;
mod settings;
mod trials;

pub use halving::Halving;
pub use profile::{Adversary, Models, Posterior, Profile, Replay};
pub use settings::{Inside, Settings};
pub use trials::{BLOCK_SIZE, Function, Trials};

use crate::coins::{Coins, Distribution, Memory, distribution};
use crate::model::{Criteria, Model, RatioDiversity, Requirement};
use crate::table::{Groups, View};
use crate::{Error, RefusedStratum};
use std::fmt;

/// Lists algorithms of this or another crate under a name: `NAME: First, Second, …`. Such lists are
/// passed to code that offers algorithms by name, because this crate has only one.
#[macro_export]
macro_rules! algorithms {
    ($(#[$doc:meta])* $list:ident: $($name:ident),* $(,)?) => {
        $(#[$doc])*
        pub static $list: [&dyn $crate::algorithm::Algorithm; [$(stringify!($name)),*].len()] =
            [$(&$name),*];

        $(impl From<$name> for &'static dyn $crate::algorithm::Algorithm {
            fn from(_: $name) -> Self {
                &$name
            }
        })*
    };
}

algorithms! {
    /// The engine.
    ENGINES: Halving
}

/// Cuts a table into groups.
///
/// An implementation describes itself ([`Algorithm::profile`]) and makes groups
/// ([`Algorithm::groups`]). Callers use [`Algorithm::partition`].
pub trait Algorithm: fmt::Debug + Send + Sync {
    /// Returns the facts about the algorithm that are known without running it.
    fn profile(&self) -> Profile;

    /// For an algorithm that chooses between engines: returns the one engine that runs instead of
    /// it on these tables. The choice depends on public facts only: models, histograms, numbers of
    /// rows and quasi-identifiers, and the user's settings. A run asks once, before any coin, and
    /// continues with the engine and its profile.
    ///
    /// # Errors
    /// If a model cannot be bound to its table.
    fn chosen(
        &self,
        _tables: &[(&View, &Model)],
        _settings: &Settings,
    ) -> Result<Option<&'static dyn Algorithm>, Error> {
        Ok(None)
    }

    /// Checks the algorithm's limits and settings that the profile does not cover. Tosses no coin.
    ///
    /// # Errors
    /// Documented in the algorithm's module.
    fn check_limits(
        &self,
        _view: &View,
        _criteria: &Criteria,
        _settings: &Settings,
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Groups a table that [`Algorithm::check`] accepted, so that the model holds on each group.
    /// Algorithms that arrange nothing ignore the settings.
    ///
    /// # Errors
    /// An accepted table causes none, except with enumerated coins.
    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error>;

    /// The exact distribution of the groups of a stratum over all coins, rows and groups ascending,
    /// following at most `path_limit` paths of coins. The model is bound to the stratum, and
    /// [`Algorithm::check`] accepted it. The memory may keep results that depend on the histogram
    /// only, for other tables with the same histogram.
    ///
    /// # Errors
    /// The errors of [`Algorithm::distribution`].
    fn distribution_of_groups(
        &self,
        view: &View,
        criteria: &Criteria,
        path_limit: u64,
        _memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        distribution(path_limit, |coins| {
            Ok(self.groups(view, criteria, &Settings::default(), coins)?.sorted())
        })
    }

    /// The exact distribution of the groups of a table over all coins, rows and groups
    /// ascending, following at most `path_limit` paths of coins in each stratum.
    ///
    /// # Errors
    /// The errors of [`Algorithm::partition`]; [`Error::BeyondLimit`] if the coins cannot be
    /// enumerated within the limit.
    fn distribution(
        &self,
        view: &View,
        model: &Model,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        self.check(view, model)?;
        let mut all: Option<Distribution<Groups>> = None;
        for stratum in view.strata() {
            let part = stratum.view(view);
            let criteria = memory.of(&part, || Ok(model.bind(&part)?.remembering()))?;
            let own = self.distribution_of_groups(&part, &criteria, path_limit, memory)?;
            all = Some(match all {
                None => own.map(|groups| stratum.in_view(groups)),
                // Each stratum tosses its own coins.
                Some(before) => before.joined(&own, |groups, own| {
                    let mut groups = groups.clone();
                    groups.append(stratum.in_view(own.clone()));
                    groups.sorted()
                })?,
            });
        }
        Ok(all.expect("there is a stratum"))
    }

    /// The name in policies and manifests.
    fn name(&self) -> &'static str {
        self.profile().name
    }

    /// Checks, without tossing a coin, that the algorithm can publish every stratum of a table.
    ///
    /// # Errors
    /// [`Error::Ineligible`] or [`Error::Unsatisfiable`] if no release satisfies the model, with
    /// strata [`Error::Strata`], which names every refused stratum; [`Error::ModelUnsupported`],
    /// [`Error::NotConvex`], [`Error::NotMonotone`], [`Error::ExemptUnsupported`], and the
    /// algorithm's own limits.
    fn check(&self, view: &View, model: &Model) -> Result<(), Error> {
        self.check_with(view, model, &Settings::default())
    }

    /// Like [`Algorithm::check`], but with settings of the user.
    ///
    /// # Errors
    /// The errors of [`Algorithm::check`].
    fn check_with(&self, view: &View, model: &Model, settings: &Settings) -> Result<(), Error> {
        if self.profile().takes_smallest_group {
            settings.check(view)?;
        }
        let strata = view.strata();
        let mut refused = Vec::new();
        for stratum in &strata {
            let part = stratum.view(view);
            match self.check_bound(&part, &model.bind(&part)?, settings) {
                Err(cause) if stratum.is_part() && is_of_histogram(&cause) => {
                    refused.push(RefusedStratum {
                        stratum: stratum.describe(view),
                        cause: Box::new(cause),
                        largest_l: RatioDiversity::largest_l_of(&part),
                    });
                }
                checked => checked?,
            }
        }
        if refused.is_empty() {
            Ok(())
        } else {
            Err(Error::Strata { refused, strata: strata.len() })
        }
    }

    /// Like [`Algorithm::check_with`], but for one stratum, with a model bound to it.
    ///
    /// # Errors
    /// The errors of [`Algorithm::check`].
    fn check_bound(
        &self,
        view: &View,
        criteria: &Criteria,
        settings: &Settings,
    ) -> Result<(), Error> {
        let profile = self.profile();
        if !profile.takes_exempt && view.secret().exempt().contains(&true) {
            return Err(Error::ExemptUnsupported { algorithm: profile.name });
        }
        check_model(&profile, criteria)?;
        self.check_limits(view, criteria, settings)?;
        criteria.check_eligible(view)
    }

    /// Cuts the rows of a table into groups that satisfy the model. Each stratum is cut by itself,
    /// with the model bound to its own histogram and with coins tossed after the coins of the
    /// strata before it.
    ///
    /// # Errors
    /// The errors of [`Algorithm::check`], and those documented in the algorithm's module.
    fn partition(
        &self,
        view: &View,
        model: &Model,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        self.partition_with(view, model, &Settings::default(), coins)
    }

    /// Like [`Algorithm::partition`], but with settings of the user.
    ///
    /// # Errors
    /// The errors of [`Algorithm::partition`].
    fn partition_with(
        &self,
        view: &View,
        model: &Model,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        // All strata are checked before the first coin.
        self.check_with(view, model, settings)?;
        let settings = &settings.of_tables(&[view]);
        let mut groups = Groups::with_capacity(0, 0);
        for stratum in view.strata() {
            let part = stratum.view(view);
            let own = self.groups(&part, &model.bind(&part)?, settings, coins)?;
            groups.append(stratum.in_view(own));
        }
        Ok(groups)
    }
}

/// Whether the cause of an error is a histogram rather than the algorithm or the model.
fn is_of_histogram(cause: &Error) -> bool {
    matches!(cause, Error::Ineligible(_) | Error::Unsatisfiable(_))
}

/// Checks that the algorithm supports a model.
fn check_model(profile: &Profile, criteria: &Criteria) -> Result<(), Error> {
    let model = criteria.model();
    let fits = match profile.models {
        Models::Ratio => criteria.ratio().is_some(),
        Models::RatioOrDistinct => diversity(model).is_some() && !criteria.is_of_sets(),
        Models::Monotone if !criteria.is_monotone() => {
            return Err(Error::NotMonotone { algorithm: profile.name, model: model.to_string() });
        }
        Models::Monotone | Models::Any => true,
    };
    if !fits {
        return Err(unsupported(profile, criteria));
    }
    match profile.adversary {
        Adversary::KnowsAlgorithm => criteria.check_convex(),
        Adversary::SeesRelease => Ok(()),
    }
}

/// Returns the bound of a model that must be ratio l-diversity.
///
/// # Errors
/// [`Error::ModelUnsupported`] for any other model.
pub fn ratio(algorithm: &dyn Algorithm, criteria: &Criteria) -> Result<RatioDiversity, Error> {
    criteria.ratio().ok_or_else(|| unsupported(&algorithm.profile(), criteria))
}

/// The error for a model, or for people with several values, that an algorithm does not support.
pub fn unsupported(profile: &Profile, criteria: &Criteria) -> Error {
    let algorithm = profile.name;
    if criteria.is_of_sets() {
        return Error::SetsUnsupported { algorithm };
    }
    Error::ModelUnsupported {
        algorithm,
        made_for: profile.models.in_words(),
        model: criteria.model().to_string(),
    }
}

/// The l of ratio or distinct l-diversity.
pub fn diversity(model: &Model) -> Option<u32> {
    match model.requirements() {
        [Requirement::Distinct(distinct)] => Some(distinct.l),
        _ => model.ratio().map(RatioDiversity::l),
    }
}
