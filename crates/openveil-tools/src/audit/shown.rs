//! The text form of an audit: the tables and sentences that the command prints and the page shows.

use super::report::{ClassReport, FoundChances, RiskReport};
use super::{
    AuditReport, ColumnReport, Contribution, DisclosureReport, IndividualReport, SpecialReport,
    UniquenessReport,
};
use openveil_io::printable;
use openveil_reader::report::{counted, thousands};

/// Rows of cells, the header first.
pub type ShownTable = Vec<Vec<String>>;

/// A part of a report: a table, or a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A table.
    Table(ShownTable),
    /// A sentence.
    Words(String),
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
            None => (counted(self.k, "row"), "rows"),
            Some(_) if self.k == 1 => ("1 person".to_owned(), "people"),
            Some(_) => (format!("{} people", thousands(self.k)), "people"),
        };
        let alone = percent(self.uniqueness);
        say(
            &mut parts,
            format!(
                "The smallest group has {smallest}; {alone} % of the {all} are alone in their group."
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

fn say(parts: &mut Vec<Part>, words: String) {
    parts.push(Part::Words(words));
}

fn row<const N: usize>(cells: [impl Into<String>; N]) -> Vec<String> {
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
    let names = columns.iter().map(|(name, _)| name.clone());
    let mut table = vec![std::iter::once("worst group".to_owned()).chain(names).collect()];
    for (position, label) in labels.enumerate() {
        // Every column has the same rows: they depend only on the request.
        let cells: Vec<String> =
            columns.iter().map(|(_, column)| rows(column).swap_remove(position).1).collect();
        // Leaves out measures that need categories, an order or a tree, if these are missing.
        if cells.iter().any(|cell| cell != "-") {
            table.push(std::iter::once(label).chain(cells).collect());
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
        ("different values (distinct l)".to_owned(), thousands(column.l_distinct)),
        ("entropy l".to_owned(), decimal(column.l_entropy)),
        ("ratio l (1 / highest share)".to_owned(), column.l_ratio_exact.clone()),
        ("highest share (α)".to_owned(), decimal(column.alpha)),
    ];
    for (l, c) in &column.recursive {
        let key = format!("recursive.{l}");
        rows.push((format!("recursive, l = {l}: c above"), number(&key, *c)));
    }
    let named = [
        ("t, all values equally far", "t_equal", Some(column.t_equal)),
        ("t, in order", "t_ordered", column.t_ordered),
        ("t, in the hierarchy", "t_hierarchical", column.t_hierarchical),
        ("β, basic", "beta_basic", Some(column.beta_basic)),
        ("β, enhanced", "beta_enhanced", column.beta_enhanced),
        ("δ above", "delta", column.delta),
    ];
    rows.extend(named.map(|(label, key, value)| (label.to_owned(), number(key, value))));
    let kinds = column.l_alpha.as_ref();
    let of_kinds = |value: Option<f64>| number("l_alpha", value);
    rows.push(("(l, α): least total weight".to_owned(), of_kinds(kinds.map(|k| k.alpha))));
    rows.push(("(l, α): entropy l".to_owned(), of_kinds(kinds.map(|k| k.entropy))));
    for l in column.recursive.keys() {
        let c = kinds.and_then(|kinds| kinds.recursive.get(l).copied().flatten());
        let key = format!("l_alpha.recursive.{l}");
        rows.push((format!("(l, α): recursive, l = {l}: c above"), number(&key, c)));
    }
    let exempt =
        column.exempt.as_ref().map_or("-".to_owned(), |exempt| thousands(exempt.rows as u128));
    rows.push(("rows in groups with exempt values only".to_owned(), exempt));
    let similar = column.similarity_rows.map_or("-".to_owned(), thousands);
    rows.push(("rows in groups with one category only".to_owned(), similar));
    rows
}

/// A row of chances of being found.
fn chances(name: &str, chances: &FoundChances) -> Vec<String> {
    let shares = [chances.highest, chances.average, chances.records_at_risk];
    let [highest, average, at_risk] = shares.map(|share| format!("{} %", percent(share)));
    vec![name.to_owned(), highest, average, at_risk]
}

fn risks(risk: &RiskReport) -> ShownTable {
    let at_risk = format!("rows above {}", risk.threshold);
    let mut table = vec![row(["chance of being found", "highest", "average", &at_risk])];
    table.push(chances("prosecutor", &risk.prosecutor));
    if let Some(journalist) = &risk.journalist {
        table.push(chances("journalist", journalist));
    }
    let marketer = format!("{} %", percent(risk.marketer));
    table.push(row(["marketer", "-", &marketer, "-"]));
    table
}

/// Adds the classes of rows that look alike, for numbered groups.
fn add_by_cells(parts: &mut Vec<Part>, cells: &ClassReport) {
    say(
        parts,
        format!(
            "By equal cells of {}: {}, the smallest with {}; {} % of the rows are alone.",
            quoted(&cells.columns),
            counted(cells.groups as u128, "group"),
            counted(cells.k, "row"),
            percent(cells.uniqueness)
        ),
    );
    if let Some(mixed) = cells.mixed_groups.filter(|mixed| *mixed > 0) {
        let mixed = counted(mixed as u128, "numbered group");
        say(
            parts,
            format!("In {mixed}, rows have different cells, so readers can tell them apart."),
        );
    }
}

fn add_disclosure(parts: &mut Vec<Part>, report: &DisclosureReport) {
    say(
        parts,
        format!(
            "The known columns distinguish {} % of all pairs of rows.",
            percent(report.separation)
        ),
    );
    if let (Some(k), Some([least, most])) = (report.k_map, report.presence) {
        say(
            parts,
            format!(
                "k-map: each row matches at least {} of the population. δ-presence: a matching person of the population is in the table with a chance from {} to {} %.",
                counted(k, "person").replace("persons", "people"),
                percent(least),
                percent(most)
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
    let fraction = decimal(100.0 * report.sampling_fraction);
    let mut table = vec![row(["population uniqueness, estimated", "share of the population"])];
    let share = |share: Option<f64>| {
        share.map_or("no solution".to_owned(), |share| format!("{} %", percent(share)))
    };
    table.push(row(["Pitman".to_owned(), share(report.pitman)]));
    table.push(row(["Zayatz".to_owned(), share(Some(report.zayatz))]));
    table.push(row(["slide negative binomial".to_owned(), share(report.snb)]));
    let by = format!("Dankar's rule (here: {})", report.by);
    table.push(row([by, share(Some(report.dankar))]));
    parts.push(Part::Table(table));
    say(
        parts,
        format!(
            "The table is treated as a simple random sample of {fraction} % of the population."
        ),
    );
}

fn add_individual(parts: &mut Vec<Part>, report: &IndividualReport) {
    let by = printable(&report.weight);
    let found = decimal(report.expected);
    let mut table =
        vec![row(["chance of being found, by weights", "highest", "average", "rows above"])];
    table.push(chances("a row's person", &report.chances));
    if let Some(households) = &report.households {
        table.push(chances("somebody of the household", households));
    }
    parts.push(Part::Table(table));
    say(parts, format!("Weights are from `{by}`; {found} rows are expected to be found."));
    if report.underweight > 0 {
        let rows = counted(report.underweight, "row");
        say(
            parts,
            format!(
                "{rows} match rows whose weights sum to less than their number; the number is used instead."
            ),
        );
    }
}

fn add_special(parts: &mut Vec<Part>, report: &SpecialReport) {
    let sizes = (1..)
        .zip(&report.found)
        .map(|(size, found)| format!("{found} of {}", counted(size as u32, "column")));
    let rows = counted(report.rows as u128, "row");
    say(
        parts,
        format!(
            "SUDA2: {rows} with minimal sample uniques ({}); the highest score is {}.",
            sizes.collect::<Vec<_>>().join(", "),
            decimal(report.highest_score)
        ),
    );
    if let Some(dis) = &report.dis {
        say(
            parts,
            format!(
                "DIS-SUDA: the highest is {} %, {} % of the rows are above the threshold.",
                percent(dis.highest),
                percent(dis.records_at_risk)
            ),
        );
    }
    if report.rows == 0 {
        return;
    }
    let mut table = vec![row(["share in all SUDA scores", "share"])];
    for Contribution { column, value, share } in report.columns.iter().chain(&report.values) {
        let name = match value {
            None => column.clone(),
            Some(value) if value.is_empty() => format!("{column} is empty"),
            Some(value) => format!("{column} = {value}"),
        };
        table.push(row([name, format!("{} %", percent(*share))]));
    }
    parts.push(Part::Table(table));
}

/// Returns the classes of rows that are alike in some of the known columns.
fn subsets(subsets: &[ClassReport]) -> ShownTable {
    let mut table =
        vec![row(["known columns", "groups", "smallest", "rows alone", "pairs distinguished"])];
    for subset in subsets {
        table.push(row([
            subset.columns.join(", "),
            thousands(subset.groups as u128),
            thousands(subset.k),
            format!("{} %", percent(subset.uniqueness)),
            subset.separation.map_or("-".to_owned(), |share| format!("{} %", percent(share))),
        ]));
    }
    table
}

/// Formats with up to four decimals, without trailing zeros.
pub fn decimal(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
