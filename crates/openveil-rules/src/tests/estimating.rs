//! Compares the estimate with brute force.

use crate::decompose::uad;
use crate::estimate::*;
use crate::normal_form::Schema;
use crate::{Rule, RulesError};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::table::{ColumnSet, Groups, PeopleTable};
use proptest::prelude::*;

fn of(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().collect()
}

fn random(columns: &[u32], rows: usize, seed: u64) -> PeopleTable {
    let mut coins = SecretCoins::from_test_seed(seed);
    let mut column = |domain: &u32| (0..rows).map(|_| coins.below(*domain)).collect();
    PeopleTable::of_codes(columns.iter().map(&mut column).collect()).unwrap()
}

/// All rows of the domain.
fn domain(sizes: &[u32]) -> Vec<Vec<u32>> {
    sizes.iter().fold(vec![Vec::new()], |rows, &size| {
        rows.iter()
            .flat_map(|row| (0..size).map(move |code| [&row[..], &[code]].concat()))
            .collect()
    })
}

fn estimate(marginals: &[SparseMarginal]) -> Estimate {
    Estimate::new(marginals, EstimateLimits::default()).unwrap()
}

fn exact(records: &PeopleTable, tables: &[&[usize]]) -> Vec<SparseMarginal> {
    let marginal = |columns: &&[usize]| SparseMarginal::exact(records, of(columns)).unwrap();
    tables.iter().map(marginal).collect()
}

/// Iterative proportional fitting on the whole domain, from even weights. This is the definition of
/// the estimate, but slow.
fn brute_force(marginals: &[SparseMarginal], rows: &[Vec<u32>]) -> Vec<f64> {
    let total = marginals[0].total();
    let mut weights = vec![1.0; rows.len()];
    let cell = |marginal: &SparseMarginal, row: &[u32]| {
        let wanted: Vec<u32> = marginal.columns().iter().map(|c| row[c]).collect();
        (0..marginal.len()).find(|&index| marginal.row(index) == wanted)
    };
    for _ in 0..2_000 {
        for marginal in marginals {
            let mut sums = vec![0.0; marginal.len()];
            let cells: Vec<Option<usize>> = rows.iter().map(|row| cell(marginal, row)).collect();
            for (weight, cell) in weights.iter_mut().zip(&cells) {
                match cell {
                    Some(cell) => sums[*cell] += *weight,
                    None => *weight = 0.0,
                }
            }
            for (weight, cell) in weights.iter_mut().zip(&cells) {
                if let (Some(cell), true) = (cell, *weight > 0.0) {
                    *weight *= marginal.weights()[*cell] / total / sums[*cell];
                }
            }
        }
        if marginals.len() == 1 {
            break;
        }
    }
    weights
}

#[test]
fn schemas_with_and_without_cycles() {
    let acyclic = |tables: &[&[usize]]| {
        let sets: Vec<ColumnSet> = tables.iter().map(|columns| of(columns)).collect();
        is_acyclic(&sets)
    };
    assert!(acyclic(&[&[0, 1], &[1, 2], &[2, 3], &[5]]));
    // A triangle of tables without a table of all three columns; and a square.
    assert!(!acyclic(&[&[0, 1], &[1, 2], &[2, 0]]));
    assert!(!acyclic(&[&[0, 1], &[1, 2], &[2, 3], &[3, 0]]));
    assert!(acyclic(&[&[0, 1], &[1, 2], &[2, 0], &[0, 1, 2]]));
    let forest = join_forest(&[of(&[0, 1]), of(&[1, 2]), of(&[2, 0]), of(&[2, 3]), of(&[4])]);
    let cycle = &forest[0];
    assert_eq!((cycle.columns, cycle.tables.len()), (of(&[0, 1, 2]), 3));
    let leaf = forest.iter().find(|node| node.tables == [3]).unwrap();
    assert_eq!((leaf.parent, leaf.separator), (Some(0), of(&[2])));
}

#[test]
fn closed_form_of_a_chain() {
    let records = random(&[3, 2, 3], 60, 1);
    let fitted = estimate(&exact(&records, &[&[0, 1], &[1, 2]]));
    let share = |columns: &[usize], row: &[u32]| {
        let same = |i: &usize| columns.iter().all(|&c| records.codes(c)[*i] == row[c]);
        (0..60).filter(same).count() as f64 / 60.0
    };
    for row in domain(&[3, 2, 3]) {
        let expected = share(&[0, 1], &row) * share(&[1, 2], &row) / share(&[1], &row);
        assert!((fitted.probability(|c| row[c]) - expected).abs() < 1e-12);
    }
    assert_eq!(fitted.residual(), 0.0);
}

