//! Blocks that try groupings in turn, against a reader who knows how.

use super::*;
use crate::algorithm::blocks::{BlockDisclosure, Blocks};
use crate::algorithm::{KJump, Naive, Safe};
use openveil_core::Error;
use openveil_core::algorithm::BLOCK_SIZE;
use openveil_core::algorithm::{Algorithm, Function, Trials};
use openveil_core::coins::Coins;
use openveil_core::exact::fraction;
use openveil_core::model::suite::models;
use openveil_core::table::Histogram;
use openveil_core::table::{Groups, View};
use proptest::prelude::*;

/// Returns all multisets of `rows` values that are eligible, up to renaming.
fn multisets(rows: u32, l: u32) -> Vec<Vec<u32>> {
    let mut counts = histograms(rows);
    counts.retain(|counts| counts.is_sorted() && counts.iter().all(|count| count * l <= rows));
    let values = |counts: Vec<u32>| {
        (0..)
            .zip(counts)
            .flat_map(|(value, count)| std::iter::repeat_n(value, count as usize))
            .collect()
    };
    counts.into_iter().map(values).collect()
}

/// Returns the trials of blocks of some size.
fn by_size(block: usize) -> Trials {
    Trials { block, ..Trials::default() }
}

/// Verifies blocks for the histogram of a scenario, which all of its tables share.
fn check(trials: &Trials, disclosure: &BlockDisclosure, scenario: &Scenario) -> Verification {
    let criteria = scenario.model().bind(scenario.table()).unwrap();
    let blocks = Blocks::new(&criteria, trials, disclosure.clone()).unwrap();
    let mechanism = |table: &View, _: &Model, coins: &mut dyn Coins| blocks.partition(table, coins);
    verify(&mechanism, scenario).unwrap()
}

fn assert_kept(trials: &Trials, disclosure: &BlockDisclosure, scenario: &Scenario) -> Verification {
    let found = check(trials, disclosure, scenario);
    let values = scenario.table().secret().codes();
    assert_eq!(found.counterexample, None, "{trials:?} {disclosure:?} {values:?}");
    found
}

fn assert_safe(mechanism: &(impl Mechanism + ?Sized), scenario: &Scenario) {
    let found = verify(mechanism, scenario).unwrap();
    let values = scenario.table().secret().codes();
    assert_eq!(found.counterexample, None, "{values:?}");
}

/// The guarantee: every multiset of up to seven rows, in one block and in several.
#[test]
fn safe_and_jump_on_every_multiset_of_up_to_seven_rows() {
    let safe =
        [BlockDisclosure::Safe, BlockDisclosure::Jump, BlockDisclosure::JumpBy(vec![1, 2, 1])];
    for size in [2, 3, 4, 5, BLOCK_SIZE] {
        // Up to three people have one grouping, so there is nothing to decide.
        for disclosure in &safe[..if size < 4 { 1 } else { 3 }] {
            let trials = by_size(size);
            let (mut scenarios, mut releases) = (0, 0);
            for (rows, l) in (2..=7).flat_map(|rows| [(rows, 2), (rows, 3)]) {
                for values in multisets(rows, l) {
                    let found = assert_kept(&trials, disclosure, &scenario(&values, l));
                    scenarios += 1;
                    releases = releases.max(found.releases);
                }
            }
            // There are more releases than one group of everybody.
            assert_eq!(scenarios, 34);
            assert!(releases > 100, "{size} {disclosure:?}: {releases}");
        }
    }
}

#[test]
fn the_named_algorithms_are_safe_in_every_view() {
    for algorithm in [&KJump as &dyn Algorithm, &Safe] {
        for (rows, l) in [(4, 2), (5, 2), (6, 3)] {
            for values in multisets(rows, l) {
                for (style, seen) in VIEWS {
                    let scenario = scenario(&values, l).with_style(style).with_seen(seen);
                    assert_safe(algorithm, &scenario);
                }
            }
        }
    }
}

