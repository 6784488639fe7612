//! The tables of the (l, α)-diversity paper, and an example computed by hand.

use super::*;
use openveil_core::exact::Rational;

const VALUES: [&str; 8] =
    ["HIV", "Cancer", "Phthisis", "Hepatitis", "Obesity", "Asthma", "Flu", "Indigestion"];

/// Table 4: the values in pairs, the most sensitive first.
fn categories(scheme: CategoryWeights) -> Option<Categories> {
    Some(Categories::new(vec![0, 0, 1, 1, 2, 2, 3, 3], 4, scheme))
}

fn measure(groups: &[&[&str]], weights: CategoryWeights) -> Measures {
    let code = |name: &&str| VALUES.iter().position(|value| value == name).unwrap() as u32;
    let groups: Vec<Vec<u32>> =
        groups.iter().map(|group| group.iter().map(code).collect()).collect();
    let knowledge = Knowledge { categories: categories(weights), ..Knowledge::default() };
    Measures::new(&counted(&groups, VALUES.len()), &knowledge, &[2, 3])
}

const ASIA: &[&str] = &["Hepatitis", "Phthisis", "Asthma", "Obesity"];

#[test]
fn table_2_is_two_anonymous_and_gives_people_away() {
    let groups: [&[&str]; 5] =
        [&["HIV", "HIV"], &["Cancer", "Cancer"], ASIA, &["Flu", "Indigestion"], &["Flu", "Flu"]];
    let found = measure(&groups, CategoryWeights::Uniform);
    assert_eq!(found.diversity.distinct, 1);
    assert_eq!(found.diversity.highest_share, Rational::new(1, 1));
    assert_eq!(found.diversity.recursive, [(2, None), (3, None)]);
    let kinds = found.categorised.unwrap();
    assert_eq!((kinds.least_weight, kinds.similar_rows), (0.0, 8));
}

#[test]
fn table_5_is_two_diverse_and_open_to_the_similarity_attack() {
    let groups: [&[&str]; 3] =
        [&["HIV", "HIV", "Cancer", "Cancer"], ASIA, &["Flu", "Flu", "Flu", "Indigestion"]];
    let found = measure(&groups, CategoryWeights::Uniform);
    assert_eq!(found.diversity.distinct, 2);
    assert_eq!(found.diversity.ratio(), Rational::new(4, 3));
    assert_eq!(found.diversity.recursive, [(2, Some(Rational::from(3))), (3, None)]);
    let kinds = found.categorised.unwrap();
    // The first group is all Top Secret, the third all Non Secret.
    assert_eq!((kinds.least_weight, kinds.similar_rows), (0.0, 8));
    assert_eq!(kinds.diversity.distinct, 1);
}

#[test]
fn table_6_is_distinct_3_1_diverse() {
    let groups: [&[&str]; 3] =
        [&["HIV", "HIV", "Cancer", "Flu"], ASIA, &["Cancer", "Flu", "Flu", "Indigestion"]];
    let found = measure(&groups, CategoryWeights::Uniform);
    assert_eq!(found.diversity.distinct, 3);
    let kinds = found.categorised.unwrap();
    assert_eq!((kinds.least_weight, kinds.similar_rows), (1.0, 0));
    // Three of four are Top Secret: the paper's chance of 75 %.
    assert_eq!(kinds.diversity.highest_share, Rational::new(3, 4));
}

#[test]
fn table_7_is_entropy_2_2_diverse() {
    let groups: [&[&str]; 3] =
        [&["HIV", "HIV", "Flu", "Flu"], ASIA, &["Cancer", "Cancer", "Flu", "Indigestion"]];
    let found = measure(&groups, CategoryWeights::Uniform);
    let kinds = found.categorised.unwrap();
    assert_eq!(kinds.diversity.entropy, 2.0, "exactly, not 1.9999…");
    assert_eq!((kinds.least_weight, kinds.similar_rows), (2.0, 0));
    // Its caption calls it distinct (3, 1)-diverse; the first group has two values.
    assert_eq!(found.diversity.distinct, 2);
}

#[test]
fn weights_follow_equation_1_not_the_printed_numbers() {
    let total = |group: &[&str], scheme| {
        let found = measure(&[group], scheme);
        found.categorised.unwrap().least_weight
    };
    let group = ["Cancer", "Phthisis", "Asthma", "Flu"];
    let sensitivity = CategoryWeights::Sensitivity { beta: 2 };
    assert_eq!(total(&group, CategoryWeights::Uniform), 2.0);
    assert_eq!(total(&group, sensitivity), 130.0 / 49.0);
    let expected = [0.0, 36.0 / 49.0, 45.0 / 49.0, 1.0];
    for (value, expected) in group.iter().zip(expected) {
        assert_eq!(total(&[value], sensitivity), expected);
    }
    // The paper prints 9/61, 45/61 and 115/61: its first ratio is inverted.
    let printed = [0.0, 9.0 / 61.0, 45.0 / 61.0, 1.0];
    let ratio = (printed[2] - printed[1]) / (printed[1] - printed[0]);
    assert!(!close(ratio, (1.0 / 4.0) / 1.0));
}

/// Two groups of four and two rows over the numbers 1, 2, 3 with 3, 2 and 1 rows.
#[test]
fn a_small_table_by_hand() {
    let groups = [vec![0, 0, 0, 1], vec![1, 2]];
    let knowledge = Knowledge { ordered: true, ..Knowledge::default() };
    let found = Measures::new(&counted(&groups, 3), &knowledge, &[2]);
    // First group: shares 3/4, 1/4, 0; second: 0, 1/2, 1/2; table: 1/2, 1/3, 1/6.
    assert_eq!(found.diversity.distinct, 2);
    assert!(close(found.diversity.entropy, 4.0 / 27f64.powf(0.25)));
    assert_eq!(found.diversity.highest_share, Rational::new(3, 4));
    assert_eq!(found.diversity.recursive, [(2, Some(Rational::from(3)))]);
    // Total variation: 1/4 in the first, 1/6 + 1/3 in the second.
    assert!(close(found.closeness.equal, 0.5));
    // |−1/2| + |−1/2 + 1/6| in the second, over two steps.
    assert!(close(found.closeness.ordered.unwrap(), (0.5 + 1.0 / 3.0) / 2.0));
    // Value 3 goes from 1/6 to 1/2: a gain of 2, above −ln(1/6) = 1.79.
    assert!(close(found.likeness.beta_basic, 2.0));
    assert_eq!(found.likeness.beta_enhanced(), None);
    assert_eq!(found.likeness.delta(), None, "3 is absent in the first group");
}
