mod junit;
mod rows;
mod text;
mod utility;

use super::{delimiter, print_json};
use crate::Outcome;
use crate::progress::StageBars;
use openveil_core::model::CategoryWeights;
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::{Error, Location};
use openveil_tools::audit::{
    AuditRequest, Demand, DisclosureRequest, ForColumn, Population, audit, held,
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct AuditArguments {
    /// The table: CSV (also .gz, .zst), Parquet, `-`, or a folder that `publish` wrote. A folder is
    /// also checked against its own manifest; exit code 1 if it differs.
    table: PathBuf,
    /// A policy with the roles of columns and the required model. Exit code 1 if the table does not
    /// satisfy it.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// With `--measure`: the table that the release was made from, if it is not the policy's.
    #[arg(long, value_name = "FILE", requires = "measure")]
    input: Option<PathBuf>,
    /// The column with the group numbers [default: `group`, if there is one].
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// Quasi-identifiers. Rows that agree on them form a group [default: the policy's, or all other
    /// columns].
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    qi: Vec<String>,
    /// Sensitive columns [default: the policy's].
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// Let a suppressed cell (`*`, `NA`, or empty) match every value. The k of a row is then the
    /// number of rows that match it.
    #[arg(long)]
    wildcard: bool,
    /// Also measure every subset of up to this many known columns: the smallest group, and the
    /// share of rows that are alone.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    subsets: Option<u64>,
    /// The values of l for which recursive (c, l)-diversity is measured.
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        default_value = "2,3,4",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    l: Vec<u32>,
    /// A file with the categories of a sensitive column: lines `value;category`, most sensitive
    /// category first.
    #[arg(long, value_name = "[COLUMN=]FILE", value_parser = for_column)]
    categories: Vec<ForColumn>,
    /// The weights of categories in (l, α)-diversity.
    #[arg(long, value_enum, default_value_t = Scheme::Uniform)]
    weights: Scheme,
    /// The exponent of the sensitivity weights.
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    beta: u32,
    /// A file with the hierarchy of a sensitive column: lines `value;level1;…;*`, for the
    /// hierarchical distance.
    #[arg(long, value_name = "[COLUMN=]FILE", value_parser = for_column)]
    hierarchy: Vec<ForColumn>,
    /// A file with the values of a sensitive column in order, one per line, lowest first.
    #[arg(long, value_name = "[COLUMN=]FILE", value_parser = for_column)]
    order: Vec<ForColumn>,
    /// The population of which the table is a sample: a number of people, or a file with a table of
    /// them.
    #[arg(long, value_name = "FILE|NUMBER", value_parser = population)]
    population: Option<Population>,
    /// The sampling fraction (table / population), for estimates of population uniqueness [default:
    /// from `--population`].
    #[arg(long, value_name = "SHARE")]
    sampling_fraction: Option<f64>,
    /// A column with survey weights. Measures the re-identification risk of each row.
    #[arg(long, value_name = "COLUMN")]
    survey_weight: Option<String>,
    /// A column with the household of each row. With `--survey-weight`, also measures the risk that
    /// somebody of the household is found.
    #[arg(long, value_name = "COLUMN", requires = "survey_weight")]
    household: Option<String>,
    /// Search for rows that few known columns single out (SUDA2), in sets of up to this many
    /// columns.
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "3", value_parser = clap::value_parser!(u64).range(1..))]
    suda: Option<u64>,
    /// Also write the risks of each row as CSV, for the owner only.
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// The chance of being found above which a row counts as at risk.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.2)]
    risk_threshold: f64,
    /// Exit with code 1 if a measure is below a number: `l_ratio=4,k=5`.
    #[arg(long, value_name = "MEASURE=NUMBER", value_delimiter = ',')]
    fail_under: Vec<Demand>,
    /// Also write the checks as JUnit XML, which CI systems show.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also measure the utility of the release against the policy's table, for the owner only.
    #[arg(long, requires = "policy")]
    measure: bool,
    /// Delimiter of a CSV file (`\t` for a tab) [default: the policy's, or a comma; a release names
    /// its own].
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// Trim blanks around fields.
    #[arg(long)]
    trim: bool,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Scheme {
    /// Equal steps between categories.
    Uniform,
    /// Steps of 1/(i−1)^β: the most sensitive categories have the lowest weight.
    Sensitivity,
}

