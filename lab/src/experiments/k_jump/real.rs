//! Strategies on blocks of real people.

use super::super::{ExperimentEffort, FigureLines, SEED, folder, mean};
use super::CLASSES;
use crate::tables;
use openveil_core::table::{Groups, View};
use openveil_papers::attack::sample;
use openveil_papers::disclosure::jump::{JumpPlan, Strategy, evaluate};
use openveil_papers::disclosure::{ContingencyTables, Functions, RatioBound, TableSpace};
use openveil_reader::picture::Line;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

/// The number of people in a block, for runs and for intervals, which need more classes of tables.
const PEOPLE: [[u32; 5]; 2] = [[6, 7, 8, 9, 10], [5, 6, 7, 8, 9]];

/// The number of blocks that are measured for each seed.
const BLOCKS: usize = 100;

/// Which groupings of people are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grouping {
    /// By age in runs of two, three and five people, or everybody.
    Runs,
    /// By age in intervals of 10, 20 and 40 years, or everybody; a person alone in one joins the
    /// next.
    Intervals,
}

/// Measures of the strategies that are shown.
#[derive(Clone, Copy)]
pub(super) enum StrategyMeasure {
    /// Discernability per person of the real tables.
    Real,
    /// Real tables for which nothing is released, in percent.
    Silent,
}

/// The position of the mean discernability over all tables of a block's values.
const AVERAGE: usize = 2;

/// The three measures, by strategy.
type BlockMeasures = Vec<[f64; 3]>;

/// The blocks of each seed, by the number of people.
type BlocksByPeople = BTreeMap<u32, Vec<Vec<BlockMeasures>>>;

/// A cache, since several figures show the same blocks.
static KNOWN: Mutex<BTreeMap<(&'static str, Grouping), BlocksByPeople>> =
    Mutex::new(BTreeMap::new());

/// Returns a line for each strategy, and for a secret choice among the vectors.
pub(super) fn figures(
    effort: &ExperimentEffort,
    name: &'static str,
    cuts: Grouping,
    shown: StrategyMeasure,
) -> FigureLines {
    let found = measured(effort, name, cuts)?;
    let line = |name: String, chosen: Vec<usize>| {
        let points = found.iter().filter_map(|(&people, coins)| {
            let of_coin = |blocks: &Vec<BlockMeasures>| {
                let of_block = |block: &BlockMeasures| {
                    chosen.iter().map(|&way| block[way][shown as usize]).sum::<f64>()
                        / chosen.len() as f64
                };
                blocks.iter().map(of_block).sum::<f64>() / blocks.len() as f64
            };
            let means: Vec<f64> = coins.iter().map(of_coin).collect();
            mean(people.into(), &means)
        });
        Line { name, points: points.collect() }
    };
    let names: Vec<String> = strategies()?.into_iter().map(|(name, _)| name).collect();
    let vectors: Vec<usize> =
        (0..names.len()).filter(|&way| names[way].starts_with("k-jump 1")).collect();
    let mut lines: Vec<Line> =
        names.into_iter().enumerate().map(|(way, name)| line(name, vec![way])).collect();
    lines.push(line("secret choice of a vector".to_owned(), vectors));
    Ok(lines)
}

/// Returns the share of blocks, in percent, in which a vector that jumps is better, or worse, than
/// `safe` on average over all tables.
pub(super) fn compared(
    effort: &ExperimentEffort,
    name: &'static str,
    cuts: Grouping,
) -> FigureLines {
    let found = measured(effort, name, cuts)?;
    let names: Vec<String> = strategies()?.into_iter().map(|(name, _)| name).collect();
    let safe = names.iter().position(|name| name == "safe");
    let safe = safe.expect("`safe` is a strategy");
    let mut lines = Vec::new();
    for (way, name) in names.iter().enumerate().skip(safe + 1) {
        for (word, sign) in [("better", -1.0), ("worse", 1.0)] {
            let points = found.iter().filter_map(|(&people, coins)| {
                let of_coin = |blocks: &Vec<BlockMeasures>| {
                    let differs = |block: &&BlockMeasures| {
                        (block[way][AVERAGE] - block[safe][AVERAGE]) * sign > 1e-9
                    };
                    100.0 * blocks.iter().filter(differs).count() as f64 / blocks.len() as f64
                };
                let shares: Vec<f64> = coins.iter().map(of_coin).collect();
                mean(people.into(), &shares)
            });
            lines.push(Line { name: format!("{name}: {word}"), points: points.collect() });
        }
    }
    // Vectors that equal `safe` have nothing to show.
    lines.retain(|line| line.points.iter().any(|point| point.value > 0.0));
    Ok(lines)
}

/// Returns `naive`, `safe`, every vector over four functions, and a plan that tries the second
/// function once more.
fn strategies() -> Result<Vec<(String, JumpPlan)>, openveil_core::Error> {
    let all = || vec![0, 1, 2, 3];
    let mut plans = vec![
        ("naive (unsafe)".to_owned(), JumpPlan::new(all(), Strategy::Naive)?),
        ("safe".to_owned(), JumpPlan::new(all(), Strategy::Safe)?),
    ];
    for plan in JumpPlan::all_jumps(&all(), 100)? {
        let Strategy::Jump(vector) = plan.strategy() else {
            continue;
        };
        let vector: Vec<String> = vector.iter().map(u32::to_string).collect();
        plans.push((format!("k-jump {}", vector.join(" ")), plan));
    }
    let again = JumpPlan::new(vec![0, 1, 2, 1, 3], Strategy::Jump(vec![1; 5]))?;
    plans.push(("k-jump with reuse".to_owned(), again));
    Ok(plans)
}

fn measured(
    effort: &ExperimentEffort,
    name: &'static str,
    cuts: Grouping,
) -> Result<BlocksByPeople, Box<dyn Error>> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(&(name, cuts)) {
        return Ok(found.clone());
    }
    let table = tables::read(name, folder(effort)?, SEED)?.view;
    let strategies = strategies()?;
    let mut found = BlocksByPeople::new();
    for people in PEOPLE[cuts as usize] {
        let mut coins = Vec::new();
        for seed in 0..effort.seeds.max(1) {
            let blocks = blocks(&table, people, seed)?;
            let blocks = blocks.iter().map(|block| measure(block, cuts, &strategies));
            coins.push(blocks.collect::<Result<_, openveil_core::Error>>()?);
        }
        found.insert(people, coins);
    }
    known.insert((name, cuts), found.clone());
    Ok(found)
}

