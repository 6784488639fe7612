//! Returns the JSON documents that the commands print, for programs that hold tables in memory.
//! Options and defaults are the same as on the command line. Tables, releases and policies are
//! passed as arguments instead of file names.

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
    parsed.map(|options| options.of).map_err(|usage| misused(&usage))
}

/// Converts clap's error to ours, without its advice about usage, which suits only a terminal.
fn misused(usage: &clap::Error) -> Error {
    let context = |kind| {
        usage.context().find_map(|(own, value)| match value {
            ContextValue::String(text) if own == kind => Some(text.clone()),
            ContextValue::Strings(texts) if own == kind => Some(texts.join(" ")),
            _ => None,
        })
    };
    // The message shows `--sample`, but clap reports `--sample <N>`.
    let option = context(ContextKind::InvalidArg).unwrap_or_default();
    let option = option.split(" <").next().unwrap_or_default().trim_end_matches("...").to_owned();
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
            let why = std::error::Error::source(usage)
                .map(ToString::to_string)
                .unwrap_or_else(|| "this value is not possible".to_owned());
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

/// Puts `-` before the options, because the command requires a file. The caller replaces it by
/// the object in memory.
fn with_file(options: &[String]) -> Vec<String> {
    let file = ["-".to_owned()];
    file.into_iter().chain(options.iter().cloned()).collect()
}

/// Runs `openveil audit`.
///
/// # Errors
/// Like [`audit::audit`], and unknown options.
pub fn audit(options: &[String], table: Audited, policy: Option<Policy>) -> Result<String, Error> {
    let mut arguments: AuditArguments = parse(&with_file(options))?;
    // `--measure` requires `--policy`, so the option may be present. The policy itself is passed
    // as an argument.
    arguments.policy = None;
    let mut request = commands::audit::request(arguments)?;
    request.table = table;
    request.policy = policy;
    match audit::held(&request)? {
        Some(held) => as_json(&held),
        None => as_json(&audit::audit(&request, &|_| {})?),
    }
}

/// Runs `openveil verify`.
///
/// # Errors
/// A question that cannot be enumerated, and unknown options.
pub fn verify(options: &[String]) -> Result<String, Error> {
    commands::verify::answer(&parse(options)?)
}

/// Runs `openveil explain`.
///
/// # Errors
/// Like [`explain`](openveil_tools::explain::explain), and unknown options.
pub fn explain(options: &[String]) -> Result<String, Error> {
    commands::explain::answer(&parse(options)?)
}

/// Runs `openveil compare`. Stores finished trials only if `--state` names a file.
///
/// # Errors
/// Like [`compare::run`], and unknown options.
pub fn compare(
    options: &[String],
    policies: Vec<Policy>,
    observer: &dyn Observer,
) -> Result<String, Error> {
    let arguments = parse(&with_file(options))?;
    let request = compare::CompareRequest { policies, ..commands::compare::request(&arguments)? };
    as_json(&compare::run(&request, observer)?)
}

/// Runs `openveil attack`.
///
/// # Errors
/// Like [`openveil_reader::attack::run`] and [`openveil_reader::attack::run_rules`], and unknown
/// options.
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
