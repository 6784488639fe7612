//! What is known of each algorithm without running it.

use super::{Adversary, Algorithm};

/// An algorithm's name and what it promises.
pub(super) struct Profile {
    pub(super) name: &'static str,
    pub(super) adversary: Adversary,
    pub(super) is_randomized: bool,
    /// Whether values may be exempt.
    pub(super) takes_exempt: bool,
}

impl Profile {
    /// Tosses coins, and is safe to know.
    const fn safe(name: &'static str) -> Self {
        Self {
            name,
            adversary: Adversary::KnowsAlgorithm,
            is_randomized: true,
            takes_exempt: false,
        }
    }

    /// Tosses no coins, and gives people away to a reader who re-runs it.
    const fn disclosing(name: &'static str) -> Self {
        Self {
            adversary: Adversary::SeesRelease,
            is_randomized: false,
            ..Self::safe(name)
        }
    }

    const fn exempt(self) -> Self {
        Self {
            takes_exempt: true,
            ..self
        }
    }

    const fn randomized(self) -> Self {
        Self {
            is_randomized: true,
            ..self
        }
    }
}

impl Algorithm {
    /// All algorithms, the default first.
    pub const ALL: [Self; 14] = [
        Self::Cover,
        Self::Halving,
        Self::KJump,
        Self::Safe,
        Self::Ria,
        Self::Rda,
        Self::RdaFileOrder,
        Self::Gda,
        Self::Naive,
        Self::TopDown,
        Self::Mondrian,
        Self::MondrianRelaxed,
        Self::Incognito,
        Self::Anatomy,
    ];

    pub(super) const fn profile(self) -> Profile {
        match self {
            Self::Cover => Profile::safe("cover").exempt(),
            Self::Halving => Profile::safe("halving").exempt(),
            Self::KJump => Profile::safe("k-jump").exempt(),
            Self::Safe => Profile::safe("safe").exempt(),
            Self::Ria => Profile::safe("ria"),
            Self::Rda => Profile::safe("rda"),
            Self::RdaFileOrder => Profile::disclosing("rda-file-order"),
            Self::Gda => Profile::disclosing("gda"),
            Self::Naive => Profile::disclosing("naive").randomized().exempt(),
            Self::TopDown => Profile::disclosing("top-down").exempt(),
            Self::Mondrian => Profile::disclosing("mondrian").exempt(),
            Self::MondrianRelaxed => Profile::disclosing("mondrian-relaxed").exempt(),
            Self::Incognito => Profile::disclosing("incognito").exempt(),
            Self::Anatomy => Profile::disclosing("anatomy").randomized(),
        }
    }
}
