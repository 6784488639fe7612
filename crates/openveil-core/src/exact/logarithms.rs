//! The exact sign of a sum of logarithms.

use super::Fraction;
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};
use std::cmp::Ordering;

/// Sums and differences of floats that are this close to zero, relative to the sum of absolute
/// terms, are decided exactly.
const MARGIN: f64 = 1.0 / (1u64 << 38) as f64;

/// The margin for sums of this many terms. Each term is a product of two rounded factors, and every
/// addition rounds once. The error is less than (terms + 4) · 2⁻⁵³ of the sum of absolute terms.
/// The margin is four times that, or [`MARGIN`] if that is greater.
fn margin(terms: usize) -> f64 {
    MARGIN.max((terms + 4) as f64 * 2.0 * f64::EPSILON)
}

/// Returns the sign of Σ coefficient · ln base + constant. Bases are positive.
///
/// Floats decide if they are far enough from zero. Closer to zero, a sum without a constant is zero
/// if and only if the powers cancel, which common divisors show. A sum with a nonzero constant is
/// never zero, since e to a nonzero rational power is transcendental. A nonzero sum is bounded with
/// more and more digits until the sign is clear.
pub fn sign_of_log_sum(
    terms: impl Iterator<Item = (i128, u128)> + Clone,
    constant: Option<&Fraction>,
) -> Ordering {
    let start = constant.map_or(0.0, |c| c.to_f64().unwrap_or(f64::INFINITY));
    let (mut sum, mut magnitude, mut count) = (start, start.abs(), 0);
    for (coefficient, base) in terms.clone() {
        let term = coefficient as f64 * (base as f64).ln();
        sum += term;
        magnitude += term.abs();
        count += 1;
    }
    if sum.abs() > magnitude * margin(count) {
        return sum.total_cmp(&0.0);
    }
    let terms: Vec<(i128, u128)> = terms.collect();
    let zero = Fraction::zero();
    exact_sign(&terms, constant.unwrap_or(&zero))
}

fn exact_sign(terms: &[(i128, u128)], constant: &Fraction) -> Ordering {
    let powers = coprime_powers(terms);
    if powers.is_empty() {
        return constant.cmp(&Fraction::zero());
    }
    // The sum is not zero, so some precision shows its sign.
    let mut precision = 128;
    loop {
        let (low, high) = bounds(&powers, constant, precision);
        if low > BigInt::ZERO {
            return Ordering::Greater;
        }
        if high < BigInt::ZERO {
            return Ordering::Less;
        }
        precision *= 2;
    }
}

/// Rewrites the sum over bases that are pairwise coprime and above one, with exponents other than
/// zero. It is zero only if no terms remain, because the factorisation into primes is unique.
/// O(terms²) common divisors.
fn coprime_powers(terms: &[(i128, u128)]) -> Vec<(BigInt, u128)> {
    let mut powers: Vec<(BigInt, u128)> = Vec::new();
    let mut left: Vec<(BigInt, u128)> =
        terms.iter().map(|&(coefficient, base)| (coefficient.into(), base)).collect();
    while let Some((exponent, base)) = left.pop() {
        if base == 1 || exponent.is_zero() {
            continue;
        }
        let divisor = |other: u128| num_integer::gcd(base, other);
        let Some(met) = powers.iter().position(|&(_, other)| divisor(other) > 1) else {
            powers.push((exponent, base));
            continue;
        };
        let (other_exponent, other) = powers.swap_remove(met);
        let common = divisor(other);
        left.push((&exponent + &other_exponent, common));
        left.push((exponent, base / common));
        left.push((other_exponent, other / common));
    }
    powers
}

/// Bounds of the sum times 2^precision.
fn bounds(powers: &[(BigInt, u128)], constant: &Fraction, precision: u64) -> (BigInt, BigInt) {
    let scaled = constant.numer() << precision;
    let mut low = num_integer::Integer::div_floor(&scaled, constant.denom());
    let mut high = &low + BigInt::from(1);
    for (exponent, base) in powers {
        let (below, above) = natural_logarithm(*base, precision);
        let (first, second) = match exponent.sign() {
            num_bigint::Sign::Minus => (above, below),
            _ => (below, above),
        };
        low += exponent * first;
        high += exponent * second;
    }
    (low, high)
}

