//! Prints the findings for all multisets.

use crate::table::{TextTable, thousands};
use openveil_requests::{SizesFound, Verify};
use openveil_tools::verify::SizeReport;

pub(super) fn print(request: &Verify, found: &SizesFound) {
    let SizesFound { question, sizes } = found;
    let safe = sizes.iter().all(|size| size.figures.is_safe());
    let (name, model) = (question.algorithm.name(), &question.model);
    let (rows, crossed) = (request.rows_up_to.unwrap_or(0), request.crossed_with.in_words());
    if safe {
        say!("`{name}` is safe on every multiset of up to {rows} people{crossed}: {model}.\n");
    } else {
        say!(
            "`{name}` discloses values on some multisets of up to {rows} people{crossed}: {model}.\n"
        );
    }
    say_on!("{}", table(sizes).render());
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
