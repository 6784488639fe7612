use crate::exact::Fraction;
use num_traits::One;

/// How probable a guess of a person's protected value can be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chance {
    /// Never above a bound, which is below 1.
    AtMost(Fraction),
    /// Below 1, without a known bound below 1.
    BelowOne,
    /// A value may become certain.
    MayBeCertain,
}

impl Chance {
    /// The bound as a fraction: 1 if values may become certain, `None` if values remain uncertain
    /// without a bound.
    pub fn bound(&self) -> Option<Fraction> {
        match self {
            Self::AtMost(bound) => Some(bound.clone()),
            Self::BelowOne => None,
            Self::MayBeCertain => Some(Fraction::one()),
        }
    }

    pub(super) fn of_bound(bound: Fraction) -> Self {
        if bound < Fraction::one() { Self::AtMost(bound) } else { Self::MayBeCertain }
    }

    /// Applies `change` to the bound of this chance.
    pub(super) fn with_bound(&self, change: impl Fn(&Fraction) -> Fraction) -> Self {
        match self {
            Self::AtMost(bound) => Self::of_bound(change(bound)),
            other => other.clone(),
        }
    }

    /// Returns the weaker guarantee: the greater of two chances.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::AtMost(one), Self::AtMost(other)) => Self::AtMost(one.max(other)),
            (Self::MayBeCertain, _) | (_, Self::MayBeCertain) => Self::MayBeCertain,
            _ => Self::BelowOne,
        }
    }
}
