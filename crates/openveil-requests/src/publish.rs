//! `publish`: a release of a policy's table.

use crate::value::{self, Size, given};
use openveil_io::Error;
use openveil_io::policy::{self, Policy, ReadRows, Sample};
use openveil_publication::Options;
use openveil_text::Language;
use serde::Deserialize;
use std::path::PathBuf;

/// Options of a publication, beside its policy.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Publish {
    /// Use this algorithm instead of the policy's.
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<String>,
    /// Leave out the rows of a sample that `openveil compare --sample FILE` drew. Repeat it for
    /// several samples.
    #[arg(long, value_name = "FILE")]
    #[serde(deserialize_with = "given::several")]
    pub without_sample: Vec<PathBuf>,
    /// Also measure with the true values, for the owner's folder: the error of count queries, and
    /// the guesses of readers who know how values go with quasi-identifiers.
    #[arg(long)]
    pub measure: bool,
    /// Do not write the `report.html` files beside the release and for the owner.
    #[arg(long)]
    pub no_report: bool,
    /// Use about this much memory, such as `2GB`. A larger table is published in chunks, with its
    /// rows on disk [default: most of the free memory].
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// Also write, for the owner, which people can stand in for whom in the release (the l-cover of
    /// the table).
    #[arg(long)]
    pub certify: bool,
    /// Repeat the random draws, for tests and experiments. The release is marked unfit for
    /// publication.
    #[arg(long, value_name = "N", value_parser = value::whole::<u64>)]
    pub test_seed: Option<u64>,
    /// Publish although the algorithm discloses people's values to a reader who re-runs it.
    #[arg(long)]
    pub i_accept_algorithm_disclosure: bool,
}

impl Publish {
    /// Returns the options of the publication.
    pub fn options(&self) -> Options {
        Options {
            test_seed: self.test_seed,
            accept_algorithm_disclosure: self.i_accept_algorithm_disclosure,
            measure: self.measure,
            no_report: self.no_report,
            memory: self.memory.map(|size| size.0),
            certify: self.certify,
            language: Language::default(),
        }
    }

    /// Changes a policy as the options say.
    ///
    /// # Errors
    /// A sample that cannot be read, an algorithm that does not exist.
    pub fn apply(&self, policy: &mut Policy) -> Result<(), Error> {
        let samples: Vec<Sample> =
            self.without_sample.iter().map(|file| Sample::read(file)).collect::<Result<_, _>>()?;
        if !samples.is_empty() {
            policy.input.part = ReadRows::Without(samples);
        }
        if let Some(name) = &self.algorithm {
            policy.method.algorithm = policy::algorithm(name)?;
        }
        Ok(())
    }
}
