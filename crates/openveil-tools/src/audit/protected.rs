//! Restricts diversity measures to protected values: exempt values do not make a group less
//! diverse.

use super::report::ExemptReport;
use super::subject::AuditedSecret;
use super::{AuditRequest, GroupedTable};
use openveil_core::exact::Rational;
use openveil_core::table::Groups;
use openveil_measures::audit::{GroupCounts, Knowledge, Measures};

/// Replaces the measures of diversity by the measures of protected values. Groups with exempt
/// values only are ignored, and the highest share is of a protected value. In other groups exempt
/// values count as values. O(rows) if there are any.
pub(super) fn only(
    mut measures: Measures,
    counts: &GroupCounts,
    subject: &AuditedSecret,
    request: &AuditRequest,
    grouped: &GroupedTable,
) -> (Measures, Option<ExemptReport>) {
    let exempt = subject.sensitive.exempt();
    let highest = |group: &usize| {
        counts
            .group(*group)
            .entries()
            .iter()
            .filter(|(value, _)| !exempt[*value as usize])
            .map(|&(_, count)| u64::from(count))
            .max()
    };
    let kept: Vec<(usize, u64)> =
        (0..counts.len()).filter_map(|group| Some((group, highest(&group)?))).collect();
    let shares = kept.iter().map(|&(group, count)| {
        let size = u64::from(counts.sizes()[group]);
        Rational::new(count, size)
    });
    let (true, Some(highest_share)) = (exempt.contains(&true), shares.max()) else {
        return (measures, None);
    };
    let mut groups = Groups::with_capacity(grouped.raw.rows, kept.len());
    for &(group, _) in &kept {
        groups.push(grouped.groups.get(group).iter().copied());
    }
    let rows = grouped.raw.rows - groups.row_count();
    let counts_kept = subject.counts(&groups);
    let nothing = Knowledge::default();
    measures.diversity = Measures::new(&counts_kept, &nothing, &request.l).diversity;
    measures.diversity.highest_share = highest_share;
    let labels = (0..).zip(exempt).filter(|(_, exempt)| **exempt);
    let report = ExemptReport {
        values: labels.map(|(value, _)| subject.sensitive.label(value)).collect(),
        groups: counts.len() - kept.len(),
        rows,
    };
    (measures, Some(report))
}
