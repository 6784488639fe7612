use super::logarithms::{self, LogTerm};
use super::numbers::{Share, below};
use crate::exact::{Fraction, Rational};
use crate::model::CategoryWeights;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::cmp::{Ordering, Reverse};

/// A value or a category that occurs in a group.
#[derive(Clone, Copy)]
pub(super) struct DiversityUnit {
    pub(super) count: u64,
    pub(super) protected: bool,
}

/// At least l kinds, or no kind that needs protection.
pub(super) fn distinct(kinds: &[DiversityUnit], l: u32) -> bool {
    kinds.len() >= l as usize || kinds.iter().all(|kind| !kind.protected)
}

/// Entropy of at least log l, after some rows that need no protection are left out, or no kind that
/// needs protection.
///
/// It is best to cut exempt kinds down to a common level t, or count them in full if they have no
/// more rows than t. The entropy is greatest for t^N = ∏ cᵢ^cᵢ over the N rows of kinds in full.
/// Adding a kind below the level lowers the level, but not below that kind. So if the least kinds
/// are added first, there is exactly one point at which to stop.
pub(super) fn entropy(kinds: &[DiversityUnit], l: Rational) -> bool {
    let counts = |protected: bool| {
        kinds
            .iter()
            .filter(move |kind| kind.protected == protected)
            .map(|kind| kind.count)
            .collect::<Vec<u64>>()
    };
    let (protected, mut exempt) = (counts(true), counts(false));
    exempt.sort_unstable();
    let full = |in_full: usize| InFull::new(&[&protected[..], &exempt[..in_full]].concat());
    let (mut in_full, mut end) = (0, exempt.len());
    while in_full < end {
        let middle = in_full.midpoint(end);
        if full(middle).level_is_at_most(exempt[middle]) {
            end = middle;
        } else {
            in_full = middle + 1;
        }
    }
    protected.is_empty() || full(in_full).reaches((exempt.len() - in_full) as u64, l)
}

/// The kinds of which every row counts. Only shares matter, so the counts are divided by their
/// common divisor.
struct InFull {
    divisor: u64,
    size: u64,
    /// Σ cᵢ ln cᵢ, with equal counts combined.
    terms: Vec<LogTerm>,
}

impl InFull {
    fn new(counts: &[u64]) -> Self {
        let divisor = counts.iter().fold(0, |common, &c| num_integer::gcd(common, c)).max(1);
        let mut counts: Vec<u64> = counts.iter().map(|count| count / divisor).collect();
        counts.sort_unstable();
        let equal = counts.chunk_by(|a, b| a == b);
        Self {
            divisor,
            size: counts.iter().sum(),
            terms: equal
                .map(|equal| (i128::from(equal[0]) * equal.len() as i128, equal[0]))
                .collect(),
        }
    }

    fn with(&self, more: impl IntoIterator<Item = LogTerm>) -> Vec<LogTerm> {
        self.terms.iter().copied().chain(more).collect()
    }

    /// t ≤ count, in units of the divisor: Σ cᵢ ln cᵢ − N (ln count − ln divisor) ≤ 0.
    fn level_is_at_most(&self, count: u64) -> bool {
        let n = i128::from(self.size);
        let terms = self.with([(-n, count), (n, self.divisor)]);
        logarithms::sign(&terms, (0, 1)) != Ordering::Greater
    }

    /// N/t + cut ≥ l: Σ cᵢ ln cᵢ + N ln (l − cut) − N ln N ≤ 0.
    fn reaches(&self, cut: u64, l: Rational) -> bool {
        let cut = u128::from(cut) * u128::from(*l.denom());
        let missing = u128::from(*l.numer()).saturating_sub(cut) as u64;
        if missing == 0 {
            return true;
        }
        let n = i128::from(self.size);
        let terms = self.with([(n, missing), (-n, *l.denom()), (-n, self.size)]);
        logarithms::sign(&terms, (0, 1)) != Ordering::Greater
    }
}

/// Recursive (c, l)-diversity; with exempt kinds, the *positive disclosure-recursive* diversity of
/// Machanavajjhala et al., Definition 4.4: with r₁ ≥ … ≥ r_m, and y the first protected kind, r_y <
/// c · Σ r_j over j from l on if y < l, and over j from l − 1 on but without y otherwise.
pub(super) fn recursive(kinds: &[DiversityUnit], c: Rational, l: u32) -> bool {
    let mut ranked = kinds.to_vec();
    ranked.sort_by_key(|kind| Reverse(kind.count));
    // Counted from 1, as in the definition.
    let Some(y) = (1..=ranked.len()).find(|&j| ranked[j - 1].protected) else {
        return true;
    };
    let l = l as usize;
    let tail: u64 = (1..=ranked.len())
        .filter(|&j| if y < l { j >= l } else { j >= l - 1 && j != y })
        .map(|j| ranked[j - 1].count)
        .sum();
    let share: Share = (ranked[y - 1].count.into(), tail.into());
    tail > 0 && below(share, c)
}

/// Equation 1 of the (l, α)-diversity paper: (weight(i+1) − weight(i)) over
/// (weight(i) − weight(i−1)) is w(i+1, i) over w(i, i−1), weight(1) = 0 and the last
/// weight is 1.
pub(super) fn weights(scheme: CategoryWeights, categories: usize) -> Vec<Fraction> {
    // w(i, i−1), for i from 2.
    let w = |i: usize| match scheme {
        CategoryWeights::Uniform => Fraction::one(),
        CategoryWeights::Sensitivity { beta } => {
            Fraction::from(BigInt::from(i - 1).pow(beta)).recip()
        }
    };
    // Computed up to a factor: weight(2) = 1.
    let mut weights = vec![Fraction::zero(), Fraction::one()];
    for i in 2..categories {
        let step = &weights[i - 1] - &weights[i - 2];
        weights.push(&weights[i - 1] + step * w(i + 1) / w(i));
    }
    let last = weights[categories - 1].clone();
    weights.into_iter().map(|weight| weight / &last).collect()
}
