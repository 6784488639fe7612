//! Entropy that equals its bound.

use super::{Requirement, World, r};
use crate::model::EntropyDiversity;
use proptest::prelude::*;

/// `int(e^H)` in floats, as a well-known library computes it, is off by one for most of these.
#[test]
fn k_even_values_are_exactly_k_diverse() {
    for k in 2..=1_000u64 {
        let world = World::new(&vec![1; k as usize]);
        for count in [1, 7] {
            let even = vec![count; k as usize];
            assert!(world.holds(&Requirement::Entropy(EntropyDiversity { l: r(k, 1) }), &even));
            let more = r(k * 1_000_000_000 + 1, 1_000_000_000);
            assert!(!world.holds(&Requirement::Entropy(EntropyDiversity { l: more }), &even));
        }
    }
}

/// The entropy is exactly log l for uneven counts: shares 1/2, 1/8 × 4 have 2 bits; 1/2, 1/4, 1/4
/// have 3/2 bits, like √8 equally frequent values.
#[test]
fn uneven_counts_can_meet_the_bound() {
    let world = World::new(&[9, 9, 9, 9, 9]);
    let entropy = |numerator, denominator| {
        Requirement::Entropy(EntropyDiversity { l: r(numerator, denominator) })
    };
    assert!(world.holds(&entropy(4, 1), &[4, 1, 1, 1, 1]));
    assert!(!world.holds(&entropy(4_000_000_001, 1_000_000_000), &[4, 1, 1, 1, 1]));
    assert!(world.holds_scaled(&entropy(4, 1), &[4, 1, 1, 1, 1], 1 << 120));
    let (below, above) = (2_828_427_124_746, 2_828_427_124_747);
    assert!(world.holds(&entropy(below, 1_000_000_000_000), &[2, 1, 1, 0, 0]));
    assert!(!world.holds(&entropy(above, 1_000_000_000_000), &[2, 1, 1, 0, 0]));
}

/// The greatest entropy after leaving exempt rows out, by trying many levels.
fn best_perplexity(protected: &[u64], exempt: &[u64]) -> f64 {
    let entropy = |counts: Vec<f64>| {
        let size: f64 = counts.iter().sum();
        counts
            .into_iter()
            .map(|count| count / size)
            .filter(|&p| p > 0.0)
            .map(|p| -p * p.ln())
            .sum::<f64>()
    };
    let most = exempt.iter().copied().max().unwrap_or(0) as f64;
    let levels = (0..=4_000).map(|step| most * f64::from(step) / 4_000.0);
    let at = |level: f64| {
        let kept = exempt.iter().map(|&count| level.min(count as f64));
        entropy(protected.iter().map(|&count| count as f64).chain(kept).collect())
    };
    levels.map(at).fold(0.0, f64::max).exp()
}

proptest! {
    #[test]
    fn leaving_exempt_rows_out_is_done_as_well_as_possible(
        protected in prop::collection::vec(1u64..12, 1..4),
        exempt in prop::collection::vec(1u64..12, 1..4),
        (numerator, denominator) in (1u64..60, 1u64..10),
    ) {
        prop_assume!(numerator > denominator);
        let counts = [&protected[..], &exempt[..]].concat();
        let flags: Vec<bool> = (0..counts.len()).map(|value| value >= protected.len()).collect();
        let world = World::new(&counts).with_exempt(&flags);
        let best = best_perplexity(&protected, &exempt);
        let l = numerator as f64 / denominator as f64;
        prop_assume!((best - l).abs() > 1e-3);
        let requirement = Requirement::Entropy(EntropyDiversity { l: r(numerator, denominator) });
        prop_assert_eq!(world.holds(&requirement, &counts), best > l, "{} {}", best, l);
    }
}
