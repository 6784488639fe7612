//! Blocks that try groupings in turn, under the eyes of a reader who knows how.

use super::*;
use crate::Error;
use crate::blocks::{BLOCK_SIZE, Blocks, Disclosure};
use crate::coins::Coins;
use crate::table::{Groups, Table};

fn partitions(rows: u32, most: u32) -> Vec<Vec<u32>> {
    match rows {
        0 => vec![Vec::new()],
        _ => (1..=most.min(rows))
            .flat_map(|first| {
                let rest = partitions(rows - first, first).into_iter();
                rest.map(move |rest| [vec![first], rest].concat())
            })
            .collect(),
    }
}

fn values(counts: &[u32]) -> Vec<u32> {
    let runs = (0..).zip(counts);
    runs.flat_map(|(value, &count)| std::iter::repeat_n(value, count as usize)).collect()
}

#[test]
fn nothing() {
    for size in [2usize, 3, 4, 5, BLOCK_SIZE] {
        for disclosure in [Disclosure::Naive, Disclosure::Safe, Disclosure::Jump, Disclosure::JumpBy(vec![1, 2]), Disclosure::JumpBy(vec![1,3,2])] {
            let t = std::time::Instant::now();
            let blocks = Blocks::new(size, disclosure.clone()).unwrap();
            let mechanism = |table: &Table, model: RatioDiversity, coins: &mut dyn Coins| -> Result<Groups, Error> {
                blocks.partition(table, model, coins)
            };
            let (mut scen, mut bad, mut tables) = (0, Vec::new(), 0);
            for rows in 2..=7 {
                for l in [2, 3] {
                    for counts in partitions(rows, rows / l) {
                        let s = scenario(&values(&counts), l);
                        let found = match verify(&mechanism, &s) {
                            Ok(found) => found,
                            Err(Error::Ineligible(_)) => continue,
                            Err(e) => panic!("{e}"),
                        };
                        scen += 1;
                        tables += found.tables;
                        if !found.is_safe() { bad.push((counts, l, found.unsafe_releases, found.certain_tables, found.max_posterior.to_string())); }
                    }
                }
            }
            println!("{size} {disclosure:?}: {scen} scenarios {tables} tables, bad {} {:?}, {:?}", bad.len(), &bad[..bad.len().min(4)], t.elapsed());
        }
    }
}
