//! Sums of logarithms: first floats with a bound on their error, then intervals of whole numbers
//! with more and more digits.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::{Integer, gcd};
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// `coefficient · ln base`; the base is above 0.
pub(super) type LogTerm = (i128, u64);

/// Returns the sign of Σ coefficient · ln base + `numerator / denominator`.
///
/// The loop ends: e to a rational number other than 0 is transcendental, so only a sum without a
/// constant can be 0, and that case is tested first.
pub(super) fn sign(terms: &[LogTerm], (numerator, denominator): (i128, u128)) -> Ordering {
    if let Some(sign) = clear_sign(terms, numerator as f64 / denominator as f64) {
        return sign;
    }
    let powers = coprime(terms);
    if powers.is_empty() {
        return numerator.cmp(&0);
    }
    let constant = (BigInt::from(numerator), BigInt::from(denominator));
    (7..)
        .map(|doublings| 1u64 << doublings)
        .filter_map(|precision| sign_of_interval(&powers, &constant, precision))
        .next()
        .expect("some precision decides")
}

/// The sign of the sum in floats; `None` if rounding could have changed it. A term is rounded a few
/// times itself, and once more in each addition from its own on.
fn clear_sign(terms: &[LogTerm], constant: f64) -> Option<Ordering> {
    let (mut sum, mut magnitude) = (constant, constant.abs());
    for &(coefficient, base) in terms {
        let term = coefficient as f64 * (base as f64).ln();
        sum += term;
        magnitude += term.abs();
    }
    let error = magnitude * (terms.len() + 16) as f64 * f64::EPSILON;
    (sum.abs() > error).then(|| sum.total_cmp(&0.0))
}

/// Rewrites the sum over bases without common divisors and with coefficients other than 0. It is 0
/// only if no terms are left, because every prime divides at most one base.
fn coprime(terms: &[LogTerm]) -> Vec<LogTerm> {
    let mut apart: Vec<LogTerm> = Vec::new();
    let mut waiting = terms.to_vec();
    'next: while let Some((coefficient, base)) = waiting.pop() {
        if coefficient == 0 || base == 1 {
            continue;
        }
        for place in 0..apart.len() {
            let (other_coefficient, other) = apart[place];
            let common = gcd(base, other);
            if common > 1 {
                apart.swap_remove(place);
                waiting.push((coefficient + other_coefficient, common));
                waiting.push((coefficient, base / common));
                waiting.push((other_coefficient, other / common));
                continue 'next;
            }
        }
        apart.push((coefficient, base));
    }
    apart
}

/// The sign, if all sums within the rounding of `precision` binary digits have the same one.
fn sign_of_interval(
    terms: &[LogTerm],
    (numerator, denominator): &(BigInt, BigInt),
    precision: u64,
) -> Option<Ordering> {
    let ln_2 = ScaledInterval::twice_artanh(1u8.into(), 3u8.into(), precision);
    let constant = (numerator << precision).div_floor(denominator);
    let (mut low, mut high) = (constant.clone(), constant + BigInt::one());
    for &(coefficient, base) in terms {
        let logarithm = ScaledInterval::logarithm(base, &ln_2, precision);
        let (at_low, at_high) = if coefficient < 0 {
            (logarithm.high, logarithm.low)
        } else {
            (logarithm.low, logarithm.high)
        };
        low += BigInt::from(at_low) * coefficient;
        high += BigInt::from(at_high) * coefficient;
    }
    match (low.sign(), high.sign()) {
        (Sign::Plus, _) => Some(Ordering::Greater),
        (_, Sign::Minus) => Some(Ordering::Less),
        _ => None,
    }
}

/// Integers around a number times 2^precision.
struct ScaledInterval {
    low: BigUint,
    high: BigUint,
}

impl ScaledInterval {
    /// ln base = k · ln 2 + 2 artanh((m − 1) / (m + 1)), where base = 2^k · m, m < 2.
    fn logarithm(base: u64, ln_2: &Self, precision: u64) -> Self {
        let doublings = base.ilog2();
        let power = 1u128 << doublings;
        let (above, sum) = (u128::from(base) - power, u128::from(base) + power);
        let rest = Self::twice_artanh(above.into(), sum.into(), precision);
        Self { low: &ln_2.low * doublings + rest.low, high: &ln_2.high * doublings + rest.high }
    }

