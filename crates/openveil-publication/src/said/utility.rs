//! Utility of releases, measured with the true values for the owner.

use crate::made::schema::{TablePlan, TablePlans};
use crate::made::table::{Guarded, MadeTable};
use openveil_core::release::Cells;
use openveil_core::release::Content;
use openveil_core::table::View;
use openveil_io::load::Loaded;
use openveil_io::policy::Policy;
use openveil_io::release_dir::write::manifest::QueryError;
use openveil_io::{Error, Location};
use openveil_measures::utility::{QueryKind, Workload};
use openveil_rules::estimate;
use openveil_rules::estimate::{Estimate, EstimateLimits, SparseMarginal, divergence};
use openveil_text::text;

/// The number of queries of each kind.
const QUERIES: usize = 1_000;

/// The numbers of columns that queries on several tables use.
const DIMENSIONS: [usize; 3] = [2, 3, 4];

/// The share of a domain that queries on several tables select (the Versatile publishing paper,
/// section 6).
const SHARE: f64 = 0.4;

/// The measured figures.
#[derive(Debug, Default)]
pub(crate) struct UtilityFigures {
    pub(crate) query_errors: Vec<QueryError>,
    pub(crate) divergence: Option<f64>,
}

/// Returns the errors of count queries. For several tables, they are the errors of the estimate
/// from all tables together, and its distance from the owner's table is returned too.
///
/// # Errors
/// Tables that overlap in a cycle and are too large to be joined.
pub(crate) fn measured(
    policy: &Policy,
    loaded: &Loaded,
    schema: &TablePlans,
    tables: &[MadeTable],
) -> Result<UtilityFigures, Error> {
    match (tables, policy.rules()) {
        (_, None) => Ok(UtilityFigures { query_errors: of_columns(tables), divergence: None }),
        (_, Some(_)) => of_rules(loaded, schema, tables).map_err(|cause| {
            let problem = text!("what the tables say together was not measured: {cause}");
            Error::new(Location::file(&policy.path), problem)
                .help(text!("publish without `--measure`"))
        }),
    }
}

/// Returns the mean error of count queries on each quasi-identifier, on all of them, and on all of
/// them with the sensitive column: with each of several that are protected by themselves.
fn of_columns(tables: &[MadeTable]) -> Vec<QueryError> {
    let guarded = tables.iter().filter_map(|made| match made {
        MadeTable::Guarded(made) => Some(made),
        MadeTable::Open { .. } | MadeTable::Chunked(_) => None,
    });
    let mut errors = Vec::new();
    for (number, made) in guarded.enumerate() {
        let mut own = of_table(&made.view, &made.release);
        let all = own.pop().into_iter().map(|error| QueryError {
            predicate: match tables.len() {
                1 => error.predicate,
                _ => format!("all quasi-identifiers and {}", made.view.secret().name()),
            },
            ..error
        });
        // The known columns are the same for every sensitive one.
        errors.extend(own.into_iter().filter(|_| number == 0));
        errors.extend(all);
    }
    errors
}

/// Returns the mean error of count queries on each quasi-identifier, on all of them, and on all of
/// them with the sensitive column.
fn of_table(table: &View, release: &Content) -> Vec<QueryError> {
    let columns = table.known();
    let all: Vec<usize> = (0..columns.len()).collect();
    let mut kinds: Vec<(String, QueryKind)> = columns
        .iter()
        .enumerate()
        .map(|(axis, c)| (c.name().to_owned(), QueryKind::on([axis])))
        .collect();
    if columns.len() > 1 {
        kinds.push(("all quasi-identifiers".to_owned(), QueryKind::on(&all[..])));
    }
    kinds.push(("all columns".to_owned(), QueryKind::on(all).with_sensitive()));
    kinds
        .into_iter()
        .map(|(predicate, kind): (String, QueryKind)| {
            let workload = Workload::random(table, &kind, QUERIES, 0);
            QueryError { predicate, mean: workload.mean_error(table, release) }
        })
        .collect()
}

/// Measures tables in which all cells are exact.
fn of_rules(
    loaded: &Loaded,
    schema: &TablePlans,
    tables: &[MadeTable],
) -> Result<UtilityFigures, openveil_rules::RulesError> {
    let marginals = tables
        .iter()
        .zip(&schema.tables)
        .map(|(made, plan)| match made {
            MadeTable::Guarded(made) => in_groups(made, plan),
            MadeTable::Open { .. } | MadeTable::Chunked(_) => {
                SparseMarginal::exact(&loaded.table, plan.columns)
            }
        })
        .collect::<Result<Vec<_>, _>>()?;
    let estimate = Estimate::new(&marginals, EstimateLimits::default())?;
    let domains: Vec<u32> =
        loaded.table.columns().iter().map(|column| column.domain().len() as u32).collect();
    let errors = DIMENSIONS.into_iter().filter(|&own| own <= domains.len()).map(|dimension| {
        let kind = (dimension, SHARE);
        let workload = estimate::OwnerQueries::random(&loaded.table, &domains, kind, QUERIES, 0);
        Ok(QueryError {
            predicate: format!("{dimension} columns"),
            mean: workload.errors(&estimate)?.floored,
        })
    });
    Ok(UtilityFigures {
        query_errors: errors.collect::<Result<_, openveil_rules::RulesError>>()?,
        divergence: Some(divergence(&loaded.table, &estimate)?),
    })
}

/// Returns the rows of a table and the values of its groups, as every reader sees them.
fn in_groups(
    made: &Guarded,
    plan: &TablePlan,
) -> Result<SparseMarginal, openveil_rules::RulesError> {
    let guard = plan.guard.as_ref().expect("a table in groups guards");
    let release = &made.release;
    let code = |cells: &Cells, row: usize| match cells {
        Cells::Exact(codes) => codes[row],
        _ => unreachable!("other styles are refused before"),
    };
    let groups = (0..release.group_count()).map(|group| {
        let rows = release.group_rows(group);
        let cells = release.cells();
        let known = rows.map(|row| cells.iter().map(|own| code(own, row)).collect());
        let values = release.value_counts(group).map(|(value, count)| (vec![value], count));
        (known.collect(), values.collect())
    });
    SparseMarginal::from_groups(guard.known, guard.secret, groups)
}
