//! `compare`: settings side by side, before one is chosen.

use crate::value::{self, Lengths, given};
use crate::{Given, positive};
use openveil_io::Error;
use openveil_io::policy::{self, Policy};
use openveil_tools::compare::{Basis, CompareRequest};
use serde::Deserialize;
use std::path::PathBuf;

/// Options of a comparison of settings.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compare {
    /// Values of `l` to try instead of the policies': 2..8 (both ends count) or 2,4,6.
    #[arg(long, value_name = "VALUES")]
    pub l: Option<Lengths>,
    /// Algorithms to try instead of the policies'.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    #[serde(deserialize_with = "given::texts")]
    pub algorithm: Vec<String>,
    /// Styles to try instead of the policies'.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    #[serde(deserialize_with = "given::texts")]
    pub style: Vec<String>,
    /// Number of runs per setting.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = value::whole::<u32>)]
    pub trials: u32,
    /// Number of random count queries of each kind.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = value::whole::<u32>)]
    pub queries: u32,
    /// Measure on another table with the same columns, public or historic. Without it, the policy's
    /// table is measured with its sensitive column shuffled.
    #[arg(long, value_name = "FILE")]
    pub on: Option<PathBuf>,
    /// Measure on the sample in this file. If the file does not exist, the sample is drawn at
    /// random. Leave it out later with `publish --without-sample`.
    #[arg(long, value_name = "FILE")]
    pub sample: Option<PathBuf>,
    /// Number of rows of a sample that is drawn.
    #[arg(long, value_name = "N", value_parser = value::whole::<usize>)]
    pub sample_rows: Option<usize>,
    /// Measure the true values, for the owner only. A choice by these figures discloses values, and
    /// later releases with these policies say so.
    #[arg(long)]
    pub true_values: bool,
    /// Store finished trials here, and continue from them [default: beside the first policy, with
    /// the ending `.compare.json`].
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Repeat the random draws, for tests.
    #[arg(long, value_name = "N", value_parser = value::whole::<u64>)]
    pub test_seed: Option<u64>,
}

impl Compare {
    /// Returns the request for policies. Finished trials are stored only if `state` names a file.
    ///
    /// # Errors
    /// An algorithm or a style that does not exist; options that exclude each other.
    pub fn request(&self, policies: Vec<Policy>) -> Result<CompareRequest, Error> {
        positive("trials", self.trials)?;
        positive("queries", self.queries)?;
        Given::new([
            ("on", self.on.is_some()),
            ("sample", self.sample.is_some()),
            ("sample-rows", self.sample_rows.is_some()),
            ("true-values", self.true_values),
        ])
        .excludes("on", &["sample", "true-values"])?
        .excludes("sample", &["true-values"])?
        .needs("sample-rows", "sample")?;
        Ok(CompareRequest {
            policies,
            l: self.l.clone().map_or_else(Vec::new, |lengths| lengths.0),
            algorithms: self
                .algorithm
                .iter()
                .map(|name| policy::algorithm(name))
                .collect::<Result<_, _>>()?,
            styles: self.style.iter().map(|name| policy::style(name)).collect::<Result<_, _>>()?,
            basis: self.basis(),
            trials: self.trials,
            queries: self.queries as usize,
            state: self.state.clone(),
            test_seed: self.test_seed,
        })
    }

    fn basis(&self) -> Basis {
        match (&self.on, &self.sample) {
            _ if self.true_values => Basis::TrueValues,
            (Some(table), _) => Basis::On(table.clone()),
            (None, Some(file)) => Basis::Sample { file: file.clone(), rows: self.sample_rows },
            (None, None) => Basis::Shuffled,
        }
    }
}
