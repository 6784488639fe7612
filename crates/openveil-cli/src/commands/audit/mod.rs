mod junit;
mod rows;
mod text;
mod utility;

use super::print_json;
use crate::Outcome;
use crate::progress::StageBars;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::write::check_found;
use openveil_requests::Audit;
use openveil_tools::audit::{audit, held, manifest_check};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct AuditArguments {
    /// The table: CSV (also .gz, .zst), Parquet, `-`, or a folder that `publish` wrote. A folder is
    /// also checked against its own manifest; exit code 1 if it differs.
    table: PathBuf,
    /// A policy with the roles of columns and the required model. Exit code 1 if the table does not
    /// satisfy it.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// With `--measure`: the table that the release was made from, if it is not the policy's.
    #[arg(long, value_name = "FILE", requires = "measure")]
    input: Option<PathBuf>,
    #[command(flatten)]
    request: Audit,
    /// Also write the risks of each row as CSV, for the owner only.
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Also write the checks as JUnit XML, which CI systems show.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: AuditArguments) -> Result<Outcome, Error> {
    let (json, junit) = (arguments.json, arguments.junit.clone());
    let mut read = vec![arguments.table.clone()];
    read.extend(arguments.policy.iter().chain(&arguments.input).cloned());
    if let Some(path) = &junit {
        check_found(path, junit::BEGINS, &read)?;
    }
    let rows = arguments.rows.clone();
    if let Some(path) = &rows {
        check_found(path, rows::BEGINS, &read)?;
    }
    let policy =
        arguments.policy.as_deref().map(|path| Policy::read_with(path, arguments.input.as_deref()));
    let request =
        arguments.request.request(arguments.table, policy.transpose()?, rows.is_some())?;
    if let Some(held) = held(&request)? {
        if let Some(path) = junit {
            junit::write(&path, &held.table, &[manifest_check(&held.checked)])?;
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
        check_found(&path, rows::BEGINS, &read)?;
        let risks = report.disclosure.as_ref().map_or(&[][..], |own| &own.rows);
        rows::write(&path, risks)?;
    }
    if let Some(path) = junit {
        // Check again: another program may have written the file during the audit.
        check_found(&path, junit::BEGINS, &read)?;
        junit::write(&path, &report.table, &report.checks())?;
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
