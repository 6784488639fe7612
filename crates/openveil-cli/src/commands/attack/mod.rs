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
    /// A file with the category of each sensitive value: one line `value;category` per value.
    #[arg(long, value_name = "FILE")]
    categories: Option<PathBuf>,
    /// Number of people to attack by re-running the algorithm.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Seed for the choice of people: another seed attacks other people.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Also list the rows of the people found, for the owner only.
    #[arg(long)]
    owner: bool,
    /// Also measure the guesses of readers who know how values go with quasi-identifiers, with and
    /// without the release. They learn it from half of the table or from another table.
    #[arg(long)]
    correlations: bool,
    /// The table whose values those readers know: with the same columns, about other people.
    #[arg(long, value_name = "FILE", requires = "correlations")]
    public: Option<PathBuf>,
    /// Also make this many independent releases of the policy's table, and count the people whose
    /// value they disclose together.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    independent: Option<u32>,
    /// Attack as a reader who knows which rows share their value, such as the rows of a household,
    /// and intersects their groups. COLUMN identifies them [default: the policy's [ties]]. No other
    /// attack is run.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, conflicts_with_all = ["correlations", "independent", "categories", "owner", "plots"])]
    ties: Option<Option<String>>,
    /// Also write pictures of the findings into this folder (not for publication).
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

/// Returns the findings as a JSON document.
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
