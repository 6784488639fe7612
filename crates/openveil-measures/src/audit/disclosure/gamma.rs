//! The derivative of the logarithm of the gamma function.

/// Above this, the asymptotic series is exact to the last digit.
const LARGE: f64 = 12.0;

/// Returns ψ(x) for x > 0, with a relative error of about 1e-14. Source: Abramowitz and Stegun,
/// 6.3.5 and 6.3.18.
pub(super) fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < LARGE {
        below += 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32760.0,
        1.0 / 12.0,
    ]
    .iter()
    .rev()
    .fold(0.0, |sum, term| square * (term + sum));
    x.ln() - 0.5 / x - series - below
}

#[cfg(test)]
mod tests {
    use super::digamma;

    #[test]
    fn digamma_has_its_known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        let known = [
            (1.0, -EULER),
            (0.5, -EULER - 2.0 * std::f64::consts::LN_2),
            (10.0, 2.251_752_589_066_721),
            (100.0, 4.600_161_852_738_087),
        ];
        for (x, expected) in known {
            assert!((digamma(x) - expected).abs() < 1e-13, "{x}: {}", digamma(x));
        }
    }
}
