//! A user's choices about how groups are arranged.

use super::Trials;
use crate::Error;
use crate::table::View;
use std::num::NonZeroU32;

/// Settings of how groups are made. Privacy does not depend on them: they affect which groupings
/// are tried, and the arranging, which sees quasi-identifiers only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    /// How many times groups are matched anew in neighbourhoods. It is a count and not a time
    /// limit, so that the same coins lead to the same groups on every machine.
    pub effort: u32,
    /// Whether groups should reproduce every quasi-identifier's own distribution when a reader
    /// spreads them evenly over their cells. This helps with ranges and sets, and has no use for
    /// exact values.
    pub keeps_marginals: bool,
    /// How people of a stratum are put into groups.
    pub inside: Inside,
    /// The trials of `naive`, `safe` and `k-jump`.
    pub trials: Trials,
    /// The fewest rows that `halving` leaves in a group, beside what the model asks for; by default
    /// [`Settings::smallest_group`] decides.
    pub smallest_group: Option<NonZeroU32>,
}

/// How people of a stratum are put into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Inside {
    /// By their quasi-identifiers, so that cells are small.
    #[default]
    Arranged,
    /// By coins alone. The way groups came about then discloses nothing, so a guarantee is possible
    /// to readers who are informed about everybody. Cells are as wide as a stratum; strata are the
    /// only way to preserve quasi-identifiers.
    Random,
}

impl Inside {
    /// The settings that a policy names.
    pub const ALL: [Self; 2] = [Self::Arranged, Self::Random];

    /// The name in policies and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arranged => "arranged",
            Self::Random => "random",
        }
    }
}

impl Settings {
    /// The fewest rows of a group by default, in tables that are large enough: in smaller groups
    /// readers who know how values go with known columns learn much, and analysts little more.
    pub const SMALLEST_GROUP: u32 = 25;

    /// The fewest groups of a stratum that the default leaves possible.
    const LEAST_GROUPS: usize = 8;

    /// The fewest rows of a group of these tables: a function of the user's choice and of the
    /// number of rows in the smallest stratum. The model may ask for more.
    pub fn smallest_group(&self, tables: &[&View]) -> NonZeroU32 {
        self.smallest_group.unwrap_or_else(|| {
            let most = smallest_stratum(tables) / Self::LEAST_GROUPS;
            NonZeroU32::new(Self::SMALLEST_GROUP.min(most as u32)).unwrap_or(NonZeroU32::MIN)
        })
    }

    /// Returns these settings with the number of [`Settings::smallest_group`].
    #[must_use]
    pub fn of_tables(&self, tables: &[&View]) -> Self {
        Self { smallest_group: Some(self.smallest_group(tables)), ..self.clone() }
    }

    /// Checks that a table has enough rows for the groups that the user asks for.
    ///
    /// # Errors
    /// [`Error::SmallestGroup`] if a stratum has fewer rows.
    pub(super) fn check(&self, view: &View) -> Result<(), Error> {
        let most = smallest_stratum(&[view]);
        match self.smallest_group {
            Some(asked) if asked.get() as usize > most => Err(Error::SmallestGroup {
                asked: asked.get(),
                most,
                has_strata: view.strata_columns().next().is_some(),
            }),
            _ => Ok(()),
        }
    }
}

/// Number of rows in the smallest stratum of some tables.
fn smallest_stratum(tables: &[&View]) -> usize {
    tables
        .iter()
        .flat_map(|view| view.strata().into_iter().map(|stratum| stratum.size(view)))
        .min()
        .unwrap_or_default()
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            effort: 2,
            keeps_marginals: true,
            inside: Inside::Arranged,
            trials: Trials::default(),
            smallest_group: None,
        }
    }
}
