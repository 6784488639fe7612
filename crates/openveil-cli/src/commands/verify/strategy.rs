//! Naive, safe and k-jump over functions that are given, silence included.

use super::{Arguments, as_text, explain, scenario};
use crate::Outcome;
use crate::commands::print_json;
use crate::table::{Table, thousands};
use openveil::algorithm::Algorithm;
use openveil::exact::Fraction;
use openveil::model::Model;
use openveil::table::Groups;
use openveil::verify::disclosure::Functions;
use openveil::verify::jump::{self, Plan, ReportLimits, Silence, Strategy};
use openveil_io::{Error, Location};

/// What readers conclude from releases, and, apart from that, from silence.
#[derive(serde::Serialize)]
struct Report {
    algorithm: &'static str,
    model: String,
    /// Tables for which something is released.
    tables: u128,
    releases: u64,
    unsafe_releases: u64,
    unsafe_tables: u128,
    #[serde(serialize_with = "as_text")]
    max_posterior: Fraction,
    safe: bool,
    /// Releasing nothing, to a reader who knows the multiset of values.
    silence_knows_multiset: Option<Heard>,
    /// Releasing nothing, to a reader who does not know which value has which count.
    silence_not_knowing_multiset: Option<Heard>,
}

/// What releasing nothing tells one reader.
#[derive(serde::Serialize)]
struct Heard {
    /// Tables for which nothing is released.
    tables: u128,
    #[serde(serialize_with = "as_text")]
    max_posterior: Fraction,
    safe: bool,
}

impl Heard {
    fn of(silence: &Silence) -> Self {
        Self {
            tables: silence.census.tables(),
            max_posterior: silence.census.highest_posterior(),
            safe: silence.holds,
        }
    }
}

/// Follows a strategy over `functions` for every table of the multiset.
pub(super) fn run(
    algorithm: &'static dyn Algorithm,
    model: &Model,
    functions: &str,
    arguments: &Arguments,
) -> Result<Outcome, Error> {
    let scenario = scenario(arguments, &arguments.sensitive, model)?;
    let plain = |cause: openveil::Error| explain(&scenario, cause);
    let partitions = functions.split(';').map(partition);
    let partitions: Vec<Groups> = partitions.collect::<Result<_, Error>>()?;
    let sequence: Vec<usize> = (0..partitions.len()).collect();
    let strategy = strategy(algorithm, sequence.len(), arguments)?;
    let functions = Functions::new(scenario.table().rows(), partitions).map_err(plain)?;
    let plan = Plan::new(sequence, strategy).map_err(plain)?;
    let criteria = model.bind(scenario.table()).map_err(plain)?;
    let histogram = scenario.table().histogram();
    let limits = ReportLimits::default();
    let found = jump::report(&functions, histogram.counts(), &criteria, &[plan], limits);
    let found = found.map_err(plain)?;
    let report = Report {
        algorithm: algorithm.name(),
        model: model.to_string(),
        tables: found.releases.cases,
        releases: found.releases.outputs,
        unsafe_releases: found.releases.unsafe_outputs,
        unsafe_tables: found.releases.unsafe_cases,
        max_posterior: found.releases.highest_posterior.clone(),
        safe: found.releases.are_safe(),
        silence_knows_multiset: found.silence_with_multiset.as_ref().map(Heard::of),
        silence_not_knowing_multiset: found.silence_without_multiset.as_ref().map(Heard::of),
    };
    match arguments.json {
        true => print_json(&report)?,
        false => print_text(&report),
    }
    Ok(match report.safe {
        true => Outcome::Done,
        false => Outcome::PromiseBroken,
    })
}

fn strategy(
    algorithm: &'static dyn Algorithm,
    functions: usize,
    arguments: &Arguments,
) -> Result<Strategy, Error> {
    let error = |problem: String| Error::new(Location::default(), problem);
    let strategy = match algorithm.name() {
        "naive" => Strategy::Naive,
        "safe" => Strategy::Safe,
        "k-jump" if arguments.jump.is_empty() => Strategy::Jump(vec![1; functions]),
        "k-jump" => return Ok(Strategy::Jump(arguments.jump.clone())),
        other => {
            let problem = format!("`{other}` does not choose among given functions");
            return Err(error(problem).help("`--functions` is for `naive`, `safe` and `k-jump`"));
        }
    };
    match arguments.jump.is_empty() || algorithm.name() == "k-jump" {
        true => Ok(strategy),
        false => Err(error("`--jump` is for `k-jump`".to_owned())),
    }
}

/// Reads `0 1|2 3`: the groups of one function.
fn partition(text: &str) -> Result<Groups, Error> {
    let person = |text: &str| {
        text.parse::<u32>().map_err(|_| {
            let problem = format!("`{text}` in --functions is not the number of a person");
            Error::new(Location::default(), problem)
                .help("write people as 0, 1, 2, …, groups between `|`, functions between `;`")
        })
    };
    let group = |text: &str| -> Result<Vec<u32>, Error> {
        let people = text.split([' ', ',']).filter(|person| !person.is_empty());
        people.map(person).collect()
    };
    text.split('|').map(group).collect()
}

fn print_text(report: &Report) {
    let (name, model) = (report.algorithm, &report.model);
    match report.safe {
        true => {
            say!("What `{name}` releases is safe here: everybody's posterior satisfies {model}.\n")
        }
        false => say!("`{name}` gives people away: somebody's posterior breaks {model}.\n"),
    }
    let mut table = Table::new(["", "tables", "outputs", "unsafe", "highest posterior"]);
    table.row([
        "something is released".to_owned(),
        thousands(report.tables),
        thousands(report.releases),
        thousands(report.unsafe_releases),
        report.max_posterior.to_string(),
    ]);
    for (reader, silence) in [
        (
            "nothing, to who knows the values",
            &report.silence_knows_multiset,
        ),
        (
            "nothing, to who does not",
            &report.silence_not_knowing_multiset,
        ),
    ] {
        let Some(heard) = silence else { continue };
        table.row([
            reader.to_owned(),
            thousands(heard.tables),
            "1".to_owned(),
            u8::from(!heard.safe).to_string(),
            heard.max_posterior.to_string(),
        ]);
    }
    say_on!("{}", table.render());
}
