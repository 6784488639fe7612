//! An audit for people.

use crate::table::{TextTable, counted, thousands};
use openveil_io::printable;
use openveil_reader::certify::CertifiedRelease;
use openveil_tools::audit::{
    AuditReport, AuditVerdict, ClassReport, ColumnReport, FailedGroup, FoundChances, HeldReport,
    Met, RiskReport,
};

pub(super) fn print(report: &AuditReport) {
    let by = match &report.grouped_by[..] {
        [] => "which is the whole table".to_owned(),
        columns => format!("by {}", quoted(columns)),
    };
    let rows = counted(report.rows as u128, "row");
    let groups = counted(report.groups as u128, "group");
    say!("{}: {rows} in {groups}, {by}.\n", printable(&report.table));
    if let Some(whole) = &report.measures {
        say!("{}", measures(report, whole).render());
    }
    say!("{}", risks(&report.risk).render());
    let (smallest, all) = match report.people {
        None => (counted(report.k, "row"), "rows"),
        Some(_) if report.k == 1 => ("1 person".to_owned(), "people"),
        Some(_) => (format!("{} people", thousands(report.k)), "people"),
    };
    let alone = percent(report.uniqueness);
    say!("  The smallest group has {smallest}; {alone} % of the {all} are alone in theirs.");
    if let Some(cells) = &report.by_cells {
        print_by_cells(cells);
    }
    super::disclosure::print(&report.disclosure);
    if !report.subsets.is_empty() {
        say!("\n{}", subsets(&report.subsets).render());
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
    for note in &report.notes {
        note!("note: {}", printable(note));
    }
}

/// A release of several tables.
pub(super) fn print_held(report: &HeldReport) {
    let rows = counted(report.rows as u128, "row");
    let tables = counted(report.tables as u128, "table");
    let guarded = report.guarded.len();
    say!(
        "{}: {rows} in {tables}, {guarded} of them with groups.",
        printable(&report.table)
    );
    say!("  Not measured, since {}.", report.measures);
    print_checked(&report.checked);
}

fn quoted(columns: &[String]) -> String {
    let quoted = columns.iter().map(|name| format!("`{}`", printable(name)));
    let quoted: Vec<String> = quoted.collect();
    quoted.join(", ")
}

/// One column per sensitive column, then all of them as one.
fn measures(report: &AuditReport, whole: &ColumnReport) -> TextTable {
    let labels = rows(whole).into_iter().map(|(label, _)| label);
    let whole = (report.sensitive.join(" + "), whole);
    let each = report
        .columns
        .iter()
        .map(|(name, column)| (name.clone(), column));
    let columns: Vec<(String, &ColumnReport)> = each.chain([whole]).collect();
    let names = columns.iter().map(|(name, _)| name.clone());
    let mut table = TextTable::new(std::iter::once("worst group".to_owned()).chain(names));
    for (position, label) in labels.enumerate() {
        // Every column has the same rows: they depend on what was asked for.
        let cells = columns.iter().map(|(_, column)| {
            let mut rows = rows(column);
            rows.swap_remove(position).1
        });
        let cells: Vec<String> = cells.collect();
        // Without categories, an order or a tree there is nothing to say.
        if cells.iter().any(|cell| cell != "-") {
            table.row(std::iter::once(label).chain(cells));
        }
    }
    table
}

/// The measures of a column, by name.
fn rows(column: &ColumnReport) -> Vec<(String, String)> {
    let infinite = |key: &str| column.infinite.iter().any(|name| name == key);
    let number = |key: &str, value: Option<f64>| match value {
        Some(value) => decimal(value),
        None if infinite(key) => "∞".to_owned(),
        None => "-".to_owned(),
    };
    let mut rows = vec![
        (
            "different values (distinct l)".to_owned(),
            thousands(column.l_distinct),
        ),
        ("entropy l".to_owned(), decimal(column.l_entropy)),
        (
            "ratio l (1 / highest share)".to_owned(),
            column.l_ratio_exact.clone(),
        ),
        ("highest share (α)".to_owned(), decimal(column.alpha)),
    ];
    for (l, c) in &column.recursive {
        let key = format!("recursive.{l}");
        rows.push((format!("recursive, l = {l}: c above"), number(&key, *c)));
    }
    let named = [
        ("t, all values equally far", "t_equal", Some(column.t_equal)),
        ("t, in order", "t_ordered", column.t_ordered),
        (
            "t, in the hierarchy",
            "t_hierarchical",
            column.t_hierarchical,
        ),
        ("β, basic", "beta_basic", Some(column.beta_basic)),
        ("β, enhanced", "beta_enhanced", column.beta_enhanced),
        ("δ above", "delta", column.delta),
    ];
    rows.extend(named.map(|(label, key, value)| (label.to_owned(), number(key, value))));
    let kinds = column.l_alpha.as_ref();
    let of_kinds = |value: Option<f64>| number("l_alpha", value);
    rows.push((
        "(l, α): least total weight".to_owned(),
        of_kinds(kinds.map(|k| k.alpha)),
    ));
    rows.push((
        "(l, α): entropy l".to_owned(),
        of_kinds(kinds.map(|k| k.entropy)),
    ));
    for l in column.recursive.keys() {
        let c = kinds.and_then(|kinds| kinds.recursive.get(l).copied().flatten());
        let key = format!("l_alpha.recursive.{l}");
        rows.push((
            format!("(l, α): recursive, l = {l}: c above"),
            number(&key, c),
        ));
    }
    let exempt = column
        .exempt
        .as_ref()
        .map_or("-".to_owned(), |exempt| thousands(exempt.rows as u128));
    rows.push(("rows in groups of exempt values only".to_owned(), exempt));
    let similar = column.similarity_rows.map_or("-".to_owned(), thousands);
    rows.push(("rows in groups of one category".to_owned(), similar));
    rows
}

/// A row of chances of being found.
pub(super) fn chances(name: &str, chances: &FoundChances) -> [String; 4] {
    let shares = [chances.highest, chances.average, chances.records_at_risk];
    let [highest, average, at_risk] = shares.map(|share| format!("{} %", percent(share)));
    [name.to_owned(), highest, average, at_risk]
}

fn risks(risk: &RiskReport) -> TextTable {
    let at_risk = format!("rows above {}", risk.threshold);
    let mut table = TextTable::new(["chance of being found", "highest", "average", &at_risk]);
    table.row(chances("prosecutor", &risk.prosecutor));
    if let Some(journalist) = &risk.journalist {
        table.row(chances("journalist", journalist));
    }
    let marketer = format!("{} %", percent(risk.marketer));
    table.row(["marketer", "-", &marketer, "-"]);
    table
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

/// Rows that look alike, beside groups by number.
fn print_by_cells(cells: &ClassReport) {
    say!(
        "  By equal cells of {}: {}, the smallest of {}; {} % of the rows are alone.",
        quoted(&cells.columns),
        counted(cells.groups as u128, "group"),
        counted(cells.k, "row"),
        percent(cells.uniqueness)
    );
    if let Some(mixed) = cells.mixed_groups.filter(|mixed| *mixed > 0) {
        let mixed = counted(mixed as u128, "numbered group");
        say!("  {mixed} with rows of different cells: readers tell them apart.");
    }
}

/// Rows that are alike in some of the known columns.
fn subsets(subsets: &[ClassReport]) -> TextTable {
    let mut table = TextTable::new([
        "known columns",
        "groups",
        "smallest",
        "rows alone",
        "pairs told apart",
    ]);
    for subset in subsets {
        table.row([
            subset.columns.join(", "),
            thousands(subset.groups as u128),
            thousands(subset.k),
            format!("{} %", percent(subset.uniqueness)),
            subset
                .separation
                .map_or("-".to_owned(), |share| format!("{} %", percent(share))),
        ]);
    }
    table
}

/// Whether a release keeps what it says of itself.
fn print_checked(checked: &CertifiedRelease) {
    match checked.findings.len() {
        0 => say!("\n  The release keeps what its manifest says, as far as its files show."),
        found => say!(
            "\n  The release does NOT keep what it says of itself ({}):",
            counted(found as u128, "finding")
        ),
    }
    for finding in &checked.findings {
        say!("    {}", printable(&finding.to_string()));
    }
    say!("  Not checked:");
    for words in &checked.not_checked {
        say!("    {}", printable(words));
    }
}

fn print_verdict(verdict: &AuditVerdict) {
    let answer = if verdict.satisfied {
        "satisfied"
    } else {
        "NOT satisfied"
    };
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
        "Furthest out: {} ({}): {}{value} is {} where the bound is {}.",
        failure.group,
        counted(failure.rows, "row"),
        failure.measure,
        number(failure.found),
        number(failure.bound)
    )
}

/// Up to four decimals, none that say nothing.
pub(super) fn decimal(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
