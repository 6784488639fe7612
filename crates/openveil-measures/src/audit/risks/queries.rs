//! Measures singling out: finds conditions that exactly one record of the other table meets, and
//! tests them on the original table.

use super::{Attacks, ComparedTables, Feature, Records, sample};
use openveil_core::coins::Coins;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Conditions that are tried in one batch.
const BATCH: usize = 1_000;

/// How conditions are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// On one column: its extremes, and values that a single record has.
    Univariate,
    /// On several columns of a record: its values, or, for numbers, at least as far from the
    /// median.
    Multivariate {
        /// Number of columns; all if there are fewer.
        columns: usize,
        /// The most conditions that are tried.
        most_tried: usize,
    },
}

/// A condition on one feature. Numbers are stored as bits, so that conditions can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum FeatureTest {
    Is(u32),
    IsNot(u32),
    AtLeast(u64),
    AtMost(u64),
    Equals(u64),
    Differs(u64),
    Missing,
    There,
}

/// Conditions on several features, all of which have to hold.
type FeatureQuery = Vec<(usize, FeatureTest)>;

impl FeatureTest {
    fn holds(self, feature: &Feature, row: usize) -> bool {
        match (self, feature) {
            (Self::Is(value), Feature::Codes(codes)) => codes[row] == value,
            (Self::IsNot(value), Feature::Codes(codes)) => codes[row] != value,
            (Self::AtLeast(bound), Feature::Numbers(numbers)) => {
                numbers[row] >= f64::from_bits(bound)
            }
            (Self::AtMost(bound), Feature::Numbers(numbers)) => {
                numbers[row] <= f64::from_bits(bound)
            }
            (Self::Equals(value), Feature::Numbers(numbers)) => {
                numbers[row] == f64::from_bits(value)
            }
            (Self::Differs(value), Feature::Numbers(numbers)) => {
                !numbers[row].is_nan() && numbers[row] != f64::from_bits(value)
            }
            (Self::Missing, Feature::Numbers(numbers)) => numbers[row].is_nan(),
            (Self::There, Feature::Numbers(numbers)) => !numbers[row].is_nan(),
            _ => false,
        }
    }
}

/// Measures singling out. Records that are equal in every feature count as one.
///
/// O(conditions tried · rows · columns), in parallel.
pub fn singling_out(tables: ComparedTables<'_>, mode: Mode, coins: &mut dyn Coins) -> Attacks {
    let (original, other) = (distinct(tables.original), distinct(tables.other));
    let queries = match mode {
        Mode::Univariate => univariate(&other, tables.attacks, coins),
        Mode::Multivariate { columns, most_tried } => {
            multivariate(&other, tables.attacks, columns, most_tried, coins)
        }
    };
    let columns = match mode {
        Mode::Univariate => 1,
        Mode::Multivariate { columns, .. } => columns.min(other.features.len()),
    };
    let values: Vec<FeatureValues> = other.features.iter().map(FeatureValues::new).collect();
    let random: Vec<FeatureQuery> =
        (0..tables.attacks).map(|_| random_query(&values, columns, coins)).collect();
    let control = tables.control.map(|control| {
        let control = distinct(control);
        let found = singled_out(&control, &queries) as f64;
        if control.rows == original.rows {
            found
        } else {
            found * correction(&control, &queries, original.rows, coins)
        }
    });
    Attacks {
        attacks: [tables.attacks; 3],
        successes: singled_out(&original, &queries),
        guessed: singled_out(&original, &random),
        control,
    }
}

/// The different records, each once, in order of first appearance.
fn distinct(records: &Records) -> Records {
    let key = |row: usize| -> Vec<u64> {
        records
            .features
            .iter()
            .map(|feature| match feature {
                Feature::Numbers(numbers) if numbers[row].is_nan() => f64::NAN.to_bits(),
                Feature::Numbers(numbers) => numbers[row].to_bits(),
                Feature::Codes(codes) => u64::from(codes[row]),
            })
            .collect()
    };
    let mut seen = HashSet::new();
    let rows: Vec<usize> = (0..records.rows).filter(|&row| seen.insert(key(row))).collect();
    of_rows(records, &rows)
}

fn of_rows(records: &Records, rows: &[usize]) -> Records {
    let features = records.features.iter().map(|feature| match feature {
        Feature::Numbers(numbers) => {
            Feature::Numbers(rows.iter().map(|&row| numbers[row]).collect())
        }
        Feature::Codes(codes) => Feature::Codes(rows.iter().map(|&row| codes[row]).collect()),
    });
    Records { features: features.collect(), rows: rows.len() }
}

