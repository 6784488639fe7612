//! Disclosure risk from the known columns alone, whatever is sensitive in the table.

use super::population::Crowds;
use super::report::{FoundChances, chances};
use super::target::AuditTarget;
use super::weighted::{Individual, IndividualReport, of_rows};
use super::{AuditRequest, GroupedTable, cells, column};
use openveil_core::table::Groups;
use openveil_io::source::RawColumn;
use openveil_io::{Error, Location};
use openveil_measures::audit::disclosure::{PopulationUniques, SpecialUniques};
use openveil_measures::audit::{CombinedColumns, combine, separation};
use openveil_text::text;
use serde::Serialize;

/// The most sets of columns that are searched for special uniques.
const MOST_SETS: usize = 10_000;

/// The most values of known columns that a report lists by their share of all SUDA scores.
const MOST_VALUES: usize = 10;

/// Further requests about the known columns of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DisclosureRequest {
    /// The table's share of the population.
    pub sampling_fraction: Option<f64>,
    /// A column with the number of people that each row represents.
    pub weight: Option<String>,
    /// A column that is equal in rows of one household.
    pub household: Option<String>,
    /// The most columns in a special unique.
    pub special: Option<usize>,
    /// Whether to report risks row by row.
    pub rows: bool,
}

/// Disclosure risk by the known columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DisclosureReport {
    /// Different combinations of known values per row.
    pub distinction: f64,
    /// The share of all pairs of rows that the known columns distinguish.
    pub separation: f64,
    /// k-map: the least number of people of the population who match a row of the table; null
    /// without a table of the population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_map: Option<u64>,
    /// δ-presence: the least and the greatest chance that a person of the population is in the
    /// table; null without a table of the population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence: Option<[f64; 2]>,
    /// How many people are unique in the population, estimated; null without a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population_uniqueness: Option<UniquenessReport>,
    /// Risks by survey weights; null without a column of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub individual: Option<IndividualReport>,
    /// Special uniques, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub special: Option<SpecialReport>,
    /// Risks row by row, if they were asked for: for the owner's eyes only.
    #[serde(skip)]
    pub rows: Vec<RowRisk>,
}

/// Shares of a population that are unique in it, by model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UniquenessReport {
    /// The table's share of the population.
    pub sampling_fraction: f64,
    /// By Pitman's model; null if it has no solution.
    pub pitman: Option<f64>,
    /// By Zayatz's model.
    pub zayatz: f64,
    /// By the slide negative binomial model; null if it has no solution.
    pub snb: Option<f64>,
    /// The estimate that Dankar's rule chooses.
    pub dankar: f64,
    /// The model of that estimate.
    pub by: &'static str,
}

/// Special uniques.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpecialReport {
    /// Minimal sample uniques of one column, of two, and so on.
    pub found: Vec<u64>,
    /// Rows that have one.
    pub rows: usize,
    /// The highest SUDA score.
    pub highest_score: f64,
    /// The DIS-SUDA scores of rows; null without a fraction, and if no two rows are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dis: Option<FoundChances>,
    /// For each column, the share of all scores that comes from sets with it, largest first. Shares
    /// overlap.
    pub columns: Vec<Contribution>,
    /// Like `columns`, but for the values that contribute most.
    pub values: Vec<Contribution>,
}

/// The part of all SUDA scores that comes from a column, or from one of its values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contribution {
    /// The column.
    pub column: String,
    /// The value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// From 0 to 1.
    pub share: f64,
}

/// The risks of a row, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowRisk {
    /// Rows that look alike.
    pub alike: u32,
    /// The individual risk by weights.
    pub individual: Option<f64>,
    /// The household's risk.
    pub household: Option<f64>,
    /// The SUDA score.
    pub suda: Option<f64>,
    /// The DIS-SUDA score.
    pub dis: Option<f64>,
}

/// Returns one risk of a row; none if it was not requested.
pub type RowFigure = fn(&RowRisk) -> Option<f64>;

