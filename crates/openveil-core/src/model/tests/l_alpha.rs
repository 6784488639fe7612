//! The tables and claims of the (l, α)-diversity paper.

use super::super::weight::category_weights;
use super::super::{
    CategoryWeights, Counts, DistinctDiversity, Failure, InvalidModel, KAnonymity, LAlphaDiversity,
    Measured, Over, Requirement, Variant,
};
use super::generators::world_and_groups;
use super::{Rational, World, entries, r};
use crate::exact::{Fraction, fraction};
use proptest::prelude::*;

const DISEASES: [&str; 8] =
    ["HIV", "Cancer", "Phthisis", "Hepatitis", "Obesity", "Asthma", "Flu", "Indigestion"];

/// Table 1: every disease with its rows.
fn hospital() -> World {
    World::of_labels(&DISEASES, &[2, 2, 1, 1, 1, 1, 3, 1])
}

/// Table 4.
fn categories() -> Vec<Vec<String>> {
    DISEASES.chunks(2).map(|pair| pair.iter().map(|label| label.to_string()).collect()).collect()
}

fn model(variant: Variant, l: u32, alpha: Rational, over: Over) -> Requirement {
    Requirement::LAlpha(LAlphaDiversity {
        variant,
        l,
        alpha,
        weights: CategoryWeights::Uniform,
        categories: categories(),
        over,
    })
}

fn group(diseases: [&str; 4]) -> Vec<u64> {
    let count = |label: &&str| diseases.iter().filter(|disease| *disease == label).count() as u64;
    DISEASES.iter().map(count).collect()
}

fn all(requirement: &Requirement, groups: &[Vec<u64>]) -> bool {
    let world = hospital();
    groups.iter().all(|group| {
        let holds = world.holds(requirement, group);
        assert_eq!(holds, world.defined(requirement, group));
        holds
    })
}

const ASIA: [&str; 4] = ["Hepatitis", "Phthisis", "Asthma", "Obesity"];

fn table_5() -> Vec<Vec<u64>> {
    let first = ["HIV", "HIV", "Cancer", "Cancer"];
    let last = ["Flu", "Flu", "Flu", "Indigestion"];
    [first, ASIA, last].map(group).to_vec()
}

fn table_6() -> Vec<Vec<u64>> {
    let first = ["HIV", "HIV", "Cancer", "Flu"];
    let last = ["Cancer", "Flu", "Flu", "Indigestion"];
    [first, ASIA, last].map(group).to_vec()
}

fn table_7() -> Vec<Vec<u64>> {
    let first = ["HIV", "HIV", "Flu", "Flu"];
    let last = ["Cancer", "Cancer", "Flu", "Indigestion"];
    [first, ASIA, last].map(group).to_vec()
}

/// Table 2 has groups with two rows of one value: it is 2-anonymous, but not 2-diverse.
#[test]
fn table_2_protects_no_value() {
    let (k, l) = (
        Requirement::KAnonymity(KAnonymity { k: 2 }),
        Requirement::Distinct(DistinctDiversity { l: 2 }),
    );
    let pair = |label: &str| group([label, label, "", ""]);
    let groups = [pair("HIV"), pair("Cancer"), group(ASIA), pair("Flu")];
    assert!(all(&k, &groups));
    assert!(!all(&l, &groups[1..2]));
}

#[test]
fn table_5_is_2_diverse_and_no_more() {
    assert!(all(&Requirement::Distinct(DistinctDiversity { l: 2 }), &table_5()));
    assert!(!all(&Requirement::Distinct(DistinctDiversity { l: 3 }), &table_5()));
    // The similarity attack: its first group has weight 0.
    let any_weight = model(Variant::Distinct, 2, r(1, 1_000_000), Over::Values);
    assert!(!all(&any_weight, &table_5()[..1]));
    assert!(all(&any_weight, &table_5()[1..]));
}

#[test]
fn table_6_is_distinct_3_1_diverse() {
    assert!(all(&model(Variant::Distinct, 3, r(1, 1), Over::Values), &table_6()));
    assert!(!all(&model(Variant::Distinct, 4, r(1, 1), Over::Values), &table_6()));
    assert!(!all(&model(Variant::Distinct, 3, r(1_001, 1_000), Over::Values), &table_6()));
    // Over categories it is not: the first group has two of them.
    assert!(!all(&model(Variant::Distinct, 3, r(1, 1), Over::Categories), &table_6()));
    // "A higher probability of 75 %": no even spread over the categories.
    assert!(!all(&model(Variant::Entropy, 2, r(1, 1), Over::Categories), &table_6()));
}

