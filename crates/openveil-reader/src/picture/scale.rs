//! Round numbers on axes.

/// The distance of marks on an axis up to a value: 1, 2 or 5 times a power of ten, at
/// most ten of them.
pub(crate) fn step(highest: f64) -> f64 {
    if highest <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf((highest / 10.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| highest / step <= 10.0).unwrap_or(10.0 * power)
}

/// A mark's number, with as many digits as its distance needs.
pub(crate) fn tick(value: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        for (highest, expected) in [(0.0, 1.0), (0.07, 0.01), (0.12, 0.02), (1.0, 0.1), (37.0, 5.0)]
        {
            let found = step(highest);
            assert!((found - expected).abs() < 1e-12, "{highest}: {found}");
        }
        assert_eq!(tick(0.06, 0.02), "0.06");
        assert_eq!(tick(15.0, 5.0), "15");
    }
}
