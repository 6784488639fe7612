//! A user's choices about how groups are arranged.

use super::Trials;
use crate::Error;
use crate::table::View;
use std::fmt;
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
    /// The number of lots into which `cover` divides a table, each with its own composition.
    pub lots: Lots,
    /// The fewest rows that `halving` leaves in a group, beside what the model asks for; by default
    /// [`Settings::smallest_group`] decides.
    pub smallest_group: Option<NonZeroU32>,
}

/// Into how many *lots* a table is divided, each of which gets its part of every value. In each
/// lot, random draws decide which values share a column. Groups do not tell apart values that share
/// a column in every lot; with many lots hardly any values do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lots {
    /// The number that [`Lots::by_rule`] returns.
    #[default]
    ByRule,
    /// This many, or one for each group if there are fewer groups.
    Number(NonZeroU32),
}

impl Lots {
    /// The approximate number of groups in a lot by the rule, if known columns are published
    /// exactly.
    pub const GROUPS_PER_LOT: u32 = 120;

    /// Like [`Lots::GROUPS_PER_LOT`], but for ranges, which large units keep narrow.
    pub const GROUPS_PER_LOT_RANGES: u32 = 2_500;

    /// The most lots by the rule, so that their published layout stays short.
    pub const MOST_BY_RULE: u32 = 300;

    /// Like [`Lots::MOST_BY_RULE`], but for ranges: more lots recover hardly any accuracy and cost
    /// time, since fewer people of a lot are alike.
    pub const MOST_BY_RULE_RANGES: u32 = 4;

    /// The most values in all lots together by the rule, for the same reason as
    /// [`Lots::MOST_BY_RULE`].
    pub const MOST_VALUES: u32 = 200_000;

    /// The most lots that a user may ask for.
    pub const MOST: u32 = 10_000;

    /// The number of lots for a table of this many groups, this many rows in the largest group, and
    /// this many different values. It is a function of public facts. There is one lot if there are
    /// no more values than columns, because then only one composition exists.
    pub fn by_rule(groups: u32, columns: u32, values: usize, keeps_marginals: bool) -> u32 {
        if values <= columns as usize {
            return 1;
        }
        let most = if keeps_marginals {
            Self::MOST_BY_RULE_RANGES
        } else {
            Self::MOST_BY_RULE
        };
        let most = (Self::MOST_VALUES / values as u32).clamp(1, most);
        (groups / Self::groups_per_lot(keeps_marginals)).clamp(1, most)
    }

    /// The approximate number of groups in a lot by the rule; `keeps_marginals` as in
    /// [`Settings::keeps_marginals`].
    pub fn groups_per_lot(keeps_marginals: bool) -> u32 {
        if keeps_marginals {
            Self::GROUPS_PER_LOT_RANGES
        } else {
            Self::GROUPS_PER_LOT
        }
    }

    /// The number of lots for a table with these numbers; the arguments are those of
    /// [`Lots::by_rule`].
    pub fn number(self, groups: u32, columns: u32, values: usize, keeps_marginals: bool) -> u32 {
        match self {
            Self::ByRule => Self::by_rule(groups, columns, values, keeps_marginals),
            Self::Number(number) => number.get().min(groups.max(1)),
        }
    }
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
    /// By their quasi-identifiers, blurred by noise: cells are wider, and the way groups came about
    /// discloses less.
    Jittered(Jitter),
}

/// How strong the noise is that blurs positions: 1 is a scale of half a standard deviation of the
/// column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Jitter {
    hundredths: u32,
}

impl Jitter {
    /// The most, in hundredths.
    pub const MOST: u32 = 1_000;

    /// A strength in hundredths, 1 to [`Jitter::MOST`]; `None` for other numbers.
    pub fn of_hundredths(hundredths: u32) -> Option<Self> {
        (1..=Self::MOST)
            .contains(&hundredths)
            .then_some(Self { hundredths })
    }

    /// The strength in hundredths.
    pub fn hundredths(self) -> u32 {
        self.hundredths
    }
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.hundredths) / 100.0)
    }
}

impl Inside {
    /// The settings that a policy names.
    pub const ALL: [Self; 2] = [Self::Arranged, Self::Random];

    /// The name in policies and manifests; jitter is named separately.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arranged | Self::Jittered(_) => "arranged",
            Self::Random => "random",
        }
    }
}

impl Settings {
    /// The most sweeps that a user may ask for.
    pub const MOST_EFFORT: u32 = 1_000;

    /// The fewest rows of a group by default, in tables that are large enough: in smaller groups
    /// readers who know how values go with known columns learn much, and analysts little more.
    pub const SMALLEST_GROUP: u32 = 25;

    /// The fewest groups of a stratum that the default leaves possible.
    const LEAST_GROUPS: usize = 8;

    /// The fewest rows of a group of these tables: a function of the user's choice and of the
    /// number of rows in the smallest stratum. The model may ask for more.
    pub fn smallest_group(&self, tables: &[&View]) -> NonZeroU32 {
        let by_rows = || {
            let most = smallest_stratum(tables) / Self::LEAST_GROUPS;
            NonZeroU32::new(Self::SMALLEST_GROUP.min(most as u32)).unwrap_or(NonZeroU32::MIN)
        };
        self.smallest_group.unwrap_or_else(by_rows)
    }

    /// Returns these settings with the number of [`Settings::smallest_group`].
    #[must_use]
    pub fn of_tables(&self, tables: &[&View]) -> Self {
        Self {
            smallest_group: Some(self.smallest_group(tables)),
            ..self.clone()
        }
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
    let sizes = tables.iter().flat_map(|view| {
        let strata = view.strata().into_iter();
        strata.map(|stratum| stratum.size(view))
    });
    sizes.min().unwrap_or_default()
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            effort: 2,
            keeps_marginals: true,
            inside: Inside::Arranged,
            trials: Trials::default(),
            lots: Lots::ByRule,
            smallest_group: None,
        }
    }
}
