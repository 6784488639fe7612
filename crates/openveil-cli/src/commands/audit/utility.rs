//! Prints the utility of a release as text.

use crate::table::{TextTable, counted, entry, thousands};
use openveil_tools::audit::{QueryReport, UtilityReport};

pub(super) fn print(report: &UtilityReport) {
    let rows = counted(report.rows as u128, "row");
    say!("\nFor the owner only: the release compared with the table of {rows}.\n");
    let bound = thousands(report.dm_lower_bound);
    let dm = format!("{} (no release is below {bound})", thousands(report.dm));
    say!("{}", entry("discernability", &dm));
    say!("{}", entry("group size", &format!("{:.3} × the least", report.cavg)));
    say!("{}", entry("penalty", &format!("{:.3} of the domain per cell", report.ncp)));
    let kl = report.kl.map_or("infinite".to_owned(), |kl| format!("{kl:.3} nats"));
    say!("{}", entry("divergence", &kl));
    let classifier = &report.classifier;
    let accuracy = format!(
        "{:.1} % predicted by the table, {:.1} % by the release",
        100.0 * classifier.trained_on_table,
        100.0 * classifier.trained_on_release
    );
    say!("{}\n", entry("naive Bayes", &accuracy));
    let mut queries = TextTable::new(["queries on", "error", "relative error"]);
    for query in &report.queries {
        let relative = query.relative.map_or("-".to_owned(), |error| format!("{error:.3}"));
        queries.row([asked(query), format!("{:.3}", query.floored), relative]);
    }
    say!("{}", queries.render());
    let mut links =
        TextTable::new(["column", "changed", "association in the table", "in the release"]);
    for link in &report.sensitive_association {
        let name = link.columns.join(" and ");
        let changed = report.margins.get(&name).copied().unwrap_or(0.0);
        links.row([
            name,
            format!("{:.1} %", 100.0 * changed),
            format!("{:.3}", link.table),
            format!("{:.3}", link.release),
        ]);
    }
    say!("{}", links.render());
    let mut pairs = TextTable::new(["known columns", "association in the table", "in the release"]);
    for link in &report.association {
        let (table, release) = (format!("{:.3}", link.table), format!("{:.3}", link.release));
        pairs.row([link.columns.join(" and "), table, release]);
    }
    if !report.association.is_empty() {
        say!("{}", pairs.render());
    }
    note!("note: {}", report.note);
}

/// Describes the columns and rows that a kind of query asks about.
fn asked(query: &QueryReport) -> String {
    let columns = counted(query.dimension as u128, "column");
    let sensitive = if query.with_sensitive { " and the sensitive one" } else { "" };
    let selected = query
        .selectivity
        .map_or(String::new(), |share| format!(" for {} % of the rows", 100.0 * share));
    format!("{columns}{sensitive}{selected}")
}
