//! Properties that all jump vectors share, and properties in which they differ.

use super::{Strategy, *};
use crate::disclosure::DistinctValues;
use openveil_core::Error;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

#[test]
fn there_are_as_many_algorithms_as_orders_of_one_function_less() {
    for (steps, expected) in [(1, 1), (2, 1), (3, 2), (4, 6), (5, 24), (6, 120)] {
        let sequence: Vec<usize> = (0..steps).collect();
        let plans = JumpPlan::all_jumps(&sequence, 120).unwrap();
        assert_eq!(plans.len(), expected);
        let distinct: std::collections::HashSet<&JumpPlan> = plans.iter().collect();
        assert_eq!(distinct.len(), expected);
    }
    let four = JumpPlan::all_jumps(&[0, 1, 2, 3], 6).unwrap();
    assert_eq!(four[0].strategy(), &Strategy::Jump(vec![1, 1, 1, 1]));
    assert_eq!(four[5].strategy(), &Strategy::Jump(vec![1, 3, 2, 1]));
    for (steps, limit) in [(4, 5), (30, u64::MAX)] {
        let sequence: Vec<usize> = (0..steps).collect();
        let found = JumpPlan::all_jumps(&sequence, limit);
        assert!(matches!(found, Err(Error::BeyondLimit { .. })));
    }
}

#[test]
fn plans_that_fit_nothing_are_refused() {
    let jump = |distances: &[u32]| JumpPlan::new(vec![0, 0], Strategy::Jump(distances.to_vec()));
    let (expected, found) = (2, 1);
    assert_eq!(jump(&[1]), Err(PlanError::JumpCount { expected, found }.into()));
    assert_eq!(jump(&[1, 0]), Err(PlanError::ZeroJump { step: 2 }.into()));
    assert!(matches!(
        JumpPlan::new(vec![0; MAX_STEPS + 1], Strategy::Safe),
        Err(Error::BeyondLimit { .. })
    ));
    let functions = functions(2, &[&[&[0, 1]]]);
    let space = ContingencyTables::new(&functions, &[1, 1], LIMIT).unwrap();
    let (function, functions) = (1, 1);
    let beyond = JumpPlan::new(vec![1], Strategy::Safe).unwrap();
    let found = evaluate(&space, &half(), &beyond);
    assert_eq!(found.unwrap_err(), PlanError::NoSuchFunction { function, functions }.into());
    let none = PlanReader::new(&space, &half(), &[]);
    assert_eq!(none.unwrap_err(), PlanError::NoPlan.into());
}

/// Returns counts per value and four partitions of as many people.
fn publications() -> impl proptest::strategy::Strategy<Value = (Functions, Vec<u32>)> {
    let counts = prop::collection::vec(1u32..3, 3..5);
    counts.prop_flat_map(|counts| {
        let people = counts.iter().sum::<u32>() as usize;
        let labels = prop::collection::vec(0u32..3, people);
        prop::collection::vec(labels, 4).prop_map(move |partitions| {
            let groups = partitions.iter().map(|of| Groups::from_labels(of, 3));
            (Functions::new(people, groups).unwrap(), counts.clone())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_first_two_disclosure_sets_do_not_depend_on_the_jumps(
        (functions, counts) in publications(),
        first in 1u32..5,
    ) {
        let space = ContingencyTables::new(&functions, &counts, LIMIT).unwrap();
        let ones = evaluate(&space, &half(), &jump(&functions, &[1; 4])).unwrap();
        for plan in JumpPlan::all_jumps(&[0, 1, 2, 3], 6).unwrap() {
            let Strategy::Jump(mut distances) = plan.strategy().clone() else { unreachable!() };
            let found = evaluate(&space, &half(), &plan).unwrap();
            distances[0] = first;
            let other = evaluate(&space, &half(), &jump(&functions, &distances)).unwrap();
            for class in 0..space.classes() {
                prop_assert_eq!(found.outcome(class), other.outcome(class));
                let permutations = space.permutation_set(0, class);
                if permutations.satisfies(&half()) {
                    prop_assert_eq!(permutations, found.disclosure_set(&space, 0, class));
                    prop_assert_eq!(found.released(class), Some(0));
                }
                prop_assert_eq!(
                    ones.disclosure_set(&space, 1, class),
                    found.disclosure_set(&space, 1, class)
                );
            }
        }
    }

    #[test]
    fn safe_is_jumping_by_one((functions, counts) in publications()) {
        let space = ContingencyTables::new(&functions, &counts, LIMIT).unwrap();
        let third = RatioBound::new(1, 3).unwrap();
        let properties: [&dyn crate::disclosure::Predicate; 3] =
            [&half(), &third, &DistinctValues(2)];
        for predicate in properties {
            let safe = evaluate(&space, predicate, &plan(&functions, Strategy::Safe)).unwrap();
            let ones = evaluate(&space, predicate, &jump(&functions, &[1; 4])).unwrap();
            for class in 0..space.classes() {
                prop_assert_eq!(safe.released(class), ones.released(class));
            }
        }
    }

    #[test]
    fn safe_and_every_jump_are_safe_alone_and_as_a_secret_choice(
        (functions, counts) in publications(),
    ) {
        let space = ContingencyTables::new(&functions, &counts, LIMIT).unwrap();
        // The first two functions occur again: the reader does not see the step.
        let again = [0, 1, 2, 3, 1, 0];
        let mut plans = vec![JumpPlan::new(again.to_vec(), Strategy::Safe).unwrap()];
        for distances in [[1; 6], [1, 2, 1, 2, 1, 1], [1, 3, 3, 1, 1, 1]] {
            plans.push(JumpPlan::new(again.to_vec(), Strategy::Jump(distances.to_vec())).unwrap());
        }
        for plan in &plans {
            let reader = PlanReader::new(&space, &half(), std::slice::from_ref(plan)).unwrap();
            prop_assert!(reader.releases(&half()).are_safe());
        }
        let reader = PlanReader::new(&space, &half(), &plans).unwrap();
        let releases = reader.releases(&half());
        prop_assert!(releases.are_safe());
        let silent = reader.conclusion(Output::Nothing).tables();
        prop_assert_eq!(releases.cases + silent, 4 * space.tables());
    }
}

/// The k-jump paper, section 5.3, on a property that is neither set-monotonic nor a highest ratio:
/// person by person, an odd number of possible values. Five people with 1,1,2,2,3, found by search.
#[test]
fn for_other_properties_safe_and_jumping_by_one_are_incomparable() {
    let odd = |counts: &[u128]| counts.iter().filter(|&&count| count > 0).count() % 2 == 1;
    let functions =
        functions(5, &[&[&[4], &[1, 2, 3], &[0]], &[&[0, 1, 3], &[2], &[4]], &[&[0, 1, 2, 3, 4]]]);
    let space = ContingencyTables::new(&functions, &[2, 2, 1], LIMIT).unwrap();
    let safe = plan(&functions, Strategy::Safe);
    let ones = jump(&functions, &[1; 3]);
    assert_eq!(compare(&space, &odd, [&safe, &ones]), [4, 14, 12]);
}
