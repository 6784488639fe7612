use super::print_json;
use crate::Outcome;
use crate::table::{TextTable, counted, entry};
use openveil_io::policy::Policy;
use openveil_io::{Error, Location};
use openveil_reader::query;
use openveil_reader::query::{Answer, CrossTable, FigureEntry, Reader, RoundedTable};
use openveil_requests::value::whole;
use openveil_requests::{Answered, Query, Sampled};
use openveil_text::Text;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct QueryArguments {
    /// The folder of a release (as `publish` wrote it, or its `release/`).
    release: PathBuf,
    #[command(flatten)]
    request: Query,
    /// The policy that the release was made with: also counts in the owner's table, for the owner
    /// only.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Read this table instead of the policy's (`-`: standard input).
    #[arg(long, value_name = "FILE", requires = "policy")]
    input: Option<PathBuf>,
    /// Draw this many synthetic rows from the release.
    #[arg(
        long,
        value_name = "N",
        value_parser = whole::<usize>,
        conflicts_with_all = ["where", "by", "mean", "quantile", "weight"],
        requires = "out"
    )]
    sample: Option<usize>,
    /// The file for the synthetic rows (`.csv`, `.csv.gz`, `.csv.zst`, `.parquet`).
    #[arg(long, value_name = "FILE", requires = "sample")]
    out: Option<PathBuf>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: QueryArguments) -> Result<Outcome, Error> {
    let request = &arguments.request;
    if let (Some(rows), Some(out)) = (arguments.sample, arguments.out) {
        if rows == 0 {
            let problem = "`--sample 0` requests no rows";
            return Err(Error::new(Location::default(), problem));
        }
        query::sample(&arguments.release, rows, &out, request.work.seed)?;
        if arguments.json {
            print_json(&Sampled { rows, out })?
        } else {
            say!("Wrote {} to {}.", counted(rows as u128, "synthetic row"), out.display())
        }
        return Ok(Outcome::Done);
    }
    let policy =
        arguments.policy.as_deref().map(|path| Policy::read_with(path, arguments.input.as_deref()));
    let answered = request.run(
        |effort| Ok(Reader::open(&arguments.release)?.with_effort(effort)),
        policy.transpose()?.as_ref(),
    )?;
    match (&answered, arguments.json) {
        (_, true) => print_json(&answered)?,
        (Answered::Count(answer), false) => print_text(answer),
        (Answered::Table(table), false) => print_table(table),
        (Answered::Rounded(table), false) => print_rounded(table),
    }
    Ok(Outcome::Done)
}

fn print_text(answer: &Answer) {
    let rows = counted(answer.rows as u128, "row");
    say!("About {:.1} of {rows}.", answer.figure.estimate);
    say!("");
    say!("{}", entry("interval", &interval(&answer.figure)));
    if answer.figure.estimate != answer.estimate_evenly {
        let words = format!(
            "{:.1} if the values of each group are spread evenly over its people",
            answer.estimate_evenly
        );
        say!("{}", entry("otherwise", &words));
    }
    if let Some(count) = answer.true_count {
        let error = answer.relative_error;
        let error = error
            .map_or(String::new(), |error| format!("; the estimate is {:.1} % off", 100.0 * error));
        let count = counted(count, "row");
        say!("");
        say!("{}", entry("true count", &format!("{count}{error}")));
    }
    print_notes(&answer.notes);
}

/// Describes the interval of a figure.
fn interval(figure: &FigureEntry) -> String {
    let [low, high] = figure.interval;
    match figure.method {
        "exact" => "the release shows it exactly".to_owned(),
        "bounds" | "fit" => format!("{low:.1} to {high:.1}, certain bounds"),
        _ => format!("{low:.1} to {high:.1} (95 %), from a fit and completed tables"),
    }
}

fn print_table(table: &CrossTable) {
    say!("{}, of {}", table.title(), counted(table.rows as u128, "row"));
    say!("");
    say!("{}", TextTable::from_rows(&table.shown()).render());
    if let Some(test) = table.test() {
        say!("{}", entry("independence", &test.to_string()));
    }
    print_notes(&table.notes);
}

fn print_rounded(table: &RoundedTable) {
    say!("{}", TextTable::from_rows(&table.shown()).render());
    print_notes(&table.notes);
}

pub(super) fn print_notes(notes: &[Text]) {
    for note in notes {
        say!("{}", entry("note", &note.to_string()));
    }
}
