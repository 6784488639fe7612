//! What a user may choose about how groups are arranged.

/// How hard groups are worked at. Privacy does not depend on it: settings decide about
/// the arranging only, which sees quasi-identifiers and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
}

impl Inside {
    /// All of them.
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
    /// The most sweeps that may be asked for.
    pub const MOST_EFFORT: u32 = 1_000;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            effort: 2,
            keeps_marginals: true,
            inside: Inside::Arranged,
        }
    }
}
