mod text;

use super::print_json;
use crate::Outcome;
use crate::pictures;
use crate::progress::StageBars;
use openveil_io::Error;
use openveil_io::policy::{Extra, Policy};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::write::{Viewer, check_beside};
use openveil_reader::attack;
use openveil_reader::attack::AttackFindings;
use openveil_requests::Attack;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct AttackArguments {
    /// The folder of a release (as `publish` wrote it, or its `release/`). With several releases,
    /// the reader combines them; they may be of other people or (as a file) from other programs.
    /// The other attacks use the first one only.
    #[arg(required = true, value_name = "RELEASE")]
    releases: Vec<PathBuf>,
    /// The policy that the release was made with. It names the owner's table.
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Read this table instead of the policy's (`-`: standard input).
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    #[command(flatten)]
    request: Attack,
    /// Also write pictures of the findings into this folder (not for publication).
    #[arg(long, value_name = "DIR", conflicts_with = "ties")]
    plots: Option<PathBuf>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: AttackArguments) -> Result<Outcome, Error> {
    let policy = Policy::read_with(&arguments.policy, arguments.input.as_deref())?;
    if arguments.request.ties.is_none() {
        policy.allow(Extra::Attack)?;
    }
    if let Some(folder) = &arguments.plots {
        check_beside(folder)?;
        policy.allow(Extra::AttackPictures)?;
    }
    let bars = StageBars::new();
    let releases: Vec<ReleasePlace> = arguments.releases.iter().map(Into::into).collect();
    let found = arguments.request.run(&policy, &releases, &bars);
    bars.finish();
    let found = found?;
    if let Some(folder) = &arguments.plots {
        let drawn = found
            .of_columns()
            .into_iter()
            .flat_map(|(column, report)| attack::pictures(column, report));
        pictures::write(folder, &drawn.collect::<Vec<_>>(), Viewer::Owner)?;
    }
    match (&found, arguments.json) {
        (_, true) => print_json(&found)?,
        (AttackFindings::Several(report), false) => text::several(report),
        (AttackFindings::Single(report), false) => text::single(report),
        (AttackFindings::Each(report), false) => text::each(report),
        (AttackFindings::Ties(report), false) => text::ties(report),
    }
    Ok(if found.promise_broken() { Outcome::PromiseBroken } else { Outcome::Done })
}
