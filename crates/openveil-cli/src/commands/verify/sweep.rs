//! What was found over all multisets, in text or JSON.

use super::outcome;
use crate::Outcome;
use crate::commands::print_json;
use crate::table::{Table, thousands};
use openveil_io::Error;
use openveil_io::verify::{Question, SizeReport};

pub(super) fn print(
    question: &Question,
    rows: u32,
    sizes: &[SizeReport],
    json: bool,
) -> Result<Outcome, Error> {
    let safe = sizes.iter().all(|size| size.figures.unsafe_releases == 0);
    let (name, model) = (question.algorithm.name(), &question.model);
    if json {
        print_json(&sizes)?;
        return Ok(outcome(safe));
    }
    if safe {
        say!("`{name}` is safe on every multiset of up to {rows} people: {model}.\n");
    } else {
        say!("`{name}` gives people away on some multisets of up to {rows} people: {model}.\n");
    }
    say_on!("{}", table(sizes).render());
    Ok(outcome(safe))
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
