//! Exact comparisons: privacy decisions do not depend on floats.

mod logarithms;
pub mod number;

pub use logarithms::sign_of_log_sum;
pub use number::text;

use num_bigint::{BigInt, BigUint};
use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive};
use std::cmp::Ordering;

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

/// Converts a parameter to a rational number of any size.
pub fn widen(parameter: Rational) -> Fraction {
    fraction((*parameter.numer()).into(), (*parameter.denom()).into())
}

/// Converts a rational number to a float for display; decisions do not use it.
pub fn approximate<T: Clone + num_integer::Integer>(exact: &Ratio<T>) -> f64
where
    Ratio<T>: ToPrimitive,
{
    exact.to_f64().unwrap_or(f64::INFINITY)
}

/// Compares two products of any size. Does not allocate if both fit into 128 bits.
pub fn compare_products(left: &[u128], right: &[u128]) -> Ordering {
    let product = |factors: &[u128]| {
        factors.iter().try_fold(1u128, |product, &factor| product.checked_mul(factor))
    };
    match (product(left), product(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let product = |factors: &[u128]| factors.iter().map(|&f| BigUint::from(f)).product();
            let (left, right): (BigUint, BigUint) = (product(left), product(right));
            left.cmp(&right)
        }
    }
}

/// Compares two positive numbers that floats approximate: `None` if rounding could have decided, so
/// that the caller must compare exactly.
#[inline]
pub fn clear_order(left: f64, right: f64) -> Option<Ordering> {
    const MARGIN: f64 = 1e-9;
    match left.partial_cmp(&right) {
        Some(Ordering::Less) if left < right * (1.0 - MARGIN) => Some(Ordering::Less),
        Some(Ordering::Greater) if left * (1.0 - MARGIN) > right => Some(Ordering::Greater),
        _ => None,
    }
}

/// Number of binary digits.
#[inline]
pub fn bits(number: u128) -> u32 {
    u128::BITS - number.leading_zeros()
}

/// Signed whole numbers for an exact decision: `i128` if it is known to suffice, otherwise
/// [`BigInt`].
pub trait Integer: Signed + Clone + Ord {
    /// A number below 2^127.
    fn from_number(number: u128) -> Self;
}

impl Integer for i128 {
    #[inline]
    fn from_number(number: u128) -> Self {
        debug_assert!(number <= i128::MAX as u128);
        number as i128
    }
}

impl Integer for BigInt {
    fn from_number(number: u128) -> Self {
        BigInt::from(number)
    }
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

    #[test]
    fn products_are_compared_beyond_128_bits() {
        let huge = u128::MAX;
        assert_eq!(compare_products(&[huge, 3], &[huge - 1, 3]), Ordering::Greater);
        assert_eq!(compare_products(&[huge, 6], &[2, huge, 3]), Ordering::Equal);
        assert_eq!(compare_products(&[2, 3], &[7]), Ordering::Less);
    }

    #[test]
    fn close_floats_decide_nothing() {
        assert_eq!(clear_order(1.0, 1.0), None);
        assert_eq!(clear_order(1.0, 1.0 + 1e-12), None);
        assert_eq!(clear_order(1.0, 1.1), Some(Ordering::Less));
        assert_eq!(clear_order(0.0, 0.5), Some(Ordering::Less));
        assert_eq!(clear_order(0.5, f64::NAN), None);
    }
}