pub(crate) fn run(arguments: AuditArguments) -> Result<Outcome, Error> {
    let (json, junit) = (arguments.json, arguments.junit.clone());
    let mut read = vec![arguments.table.clone()];
    read.extend(arguments.policy.iter().chain(&arguments.input).cloned());
    if let Some(path) = &junit {
        super::check_found(path, junit::BEGINS, &read)?;
    }
    let rows = arguments.rows.clone();
    if let Some(path) = &rows {
        super::check_found(path, rows::BEGINS, &read)?;
    }
    let request = request(arguments)?;
    if let Some(held) = held(&request)? {
        if let Some(path) = junit {
            junit::write(&path, &held.table, vec![junit::case(&held.checked)])?;
        }
        if json {
            print_json(&held)?
        } else {
            text::print_held(&held)
        }
        return Ok(outcome(held.passes()));
    }
    let bars = StageBars::new();
    bars.begin(Stage::Read, request.total_bytes());
    let report = audit(&request, &|bytes| bars.advance(bytes));
    bars.finish();
    let report = report?;
    if let Some(path) = rows {
        super::check_found(&path, rows::BEGINS, &read)?;
        let risks = report.disclosure.as_ref().map_or(&[][..], |own| &own.rows);
        rows::write(&path, risks)?;
    }
    if let Some(path) = junit {
        // Check again: another program may have written the file during the audit.
        super::check_found(&path, junit::BEGINS, &read)?;
        junit::write(&path, &report.table, junit::cases(&report))?;
    }
    if json {
        print_json(&report)?
    } else {
        text::print(&report)
    }
    Ok(outcome(report.passes()))
}

fn outcome(passes: bool) -> Outcome {
    if passes { Outcome::Done } else { Outcome::PromiseBroken }
}

pub(crate) fn request(arguments: AuditArguments) -> Result<AuditRequest, Error> {
    if !(0.0..=1.0).contains(&arguments.risk_threshold) {
        return Err(Error::new(
            Location::default(),
            format!("--risk-threshold {} is not a probability", arguments.risk_threshold),
        )
        .help("choose a number from 0 to 1"));
    }
    if let Some(share) = arguments.sampling_fraction
        && !(share > 0.0 && share <= 1.0)
    {
        let problem = format!("--sampling-fraction {share} is not a share of a population");
        return Err(Error::new(Location::default(), problem)
            .help("choose a number above 0, up to 1 for all of it"));
    }
    let read = |path| Policy::read_with(path, arguments.input.as_deref());
    let policy = arguments.policy.as_deref().map(read).transpose()?;
    let separator = arguments.delimiter.map(|text| delimiter(&text)).transpose()?;
    Ok(AuditRequest {
        table: arguments.table.into(),
        delimiter: separator,
        trim: arguments.trim,
        policy,
        group: arguments.group,
        quasi_identifiers: arguments.qi,
        sensitive: arguments.sensitive,
        wildcard: arguments.wildcard,
        subsets: arguments.subsets.map(|most| most as usize),
        l: arguments.l,
        categories: arguments.categories,
        weights: match arguments.weights {
            Scheme::Uniform => CategoryWeights::Uniform,
            Scheme::Sensitivity => CategoryWeights::Sensitivity { beta: arguments.beta },
        },
        hierarchies: arguments.hierarchy,
        orders: arguments.order,
        population: arguments.population,
        disclosure: DisclosureRequest {
            sampling_fraction: arguments.sampling_fraction,
            weight: arguments.survey_weight,
            household: arguments.household,
            special: arguments.suda.map(|most| most as usize),
            rows: arguments.rows.is_some(),
        },
        risk_threshold: arguments.risk_threshold,
        demands: arguments.fail_under,
        measure: arguments.measure,
    })
}

/// Parses `COLUMN=FILE` or `FILE`.
fn for_column(text: &str) -> Result<ForColumn, String> {
    let (column, file) = match text.split_once('=') {
        Some((column, file)) => (Some(column.to_owned()), file),
        None => (None, text),
    };
    if file.is_empty() {
        Err("the name of a file is missing".to_owned())
    } else {
        Ok(ForColumn { column, file: file.into() })
    }
}

/// Parses a number of people. Any other text is the path of a table of them.
fn population(text: &str) -> Result<Population, String> {
    Ok(match text.replace(['_', ','], "").parse() {
        Ok(people) => Population::People(people),
        Err(_) => Population::Table(text.into()),
    })
}