/// Whether exactly one record meets a query.
fn singles_out(records: &Records, query: &FeatureQuery) -> bool {
    (0..records.rows)
        .filter(|row| {
            query.iter().all(|&(feature, test)| test.holds(&records.features[feature], *row))
        })
        .take(2)
        .count()
        == 1
}

fn singled_out(records: &Records, queries: &[FeatureQuery]) -> usize {
    queries.par_iter().filter(|query| singles_out(records, query)).count()
}

fn univariate(records: &Records, most: usize, coins: &mut dyn Coins) -> Vec<FeatureQuery> {
    let mut tests: Vec<(usize, FeatureTest)> = Vec::new();
    for (at, feature) in records.features.iter().enumerate() {
        match feature {
            Feature::Numbers(numbers) => {
                let mut counts: HashMap<u64, usize> = HashMap::new();
                let there = || numbers.iter().copied().filter(|number| !number.is_nan());
                there().for_each(|number| *counts.entry(number.to_bits()).or_insert(0) += 1);
                if numbers.len() - there().count() == 1 {
                    tests.push((at, FeatureTest::Missing));
                }
                let (least, most) = (there().reduce(f64::min), there().reduce(f64::max));
                tests.extend(least.map(|number| (at, FeatureTest::AtMost(number.to_bits()))));
                tests.extend(most.map(|number| (at, FeatureTest::AtLeast(number.to_bits()))));
                let mut rare: Vec<u64> = counts
                    .into_iter()
                    .filter(|&(_, count)| count == 1)
                    .map(|(bits, _)| bits)
                    .collect();
                rare.sort_unstable();
                tests.extend(rare.into_iter().map(|bits| (at, FeatureTest::Equals(bits))));
            }
            Feature::Codes(codes) => {
                let mut counts: HashMap<u32, usize> = HashMap::new();
                codes.iter().for_each(|&code| *counts.entry(code).or_insert(0) += 1);
                let mut rare: Vec<u32> = counts
                    .into_iter()
                    .filter(|&(_, count)| count == 1)
                    .map(|(code, _)| code)
                    .collect();
                rare.sort_unstable();
                tests.extend(rare.into_iter().map(|code| (at, FeatureTest::Is(code))));
            }
        }
    }
    let order = sample(tests.len(), tests.len(), coins);
    order
        .into_iter()
        .map(|at| vec![tests[at as usize]])
        .filter(|query| singles_out(records, query))
        .take(most)
        .collect()
}

fn multivariate(
    records: &Records,
    most: usize,
    columns: usize,
    most_tried: usize,
    coins: &mut dyn Coins,
) -> Vec<FeatureQuery> {
    let medians: Vec<f64> = records.features.iter().map(median).collect();
    let columns = columns.min(records.features.len());
    let (mut known, mut found) = (BTreeSet::new(), Vec::new());
    let mut tried = 0;
    while found.len() < most && tried < most_tried {
        let batch = BATCH.min(most_tried - tried);
        let mut query = || -> FeatureQuery {
            let row = coins.below(records.rows as u32) as usize;
            let mut chosen = sample(records.features.len(), columns, coins);
            chosen.sort_unstable();
            chosen
                .into_iter()
                .map(|at| {
                    let at = at as usize;
                    (at, of_record(&records.features[at], row, medians[at]))
                })
                .collect()
        };
        let queries: Vec<FeatureQuery> = (0..batch).map(|_| query()).collect();
        let single: Vec<bool> =
            queries.par_iter().map(|query| singles_out(records, query)).collect();
        for (query, single) in queries.into_iter().zip(single) {
            if single && found.len() < most && known.insert(query.clone()) {
                found.push(query);
            }
        }
        tried += batch;
    }
    found
}

/// Returns a test that holds for a record and for few others.
fn of_record(feature: &Feature, row: usize, median: f64) -> FeatureTest {
    match feature {
        Feature::Codes(codes) => FeatureTest::Is(codes[row]),
        Feature::Numbers(numbers) if numbers[row].is_nan() => FeatureTest::Missing,
        Feature::Numbers(numbers) if numbers[row] > median => {
            FeatureTest::AtLeast(numbers[row].to_bits())
        }
        Feature::Numbers(numbers) => FeatureTest::AtMost(numbers[row].to_bits()),
    }
}

fn median(feature: &Feature) -> f64 {
    let Feature::Numbers(numbers) = feature else {
        return 0.0;
    };
    let mut there: Vec<f64> = numbers.iter().copied().filter(|number| !number.is_nan()).collect();
    there.sort_by(f64::total_cmp);
    match there.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => there[odd / 2],
        even => (there[even / 2 - 1] + there[even / 2]) / 2.0,
    }
}

