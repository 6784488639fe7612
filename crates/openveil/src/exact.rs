//! Exact comparisons: no float decides about privacy.

use num_bigint::BigInt;
use num_rational::Ratio;

/// A rational number of any size.
pub type Fraction = Ratio<BigInt>;

/// A parameter given as a decimal or a fraction: never negative, always exact.
pub type Rational = Ratio<u64>;

/// Whether `count` of `size` is a share of at most 1/`l`, in integers.
#[inline]
pub fn share_at_most(count: u64, size: u64, l: u32) -> bool {
    u128::from(count) * u128::from(l) <= u128::from(size)
}

/// The fraction `numerator / denominator` in lowest terms.
///
/// # Panics
/// If `denominator` is zero.
pub fn fraction(numerator: u128, denominator: u128) -> Fraction {
    Ratio::new(BigInt::from(numerator), BigInt::from(denominator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_compared_at_equality() {
        assert!(share_at_most(1, 3, 3));
        assert!(!share_at_most(2, 5, 3));
        assert!(share_at_most(u64::MAX / 2, u64::MAX, 2));
        assert!(!share_at_most(u64::MAX / 2 + 1, u64::MAX, 2));
    }
}
