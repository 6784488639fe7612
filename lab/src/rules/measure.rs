//! Measures the quality of an estimate.

use super::Dataset;
use openveil_rules::RulesError;
use openveil_rules::estimate::{Estimate, OwnerQueries, divergence};

/// Returns divergence and mean relative error.
///
/// # Errors
/// An estimate that lacks a column.
pub fn quality(
    data: &Dataset,
    estimate: &Estimate,
    workload: &OwnerQueries,
) -> Result<(f64, f64), RulesError> {
    let divergence = divergence(&data.records, estimate)?;
    Ok((divergence, workload.errors(estimate)?.relative.unwrap_or_default()))
}
