//! Claims of properties about themselves: convexity, monotonicity, a bound on posteriors.

use super::super::{Counts, Property, RatioDiversity, Scope};
use super::generators::scene;
use super::{Requirement, World, entries, r};
use crate::exact::{approximate, fraction};
use crate::model::suite::models as models_of_the_suite;
use crate::model::{
    About, BetaLikeness, BreachLimit, DeltaDisclosure, Distance, DistinctDiversity,
    EntropyDiversity, GenericDistance, Informed, KAnonymity, RecursiveDiversity,
};
use num_traits::ToPrimitive;
use proptest::prelude::*;

fn holds(property: &dyn Property, counts: &[u64]) -> bool {
    property.holds(&Counts::new(&entries(counts, 1)))
}

/// The sum of multiples of two multisets.
fn mixture(a: &[u64], times_a: u64, b: &[u64], times_b: u64) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| times_a * a + times_b * b).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn mixtures_and_unions_satisfy_what_their_parts_do(
        (world, requirement, groups) in scene(4),
        weights in prop_oneof![Just((1u64, 1u64)), (1u64..40, 1u64..40)],
    ) {
        let criteria = world.bind(&requirement);
        for property in criteria.properties() {
            for a in &groups {
                for b in &groups {
                    if !holds(property, a) || !holds(property, b) {
                        continue;
                    }
                    let union = mixture(a, 1, b, 1);
                    prop_assert!(!property.traits().is_monotone || holds(property, &union),
                        "{}: {a:?} and {b:?}", property.name());
                    let mixed = mixture(a, weights.0, b, weights.1);
                    prop_assert!(!property.traits().is_convex || holds(property, &mixed),
                        "{}: {a:?} and {b:?}, {weights:?}", property.name());
                }
            }
        }
    }

    #[test]
    fn symmetric_properties_take_no_notice_of_names(
        (world, requirement, groups) in scene(4), turn in 0usize..4, swap: bool,
    ) {
        let criteria = world.bind(&requirement);
        for property in criteria.properties().filter(|property| property.treats_values_alike()) {
            for group in &groups {
                let mut renamed = group.clone();
                let values = renamed.len();
                renamed.rotate_left(turn % values);
                if swap {
                    renamed.swap(0, values - 1);
                }
                prop_assert_eq!(holds(property, group), holds(property, &renamed),
                    "{}: {:?} and {:?}", property.name(), group, renamed);
            }
        }
    }

    #[test]
    fn no_distribution_that_satisfies_exceeds_the_bound_on_posteriors(
        (world, requirement, groups) in scene(4),
    ) {
        let criteria = world.bind(&requirement);
        for property in criteria.properties().filter(|p| p.traits().scope == Scope::Distribution) {
            let Some(bound) = property.max_posterior() else { continue };
            prop_assert!(bound < fraction(1, 1));
            for group in groups.iter().filter(|group| holds(property, group)) {
                let size = group.iter().sum::<u64>();
                for (&count, &protected) in group.iter().zip(&world.protected) {
                    prop_assert!(!protected || fraction(count.into(), size.into()) <= bound,
                        "{} on {group:?}: above {bound}", property.name());
                }
            }
        }
    }
}

/// Accepting "no protected value" beside "entropy of at least log l" would be neither convex nor
/// monotone. Leaving out exempt rows as far as it helps is both.
#[test]
fn exempt_values_and_entropy_need_care() {
    let world = World::new(&[90, 5, 5]).with_exempt(&[true, false, false]);
    let entropy = Requirement::Entropy(EntropyDiversity { l: r(2, 1) });
    let strict = World::new(&[90, 5, 5]);
    let (only_exempt, diverse) = ([18, 0, 0], [0, 1, 1]);
    let union = mixture(&only_exempt, 1, &diverse, 1);
    let naive = |counts: &[u64]| counts[1..] == [0, 0] || strict.holds(&entropy, counts);
    assert!(naive(&only_exempt) && naive(&diverse) && !naive(&union));
    for counts in [&only_exempt[..], &diverse, &union] {
        assert!(world.holds(&entropy, counts));
    }
    // One protected value needs equally many exempt rows beside it.
    assert!(world.holds(&entropy, &[3, 3, 0]));
    assert!(!world.holds(&entropy, &[2, 3, 0]));
}

/// Bounds that are attained, or approached.
#[test]
fn bounds_on_posteriors_are_sharp() {
    let world = World::new(&[6, 2, 2, 2]);
    let bound = |requirement: Requirement| world.bind(&requirement).max_posterior();
    let ratio = Requirement::Ratio(RatioDiversity::new(3).unwrap());
    assert_eq!(bound(ratio), Some(fraction(1, 3)));
    assert_eq!(bound(Requirement::Distinct(DistinctDiversity { l: 3 })), None);
    assert_eq!(bound(Requirement::KAnonymity(KAnonymity { k: 3 })), None);
    // p < c (1 − p) · 2/3.
    let recursive = Requirement::Recursive(RecursiveDiversity { c: r(3, 1), l: 3 });
    assert_eq!(bound(recursive), Some(fraction(2, 3)));
    let even = Requirement::Entropy(EntropyDiversity { l: r(4, 1) });
    assert_eq!(bound(even), Some(fraction(1, 4)));
    let basic = Requirement::Likeness(BetaLikeness { beta: r(1, 2), enhanced: false });
    assert_eq!(bound(basic), Some(fraction(3, 4)));
    let breach = |rho1| Requirement::Breach(BreachLimit { rho1, rho2: r(2, 3) });
    assert_eq!(bound(breach(r(1, 2))), Some(fraction(2, 3)));
    assert_eq!(bound(breach(r(1, 3))), None);
}

