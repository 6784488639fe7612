//! Numbers of the check: fractions that are compared without rounding.

use crate::exact::Rational;
use std::cmp::Ordering;

/// A numerator over a denominator above 0, not reduced.
pub(super) type Share = (u128, u128);

/// A parameter as a share.
pub(super) fn exact(parameter: Rational) -> Share {
    ((*parameter.numer()).into(), (*parameter.denom()).into())
}

/// Compares a/b with c/d by Euclid's algorithm: first the whole parts, then the reciprocals of the
/// remainders. It forms no products, so it cannot overflow.
pub(super) fn compare((a, b): Share, (c, d): Share) -> Ordering {
    let whole = (a / b).cmp(&(c / d));
    match (whole, a % b, c % d) {
        (Ordering::Equal, 0, rest) => 0.cmp(&rest),
        (Ordering::Equal, _, 0) => Ordering::Greater,
        (Ordering::Equal, left, right) => compare((d, right), (b, left)),
        _ => whole,
    }
}

pub(super) fn at_most(share: Share, bound: Rational) -> bool {
    compare(share, exact(bound)) != Ordering::Greater
}

pub(super) fn below(share: Share, bound: Rational) -> bool {
    compare(share, exact(bound)) == Ordering::Less
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_compare_as_fractions(
            (a, b) in (any::<u128>(), 1..=u128::MAX),
            (c, d) in (0u128..9, 1u128..9),
            (e, f) in (0u128..9, 1u128..9),
        ) {
            let expected = fraction(a, b).cmp(&fraction(c, d));
            prop_assert_eq!(compare((a, b), (c, d)), expected);
            prop_assert_eq!(compare((c, d), (e, f)), (c * f).cmp(&(e * d)));
        }

        #[test]
        fn huge_neighbours_are_told_apart(a in 2..u128::MAX) {
            prop_assert_eq!(compare((a, a + 1), (a - 1, a)), Ordering::Greater);
            prop_assert_eq!(compare((a, a + 1), (a, a + 1)), Ordering::Equal);
        }
    }
}