/// A query with columns, values and comparisons drawn by coins.
fn random_query(values: &[FeatureValues], columns: usize, coins: &mut dyn Coins) -> FeatureQuery {
    let mut chosen = sample(values.len(), columns, coins);
    chosen.sort_unstable();
    chosen
        .into_iter()
        .map(|at| {
            let values = &values[at as usize];
            (at as usize, values.random_test(coins))
        })
        .collect()
}

/// The different values of a feature.
enum FeatureValues {
    Numbers(Vec<f64>),
    Codes(Vec<u32>),
}

impl FeatureValues {
    fn new(feature: &Feature) -> Self {
        match feature {
            Feature::Numbers(numbers) => {
                let mut numbers = numbers.clone();
                numbers.sort_by(f64::total_cmp);
                numbers.dedup_by(|one, two| one == two || one.is_nan() && two.is_nan());
                Self::Numbers(numbers)
            }
            Feature::Codes(codes) => {
                let codes: BTreeSet<u32> = codes.iter().copied().collect();
                Self::Codes(codes.into_iter().collect())
            }
        }
    }

    /// Every different value is equally likely, and so is every comparison.
    fn random_test(&self, coins: &mut dyn Coins) -> FeatureTest {
        let mut below = |count: usize| coins.below(count as u32) as usize;
        match self {
            Self::Codes(codes) => {
                let code = codes[below(codes.len())];
                [FeatureTest::Is(code), FeatureTest::IsNot(code)][below(2)]
            }
            Self::Numbers(numbers) => {
                let number = numbers[below(numbers.len())];
                if number.is_nan() {
                    return [FeatureTest::Missing, FeatureTest::There][below(2)];
                }
                let bits = number.to_bits();
                let tests = [
                    FeatureTest::Equals(bits),
                    FeatureTest::Differs(bits),
                    FeatureTest::AtLeast(number.next_up().to_bits()),
                    FeatureTest::AtMost(number.next_down().to_bits()),
                    FeatureTest::AtLeast(bits),
                    FeatureTest::AtMost(bits),
                ];
                tests[below(6)]
            }
        }
    }
}

/// The factor that turns the number of queries that single out in this table into the number in a
/// table of `rows` records. Parts of the table show how the number grows.
///
/// A query that holds for a record with the chance w singles out among n records with the chance
/// n·w·(1 − w)^(n−1) (Cohen & Nissim 2020). The model assumes that w is uniform from 0 to some
/// weight, which is fitted by least squares.
fn correction(
    records: &Records,
    queries: &[FeatureQuery],
    rows: usize,
    coins: &mut dyn Coins,
) -> f64 {
    const SIZES: usize = 10;
    const REPEATS: usize = 5;
    let least = records.rows.min(1_000);
    let mut points = Vec::new();
    for step in 0..SIZES {
        let size = least + (records.rows - least) * step / (SIZES - 1);
        for _ in 0..REPEATS {
            let part: Vec<usize> =
                sample(records.rows, size, coins).into_iter().map(|row| row as usize).collect();
            points.push((size as f64, singled_out(&of_rows(records, &part), queries) as f64));
        }
    }
    let model = fit(&points);
    let (here, there) = (model(records.rows as f64), model(rows as f64));
    if here > 0.0 { there / here } else { 1.0 }
}

/// The integral of n·w·(1 − w)^(n−1) over w from 0 to a weight.
fn integral(n: f64, weight: f64) -> f64 {
    (1.0 - (n * weight + 1.0) * (1.0 - weight).powf(n)) / (n + 1.0)
}

/// Finds the weight by a search on a logarithmic grid, refined twice; the factor follows from it.
fn fit(points: &[(f64, f64)]) -> impl Fn(f64) -> f64 + use<> {
    let factor = |weight: f64| {
        let (mut xy, mut xx) = (0.0, 0.0);
        for &(n, y) in points {
            let x = integral(n, weight);
            xy += x * y;
            xx += x * x;
        }
        if xx > 0.0 { xy / xx } else { 0.0 }
    };
    let error = |weight: f64| -> f64 {
        let factor = factor(weight);
        let apart = points.iter().map(|&(n, y)| y - factor * integral(n, weight));
        apart.map(|apart| apart * apart).sum()
    };
    let (mut low, mut high) = ((1e-9_f64).ln(), 0.0_f64);
    let mut best = low;
    for _ in 0..3 {
        let step = (high - low) / 200.0;
        let grid = (0..=200).map(|at| low + step * f64::from(at));
        best =
            grid.min_by(|one, two| error(one.exp()).total_cmp(&error(two.exp()))).unwrap_or(best);
        (low, high) = (best - step, (best + step).min(0.0));
    }
    let weight = best.exp();
    let factor = factor(weight);
    move |n| factor * integral(n, weight)
}
