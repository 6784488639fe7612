//! The text form of an audit: the tables and sentences that the command prints and the page shows.

use super::report::{ClassReport, FoundChances, RiskReport};
use super::{
    AuditReport, ColumnReport, Contribution, DisclosureReport, IndividualReport, SpecialReport,
    UniquenessReport,
};
use openveil_io::printable;
use openveil_reader::report::{GROUPS, PEOPLE, ROWS, ShownTable, counted_in, thousands};
use openveil_text::{Text, text};

/// A part of a report: a table, or a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A table.
    Table(ShownTable),
    /// A sentence.
    Words(Text),
}

impl AuditReport {
    /// Returns the measures, part by part, without the verdict of a policy and the demands.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if let Some(whole) = &self.measures {
            parts.push(Part::Table(measures(self, whole)));
        }
        parts.push(Part::Table(risks(&self.risk)));
        let (smallest, all) = match self.people {
            None => (counted_in(self.k, ROWS), Text::from("rows")),
            Some(_) => (counted_in(self.k, PEOPLE), "people".into()),
        };
        let alone = percent(self.uniqueness);
        say(
            &mut parts,
            text!(
                "The smallest group has {smallest:text}; {alone:text} of the {all:text} are alone in their group."
            ),
        );
        if let Some(cells) = &self.by_cells {
            add_by_cells(&mut parts, cells);
        }
        if let Some(disclosure) = &self.disclosure {
            add_disclosure(&mut parts, disclosure);
        }
        if !self.subsets.is_empty() {
            parts.push(Part::Table(subsets(&self.subsets)));
        }
        parts
    }
}

fn say(parts: &mut Vec<Part>, words: Text) {
    parts.push(Part::Words(words));
}

