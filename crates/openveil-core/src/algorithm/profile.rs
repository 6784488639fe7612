//! An algorithm's profile: facts that are known without running it.

/// The strongest reader against whom an algorithm's guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adversary {
    /// Knows the algorithm, its parameters and its source, but not the coins.
    KnowsAlgorithm,
    /// Sees the release, and does not know how it was made.
    SeesRelease,
}

impl Adversary {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::KnowsAlgorithm => "knows-algorithm",
            Self::SeesRelease => "sees-release",
        }
    }
}

/// The models that an algorithm supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Models {
    /// Ratio l-diversity, for every eligible table.
    Ratio,
    /// Ratio and distinct l-diversity.
    RatioOrDistinct,
    /// Every model that holds on unions of groups on which it holds.
    Monotone,
    /// Every model. If the guarantee is against a reader who knows the algorithm, every convex
    /// model.
    Any,
}

impl Models {
    /// `ratio l-diversity`
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Ratio => "ratio l-diversity",
            Self::RatioOrDistinct => "ratio and distinct l-diversity",
            Self::Monotone => "models that hold on every union of groups on which they hold",
            Self::Any => "convex models",
        }
    }
}

/// The property proved of the posterior of the reader against whom the guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Posterior {
    /// It is a mixture of the distributions of released groups.
    OfGroups,
    /// The model holds on it; no more is known.
    KeepsModel,
}

/// How the attack that runs the algorithm again exchanges values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// There are no coins: after two values of a group are exchanged, the release is either the
    /// same or not.
    Deterministic,
    /// Columns of values are exchanged whole, with the corresponding coins.
    Columns,
    /// Two members of a group are exchanged, with the corresponding coins.
    Members,
    /// Two members of a group are exchanged, with the same coins.
    SameCoins,
    /// No coins correspond to each other; the attack checks the contents of groups.
    Groups,
}

/// An algorithm's name and its guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The name in policies and manifests.
    pub name: &'static str,
    /// The strongest reader against whom the algorithm protects.
    pub adversary: Adversary,
    /// The models that it supports.
    pub models: Models,
    /// Whether values may be exempt.
    pub takes_exempt: bool,
    /// Whether the user can set how people of a stratum are put into groups
    /// ([`Settings::inside`](super::Settings::inside)). Then slots can also outlast a release
    /// ([`history`](crate::history)).
    pub takes_inside: bool,
    /// Whether the user can set the fewest rows of a group
    /// ([`Settings::smallest_group`](super::Settings::smallest_group)).
    pub takes_smallest_group: bool,
    /// Whether it tries one grouping after the other, so that the user can set which
    /// ([`Settings::trials`](super::Settings::trials)).
    pub takes_trials: bool,
    /// Whether it makes groups of tables that do not fit into memory ([`chunks`](super::chunks)).
    pub takes_chunks: bool,
    /// The property proved of a reader's posterior.
    pub posterior: Posterior,
    /// How the attack that runs it again exchanges values.
    pub replay: Replay,
    /// Whether two values of a group can always be exchanged with the same release as a result,
    /// which is what a certificate shows.
    pub is_certifiable: bool,
    /// Why it does not stop at the first of several attempts that satisfies the model; `None` if it
    /// does.
    pub never_stops_early: Option<&'static str>,
}

impl Profile {
    /// Returns the profile of a safe algorithm for ratio l-diversity that ignores single values: it
    /// tosses coins, and only its groups hide who has which value.
    pub const fn safe(name: &'static str, never_stops_early: &'static str) -> Self {
        Self {
            name,
            adversary: Adversary::KnowsAlgorithm,
            models: Models::Ratio,
            takes_exempt: false,
            takes_inside: false,
            takes_smallest_group: false,
            takes_trials: false,
            takes_chunks: false,
            posterior: Posterior::OfGroups,
            replay: Replay::Groups,
            is_certifiable: true,
            never_stops_early: Some(never_stops_early),
        }
    }

    /// Returns the profile of an algorithm, for comparison, that tosses no coins and discloses
    /// values to a reader who runs it again.
    pub const fn disclosing(name: &'static str) -> Self {
        Self {
            adversary: Adversary::SeesRelease,
            replay: Replay::Deterministic,
            is_certifiable: false,
            never_stops_early: None,
            ..Self::safe(name, "")
        }
    }

    /// Lets values be exempt.
    pub const fn with_exempt(self) -> Self {
        Self { takes_exempt: true, ..self }
    }

    /// Lets people be put into groups by coins.
    pub const fn with_inside(self) -> Self {
        Self { takes_inside: true, ..self }
    }

    /// Lets the user set the fewest rows of a group.
    pub const fn with_smallest_group(self) -> Self {
        Self { takes_smallest_group: true, ..self }
    }

    /// Lets the user set what is tried.
    pub const fn with_trials(self) -> Self {
        Self { takes_trials: true, ..self }
    }

    /// Lets tables be larger than memory.
    pub const fn in_chunks(self) -> Self {
        Self { takes_chunks: true, ..self }
    }

    /// Sets the supported models.
    pub const fn for_models(self, models: Models) -> Self {
        Self { models, ..self }
    }

    /// Sets how the attack that runs it again exchanges values.
    pub const fn replayed(self, replay: Replay) -> Self {
        Self { replay, ..self }
    }

    /// Limits the guarantee to the model: the posterior after a refused attempt satisfies it, but
    /// need not be a mixture of the groups' distributions.
    pub const fn keeping_model(self) -> Self {
        Self { posterior: Posterior::KeepsModel, is_certifiable: false, ..self }
    }

    /// Declares, with a reason, that it cannot stop as soon as a grouping succeeds.
    pub const fn never_stopping_early(self, reason: &'static str) -> Self {
        Self { never_stops_early: Some(reason), ..self }
    }

    /// Returns the profile to use if readers may know other outputs that depended on who has which
    /// value, such as parameters chosen by measures. It then guarantees nothing against a reader
    /// who knows how the release was made.
    #[must_use]
    pub fn after_looks(self) -> Self {
        Self { adversary: Adversary::SeesRelease, is_certifiable: false, ..self }
    }

    /// Whether the algorithm tosses coins. If it does not, the same table always leads to the same
    /// release.
    pub fn is_randomized(&self) -> bool {
        self.replay != Replay::Deterministic
    }

    /// Whether it matches people who are alike. No model then says how values came into groups, so
    /// that nothing can be fitted.
    pub fn is_matching(&self) -> bool {
        self.replay == Replay::Columns
    }

    /// Whether it guarantees anything against a reader who knows it.
    pub fn is_safe(&self) -> bool {
        self.adversary == Adversary::KnowsAlgorithm
    }
}
