//! The commands' answers as the JSON documents that they print, for programs that hold
//! tables in memory. Options are those of the command line, with its defaults; tables,
//! releases and policies that are given take the place of the files that they name.

use crate::commands::audit::AuditArguments;
use crate::commands::{self, as_json};
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use openveil_io::policy::Policy;
use openveil_io::progress::Observer;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::{Error, Location};
use openveil_tools::audit;
use openveil_tools::audit::Audited;
use openveil_tools::compare;

/// Options of one command.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct AnswerOptions<A: clap::Args> {
    #[command(flatten)]
    of: A,
}

fn parse<A: clap::Args>(options: &[String]) -> Result<A, Error> {
    let parsed = AnswerOptions::<A>::try_parse_from(options);
    parsed
        .map(|options| options.of)
        .map_err(|usage| misused(&usage))
}

/// Returns the error of options that cannot be used, without the advice about a terminal.
fn misused(usage: &clap::Error) -> Error {
    let context = |kind| {
        usage.context().find_map(|(own, value)| match value {
            ContextValue::String(text) if own == kind => Some(text.clone()),
            ContextValue::Strings(texts) if own == kind => Some(texts.join(" ")),
            _ => None,
        })
    };
    // `--sample <N>` is named without the kind of its value.
    let option = context(ContextKind::InvalidArg).unwrap_or_default();
    let option = option
        .split(" <")
        .next()
        .unwrap_or_default()
        .trim_end_matches("...")
        .to_owned();
    let problem = |text: String| Error::new(Location::default(), text);
    match (usage.kind(), context(ContextKind::InvalidValue)) {
        (ErrorKind::UnknownArgument, _) => {
            let error = problem(format!("unknown option `{option}`"));
            match context(ContextKind::SuggestedArg) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            }
        }
        (ErrorKind::ArgumentConflict, _) => {
            let other = context(ContextKind::PriorArg).unwrap_or_default();
            let other = other.split(" <").next().unwrap_or_default();
            problem(match other == option {
                true => format!("`{option}` takes one value"),
                false => format!("`{option}` and `{other}` cannot be given together"),
            })
        }
        (ErrorKind::MissingRequiredArgument, _) => problem(format!("`{option}` is missing")),
        (ErrorKind::InvalidValue | ErrorKind::ValueValidation, Some(value)) => {
            let why = std::error::Error::source(usage).map(ToString::to_string);
            let why = why.unwrap_or_else(|| "this value is not possible".to_owned());
            problem(format!("`{option}` cannot be `{value}`: {why}"))
        }
        _ => {
            let text = usage.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let first = text.split("\n\n").next().unwrap_or(text);
            problem(first.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    }
}

/// Puts the place of a file before the options, where something in memory is given.
fn with_file(options: &[String]) -> Vec<String> {
    let file = ["-".to_owned()];
    file.into_iter().chain(options.iter().cloned()).collect()
}

/// `openveil audit`.
///
/// # Errors
/// As [`audit::audit`], and options that there are not.
pub fn audit(options: &[String], table: Audited, policy: Option<Policy>) -> Result<String, Error> {
    let mut arguments: AuditArguments = parse(&with_file(options))?;
    // The option is there because others ask for it; the policy stands beside.
    arguments.policy = None;
    let mut request = commands::audit::request(arguments)?;
    request.table = table;
    request.policy = policy;
    match audit::held(&request)? {
        Some(held) => as_json(&held),
        None => as_json(&audit::audit(&request, &|_| {})?),
    }
}

/// `openveil verify`.
///
/// # Errors
/// A question that cannot be enumerated, and unknown options.
pub fn verify(options: &[String]) -> Result<String, Error> {
    commands::verify::answer(&parse(options)?)
}

/// `openveil explain`.
///
/// # Errors
/// As [`explain`](openveil_tools::explain::explain), and options that there are not.
pub fn explain(options: &[String]) -> Result<String, Error> {
    commands::explain::answer(&parse(options)?)
}

/// `openveil compare`. Finished trials are kept only where `--state` says so.
///
/// # Errors
/// As [`compare::run`], and options that there are not.
pub fn compare(
    options: &[String],
    policies: Vec<Policy>,
    observer: &dyn Observer,
) -> Result<String, Error> {
    let arguments = parse(&with_file(options))?;
    let request = compare::CompareRequest {
        policies,
        ..commands::compare::request(&arguments)?
    };
    as_json(&compare::run(&request, observer)?)
}

/// `openveil attack`.
///
/// # Errors
/// As [`openveil_reader::attack::run`] and [`openveil_reader::attack::run_rules`], and options that there are not.
pub fn attack(
    options: &[String],
    policy: &Policy,
    releases: &[ReleasePlace],
    observer: &dyn Observer,
) -> Result<String, Error> {
    let named = ["--policy".to_owned(), "-".to_owned()];
    let options: Vec<String> = options.iter().cloned().chain(named).collect();
    let arguments: commands::attack::AttackArguments = parse(&with_file(&options))?;
    commands::attack::answer(policy, releases, &arguments.options(), observer)
}
