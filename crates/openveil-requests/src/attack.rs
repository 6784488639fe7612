//! `attack`: what a release discloses, with the owner's table at hand.

use crate::value::{self, given};
use crate::{Given, positive, within};
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::progress::Observer;
use openveil_io::release_dir::ReleasePlace;
use openveil_reader::attack::{self, AttackFindings, AttackOptions};
use serde::Deserialize;
use std::path::PathBuf;

/// Options of attacks on releases.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Attack {
    /// A file with the category of each sensitive value: one line `value;category` per value.
    #[arg(long, value_name = "FILE")]
    pub categories: Option<PathBuf>,
    /// Number of people to attack by re-running the algorithm.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = value::whole::<u32>)]
    pub sample: u32,
    /// Seed for the choice of people: another seed attacks other people.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value::whole::<u64>)]
    pub seed: u64,
    /// Also list the rows of the people found, for the owner only.
    #[arg(long)]
    pub owner: bool,
    /// Also measure the guesses of readers who know how values go with quasi-identifiers, with and
    /// without the release. They learn it from half of the table or from another table.
    #[arg(long)]
    pub correlations: bool,
    /// The table whose values those readers know: with the same columns, about other people.
    #[arg(long, value_name = "FILE")]
    pub public: Option<PathBuf>,
    /// Also make this many independent releases of the policy's table, and count the people whose
    /// value they disclose together.
    #[arg(long, value_name = "N", value_parser = value::whole::<u32>)]
    pub independent: Option<u32>,
    /// Attack as a reader who knows which rows share their value, such as the rows of a household,
    /// and intersects their groups. COLUMN identifies them [default: the policy's `[ties]`]. No other
    /// attack is run.
    #[arg(long, value_name = "COLUMN", num_args = 0..=1)]
    #[serde(deserialize_with = "given::ties")]
    pub ties: Option<Option<String>>,
}

impl Attack {
    /// Attacks releases of a policy's table; `observer` learns how far it is.
    ///
    /// # Errors
    /// As [`attack::of_policy`]; options that exclude each other.
    pub fn run(
        &self,
        policy: &Policy,
        releases: &[ReleasePlace],
        observer: &dyn Observer,
    ) -> Result<AttackFindings, Error> {
        let options = self.options()?;
        attack::of_policy(policy, releases, &options, observer)
    }

    fn options(&self) -> Result<AttackOptions, Error> {
        positive("sample", self.sample)?;
        within("independent", self.independent.unwrap_or(1), 1..=1000)?;
        Given::new([
            ("categories", self.categories.is_some()),
            ("owner", self.owner),
            ("correlations", self.correlations),
            ("public", self.public.is_some()),
            ("independent", self.independent.is_some()),
            ("ties", self.ties.is_some()),
        ])
        .needs("public", "correlations")?
        .excludes("ties", &["correlations", "independent", "categories", "owner"])?;
        Ok(AttackOptions {
            sample: self.sample as usize,
            seed: self.seed,
            categories: self.categories.clone(),
            owner: self.owner,
            correlations: self.correlations,
            independent: self.independent.unwrap_or(0) as usize,
            public: self.public.clone(),
            ties: self.ties.clone(),
        })
    }
}
