use super::{delimiter, print_json};
use crate::Outcome;
use crate::progress::Bars;
use crate::table::{Table, thousands};
use openveil_io::inspect::{Inspection, inspect, starter_policy};
use openveil_io::publish::{Observer, Stage};
use openveil_io::source::Source;
use openveil_io::{Error, Location};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The table: CSV (also .gz, .zst), Parquet, or `-` for standard input.
    table: PathBuf,
    /// What separates the fields of a CSV file (`\t` for a tab).
    #[arg(long, value_name = "CHARACTER", default_value = ",")]
    delimiter: String,
    /// Cut blanks around fields off.
    #[arg(long)]
    trim: bool,
    /// Where to write the starter policy [default: NAME.policy.toml].
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Print a JSON document instead of text; writes a policy only with --policy.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    let source = Source {
        delimiter: delimiter(&arguments.delimiter)?,
        trim: arguments.trim,
        ..Source::new(&arguments.table)
    };
    let bars = Bars::new();
    bars.begin(Stage::Read, source.total_bytes());
    let inspection = inspect(&source, &|bytes| bars.advance(bytes));
    bars.finish();
    let inspection = inspection?;
    match arguments.json {
        true => print_json(&inspection)?,
        false => print_text(&inspection),
    }
    point_out(&inspection);
    let path = match (&arguments.policy, arguments.json) {
        (Some(path), _) => path.clone(),
        (None, true) => return Ok(Outcome::Done),
        (None, false) => default_policy(&arguments.table),
    };
    write_policy(&path, &arguments, &source, &inspection)?;
    Ok(Outcome::Done)
}

/// Says what looks as if the table was read in the wrong way.
fn point_out(inspection: &Inspection) {
    if inspection.columns.len() == 1 {
        eprintln!(
            "note: only one column was found; is it separated by something else? (--delimiter)"
        );
    }
    for column in &inspection.columns {
        if let Some(reason) = &column.unusable {
            eprintln!(
                "note: the column `{}` {reason}; it can only be dropped",
                column.name
            );
        }
    }
    let blank = |name: &str| name.trim() != name;
    if inspection.columns.iter().any(|column| blank(&column.name)) {
        eprintln!("note: column names start or end with blanks; --trim cuts them off");
    }
    if inspection
        .columns
        .iter()
        .any(|column| column.name.trim().parse::<f64>().is_ok())
    {
        eprintln!(
            "note: the first line looks like data, not like a header; if it is, list column names as `names = [...]` under [input]"
        );
    }
}

/// `data/people.csv.gz` → `people.policy.toml` where the program runs.
fn default_policy(table: &Path) -> PathBuf {
    let name = table
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let stem = name
        .split('.')
        .find(|part| !part.is_empty() && *part != "-" && !part.contains(['*', '?', '[']))
        .unwrap_or("table");
    PathBuf::from(format!("{stem}.policy.toml"))
}

fn write_policy(
    path: &Path,
    arguments: &Arguments,
    source: &Source,
    inspection: &Inspection,
) -> Result<(), Error> {
    if path.exists() {
        return Err(Error::new(
            Location::file(path),
            "exists already; the starter policy was not written",
        )
        .help("name another file with `--policy`"));
    }
    // Paths in a policy start in its folder, not where the program runs.
    let beside = path
        .parent()
        .is_none_or(|folder| folder.as_os_str().is_empty());
    let table = match beside || source.is_stdin() {
        true => arguments.table.clone(),
        false => std::path::absolute(&arguments.table)
            .map_err(|cause| Error::io(&arguments.table, "resolve the path", &cause))?,
    };
    let as_written = Source {
        path: table,
        ..source.clone()
    };
    let text = starter_policy(inspection, &as_written);
    std::fs::write(path, text).map_err(|cause| Error::io(path, "write the policy", &cause))?;
    eprintln!(
        "wrote a starter policy to {}; correct its roles, then run `openveil publish {0}`",
        path.display()
    );
    Ok(())
}

fn print_text(inspection: &Inspection) {
    say!(
        "{}: {} rows",
        inspection.path,
        thousands(inspection.rows as u128)
    );
    say!("");
    let mut table = Table::new([
        "column",
        "type",
        "distinct",
        "unique",
        "missing",
        "most frequent",
        "share",
        "largest l",
        "guessed role",
    ]);
    for column in &inspection.columns {
        let mut top: String = column.top_value.chars().take(24).collect();
        if top.len() < column.top_value.len() {
            top.push('…');
        }
        table.row([
            column.name.clone(),
            column.value_type.to_owned(),
            thousands(column.distinct as u128),
            format!("{:.1} %", 100.0 * column.unique_share),
            thousands(column.missing as u128),
            top,
            format!("{:.1} %", 100.0 * column.top_share),
            column.largest_l.map_or("-".to_owned(), |l| l.to_string()),
            column.guessed_role.to_owned(),
        ]);
    }
    say_on!("{}", table.render());
}
