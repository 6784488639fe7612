mod text;

use super::{as_json, print_json};
use crate::Outcome;
use crate::pictures;
use crate::progress::StageBars;
use openveil_io::Error;
use openveil_io::policy::{Extra, Policy};
use openveil_io::progress::Observer;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::write::{Viewer, check_beside};
use openveil_reader::attack;
use openveil_reader::attack::{AttackFindings, AttackOptions};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct AttackArguments {
    /// The folder of a release (as `publish` wrote it, or its `release/`). Several
    /// releases are put together, also of other people or (as a file) by other programs; the
    /// other attacks are on the first.
    #[arg(required = true, value_name = "RELEASE")]
    releases: Vec<PathBuf>,
    /// The policy that the release was made by: it names the owner's table.
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Read this table instead of the policy's (`-`: standard input).
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The category of each sensitive value, one line `value;category` per value.
    #[arg(long, value_name = "FILE")]
    categories: Option<PathBuf>,
    /// How many people to attack by re-running.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Which people: another seed attacks others.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Also name the rows of the people found. Not for anybody else's eyes.
    #[arg(long)]
    owner: bool,
    /// Also measure what readers guess who know how values go with quasi-identifiers, from
    /// half of the table or another one, before the release and with it.
    #[arg(long)]
    correlations: bool,
    /// The table that those readers know everybody's value of: the same columns, other people.
    #[arg(long, value_name = "FILE", requires = "correlations")]
    public: Option<PathBuf>,
    /// Also make so many releases of the policy's table, one independently of the other, and
    /// say how many people they make certain together.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    independent: Option<u32>,
    /// Play a reader who knows which rows share their value, such as those of a household, and intersects their
    /// groups; COLUMN says which, or the policy's [ties]. Nothing else is played then.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, conflicts_with_all = ["correlations", "independent", "categories", "owner", "plots"])]
    ties: Option<Option<String>>,
    /// Also write pictures of what was found into this folder: not for publication.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: AttackArguments) -> Result<Outcome, Error> {
    let policy = Policy::read_with(&arguments.policy, arguments.input.as_deref())?;
    if arguments.ties.is_none() {
        policy.allow(Extra::Attack)?;
    }
    if let Some(folder) = &arguments.plots {
        check_beside(folder)?;
        policy.allow(Extra::AttackPictures)?;
    }
    let options = arguments.options();
    let bars = StageBars::new();
    let releases: Vec<ReleasePlace> = arguments.releases.iter().map(Into::into).collect();
    let found = attack::of_policy(&policy, &releases, &options, &bars);
    bars.finish();
    let found = found?;
    if let (Some(folder), AttackFindings::Single(report)) = (&arguments.plots, &found) {
        pictures::write(folder, &attack::pictures(report), Viewer::Owner)?;
    }
    match (&found, arguments.json) {
        (_, true) => print_json(&found)?,
        (AttackFindings::Several(report), false) => text::several(report),
        (AttackFindings::Single(report), false) => text::single(report),
        (AttackFindings::Ties(report), false) => text::ties(report),
    }
    Ok(if found.promise_broken() {
        Outcome::PromiseBroken
    } else {
        Outcome::Done
    })
}

/// Returns the findings as a document for programs.
pub(crate) fn answer(
    policy: &Policy,
    releases: &[ReleasePlace],
    options: &AttackOptions,
    observer: &dyn Observer,
) -> Result<String, Error> {
    as_json(&attack::of_policy(policy, releases, options, observer)?)
}

impl AttackArguments {
    pub(crate) fn options(&self) -> AttackOptions {
        AttackOptions {
            sample: self.sample as usize,
            seed: self.seed,
            categories: self.categories.clone(),
            owner: self.owner,
            correlations: self.correlations,
            independent: self.independent.unwrap_or(0) as usize,
            public: self.public.clone(),
            ties: self.ties.clone(),
        }
    }
}
