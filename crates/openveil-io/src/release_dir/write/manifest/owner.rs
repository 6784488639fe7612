//! Figures that stay with the owner.

use super::{AssociationKept, MeasuredCorrelations, QueryError, TrueCounts};
use crate::release_dir::sha256;
use openveil_text::Text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Figures that stay with the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Owner {
    /// Why this file must not be published.
    pub warning: String,
    /// The files of the release that this file belongs to, each with its SHA-256; empty in folders
    /// of earlier versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub release: BTreeMap<String, String>,
    /// The policy of the run.
    pub policy: String,
    /// The input files.
    pub input: Vec<String>,
    /// Number of rows of the input, before any were left out.
    pub input_rows: usize,
    /// Number of rows without a value, per column.
    pub missing: BTreeMap<String, usize>,
    /// Things about the input that the owner should know.
    pub warnings: Vec<Text>,
    /// Questions that only the owner can answer; equal for every table with these columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<Text>,
    /// Milliseconds per stage.
    pub timings_ms: BTreeMap<String, f64>,
    /// The test seed; none if random draws came from the operating system.
    pub test_seed: Option<u64>,
    /// The error of count queries, measured with the true values if requested.
    pub query_errors: Vec<QueryError>,
    /// With rules: the distance of a reader's estimate of the joint distribution from the table
    /// (Kullback–Leibler, in nats), measured with the true values if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<f64>,
    /// How much of the association with each sensitive column the release retains; measured with
    /// the true values up to a million rows, or if requested.
    pub association: Vec<AssociationKept>,
    /// The columns of the table beside the columns of the release; empty without a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distributions: Vec<TrueCounts>,
    /// Guesses of readers who know correlations, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlations: Option<MeasuredCorrelations>,
    /// Explanation of `l-cover.csv` in the same folder, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

impl Owner {
    /// Returns whether the files in a folder are the ones that this file belongs to, as far as it
    /// names them.
    pub(crate) fn belongs_to(&self, release: &Path) -> bool {
        // The file is untrusted: it may name any file.
        let is_inside = |name: &str| {
            let mut parts = Path::new(name).components();
            parts.all(|part| matches!(part, Component::Normal(_)))
        };
        let is_own = |name: &str, hash: &str| {
            is_inside(name) && sha256(&release.join(name)).is_ok_and(|own| own == hash)
        };
        self.release.iter().all(|(name, hash)| is_own(name, hash))
    }
}
