use super::print_json;
use crate::Outcome;
use crate::progress::StageBars;
use crate::table::{TextTable, counted, entry, thousands};
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::write::{Viewer, check_beside, write_new};
use openveil_io::source::Source;
use openveil_io::{Error, Location, printable};
use openveil_requests::Inspect;
use openveil_requests::value::whole;
use openveil_text::Text;
use openveil_tools::inspect::{Inspected, Inspection, costs, with_costs};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct InspectArguments {
    /// The table: CSV (also .gz, .zst), Parquet, Arrow, a workbook (.xlsx, .xls, .ods), a
    /// folder of such files, or `-` for standard input.
    table: PathBuf,
    #[command(flatten)]
    request: Inspect,
    /// With `--aim`: measure the cost of styles and l on sample rows. The sample is drawn into this
    /// file; leave it out later with `publish --without-sample`.
    #[arg(long, value_name = "FILE", requires = "aim")]
    sample: Option<PathBuf>,
    /// Number of rows of the sample [default: a tenth of the table, at least 1,000, at most half of
    /// it].
    #[arg(long, value_name = "N", requires = "sample", value_parser = whole::<usize>)]
    sample_rows: Option<usize>,
    /// Where to write the starter policy [default: NAME.policy.toml].
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Print a JSON document instead of text. A policy is then written only with --policy.
    #[arg(long)]
    json: bool,
}

/// The smallest number of sample rows without `--sample-rows`. A table with less than twice as
/// many rows gives half of its rows.
const LEAST_SAMPLE: usize = 1_000;

pub(crate) fn run(arguments: InspectArguments) -> Result<Outcome, Error> {
    let source = Source::new(&arguments.table);
    let request = &arguments.request;
    let is_wished = request.preset.is_some() || request.aim.is_some();
    if is_wished && arguments.json && arguments.policy.is_none() {
        let problem = "`--preset` and `--aim` shape the starter policy, and with `--json` alone no policy is written";
        return Err(Error::new(Location::default(), problem)
            .help("name the policy's file: `--policy FILE`"));
    }
    let bars = StageBars::new();
    bars.begin(Stage::Read, source.total_bytes());
    let found = request.run(source, &|bytes| bars.advance(bytes));
    bars.finish();
    let found = found?;
    if arguments.json {
        print_json(&found.inspection)?
    } else {
        print_text(&found.inspection, found.starter_roles(request.wish()));
        if let Some(aim) = request.wish().aim {
            say!("{}", entry("aim", aim.reason()));
        }
    }
    for note in &found.inspection.notes {
        note!("note: {}", printable(&note.to_string()));
    }
    let path = match (&arguments.policy, arguments.json) {
        (Some(path), _) => path.clone(),
        (None, true) => return Ok(Outcome::Done),
        (None, false) => default_policy(&arguments.table),
    };
    write_policy(&path, &arguments, found)?;
    Ok(Outcome::Done)
}

/// Returns the default path of the starter policy, in the working folder: `people.policy.toml` for
/// `data/people.csv.gz`.
fn default_policy(table: &Path) -> PathBuf {
    let name =
        table.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let stem = name
        .split('.')
        .find(|part| !part.is_empty() && *part != "-" && !part.contains(['*', '?', '[']))
        .unwrap_or("table");
    PathBuf::from(format!("{stem}.policy.toml"))
}

fn is_there(path: &Path) -> Error {
    let problem = "exists already; the starter policy was not written";
    Error::new(Location::file(path), problem).help("name another file with `--policy`")
}

fn write_policy(path: &Path, arguments: &InspectArguments, found: Inspected) -> Result<(), Error> {
    if path.exists() {
        return Err(is_there(path));
    }
    check_beside(path)?;
    // Paths in a policy are relative to its folder, not to the working folder.
    let beside = path.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    let table = if beside || found.source.is_stdin() {
        arguments.table.clone()
    } else {
        std::path::absolute(&arguments.table)
            .map_err(|cause| Error::io(&arguments.table, "resolve the path", &cause))?
    };
    let wish = arguments.request.wish();
    let rows = found.inspection.rows;
    let mut text = found.starter_policy(&table, wish)?;
    if let (Some(file), Some(aim)) = (&arguments.sample, wish.aim) {
        let bars = StageBars::new();
        let usual = (rows / 10).max(LEAST_SAMPLE).min(rows / 2);
        let is_drawn = file.exists() && arguments.sample_rows.is_none();
        let sample_rows = arguments.sample_rows.or((!is_drawn).then_some(usual));
        let sample = (&**file, sample_rows);
        let costs = costs(&text, path, sample, &bars);
        bars.finish();
        text = with_costs(&text, aim, &costs?);
    }
    // `exists` is false for a link whose target is missing. `write_new` refuses such a link instead
    // of creating the target.
    if !write_new(path, text.as_bytes(), Viewer::Everybody)? {
        return Err(is_there(path));
    }
    note!(
        "wrote a starter policy to {}; correct its roles, then run `openveil publish {0}`",
        path.display()
    );
    Ok(())
}

fn print_text(inspection: &Inspection, roles: Vec<(&'static str, Text)>) {
    say!("{}: {}", printable(&inspection.path), counted(inspection.rows as u128, "row"));
    say!("");
    let mut table = TextTable::new([
        "column",
        "type",
        "distinct",
        "unique",
        "missing",
        "most frequent",
        "share",
        "largest l",
        "guessed role",
        "because",
    ]);
    for (column, (role, why)) in inspection.columns.iter().zip(roles) {
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
            role.to_owned(),
            why.to_string(),
        ]);
    }
    say_on!("{}", table.render());
    let harbor: Vec<String> = inspection
        .columns
        .iter()
        .filter_map(|column| Some(format!("{} ({})", column.name, column.safe_harbor?)))
        .collect();
    if !harbor.is_empty() {
        say!("");
        say!("{}", entry("HIPAA", &format!("Safe Harbor identifiers: {}", harbor.join("; "))));
    }
    if let Some(choice) = &inspection.starter {
        say!("");
        let sensitive = &choice.sensitive;
        say!(
            "{}",
            entry(
                "protect",
                &format!(
                    "`{sensitive}` with l = {} (at most {}): {}",
                    choice.l, choice.largest_l, choice.reason
                )
            )
        );
        if let Some(exempt) = &choice.exempt {
            let words = format!(
                "`{exempt}` is so frequent that it is left unprotected (exempt); β-likeness would protect it too, but all values less strongly"
            );
            say!("{}", entry("exempt", &words));
        }
    }
}
