//! What a user may choose about how groups are arranged.

use super::blocks::Trials;
use std::fmt;

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
    /// What `naive`, `safe` and `k-jump` try.
    pub trials: Trials,
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
        }
    }
}
