mod history;
mod strategy;
mod sweep;

use super::{as_json, print_json};
use crate::Outcome;
use crate::progress::StageBars;
use crate::table::{TextTable, thousands};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use openveil_core::exact::number;
use openveil_core::model::{About, Informed, RatioDiversity};
use openveil_io::progress::Nobody;
use openveil_io::{Error, Location, policy};
use openveil_tools::verify;
use openveil_tools::verify::{Crossed, Example, HistoryReport, Question, VerifyReport};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct VerifyArguments {
    /// The algorithm to check.
    #[arg(long, value_name = "NAME")]
    algorithm: String,
    /// The sensitive values of all people: 1,1,2,2,3,3
    #[arg(
        long,
        value_delimiter = ',',
        required_unless_present_any = ["rows_up_to", "history"],
        value_name = "VALUES"
    )]
    sensitive: Vec<String>,
    /// Check every multiset of up to N people that the model allows, instead of one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=12),
        conflicts_with_all = ["sensitive", "qi"])]
    rows_up_to: Option<u32>,
    /// With `--rows-up-to`: combine every multiset with every division into two strata, with each
    /// of its values as exempt, or with both.
    #[arg(
        long,
        value_name = "WHAT",
        requires = "rows_up_to",
        value_parser = crossed(),
        default_value = Crossed::default().name(),
        hide_default_value = true
    )]
    crossed_with: Crossed,
    /// With `--rows-up-to`: record finished multisets in FILE, and continue from the ones recorded
    /// there.
    #[arg(long, value_name = "FILE", requires = "rows_up_to")]
    resume: Option<PathBuf>,
    /// Check ratio l-diversity with this parameter.
    #[arg(long, value_name = "L", required_unless_present = "privacy")]
    l: Option<u32>,
    /// Check another privacy model, written as in a policy: 'model = "l-diversity",
    /// variant = "entropy", l = 3'.
    #[arg(long, value_name = "MODEL", conflicts_with = "l")]
    privacy: Option<String>,
    /// Quasi-identifiers by person, as whole numbers whose order counts, with columns separated by
    /// `;`: 0,0,1,1;5,6,5,6. Without it, people differ in one column.
    #[arg(long, value_name = "LAYOUT")]
    qi: Option<String>,
    /// Publish in strata of people who agree on these columns of the layout (`q1`, `q2`, …). The
    /// reader knows how many people of each stratum have each value.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "COLUMNS",
        requires = "qi",
        conflicts_with = "functions"
    )]
    strata: Vec<String>,
    /// For `naive`, `safe` and `k-jump`: choose among these functions, the best first, instead of
    /// dividing people into blocks. Runs without a release are reported as well. Example: "0 1|2 3;
    /// 0 1 2 3" is pairs, then everybody.
    #[arg(long, value_name = "FUNCTIONS", conflicts_with_all = ["rows_up_to", "qi", "cells_only"])]
    functions: Option<String>,
    /// For `k-jump` with `--functions`: the number of functions to jump when one fails, by function
    /// [default: 1 for each].
    #[arg(long, value_delimiter = ',', value_name = "VECTOR", requires = "functions")]
    jump: Vec<u32>,
    /// Check readers who are informed about some people: their beliefs about them differ from those
    /// about everybody else by at most these odds (3, 1.5, 4/3). The algorithm satisfies the model
    /// for them.
    #[arg(long, value_name = "ODDS", conflicts_with = "functions")]
    odds: Option<String>,
    /// With `--odds`: the number of people about whom readers are informed.
    #[arg(long, value_name = "N", requires = "odds", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=8))]
    informed: u32,
    /// With `--odds`: let the algorithm satisfy the model for uninformed readers only, to see what
    /// informed ones learn.
    #[arg(long, requires = "odds")]
    not_kept_for_informed: bool,
    /// Also report what a release adds to the belief of a reader to whom some values are likelier
    /// for some people of a group than for others, by at most these odds (above 1).
    #[arg(long, value_name = "ODDS", conflicts_with_all = ["rows_up_to", "functions", "history", "cells_only"])]
    direction: Option<String>,
    /// Check several releases of a table that changes, with slots that persist (`cover`). Example:
    /// "1,1,2,3; +1,2 -0; ^0" lists the values of four people; then two more come and person 0
    /// leaves; then person 0 comes back.
    #[arg(long, value_name = "RELEASES", conflicts_with_all = ["sensitive", "rows_up_to", "qi", "strata", "functions", "odds", "privacy", "cells_only"])]
    history: Option<String>,
    /// With `--history`: make every release independently, to see what this discloses.
    #[arg(long, requires = "history")]
    afresh: bool,
    /// Assume that the reader sees only the released cells, not who is in which group.
    #[arg(long)]
    cells_only: bool,
    /// The largest number of tables to enumerate.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    limit: u64,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

