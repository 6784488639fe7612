//! The cost of multi-SA with a variable for each row, and with one for each combination.

use super::super::{ExperimentEffort, FigureLines, folder, mean};
use crate::rules::one_per_row::largest_group;
use crate::rules::{Dataset, data, random_rules};
use openveil_core::coins::SecretCoins;
use openveil_core::table::{ColumnSet, PeopleTable};
use openveil_reader::picture::Line;
use openveil_rules::baseline::multi_sa;
use std::error::Error;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time after which a solver is stopped.
const LIMIT: Duration = Duration::from_secs(5);

/// The numbers of rules in a set; with one rule, there is nothing to solve.
const RULES: [usize; 4] = [3, 5, 7, 9];

/// The paper's columns and diversity, and columns with more values, which allow a higher l.
const SETTINGS: [(&str, u32); 2] = [("coarse columns l = 2", 2), ("columns in detail l = 3", 3)];

/// Measures of the runs that are shown.
#[derive(Clone, Copy)]
pub(super) enum SolverMeasure {
    /// Seconds; for a stopped run, the limit.
    Seconds,
    /// Runs that were stopped, in percent.
    Stopped,
}

/// Seconds and whether the run was stopped, for each kind of variables.
type Runs = [Vec<(f64, bool)>; 2];

/// The runs of each setting, for each number of rules.
type RunsByRules = Vec<(f64, Vec<Runs>)>;

/// A cache, since two figures show the same runs.
static KNOWN: Mutex<Option<RunsByRules>> = Mutex::new(None);

pub(super) fn figures(effort: &ExperimentEffort, shown: SolverMeasure) -> FigureLines {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match known.take() {
        Some(found) => found,
        None => measured(effort)?,
    };
    let kinds = ["a variable for each combination", "a variable for each row"];
    let mut lines = Vec::new();
    for (number, (setting, _)) in SETTINGS.into_iter().enumerate() {
        for (kind, name) in kinds.into_iter().enumerate() {
            let point = |(at, runs): &(f64, Vec<Runs>)| {
                let of_run = |&(seconds, stopped): &(f64, bool)| match shown {
                    SolverMeasure::Seconds => seconds,
                    SolverMeasure::Stopped => f64::from(u8::from(stopped)) * 100.0,
                };
                let values: Vec<f64> = runs[number][kind].iter().map(of_run).collect();
                mean(*at, &values)
            };
            lines.push(Line {
                name: format!("{name}; {setting}"),
                points: found.iter().filter_map(point).collect(),
            });
        }
    }
    *known = Some(found);
    Ok(lines)
}

fn measured(effort: &ExperimentEffort) -> Result<RunsByRules, Box<dyn Error>> {
    let files = folder(effort)?.join("adult");
    let coarse = data::adult(&files, 10_000, 1)?;
    let detailed = data::adult_in_detail(&files, 10_000, 1)?;
    let mut found = RunsByRules::new();
    for rules in RULES {
        let mut by_setting = Vec::new();
        // Fewer sets for runs that may have to be stopped.
        let tables = [(&coarse, effort.sets), (&detailed, effort.sets.div_ceil(10))];
        for ((data, sets), (_, l)) in tables.into_iter().zip(SETTINGS) {
            let mut runs: Runs = Default::default();
            for sensitive in sensitive_columns(data, rules, l, sets) {
                let both = both(&data.records, sensitive, l)?;
                runs.iter_mut().zip(both).for_each(|(runs, run)| runs.push(run));
            }
            by_setting.push(runs);
        }
        found.push((rules as f64, by_setting));
    }
    Ok(found)
}

/// Returns the sensitive columns of random rule sets that have several.
fn sensitive_columns(data: &Dataset, rules: usize, l: u32, sets: u64) -> Vec<ColumnSet> {
    let columns =
        (100..100 + sets).filter_map(|seed| random_rules(data, rules, 3, l, seed)).map(|rules| {
            rules.iter().map(|rule| rule.protect()).fold(ColumnSet::EMPTY, |all, own| all | own)
        });
    columns.filter(|columns| columns.len() > 1).collect()
}

fn both(
    records: &PeopleTable,
    sensitive: ColumnSet,
    l: u32,
) -> Result<[(f64, bool); 2], Box<dyn Error>> {
    let start = Instant::now();
    let mut coins = SecretCoins::from_test_seed(1);
    let together = multi_sa(records, sensitive, l, LIMIT, &mut coins)?;
    let first = (start.elapsed().as_secs_f64(), together.timed_out);
    let start = Instant::now();
    let alone = largest_group(records, sensitive, l, LIMIT);
    let second = start.elapsed().as_secs_f64().min(LIMIT.as_secs_f64());
    Ok([first, (second, alone.is_none())])
}