#[test]
fn divergence_is_zero_for_the_table_itself() {
    let records = random(&[4, 3, 5], 80, 2);
    let all = estimate(&exact(&records, &[&[0, 1, 2]]));
    assert!(divergence(&records, &all).unwrap().abs() < 1e-12);
    let alone = estimate(&exact(&records, &[&[0], &[1], &[2]]));
    let single = |column| entropy(&records, of(&[column])).unwrap();
    let expected = single(0) + single(1) + single(2) - entropy(&records, of(&[0, 1, 2])).unwrap();
    assert!((divergence(&records, &alone).unwrap() - expected).abs() < 1e-12);
    let part = estimate(&exact(&records, &[&[0, 1]]));
    let missing = Err(RulesError::NotPublished { column: 2 });
    assert_eq!(divergence(&records, &part), missing);
}

#[test]
fn groups_spread_their_values_evenly() {
    let records = PeopleTable::of_codes(vec![vec![7, 8, 9, 9], vec![0, 1, 0, 2]]).unwrap();
    let groups = Groups::from_labels(&[0, 0, 1, 1], 2);
    let table = SparseMarginal::bucketised(&records, of(&[0]), of(&[1]), &groups).unwrap();
    let expected = [
        (vec![7, 0], 0.5),
        (vec![7, 1], 0.5),
        (vec![8, 0], 0.5),
        (vec![8, 1], 0.5),
        (vec![9, 0], 1.0),
        (vec![9, 2], 1.0),
    ];
    assert_eq!(table, SparseMarginal::new(of(&[0, 1]), expected).unwrap());
    let read = [
        (vec![vec![8], vec![7]], vec![(vec![1], 1), (vec![0], 1)]),
        (vec![vec![9], vec![9]], vec![(vec![0], 1), (vec![2], 1)]),
    ];
    let read = SparseMarginal::from_groups(of(&[0]), of(&[1]), read).unwrap();
    assert_eq!(read, table);
    let short = [(vec![vec![8], vec![7]], vec![(vec![1], 1)])];
    let short = SparseMarginal::from_groups(of(&[0]), of(&[1]), short);
    assert_eq!(short.unwrap_err(), RulesError::BadGroups);
}

#[test]
fn contradictions_are_found() {
    let table = |columns: &[usize], rows: &[(&[u32], f64)]| {
        SparseMarginal::new(of(columns), rows.iter().map(|(row, weight)| (row.to_vec(), *weight)))
            .unwrap()
    };
    let first = table(&[0, 1], &[(&[0, 0], 2.0), (&[1, 1], 2.0)]);
    let more = table(&[1, 2], &[(&[0, 0], 2.0), (&[1, 1], 3.0)]);
    let other = table(&[1, 2], &[(&[0, 0], 1.0), (&[1, 1], 3.0)]);
    let strange = table(&[1, 2], &[(&[0, 0], 2.0), (&[5, 1], 2.0)]);
    let refused = |second: &SparseMarginal| {
        let tables = [first.clone(), second.clone()];
        Estimate::new(&tables, EstimateLimits::default()).unwrap_err()
    };
    assert_eq!(refused(&more), RulesError::UnequalTotals { first: 4, other: 5 });
    assert_eq!(refused(&other), RulesError::Inconsistent);
    assert_eq!(refused(&strange), RulesError::Inconsistent);
    let bad = SparseMarginal::new(of(&[0]), [(vec![0, 1], 1.0)]);
    assert_eq!(bad.unwrap_err(), RulesError::BadMarginal);
    assert!(SparseMarginal::new(of(&[0]), [(vec![0], -1.0)]).is_err());
}

#[test]
fn cycles_have_a_size_limit() {
    let records = random(&[30, 30, 30], 500, 3);
    let tables = exact(&records, &[&[0, 1], &[1, 2], &[2, 0]]);
    let limits = EstimateLimits { cells: 100, ..EstimateLimits::default() };
    let refused = Estimate::new(&tables, limits).unwrap_err();
    assert!(matches!(refused, RulesError::BeyondLimit { limit: 100, .. }));
}

/// The domain sizes of the paper's Table 5(b).
const TEXAS: [u32; 18] =
    [323, 2, 1581, 241, 22, 5, 3391, 3488, 3881, 4193, 4251, 1708, 24, 396, 297, 6, 15000, 17432];

/// Groups of two rows with different values, or everybody.
fn pairs(records: &PeopleTable, protect: ColumnSet) -> Groups {
    let (classes, _) = records.classes(protect);
    let mut order: Vec<u32> = (0..records.rows() as u32).collect();
    order.sort_by_key(|&row| classes[row as usize]);
    let half = order.len() / 2;
    let mut groups = Groups::with_capacity(order.len(), half);
    for i in 0..half {
        groups.push([order[i], order[i + half]]);
    }
    groups
}