impl RowRisk {
    /// Returns the figures that were requested, with their names in files and tables.
    pub fn measured(rows: &[Self]) -> Vec<(&'static str, RowFigure)> {
        let figures: [(&str, RowFigure); 4] = [
            ("individual_risk", |row| row.individual),
            ("household_risk", |row| row.household),
            ("suda_score", |row| row.suda),
            ("dis_suda_score", |row| row.dis),
        ];
        let is_there = |figure: &RowFigure| rows.first().is_some_and(|row| figure(row).is_some());
        figures.into_iter().filter(|(_, figure)| is_there(figure)).collect()
    }
}

/// Rows that are alike in all known columns.
fn classes(grouped: &GroupedTable) -> Groups {
    let known = &grouped.roles.quasi_identifiers;
    let columns: Vec<_> = known.iter().map(|&at| column(&grouped.raw, at)).collect();
    let CombinedColumns { ids, first_rows } = combine(&columns, grouped.raw.rows);
    Groups::from_labels(&ids, first_rows.len())
}

/// The reason if the known columns cannot be measured.
fn silence(request: &AuditRequest, target: &AuditTarget, grouped: &GroupedTable) -> Option<Error> {
    let known = &grouped.roles.quasi_identifiers;
    let place = || Location::file(&target.path);
    if known.is_empty() {
        return Some(Error::new(place(), "has no known columns to measure by").help(text!(
            "name them with `--qi`; for a release in the style anatomy, name its `release.csv`"
        )));
    }
    if request.wildcard {
        return Some(
            Error::new(place(), text!("is read with `--wildcard`, so its rows form no classes"))
                .help(text!("leave `--wildcard` out")),
        );
    }
    let sliced = cells::sliced(target, grouped)?;
    let problem = "is sliced: no row has the known values of one person";
    Some(Error::new(place().column(sliced), problem).help("measure the table before it was sliced"))
}

/// Measures the requested risks; `crowds` compares with a table of the population.
pub(super) fn measure(
    request: &AuditRequest,
    target: &AuditTarget,
    grouped: &GroupedTable,
    crowds: Option<&Crowds>,
) -> Result<Option<DisclosureReport>, Error> {
    let asked = &request.disclosure;
    if let Some(silence) = silence(request, target, grouped) {
        let is_asked = asked.sampling_fraction.is_some()
            || asked.weight.is_some()
            || asked.special.is_some()
            || asked.rows;
        return if is_asked { Err(silence) } else { Ok(None) };
    }
    let classes = classes(grouped);
    let sizes: Vec<u32> = classes.iter().map(|members| members.len() as u32).collect();
    let rows = grouped.raw.rows as u64;
    let fraction = fraction(request, target, rows, crowds)?;
    let special = asked.special.map(|most| special(target, grouped, most)).transpose()?;
    let dis = special.as_ref().zip(fraction).and_then(|(own, fraction)| own.dis(fraction));
    let individual = asked
        .weight
        .as_ref()
        .map(|weight| Individual::new(request, target, grouped, &classes, weight))
        .transpose()?;
    let mut report = DisclosureReport {
        distinction: sizes.len() as f64 / rows.max(1) as f64,
        separation: separation(&sizes),
        k_map: crowds.map(Crowds::k_map),
        presence: crowds.map(Crowds::presence),
        population_uniqueness: fraction.map(|fraction: f64| {
            let found = PopulationUniques::new(&sizes, rows as f64 / fraction);
            UniquenessReport {
                sampling_fraction: fraction,
                pitman: found.pitman,
                zayatz: found.zayatz,
                snb: found.snb,
                dankar: found.chosen,
                by: found.by.name(),
            }
        }),
        individual: individual.as_ref().map(|own| own.report.clone()),
        special: special
            .as_ref()
            .map(|own| SpecialReport::new(own, dis.as_deref(), request.risk_threshold, grouped)),
        rows: Vec::new(),
    };
    if asked.rows {
        let mut alike = vec![0; grouped.raw.rows];
        for members in classes.iter() {
            let size = members.len() as u32;
            members.iter().for_each(|&row| alike[row as usize] = size);
        }
        report.rows = alike
            .iter()
            .enumerate()
            .map(|(row, &alike)| {
                let individual = individual.as_ref();
                RowRisk {
                    alike,
                    individual: individual.map(|own| own.risks[row]),
                    household: individual.and_then(|own| Some(own.households.as_ref()?[row])),
                    suda: special.as_ref().map(|own| own.scores[row]),
                    dis: dis.as_ref().map(|dis| dis[row]),
                }
            })
            .collect();
    }
    Ok(Some(report))
}

