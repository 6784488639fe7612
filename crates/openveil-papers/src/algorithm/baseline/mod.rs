//! Algorithms in common use, behind the same interface, for comparison.
//!
//! They use sensitive values to choose groups, so a reader who runs them on the possible tables may
//! learn more than the groups show. Each is marked
//! [`SeesRelease`](openveil_core::algorithm::Adversary::SeesRelease): what a group shows satisfies
//! the model, and nothing more is guaranteed.

mod anatomy;
mod incognito;
mod mondrian;
#[cfg(test)]
mod testing;
mod top_down;

pub use anatomy::anatomy;
pub use incognito::{FullDomain, IncognitoScore, incognito, minimal_generalizations};
pub use mondrian::{MedianRows, mondrian};
pub use top_down::top_down;

use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Models, Profile, Settings, diversity, unsupported};
use openveil_core::coins::Coins;
use openveil_core::model::{Counts, Criteria, Ineligible};
use openveil_core::table::{Groups, View};

/// Returns whether a group may be published: the model holds on it, and it has at least the size
/// that the model guarantees, even if all of its values are exempt.
fn holds(criteria: &Criteria, counts: &Counts<'_>) -> bool {
    counts.total() >= criteria.least_size().into() && criteria.hold_on_group(counts)
}

/// Checks that the table as one group may be published: every baseline starts there or, for a
/// monotone model, ends there.
fn check_whole(table: &View, criteria: &Criteria) -> Result<(), Error> {
    criteria.check_whole(table)?;
    check_size(table, criteria)
}

/// Checks that the table is not smaller than a group must be.
fn check_size(table: &View, criteria: &Criteria) -> Result<(), Error> {
    let (l, rows) = (criteria.least_size(), table.rows() as u32);
    if rows < l {
        return Err(Ineligible::TooFewRows { l, rows }.into());
    }
    Ok(())
}

/// Returns rows in the order of their contents. Rows with equal contents are interchangeable.
fn by_content(view: &View) -> Vec<u32> {
    let mut order: Vec<u32> = (0..view.rows() as u32).collect();
    let held = |row: u32| {
        view.known()
            .iter()
            .map(move |column| column.codes()[row as usize])
            .chain([view.secret().codes()[row as usize]])
    };
    order.sort_by(|&a, &b| held(a).cmp(held(b)));
    order
}

/// Returns the table whose row `i` is row `order[i]` of a view.
fn reordered(view: &View, order: &[u32]) -> Result<View, Error> {
    let pick = |codes: &[u32]| order.iter().map(|&row| codes[row as usize]).collect();
    let known = view.known().iter().map(|column| column.clone().with_codes(pick(column.codes())));
    let secret = view.secret().clone().with_codes(pick(view.secret().codes()));
    View::new(known.collect(), secret)
}

/// An algorithm without coins that guarantees nothing against a reader who re-runs it.
macro_rules! without_coins {
    ($(#[$doc:meta])* $type:ident, $name:literal, $models:ident, $groups:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $type;

        impl Algorithm for $type {
            fn profile(&self) -> Profile {
                Profile::disclosing($name)
                    .for_models(Models::$models)
                    .with_exempt()
            }

            fn check_limits(
                &self,
                view: &View,
                criteria: &Criteria,
                _settings: &Settings,
            ) -> Result<(), Error> {
                check_size(view, criteria)
            }

            fn groups(
                &self,
                view: &View,
                criteria: &Criteria,
                _settings: &Settings,
                _coins: &mut dyn Coins,
            ) -> Result<Groups, Error> {
                let groups: fn(&View, &Criteria) -> Result<Groups, Error> = $groups;
                groups(view, criteria)
            }
        }
    };
}

without_coins!(
    /// Top-down local recoding, for any model: [`top_down`], with ties broken by the contents of
    /// rows, not by their positions.
    TopDown, "top-down", Any, |view, criteria| {
        let order = by_content(view);
        let groups = top_down(&reordered(view, &order)?, criteria)?;
        Ok(groups.iter().map(|rows| rows.iter().map(|&row| order[row as usize]).collect::<Vec<_>>()).collect())
    }
);

without_coins!(
    /// Mondrian with boxes that do not overlap, for any model: [`mondrian`].
    Mondrian, "mondrian", Any, |view, criteria| mondrian(view, criteria, MedianRows::Strict)
);

without_coins!(
    /// Mondrian that divides rows with the median value between both sides: [`mondrian`].
    MondrianRelaxed, "mondrian-relaxed", Any, |view, criteria| mondrian(view, criteria, MedianRows::Relaxed)
);

without_coins!(
    /// Incognito, for monotone models: [`incognito`].
    Incognito, "incognito", Monotone, |view, criteria| incognito(view, criteria, IncognitoScore::default())
);

/// Anatomize, for ratio and distinct l-diversity: [`anatomy`].
#[derive(Debug, Clone, Copy)]
pub struct Anatomy;

impl Algorithm for Anatomy {
    fn profile(&self) -> Profile {
        const REASON: &str = "it takes rows from the most frequent values in turn; no finer grouping is tried and refused";
        Profile::safe("anatomy", REASON).for_models(Models::RatioOrDistinct)
    }

    fn check_limits(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
    ) -> Result<(), Error> {
        check_size(view, criteria)
    }

    fn groups(
        &self,
        view: &View,
        criteria: &Criteria,
        _settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        let l =
            diversity(criteria.model()).ok_or_else(|| unsupported(&self.profile(), criteria))?;
        Ok(anatomy(view, l, coins))
    }
}
