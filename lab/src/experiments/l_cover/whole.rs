//! Whole tables and samples of them.

use super::super::{ExperimentEffort, FigureLines, SEED, point};
use super::{WAYS, per_person, ratio, some_rows, table};
use crate::covering::{Alone, MadeCovers, Making, first_admitted};
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::model::{
    CountBuffer, EntropyDiversity, KAnonymity, Model, Requirement, l_diversity,
};
use openveil_core::table::{Groups, View};
use openveil_measures::utility::least_discernability;
use openveil_papers::algorithm::Cover;
use openveil_papers::algorithm::streamliner::candidates::merge;
use openveil_papers::algorithm::{Mondrian, Rda, Ria};
use openveil_papers::verify::l_cover::{CoverColours, CoverCondition, CoverStrength, Covers};
use openveil_reader::picture::{Line, Point};
use std::error::Error;
use std::time::Instant;

pub(super) fn singletons(effort: &ExperimentEffort) -> FigureLines {
    let line = |(label, name): (&str, &str)| -> Result<Line, Box<dyn Error>> {
        let table = table(effort, name)?;
        let at = |rows: usize| {
            point(rows as f64, effort.seeds, |seed| {
                let own = some_rows(&table, rows, seed)?.histogram();
                let alone = own.counts().iter().filter(|&&count| count == 1).count();
                Ok(100.0 * alone as f64 / rows as f64)
            })
        };
        Ok(Line {
            name: label.to_owned(),
            points: (0..9).filter_map(|doubled| at(100 << doubled)).collect(),
        })
    };
    let tables = [
        ("incomes of the GSS", "gss-income-exact"),
        ("made-up wages", "wages"),
        ("occupations of the GSS", "gss"),
        ("occupations of Adult", "adult-4"),
    ];
    tables.into_iter().map(line).collect()
}

/// Returns Mondrian's boxes of at least k people, which depend on quasi-identifiers only.
fn boxes(table: &View, k: u32) -> Result<Groups, openveil_core::Error> {
    let model = Model::from(Requirement::KAnonymity(KAnonymity { k }));
    Mondrian.partition(table, &model, &mut SecretCoins::from_test_seed(SEED))
}

pub(super) fn unsafe_groups(effort: &ExperimentEffort) -> FigureLines {
    let mut lines = Vec::new();
    for (label, name) in
        [("Adult", "adult-4"), ("GSS", "gss"), ("GSS with 50 classes of income", "gss-income")]
    {
        let table = table(effort, name)?;
        for (kind, is_ratio) in [("entropy", false), ("1/l", true)] {
            let at = |l: u32| point(l.into(), 1, |_| unsafe_share(&table, l, is_ratio));
            lines.push(Line {
                name: format!("{label}: {kind}"),
                points: (2..=8).filter_map(at).collect(),
            });
        }
    }
    Ok(lines)
}

fn unsafe_share(table: &View, l: u32, is_ratio: bool) -> Result<f64, openveil_core::Error> {
    let model = if is_ratio {
        l_diversity(l)?
    } else {
        Requirement::Entropy(EntropyDiversity { l: u64::from(l).into() }).into()
    };
    let (criteria, groups) = (model.bind(table)?, boxes(table, l)?);
    let codes = table.secret().codes();
    let mut buffer = CountBuffer::default();
    let mut is_unsafe = |group: &[u32]| {
        let values = group.iter().map(|&row| codes[row as usize]);
        !criteria.hold_on_group(&buffer.of_codes(values))
    };
    let found = groups.iter().filter(|group| is_unsafe(group)).count();
    Ok(100.0 * found as f64 / groups.len() as f64)
}

/// Returns boxes of l, 2 l, 4 l, … people: the candidates of a whole table.
fn candidates(table: &View, l: u32) -> Result<Vec<Groups>, openveil_core::Error> {
    (0..)
        .map(|doubled| l << doubled)
        .take_while(|&k| (k as usize) <= table.rows())
        .map(|k| boxes(table, k))
        .collect()
}

pub(super) fn tables(effort: &ExperimentEffort) -> FigureLines {
    let table = table(effort, "adult-4")?;
    let places = || 2..=6u32;
    let mut lines = Vec::new();
    for (kind, making) in &WAYS[..3] {
        let at = |l: u32| {
            let candidates = candidates(&table, l).ok()?;
            point(l.into(), effort.seeds, |seed| {
                let mut coins = SecretCoins::from_test_seed(seed);
                let groups = first_admitted(&table, ratio(l)?, *making, &candidates, &mut coins)?;
                Ok(per_person(&groups))
            })
        };
        lines.push(Line { name: (*kind).to_owned(), points: places().filter_map(at).collect() });
    }
    for way in [&Ria as &dyn Algorithm, &Rda, &Cover, &Mondrian] {
        let at = |l: u32| {
            point(l.into(), effort.seeds, |seed| {
                let mut coins = SecretCoins::from_test_seed(seed);
                Ok(per_person(&way.partition(&table, &l_diversity(l)?, &mut coins)?))
            })
        };
        let mark = if way.profile().is_safe() { "" } else { " (unsafe)" };
        lines.push(Line {
            name: format!("{}{mark}", way.name()),
            points: places().filter_map(at).collect(),
        });
    }
    Ok(lines)
}

