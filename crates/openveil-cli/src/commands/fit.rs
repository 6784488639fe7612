use super::print_json;
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
    let baseline = regression.baseline.as_ref();
    let beside = baseline.map_or(String::new(), |value| format!(", beside `{value}`"));
    let kind = regression.kind.replace('-', " ");
    say!("{}: {kind}{beside}", regression.formula);
    let (rows, groups) = (regression.rows as u128, regression.groups as u128);
    say!("{} in {}", counted(rows, "row"), counted(groups, "group"));
    let mut value = None;
    let mut table: Option<TextTable> = None;
    for own in &regression.coefficients {
        if table.is_none() || own.value != value {
            table.iter().for_each(|table| say!("{}", table.render()));
            say!("");
            own.value.iter().for_each(|value| say!("{value}"));
            table = Some(TextTable::new(["term", "estimate", "std. error", "z", "from", "to"]));
            value.clone_from(&own.value);
        }
        let figure = &own.figure;
        let ratio = figure.estimate / own.std_error;
        let numbers =
            [figure.estimate, own.std_error, ratio, figure.interval[0], figure.interval[1]];
        let cells = numbers.map(|number| format!("{number:.3}"));
        let row = std::iter::once(own.term.clone()).chain(cells);
        table.iter_mut().for_each(|table| table.row(row.clone()));
    }
    table.iter().for_each(|table| say!("{}", table.render()));
    say!("");
    say!(
        "{}",
        entry(
            "from, to",
            "95 % intervals; they contain the sampling error of people (for a sample as large as the table) and the error of the release"
        )
    );
    for note in &regression.notes {
        say!("{}", entry("note", note));
    }
}
