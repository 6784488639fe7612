mod strategy;
mod sweep;

use super::print_json;
use crate::Outcome;
use crate::table::{Table, thousands};
use openveil::algorithm::Algorithm;
use openveil::exact::Fraction;
use openveil::model::{Ineligible, Model, RatioDiversity};
use openveil::verify::{
    Counterexample, Limits, Observation, Scenario, Verification, Visibility, verify,
};
use openveil_io::{Error, Location, policy};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The algorithm to check.
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// The sensitive values of all people: 1,1,2,2,3,3
    #[arg(
        long,
        value_delimiter = ',',
        required_unless_present = "rows_up_to",
        value_name = "VALUES"
    )]
    sensitive: Vec<String>,
    /// Check every multiset of up to N people that the model allows, instead of one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12),
        conflicts_with_all = ["sensitive", "qi"])]
    rows_up_to: Option<u32>,
    /// Check ratio l-diversity with this parameter.
    #[arg(long, value_name = "L", required_unless_present = "privacy")]
    l: Option<u32>,
    /// Check another privacy model, written as in a policy: 'model = "l-diversity",
    /// variant = "entropy", l = 3'.
    #[arg(long, value_name = "MODEL", conflicts_with = "l")]
    privacy: Option<String>,
    /// Quasi-identifiers by person, columns separated by `;`: 0,0,1,1;5,6,5,6.
    /// Without it, people differ in one column with the ranks 0, 1, 2, …
    #[arg(long, value_name = "LAYOUT")]
    qi: Option<String>,
    /// For `naive`, `safe` and `k-jump`: choose among these functions instead of
    /// dividing people into blocks, the best first, and report silence as well.
    /// "0 1|2 3; 0 1 2 3": pairs, then everybody.
    #[arg(long, value_name = "FUNCTIONS", conflicts_with_all = ["rows_up_to", "qi", "cells_only"])]
    functions: Option<String>,
    /// For `k-jump` with `--functions`: how many functions to jump when one fails,
    /// by function; 1 everywhere unless given.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "VECTOR",
        requires = "functions"
    )]
    jump: Vec<u32>,
    /// Suppose the reader sees only the released cells, not who is in which
    /// group.
    #[arg(long)]
    cells_only: bool,
    /// How many tables may be enumerated.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    limit: u64,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Report {
    algorithm: &'static str,
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    l: Option<u32>,
    #[serde(flatten)]
    figures: Figures,
    safe: bool,
    counterexample: Option<Example>,
}

/// The figures of one or several verifications.
#[derive(serde::Serialize)]
struct Figures {
    tables: u64,
    releases: u64,
    unsafe_releases: u64,
    unsafe_tables: u64,
    certain_tables: u64,
    #[serde(serialize_with = "as_text")]
    max_posterior: Fraction,
}

fn as_text<S: serde::Serializer>(fraction: &Fraction, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(fraction)
}

impl Figures {
    fn of(found: &Verification) -> Self {
        Self {
            tables: found.tables,
            releases: found.releases,
            unsafe_releases: found.unsafe_releases,
            unsafe_tables: found.unsafe_tables,
            certain_tables: found.certain_tables,
            max_posterior: found.max_posterior.clone(),
        }
    }

    /// The figures of both together.
    fn and(self, other: Self) -> Self {
        Self {
            tables: self.tables + other.tables,
            releases: self.releases + other.releases,
            unsafe_releases: self.unsafe_releases + other.unsafe_releases,
            unsafe_tables: self.unsafe_tables + other.unsafe_tables,
            certain_tables: self.certain_tables + other.certain_tables,
            max_posterior: self.max_posterior.max(other.max_posterior),
        }
    }
}

#[derive(serde::Serialize)]
struct Example {
    table: Vec<String>,
    groups: Vec<(Vec<u32>, Vec<String>)>,
    surviving_tables: u64,
    person: u32,
    value: String,
    posterior: String,
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    let plain = |cause: openveil::Error| Error::new(Location::default(), cause.to_string());
    let algorithm = policy::algorithm(&arguments.algorithm)?;
    let model = match (&arguments.privacy, arguments.l) {
        (Some(parameters), _) => policy::privacy(parameters)?,
        (None, l) => RatioDiversity::new(l.unwrap_or(0)).map_err(plain)?.into(),
    };
    if let Some(rows) = arguments.rows_up_to {
        return sweep::run(algorithm, &model, rows, &arguments);
    }
    if let Some(functions) = &arguments.functions {
        return strategy::run(algorithm, &model, functions, &arguments);
    }
    let scenario = scenario(&arguments, &arguments.sensitive, &model)?;
    let found = verify(algorithm, &scenario).map_err(|cause| explain(&scenario, cause))?;
    match arguments.json {
        true => print_json(&report(algorithm, &scenario, &found))?,
        false => print_text(algorithm, &scenario, &found),
    }
    Ok(match found.is_safe() {
        true => Outcome::Done,
        false => Outcome::PromiseBroken,
    })
}

/// Says what stands in the way in the words of the command line.
fn explain(scenario: &Scenario, cause: openveil::Error) -> Error {
    match cause {
        openveil::Error::Ineligible(Ineligible::TooFrequent {
            l,
            value,
            count,
            rows,
        }) => {
            let label = scenario.table().secret().label(value);
            Error::new(
                Location::default(),
                format!("the value {label} stands in {count} of {rows} rows, more than 1/{l} of them: no release can keep the promise"),
            )
            .help("choose a smaller l or other values")
        }
        openveil::Error::BeyondLimit { .. } => Error::new(Location::default(), cause.to_string())
            .help("`--limit N` raises the number of tables"),
        other => Error::new(Location::default(), other.to_string()),
    }
}

