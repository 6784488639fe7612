//! Recomputes the worked examples of both papers.

use crate::disclosure::RatioBound;
use crate::verify::safe_sets::*;
use openveil_core::exact::fraction;
use openveil_core::table::Groups;
use std::collections::HashSet;

const HALF: fn() -> RatioBound = || ratio(1, 2);

fn ratio(numerator: u64, denominator: u64) -> RatioBound {
    RatioBound::new(numerator, denominator).unwrap()
}

fn partition(groups: &[&[u32]]) -> Groups {
    groups.iter().map(|group| group.iter().copied()).collect()
}

/// P₁ … P₉ of the Streamliner paper; Ada, Bob, Coy, Dan, Eve are 0 … 4.
fn motivating_partitions() -> Vec<Groups> {
    [
        &[&[0, 2][..], &[1, 3, 4]][..],
        &[&[0, 3], &[1, 2, 4]],
        &[&[0, 4], &[1, 2, 3]],
        &[&[1, 2], &[0, 3, 4]],
        &[&[1, 3], &[0, 2, 4]],
        &[&[1, 4], &[0, 2, 3]],
        &[&[2, 4], &[0, 1, 3]],
        &[&[3, 4], &[0, 1, 2]],
        &[&[0, 1, 2, 3, 4]],
    ]
    .map(partition)
    .to_vec()
}

/// Flu, flu, cold, cold, HIV.
const MOTIVATING: [u32; 5] = [0, 0, 1, 1, 2];

fn without(removed: &[usize]) -> Vec<Groups> {
    let all = motivating_partitions();
    (1..=9)
        .filter(|number| !removed.contains(number))
        .map(|number| all[number - 1].clone())
        .collect()
}

fn sorted(set: &[Groups]) -> Vec<Groups> {
    let mut set: Vec<Groups> = set.iter().map(Groups::sorted).collect();
    set.sort();
    set
}

#[test]
fn the_lss_of_the_motivating_example() {
    let bound = &ratio(2, 3);
    let found = locally_safe_set(&MOTIVATING, bound).unwrap();
    assert_eq!(sorted(&found), sorted(&motivating_partitions()));
    let known = DisclosureSet::new(&MOTIVATING, &found, bound).unwrap();
    assert_eq!(known.tables(), [[0, 0, 1, 1, 2], [1, 1, 0, 0, 2]]);
    assert_eq!(known.highest_ratio(), fraction(1, 1), "Eve has HIV");
    assert!(!is_globally_safe(&MOTIVATING, &found, bound).unwrap());
}

#[test]
fn the_gss_of_the_motivating_example_is_not_strong() {
    let bound = &ratio(2, 3);
    let set = without(&[7]);
    let known = DisclosureSet::new(&MOTIVATING, &set, bound).unwrap();
    assert_eq!(known.tables().len(), 4);
    assert_eq!(known.highest_ratio(), fraction(1, 2));
    assert!(is_globally_safe(&MOTIVATING, &set, bound).unwrap());
    let p3 = &motivating_partitions()[2];
    let released = known.after_release(&MOTIVATING, p3);
    assert_eq!(released.tables(), [MOTIVATING]);
    assert!(!is_strongly_globally_safe(&MOTIVATING, &set, bound).unwrap());
}

#[test]
fn the_sgss_of_the_motivating_example() {
    let bound = &ratio(2, 3);
    let set = without(&[3, 6, 7, 8]);
    let known = DisclosureSet::new(&MOTIVATING, &set, bound).unwrap();
    assert_eq!(known.tables().len(), 10);
    let released = known.after_release(&MOTIVATING, &set[0]);
    assert_eq!(released.tables().len(), 6);
    assert_eq!(released.highest_ratio(), fraction(1, 2));
    for partition in &set {
        let released = known.after_release(&MOTIVATING, partition);
        assert!(released.highest_ratio() <= fraction(1, 2));
    }
    assert!(is_strongly_globally_safe(&MOTIVATING, &set, bound).unwrap());
}

/// The paper's choices cannot be improved: a GSS leaves out one of four partitions, and the SGSS is
/// the largest there is.
#[test]
fn maximal_sets_of_the_motivating_example() {
    let bound = &ratio(2, 3);
    let found = maximal_safe_sets(&MOTIVATING, bound, Strength::Global).unwrap();
    let expected = [3, 6, 7, 8].map(|removed| numbers_of(&without(&[removed])));
    assert_eq!(numbers(found), HashSet::from(expected));
    let found = maximal_safe_sets(&MOTIVATING, bound, Strength::StronglyGlobal).unwrap();
    let mut expected: HashSet<Vec<usize>> = [3, 6, 7, 8].map(|number| vec![number, 9]).into();
    expected.insert(vec![1, 2, 4, 5, 9]);
    assert_eq!(numbers(found), expected);
}