fn crossed() -> impl TypedValueParser<Value = Crossed> {
    let named = |name: String| Crossed::ALL.into_iter().find(|own| own.name() == name);
    PossibleValuesParser::new(Crossed::ALL.map(Crossed::name))
        .map(move |name| named(name).expect("one of the possible values"))
}

/// Refuses options that have no effect, because the user would believe that they had one.
fn refuse_idle(arguments: &VerifyArguments) -> Result<(), Error> {
    let idle = match (arguments.rows_up_to, &arguments.history) {
        (None, _) if arguments.crossed_with != Crossed::default() => {
            Some(("--crossed-with", "--rows-up-to"))
        }
        (None, _) if arguments.resume.is_some() => Some(("--resume", "--rows-up-to")),
        (_, None) if arguments.afresh => Some(("--afresh", "--history")),
        _ => None,
    };
    match idle {
        None => super::refuse_empty("--sensitive", &arguments.sensitive),
        Some((option, needed)) => {
            let problem = format!("`{option}` has no effect without `{needed}`");
            Err(Error::new(Location::default(), problem).help("leave it out"))
        }
    }
}

/// Returns the findings as a JSON document.
pub(crate) fn answer(arguments: &VerifyArguments) -> Result<String, Error> {
    refuse_idle(arguments)?;
    if let Some(history) = &arguments.history {
        return as_json(&of_history(arguments, history)?);
    }
    let question = question(arguments)?;
    if let Some(rows) = arguments.rows_up_to {
        return as_json(&sweep::sizes(arguments, &question, rows, &Nobody)?);
    }
    if let Some(functions) = &arguments.functions {
        return as_json(&question.of_functions(
            &arguments.sensitive,
            functions,
            &arguments.jump,
        )?);
    }
    as_json(&question.of_values(&arguments.sensitive, arguments.qi.as_deref())?)
}

pub(crate) fn run(arguments: VerifyArguments) -> Result<Outcome, Error> {
    refuse_idle(&arguments)?;
    if let Some(history) = &arguments.history {
        return history::print(&of_history(&arguments, history)?, arguments.json);
    }
    let question = question(&arguments)?;
    if let Some(rows) = arguments.rows_up_to {
        let bars = StageBars::new();
        let sizes = sweep::sizes(&arguments, &question, rows, &bars);
        bars.finish();
        return sweep::print(&arguments, &question, rows, &sizes?);
    }
    if let Some(functions) = &arguments.functions {
        let report = question.of_functions(&arguments.sensitive, functions, &arguments.jump)?;
        return strategy::print(&report, arguments.json);
    }
    let bars = StageBars::new();
    bars.wait("enumerate");
    let report = question.of_values(&arguments.sensitive, arguments.qi.as_deref());
    bars.finish();
    let report = report?;
    if arguments.json {
        print_json(&report)?;
    } else {
        print_text(&report);
    }
    Ok(outcome(report.safe))
}

/// Returns what several releases disclose. Works for `cover` only, because no other algorithm has
/// slots that persist.
fn of_history(arguments: &VerifyArguments, history: &str) -> Result<HistoryReport, Error> {
    let algorithm = policy::algorithm(&arguments.algorithm)?;
    if !algorithm.profile().takes_inside {
        let problem = format!("`{}` has no slots that persist", algorithm.name());
        return Err(Error::new(Location::default(), problem).help("use `--algorithm cover`"));
    }
    verify::history(history, arguments.l.unwrap_or(0), arguments.afresh, arguments.limit)
}

fn question(arguments: &VerifyArguments) -> Result<Question, Error> {
    let plain = |cause: openveil_core::Error| Error::new(Location::default(), cause.to_string());
    let algorithm = policy::algorithm(&arguments.algorithm)?;
    let model = match (&arguments.privacy, arguments.l) {
        (Some(parameters), _) => policy::privacy(parameters)?,
        (None, l) => RatioDiversity::new(l.unwrap_or(0)).map_err(plain)?.into(),
    };
    let informed = informed(arguments)?;
    let kept = informed.filter(|_| !arguments.not_kept_for_informed);
    Ok(Question {
        algorithm,
        model: model.against(kept),
        informed,
        cells_only: arguments.cells_only,
        strata: arguments.strata.clone(),
        direction: direction(arguments)?,
        limit: arguments.limit,
    })
}

