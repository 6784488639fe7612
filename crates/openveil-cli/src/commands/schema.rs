use super::print_json;
use crate::Outcome;
use crate::table::{TextTable, entry};
use openveil_io::Error;
use openveil_tools::schema::{OneTable, ReaderFound, RuleReport, SchemaFile, SchemaReport};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct SchemaArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Check whether several tables together satisfy every rule. Exit code 1 if a rule may be
    /// violated.
    Check(CheckArguments),
}

#[derive(clap::Args)]
struct CheckArguments {
    /// A TOML file with `[[rules]]` and `[[tables]]`.
    schema: PathBuf,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: SchemaArguments) -> Result<Outcome, Error> {
    let Action::Check(arguments) = arguments.action;
    let report = SchemaFile::read(&arguments.schema)?.report()?;
    if arguments.json {
        print_json(&report)?
    } else {
        print_text(&report)
    }
    Ok(if report.normal_form { Outcome::Done } else { Outcome::PromiseBroken })
}

fn print_text(report: &SchemaReport) {
    let broken = report.rules.iter().filter(|rule| !rule.holds).count();
    match broken {
        0 => say!("In guardian normal form: the tables together satisfy every rule."),
        _ => say!(
            "Not in guardian normal form: {broken} of {} rules may be violated.",
            report.rules.len()
        ),
    }
    say!("");
    let mut table = TextTable::new(["rule", "holds", "by"]);
    for rule in &report.rules {
        let holds = if rule.holds { "yes" } else { "NO" };
        table.row([in_words(rule), holds.to_owned(), by(rule)]);
    }
    say_on!("{}", table.render());
    for rule in &report.rules {
        say!("");
        say!("{}", entry("rule", &in_words(rule)));
        say!("{}", entry("why", &rule.why));
        if let Some(leak) = way(rule) {
            say!("{}", entry("leak", &leak));
        }
        for protect in &rule.implies {
            let protect = format!("{} is then protected as well", protect.join(", "));
            say!("{}", entry("implies", &protect));
        }
        if let Some(by) = rule.implied_by {
            say!(
                "{}",
                entry("implied", &format!("rules[{by}] implies it: the set of rules is reducible"))
            );
        }
        if let Some(found) = &rule.reader {
            say!("{}", entry("reader", &reader(rule, found)));
        }
    }
    if let Some(one) = &report.one_table {
        say!("");
        say!("{}", entry("one table", &one_table(one)));
    }
}

fn reader(rule: &RuleReport, found: &ReaderFound) -> String {
    let ReaderFound { people, certain, .. } = found;
    let by = match &found.highest {
        Some(highest) => format!("; the highest chance is {highest}"),
        None => ", by ruling out values one by one".to_owned(),
    };
    let of = match &rule.protect[..] {
        [_] => String::new(),
        several => format!("about combinations of {}, not each alone: ", several.join(", ")),
    };
    format!("{of}certain of {certain} of {people} people{by}")
}

fn one_table(one: &OneTable) -> String {
    let OneTable { sensitive, l, rows, suppressed, timed_out } = one;
    let sensitive = sensitive.join(", ");
    let time = if *timed_out { "; the time ran out, a larger group may exist" } else { "" };
    format!(
        "{rows} rows in a group, {suppressed} suppressed (multi-SA, l = {l}, sensitive: {sensitive}){time}"
    )
}

fn in_words(rule: &RuleReport) -> String {
    format!("{} → {}", rule.given.join(", "), rule.protect.join(", "))
}

fn by(rule: &RuleReport) -> String {
    match &rule.by {
        None => "-".to_owned(),
        Some(serde_json::Value::Number(table)) => format!("tables[{table}]"),
        Some(_) => "unreachable".to_owned(),
    }
}

/// Returns the path of a leak: `gender –tables[0]– hospital –tables[1]– zipcode`. Returns none
/// without a leak.
fn way(rule: &RuleReport) -> Option<String> {
    let (columns, over) = (rule.leak.as_ref()?, rule.leak_over.as_ref()?);
    let mut text = columns.first()?.clone();
    for (over, column) in over.iter().zip(&columns[1..]) {
        text.push_str(&format!(" –{over}– {column}"));
    }
    Some(text)
}
