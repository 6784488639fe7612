use super::print_json;
use super::query::print_notes;
use crate::Outcome;
use crate::table::{TextTable, counted, entry};
use openveil_io::Error;
use openveil_reader::query::{Reader, Regression};
use openveil_requests::Fit;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct FitArguments {
    /// The folder of a release (as `publish` wrote it, or its `release/`).
    release: PathBuf,
    /// The secret column and the known columns that explain it: `occupation ~ age + sex`. Write an
    /// interaction as `age:sex`, both columns with their interaction as `age*sex`, and all known
    /// columns as `.`.
    formula: String,
    #[command(flatten)]
    request: Fit,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: FitArguments) -> Result<Outcome, Error> {
    let regression = arguments.request.run(&arguments.formula, |effort| {
        Ok(Reader::open(&arguments.release)?.with_effort(effort))
    })?;
    if arguments.json {
        print_json(&regression)?
    } else {
        print_text(&regression)
    }
    Ok(Outcome::Done)
}

fn print_text(regression: &Regression) {
    say!("{}", regression.title());
    let (rows, groups) = (regression.rows as u128, regression.groups as u128);
    say!("{} in {}", counted(rows, "row"), counted(groups, "group"));
    for (value, table) in regression.shown() {
        say!("");
        if let Some(value) = value {
            say!("{value}");
        }
        say!("{}", TextTable::from_rows(&table).render());
    }
    say!("");
    say!(
        "{}",
        entry(
            "from, to",
            "95 % intervals; they contain the sampling error of people (for a sample as large as the table) and the error of the release"
        )
    );
    print_notes(&regression.notes);
}