fn published(records: &PeopleTable, schema: &Schema) -> Vec<SparseMarginal> {
    let publish = |columns: ColumnSet, protect: ColumnSet| {
        if protect.is_empty() {
            SparseMarginal::exact(records, columns)
        } else {
            let groups = pairs(records, protect);
            SparseMarginal::bucketised(records, columns - protect, protect, &groups)
        }
    };
    schema
        .tables()
        .iter()
        .map(|table| publish(table.columns(), table.protects()))
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn one_dimensional_queries_are_exact_and_nothing_is_as_large_as_the_domain() {
    let records = random(&TEXAS, 2_000, 4);
    let rules: Vec<Rule> = (0..9)
        .map(|i| Rule::new(of(&[i, (i + 5) % 18, (i + 11) % 18]), of(&[(2 * i + 1) % 18])))
        .filter_map(Result::ok)
        .collect();
    let schemas = [uad(records.all(), &rules, &[]).unwrap(), Schema::single_columns(records.all())];
    for schema in schemas {
        let fitted = estimate(&published(&records, &schema));
        assert!(fitted.cells() <= 2 * 18 * 2_000);
        for (column, &size) in TEXAS.iter().enumerate() {
            let asked = |code: &u32| code % 3 == 1 || *code < size / 4;
            let query = EstimateQuery::new().among(column, (0..size).filter(asked));
            let truth = records.codes(column).iter().filter(|code| asked(code)).count() as f64;
            let answer = fitted.count(&query).unwrap();
            assert!((answer - truth).abs() < 1e-6, "{answer} for {truth}");
        }
    }
    let unknown = estimate(&exact(&records, &[&[0]])).count(&EstimateQuery::new().among(1, [0]));
    assert_eq!(unknown, Err(RulesError::NotPublished { column: 1 }));
}

#[test]
fn drawn_rows_follow_the_estimate() {
    let records = random(&[2, 3, 2, 2], 40, 5);
    let fitted = estimate(&exact(&records, &[&[0, 1], &[1, 2], &[3]]));
    let sampler = Sampler::new(&fitted);
    let mut coins = SecretCoins::from_test_seed(6);
    let draws = 40_000;
    let drawn: Vec<Vec<u32>> = (0..draws).map(|_| sampler.draw(&mut coins)).collect();
    for row in domain(&[2, 3, 2, 2]) {
        let share = drawn.iter().filter(|drawn| **drawn == row).count() as f64 / draws as f64;
        let expected = fitted.probability(|column| row[column]);
        // Four standard deviations.
        let tolerance = 4.0 * (expected / draws as f64).sqrt() + 1e-12;
        assert!((share - expected).abs() <= tolerance, "{share} for {expected}");
    }
}

prop_compose! {
    fn some_tables()(bits in prop::collection::vec(1u8..16, 1..5)) -> Vec<ColumnSet> {
        bits.into_iter()
            .map(|bits| (0..4usize).filter(|i| bits >> i & 1 == 1).collect())
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn the_estimate_is_the_maximum_likelihood_one(
        tables in some_tables(), seed: u64, rows in 4usize..40
    ) {
        let sizes = [2, 3, 2, 3];
        let records = random(&sizes, rows, seed);
        let mut tables = tables;
        tables.push(of(&[0, 3]));
        tables.push(of(&[1]));
        tables.push(of(&[2]));
        let marginals: Vec<SparseMarginal> =
            tables.iter().map(|&columns| SparseMarginal::exact(&records, columns).unwrap()).collect();
        let fitted = estimate(&marginals);
        let all = domain(&sizes);
        let expected = brute_force(&marginals, &all);
        let probability = |row: &Vec<u32>| fitted.probability(|column| row[column]);
        for (row, expected) in all.iter().zip(&expected) {
            // Fitting converges slowly towards a zero.
            prop_assert!((probability(row) - expected).abs() < 2e-3);
        }
        let sum: f64 = all.iter().map(probability).sum();
        prop_assert!((sum - 1.0).abs() < 1e-6);
        prop_assert!(divergence(&records, &fitted).unwrap() >= -1e-6);
        let query = EstimateQuery::new().among(0, [1]).among(1, [0, 2]).among(3, [1, 2, 9]);
        let by_hand: f64 = all.iter().filter(|row| query.matches(|column| row[column])).map(probability).sum::<f64>() * rows as f64;
        prop_assert!((fitted.count(&query).unwrap() - by_hand).abs() < 1e-6 * rows as f64);
    }
}
