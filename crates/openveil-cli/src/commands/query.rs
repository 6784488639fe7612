use super::print_json;
use crate::Outcome;
use crate::table::{TextTable, counted, entry};
use openveil_io::policy::Policy;
use openveil_io::{Error, Location};
use openveil_reader::query;
use openveil_reader::query::{
    Answer, CrossTable, Effort, FigureEntry, IndependenceEntry, Reader, Request, RoundedTable,
    Rounding, Statistic,
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct QueryArguments {
    /// The folder of a release (as `publish` wrote it, or its `release/`).
    release: PathBuf,
    /// Count rows that meet these conditions: `age>=30 and race in (black, white)`. Operators: = !=
    /// < <= > >= in. Put texts with blanks or signs in quotes.
    #[arg(
        long = "where",
        value_name = "CONDITIONS",
        required_unless_present_any = ["sample", "by", "mean", "quantile", "weight"]
    )]
    conditions: Option<String>,
    /// Cross-tabulate these columns, known or secret, with a count and its interval in each cell.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    by: Vec<String>,
    /// The mean of this numeric column, in each cell of `--by`.
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["quantile", "policy"])]
    mean: Option<String>,
    /// A quantile of a numeric column, in each cell of `--by`: `income` for the median, or
    /// `income=0.9`.
    #[arg(long, value_name = "COLUMN[=SHARE]", conflicts_with = "policy")]
    quantile: Option<String>,
    /// A numeric column that says how many people of a population a row stands for: counts, means and
    /// quantiles with these weights.
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["policy", "min", "round"])]
    weight: Option<String>,
    /// For tables in print: suppress counts below this number. Totals are sums of the printed
    /// counts.
    #[arg(long, value_name = "NUMBER", requires = "by", conflicts_with_all = ["mean", "quantile"])]
    min: Option<u64>,
    /// For tables in print: round counts to multiples of this number.
    #[arg(long, value_name = "NUMBER", requires = "by", conflicts_with_all = ["mean", "quantile"], value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    round: Option<u64>,
    /// The policy that the release was made with: also counts in the owner's table, for the owner
    /// only.
    #[arg(long, value_name = "FILE", requires = "conditions", conflicts_with = "by")]
    policy: Option<PathBuf>,
    /// Read this table instead of the policy's (`-`: standard input).
    #[arg(long, value_name = "FILE", requires = "policy")]
    input: Option<PathBuf>,
    /// Draw this many synthetic rows from the release.
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["conditions", "by", "mean", "quantile", "weight"],
        requires = "out"
    )]
    sample: Option<usize>,
    /// The file for the synthetic rows (`.csv`, `.csv.gz`, `.csv.zst`, `.parquet`).
    #[arg(long, value_name = "FILE", requires = "sample")]
    out: Option<PathBuf>,
    #[command(flatten)]
    work: FitWork,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

