use super::{delimiter, print_json};
use crate::Outcome;
use crate::progress::StageBars;
use crate::table::{TextTable, counted, entry, thousands};
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::write::{Viewer, check_beside, write_new};
use openveil_io::source::{Encoding, Source};
use openveil_io::{Error, Location, printable};
use openveil_tools::inspect::{
    Aim, Inspected, Inspection, Preset, Said, StarterWish, costs, inspect, with_costs,
};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct InspectArguments {
    /// The table: CSV (also .gz, .zst), Parquet, Arrow, a workbook (.xlsx, .xls, .ods), a
    /// folder of such files, or `-` for standard input.
    table: PathBuf,
    /// Delimiter of a CSV file (`\t` for a tab) [default: guessed].
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// Encoding of a CSV file: `utf-8`, `windows-1252`, `utf-16`, … [default: guessed].
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// The sheet of a workbook to read [default: the first].
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// Rules for columns that the starter policy drops or coarsens.
    #[arg(long, value_name = "NAME")]
    preset: Option<StarterRules>,
    /// Propose style, floors and l for this aim, with the reason.
    #[arg(long, value_name = "AIM", value_enum)]
    aim: Option<AimName>,
    /// With `--aim`: measure the cost of styles and l on sample rows. The sample is drawn into this
    /// file; leave it out later with `publish --without-sample`.
    #[arg(long, value_name = "FILE", requires = "aim")]
    sample: Option<PathBuf>,
    /// Number of rows of the sample [default: a tenth of the table, at least 1,000, at most half of
    /// it].
    #[arg(long, value_name = "N", requires = "sample")]
    sample_rows: Option<usize>,
    /// Trim blanks around fields.
    #[arg(long)]
    trim: bool,
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

/// The values of `--preset`: rules for a starter policy.
#[derive(Clone, Copy, clap::ValueEnum)]
enum StarterRules {
    /// The 18 identifiers of HIPAA's Safe Harbor.
    HipaaSafeHarbor,
    /// A file that anybody may download: ages in steps of 5, years, two characters of postal codes.
    PublicFile,
    /// A file for teaching: ages in steps of 10, years, no postal codes.
    TeachingFile,
}

/// The values of `--aim`: the aim of a release.
#[derive(Clone, Copy, clap::ValueEnum)]
enum AimName {
    /// A study of associations with the sensitive column.
    Study,
    /// Counts and cross-tables.
    Tables,
    /// A file for teaching.
    Teaching,
    /// A file that anybody may download.
    Public,
}

impl From<AimName> for Aim {
    fn from(name: AimName) -> Self {
        match name {
            AimName::Study => Self::Study,
            AimName::Tables => Self::Tables,
            AimName::Teaching => Self::Teaching,
            AimName::Public => Self::Public,
        }
    }
}

pub(crate) fn run(arguments: InspectArguments) -> Result<Outcome, Error> {
    let source = Source { trim: arguments.trim, ..Source::new(&arguments.table) };
    let is_wished = arguments.preset.is_some() || arguments.aim.is_some();
    if is_wished && arguments.json && arguments.policy.is_none() {
        let problem = "`--preset` and `--aim` shape the starter policy, and with `--json` alone no policy is written";
        return Err(Error::new(Location::default(), problem)
            .help("name the policy's file: `--policy FILE`"));
    }
    let said = said(&arguments)?;
    let bars = StageBars::new();
    bars.begin(Stage::Read, source.total_bytes());
    let found = inspect(&source, &said, &|bytes| bars.advance(bytes));
    bars.finish();
    let mut found = found?;
    if let Some(aim) = arguments.aim {
        found = found.for_aim(aim.into());
    }
    if arguments.json {
        print_json(&found.inspection)?
    } else {
        print_text(&found.inspection);
        if let Some(aim) = arguments.aim {
            say!("{}", entry("aim", Aim::from(aim).reason()));
        }
    }
    for note in &found.inspection.notes {
        note!("note: {}", printable(note));
    }
    let path = match (&arguments.policy, arguments.json) {
        (Some(path), _) => path.clone(),
        (None, true) => return Ok(Outcome::Done),
        (None, false) => default_policy(&arguments.table),
    };
    write_policy(&path, &arguments, found)?;
    Ok(Outcome::Done)
}

fn said(arguments: &InspectArguments) -> Result<Said, Error> {
    let encoding =
        arguments.encoding.as_deref().map(Encoding::named).transpose().map_err(|problem| {
            Error::new(Location::default(), problem)
                .help("usual ones are `utf-8`, `windows-1252` (Latin-1), `utf-16`, `iso-8859-2`")
        })?;
    Ok(Said {
        delimiter: arguments.delimiter.as_deref().map(delimiter).transpose()?,
        encoding,
        sheet: arguments.sheet.clone(),
    })
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
    let preset = arguments.preset.map(|rules| match rules {
        StarterRules::HipaaSafeHarbor => Preset::HipaaSafeHarbor,
        StarterRules::PublicFile => Preset::PublicFile,
        StarterRules::TeachingFile => Preset::TeachingFile,
    });
    let aim = arguments.aim.map(Aim::from);
    let rows = found.inspection.rows;
    let mut text = found.starter_policy(&table, StarterWish { preset, aim })?;
    if let (Some(file), Some(aim)) = (&arguments.sample, aim) {
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

fn print_text(inspection: &Inspection) {
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
            column.reason.clone(),
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
