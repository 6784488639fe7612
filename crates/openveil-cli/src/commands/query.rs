use super::print_json;
use crate::Outcome;
use crate::table::{counted, entry};
use openveil_io::policy::Policy;
use openveil_io::query::{self, Answer};
use openveil_io::{Error, Location};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder of a release (as `publish` wrote it, or its `release/`).
    release: PathBuf,
    /// Count rows that meet these conditions: `age>=30 and race in (black, white)`.
    /// Signs: = != < <= > >= in. Texts with blanks or signs stand in quotes.
    #[arg(
        long = "where",
        value_name = "CONDITIONS",
        required_unless_present = "sample"
    )]
    conditions: Option<String>,
    /// The policy that the release was made by: also count the owner's table. Not
    /// for anybody else's eyes.
    #[arg(long, value_name = "FILE", requires = "conditions")]
    policy: Option<PathBuf>,
    /// Read this table instead of the policy's (`-`: standard input).
    #[arg(long, value_name = "FILE", requires = "policy")]
    input: Option<PathBuf>,
    /// Draw so many synthetic rows from what the release says.
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "conditions",
        requires = "out"
    )]
    sample: Option<usize>,
    /// Where synthetic rows go (`.csv`, `.csv.gz`, `.csv.zst`, `.parquet`).
    #[arg(long, value_name = "FILE", requires = "sample")]
    out: Option<PathBuf>,
    /// Draw the same rows again.
    #[arg(long, value_name = "N", requires = "sample")]
    seed: Option<u64>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

/// Where synthetic rows went.
#[derive(serde::Serialize)]
struct Sampled {
    rows: usize,
    out: PathBuf,
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    if let (Some(rows), Some(out)) = (arguments.sample, arguments.out) {
        if rows == 0 {
            let problem = "`--sample 0` asks for no rows";
            return Err(Error::new(Location::default(), problem));
        }
        query::sample(&arguments.release, rows, &out, arguments.seed)?;
        match arguments.json {
            true => print_json(&Sampled { rows, out })?,
            false => say!(
                "Wrote {} to {}.",
                counted(rows as u128, "synthetic row"),
                out.display()
            ),
        }
        return Ok(Outcome::Done);
    }
    let read = |path| Policy::read_with(path, arguments.input.as_deref());
    let policy = arguments.policy.as_deref().map(read).transpose()?;
    let conditions = arguments.conditions.unwrap_or_default();
    let answer = query::count(&arguments.release, &conditions, policy.as_ref())?;
    match arguments.json {
        true => print_json(&answer)?,
        false => print_text(&answer),
    }
    Ok(Outcome::Done)
}

fn print_text(answer: &Answer) {
    let rows = counted(answer.rows as u128, "row");
    say!("About {:.1} of {rows}.", answer.estimate);
    let error = match answer.standard_error {
        None => Some("not known".to_owned()),
        Some(error) => (error > 0.0).then(|| format!(
            "{error:.1} if values lie evenly inside of cells; where they cluster, an estimate can be off by many times that"
        )),
    };
    if let Some(words) = error {
        say!("");
        say!("{}", entry("standard error", &words));
    }
    if answer.estimate != answer.estimate_evenly {
        let words = format!(
            "{:.1} with the values of each group spread evenly over its people",
            answer.estimate_evenly
        );
        say!("{}", entry("otherwise", &words));
    }
    if let Some(count) = answer.true_count {
        let error = answer.relative_error;
        let error = error.map_or(String::new(), |error| {
            format!("; the estimate is {:.1} % off", 100.0 * error)
        });
        let count = counted(count, "row");
        say!("");
        say!("{}", entry("true count", &format!("{count}{error}")));
    }
    for note in &answer.notes {
        say!("{}", entry("note", note));
    }
}