/// The text calls Table 7 distinct (3, 1)-diverse as well, which its first group
/// with two values is not.
#[test]
fn table_7_is_entropy_2_2_diverse() {
    let entropy = |alpha| model(Variant::Entropy, 2, alpha, Over::Categories);
    assert!(all(&entropy(r(2, 1)), &table_7()));
    assert!(!all(&entropy(r(2_001, 1_000)), &table_7()));
    assert!(!all(&model(Variant::Distinct, 3, r(1, 1), Over::Values), &table_7()));
    // r₁ = r₂ = 2 in every group: recursive only for c above 1.
    let recursive = |c| model(Variant::Recursive { c }, 2, r(2, 1), Over::Categories);
    assert!(!all(&recursive(r(1, 1)), &table_7()));
    assert!(all(&recursive(r(11, 10)), &table_7()));
}

/// The paper finds 1,570 tuples of a 4-diverse table in groups of one category (section 5). With its
/// eight values in four categories of two, no 4-diverse group is of one category, by any variant.
#[test]
fn the_headline_of_the_similarity_attack_is_impossible() {
    let world = World::new(&[4; 8]);
    let distinct = |l| Requirement::Distinct(DistinctDiversity { l });
    let mut of_one_category = [0; 2];
    for group in 1u32..1 << 8 {
        let counts: Vec<u64> = (0..8).map(|value| u64::from(group >> value & 1)).collect();
        let is_of_one = (0..4).any(|category| group & !(3 << (2 * category)) == 0);
        for (l, found) in [2, 4].into_iter().zip(&mut of_one_category) {
            *found += u32::from(is_of_one && world.holds(&distinct(l), &counts));
        }
    }
    assert_eq!(of_one_category, [4, 0], "2-diverse, 4-diverse");
}

/// Table 8(b) with HIV above Flu: both groups are {HIV, Flu}.
#[test]
fn table_8_is_distinct_2_1_diverse() {
    let world = World::of_labels(&["HIV", "Flu"], &[2, 2]);
    let requirement = |alpha| {
        Requirement::LAlpha(LAlphaDiversity {
            variant: Variant::Distinct,
            l: 2,
            alpha,
            weights: CategoryWeights::Uniform,
            categories: vec![vec!["HIV".to_owned()], vec!["Flu".to_owned()]],
            over: Over::Values,
        })
    };
    assert!(world.holds(&requirement(r(1, 1)), &[1, 1]));
    assert!(!world.holds(&requirement(r(2, 1)), &[1, 1]));
    // Algorithm 1 must not leave this group behind.
    assert!(!world.holds(&requirement(r(1, 1)), &[0, 1]));
}

/// Theorem 1's fixture: twelve records, half of them with weight 1.
#[test]
fn a_clique_is_2_6_diverse() {
    let world = World::of_labels(&["1", "0"], &[6, 6]);
    let requirement = Requirement::LAlpha(LAlphaDiversity {
        variant: Variant::Distinct,
        l: 2,
        alpha: r(6, 1),
        weights: CategoryWeights::Uniform,
        categories: vec![vec!["0".to_owned()], vec!["1".to_owned()]],
        over: Over::Values,
    });
    assert!(world.holds(&requirement, &[6, 6]));
    assert!(!world.holds(&requirement, &[5, 6]));
}

/// {Cancer, Phthisis, Asthma, Flu} has one value of each category.
#[test]
fn weights_satisfy_equation_1() {
    let sum = |weights: CategoryWeights| category_weights(weights, 4).into_iter().sum::<Fraction>();
    let thirds: Vec<Fraction> = (0..4).map(|i| fraction(i, 3)).collect();
    assert_eq!(category_weights(CategoryWeights::Uniform, 4), thirds);
    assert_eq!(sum(CategoryWeights::Uniform), fraction(2, 1));
    let sensitivity = CategoryWeights::Sensitivity { beta: 2 };
    let parts = [(0, 1), (36, 49), (45, 49), (1, 1)].map(|(n, d)| fraction(n, d));
    assert_eq!(category_weights(sensitivity, 4), parts);
    assert_eq!(sum(sensitivity), fraction(130, 49));
}