pub(super) fn by_rows(effort: &ExperimentEffort) -> FigureLines {
    let table = table(effort, "adult-4")?;
    let sizes = || (0..7).map(|doubled| 30usize << doubled);
    let line =
        |name: &str,
         groups: &dyn Fn(&View, &mut dyn Coins) -> Result<Groups, openveil_core::Error>| {
            let at = |rows: usize| {
                point(rows as f64, effort.seeds.max(10), |seed| {
                    let some = some_rows(&table, rows, seed)?;
                    Ok(per_person(&groups(&some, &mut SecretCoins::from_test_seed(seed))?))
                })
            };
            Line { name: name.to_owned(), points: sizes().filter_map(at).collect() }
        };
    let merged = |making: Making| {
        move |some: &View, coins: &mut dyn Coins| {
            let covering = MadeCovers::new(some, ratio(3)?, (making, Alone::Covered), coins)?;
            let links = covering.expect("coins find covers");
            Ok(merge(some.rows(), links.links()))
        }
    };
    let mut lines = vec![
        line("finest that covers at random admit", &merged(Making::Independent)),
        line("finest that covers in groups admit", &merged(Making::Dependent)),
    ];
    for way in [&Ria as &dyn Algorithm, &Rda, &Cover] {
        lines.push(line(way.name(), &|some, coins| way.partition(some, &l_diversity(3)?, coins)));
    }
    let optimum = |rows: usize| {
        Point::new(rows as f64, least_discernability(rows as u32, 3) as f64 / rows as f64)
    };
    lines.push(Line { name: "optimum".to_owned(), points: sizes().map(optimum).collect() });
    Ok(lines)
}

/// Returns the rows of values that several people have: the property itself asks for covers of the
/// other values, too.
fn shared_values(table: &View, rows: usize, seed: u64) -> Result<View, openveil_core::Error> {
    let some = some_rows(table, rows, seed)?;
    let (histogram, codes) = (some.histogram(), some.secret().codes());
    let shared =
        (0..some.rows() as u32).filter(|&row| histogram.counts()[codes[row as usize] as usize] > 1);
    some.of_rows(&shared.collect::<Vec<u32>>())
}

pub(super) fn time(effort: &ExperimentEffort) -> FigureLines {
    let table = table(effort, "adult-4")?;
    let sizes = || (0..6).map(|doubled| 125usize << doubled);
    let line = |name: &str, measure: &dyn Fn(&View, u64) -> Result<f64, openveil_core::Error>| {
        let at = |rows: usize| {
            point(rows as f64, effort.seeds, |seed| {
                measure(&shared_values(&table, rows, seed)?, seed)
            })
        };
        Line { name: name.to_owned(), points: sizes().filter_map(at).collect() }
    };
    let mut lines = vec![
        line("check of the property as defined", &|some, seed| check(some, seed, true)),
        line("check of what covers leave a group", &|some, seed| check(some, seed, false)),
    ];
    for way in [&Ria as &dyn Algorithm, &Rda, &Cover] {
        lines.push(line(way.name(), &|some, seed| {
            let (model, mut coins) = (l_diversity(3)?, SecretCoins::from_test_seed(seed));
            let start = Instant::now();
            way.partition(some, &model, &mut coins)?;
            Ok(milliseconds(start))
        }));
    }
    Ok(lines)
}

/// Returns the time of a check that finds nothing wrong: the candidate is the groups of the covers.
fn check(some: &View, seed: u64, as_defined: bool) -> Result<f64, openveil_core::Error> {
    let model = ratio(3)?;
    let covering = MadeCovers::new(
        some,
        model,
        (Making::Dependent, Alone::Covered),
        &mut SecretCoins::from_test_seed(seed),
    )?
    .expect("coins find covers");
    let candidate = merge(some.rows(), covering.links());
    let codes = some.secret().codes();
    let condition =
        CoverCondition { model, strength: CoverStrength::Full, reading: CoverColours::Streamliner };
    let covers = Covers::new(codes, condition, covering.images(codes)).expect("covers by groups");
    let start = Instant::now();
    let is_admitted = if as_defined {
        covers.admit(&[], &candidate).is_ok()
    } else {
        covering.admits(&[], &candidate)
    };
    assert!(is_admitted, "groups of people who cover each other break no cover");
    Ok(milliseconds(start))
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
