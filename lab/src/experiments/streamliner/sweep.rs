//! Discernability and query errors by l, on several tables.

use super::super::{ExperimentEffort, FigureLines, SEED, mean, release};
use super::{MERGED, QUERIES, WAYS, coins};
use crate::keeps::given;
use crate::{census, tables};
use openveil_core::model::l_diversity;
use openveil_core::release::Style;
use openveil_core::table::View;
use openveil_measures::utility::{
    Errors, Index, QueryKind, Workload, discernability, least_discernability,
};
use openveil_reader::picture::{Line, Point};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

/// The table of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SweepTable {
    /// The generated census, instead of OCC.
    Occupations,
    /// The generated census instead of OCC, with equally frequent genders.
    Even,
    /// The generated census with incomes, instead of SAL.
    Incomes,
    /// The General Social Survey, incomes in 50 classes.
    Survey,
}

/// Questions about a release, in the order in which they are measured.
#[derive(Clone, Copy)]
pub(super) enum ReleaseMeasure {
    Age,
    Gender,
    AgeAndGender,
    All,
    Discernability,
}

/// The quasi-identifiers of the queries: age and gender come first in all tables.
const AXES: [&[usize]; 4] = [&[0], &[1], &[0, 1], &[0, 1, 2, 3]];

/// Five measures for each seed, by algorithm and l.
type MeasuresByL = BTreeMap<(usize, u32), Vec<[f64; 5]>>;

/// A cache, since several figures show the same releases.
static KNOWN: Mutex<BTreeMap<SweepTable, MeasuresByL>> = Mutex::new(BTreeMap::new());

/// Returns a line for each algorithm; errors from l = 6 on, as in the paper.
pub(super) fn figures(
    effort: &ExperimentEffort,
    source: SweepTable,
    asked: ReleaseMeasure,
) -> FigureLines {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match known.entry(source) {
        Entry::Occupied(found) => found.into_mut(),
        Entry::Vacant(place) => place.insert(measured(&table(effort, source)?, effort)?),
    };
    let is_error = !matches!(asked, ReleaseMeasure::Discernability);
    let shown = |point: &Point| is_error || point.value < MERGED;
    let line = |way: usize| {
        let places = found.range((way, 0)..(way + 1, 0));
        let points =
            places.filter(|((_, l), _)| !is_error || *l >= 6).filter_map(|((_, l), coins)| {
                let values: Vec<f64> = coins.iter().map(|all| all[asked as usize]).collect();
                mean(f64::from(*l), &values)
            });
        Line { name: WAYS[way].name().to_owned(), points: points.filter(shown).collect() }
    };
    let mut lines: Vec<Line> = (0..WAYS.len()).map(line).collect();
    if !is_error {
        lines.push(optimum(&table(effort, source)?));
    }
    lines.retain(|line| !line.points.is_empty());
    Ok(lines)
}

fn optimum(table: &View) -> Line {
    let rows = table.rows() as u32;
    let least = |l: u32| f64::from(least_discernability(rows, l) as u32) / f64::from(rows);
    Line {
        name: "optimum".to_owned(),
        points: (2..=10).map(|l| Point::new(l.into(), least(l))).collect(),
    }
}

fn table(effort: &ExperimentEffort, source: SweepTable) -> Result<View, Box<dyn Error>> {
    match source {
        SweepTable::Occupations => Ok(census::skewed(effort.rows, SEED)),
        SweepTable::Even => Ok(census::census(effort.rows, SEED)),
        SweepTable::Incomes => Ok(census::skewed_incomes(effort.rows, SEED)),
        SweepTable::Survey => {
            Ok(tables::read("gss-income", super::super::folder(effort)?, SEED)?.view)
        }
    }
}

fn measured(table: &View, effort: &ExperimentEffort) -> Result<MeasuresByL, Box<dyn Error>> {
    let workloads = AXES.map(|axes| Workload::random(table, &QueryKind::on(axes), QUERIES, SEED));
    let truths = workloads.each_ref().map(|workload| workload.true_counts(table));
    let mut found = MeasuresByL::new();
    for (number, way) in WAYS.into_iter().enumerate() {
        let own = given(way, table);
        for l in 2..=10 {
            let model = l_diversity(l)?;
            let mut all = Vec::new();
            for seed in 0..coins(way, effort.seeds) {
                let Ok((content, _)) = release(way, (&own, &model), Style::Generalize, seed) else {
                    break;
                };
                let mut measures = [0.0; 5];
                measures[4] = discernability(&content) as f64 / table.rows() as f64;
                if l >= 6 {
                    let index = Index::new(&content);
                    for (kind, workload) in workloads.iter().enumerate() {
                        let estimates = workload.estimates(&index);
                        let errors = Errors::new(&truths[kind], &estimates, table.rows());
                        measures[kind] = errors.floored;
                    }
                }
                all.push(measures);
            }
            if !all.is_empty() {
                found.insert((number, l), all);
            }
        }
    }
    Ok(found)
}