fn row<const N: usize>(cells: [&'static str; N]) -> Vec<Text> {
    cells.map(Into::into).to_vec()
}

fn quoted(columns: &[String]) -> String {
    let quoted: Vec<String> = columns.iter().map(|name| format!("`{}`", printable(name))).collect();
    quoted.join(", ")
}

/// Returns a table with a column for each sensitive column, then for all of them as one.
fn measures(report: &AuditReport, whole: &ColumnReport) -> ShownTable {
    let labels = rows(whole).into_iter().map(|(label, _)| label);
    let whole = (report.sensitive.join(" + "), whole);
    let columns: Vec<(String, &ColumnReport)> =
        report.columns.iter().map(|(name, column)| (name.clone(), column)).chain([whole]).collect();
    let names = columns.iter().map(|(name, _)| name.clone().into());
    let mut table = vec![std::iter::once("worst group".into()).chain(names).collect()];
    for (position, label) in labels.enumerate() {
        // Every column has the same rows: they depend only on the request.
        let cells: Vec<Text> =
            columns.iter().map(|(_, column)| rows(column).swap_remove(position).1).collect();
        // Leaves out measures that need categories, an order or a tree, if these are missing.
        if cells.iter().any(|cell| *cell != Text::from("-")) {
            table.push(std::iter::once(label).chain(cells).collect());
        }
    }
    table
}

/// The measures of a column, by name.
fn rows(column: &ColumnReport) -> Vec<(Text, Text)> {
    let infinite = |key: &str| column.infinite.iter().any(|name| name == key);
    let number = |key: &str, value: Option<f64>| match value {
        Some(value) => shown(value),
        None if infinite(key) => "∞".into(),
        None => "-".into(),
    };
    let mut rows = vec![
        (text!("different values (distinct l)"), whole(column.l_distinct as u128)),
        (text!("entropy l"), shown(column.l_entropy)),
        (text!("ratio l (1 / highest share)"), column.l_ratio_exact.clone().into()),
        (text!("highest share (α)"), shown(column.alpha)),
    ];
    for (l, c) in &column.recursive {
        let key = format!("recursive.{l}");
        rows.push((text!("recursive, l = {l}: c above"), number(&key, *c)));
    }
    let named = [
        ("t, all values equally far", "t_equal", Some(column.t_equal)),
        ("t, in order", "t_ordered", column.t_ordered),
        ("t, in the hierarchy", "t_hierarchical", column.t_hierarchical),
        ("β, basic", "beta_basic", Some(column.beta_basic)),
        ("β, enhanced", "beta_enhanced", column.beta_enhanced),
        ("δ above", "delta", column.delta),
    ];
    rows.extend(named.map(|(label, key, value)| (label.into(), number(key, value))));
    let kinds = column.l_alpha.as_ref();
    let of_kinds = |value: Option<f64>| number("l_alpha", value);
    rows.push((text!("(l, α): least total weight"), of_kinds(kinds.map(|k| k.alpha))));
    rows.push((text!("(l, α): entropy l"), of_kinds(kinds.map(|k| k.entropy))));
    for l in column.recursive.keys() {
        let c = kinds.and_then(|kinds| kinds.recursive.get(l).copied().flatten());
        let key = format!("l_alpha.recursive.{l}");
        rows.push((text!("(l, α): recursive, l = {l}: c above"), number(&key, c)));
    }
    let exempt =
        column.exempt.as_ref().map_or_else(|| "-".into(), |exempt| whole(exempt.rows as u128));
    rows.push((text!("rows in groups with exempt values only"), exempt));
    let similar = column.similarity_rows.map_or_else(|| "-".into(), |rows| whole(rows as u128));
    rows.push((text!("rows in groups with one category only"), similar));
    rows
}

/// A row of chances of being found.
fn chances(name: &'static str, chances: &FoundChances) -> Vec<Text> {
    let shares = [chances.highest, chances.average, chances.records_at_risk];
    let [highest, average, at_risk] = shares.map(percent);
    vec![name.into(), highest, average, at_risk]
}

fn risks(risk: &RiskReport) -> ShownTable {
    let mut head = row(["chance of being found", "highest", "average"]);
    head.push(text!("rows above {}", risk.threshold));
    let mut table = vec![head];
    table.push(chances("prosecutor", &risk.prosecutor));
    if let Some(journalist) = &risk.journalist {
        table.push(chances("journalist", journalist));
    }
    table.push(vec!["marketer".into(), "-".into(), percent(risk.marketer), "-".into()]);
    table
}

/// Adds the classes of rows that look alike, for numbered groups.
fn add_by_cells(parts: &mut Vec<Part>, cells: &ClassReport) {
    let (columns, groups) = (quoted(&cells.columns), counted_in(cells.groups as u128, GROUPS));
    let (smallest, alone) = (counted_in(cells.k, ROWS), percent(cells.uniqueness));
    say(
        parts,
        text!(
            "By equal cells of {columns}: {groups:text}, the smallest with {smallest:text}; {alone:text} of the rows are alone."
        ),
    );
    if let Some(mixed) = cells.mixed_groups.filter(|mixed| *mixed > 0) {
        let words = ["1 numbered group", "{0:text} numbered groups"];
        let mixed = counted_in(mixed as u128, words);
        say(
            parts,
            text!("In {mixed:text}, rows have different cells, so readers can tell them apart."),
        );
    }
}

fn add_disclosure(parts: &mut Vec<Part>, report: &DisclosureReport) {
    let separation = percent(report.separation);
    say(parts, text!("The known columns distinguish {separation:text} of all pairs of rows."));
    if let (Some(k), Some([least, most])) = (report.k_map, report.presence) {
        let k = counted_in(k, PEOPLE);
        let (least, most) = (Text::number(hundredths(least)), percent(most));
        say(
            parts,
            text!(
                "k-map: each row matches at least {k:text} of the population. δ-presence: a matching person of the population is in the table with a chance from {least:text} to {most:text}."
            ),
        );
    }
    if let Some(uniqueness) = &report.population_uniqueness {
        add_uniqueness(parts, uniqueness);
    }
    if let Some(individual) = &report.individual {
        add_individual(parts, individual);
    }
    if let Some(special) = &report.special {
        add_special(parts, special);
    }
}

fn add_uniqueness(parts: &mut Vec<Part>, report: &UniquenessReport) {
    let fraction = shown(100.0 * report.sampling_fraction);
    let mut table = vec![row(["population uniqueness, estimated", "share of the population"])];
    let share = |share: Option<f64>| share.map_or_else(|| "no solution".into(), percent);
    table.push(vec!["Pitman".into(), share(report.pitman)]);
    table.push(vec!["Zayatz".into(), share(Some(report.zayatz))]);
    table.push(vec!["slide negative binomial".into(), share(report.snb)]);
    let by = text!("Dankar's rule (here: {})", report.by);
    table.push(vec![by, share(Some(report.dankar))]);
    parts.push(Part::Table(table));
    say(
        parts,
        text!(
            "The table is treated as a simple random sample of {fraction:text} % of the population."
        ),
    );
}

fn add_individual(parts: &mut Vec<Part>, report: &IndividualReport) {
    let by = printable(&report.weight);
    let found = shown(report.expected);
    let mut table =
        vec![row(["chance of being found, by weights", "highest", "average", "rows above"])];
    table.push(chances("a row's person", &report.chances));
    if let Some(households) = &report.households {
        table.push(chances("somebody of the household", households));
    }
    parts.push(Part::Table(table));
    say(parts, text!("Weights are from `{by}`; {found:text} rows are expected to be found."));
    if report.underweight > 0 {
        let rows = counted_in(report.underweight, ROWS);
        say(
            parts,
            text!(
                "{rows:text} match rows whose weights sum to less than their number; the number is used instead."
            ),
        );
    }
}

fn add_special(parts: &mut Vec<Part>, report: &SpecialReport) {
    let sizes = (1..)
        .zip(&report.found)
        .map(|(size, found)| {
            let columns = counted_in(size as u32, ["1 column", "{0:text} columns"]);
            text!("{found} of {columns:text}")
        })
        .reduce(|all, next| text!("{all:text}, {next:text}"))
        .unwrap_or_default();
    let (rows, highest) = (counted_in(report.rows as u128, ROWS), shown(report.highest_score));
    say(
        parts,
        text!(
            "SUDA2: {rows:text} with minimal sample uniques ({sizes:text}); the highest score is {highest:text}."
        ),
    );
    if let Some(dis) = &report.dis {
        let (highest, at_risk) = (percent(dis.highest), percent(dis.records_at_risk));
        say(
            parts,
            text!(
                "DIS-SUDA: the highest is {highest:text}, {at_risk:text} of the rows are above the threshold."
            ),
        );
    }
    if report.rows == 0 {
        return;
    }
    let mut table = vec![row(["share in all SUDA scores", "share"])];
    for Contribution { column, value, share } in report.columns.iter().chain(&report.values) {
        let name = match value {
            None => column.clone().into(),
            Some(value) if value.is_empty() => text!("{column} is empty"),
            Some(value) => format!("{column} = {value}").into(),
        };
        table.push(vec![name, percent(*share)]);
    }
    parts.push(Part::Table(table));
}

/// Returns the classes of rows that are alike in some of the known columns.
fn subsets(subsets: &[ClassReport]) -> ShownTable {
    let mut table =
        vec![row(["known columns", "groups", "smallest", "rows alone", "pairs distinguished"])];
    for subset in subsets {
        table.push(vec![
            subset.columns.join(", ").into(),
            whole(subset.groups as u128),
            whole(subset.k as u128),
            percent(subset.uniqueness),
            subset.separation.map_or_else(|| "-".into(), percent),
        ]);
    }
    table
}

/// Formats with up to four decimals, without trailing zeros.
pub fn decimal(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn shown(value: f64) -> Text {
    Text::number(decimal(value))
}

fn whole(number: u128) -> Text {
    Text::number(thousands(number))
}

fn hundredths(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

fn percent(share: f64) -> Text {
    Text::number(format!("{} %", hundredths(share)))
}