/// Returns the odds of `--direction`.
fn direction(arguments: &VerifyArguments) -> Result<Option<f64>, Error> {
    let Some(odds) = &arguments.direction else {
        return Ok(None);
    };
    match odds.parse() {
        Ok(read) if (1.0..=1e6).contains(&read) => Ok(Some(read)),
        _ => Err(Error::new(
            Location::default(),
            format!("`--direction {odds}` is not a number from 1 to 1,000,000"),
        )
        .help("write for example `--direction 1.5`")),
    }
}

/// Returns the informed readers of `--odds`, who are checked in addition to uninformed ones.
fn informed(arguments: &VerifyArguments) -> Result<Option<Informed>, Error> {
    let Some(odds) = &arguments.odds else {
        return Ok(None);
    };
    let refused = |problem: String| {
        Error::new(Location::default(), problem).help("write for example `--odds 3 --informed 1`")
    };
    let read =
        number::parse(odds).ok_or_else(|| refused(format!("`--odds {odds}` is not a number")))?;
    let informed = Informed::new(read, About::Few(arguments.informed));
    informed.map(Some).map_err(refused)
}

fn outcome(safe: bool) -> Outcome {
    if safe { Outcome::Done } else { Outcome::PromiseBroken }
}

fn print_text(report: &VerifyReport) {
    let (model, figures) = (&report.model, &report.figures);
    let name = match report.chosen {
        None => format!("`{}`", report.algorithm),
        Some(engine) => format!("`{}`, which chose `{engine}`,", report.algorithm),
    };
    if report.safe {
        say!(
            "{name} is safe for this table: over all assignments of the values, everybody's posterior satisfies {model}."
        );
    } else if let (0, Some(informed)) = (figures.unsafe_releases, &figures.informed) {
        let reader = &informed.reader;
        say!("{name} satisfies {model}, but not for readers with {reader}.");
    } else {
        say!("{name} discloses values: somebody's posterior violates {model}.");
    }
    say!("");
    let mut table = TextTable::new(["", "count"]);
    table.row(["tables of this multiset", &thousands(figures.tables)]);
    table.row(["releases they can lead to", &thousands(figures.releases)]);
    table.row(["unsafe releases", &thousands(figures.unsafe_releases)]);
    table.row(["tables that can lead to one", &thousands(figures.unsafe_tables)]);
    table.row(["tables with a certain value", &thousands(figures.certain_tables)]);
    table.row(["highest posterior", &figures.max_posterior.to_string()]);
    if let Some(informed) = &figures.informed {
        table.row(["most informed readers", &thousands(informed.readers)]);
        table.row(["releases unsafe to one of them", &thousands(informed.unsafe_releases)]);
        table.row(["highest posterior to any of them", &informed.max_posterior.to_string()]);
    }
    if let Some(told) = &report.exchanges {
        let of = |part: u64, all: u64| format!("{} of {}", thousands(part), thousands(all));
        table.row([
            "exchanges inside groups that change no chance",
            &of(told.unchanged, told.pairs),
        ]);
        let [pairs, unchanged] = told.unrefused;
        if pairs > 0 {
            table.row(["… where no cut was refused", &of(unchanged, pairs)]);
        }
        table.row([
            "mean gap to a belief given the group's values",
            &format!("{:.4}", told.mean_gap),
        ]);
        table.row(["greatest gap", &format!("{:.4}", told.greatest_gap)]);
        table.row(["more guesses right", &format!("{:.4}", told.gain)]);
    }
    say_on!("{}", table.render());
    if let Some(example) = &report.counterexample {
        print_example(example);
    }
}

fn print_example(example: &Example) {
    let people = |people: &[u32]| -> String {
        let numbers: Vec<String> = people.iter().map(u32::to_string).collect();
        format!("people {}", numbers.join(", "))
    };
    say!("");
    say!("A worked example. The table: people 0, 1, 2, … have {}.", example.table.join(", "));
    say!("It is released as:");
    for (members, values) in &example.groups {
        let who = if members.is_empty() { "a group".to_owned() } else { people(members) };
        say!("  {who}: {}", values.join(", "));
    }
    say!(
        "A reader who tries every table finds {} that lead to this release:",
        thousands(example.surviving_tables)
    );
    for survivor in &example.survivors {
        say!("  {}", survivor.join(", "));
    }
    if (example.survivors.len() as u64) < example.surviving_tables {
        say!("  …");
    }
    say!(
        "so person {} has the value {} with probability {}.",
        example.person,
        example.value,
        example.posterior
    );
}
