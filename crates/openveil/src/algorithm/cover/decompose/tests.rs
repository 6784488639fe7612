//! Decompositions for any model.

use super::in_turn::most_in_turn;
use super::*;
use crate::exact::Rational;
use crate::model::{
    BetaLikeness, CountBuffer, Criteria, DeltaDisclosure, DistinctDiversity, EntropyDiversity,
    GroundDistance, LAlphaDiversity, Model, Over, RecursiveDiversity, Requirement, TCloseness,
};
use crate::model::{Variant, Weights};
use crate::table::{Secret, View};
use proptest::prelude::*;

/// A model for a table with these counts.
fn criteria(model: &Model, counts: &[u32]) -> (Criteria, View) {
    let codes = (0u32..).zip(counts);
    let codes = codes.flat_map(|(value, &count)| vec![value; count as usize]);
    let labels = (0..counts.len()).map(|value| value.to_string());
    let table = View::new(vec![], Secret::new("s", codes.collect(), labels)).unwrap();
    (model.bind(&table).unwrap(), table)
}

/// Over four categories of two values each.
fn l_alpha(variant: Variant, l: u32) -> Requirement {
    let label = |value: u32| value.to_string();
    Requirement::LAlpha(LAlphaDiversity {
        variant,
        l,
        alpha: Rational::new(2, 1),
        weights: Weights::Uniform,
        categories: (0..4)
            .map(|first| vec![label(first), label(first + 4)])
            .collect(),
        over: Over::Categories,
    })
}

fn models() -> Vec<Model> {
    let share = Rational::new;
    let closeness = |ground| {
        Requirement::Closeness(TCloseness {
            t: share(1, 5),
            ground,
        })
    };
    let all = [
        Requirement::Distinct(DistinctDiversity { l: 3 }),
        Requirement::Entropy(EntropyDiversity { l: share(3, 1) }),
        Requirement::Recursive(RecursiveDiversity {
            c: share(2, 1),
            l: 3,
        }),
        closeness(GroundDistance::Equal),
        closeness(GroundDistance::Ordered),
        Requirement::Likeness(BetaLikeness {
            beta: share(1, 1),
            enhanced: true,
        }),
        Requirement::DeltaDisclosure(DeltaDisclosure { delta: share(1, 1) }),
        l_alpha(Variant::Distinct, 3),
        l_alpha(Variant::Entropy, 3),
        l_alpha(Variant::Recursive { c: share(3, 1) }, 3),
    ];
    all.into_iter().map(Model::from).collect()
}

/// Every value is used up, every signature satisfies the model.
fn assert_decomposes(found: &Decomposition, counts: &[u32], criteria: &Criteria) {
    let mut used = vec![0; counts.len()];
    let mut tally = CountBuffer::default();
    for bucket in found.buckets() {
        assert!(bucket.groups > 0 && bucket.signature.is_sorted());
        for &value in &bucket.signature {
            used[value as usize] += bucket.groups;
        }
        let values = tally.of_codes(bucket.signature.iter().copied());
        assert!(criteria.hold_on_group(&values), "{:?}", bucket.signature);
    }
    assert_eq!(used, counts);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the whole table satisfies is decomposed, whatever it does not is not.
    #[test]
    fn every_model_decomposes_what_it_allows(
        counts in prop::collection::vec(1u32..200, 8), number in 0usize..10,
    ) {
        let (criteria, table) = criteria(&models()[number], &counts);
        let found = decompose_any(&table.histogram(), &criteria);
        prop_assert_eq!(found.is_some(), criteria.check_whole(&table).is_ok());
        if let Some(found) = found {
            assert_decomposes(&found, &counts, &criteria);
        }
    }

    /// With distinct diversity no decomposition has more groups: a group takes l
    /// values, and a value is in at most as many groups as it has rows.
    #[test]
    fn distinct_diversity_is_decomposed_optimally(
        counts in prop::collection::vec(1u32..60, 2..12), l in 2u32..5,
    ) {
        prop_assume!(counts.len() >= l as usize);
        let (criteria, table) = criteria(&Requirement::Distinct(DistinctDiversity { l }).into(), &counts);
        let found = decompose_any(&table.histogram(), &criteria).unwrap();
        assert_decomposes(&found, &counts, &criteria);
        let fits = |groups: u32| {
            let slots: u32 = counts.iter().map(|&count| count.min(groups)).sum();
            slots >= l * groups
        };
        let most = (1..=table.rows() as u32).filter(|&groups| fits(groups)).max();
        prop_assert_eq!(Some(found.groups()), most);
    }
}

/// Dealt in turn, every group gets the frequent value in the same proportion, and
/// groups are large. A mixture of small and large signatures makes a third more.
#[test]
fn the_linear_program_mixes_signatures() {
    let counts = [55, 24, 23, 28];
    let entropy = Requirement::Entropy(EntropyDiversity {
        l: Rational::new(3, 1),
    });
    let (criteria, table) = criteria(&entropy.into(), &counts);
    let in_turn = most_in_turn(&table.histogram(), &criteria).unwrap();
    let found = decompose_any(&table.histogram(), &criteria).unwrap();
    assert_decomposes(&found, &counts, &criteria);
    assert_eq!((in_turn.groups(), found.groups()), (23, 31));
}

/// One row from each category: dealing in turn has to know which values are alike.
#[test]
fn categories_are_kept_apart() {
    let counts = [100; 8];
    let all_four = l_alpha(Variant::Distinct, 4).into();
    let (criteria, table) = criteria(&all_four, &counts);
    let found = decompose_any(&table.histogram(), &criteria).unwrap();
    assert_decomposes(&found, &counts, &criteria);
    assert_eq!(found.groups(), 200);
}

/// Laid end to end by their codes, values of one category meet; by categories, none do,
/// in as many groups.
#[test]
fn of_equally_many_groups_those_that_mix_categories_are_preferred() {
    let labels = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>();
    let model = Model::from(Requirement::LAlpha(LAlphaDiversity {
        variant: Variant::Distinct,
        l: 2,
        alpha: Rational::new(1, 4),
        weights: Weights::Uniform,
        categories: vec![
            labels(&[0]),
            labels(&[1, 5]),
            labels(&[2, 6]),
            labels(&[3, 7, 4]),
        ],
        over: Over::Values,
    }));
    for counts in [[100; 8], [101, 100, 100, 99, 101, 100, 100, 99]] {
        let (criteria, table) = criteria(&model, &counts);
        let found = decompose_any(&table.histogram(), &criteria).unwrap();
        assert_eq!(found.groups(), 400);
        assert_eq!(super::in_turn::mixed(&found, &criteria), 400, "{found:?}");
    }
}
