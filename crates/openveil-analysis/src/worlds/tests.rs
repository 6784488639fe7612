use super::*;
use crate::check::Verdict;
use crate::figure::Figure;
use openveil_core::algorithm::Halving;
use openveil_core::coins::Coins;
use openveil_core::model::RatioDiversity;
use openveil_core::release::{Cells, Content};
use openveil_core::table::{Column, Domain, Secret};
use std::num::NonZeroU32;

/// A random number below another, for tests.
pub(crate) fn below(coins: &mut SecretCoins, number: usize) -> usize {
    coins.below(number as u32) as usize
}

/// People of some ages, sexes and towns. Their values depend on sex and age, not on towns.
pub(crate) fn view(rows: usize, seed: u64) -> View {
    let coins = &mut SecretCoins::from_test_seed(seed);
    let mut codes = vec![Vec::new(); 4];
    for _ in 0..rows {
        let (age, sex, town) = (below(coins, 40), below(coins, 2), below(coins, 3));
        // Women have the values 0 and 1 more often, and the old have 4 and 5.
        let own = match below(coins, 10) {
            0..4 => below(coins, 6),
            4..7 => 2 * sex + below(coins, 2),
            _ => (age / 14) * 2 + below(coins, 2),
        };
        for (codes, code) in codes.iter_mut().zip([age, sex, town, own]) {
            codes.push(code as u32);
        }
    }
    let secret = codes.pop().expect("four columns");
    let mut codes = codes.into_iter();
    let mut column =
        |name: &str, domain: Domain| Column::new(name, codes.next().expect("four columns"), domain);
    let known = vec![
        column("age", Domain::integers(20..60)),
        column("sex", Domain::unordered(["f", "m"])),
        column("town", Domain::unordered(["a", "b", "c"])),
    ];
    let secret = Secret::new("ill", secret, ["u", "v", "w", "x", "y", "z"]);
    View::new(known, secret).expect("columns of one length")
}

/// A recipe in which no value has a chance above 1/3.
pub(crate) fn recipe(style: Style) -> Recipe {
    Recipe {
        algorithm: &Halving,
        class: NonZeroU32::new(4),
        model: Model::from(RatioDiversity::new(3).expect("a number from 2 on")),
        settings: Settings { keeps_marginals: style == Style::Generalize, ..Settings::default() },
        style,
        strata: Vec::new(),
    }
}

pub(crate) fn meaning(view: &View) -> Meaning {
    Meaning::new(view.known(), view.secret())
}

/// The evidence of groups made without an algorithm.
pub(crate) fn evidence(groups: &[Vec<u32>], cells: Vec<openveil_core::release::Cells>) -> Evidence {
    let mut end = 0;
    let ends = groups.iter().map(|group| {
        end += group.len() as u32;
        end
    });
    let content = Content::from_parts(ends.collect(), groups.concat(), cells);
    Evidence::new(&content.expect("parts that fit"))
}

/// The counts of each value by a known column.
pub(crate) fn by(view: &View, column: usize) -> Ask {
    let codes = view.known()[column].domain().len() as u32;
    let values = view.secret().values() as u32;
    Ask {
        known: vec![(column, (0..codes).map(Some).collect())],
        parts: vec![codes],
        secret: (0..values).map(Some).collect(),
        secret_parts: values,
    }
}

/// The counts in the table.
fn truth(view: &View, ask: &Ask) -> Vec<f64> {
    let mut counts = vec![0.0; ask.cells()];
    let codes = view.known()[ask.known[0].0].codes();
    for (&code, &value) in codes.iter().zip(view.secret().codes()) {
        counts[(code * ask.secret_parts + value) as usize] += 1.0;
    }
    counts
}

fn analysis(view: &View, recipe: &Recipe, worlds: usize, seed: u64) -> Analysis {
    let coins = &mut SecretCoins::from_test_seed(seed);
    let evidence = recipe.publish(view.clone(), coins).expect("a table that can be published");
    Analysis::new(evidence, meaning(view), Some((recipe, worlds)), seed).expect("the same again")
}