/// How much work goes into a fit.
#[derive(clap::Args)]
pub(crate) struct FitWork {
    /// Number of completed tables that are published and fitted again, to estimate bias and errors;
    /// 0 for none [default: 8].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=Effort::MOST_WORLDS as i64))]
    worlds: Option<u32>,
    /// Seed of random draws: the same seed gives the same figures [default: 1].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

impl FitWork {
    pub(crate) fn effort(&self) -> Effort {
        let usual = Effort::default();
        Effort {
            worlds: self.worlds.map_or(usual.worlds, |worlds| worlds as usize),
            seed: self.seed.unwrap_or(usual.seed),
        }
    }
}

/// The number of synthetic rows and the file that contains them.
#[derive(serde::Serialize)]
struct Sampled {
    rows: usize,
    out: PathBuf,
}

pub(crate) fn run(arguments: QueryArguments) -> Result<Outcome, Error> {
    if let (Some(rows), Some(out)) = (arguments.sample, arguments.out) {
        if rows == 0 {
            let problem = "`--sample 0` requests no rows";
            return Err(Error::new(Location::default(), problem));
        }
        query::sample(&arguments.release, rows, &out, arguments.work.seed)?;
        if arguments.json {
            print_json(&Sampled { rows, out })?
        } else {
            say!("Wrote {} to {}.", counted(rows as u128, "synthetic row"), out.display())
        }
        return Ok(Outcome::Done);
    }
    let effort = arguments.work.effort();
    let has_numbers = [&arguments.mean, &arguments.quantile, &arguments.weight];
    if !arguments.by.is_empty() || has_numbers.iter().any(|own| own.is_some()) {
        super::refuse_empty("--by", &arguments.by)?;
        let request = Request {
            statistic: statistic(arguments.mean, arguments.quantile.as_deref())?,
            conditions: arguments.conditions,
            weight: arguments.weight,
            by: arguments.by,
        };
        let reader = Reader::open(&arguments.release)?.with_effort(effort);
        let table = reader.crosstab(&request)?;
        if arguments.min.is_some() || arguments.round.is_some() {
            let rounding =
                Rounding { least: arguments.min.unwrap_or(0), base: arguments.round.unwrap_or(1) };
            let table = RoundedTable::new(&table, rounding);
            if arguments.json { print_json(&table)? } else { print_rounded(&table) }
        } else if arguments.json {
            print_json(&table)?
        } else {
            print_table(&table)
        }
        return Ok(Outcome::Done);
    }
    let read = |path| Policy::read_with(path, arguments.input.as_deref());
    let policy = arguments.policy.as_deref().map(read).transpose()?;
    let conditions = arguments.conditions.unwrap_or_default();
    // Report a syntax error before the release is read, which may take long.
    query::parse(&conditions)?;
    let reader = Reader::open(&arguments.release)?.with_effort(effort);
    let answer = reader.count(&conditions, policy.as_ref())?;
    if arguments.json {
        print_json(&answer)?
    } else {
        print_text(&answer)
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
    for note in &answer.notes {
        say!("{}", entry("note", note));
    }
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

fn statistic(mean: Option<String>, quantile: Option<&str>) -> Result<Statistic, Error> {
    if let Some(column) = mean {
        return Ok(Statistic::Mean(column));
    }
    let Some(text) = quantile else {
        return Ok(Statistic::Count);
    };
    let Some((column, share)) = text.rsplit_once('=') else {
        return Ok(Statistic::Quantile(text.to_owned(), 0.5));
    };
    let share = share.trim().parse().map_err(|_| {
        let problem = format!("`--quantile {text}`: `{share}` is not a number");
        Error::new(Location::default(), problem)
            .help("write a share from 0 to 1, such as `income=0.9`")
    })?;
    Ok(Statistic::Quantile(column.trim().to_owned(), share))
}

fn print_table(table: &CrossTable) {
    let what = if table.by.is_empty() {
        table.statistic.clone()
    } else {
        format!("{} by {}", table.statistic, table.by.join(", "))
    };
    say!("{what}, of {}", counted(table.rows as u128, "row"));
    say!("");
    let mut header: Vec<&str> = table.by.iter().map(String::as_str).collect();
    header.extend(["estimate", "from", "to", "method"]);
    let mut printed = TextTable::new(header);
    for cell in &table.cells {
        let mut row: Vec<String> = cell.of.iter().map(|(_, value)| text(value)).collect();
        match &cell.figure {
            None => row.extend(["-", "-", "-", "nobody"].map(str::to_owned)),
            Some(figure) => {
                let numbers = [figure.estimate, figure.interval[0], figure.interval[1]];
                row.extend(numbers.map(|number| format!("{number:.1}")));
                row.push(figure.method.to_owned());
            }
        }
        printed.row(row);
    }
    say!("{}", printed.render());
    if let Some(IndependenceEntry { chi2, freedom, p }) = table.independence {
        let words = format!("χ² {chi2:.1} with {freedom:.1} degrees of freedom, p = {p:.2e}");
        say!("{}", entry("independence", &words));
    }
    for note in &table.notes {
        say!("{}", entry("note", note));
    }
}

fn print_rounded(table: &RoundedTable) {
    let mut header: Vec<&str> = table.by.iter().map(String::as_str).collect();
    header.push("count");
    let mut printed = TextTable::new(header);
    for cell in table.cells.iter().chain(&table.totals) {
        let mut row: Vec<String> = cell.of.iter().map(|(_, value)| text(value)).collect();
        row.push(cell.count.map_or_else(|| format!("< {}", table.min), |count| count.to_string()));
        printed.row(row);
    }
    say!("{}", printed.render());
    for note in &table.notes {
        say!("{}", entry("note", note));
    }
}

/// Returns a value as text, strings without quotes.
fn text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
