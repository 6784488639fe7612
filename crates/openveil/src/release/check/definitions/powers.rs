use crate::exact::Fraction;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// Whether ∏ base^exponent on the left reaches that on the right. Logarithms decide
/// where there is no doubt, whole numbers elsewhere.
pub(super) fn powers_reach(left: &[(u64, u64)], right: &[(u64, u64)]) -> bool {
    let logarithm = |powers: &[(u64, u64)]| -> f64 {
        let one = |&(base, exponent): &(u64, u64)| exponent as f64 * (base as f64).ln();
        powers.iter().map(one).sum()
    };
    let (left_log, right_log) = (logarithm(left), logarithm(right));
    if (left_log - right_log).abs() > 1e-6 * (left_log + right_log) {
        return left_log > right_log;
    }
    let product = |powers: &[(u64, u64)]| -> BigUint {
        let one = |&(base, exponent): &(u64, u64)| Pow::pow(BigUint::from(base), exponent);
        powers.iter().map(one).product()
    };
    product(left) >= product(right)
}

/// Compares `y`, positive, with e^`x`, by the series of e^x and a bound of its rest.
pub(super) fn compare_with_exp(y: &Fraction, x: &Fraction) -> Ordering {
    if x.is_negative() {
        return compare_with_exp(&y.recip(), &-x).reverse();
    }
    let (logarithm, exponent) = (y.to_f64().map(f64::ln), x.to_f64());
    if let (Some(logarithm), Some(exponent)) = (logarithm, exponent)
        && logarithm.is_finite()
        && (logarithm - exponent).abs() > 1e-6 * (1.0 + exponent)
    {
        return logarithm.total_cmp(&exponent);
    }
    let (mut sum, mut term, mut k) = (Fraction::zero(), Fraction::one(), BigInt::zero());
    loop {
        sum += &term;
        k += 1;
        term = term * x / &k;
        if *y < sum || (term.is_zero() && *y == sum) {
            return if *y < sum {
                Ordering::Less
            } else {
                Ordering::Equal
            };
        }
        // From here on every term is less than half the one before.
        if x * BigInt::from(2) < Fraction::from(k.clone()) && *y > &sum + &term * BigInt::from(2) {
            return Ordering::Greater;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(numerator: i64, denominator: i64) -> Fraction {
        Fraction::new(numerator.into(), denominator.into())
    }

    #[test]
    fn e_lies_between_its_convergents() {
        let one = f(1, 1);
        assert_eq!(compare_with_exp(&f(2_721, 1_001), &one), Ordering::Less);
        // e = 2.718281828459045235360287…
        let (below, above) = (f(2_718_281_828_459_045_235, 10i64.pow(18)), {
            f(2_718_281_828_459_045_236, 10i64.pow(18))
        });
        assert_eq!(compare_with_exp(&below, &one), Ordering::Less);
        assert_eq!(compare_with_exp(&above, &one), Ordering::Greater);
        assert_eq!(compare_with_exp(&below.recip(), &-&one), Ordering::Greater);
        assert_eq!(compare_with_exp(&one, &f(0, 1)), Ordering::Equal);
    }

    #[test]
    fn powers_are_compared_at_equality() {
        assert!(powers_reach(&[(4, 3)], &[(8, 2)]));
        assert!(powers_reach(&[(4, 3), (2, 1)], &[(8, 2)]));
        assert!(!powers_reach(&[(63, 1)], &[(8, 2)]));
    }
}