fn scenario(arguments: &Arguments, values: &[String], model: &Model) -> Result<Scenario, Error> {
    let plain = |cause: openveil::Error| Error::new(Location::default(), cause.to_string());
    let limits = Limits {
        tables: arguments.limit,
        ..Limits::default()
    };
    let seen = if arguments.cells_only {
        Visibility::Release
    } else {
        Visibility::Membership
    };
    // Numbers in the order of numbers: algorithms may break ties by label.
    let numbers: Result<Vec<i64>, _> = values.iter().map(|value| value.trim().parse()).collect();
    let scenario = match numbers {
        Ok(numbers) => Scenario::of_values(numbers, model.clone()),
        Err(_) => Scenario::of_values(values.iter().map(|value| value.trim()), model.clone()),
    };
    let scenario = scenario.map_err(plain)?.with_limits(limits).with_seen(seen);
    let Some(layout) = &arguments.qi else {
        return Ok(scenario);
    };
    let columns: Vec<Vec<u32>> = layout.split(';').map(column).collect::<Result<_, _>>()?;
    let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    scenario.with_codes(&columns).map_err(plain)
}

/// The greatest number in `--qi`: a column's domain has all numbers up to it.
const GREATEST_CODE: u32 = 65_535;

fn column(text: &str) -> Result<Vec<u32>, Error> {
    let code = |code: &str| {
        let number = code
            .trim()
            .parse()
            .ok()
            .filter(|&number| number <= GREATEST_CODE);
        number.ok_or_else(|| {
            Error::new(
                Location::default(),
                format!("`{code}` in --qi is not a whole number of 0 to {GREATEST_CODE}"),
            )
            .help("give one number per person and separate columns by `;`")
        })
    };
    text.split(',').map(code).collect()
}

fn labels(scenario: &Scenario, codes: &[u32]) -> Vec<String> {
    codes
        .iter()
        .map(|&code| scenario.table().secret().label(code))
        .collect()
}

/// The groups of an observation with their members where the reader sees them.
fn groups(scenario: &Scenario, seen: &Observation) -> Vec<(Vec<u32>, Vec<String>)> {
    match seen {
        Observation::Membership(groups) => groups
            .iter()
            .map(|group| (group.people.clone(), labels(scenario, &group.values)))
            .collect(),
        Observation::Release(release) => (0..release.group_count())
            .map(|group| (Vec::new(), labels(scenario, release.values(group))))
            .collect(),
    }
}

fn report(algorithm: &'static dyn Algorithm, scenario: &Scenario, found: &Verification) -> Report {
    let example = |example: &Counterexample| Example {
        table: labels(scenario, &example.table),
        groups: groups(scenario, &example.release),
        surviving_tables: example.survivor_count,
        person: example.person,
        value: scenario.table().secret().label(example.value),
        posterior: example.posterior.to_string(),
    };
    Report {
        algorithm: algorithm.name(),
        model: scenario.model().to_string(),
        l: scenario.model().ratio().map(RatioDiversity::l),
        figures: Figures::of(found),
        safe: found.is_safe(),
        counterexample: found.counterexample.as_ref().map(example),
    }
}

fn print_text(algorithm: &'static dyn Algorithm, scenario: &Scenario, found: &Verification) {
    let (name, model) = (algorithm.name(), scenario.model());
    match found.is_safe() {
        true => {
            say!("`{name}` is safe here: over all tables, everybody's posterior satisfies {model}.")
        }
        false => say!("`{name}` gives people away: somebody's posterior breaks {model}."),
    }
    say!("");
    let mut table = Table::new(["", "count"]);
    table.row(["tables of this multiset", &thousands(found.tables)]);
    table.row(["releases they can lead to", &thousands(found.releases)]);
    table.row(["unsafe releases", &thousands(found.unsafe_releases)]);
    table.row([
        "tables that can lead to one",
        &thousands(found.unsafe_tables),
    ]);
    table.row([
        "tables with a value certain",
        &thousands(found.certain_tables),
    ]);
    table.row(["highest posterior", &found.max_posterior.to_string()]);
    say_on!("{}", table.render());
    if let Some(example) = &found.counterexample {
        print_example(scenario, example);
    }
}

fn print_example(scenario: &Scenario, example: &Counterexample) {
    let people = |people: &[u32]| -> String {
        let numbers: Vec<String> = people.iter().map(u32::to_string).collect();
        format!("people {}", numbers.join(", "))
    };
    say!("");
    say!(
        "A worked example. The table: people 0, 1, 2, … have {}.",
        labels(scenario, &example.table).join(", ")
    );
    say!("It is released as:");
    for (members, values) in groups(scenario, &example.release) {
        let who = if members.is_empty() {
            "a group".to_owned()
        } else {
            people(&members)
        };
        say!("  {who}: {}", values.join(", "));
    }
    say!(
        "A reader who tries every table finds {} that lead to this release:",
        thousands(example.survivor_count)
    );
    for survivor in &example.survivors {
        say!("  {}", labels(scenario, &survivor.table).join(", "));
    }
    if (example.survivors.len() as u64) < example.survivor_count {
        say!("  …");
    }
    say!(
        "so person {} has the value {} with probability {}.",
        example.person,
        scenario.table().secret().label(example.value),
        example.posterior
    );
}