/// Eight rows are two even blocks of four, nine are blocks of four and five.
#[test]
fn two_blocks_with_groupings_to_try() {
    for (values, l) in [
        (&[1, 1, 2, 2, 3, 3, 4, 4][..], 2),
        (&[1, 1, 1, 2, 2, 2, 3, 4], 2),
        (&[1, 1, 1, 1, 2, 2, 2, 3], 2),
        (&[1, 1, 1, 1, 2, 2, 3, 3, 3], 2),
    ] {
        assert_kept(&by_size(4), &BlockDisclosure::Jump, &scenario(values, l));
    }
}

/// The k-jump paper's example (docs/theory/adversary.md): six people in one block with flu, cold,
/// cancer, cancer, headache, toothache.
#[test]
fn naive_gives_people_away() {
    let ill = scenario(&[1, 2, 3, 3, 4, 5], 2);
    let found = verify(&Naive as &dyn Algorithm, &ill).unwrap();
    assert_eq!(found.max_posterior, fraction(1, 1));
    assert_eq!((found.tables, found.certain_tables), (360, 24));
    let worst = found.counterexample.unwrap();
    assert_eq!(worst.survivor_count, 4);
    assert_eq!((worst.value, worst.posterior), (2, fraction(1, 1)));
    // 3 | 2 | 2, then 4 | 3, then all seven.
    let seven = scenario(&[1, 1, 2, 2, 3, 3, 4], 2);
    let found = verify(&Naive as &dyn Algorithm, &seven).unwrap();
    assert_eq!(found.max_posterior, fraction(2, 3));
}

/// Columns on which some people are alike, at levels that cut across each other.
fn functions() -> Trials {
    let level = |column: &str, level| (column.to_owned(), level);
    Trials {
        functions: vec![
            Function(vec![level("q0", 0), level("q1", 0)]),
            Function(vec![level("q0", 1)]),
            Function(vec![level("q1", 1)]),
        ],
        ..Trials::default()
    }
}

/// Requested functions, one of which cuts across another: no vector and no size of blocks discloses
/// a value, and naive does.
#[test]
fn functions_that_were_asked_for_on_every_multiset() {
    let age: Vec<u32> = (0..7).map(|person| person / 2).collect();
    let zip = [0, 1, 2, 3, 2, 1, 0];
    let (mut releases, mut certain) = (0, 0);
    for (rows, l) in (4..=7).flat_map(|rows| [(rows, 2), (rows, 3)]) {
        for values in multisets(rows, l) {
            let people = rows as usize;
            let codes: [&[u32]; 2] = [&age[..people], &zip[..people]];
            let scenario = scenario(&values, l).with_numbers(&codes).unwrap();
            for (block, disclosure) in [
                (8, BlockDisclosure::Safe),
                (8, BlockDisclosure::Jump),
                (8, BlockDisclosure::JumpBy(vec![1, 2, 1])),
                (4, BlockDisclosure::Jump),
            ] {
                let block = Trials { block, ..functions() };
                releases += assert_kept(&block, &disclosure, &scenario).releases;
            }
            certain += check(&functions(), &BlockDisclosure::Naive, &scenario).certain_tables;
        }
    }
    assert!(releases > 1_000 && certain > 0, "{releases} {certain}");
}