/// Bounds of ln `number` times 2^precision.
fn natural_logarithm(number: u128, precision: u64) -> (BigInt, BigInt) {
    let exponent = number.ilog2();
    // ln x = exponent · ln 2 + ln m with m in [1, 2), and
    // ln m = 2 artanh((m − 1) / (m + 1)); ln 2 = 2 artanh(1/3).
    let power = BigUint::from(1u8) << exponent;
    let (above, sum) = (number - (1u128 << exponent), power + number);
    let (low_m, high_m) = twice_artanh(&BigUint::from(above), &sum, precision);
    let (low_2, high_2) = twice_artanh(&1u8.into(), &3u8.into(), precision);
    (low_2 * exponent + low_m, high_2 * exponent + high_m)
}

/// Bounds of 2 artanh(numerator / denominator) times 2^precision, for a ratio of
/// at most 1/3: the series 2 Σ y^(2k+1) / (2k+1), every step rounded down.
fn twice_artanh(numerator: &BigUint, denominator: &BigUint, precision: u64) -> (BigInt, BigInt) {
    let y = (numerator << precision) / denominator;
    let square = (&y * &y) >> precision;
    let (mut power, mut sum, mut steps) = (y, BigUint::ZERO, 0u32);
    while !power.is_zero() {
        sum += &power / (2 * steps + 1);
        power = (&power * &square) >> precision;
        steps += 1;
    }
    // A power is less than 2 units too low (its error shrinks to a ninth and grows by less than 5/3
    // per step), a term less than 3, and the rest of the series is below 4.
    let low: BigInt = BigInt::from(sum) * 2u8;
    let error = BigInt::from(2 * (3 * steps + 4));
    let high = &low + error;
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::fraction;
    use proptest::prelude::*;

    fn sign(terms: &[(i128, u128)]) -> Ordering {
        sign_of_log_sum(terms.iter().copied(), None)
    }

    #[test]
    fn powers_that_cancel_are_zero_at_any_size() {
        assert_eq!(sign(&[(1, 6), (-1, 2), (-1, 3)]), Ordering::Equal);
        assert_eq!(sign(&[(3, 4), (-2, 8)]), Ordering::Equal);
        let huge = 1i128 << 100;
        assert_eq!(sign(&[(huge, 12), (-2 * huge, 2), (-huge, 3)]), Ordering::Equal);
        assert_eq!(sign(&[(huge, 12), (-2 * huge, 2), (1 - huge, 3)]), Ordering::Greater);
        assert_eq!(sign(&[]), Ordering::Equal);
    }

    #[test]
    fn neighbours_of_zero_are_told_apart() {
        let x = 1u128 << 120;
        assert_eq!(sign(&[(1, x + 1), (-1, x)]), Ordering::Greater);
        assert_eq!(sign(&[(1, x - 1), (-1, x)]), Ordering::Less);
    }

    #[test]
    fn logarithms_meet_rational_numbers_only_at_zero() {
        // ln 2 = 0.693147180559945309417232121458…
        let (below, above) = (
            fraction(693_147_180_559_945_309_417_232, 10u128.pow(24)),
            fraction(693_147_180_559_945_309_417_233, 10u128.pow(24)),
        );
        let ln_2_less = |bound: &Fraction| sign_of_log_sum([(1, 2)].into_iter(), Some(&-bound));
        assert_eq!(ln_2_less(&below), Ordering::Greater);
        assert_eq!(ln_2_less(&above), Ordering::Less);
        let zero = Fraction::zero();
        assert_eq!(sign_of_log_sum([(5, 1)].into_iter(), Some(&zero)), Ordering::Equal);
    }

    proptest! {
        /// Compares with products of powers in whole numbers.
        #[test]
        fn the_sign_is_that_of_the_products(
            terms in prop::collection::vec((-12i128..=12, 1u128..=40), 0..6),
        ) {
            let product = |positive: bool| -> BigUint {
                terms.iter().filter(|term| (term.0 > 0) == positive)
                    .map(|&(k, base)| BigUint::from(base).pow(k.unsigned_abs() as u32))
                    .product()
            };
            prop_assert_eq!(sign(&terms), product(true).cmp(&product(false)));
            let exact = exact_sign(&terms, &Fraction::zero());
            prop_assert_eq!(exact, product(true).cmp(&product(false)));
        }

        #[test]
        fn bounds_enclose_logarithms(number in 1u128.., precision in 8u64..60) {
            let (low, high) = natural_logarithm(number, precision);
            let unit = 2f64.powi(precision as i32);
            let exact = (number as f64).ln() * unit;
            let slack = exact * 1e-13 + 1e-9;
            prop_assert!(low.to_f64().unwrap() <= exact + slack);
            prop_assert!(exact <= high.to_f64().unwrap() + slack);
            prop_assert!((high - low).to_f64().unwrap() < 128.0 * (6.0 * precision as f64 + 16.0));
        }
    }
}
