//! The command `openveil`, as a program or inside another one (the Python package).
//!
//! Exit codes:
//! * 0: done
//! * 1: the guarantee or the audit fails, or a release is not as it states
//! * 2: bad usage or bad input

#[macro_use]
mod say;
mod commands;
mod interrupt;
mod limits;
mod pictures;
mod progress;
mod table;

use clap::{Parser, Subcommand};
use openveil_io::Error;
use std::ffi::OsString;
use std::io::Write;

#[cfg(feature = "serve")]
pub use openveil_serve::Database;

/// Publish tables about people, with a bound on what a reader can guess about anyone.
///
/// Openveil publishes tables about people. A reader of the release guesses a person's sensitive
/// value with at most the chance that you choose, even if the reader knows the algorithm, its
/// parameters and its source code. Not covered: a reader who learns from the release, or knew before,
/// how values go with other columns.
#[derive(Parser)]
#[command(name = "openveil", bin_name = "openveil", version, max_term_width = 100)]
struct Arguments {
    /// Print more messages (-vv: even more).
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,

    /// Stop with exit code 2 instead of using more memory than this, such as `2GB` [default: all
    /// memory of the machine or container].
    #[arg(long, global = true, value_name = "SIZE", hide_short_help = true)]
    max_memory: Option<String>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Anonymise the table that a policy describes, check the result, and write it.
    Publish(commands::publish::PublishArguments),
    /// Look at a table and write a starter policy for it.
    Inspect(commands::inspect::InspectArguments),
    /// Measure what a published table discloses, whichever program made it.
    Audit(commands::audit::AuditArguments),
    /// Check exhaustively, on small tables, whether an algorithm discloses values.
    Verify(commands::verify::VerifyArguments),
    /// Show, for a few people, what readers can infer from each grouping.
    Explain(commands::explain::ExplainArguments),
    /// Compare settings before you publish.
    Compare(commands::compare::CompareArguments),
    /// Attack a release with the owner's table at hand, and report what it discloses.
    Attack(commands::attack::AttackArguments),
    /// Ask a release for counts, cross-tables, means and quantiles, each with an interval.
    Query(commands::query::QueryArguments),
    /// Fit a regression of the secret column to a release.
    Fit(commands::fit::FitArguments),
    /// Complete a release to synthetic tables, for multiple imputation.
    Complete(commands::complete::CompleteArguments),
    /// Write the report pages of a release again, for the public and for the owner.
    Report(commands::report::ReportArguments),
    /// Check the schema of several tables.
    Schema(commands::schema::SchemaArguments),
    /// Open the page in the browser, for people who do not use a terminal.
    #[cfg(feature = "serve")]
    Serve(commands::serve::ServeArguments),
}

impl Command {
    /// Returns whether the result is printed. A release and its pages are written to folders
    /// instead.
    fn is_printed(&self) -> bool {
        match self {
            Self::Publish(arguments) => arguments.is_printed(),
            Self::Report(arguments) => arguments.is_printed(),
            _ => true,
        }
    }
}

/// The outcome of a command that did not fail.
pub(crate) enum Outcome {
    /// The command succeeded.
    Done,
    /// The check was made, and its answer is no.
    PromiseBroken,
}

/// Runs the command and returns its exit code (see the crate's documentation). `arguments` begin
/// with the program's name. Prints usage, help and errors.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    main_within(arguments, Around::default())
}

/// Parts that the surrounding program supplies.
#[derive(Debug, Default)]
pub struct Around {
    /// Reads tables from databases, for the page in the browser.
    #[cfg(feature = "serve")]
    pub database: Option<Database>,
}

/// Returns the definition of the command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// Like [`main`], but with parts that the surrounding program supplies.
#[cfg_attr(not(feature = "serve"), expect(unused_variables))]
pub fn main_within(arguments: impl IntoIterator<Item = OsString>, around: Around) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(usage) => {
            // Our own error about a value has a remedy, and needs no advice about usage.
            let own = std::error::Error::source(&usage).and_then(|own| own.downcast_ref::<Error>());
            match own {
                Some(error) => note!("error: {error}"),
                // Ignore a failure: there is no other place to report it.
                None => drop(usage.print()),
            }
            return if usage.use_stderr() { 2 } else { 0 };
        }
    };
    start_log(arguments.verbose);
    say_panics_plainly();
    limits::leave_no_core();
    limits::outlive_large_files();
    if let Err(error) = limits::keep_within(arguments.max_memory.as_deref()) {
        note!("error: {error}");
        return 2;
    }
    let is_printed = arguments.command.is_printed();
    let result = match arguments.command {
        Command::Publish(arguments) => commands::publish::run(arguments),
        Command::Inspect(arguments) => commands::inspect::run(arguments),
        Command::Audit(arguments) => commands::audit::run(arguments),
        Command::Verify(arguments) => commands::verify::run(arguments),
        Command::Explain(arguments) => commands::explain::run(arguments),
        Command::Compare(arguments) => commands::compare::run(arguments),
        Command::Attack(arguments) => commands::attack::run(arguments),
        Command::Query(arguments) => commands::query::run(arguments),
        Command::Fit(arguments) => commands::fit::run(arguments),
        Command::Complete(arguments) => commands::complete::run(arguments),
        Command::Report(arguments) => commands::report::run(arguments),
        Command::Schema(arguments) => commands::schema::run(arguments),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => commands::serve::run(arguments, around.database),
    };
    match result {
        // The output is incomplete, so a script must not continue with it. A release in its folder
        // is not affected.
        Ok(_) if is_printed && !say::arrived() => 2,
        Ok(Outcome::Done) => 0,
        Ok(Outcome::PromiseBroken) => 1,
        Err(error) => {
            note!("error: {error}");
            match error.kind() {
                openveil_io::ErrorKind::NotKept => 1,
                _ => 2,
            }
        }
    }
}

/// Prints a panic as an error message, without a backtrace. A backtrace needs memory, and the
/// standard library deadlocks if there is none left.
///
/// A panic inside a library's file reader prints nothing: it becomes an error that says what to do.
/// Any other panic is a defect of this program.
fn say_panics_plainly() {
    std::panic::set_hook(Box::new(|panic| {
        if !openveil_io::source::is_guarded() {
            note!("error: this is a defect of the program; it {panic}");
        }
    }));
}

/// Logs to standard error. Lines have no time stamp, because the duration of a stage depends on the
/// random assignment. Lines of other libraries are left out, because they may contain values.
struct ErrorLog;

impl log::Log for ErrorLog {
    fn enabled(&self, about: &log::Metadata<'_>) -> bool {
        about.target().starts_with("openveil")
    }

    fn log(&self, line: &log::Record<'_>) {
        if self.enabled(line.metadata()) {
            // Ignore a failure: there is no other place to report it.
            drop(writeln!(std::io::stderr(), "{:>5} {}", line.level(), line.args()));
        }
    }

    fn flush(&self) {}
}

fn start_log(verbose: u8) {
    let level = match verbose {
        0 => log::LevelFilter::Warn,
        1 => log::LevelFilter::Info,
        2 => log::LevelFilter::Debug,
        _ => log::LevelFilter::Trace,
    };
    // Ignore a failure: in Python, an earlier call has set the logger already.
    drop(log::set_logger(&ErrorLog));
    log::set_max_level(level);
}