/// Returns the table's share of the population, if it was given.
fn fraction(
    request: &AuditRequest,
    target: &AuditTarget,
    rows: u64,
    crowds: Option<&Crowds>,
) -> Result<Option<f64>, Error> {
    use super::Population::People;
    let people = match (&request.population, crowds) {
        (Some(People(people)), _) => Some(*people),
        (_, crowds) => crowds.map(|crowds| crowds.people),
    };
    let of_people = people.map(|people| (rows as f64 / people.max(1) as f64).min(1.0));
    match (request.disclosure.sampling_fraction, of_people) {
        (Some(_), Some(_)) => Err(Error::new(
            Location::file(&target.path),
            text!("has its population given twice: `--population` and `--sampling-fraction`"),
        )
        .help("leave one of them out")),
        (said, found) => Ok(said.or(found)),
    }
}

fn special(
    target: &AuditTarget,
    grouped: &GroupedTable,
    most: usize,
) -> Result<SpecialUniques, Error> {
    let known = &grouped.roles.quasi_identifiers;
    let (mut sets, mut of_size) = (0usize, 1usize);
    for size in 1..=most.min(known.len()) {
        of_size = of_size.saturating_mul(known.len() + 1 - size) / size;
        sets = sets.saturating_add(of_size);
    }
    if sets > MOST_SETS {
        let problem = text!(
            "has {sets} sets of up to {most} of its {} known columns; at most {MOST_SETS} can be examined",
            known.len()
        );
        return Err(Error::new(Location::file(&target.path), problem)
            .help(text!("ask for smaller sets with `--suda`, or name fewer columns with `--qi`")));
    }
    let columns: Vec<_> = known.iter().map(|&at| column(&grouped.raw, at)).collect();
    Ok(SpecialUniques::new(&columns, grouped.raw.rows, most))
}

impl SpecialReport {
    fn new(
        found: &SpecialUniques,
        dis: Option<&[f64]>,
        threshold: f64,
        grouped: &GroupedTable,
    ) -> Self {
        let columns: Vec<&RawColumn> =
            grouped.roles.quasi_identifiers.iter().map(|&at| &grouped.raw.columns[at]).collect();
        let named = |at: usize, code: Option<usize>, share: f64| Contribution {
            column: columns[at].name.clone(),
            value: code.map(|code| columns[at].values.get(code as u32).to_owned()),
            share,
        };
        let of_columns =
            found.columns.iter().enumerate().map(|(at, &share)| named(at, None, share));
        let of_values = found.values.iter().enumerate().flat_map(|(at, shares)| {
            shares
                .iter()
                .enumerate()
                .filter(|(_, share)| **share > 0.0)
                .map(move |(code, &share)| (at, code, share))
        });
        let by_share = |a: &f64, b: &f64| b.total_cmp(a);
        let mut of_columns: Vec<Contribution> = of_columns.collect();
        of_columns.sort_by(|a, b| by_share(&a.share, &b.share));
        let mut of_values: Vec<(usize, usize, f64)> = of_values.collect();
        of_values.sort_by(|a, b| by_share(&a.2, &b.2));
        of_values.truncate(MOST_VALUES);
        let values = of_values.into_iter();
        Self {
            found: found.found.clone(),
            rows: found.scores.iter().filter(|score| **score > 0.0).count(),
            highest_score: found.scores.iter().copied().fold(0.0, f64::max),
            dis: dis.map(|dis| chances(of_rows(dis, threshold))),
            columns: of_columns,
            values: values.map(|(at, code, share)| named(at, Some(code), share)).collect(),
        }
    }
}
