//! Enumerates all multisets and prints the findings as text or JSON.

use super::{VerifyArguments, outcome};
use crate::Outcome;
use crate::commands::print_json;
use crate::table::{TextTable, thousands};
use openveil_io::Error;
use openveil_io::progress::Observer;
use openveil_tools::verify::{Journal, Question, SizeReport};

/// Checks every multiset and returns one report per number of people. Continues from the journal
/// that `--resume` names.
pub(super) fn sizes(
    arguments: &VerifyArguments,
    question: &Question,
    rows: u32,
    observer: &dyn Observer,
) -> Result<Vec<SizeReport>, Error> {
    let crossed = arguments.crossed_with;
    let journal = arguments.resume.as_deref();
    let mut journal = journal.map(|path| Journal::open(path, question, crossed)).transpose()?;
    question.of_multisets(rows, crossed, journal.as_mut(), observer)
}

pub(super) fn print(
    arguments: &VerifyArguments,
    question: &Question,
    rows: u32,
    sizes: &[SizeReport],
) -> Result<Outcome, Error> {
    let safe = sizes.iter().all(|size| size.figures.is_safe());
    let (name, model) = (question.algorithm.name(), &question.model);
    let crossed = arguments.crossed_with.in_words();
    if arguments.json {
        print_json(&sizes)?;
        return Ok(outcome(safe));
    }
    if safe {
        say!("`{name}` is safe on every multiset of up to {rows} people{crossed}: {model}.\n");
    } else {
        say!(
            "`{name}` discloses values on some multisets of up to {rows} people{crossed}: {model}.\n"
        );
    }
    say_on!("{}", table(sizes).render());
    Ok(outcome(safe))
}

fn table(sizes: &[SizeReport]) -> TextTable {
    let informed = sizes.iter().any(|size| size.figures.informed.is_some());
    let head = [
        "people",
        "multisets",
        "tables",
        "releases",
        "unsafe releases",
        "unsafe tables",
        "certain tables",
        "highest posterior",
    ];
    let more: &[&str] = if informed { &["to informed readers"] } else { &[] };
    let mut table = TextTable::new(head.iter().chain(more).copied());
    for SizeReport { rows, multisets, figures } in sizes {
        let mut row = vec![
            rows.to_string(),
            thousands(*multisets as u128),
            thousands(figures.tables),
            thousands(figures.releases),
            thousands(figures.unsafe_releases),
            thousands(figures.unsafe_tables),
            thousands(figures.certain_tables),
            figures.max_posterior.to_string(),
        ];
        let informed = figures.informed.as_ref();
        row.extend(informed.map(|found| found.max_posterior.to_string()));
        table.row(row);
    }
    table
}
