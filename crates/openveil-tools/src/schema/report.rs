//! Reports whether a schema satisfies its rules, in words and for programs.

use super::people::Played;
use super::{OneTable, ReaderFound, SchemaFile};
use openveil_core::table::ColumnSet;
use openveil_io::Error;
use openveil_rules::normal_form::{Cause, ColumnLink, Leak, RuleVerdict, check};
use openveil_rules::{Rule, expansion, implying, is_irreducible};
use serde::Serialize;

/// Whether tables satisfy rules.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SchemaReport {
    /// Whether every rule holds: guardian normal form.
    pub normal_form: bool,
    /// Whether no rule is implied by another.
    pub irreducible: bool,
    /// One entry per rule, in their order.
    pub rules: Vec<RuleReport>,
    /// For comparison, the people in one table with several sensitive columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_table: Option<OneTable>,
}

/// Whether tables satisfy one rule, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleReport {
    /// Columns that the reader knows.
    pub given: Vec<String>,
    /// Columns that stay protected; several are protected as a combination.
    pub protect: Vec<String>,
    /// Whether the rule holds.
    pub holds: bool,
    /// The reason that it holds: the text `unreachable`, or the number of the guardian among the
    /// tables, counted from 0.
    pub by: Option<serde_json::Value>,
    /// If it may be violated: the columns on a path from a given column to a protected one.
    pub leak: Option<Vec<String>>,
    /// The link from each column of the path to the next: `tables[0]`, `dependencies[0]`.
    pub leak_over: Option<Vec<String>>,
    /// The reason in words.
    pub why: String,
    /// Other columns that are protected from the same reader, because known dependencies lead from
    /// them to the rule's protected columns. They are protected if the rule holds.
    pub implies: Vec<Vec<String>>,
    /// The number of another rule that implies this one, counted from 0.
    pub implied_by: Option<usize>,
    /// The conclusions of the rule's reader about the schema's people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderFound>,
}

impl SchemaReport {
    pub(super) fn new(file: &SchemaFile) -> Result<Self, Error> {
        let report = check(&file.schema, &file.rules, &file.dependencies);
        let played = Played::read(file)?;
        let rules = file.rules.iter().zip(report.verdicts()).enumerate();
        let rules = rules.map(|(number, (&rule, verdict))| {
            let reader = played.as_ref().map(|played| played.reader(rule)).transpose()?;
            Ok(RuleReport { reader, ..entry(file, number, rule, verdict) })
        });
        Ok(Self {
            normal_form: report.normal_form(),
            irreducible: is_irreducible(&file.rules),
            rules: rules.collect::<Result<_, Error>>()?,
            one_table: played.as_ref().map(Played::one_table).transpose()?,
        })
    }
}

fn entry(file: &SchemaFile, number: usize, rule: Rule, verdict: &RuleVerdict) -> RuleReport {
    let (by, leak) = match verdict {
        RuleVerdict::Unreachable { .. } => (Some("unreachable".into()), None),
        RuleVerdict::Guarded { table } => (Some((*table).into()), None),
        RuleVerdict::Leaks(leak) => (None, Some(leak)),
    };
    // The limit was checked when the file was read.
    let derived = expansion(rule, &file.dependencies, usize::MAX).unwrap_or_default();
    RuleReport {
        given: names(file, rule.given()),
        protect: names(file, rule.protect()),
        holds: verdict.holds(),
        by,
        leak: leak.map(|leak| leak.path.columns().iter().map(|&c| name(file, c)).collect()),
        leak_over: leak.map(|leak| leak.path.hops.iter().map(|hop| over(hop.over)).collect()),
        why: why(file, verdict),
        implies: derived.iter().map(|rule| names(file, rule.protect())).collect(),
        implied_by: implying(&file.rules, number),
        reader: None,
    }
}

fn name(file: &SchemaFile, column: usize) -> String {
    file.columns.name(column).to_owned()
}

fn names(file: &SchemaFile, columns: ColumnSet) -> Vec<String> {
    columns.iter().map(|column| name(file, column)).collect()
}

fn over(link: ColumnLink) -> String {
    match link {
        ColumnLink::Table(table) => format!("tables[{table}]"),
        ColumnLink::Dependency(dependency) => format!("dependencies[{dependency}]"),
    }
}

/// `tables[1] (age, race)`
fn table(file: &SchemaFile, table: usize) -> String {
    let columns = file.schema.tables()[table].columns();
    format!("tables[{table}] ({})", names(file, columns).join(", "))
}

fn why(file: &SchemaFile, verdict: &RuleVerdict) -> String {
    match verdict {
        RuleVerdict::Unreachable { columns } => format!(
            "nothing published connects the given columns with `{}`; the histogram of that column must satisfy the property",
            names(file, *columns).join("`, `")
        ),
        RuleVerdict::Guarded { table: guardian } => format!(
            "every connection leads through {}, whose anonymisation must satisfy the property",
            table(file, *guardian)
        ),
        RuleVerdict::Leaks(leak) => why_not(file, leak),
    }
}

fn why_not(file: &SchemaFile, leak: &Leak) -> String {
    match leak.cause {
        Cause::Unprotected => "no table enforces anything about the protected columns".to_owned(),
        Cause::WayAround { table: guardian } => {
            format!("a connection leads around {}", table(file, guardian))
        }
        Cause::KnowsMore { table: guardian, columns } => format!(
            "{} does not protect it from a reader who knows `{}`, and a reader can know this",
            table(file, guardian),
            names(file, columns).join("`, `")
        ),
        Cause::Entangled { table: guardian, columns } => format!(
            "{} does not treat `{}` as known, but the other tables show how this goes together with its other columns; let the table protect against all of them",
            table(file, guardian),
            names(file, columns).join("`, `")
        ),
    }
}
