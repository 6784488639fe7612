use super::*;
use crate::worlds::tests::{below, evidence};
use openveil_core::coins::SecretCoins;
use openveil_core::release::Cells;

/// All orders of these numbers.
pub(crate) fn orders(of: &[u32]) -> Vec<Vec<u32>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    (0..of.len())
        .flat_map(|first| {
            let rest: Vec<u32> = [&of[..first], &of[first + 1..]].concat();
            orders(&rest).into_iter().map(move |mut order| {
                order.push(of[first]);
                order
            })
        })
        .collect()
}

/// Every choice of one number from each list.
fn choices(lists: &[Vec<u32>]) -> Vec<Vec<u32>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        let each =
            all.iter().flat_map(|own| list.iter().map(move |&next| [own, &[next][..]].concat()));
        each.collect()
    })
}

/// The possible lists of codes of a group's rows on a column.
fn of_column(shown: &ShownCodes, evidence: &Evidence, group: usize) -> Vec<Vec<u32>> {
    let rows = evidence.rows_of(group);
    match shown {
        ShownCodes::Rows(codes) => vec![codes[rows].to_vec()],
        ShownCodes::Shuffled(codes) => orders(&codes[rows]),
        ShownCodes::Cells { ends, ranges } => {
            let start = if group == 0 { 0 } else { ends[group - 1] as usize };
            let codes: Vec<u32> = ranges[start..ends[group] as usize]
                .iter()
                .flat_map(|&(low, high)| low..=high)
                .collect();
            choices(&vec![codes; rows.len()])
        }
    }
}

/// The least and the greatest count of each cell over everything that the groups allow.
fn naive(evidence: &Evidence, ask: &Ask) -> Vec<(f64, f64)> {
    let mut all = vec![(0.0, 0.0); ask.cells()];
    for group in 0..evidence.groups() {
        let rows = evidence.rows_of(group);
        let m = rows.len();
        let columns = ask.known.iter();
        let columns =
            columns.map(|(column, _)| of_column(&evidence.known()[*column], evidence, group));
        let mut tables: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
        for column in columns {
            let with = tables.iter().flat_map(|table| {
                column.iter().map(move |own| [&table[..], std::slice::from_ref(own)].concat())
            });
            tables = with.collect();
        }
        let people = (evidence.weight(group) * m as f64).round() as u32;
        let mut own = vec![(f64::INFINITY, 0.0f64); ask.cells()];
        let values = orders(&evidence.values()[rows]);
        for table in &tables {
            for values in &values {
                for chosen in (0u32..1 << m).filter(|chosen| chosen.count_ones() == people) {
                    let mut counts = vec![0.0; ask.cells()];
                    for row in (0..m).filter(|row| chosen >> row & 1 == 1) {
                        let at = ask.known.iter().zip(&ask.parts).zip(table).try_fold(
                            0,
                            |at, (((_, part), &parts), codes)| {
                                Some(at * parts as usize + part[codes[row] as usize]? as usize)
                            },
                        );
                        let part = ask.secret[values[row] as usize];
                        if let (Some(at), Some(part)) = (at, part) {
                            counts[at * ask.secret_parts as usize + part as usize] += 1.0;
                        }
                    }
                    for (own, count) in own.iter_mut().zip(counts) {
                        *own = (own.0.min(count), own.1.max(count));
                    }
                }
            }
        }
        for (all, own) in all.iter_mut().zip(own) {
            *all = (all.0 + own.0, all.1 + own.1);
        }
    }
    all
}

/// Groups of up to three rows, with one column in rows, one shuffled, and one in cells.
fn random(coins: &mut SecretCoins, with_fillers: bool) -> (Evidence, Ask) {
    let groups: Vec<Vec<u32>> = (0..2)
        .map(|_| (0..1 + below(coins, 3)).map(|_| below(coins, 4) as u32).collect())
        .collect();
    let rows = groups.concat().len();
    let mut codes = || -> Vec<u32> { (0..rows).map(|_| below(coins, 3) as u32).collect() };
    let (exact, sliced) = (codes(), codes());
    let low: Vec<u32> = (0..2).map(|_| below(coins, 3) as u32).collect();
    let cells = low.iter().map(|&low| (low, low + below(coins, 3 - low as usize) as u32));
    let cells = Cells::Intervals(cells.collect());
    let mut own = evidence(&groups, vec![Cells::Exact(exact), Cells::Sliced(sliced), cells]);
    if with_fillers {
        let weight = |group: &Vec<u32>| {
            let people = below(coins, group.len() + 1);
            people as f64 / group.len() as f64
        };
        own = own.with_weights(groups.iter().map(weight).collect());
    }
    let mut part = |parts: usize| (below(coins, 4) > 0).then(|| below(coins, parts) as u32);
    let known = (0..3).map(|column| (column, (0..3).map(|_| part(2)).collect()));
    let ask = Ask {
        known: known.collect(),
        parts: vec![2; 3],
        secret: (0..4).map(|_| part(2)).collect(),
        secret_parts: 2,
    };
    (own, ask)
}

#[test]
fn bounds_are_the_least_and_the_greatest_of_everything_that_may_be() {
    let coins = &mut SecretCoins::from_test_seed(21);
    let (mut certain, mut open) = (0, 0);
    for round in 0..120 {
        let (evidence, mut ask) = random(coins, round % 3 == 2);
        // Only some columns, in any order.
        let kept = 1 + below(coins, 7);
        let columns = (0..3).filter(|column| kept >> column & 1 == 1);
        ask.known = columns.map(|column| ask.known[column].clone()).collect();
        if round % 2 == 0 {
            ask.known.reverse();
        }
        ask.parts.truncate(ask.known.len());
        let (found, expected) = (bounds(&evidence, &ask), naive(&evidence, &ask));
        assert_eq!(found, expected, "{round}: {evidence:?} {ask:?}");
        certain += found.iter().filter(|(least, most)| least == most && *most > 0.0).count();
        open += found.iter().filter(|(least, most)| least < most).count();
    }
    assert!(certain > 30 && open > 100, "{certain} {open}");
}

/// If the query does not involve the secret, whole rows are counted, and cells give bounds.
#[test]
fn rows_that_are_shown_are_counted() {
    let groups = [vec![0, 1], vec![2, 3, 3]];
    let cells = vec![Cells::Exact(vec![0, 1, 1, 1, 0]), Cells::Intervals(vec![(0, 1), (1, 1)])];
    let evidence = evidence(&groups, cells);
    let ask = |column| Ask {
        known: vec![(column, vec![Some(0), Some(1)])],
        parts: vec![2],
        secret: vec![Some(0); 4],
        secret_parts: 1,
    };
    assert_eq!(bounds(&evidence, &ask(0)), [(2.0, 2.0), (3.0, 3.0)]);
    assert_eq!(bounds(&evidence, &ask(1)), [(0.0, 2.0), (3.0, 5.0)]);
}
