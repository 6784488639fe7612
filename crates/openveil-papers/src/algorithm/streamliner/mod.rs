#![doc = include_str!("proof.md")]

mod bijections;
mod blocks;
pub mod candidates;
pub mod colours;
mod gda;
mod largest_first;
mod rda;
mod ria;
pub mod second_stage;
mod union_find;

pub use gda::gda;
pub use rda::{rda, rda_file_order};
pub use ria::{RiaColours, ria};

use colours::Colours;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Profile, Replay, Settings, ratio};
use openveil_core::coins::{Coins, Distribution, Memory, distribution, join_links};
use openveil_core::model::Criteria;
use openveil_core::table::{Groups, View};
use second_stage::Family;

/// The reason why these algorithms do not stop at a first success.
const ONCE: &str =
    "it forms its groups once, value by value; no finer grouping is tried and refused";

/// The reason why a choice among unions of such groups does not either.
const UNIONS: &str = "it forms its groups once, value by value, and joins them by known columns: the secret takes no part in that choice";

/// Random and independent: [`ria`].
#[derive(Debug, Clone, Copy)]
pub struct Ria;

impl Algorithm for Ria {
    fn profile(&self) -> Profile {
        Profile::safe("ria", ONCE)
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        ria(view, ratio(self, criteria)?, coins)
    }

    /// Colours choose independently, so they are enumerated one by one.
    fn distribution_of_groups(
        &self,
        view: &View,
        criteria: &Criteria,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        let model = ratio(self, criteria)?;
        seated(view, path_limit, memory, |places| {
            let colours = RiaColours::of_colours(places.clone(), model);
            let links =
                |colour| distribution(path_limit, |coins| colours.links_of_places(colour, coins));
            join_links(view.rows(), (0..colours.len()).map(links))
        })
    }
}

/// Random and dependent: [`rda`].
#[derive(Debug, Clone, Copy)]
pub struct Rda;

impl Algorithm for Rda {
    fn profile(&self) -> Profile {
        Profile::safe("rda", ONCE).replayed(Replay::Members)
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        rda(view, ratio(self, criteria)?, coins)
    }

    /// Enumerates over places: the result is equal for every table with the same histogram.
    fn distribution_of_groups(
        &self,
        view: &View,
        criteria: &Criteria,
        path_limit: u64,
        memory: &Memory,
    ) -> Result<Distribution<Groups>, Error> {
        let model = ratio(self, criteria)?;
        seated(view, path_limit, memory, |places| {
            distribution(path_limit, |coins| Ok(rda::groups_of_places(places, model, coins)))
        })
    }
}

/// RDA without random draws, which takes rows in file order: [`rda_file_order`]. Unsafe, for
/// comparison: the paper draws at random.
#[derive(Debug, Clone, Copy)]
pub struct RdaFileOrder;

impl Algorithm for RdaFileOrder {
    fn profile(&self) -> Profile {
        Profile::disclosing("rda-file-order").never_stopping_early(ONCE)
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
        _coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        rda_file_order(view, ratio(self, criteria)?)
    }
}

/// Guided and dependent, as printed: [`gda`]. Unsafe.
#[derive(Debug, Clone, Copy)]
pub struct Gda;

impl Algorithm for Gda {
    fn profile(&self) -> Profile {
        const REASON: &str = "it forms its groups once, value by value; no finer grouping is tried and refused (the re-run shows what its choices disclose)";
        Profile::disclosing("gda").never_stopping_early(REASON)
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
        _coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        gda(view, ratio(self, criteria)?)
    }
}

/// Makes the algorithm that follows another one by the second stage.
macro_rules! with_second_stage {
    ($(#[$doc:meta])* $own:ident, $first:ident, $name:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $own;

        impl Algorithm for $own {
            /// The posterior is a mixture of distributions of minimal groups, which the release
            /// does not show. No exchange has to leave the choice as it was, so nothing is
            /// certified.
            fn profile(&self) -> Profile {
                Profile::safe($name, UNIONS).keeping_model()
            }

            fn groups(
                &self,
                view: &View,
                criteria: &Criteria,
                settings: &Settings,
                coins: &mut dyn Coins,
            ) -> Result<Groups, Error> {
                let minimal = $first.groups(view, criteria, settings, coins)?;
                Ok(Family::new(view.known(), view.rows()).best(&minimal, coins))
            }

            fn distribution_of_groups(
                &self,
                view: &View,
                criteria: &Criteria,
                path_limit: u64,
                memory: &Memory,
            ) -> Result<Distribution<Groups>, Error> {
                let family = Family::new(view.known(), view.rows());
                let minimal = $first.distribution_of_groups(view, criteria, path_limit, memory)?;
                minimal.then(|groups| {
                    distribution(path_limit, |coins| Ok(family.best(groups, coins).sorted()))
                })
            }
        }
    };
}

with_second_stage!(
    /// [`Ria`], then a better partition of its family set: [`second_stage`].
    RiaSecondStage, Ria, "ria-second-stage"
);
with_second_stage!(
    /// [`Rda`], then a better partition of its family set: [`second_stage`].
    RdaSecondStage, Rda, "rda-second-stage"
);

/// Returns the distribution of groups of rows, from the distribution of groups of places, into
/// which coins put the rows.
///
/// Places, and the groups made of them, depend on the histogram only. The possible seatings are
/// therefore enumerated for one table, whose rows are in order of colour. In every other table with
/// its histogram, rows have other numbers, and the coins that put them into places have the same
/// distribution.
fn seated(
    view: &View,
    path_limit: u64,
    memory: &Memory,
    of_places: impl FnOnce(&Colours) -> Result<Distribution<Groups>, Error>,
) -> Result<Distribution<Groups>, Error> {
    let colours = Colours::new(view);
    let renumbered = |groups: Groups, rows: &[u32]| {
        let groups = groups.renumbered(|place| rows[place as usize]);
        groups.sorted()
    };
    let in_order = memory.of(view, || {
        let places = colours.places();
        let seatings = distribution(path_limit, |coins| Ok(places.seated(coins)))?;
        of_places(&places)?.joined(&seatings, |groups, rows| renumbered(groups.clone(), rows))
    })?;
    let own = Distribution::clone(&in_order);
    Ok(own.renamed(|groups| renumbered(groups, colours.rows())))
}

#[cfg(test)]
mod tests;
