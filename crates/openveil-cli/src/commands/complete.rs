use super::print_json;
use crate::Outcome;
use crate::table::{counted, entry};
use openveil_io::Error;
use openveil_reader::query;
use openveil_requests::Complete;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct CompleteArguments {
    /// The folder of a release (as `publish` wrote it, or its `release/`).
    release: PathBuf,
    #[command(flatten)]
    request: Complete,
    /// The folder for the tables, which must not exist yet.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Format of the tables: `csv`, `csv.gz`, `csv.zst` or `parquet`.
    #[arg(long, default_value = "csv")]
    format: String,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: CompleteArguments) -> Result<Outcome, Error> {
    let effort = arguments.request.work.effort()?;
    let tables = arguments.request.number()?;
    let written =
        query::complete(&arguments.release, tables, &arguments.out, &arguments.format, effort)?;
    if arguments.json {
        print_json(&written)?;
        return Ok(Outcome::Done);
    }
    let number = counted(written.tables as u128, "synthetic table");
    say!(
        "Wrote {number} of {} to {}.",
        counted(written.rows as u128, "row"),
        arguments.out.display()
    );
    say!("");
    say!("{}", entry("note", written.note));
    if !written.omitted.is_empty() {
        say!("{}", entry("left out", &written.omitted.join(", ")));
    }
    Ok(Outcome::Done)
}
