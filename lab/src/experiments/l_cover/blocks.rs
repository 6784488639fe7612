//! Blocks of a few people: every candidate is tried.

use super::super::{ExperimentEffort, FigureLines, point};
use super::{WAYS, mean_of, per_person, ratio, table};
use crate::covering::{Alone, Making, diversity, first_admitted, runs};
use num_traits::ToPrimitive;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::table::{Groups, View, histograms};
use openveil_papers::algorithm::Cover;
use openveil_papers::algorithm::{Rda, Ria};
use openveil_papers::attack::sample;
use openveil_papers::verify::{Scenario, verify};
use openveil_reader::picture::{Line, Point};

/// The numbers of people in a block.
const PEOPLE: [u32; 5] = [6, 8, 10, 12, 14];

/// The number of blocks of a table that are measured for each seed.
const BLOCKS: usize = 200;

/// Returns blocks of people who are near to each other, by quasi-identifiers alone, and whose own
/// values allow l = 2.
fn near_people(table: &View, people: u32, seed: u64) -> Result<Vec<View>, openveil_core::Error> {
    let mut order: Vec<u32> = (0..table.rows() as u32).collect();
    let known = |&row: &u32| -> Vec<u32> {
        table.known().iter().rev().map(|column| column.codes()[row as usize]).collect()
    };
    order.sort_by_cached_key(known);
    let blocks: Vec<&[u32]> = order.chunks_exact(people as usize).collect();
    let chosen = sample(blocks.len(), BLOCKS, seed);
    let views: Vec<View> = chosen
        .iter()
        .map(|&block| table.of_rows(blocks[block as usize]))
        .collect::<Result<_, _>>()?;
    let eligible = |view: &View| RatioDiversity::largest_l_of(view).is_some_and(|l| l >= 2);
    Ok(views.into_iter().filter(eligible).collect())
}

/// Returns the mean of a measure of groups over blocks, for each number of people.
fn over_blocks(
    effort: &ExperimentEffort,
    table: &View,
    groups: impl Fn(&View, &[Groups], &mut dyn Coins) -> Result<Groups, openveil_core::Error>,
    measure: fn(&Groups) -> f64,
) -> Vec<Point> {
    let at = |people: u32| {
        let candidates = runs(people, 2);
        point(people.into(), effort.seeds, |seed| {
            let mut coins = SecretCoins::from_test_seed(seed);
            let blocks = near_people(table, people, seed)?;
            let groups: Vec<Groups> = blocks
                .iter()
                .map(|block| groups(block, &candidates, &mut coins))
                .collect::<Result<_, _>>()?;
            Ok(mean_of(groups.iter().map(measure)))
        })
    };
    PEOPLE.into_iter().filter_map(at).collect()
}

pub(super) fn admitted(effort: &ExperimentEffort) -> FigureLines {
    let mut lines = Vec::new();
    for (label, name) in [("Adult", "adult-4"), ("GSS", "gss")] {
        let table = table(effort, name)?;
        for (kind, making) in WAYS {
            let model = ratio(2)?;
            let points = over_blocks(
                effort,
                &table,
                |block, candidates, coins| first_admitted(block, model, making, candidates, coins),
                |groups| if groups.len() > 1 { 100.0 } else { 0.0 },
            );
            lines.push(Line { name: format!("{label}: {kind}"), points });
        }
    }
    Ok(lines)
}

pub(super) fn blocks(effort: &ExperimentEffort, name: &str) -> FigureLines {
    let table = table(effort, name)?;
    let model = ratio(2)?;
    let mut lines = Vec::new();
    for (kind, making) in WAYS {
        let points = over_blocks(
            effort,
            &table,
            |block, candidates, coins| first_admitted(block, model, making, candidates, coins),
            per_person,
        );
        lines.push(Line { name: kind.to_owned(), points });
    }
    let diverse = |block: &View, candidates: &[Groups], _: &mut dyn Coins| {
        let codes = block.secret().codes();
        let is_diverse = |groups: &&Groups| groups.iter().all(|own| diversity(codes, own, model).0);
        Ok(candidates.iter().find(is_diverse).expect("everybody in one group is diverse").clone())
    };
    lines.push(Line {
        name: "first diverse candidate (unsafe)".to_owned(),
        points: over_blocks(effort, &table, diverse, per_person),
    });
    for way in [&Ria as &dyn Algorithm, &Rda, &Cover] {
        let groups = |block: &View, _: &[Groups], coins: &mut dyn Coins| {
            way.partition(block, &model.into(), coins)
        };
        lines.push(Line {
            name: way.name().to_owned(),
            points: over_blocks(effort, &table, groups, per_person),
        });
    }
    Ok(lines)
}

/// Returns the greatest chance over all tables and all coins of every multiset of so many people
/// that allows l = 2.
pub(super) fn reader(_effort: &ExperimentEffort) -> FigureLines {
    let strictly = (Making::Dependent, Alone::LeftOutStrictly);
    let ways = WAYS.into_iter().chain([("covers in groups; more than l values", strictly)]);
    let mut lines = Vec::new();
    for (name, making) in ways {
        // Independent covers have too many outcomes of coins for seven people.
        let most = if making.0 == Making::Independent { 6 } else { 7 };
        let points = (4..=most).map(|people| greatest_chance(people, making));
        lines.push(Line {
            name: name.to_owned(),
            points: points.collect::<Result<_, openveil_core::Error>>()?,
        });
    }
    Ok(lines)
}

fn greatest_chance(people: u32, making: (Making, Alone)) -> Result<Point, openveil_core::Error> {
    let (model, candidates) = (ratio(2)?, runs(people, 2));
    let mechanism = |view: &View, _: &Model, coins: &mut dyn Coins| {
        first_admitted(view, model, making, &candidates, coins)
    };
    let mut greatest: f64 = 0.0;
    for counts in histograms(people) {
        let is_descending = counts.windows(2).all(|pair| pair[0] >= pair[1]);
        if !is_descending || counts[0] * 2 > people {
            continue;
        }
        let values =
            counts.iter().zip(0u32..).flat_map(|(&count, value)| vec![value; count as usize]);
        let found = verify(&mechanism, &Scenario::of_values(values, model)?)?.max_posterior;
        greatest = greatest.max(found.to_f64().unwrap_or(1.0));
    }
    Ok(Point::new(people.into(), greatest))
}
