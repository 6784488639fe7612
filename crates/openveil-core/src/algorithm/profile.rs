//! An algorithm's profile: facts that are known without running it.

/// The strongest reader against whom an algorithm's promise holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adversary {
    /// Knows the algorithm, its parameters and its source, but not the coins.
    KnowsAlgorithm,
    /// Sees the release and must not know how it was made.
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

/// Which models an algorithm can keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Models {
    /// Ratio l-diversity, for every eligible table.
    Ratio,
    /// Ratio and distinct l-diversity.
    RatioOrDistinct,
    /// Every model that holds on unions of groups on which it holds.
    Monotone,
    /// Every model; where the promise is against a reader who knows the algorithm,
    /// every convex one.
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

/// The property proved of the posterior of the reader against whom the promise holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Posterior {
    /// It is a mixture of the distributions of released groups.
    OfGroups,
    /// The model holds on it; no more is known.
    KeepsModel,
}

/// How the attack that runs the algorithm again is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// There are no coins: exchanging two values of a group either leads to the same
    /// release or does not.
    Deterministic,
    /// Columns of values are exchanged whole, with the corresponding coins.
    Columns,
    /// Two members of a group are exchanged, with the corresponding coins.
    Members,
    /// Two members of a group are exchanged, with the same coins.
    SameCoins,
    /// No coins correspond to one another; what the groups show is checked.
    Groups,
}

/// An algorithm's name and what it promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The name in policies and manifests.
    pub name: &'static str,
    /// Against whom the algorithm protects.
    pub adversary: Adversary,
    /// Which models it can keep.
    pub models: Models,
    /// Whether values may be exempt.
    pub takes_exempt: bool,
    /// Whether it arranges groups, so that it can be told how hard to work at them
    /// ([`Settings::effort`](super::Settings::effort)).
    pub takes_effort: bool,
    /// Whether it can be told how people of a stratum are put into groups
    /// ([`Settings::inside`](super::Settings::inside)), and whether slots can outlast a
    /// release ([`history`](crate::history)).
    pub takes_inside: bool,
    /// Whether it can be told into how many lots to part a table
    /// ([`Settings::lots`](super::Settings::lots)).
    pub takes_lots: bool,
    /// Whether it tries one grouping after the other, so that it can be told which
    /// ([`Settings::trials`](super::Settings::trials)).
    pub takes_trials: bool,
    /// The property proved of a reader's posterior.
    pub posterior: Posterior,
    /// How it is attacked by running it again.
    pub replay: Replay,
    /// Whether exchanging two values of a group can always lead to the same release:
    /// what a certificate shows.
    pub is_certifiable: bool,
    /// Why it does not stop at the first of several attempts that satisfies the
    /// model; none if it does.
    pub never_stops_early: Option<&'static str>,
}

impl Profile {
    /// A safe algorithm for ratio l-diversity, blind to single values: it tosses
    /// coins, and its groups alone conceal who has which value.
    pub const fn safe(name: &'static str, never_stops_early: &'static str) -> Self {
        Self {
            name,
            adversary: Adversary::KnowsAlgorithm,
            models: Models::Ratio,
            takes_exempt: false,
            takes_effort: false,
            takes_inside: false,
            takes_lots: false,
            takes_trials: false,
            posterior: Posterior::OfGroups,
            replay: Replay::Groups,
            is_certifiable: true,
            never_stops_early: Some(never_stops_early),
        }
    }

    /// An algorithm that tosses no coins, and gives people away to a reader who
    /// re-runs it: for comparison.
    pub const fn disclosing(name: &'static str) -> Self {
        Self {
            adversary: Adversary::SeesRelease,
            replay: Replay::Deterministic,
            is_certifiable: false,
            never_stops_early: None,
            ..Self::safe(name, "")
        }
    }

    /// Values may be exempt.
    pub const fn with_exempt(self) -> Self {
        Self {
            takes_exempt: true,
            ..self
        }
    }

    /// It arranges groups, as hard as it is told.
    pub const fn with_effort(self) -> Self {
        Self {
            takes_effort: true,
            ..self
        }
    }

    /// It can put people into groups by coins.
    pub const fn with_inside(self) -> Self {
        Self {
            takes_inside: true,
            ..self
        }
    }

    /// It can part a table into lots.
    pub const fn with_lots(self) -> Self {
        Self {
            takes_lots: true,
            ..self
        }
    }

    /// It can be told what to try.
    pub const fn with_trials(self) -> Self {
        Self {
            takes_trials: true,
            ..self
        }
    }

    /// The models that it keeps.
    pub const fn for_models(self, models: Models) -> Self {
        Self { models, ..self }
    }

    /// Sets how the attack that runs it again is played.
    pub const fn replayed(self, replay: Replay) -> Self {
        Self { replay, ..self }
    }

    /// Promises the model only: a refused attempt tells something that leaves it, but not the
    /// groups' distributions.
    pub const fn keeping_model(self) -> Self {
        Self {
            posterior: Posterior::KeepsModel,
            is_certifiable: false,
            ..self
        }
    }

    /// It cannot stop as soon as a grouping succeeds, for a reason.
    pub const fn never_stopping_early(self, reason: &'static str) -> Self {
        Self {
            never_stops_early: Some(reason),
            ..self
        }
    }

    /// The algorithm where readers may know other outputs that depended on who has which value,
    /// such as a choice of parameters by measures: nothing is promised to a reader who knows how
    /// the release was made.
    #[must_use]
    pub fn after_looks(self) -> Self {
        Self {
            adversary: Adversary::SeesRelease,
            is_certifiable: false,
            ..self
        }
    }

    /// Whether the algorithm tosses coins; if not, the same table always leads to
    /// the same release.
    pub fn is_randomized(&self) -> bool {
        self.replay != Replay::Deterministic
    }

    /// Whether it promises something to a reader who knows it.
    pub fn is_safe(&self) -> bool {
        self.adversary == Adversary::KnowsAlgorithm
    }
}
