//! A user's choices about how groups are arranged.

use super::Trials;
use std::fmt;
use std::num::NonZeroU32;

/// How groups are worked at. Privacy does not depend on it: settings decide about the
/// arranging, which sees quasi-identifiers and nothing else, and about what is tried.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Settings {
    /// How many times groups are matched anew in neighbourhoods: a count, never a time,
    /// so that the same coins lead to the same groups on every machine.
    pub effort: u32,
    /// Whether groups are to show every quasi-identifier's own distribution where its
    /// cells are spread evenly: worth it for ranges and sets, without use for exact
    /// values.
    pub keeps_marginals: bool,
    /// How groups come about inside of a stratum.
    pub inside: Inside,
    /// The trials of `naive`, `safe` and `k-jump`.
    pub trials: Trials,
    /// Into how many lots `cover` parts a table, each with a composition of its own.
    pub lots: Lots,
}

/// Into how many *lots* a table is parted, each of which gets its part of every value. In
/// each lot, random draws decide which values share a column. Values that share a column
/// in every lot cannot be told apart by what groups say of them; with many lots hardly any
/// do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lots {
    /// As many as [`Lots::by_rule`] says.
    #[default]
    ByRule,
    /// So many, or one for each group if there are fewer groups.
    Number(NonZeroU32),
}

impl Lots {
    /// Groups in a lot by the rule, about, where known columns are published exactly.
    pub const GROUPS_PER_LOT: u32 = 120;

    /// Like [`Lots::GROUPS_PER_LOT`], but for ranges, which large units keep narrow.
    pub const GROUPS_PER_LOT_RANGES: u32 = 2_500;

    /// The most lots by the rule, so that what is published of them stays short.
    pub const MOST_BY_RULE: u32 = 300;

    /// Like [`Lots::MOST_BY_RULE`], but where ranges are published: more lots hardly bring anything
    /// back, and cost time, since fewer people of a lot are alike.
    pub const MOST_BY_RULE_RANGES: u32 = 4;

    /// The most values in all lots together by the rule, for the same reason.
    pub const MOST_VALUES: u32 = 200_000;

    /// The most lots that may be asked for.
    pub const MOST: u32 = 10_000;

    /// The number of lots for a table of so many groups, of which the largest has so many
    /// rows, and so many different values: a function of public facts. One lot where there are
    /// no more values than columns, since there is no other composition then.
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

    /// Groups in a lot by the rule, about; `keeps_marginals` as in
    /// [`Settings::keeps_marginals`].
    pub fn groups_per_lot(keeps_marginals: bool) -> u32 {
        if keeps_marginals {
            Self::GROUPS_PER_LOT_RANGES
        } else {
            Self::GROUPS_PER_LOT
        }
    }

    /// The number of lots for such a table.
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
    /// By what is known of them, so that cells are small.
    #[default]
    Arranged,
    /// By coins alone. Nothing is learned from how groups came about, so that a promise is
    /// possible to readers who are informed about everybody; cells are as wide as a stratum,
    /// and what is to be kept of quasi-identifiers has to be kept by strata.
    Random,
    /// By what is known of them, blurred by noise: cells are wider, and how groups came about
    /// says less.
    Jittered(Jitter),
}

/// How strong the noise is by which positions are blurred: 1 is a scale of half a standard
/// deviation of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Jitter {
    hundredths: u32,
}

impl Jitter {
    /// The most, in hundredths.
    pub const MOST: u32 = 1_000;

    /// So many hundredths of a whole, 1 to [`Jitter::MOST`]; none for other numbers.
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
    /// Those that a policy names.
    pub const ALL: [Self; 2] = [Self::Arranged, Self::Random];

    /// The name in policies and manifests; jitter is said apart.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arranged | Self::Jittered(_) => "arranged",
            Self::Random => "random",
        }
    }
}

impl Settings {
    /// The most sweeps that may be asked for.
    pub const MOST_EFFORT: u32 = 1_000;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            effort: 2,
            keeps_marginals: true,
            inside: Inside::Arranged,
            trials: Trials::default(),
            lots: Lots::ByRule,
        }
    }
}
