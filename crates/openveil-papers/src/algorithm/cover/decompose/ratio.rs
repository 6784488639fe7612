//! Ratio l-diversity: optimal for every eligible histogram.

use super::pack::pack;
use super::{Decomposition, ValueRun};
use openveil_core::model::{Ineligible, RatioDiversity};
use openveil_core::table::Histogram;

/// Decomposes a histogram into q = ⌊n/l⌋ groups of ⌊n/q⌋ or ⌈n/q⌉ rows: the
/// optimal discernability for every eligible histogram, with protected values in one
/// column of each unit only.
///
/// There are at most l + 2 units. If values can be combined to fill columns, nearly all groups are
/// in one unit. `exempt[v]` says that the value `v` needs no protection and may lie in several
/// columns of a unit. `order` lists values in an order that the user declared, so that every column
/// spans its whole range.
///
/// O(values · (l + log values)) time, and more for evening out (see `pack.rs`), independent of the
/// number of rows.
///
/// # Errors
/// [`Ineligible`] if a protected value is more frequent than one row in l.
pub fn decompose(
    histogram: &Histogram,
    exempt: &[bool],
    order: Option<&[u32]>,
    model: RatioDiversity,
) -> Result<Decomposition, Ineligible> {
    model.check_eligible(histogram, exempt)?;
    let groups = histogram.rows() / model.l();
    let line = pack(&runs(histogram), groups, order);
    Ok(Decomposition::of_line(line, groups, &|run: &ValueRun| exempt[run.value as usize]))
}

/// The values that occur.
pub(super) fn runs(histogram: &Histogram) -> Vec<ValueRun> {
    (0..)
        .zip(histogram.counts())
        .map(|(value, &count)| ValueRun { value, count })
        .filter(|run| run.count > 0)
        .collect()
}
