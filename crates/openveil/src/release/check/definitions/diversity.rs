use super::powers::powers_reach;
use crate::exact::{Fraction, Rational};
use crate::model::Weights;
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// A value or a category that occurs in a group.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) count: u64,
    pub(super) protected: bool,
}

/// At least l kinds, or nothing that needs protection.
pub(super) fn distinct(kinds: &[Kind], l: u32) -> bool {
    kinds.len() >= l as usize || kinds.iter().all(|kind| !kind.protected)
}

/// Entropy of at least log l, after some rows that need no protection are left out,
/// or nothing that needs protection.
///
/// Exempt kinds are best left at a common level t, or in full where they have no
/// more rows than that: the entropy is greatest where t^N = ∏ cᵢ^cᵢ over the N rows
/// of kinds in full. All choices of how many are in full are tried.
pub(super) fn entropy(kinds: &[Kind], l: Rational) -> bool {
    let counts = |protected: bool| {
        let chosen = kinds.iter().filter(move |kind| kind.protected == protected);
        chosen.map(|kind| kind.count).collect::<Vec<u64>>()
    };
    let (protected, mut exempt) = (counts(true), counts(false));
    exempt.sort_unstable();
    let choice = |in_full: usize| {
        let full: Vec<u64> = [&protected[..], &exempt[..in_full]].concat();
        let cut = &exempt[in_full..];
        cut.iter().all(|&count| is_level(count, &full)) && reaches(&full, cut.len() as u64, l)
    };
    protected.is_empty() || (0..=exempt.len()).any(choice)
}

/// count ≥ t: count^N ≥ ∏ cᵢ^cᵢ.
fn is_level(count: u64, full: &[u64]) -> bool {
    let own: Vec<(u64, u64)> = full.iter().map(|&c| (c, c)).collect();
    powers_reach(&[(count, full.iter().sum())], &own)
}

/// N/t + cut ≥ l: N^N ≥ (l − cut)^N · ∏ cᵢ^cᵢ.
fn reaches(full: &[u64], cut: u64, l: Rational) -> bool {
    let missing = i128::from(*l.numer()) - i128::from(cut) * i128::from(*l.denom());
    let Some(missing) = u64::try_from(missing).ok().filter(|&missing| missing > 0) else {
        return missing <= 0;
    };
    // What matters are shares: smaller numbers with the same ones.
    let common = full
        .iter()
        .fold(0, |common, &count| num_integer::gcd(common, count));
    let full: Vec<u64> = full.iter().map(|count| count / common).collect();
    let size = full.iter().sum();
    let mut right: Vec<(u64, u64)> = full.iter().map(|&c| (c, c)).collect();
    right.push((missing, size));
    powers_reach(&[(size, size), (*l.denom(), size)], &right)
}

/// Recursive (c, l)-diversity; with exempt kinds, the *positive disclosure-recursive*
/// one of Machanavajjhala et al., Definition 4.4: with r₁ ≥ … ≥ r_m, and y the first
/// protected kind, r_y < c · Σ r_j over j from l on if y < l, and over j from l − 1
/// on but without y otherwise.
pub(super) fn recursive(kinds: &[Kind], c: Fraction, l: u32) -> bool {
    let mut ranked = kinds.to_vec();
    ranked.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    // Counted from 1, as in the definition.
    let Some(y) = (1..=ranked.len()).find(|&j| ranked[j - 1].protected) else {
        return true;
    };
    let l = l as usize;
    let tail: u64 = (1..=ranked.len())
        .filter(|&j| if y < l { j >= l } else { j >= l - 1 && j != y })
        .map(|j| ranked[j - 1].count)
        .sum();
    Fraction::from(BigInt::from(ranked[y - 1].count)) < c * BigInt::from(tail)
}

/// Equation 1 of the (l, α)-diversity paper: (weight(i+1) − weight(i)) over
/// (weight(i) − weight(i−1)) is w(i+1, i) over w(i, i−1), weight(1) = 0 and the last
/// weight is 1.
pub(super) fn weights(scheme: Weights, categories: usize) -> Vec<Fraction> {
    // w(i, i−1), for i from 2.
    let w = |i: usize| match scheme {
        Weights::Uniform => Fraction::one(),
        Weights::Sensitivity { beta } => Fraction::from(BigInt::from(i - 1).pow(beta)).recip(),
    };
    // Up to a factor: weight(2) = 1.
    let mut weights = vec![Fraction::zero(), Fraction::one()];
    for i in 2..categories {
        let step = &weights[i - 1] - &weights[i - 2];
        weights.push(&weights[i - 1] + step * w(i + 1) / w(i));
    }
    let last = weights[categories - 1].clone();
    weights.into_iter().map(|weight| weight / &last).collect()
}