/// The ratios that Equation 1 asks for: (weight(i+1) − weight(i)) / (weight(i) −
/// weight(i−1)) = w(i+1, i) / w(i, i−1), for i = 2, 3.
fn ratios(weights: &[Fraction]) -> Vec<Fraction> {
    let step = |i: usize| &weights[i] - &weights[i - 1];
    (1..weights.len() - 1).map(|i| step(i + 1) / step(i)).collect()
}

/// The paper prints 9/61, 45/61 and a total of 115/61 for β = 2. These weights have the first ratio
/// inverted: 4, where w(3, 2)/w(2, 1) is 1/4.
#[test]
fn the_printed_sensitivity_weights_are_a_misprint() {
    // w(3, 2)/w(2, 1) and w(4, 3)/w(3, 2), with w(i, i−1) = 1/(i−1)².
    let asked = [fraction(1, 4), fraction(4, 9)];
    let ours = category_weights(CategoryWeights::Sensitivity { beta: 2 }, 4);
    assert_eq!(ratios(&ours), asked);
    let printed = [(0, 1), (9, 61), (45, 61), (1, 1)].map(|(n, d)| fraction(n, d));
    assert_eq!(printed.iter().sum::<Fraction>(), fraction(115, 61));
    assert_eq!(ratios(&printed), [fraction(4, 1), fraction(4, 9)]);
}

#[test]
fn a_lack_of_weight_is_explained() {
    let requirement = model(Variant::Distinct, 2, r(1, 1), Over::Values);
    let counts = entries(&table_5()[0], 1);
    let shortfall = hospital().bind(&requirement).explain(&Counts::new(&counts));
    let expected = Failure {
        property: "distinct (2, 1)-diversity of values".to_owned(),
        measured: Measured {
            value: None,
            what: "total weight of the values",
            found: 0.0,
            bound: 1.0,
        },
    };
    assert_eq!(shortfall, Some(expected));
}

#[test]
fn categories_have_to_fit_the_column() {
    let with = |change: fn(&mut Vec<Vec<String>>)| {
        let mut categories = categories();
        change(&mut categories);
        let requirement = Requirement::LAlpha(LAlphaDiversity {
            variant: Variant::Distinct,
            l: 2,
            alpha: r(1, 1),
            weights: CategoryWeights::Uniform,
            categories,
            over: Over::Values,
        });
        super::Model::from(requirement).bind(&hospital().table).unwrap_err()
    };
    let value = "Fever".to_owned();
    let unknown = with(|categories| categories[0].push("Fever".to_owned()));
    assert_eq!(unknown, InvalidModel::UnknownValue { value }.into());
    let value = "Indigestion".to_owned();
    let missing = with(|categories| categories[3].truncate(1));
    assert_eq!(missing, InvalidModel::NoCategory { value }.into());
}

proptest! {
    /// Proposition 1: a group that satisfies a variant for l satisfies it for every smaller l.
    #[test]
    fn a_smaller_l_asks_for_less(
        (world, groups) in world_and_groups(3),
        variant in prop_oneof![
            Just(Variant::Distinct),
            Just(Variant::Entropy),
            (1u64..8, 1u64..4).prop_map(|(n, d)| Variant::Recursive { c: r(n, d) })
        ],
        over in prop_oneof![Just(Over::Categories), Just(Over::Values)],
        alpha in (1u64..9, 1u64..4),
    ) {
        prop_assume!(world.counts.len() > 1);
        let label = |value: usize| format!("v{value}");
        let categories = vec![
            vec![label(0)],
            (1..world.counts.len()).map(label).collect(),
        ];
        let holds = |l: u32, group: &[u64]| {
            let requirement = Requirement::LAlpha(LAlphaDiversity {
                variant,
                l,
                alpha: r(alpha.0, alpha.1),
                weights: CategoryWeights::Uniform,
                categories: categories.clone(),
                over,
            });
            world.holds(&requirement, group)
        };
        for group in &groups {
            for l in 3..6 {
                prop_assert!(!holds(l, group) || holds(l - 1, group));
            }
        }
    }
}
