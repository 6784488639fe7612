//! All multisets up to a number of people.

use super::{Arguments, Figures, explain, scenario};
use crate::Outcome;
use crate::commands::print_json;
use crate::table::{Table, thousands};
use openveil::algorithm::Algorithm;
use openveil::model::Model;
use openveil::verify::{Scenario, histograms, verify};
use openveil_io::Error;

/// What was found over all multisets of one size.
#[derive(serde::Serialize)]
struct SizeReport {
    rows: u32,
    multisets: usize,
    #[serde(flatten)]
    figures: Figures,
}

/// Walks all multisets of up to `rows` people that the model allows.
pub(super) fn run(
    algorithm: &'static dyn Algorithm,
    model: &Model,
    rows: u32,
    arguments: &Arguments,
) -> Result<Outcome, Error> {
    let mut sizes: Vec<SizeReport> = Vec::new();
    for rows in 1..=rows {
        sizes.extend(size(algorithm, model, rows, arguments)?);
    }
    let safe = sizes.iter().all(|size| size.figures.unsafe_releases == 0);
    if arguments.json {
        print_json(&sizes)?;
    } else {
        let name = algorithm.name();
        match safe {
            true => say!("`{name}` is safe on every multiset of up to {rows} people: {model}.\n"),
            false => say!(
                "`{name}` gives people away on some multisets of up to {rows} people: {model}.\n"
            ),
        }
        say_on!("{}", table(&sizes).render());
    }
    Ok(match safe {
        true => Outcome::Done,
        false => Outcome::PromiseBroken,
    })
}

/// All multisets of one size; none if the model allows no multiset of that size.
fn size(
    algorithm: &'static dyn Algorithm,
    model: &Model,
    rows: u32,
    arguments: &Arguments,
) -> Result<Option<SizeReport>, Error> {
    let scenario_of = |counts: Vec<u32>| {
        let values: Vec<String> = (1u32..)
            .zip(counts)
            .flat_map(|(value, count)| vec![value.to_string(); count as usize])
            .collect();
        scenario(arguments, &values, model)
    };
    let all = histograms(rows).into_iter().map(scenario_of);
    let all = all.collect::<Result<Vec<Scenario>, Error>>()?;
    let allowed = |scenario: &Scenario| algorithm.check(scenario.table(), model).is_ok();
    let multisets: Vec<Scenario> = all.into_iter().filter(allowed).collect();
    let figures = |scenario: &Scenario| {
        let found = verify(algorithm, scenario).map_err(|cause| explain(scenario, cause))?;
        Ok::<Figures, Error>(Figures::of(&found))
    };
    let mut total: Option<Figures> = None;
    for scenario in &multisets {
        let figures = figures(scenario)?;
        total = Some(match total {
            Some(total) => total.and(figures),
            None => figures,
        });
    }
    Ok(total.map(|figures| SizeReport {
        rows,
        multisets: multisets.len(),
        figures,
    }))
}

fn table(sizes: &[SizeReport]) -> Table {
    let mut table = Table::new([
        "people",
        "multisets",
        "tables",
        "releases",
        "unsafe releases",
        "unsafe tables",
        "certain tables",
        "highest posterior",
    ]);
    for SizeReport {
        rows,
        multisets,
        figures,
    } in sizes
    {
        table.row([
            rows.to_string(),
            thousands(*multisets as u128),
            thousands(figures.tables),
            thousands(figures.releases),
            thousands(figures.unsafe_releases),
            thousands(figures.unsafe_tables),
            thousands(figures.certain_tables),
            figures.max_posterior.to_string(),
        ]);
    }
    table
}
