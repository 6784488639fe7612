//! How good an estimate is.

use super::Dataset;
use openveil_rules::Error;
use openveil_rules::estimate::{Estimate, Workload, divergence};

/// Divergence and mean relative error.
///
/// # Errors
/// If the estimate lacks a column.
pub fn quality(
    data: &Dataset,
    estimate: &Estimate,
    workload: &Workload,
) -> Result<(f64, f64), Error> {
    let divergence = divergence(&data.records, estimate)?;
    Ok((
        divergence,
        workload.errors(estimate)?.relative.unwrap_or_default(),
    ))
}