    /// 2 artanh y = 2 (y + y³/3 + y⁵/5 + …) for y = part / whole ≤ 1/3: once with
    /// every quotient rounded down, once with every quotient rounded up.
    fn twice_artanh(part: BigUint, whole: BigUint, precision: u64) -> Self {
        let (square, of) = (&part * &part, &whole * &whole);
        let first = part << (precision + 1);
        let sum = |divide: fn(&BigUint, &BigUint) -> BigUint| {
            let (mut power, mut sum) = (divide(&first, &whole), BigUint::zero());
            let mut odd = BigUint::one();
            while power > BigUint::one() {
                sum += divide(&power, &odd);
                power = divide(&(power * &square), &of);
                odd += 2u8;
            }
            sum
        };
        Self {
            low: sum(|a, b| a.div_floor(b)),
            // The terms behind a power of at most 1 add up to less than 1 + 1/9 + 1/81 + …
            high: sum(|a, b| a.div_ceil(b)) + 2u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::{Pow, ToPrimitive};
    use proptest::prelude::*;

    fn plain(terms: &[LogTerm]) -> Ordering {
        sign(terms, (0, 1))
    }

    #[test]
    fn powers_that_cancel_are_zero() {
        assert_eq!(plain(&[]), Ordering::Equal);
        assert_eq!(plain(&[(3, 4), (-2, 8)]), Ordering::Equal);
        assert_eq!(plain(&[(1, 6), (-1, 2), (-1, 3)]), Ordering::Equal);
        let huge = 1i128 << 90;
        let six = |more| [(huge, 6), (-huge, 2), (more - huge, 3)];
        assert_eq!(plain(&six(0)), Ordering::Equal);
        assert_eq!(plain(&six(1)), Ordering::Greater);
        assert_eq!(plain(&six(-1)), Ordering::Less);
    }

    #[test]
    fn neighbours_are_told_apart() {
        let number = u64::MAX - 1;
        assert_eq!(plain(&[(1, number + 1), (-1, number)]), Ordering::Greater);
        assert_eq!(plain(&[(1, number - 1), (-1, number)]), Ordering::Less);
    }

    /// Too few digits decide nothing: a rounded number lies between two whole numbers.
    #[test]
    fn an_interval_holds_the_sum() {
        let interval = |terms: &[LogTerm], constant: (i128, u8), precision| {
            let constant = (constant.0.into(), BigInt::one() << constant.1);
            sign_of_interval(terms, &constant, precision)
        };
        for sign in [1, -1] {
            assert_eq!(interval(&[], (sign, 200), 128), None);
        }
        assert_eq!(interval(&[], (1, 200), 256), Some(Ordering::Greater));
        assert_eq!(interval(&[], (-1, 200), 256), Some(Ordering::Less));
        // 1 − ln 3 = −0.0986…
        assert_eq!(interval(&[(-1, 3)], (1, 0), 1), None);
        assert_eq!(interval(&[(-1, 3)], (1, 0), 64), Some(Ordering::Less));
        assert_eq!(interval(&[(1, 3)], (-1, 0), 1), None);
        assert_eq!(interval(&[(1, 3)], (-1, 0), 64), Some(Ordering::Greater));
    }

    /// ln 2 = 0.693147180559945309417232121458…
    #[test]
    fn constants_take_part() {
        let (below, above) = (693_147_180_559_945_309_417_232, 693_147_180_559_945_309_417_233);
        let unit = 10u128.pow(24);
        assert_eq!(sign(&[(1, 2)], (-below, unit)), Ordering::Greater);
        assert_eq!(sign(&[(1, 2)], (-above, unit)), Ordering::Less);
        assert_eq!(sign(&[(5, 1)], (-1, 3)), Ordering::Less);
    }

    proptest! {
        /// Compares with products of powers in whole numbers.
        #[test]
        fn the_sign_is_that_of_the_products(
            terms in prop::collection::vec((-12i128..=12, 1u64..=40), 0..6),
        ) {
            let product = |positive: bool| -> BigUint {
                terms.iter().filter(|term| (term.0 > 0) == positive)
                    .map(|&(k, base)| Pow::pow(BigUint::from(base), k.unsigned_abs()))
                    .product()
            };
            prop_assert_eq!(plain(&terms), product(true).cmp(&product(false)));
            let powers = coprime(&terms);
            let zero = (BigInt::zero(), BigInt::one());
            if !powers.is_empty() {
                let exact = sign_of_interval(&powers, &zero, 256);
                prop_assert_eq!(exact, Some(product(true).cmp(&product(false))));
            }
        }

        #[test]
        fn intervals_enclose_logarithms(number in 1u64.., precision in 8u64..60) {
            let ln_2 = ScaledInterval::twice_artanh(1u8.into(), 3u8.into(), precision);
            let found = ScaledInterval::logarithm(number, &ln_2, precision);
            let exact = (number as f64).ln() * 2f64.powi(precision as i32);
            let slack = exact * 1e-13 + 1e-9;
            prop_assert!(found.low.to_f64().unwrap() <= exact + slack);
            prop_assert!(exact <= found.high.to_f64().unwrap() + slack);
            let width = (found.high - found.low).to_f64().unwrap();
            prop_assert!(width < 64.0 * (4.0 * precision as f64 + 16.0));
        }
    }
}