/// Rounded bounds are close to their irrational limits.
#[test]
fn rounded_bounds_are_close() {
    let world = World::new(&[1, 1, 1, 1]);
    let bound = |requirement: Requirement| {
        let bound = world.bind(&requirement).max_posterior().unwrap();
        crate::exact::approximate(&bound)
    };
    // The share p with −p ln p − (1 − p) ln((1 − p)/3) = ln 2.
    let p = bound(Requirement::Entropy(EntropyDiversity { l: r(2, 1) }));
    let entropy = -p * p.ln() - (1.0 - p) * ((1.0 - p) / 3.0).ln();
    assert!((entropy - 2f64.ln()).abs() < 1e-5, "{p}");
    let p = bound(Requirement::DeltaDisclosure(DeltaDisclosure { delta: r(1, 1) }));
    assert!((p - 1f64.exp() / 4.0).abs() < 2e-6, "{p}");
    let p = bound(Requirement::Likeness(BetaLikeness { beta: r(9, 1), enhanced: true }));
    assert!((p - (1.0 + 4f64.ln()) / 4.0).abs() < 2e-6, "{p}");
}

/// Whether a bound is as tight as steps of 1/2^20 allow: `breaks` is true just above it and false
/// just below.
fn is_tight(bound: f64, breaks: impl Fn(f64) -> bool) -> bool {
    let step = 2.0 / f64::from(1 << 20);
    breaks(bound + step) && !breaks(bound - step)
}

/// Irrational bounds are rounded up by one step at most; compared with floats.
#[test]
fn bounds_on_posteriors_are_as_low_as_they_can_be() {
    let bound = |world: &World, requirement: Requirement| {
        let found = world.bind(&requirement).max_posterior();
        found.map(|bound| bound.to_f64().unwrap())
    };
    // One of n values has the share p; the others are equally frequent.
    for (values, l) in [(2, r(3, 2)), (3, r(2, 1)), (5, r(7, 2)), (6, r(11, 10))] {
        let world = World::new(&vec![4; values]);
        let found = bound(&world, Requirement::Entropy(EntropyDiversity { l })).unwrap();
        let others = values as f64 - 1.0;
        let entropy = |p: f64| -p * p.ln() - (1.0 - p) * ((1.0 - p) / others).ln();
        assert!(is_tight(found, |p| entropy(p) < approximate(&l).ln()), "{found}");
    }
    let even = World::new(&[3, 3, 3]);
    let l = r(3, 1);
    assert_eq!(bound(&even, Requirement::Entropy(EntropyDiversity { l })), Some(1.0 / 3.0));
    // A value with the share q in the whole table, and all others together.
    for (counts, limit) in [([2, 2], r(1, 10)), ([1, 4], r(1, 5)), ([3, 8], r(1, 100))] {
        let world = World::new(&counts);
        let requirement = |bound| {
            Requirement::Generic(GenericDistance { distance: Distance::KullbackLeibler, bound })
        };
        let found = bound(&world, requirement(limit)).unwrap();
        let apart = |p: f64, q: f64| {
            let part = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
            part(p, q) + part(1.0 - p, 1.0 - q)
        };
        let rows = counts.iter().sum::<u64>() as f64;
        let greatest = counts.iter().map(|&count| count as f64 / rows).fold(0.0, f64::max);
        let limit = approximate(&limit);
        assert!(is_tight(found, |p| apart(p, greatest) > limit), "{found}");
        // The bound is so wide that a value may become certain.
        assert_eq!(bound(&world, requirement(r(5, 1))), None);
    }
    let only = World::new(&[4]);
    let requirement = GenericDistance { distance: Distance::KullbackLeibler, bound: r(1, 10) };
    assert_eq!(bound(&only, Requirement::Generic(requirement)), None);
}

/// A stratum need not have all values of its table. Values that it lacks can be asked about.
#[test]
fn values_that_nobody_has_are_decided_too() {
    let world = World::new(&[3, 2, 0, 1]);
    for model in models_of_the_suite(3) {
        for odds in [None, Some(r(2, 1)), Some(r(3, 2))] {
            let informed = odds.map(|odds| Informed::new(odds, About::Few(1)).unwrap());
            let model = model.clone().against(informed);
            let Ok(criteria) = model.bind(&world.table) else {
                continue;
            };
            let lacking = criteria.hold_on_posterior(&Counts::new(&[(2, 1)]));
            assert!(!lacking || !criteria.excludes_certainty(&[false; 4]), "{model}");
        }
    }
}