/// Models that distinguish values, or use distances between them, or sizes.
#[test]
fn every_model_is_kept_by_functions() {
    let age: Vec<u32> = (0..6).map(|person| person / 2).collect();
    let zip = [0, 1, 2, 2, 1, 0];
    let mut kept = 0;
    for counts in (4..=5).flat_map(histograms) {
        for model in models(counts.len() as u32) {
            let values: Vec<u32> = (0u32..)
                .zip(&counts)
                .flat_map(|(value, &count)| vec![value; count as usize])
                .collect();
            let people = values.len();
            let scenario = Scenario::of_values(values, model.clone()).unwrap();
            let scenario = scenario.with_numbers(&[&age[..people], &zip[..people]]).unwrap();
            if KJump.check(scenario.table(), &model).is_ok() {
                for disclosure in [BlockDisclosure::Safe, BlockDisclosure::Jump] {
                    assert_kept(&functions(), &disclosure, &scenario);
                    kept += 1;
                }
            }
        }
    }
    assert!(kept > 200, "only {kept}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two quasi-identifiers, with ties; a value that needs no protection.
    #[test]
    fn safe_wherever_people_lie(
        people in prop::collection::vec((0u32..4, 0u32..3, 0u32..4), 4..7),
        l in 2u32..4, size in 2usize..8, exempt: bool,
    ) {
        let column = |part: fn(&(u32, u32, u32)) -> u32| people.iter().map(part).collect::<Vec<_>>();
        let (age, zip, values) = (column(|p| p.0), column(|p| p.1), column(|p| p.2));
        let scenario = scenario(&values, l).with_numbers(&[&age, &zip]).unwrap();
        let mut flags = vec![false; scenario.table().secret().values()];
        flags[0] = exempt;
        let scenario = scenario.with_exempt(flags.clone());
        let histogram = scenario.table().histogram();
        prop_assume!(scenario.model().ratio().unwrap().check_eligible(&histogram, &flags).is_ok());
        for disclosure in [BlockDisclosure::Safe, BlockDisclosure::Jump] {
            assert_kept(&by_size(size), &disclosure, &scenario);
        }
    }
}

fn allows(table: &View, rows: &[u32], model: RatioDiversity) -> bool {
    let codes = table.secret().codes();
    let codes: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
    Histogram::new(&codes, table.secret().values())
        .counts()
        .iter()
        .all(|&count| model.allows(count.into(), rows.len() as u64))
}

/// Makes blocks of the first `at` people and of all others; one group if either may not be
/// published.
fn one_cut(at: u32) -> impl Mechanism {
    move |table: &View, model: &Model, _: &mut dyn Coins| {
        let model = model.ratio().unwrap();
        let [first, other]: [Vec<u32>; 2] =
            [(0..at).collect(), (at..table.rows() as u32).collect()];
        let kept = allows(table, &first, model) && allows(table, &other, model);
        Ok::<Groups, Error>(if kept {
            [first, other].into_iter().collect()
        } else {
            [[first, other].concat()].into_iter().collect()
        })
    }
}

/// Breaks: "an uneven cut begins anywhere". The refusal of an uneven cut discloses more about the
/// smaller part than about the other.
#[test]
fn an_uneven_cut_in_a_fixed_place_leaks() {
    for (values, at, posterior) in [
        // Refused because the first two have the value that occurs twice.
        (&[1, 2, 3, 4, 5, 5][..], 2, fraction(1, 1)),
        (&[1, 2, 3, 4, 5, 6, 6], 3, fraction(2, 3)),
        (&[1, 2, 3, 4, 5, 5, 5], 3, fraction(9, 17)),
    ] {
        let scenario = scenario(values, 2);
        assert_kept(&by_size(2), &BlockDisclosure::Safe, &scenario);
        let found = verify(&one_cut(at), &scenario).unwrap();
        assert_eq!(found.max_posterior, posterior);
    }
}

/// Breaks: "both parts are kept or neither". Blocks of two that may not be published are pooled,
/// and joined by the first of the others until the pool may be published.
#[test]
fn pooling_with_the_first_block_that_helps_leaks() {
    let pooling = |table: &View, model: &Model, _: &mut dyn Coins| {
        let model = model.ratio().unwrap();
        let blocks = (0..table.rows() as u32 / 2).map(|block| vec![2 * block, 2 * block + 1]);
        let (mut kept, refused): (Vec<_>, Vec<_>) =
            blocks.partition(|rows| allows(table, rows, model));
        let mut pool = refused.concat();
        while !pool.is_empty() && !allows(table, &pool, model) {
            pool.extend(kept.remove(0));
        }
        kept.push(pool);
        Ok::<Groups, Error>(kept.into_iter().collect())
    };
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2);
    assert_kept(&by_size(2), &BlockDisclosure::Safe, &scenario);
    let found = verify(&pooling, &scenario).unwrap();
    assert_eq!((found.unsafe_releases, found.max_posterior), (3, fraction(1, 1)));
}
