//! Prints an audit as text.

use crate::table::{TextTable, counted};
use openveil_io::printable;
use openveil_reader::certify::CertifiedRelease;
use openveil_tools::audit::{
    AuditReport, AuditVerdict, FailedGroup, HeldReport, Met, Part, decimal,
};

pub(super) fn print(report: &AuditReport) {
    let by = match &report.grouped_by[..] {
        [] => "which is the whole table".to_owned(),
        columns => format!("by {}", quoted(columns)),
    };
    let rows = counted(report.rows as u128, "row");
    let groups = counted(report.groups as u128, "group");
    say!("{}: {rows} in {groups}, {by}.\n", printable(&report.table));
    let mut after_words = false;
    for part in report.parts() {
        let is_words = matches!(part, Part::Words(_));
        match part {
            Part::Words(words) => say!("  {}", printable(&words.to_string())),
            Part::Table(rows) => {
                if after_words {
                    say!("");
                }
                say!("{}", TextTable::from_rows(&rows).render());
            }
        }
        after_words = is_words;
    }
    if let Some(verdict) = &report.verdict {
        print_verdict(verdict);
    }
    print_demands(&report.demands);
    if let Some(checked) = &report.checked {
        print_checked(checked);
    }
    if let Some(report) = &report.utility {
        super::utility::print(report);
    }
    for own in &report.utility_of_each {
        say!("\n`{}`:", printable(&own.sensitive));
        super::utility::print(own);
    }
    for note in &report.notes {
        note!("note: {}", printable(&note.to_string()));
    }
}

/// Prints the audit of a release of several tables.
pub(super) fn print_held(report: &HeldReport) {
    let rows = counted(report.rows as u128, "row");
    let tables = counted(report.tables as u128, "table");
    let guarded = report.guarded.len();
    say!("{}: {rows} in {tables}, {guarded} of them with groups.", printable(&report.table));
    say!("  Not measured: {}.", report.measures);
    print_checked(&report.checked);
}

fn quoted(columns: &[String]) -> String {
    let quoted: Vec<String> = columns.iter().map(|name| format!("`{}`", printable(name))).collect();
    quoted.join(", ")
}

fn print_demands(demands: &[Met]) {
    for demand in demands {
        let answer = if demand.satisfied { "met" } else { "NOT met" };
        say!(
            "\n  {} of at least {}: {answer}, it is {}.",
            demand.measure,
            demand.least,
            demand.found
        );
    }
}

/// Prints the comparison of a release with its own manifest.
fn print_checked(checked: &CertifiedRelease) {
    match checked.findings.len() {
        0 => say!("\n  The release is as its manifest states, as far as its files show."),
        found => say!(
            "\n  The release is NOT as its manifest states ({}):",
            counted(found as u128, "finding")
        ),
    }
    for finding in &checked.findings {
        say!("    {}", printable(&finding.to_string()));
    }
    for words in &checked.open_to {
        say!("  It is open to {}.", printable(words));
    }
    say!("  Not checked:");
    for words in &checked.not_checked {
        say!("    {}", printable(&words.to_string()));
    }
}

fn print_verdict(verdict: &AuditVerdict) {
    let answer = if verdict.satisfied { "satisfied" } else { "NOT satisfied" };
    say!("\n  {}: {answer}.", verdict.model);
    for requirement in &verdict.requirements {
        if requirement.satisfied {
            continue;
        }
        say!(
            "\n  {} fails in {} with {}.",
            requirement.requirement,
            counted(requirement.groups_failing as u128, "group"),
            counted(requirement.rows_failing, "row")
        );
        if let Some(worst) = &requirement.worst {
            say!("  {}", printable(&explain(worst)));
        }
    }
}

fn explain(failure: &FailedGroup) -> String {
    let number = |value: Option<f64>| value.map_or("∞".to_owned(), decimal);
    let value = match &failure.value {
        Some(value) => format!(" (`{value}`)"),
        None => String::new(),
    };
    format!(
        "Worst group: {} ({}): {}{value} is {}, but the bound is {}.",
        failure.group,
        counted(failure.rows, "row"),
        failure.measure,
        number(failure.found),
        number(failure.bound)
    )
}