/// A value that depends on two columns together, and on neither alone, is found by their pair.
#[test]
fn a_pair_of_columns_shows_what_each_alone_does_not() {
    const ROWS: usize = 600;
    let coins = &mut SecretCoins::from_test_seed(12);
    let mut coin = |one_in: u32| coins.below(one_in) == 0;
    let [a, b] = [(); 2].map(|()| (0..ROWS).map(|_| u32::from(coin(2))).collect::<Vec<u32>>());
    let both = a.iter().zip(&b);
    let values = both.map(|(a, b)| if coin(10) { 1 - (a ^ b) } else { a ^ b });
    let domain = || Domain::unordered(["no", "yes"]);
    let secret = Column::new("secret", values.collect(), domain());
    let known = [("a", a), ("b", b)].map(|(name, codes)| Column::new(name, codes, domain()));
    let view =
        View::new(known.to_vec(), Secret::from_column(&secret)).expect("columns of one length");
    let cells = view.known().iter().map(|column| Cells::Exact(column.codes().to_vec()));
    let groups: Vec<Vec<u32>> = view.secret().codes().chunks(3).map(<[u32]>::to_vec).collect();
    let evidence = evidence(&groups, cells.collect());
    let chance = |pairs: Vec<(usize, usize)>| {
        let meaning = Meaning { pairs, ..meaning(&view) };
        let fit = Fit::new(&evidence, &meaning, &mut SecretCoins::from_test_seed(1));
        // The chance of the second value, for people with both codes and for people with one.
        let found = fit.chances(&[&[1, 1], &[1, 0]], 2);
        (found[1], found[3])
    };
    let (both, one) = chance(vec![(0, 1)]);
    assert!(both < 0.2 && one > 0.8, "{both} {one}");
    let (both, one) = chance(Vec::new());
    assert!(both > 0.35 && one < 0.65, "{both} {one}");
}

/// Intervals around the corrected counts contain the true counts, and the corrected counts show the
/// full association. Values spread evenly over their groups show only a part of it.
#[test]
fn associations_are_recovered_with_intervals_that_hold() {
    let (mut cells, mut inside, mut wrong, mut strong) = (0, 0, 0, 0);
    let (mut slope, mut evenly) = ([0.0; 2], [0.0; 2]);
    for seed in 0..3 {
        let view = view(3_000, seed);
        let analysis = analysis(&view, &recipe(Style::Anatomy), 6, seed);
        let evidence = &analysis.release.evidence;
        for column in [1, 2] {
            let ask = by(&view, column);
            let truth = truth(&view, &ask);
            let found = analysis.counts(&ask);
            let mut even = vec![0.0; ask.cells()];
            for group in 0..evidence.groups() {
                let rows = evidence.rows_of(group);
                for row in rows.clone() {
                    let code = analysis.release.people[0].codes(column)[row] as usize;
                    for &value in &evidence.values()[rows.clone()] {
                        even[code * 6 + value as usize] += 1.0 / rows.len() as f64;
                    }
                }
            }
            let people: Vec<f64> = truth.chunks(6).map(|own| own.iter().sum()).collect();
            for (cell, figure) in found.iter().enumerate() {
                let all: f64 = (0..people.len()).map(|code| truth[code * 6 + cell % 6]).sum();
                let expected = all * people[cell / 6] / 3_000.0;
                let (off, estimated) = (truth[cell] - expected, figure.estimate - expected);
                cells += 1;
                let [low, high] = figure.interval;
                inside += usize::from((low..=high).contains(&truth[cell]));
                if column == 1 {
                    slope = [slope[0] + off * estimated, slope[1] + off * off];
                    evenly[0] += off * (even[cell] - expected);
                    evenly[1] += off * off;
                }
                if off.abs() > 60.0 {
                    strong += 1;
                    wrong += usize::from(off * estimated <= 0.0);
                }
            }
        }
    }
    assert!(inside * 100 >= cells * 85, "{inside} of {cells}");
    assert!(strong >= 12 && wrong == 0, "{wrong} of {strong}");
    let (slope, evenly) = (slope[0] / slope[1], evenly[0] / evenly[1]);
    assert!((0.8..1.2).contains(&slope), "{slope}");
    assert!(evenly < 1.0, "{evenly}");
}

/// Values depend on sex and age, not on towns.
#[test]
fn columns_are_checked() {
    for style in [Style::Anatomy, Style::Generalize] {
        let analysis = analysis(&view(3_000, 4), &recipe(style), 4, 1);
        let [age, sex, town] = [0, 1, 2].map(|column| analysis.check(column).expect("worlds"));
        assert!(age.verdict < Verdict::DoNotCross, "{style:?} {age:?}");
        assert_eq!(sex.verdict, Verdict::Usable, "{style:?} {sex:?}");
        assert_eq!(town.verdict, Verdict::DoNotCross, "{style:?} {town:?}");
    }
    let without = analysis(&view(300, 4), &recipe(Style::Anatomy), 0, 1);
    assert_eq!(without.check(0), None);
}

/// Figures depend only on the release and the seed, not on the machine.
#[test]
fn the_same_seed_gives_the_same_figures_in_any_number_of_threads() {
    for style in [Style::Anatomy, Style::Slice] {
        let view = view(400, 1);
        let figures = |threads: usize, seed: u64| -> (Vec<Figure>, Vec<Vec<u32>>) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| {
                let analysis = analysis(&view, &recipe(style), 3, seed);
                let drawn = analysis.completed(2, 7).into_iter().map(|(_, values)| values);
                (analysis.counts(&by(&view, 1)), drawn.collect())
            })
        };
        let one = figures(1, 1);
        assert_eq!(one, figures(3, 1), "{style:?}");
        assert_ne!(one, figures(1, 2), "{style:?}");
    }
}
