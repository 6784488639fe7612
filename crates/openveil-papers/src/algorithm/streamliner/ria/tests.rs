use super::*;
use crate::algorithm::streamliner::candidates::merge;
use crate::algorithm::streamliner::tests::{model, numbered};
use openveil_core::coins::{Abandoned, SecretCoins};
use std::collections::HashMap;

/// Predetermined coins that give up on the first retry.
struct Script {
    digits: Vec<u32>,
    next: usize,
    bases: Vec<u32>,
}

impl Coins for Script {
    fn below(&mut self, n: u32) -> u32 {
        if self.next == self.digits.len() {
            self.digits.push(0);
        }
        self.bases.truncate(self.next);
        self.bases.push(n);
        self.next += 1;
        self.digits[self.next - 1]
    }

    fn retry(&mut self) -> Result<(), Abandoned> {
        Err(Abandoned)
    }
}

/// Returns every outcome of an experiment, with the product of the sizes of its choices, which is
/// the inverse of its probability. A failed attempt has no outcome.
fn outcomes<T>(mut toss: impl FnMut(&mut Script) -> Result<T, Error>) -> Vec<(Option<T>, u64)> {
    let mut all = Vec::new();
    let mut digits: Vec<u32> = Vec::new();
    loop {
        let mut coins = Script { digits, next: 0, bases: Vec::new() };
        let outcome = toss(&mut coins).ok();
        let weight = coins.bases.iter().map(|&base| u64::from(base)).product();
        all.push((outcome, weight));
        digits = coins.digits;
        digits.truncate(coins.next);
        while digits.last().is_some_and(|&digit| digit + 1 == coins.bases[digits.len() - 1]) {
            digits.pop();
        }
        match digits.last_mut() {
            Some(digit) => *digit += 1,
            None => return all,
        }
    }
}

#[test]
fn choices_are_uniform() {
    let ria = RiaColours::new(&numbered(&[0, 0, 1, 1, 2, 2]), model(3));
    let mut chances: HashMap<Vec<(u32, u32)>, f64> = HashMap::new();
    for (links, weight) in outcomes(|coins| ria.links(0, coins)) {
        let mut links = links.expect("two other colours of two rows never run out");
        links.sort_unstable();
        *chances.entry(links).or_default() += 1.0 / weight as f64;
    }
    // Rows 0 and 1 divide rows 2 and 3 between them, and rows 4 and 5.
    assert_eq!(chances.len(), 4);
    assert!(chances.values().all(|chance| (chance - 0.25).abs() < 1e-12));
}

#[test]
fn stuck_choices_ask_for_another_attempt() {
    // Rows 0 and 1 need two images each, but values 2 and 3 have one row each: if one of them takes
    // both, only value 1 is left for the other.
    let table = numbered(&[0, 0, 1, 1, 2, 3]);
    let ria = RiaColours::new(&table, model(3));
    let all = outcomes(|coins| ria.links(0, coins));
    let stuck: f64 = all
        .iter()
        .filter(|(links, _)| links.is_none())
        .map(|&(_, weight)| 1.0 / weight as f64)
        .sum();
    assert!((stuck - 1.0 / 3.0).abs() < 1e-12, "{stuck}");
    for (links, _) in all {
        let Some(links) = links else { continue };
        let mut images: Vec<u32> = links.iter().map(|&(_, image)| image).collect();
        images.sort_unstable();
        assert_eq!(images, [2, 3, 4, 5]);
    }
    for seed in 0..50 {
        assert!(ria.links(0, &mut SecretCoins::from_test_seed(seed)).is_ok());
    }
}

#[test]
fn colours_put_together_are_distributed_like_the_whole() {
    let table = numbered(&[0, 0, 1, 1, 2]);
    let colours = RiaColours::new(&table, model(2));
    let mut whole: HashMap<Groups, f64> = HashMap::new();
    for (groups, weight) in outcomes(|coins| ria(&table, model(2), coins)) {
        let groups = groups.expect("with l = 2 an eligible table never gets stuck here");
        *whole.entry(groups.sorted()).or_default() += 1.0 / weight as f64;
    }
    let mut parts: Vec<(Vec<(u32, u32)>, f64)> = vec![(Vec::new(), 1.0)];
    for colour in 0..colours.len() {
        let choices = outcomes(|coins| colours.links(colour, coins));
        parts = parts
            .iter()
            .flat_map(|(links, chance)| {
                choices.iter().map(move |(more, weight)| {
                    let links = [&links[..], more.as_deref().unwrap()].concat();
                    (links, chance / *weight as f64)
                })
            })
            .collect();
    }
    let mut joined: HashMap<Groups, f64> = HashMap::new();
    for (links, chance) in parts {
        *joined.entry(merge(5, links).sorted()).or_default() += chance;
    }
    assert_eq!(whole.len(), joined.len());
    assert!(whole.len() > 3);
    for (groups, chance) in whole {
        assert!((joined[&groups] - chance).abs() < 1e-12);
    }
}

#[test]
fn large_tables_become_one_giant_group() {
    let values: Vec<u32> = (0..2_000).map(|row| row % 10).collect();
    let mut coins = SecretCoins::from_test_seed(5);
    let groups = ria(&numbered(&values), model(4), &mut coins).unwrap();
    let largest = groups.iter().map(<[u32]>::len).max().unwrap();
    assert!(largest > 1_900, "{largest}");
}

#[test]
fn hopeless_choices_end() {
    // The table is not eligible, which callers rule out: RIA must still terminate.
    let mut coins = SecretCoins::from_test_seed(6);
    let ended = ria(&numbered(&[0, 0, 0, 1, 2]), model(3), &mut coins);
    assert!(matches!(ended, Err(Error::BeyondLimit { .. })));
}
