//! Conditions on groups for informed readers agree with what such readers would conclude.

use super::generators::scene;
use super::{Requirement, World, entries, r};
use crate::Error;
use crate::exact::{Fraction, Rational, fraction};
use crate::model::{
    About, BetaLikeness, Counts, Criteria, DeltaDisclosure, EntropyDiversity, GroundDistance,
    Informed, Model, TCloseness, l_diversity,
};
use proptest::prelude::*;

fn informed() -> impl Strategy<Value = Informed> {
    let odds = prop_oneof![Just(r(2, 1)), Just(r(3, 1)), Just(r(3, 2)), Just(r(7, 5))];
    (odds, 1u32..3).prop_map(|(odds, people)| Informed::new(odds, About::Few(people)).unwrap())
}

fn bind(world: &World, requirement: &Requirement, informed: Informed) -> Criteria {
    let model = Model::from(requirement.clone()).against(informed);
    model.bind(&world.table).unwrap()
}

/// The weight of each value of the first of some people, over all ways to give them the remaining
/// values. A value has double weight if the reader is told so about a person.
fn of_first(
    told: &[[bool; 3]],
    left: &mut [u64; 3],
    (first, weight): (Option<usize>, u128),
    mass: &mut [u128; 3],
) {
    let Some((own, others)) = told.split_first() else {
        mass[first.expect("somebody is the first")] += weight;
        return;
    };
    for value in 0..left.len() {
        if left[value] > 0 {
            left[value] -= 1;
            let so_far = (first.or(Some(value)), weight * (1 + u128::from(own[value])));
            of_first(others, left, so_far, mass);
            left[value] += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// A group taken as given, for readers who believe something different about each of its
    /// people: with weights of 1 and 2, any two people and values differ by odds of at most 4.
    #[test]
    fn groups_at_face_value_keep_their_bound(
        counts in [0u64..3, 0u64..3, 0u64..3], told in [any::<[bool; 3]>(); 6],
    ) {
        let people = counts.iter().sum::<u64>();
        prop_assume!(people > 0);
        let informed = Informed::new(r(4, 1), About::Everybody).unwrap();
        let mut mass = [0; 3];
        of_first(&told[..people as usize], &mut counts.clone(), (None, 1), &mut mass);
        let total = mass.iter().sum();
        for (count, mass) in counts.into_iter().zip(mass) {
            let share = fraction(count.into(), people.into());
            prop_assert!(fraction(mass, total) <= informed.tilted_in_group(&share));
        }
    }

    /// Sets that are not tried do not affect the decision: the definition tries all.
    #[test]
    fn decisions_are_those_of_all_tilts(
        (world, requirement, groups) in scene(4), informed in informed(),
    ) {
        let criteria = bind(&world, &requirement, informed);
        for group in &groups {
            let holds = criteria.hold_on_group(&Counts::new(&entries(group, 1)));
            let defined = world.defined_for(&requirement, Some(informed), group);
            // The ratio is rounded up to a whole number, or to the size of groups.
            let is_rounded = matches!(requirement, Requirement::Ratio(_));
            prop_assert!(holds == defined || is_rounded && !holds,
                "{} at {informed} on {group:?}", requirement.name());
        }
    }

    /// Every belief within the bounds, not only beliefs at the corners.
    #[test]
    fn no_belief_in_bounds_breaks_the_model(
        (world, requirement, groups) in scene(4), informed in informed(),
        beliefs in prop::collection::vec(0u64..=20, 6),
    ) {
        let criteria = bind(&world, &requirement, informed);
        let plain = world.bind(&requirement);
        for group in groups.iter().filter(|g| criteria.hold_on_posterior(&Counts::new(&entries(g, 1)))) {
            // Weights from 1 to the factor, in twentieths.
            let (up, down) = (*informed.factor().numer(), *informed.factor().denom());
            let weight = |part: u64| 20 * down + part * (up - down);
            let believed: Vec<u64> = group.iter().zip(&beliefs)
                .map(|(&count, &part)| count * weight(part)).collect();
            prop_assert!(plain.hold_on_posterior(&Counts::new(&entries(&believed, 1))),
                "{} at {informed}: {group:?} as {believed:?}", requirement.name());
        }
    }

    #[test]
    fn mixtures_of_what_suffices_suffice(
        (world, requirement, groups) in scene(3), informed in informed(), times in 1u64..30,
    ) {
        let criteria = bind(&world, &requirement, informed);
        let suffices = |group: &[u64]| criteria.hold_on_posterior(&Counts::new(&entries(group, 1)));
        for a in groups.iter().filter(|group| suffices(group)) {
            for b in groups.iter().filter(|group| suffices(group)) {
                let mixed: Vec<u64> = a.iter().zip(b).map(|(a, b)| a + times * b).collect();
                prop_assert!(!criteria.is_convex() || suffices(&mixed),
                    "{} at {informed}: {a:?} and {b:?}", requirement.name());
            }
        }
    }

    /// No chance exceeds the stated bound for either reader.
    #[test]
    fn chances_stay_below_their_bounds((world, requirement, groups) in scene(4), informed in informed()) {
        let criteria = bind(&world, &requirement, informed);
        let Some(bound) = criteria.max_posterior() else { return Ok(()) };
        for group in groups.iter().filter(|g| criteria.hold_on_posterior(&Counts::new(&entries(g, 1)))) {
            let size = group.iter().sum::<u64>();
            for (&count, &protected) in group.iter().zip(&world.protected) {
                prop_assert!(!protected || share(count, size) <= bound);
            }
        }
    }
}

fn share(count: u64, size: u64) -> Fraction {
    fraction(count.into(), size.into())
}

#[test]
fn the_ratio_is_that_of_the_page() {
    let ratio = |l: u32, odds: Rational, people: u32| {
        let informed = Informed::new(odds, About::Few(people)).unwrap();
        l_diversity(l).unwrap().against(informed).ratio().unwrap().l()
    };
    // READERS, A2 and A4.
    assert_eq!(ratio(4, r(3, 1), 1), 10);
    assert_eq!((ratio(2, r(6, 1), 1), ratio(3, r(3, 1), 1), ratio(4, r(2, 1), 1)), (7, 7, 7));
    assert_eq!((ratio(2, r(2, 1), 2), ratio(2, r(3, 2), 1), ratio(3, r(3, 2), 2)), (5, 3, 6));
}

#[test]
fn a_bound_is_tilted_and_back() {
    let informed = Informed::new(r(3, 1), About::Few(2)).unwrap();
    assert_eq!(informed.tilted(&fraction(1, 28)), fraction(1, 4));
    assert_eq!(informed.tilted_in_group(&fraction(1, 10)), fraction(1, 4));
    assert_eq!(informed.to_string(), "odds of 3 about 2 people");
    let model = l_diversity(4).unwrap().against(informed);
    assert_eq!(model.to_string(), "ratio 4-diversity at odds of 3 about 2 people");
}

#[test]
fn what_is_out_of_range_is_refused() {
    let refused = |odds, about| Informed::new(odds, about).unwrap_err();
    assert!(refused(r(1, 1), About::Few(1)).contains("must be above 1"));
    assert!(refused(r(2, 1), About::Few(0)).contains("at least 1"));
    assert!(refused(r(2, 1), About::Few(32)).contains("too high to compute with"));
}

/// If there are many values, the check's definitions try fewer sets: the ones that matter.
#[test]
fn definitions_try_the_sets_that_matter() {
    let informed = Informed::new(r(2, 1), About::Few(1)).unwrap();
    let world = World::new(&[2; 8]);
    let likeness = |beta| BetaLikeness { beta, enhanced: false };
    let entropy = |l| Requirement::Entropy(EntropyDiversity { l });
    let disclosure = |delta| Requirement::DeltaDisclosure(DeltaDisclosure { delta });
    // Eight even values: one raised value has 2/9, which is 7/9 more than 1/8; one lowered value
    // has 1/15. Three raised values leave less entropy than one raised value: that of 7.54 values
    // instead of 7.72.
    let cases = [
        (Requirement::Likeness(likeness(r(7, 9))), true),
        (Requirement::Likeness(likeness(r(3, 4))), false),
        (disclosure(r(64, 100)), true),
        (disclosure(r(60, 100)), false),
        (entropy(r(75, 10)), true),
        (entropy(r(76, 10)), false),
    ];
    for (requirement, holds) in cases {
        for group in [[1; 8], [3; 8]] {
            let raised = |set: u32| -> Vec<u64> {
                let times = |value: usize| 1 + u64::from(set >> value & 1);
                (0..8).map(|value| group[value] * times(value)).collect()
            };
            let all = (0u32..1 << 8).all(|set| world.defined(&requirement, &raised(set)));
            let found = world.defined_for(&requirement, Some(informed), &group);
            assert_eq!((all, found), (holds, holds), "{}", requirement.name());
        }
    }
    // With 13 values, single values are tried. Where all sets would be needed, none is tried.
    let many = World::new(&[1; 13]);
    let found = |requirement| many.defined_for(&requirement, Some(informed), &[1; 13]);
    assert!(found(Requirement::Likeness(likeness(r(1, 1)))));
    assert!(!found(entropy(r(2, 1))));
}

/// For some models every set of values matters, and sets are tried up to a limit.
#[test]
fn more_values_than_are_tried_are_refused() {
    let informed = Informed::new(r(2, 1), About::Few(1)).unwrap();
    let bind = |requirement: Requirement, values: usize| {
        let world = World::new(&vec![1; values]);
        let model = Model::from(requirement).against(informed);
        model.bind(&world.table).map(|_| ())
    };
    let entropy = || Requirement::Entropy(EntropyDiversity { l: r(2, 1) });
    let ground = GroundDistance::Equal;
    let closeness = || Requirement::Closeness(TCloseness { t: r(1, 2), ground });
    assert_eq!((bind(entropy(), 12), bind(closeness(), 12)), (Ok(()), Ok(())));
    for refused in [bind(entropy(), 13), bind(closeness(), 13)] {
        let Err(Error::InvalidModel(cause)) = refused else {
            panic!("{refused:?}");
        };
        assert!(cause.to_string().contains("up to 12 sensitive values only, and 13 occur"));
    }
    let ratio = Requirement::Ratio(crate::model::RatioDiversity::new(2).unwrap());
    assert_eq!(bind(ratio, 300), Ok(()));
}
