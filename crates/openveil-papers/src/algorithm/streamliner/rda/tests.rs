use super::*;
use crate::algorithm::streamliner::tests::{model, numbered};
use openveil_core::coins::SecretCoins;
use std::collections::{BTreeSet, HashSet};

fn values_of(counts: &[u32]) -> Vec<u32> {
    (0u32..)
        .zip(counts)
        .flat_map(|(value, &count)| std::iter::repeat_n(value, count as usize))
        .collect()
}

fn sizes(groups: &Groups) -> Vec<usize> {
    let mut sizes: Vec<usize> = groups.iter().map(<[u32]>::len).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn the_optimum_is_sometimes_missed() {
    let table = numbered(&values_of(&[2, 2, 2, 1, 1]));
    let outcome =
        |seed| sizes(&rda(&table, model(3), &mut SecretCoins::from_test_seed(seed)).unwrap());
    let outcomes: BTreeSet<Vec<usize>> = (0..64).map(outcome).collect();
    assert_eq!(outcomes, [vec![3, 5], vec![4, 4]].into());
}

#[test]
fn file_order_takes_first_rows_and_least_values() {
    let table = numbered(&[0, 0, 1, 1, 2, 2]);
    let groups = rda_file_order(&table, model(2)).unwrap();
    let expected: Groups = [[0, 2], [1, 4], [3, 5]].into_iter().collect();
    assert_eq!(groups.sorted(), expected);
    let left_over = rda_file_order(&numbered(&[0, 0, 1, 1, 2]), model(2)).unwrap();
    let expected: Groups = [vec![0, 2, 4], vec![1, 3]].into_iter().collect();
    assert_eq!(left_over.sorted(), expected);
}

#[test]
fn other_coins_lead_to_other_groups() {
    let table = numbered(&values_of(&[3, 3, 3]));
    let outcome = |seed| rda(&table, model(2), &mut SecretCoins::from_test_seed(seed)).unwrap();
    assert_eq!(outcome(1), outcome(1));
    let different: HashSet<Groups> = (0..40).map(|seed| outcome(seed).sorted()).collect();
    assert!(different.len() > 20);
}

/// Returns the possible numbers of groups and of left-overs per colour at the end of RDA, over all
/// ties: the histogram alone decides.
fn outcomes(
    counts: &[u32],
    current: Option<usize>,
    groups: u32,
    l: usize,
    found: &mut HashSet<(u32, Vec<u32>)>,
) {
    let open = |counts: &[u32]| counts.iter().filter(|&&count| count > 0).count();
    if open(counts) < l {
        found.insert((groups, counts.to_vec()));
        return;
    }
    let current = current.filter(|&current| counts[current] > 0);
    let largest = counts.iter().max().unwrap();
    let starts: Vec<usize> = match current {
        Some(current) => vec![current],
        None => (0..counts.len()).filter(|&c| counts[c] == *largest).take(1).collect(),
    };
    for start in starts {
        let mut rest = counts.to_vec();
        rest[start] -= 1;
        let mut others: Vec<usize> =
            (0..counts.len()).filter(|&c| c != start && counts[c] > 0).collect();
        others.sort_by_key(|&c| std::cmp::Reverse(counts[c]));
        let border = counts[others[l - 2]];
        for chosen in subsets(&others, l - 1) {
            let takes_leaders = others.iter().all(|c| counts[*c] <= border || chosen.contains(c));
            if takes_leaders && chosen.iter().all(|&c| counts[c] >= border) {
                let mut next = rest.clone();
                chosen.iter().for_each(|&c| next[c] -= 1);
                outcomes(&next, Some(start), groups + 1, l, found);
            }
        }
    }
}

fn subsets(items: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (place, &item) in items.iter().enumerate() {
        for mut rest in subsets(&items[place + 1..], size - 1) {
            rest.push(item);
            all.push(rest);
        }
    }
    all
}

/// Returns all histograms of `rows` rows in descending order.
fn histograms(rows: u32, greatest: u32) -> Vec<Vec<u32>> {
    if rows == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for count in 1..=greatest.min(rows) {
        for mut rest in histograms(rows - count, count) {
            rest.insert(0, count);
            all.push(rest);
        }
    }
    all
}

#[test]
fn a_left_over_always_finds_a_compatible_group() {
    let (mut checked, mut left_overs) = (0, 0);
    for l in 2..=4u32 {
        for rows in l..=12 {
            for counts in histograms(rows, rows / l) {
                let mut found = HashSet::new();
                outcomes(&counts, None, 0, l as usize, &mut found);
                for (groups, left) in found {
                    // A group holds at most one row of a colour, so the groups without a colour
                    // suffice if and only if its count is at most this.
                    assert!(counts[0] <= groups, "{counts:?}, l = {l}");
                    left_overs += left.iter().sum::<u32>();
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100 && left_overs > 100, "{checked}, {left_overs}");
}