/// Returns blocks of people who are consecutive in the order of all known columns but age, each
/// block in the order of age.
fn blocks(table: &View, people: u32, seed: u64) -> Result<Vec<View>, openveil_core::Error> {
    let age = age(table);
    let mut order: Vec<u32> = (0..table.rows() as u32).collect();
    order.sort_by_cached_key(|&row| -> Vec<u32> {
        table
            .known()
            .iter()
            .enumerate()
            .filter(|(axis, _)| *axis != age)
            .map(|(_, column)| column.codes()[row as usize])
            .collect()
    });
    let all: Vec<&[u32]> = order.chunks_exact(people as usize).collect();
    let block = |&block: &u32| {
        let mut rows = all[block as usize].to_vec();
        rows.sort_by_key(|&row| (table.known()[age].codes()[row as usize], row));
        // `of_rows` keeps the given order of rows.
        table.of_rows(&rows)
    };
    sample(all.len(), BLOCKS, seed).iter().map(block).collect()
}

fn age(table: &View) -> usize {
    table
        .known()
        .iter()
        .enumerate()
        .find(|(_, column)| column.name() == "age")
        .map_or(0, |(axis, _)| axis)
}

/// Measures each strategy on a block.
fn measure(
    block: &View,
    cuts: Grouping,
    strategies: &[(String, JumpPlan)],
) -> Result<BlockMeasures, openveil_core::Error> {
    let people = block.rows();
    let partitions = match cuts {
        Grouping::Runs => [2, 3, 5, people].map(|size| runs(people, size)).to_vec(),
        Grouping::Intervals => [10, 20, 40, u32::MAX].map(|width| intervals(block, width)).to_vec(),
    };
    let functions = Functions::new(people, partitions)?;
    let (counts, codes) = values(block);
    let space = ContingencyTables::new(&functions, &counts, CLASSES)?;
    let class = space.class_of(&codes)?;
    let cost = |function: usize| {
        functions.partitions()[function]
            .iter()
            .map(|group| (group.len() * group.len()) as f64)
            .sum::<f64>()
            / people as f64
    };
    let bound = RatioBound::new(1, 2)?;
    let of_plan = |(_, plan): &(String, JumpPlan)| {
        let evaluation = evaluate(&space, &bound, plan)?;
        let released = evaluation.released_function(class);
        let costs = plan.sequence().iter().map(|&function| cost(function)).chain([people as f64]);
        let tables = evaluation.released_tables(&space).into_iter().zip(costs);
        let sum: f64 = tables.map(|(tables, cost)| tables as f64 * cost).sum();
        Ok([
            released.map_or(people as f64, cost),
            if released.is_some() { 0.0 } else { 100.0 },
            sum / space.tables() as f64,
        ])
    };
    strategies.iter().map(of_plan).collect()
}

/// Returns the number of people with each value that occurs, and the number of everybody's value
/// among these.
fn values(block: &View) -> (Vec<u32>, Vec<u32>) {
    let own = block.histogram();
    let occurring: Vec<u32> =
        (0..own.counts().len() as u32).filter(|&value| own.counts()[value as usize] > 0).collect();
    let counts = occurring.iter().map(|&value| own.counts()[value as usize]);
    let codes = block
        .secret()
        .codes()
        .iter()
        .map(|code| occurring.partition_point(|value| value < code) as u32);
    (counts.collect(), codes.collect())
}

/// Returns runs of so many people; the remaining people join the last.
fn runs(people: usize, size: usize) -> Groups {
    let count = (people / size).max(1);
    let first = |run: usize| (run * size) as u32;
    let last = |run: usize| {
        if run + 1 == count { people as u32 } else { first(run + 1) }
    };
    (0..count).map(|run| first(run)..last(run)).collect()
}

/// Returns groups of people whose ages lie in one interval, in the order of age; a person alone
/// joins the next interval, or the one before if there is none.
fn intervals(block: &View, width: u32) -> Groups {
    let column = &block.known()[age(block)];
    let interval = |row: u32| {
        let label = column.domain().label(column.codes()[row as usize]);
        label.parse::<f64>().unwrap_or(0.0) as u32 / width
    };
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for row in 0..block.rows() as u32 {
        match groups.last_mut() {
            Some(last) if last.len() == 1 || interval(last[last.len() - 1]) == interval(row) => {
                last.push(row);
            }
            _ => groups.push(vec![row]),
        }
    }
    if groups.len() > 1 && groups[groups.len() - 1].len() == 1 {
        let alone = groups.pop().unwrap_or_default();
        groups.last_mut().expect("there were two").extend(alone);
    }
    groups.into_iter().collect()
}