fn numbers(sets: Vec<Vec<Groups>>) -> HashSet<Vec<usize>> {
    sets.iter().map(|set| numbers_of(set)).collect()
}

/// Returns the paper's numbers of partitions, ascending.
fn numbers_of(set: &[Groups]) -> Vec<usize> {
    let known: Vec<Groups> = motivating_partitions().iter().map(Groups::sorted).collect();
    let set: Vec<Groups> = set.iter().map(Groups::sorted).collect();
    (1..=9).filter(|number| set.contains(&known[number - 1])).collect()
}

#[test]
fn figure_1_the_lss_gives_the_only_repeated_value_away() {
    let values = [0, 0, 1, 2, 3, 4];
    let lss = locally_safe_set(&values, &HALF()).unwrap();
    assert!(lss.contains(&partition(&[&[0, 2], &[1, 3], &[4, 5]])));
    let known = DisclosureSet::new(&values, &lss, &HALF()).unwrap();
    assert_eq!(known.tables().len(), 24);
    assert!(known.tables().iter().all(|table| table[..2] == [0, 0]));
    assert_eq!(known.highest_ratio(), fraction(1, 1));
}

#[test]
fn figure_2_a_globally_safe_lss_with_an_unsafe_release() {
    let values = [0, 0, 1, 2, 3, 1];
    let lss = locally_safe_set(&values, &HALF()).unwrap();
    let known = DisclosureSet::new(&values, &lss, &HALF()).unwrap();
    assert_eq!(known.tables().len(), 4);
    assert!(is_globally_safe(&values, &lss, &HALF()).unwrap());
    let chosen = partition(&[&[0, 2], &[1, 3], &[4, 5]]);
    assert!(lss.contains(&chosen));
    assert_eq!(known.after_release(&values, &chosen).tables(), [values]);
    assert!(!is_strongly_globally_safe(&values, &lss, &HALF()).unwrap());
}

#[test]
fn figure_3_values_of_unlike_counts_cover_each_other() {
    let values = [0, 0, 1, 2];
    let listed = [
        partition(&[&[0, 2], &[1, 3]]),
        partition(&[&[0, 3], &[1, 2]]),
        partition(&[&[0, 1, 2, 3]]),
    ];
    let lss = locally_safe_set(&values, &HALF()).unwrap();
    assert_eq!(sorted(&lss), sorted(&listed));
    let known = DisclosureSet::new(&values, &lss, &HALF()).unwrap();
    assert_eq!(known.tables().len(), 4);
    assert!(is_globally_safe(&values, &lss, &HALF()).unwrap());
    let released = known.after_release(&values, &listed[0]);
    assert_eq!(released.tables(), [[0, 0, 1, 2], [1, 2, 0, 0]]);
    assert!(released.satisfies(&HALF()));
}

#[test]
fn example_2_of_the_streamliner_paper() {
    let values = [0, 0, 1, 1];
    let p1 = partition(&[&[0, 2], &[1, 3]]);
    let p2 = partition(&[&[0, 3], &[1, 2]]);
    let p3 = partition(&[&[0, 1, 2, 3]]);
    let lss = locally_safe_set(&values, &HALF()).unwrap();
    let listed = [p1.clone(), p2.clone(), p3.clone()];
    assert_eq!(sorted(&lss), sorted(&listed), "P4 is not locally safe");
    for set in [[p1, p3.clone()], [p2, p3]] {
        assert!(is_globally_safe(&values, &set, &HALF()).unwrap());
        assert!(is_strongly_globally_safe(&values, &set, &HALF()).unwrap());
    }
    let p4 = [partition(&[&[0, 1], &[2, 3]])];
    assert!(!is_globally_safe(&values, &p4, &HALF()).unwrap());
}

/// Containing the LSS of a table and having it as LSS are equivalent.
#[test]
fn no_lss_contains_another_of_the_same_multiset() {
    for values in [&[0, 0, 1, 1][..], &MOTIVATING, &[0, 0, 0, 1, 1, 2]] {
        let lss = locally_safe_set(values, &HALF()).unwrap();
        let known = DisclosureSet::new(values, &lss, &HALF()).unwrap();
        assert!(!known.tables().is_empty());
        for table in known.tables() {
            assert_eq!(locally_safe_set(table, &HALF()).unwrap(), lss);
        }
    }
}

#[test]
fn too_much_is_refused() {
    let many: Vec<u32> = (0..10).collect();
    assert!(DisclosureSet::new(&many, &[], &HALF()).is_err());
    let six = [0, 0, 1, 1, 2, 2];
    assert!(maximal_safe_sets(&six, &HALF(), Strength::Global).is_err());
}
