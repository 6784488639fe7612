use super::distances::{TableDistance, product, surplus};
use super::numbers::{Share, at_most, below, compare};
use super::{CheckedGroup, Whole, logarithms};
use crate::exact::Rational;
use std::cmp::Ordering;

/// The protected values of a group with their counts.
fn protected<'a>(
    group: &'a CheckedGroup<'_>,
    whole: &'a Whole<'_>,
) -> impl Iterator<Item = (usize, u64)> + 'a {
    group.counts.iter().copied().filter(|&(value, _)| whole.protected[value])
}

pub(super) fn none_exceeds(bound: Share, group: &CheckedGroup<'_>, whole: &Whole<'_>) -> bool {
    let exceeds = |count| compare(group.share(count), bound) == Ordering::Greater;
    !protected(group, whole).any(|(_, count)| exceeds(count))
}

/// No protected value with a share of at most `rho1` in the table has a share of `rho2` or more in
/// the group.
pub(super) fn none_breaks(
    (rho1, rho2): (Rational, Rational),
    group: &CheckedGroup<'_>,
    whole: &Whole<'_>,
    table: &TableDistance<'_>,
) -> bool {
    protected(group, whole)
        .filter(|&(value, _)| at_most(table.share(value), rho1))
        .all(|(_, count)| below(group.share(count), rho2))
}

/// For all protected values of shares p > q: (p − q)/q ≤ β, and ≤ −ln q if enhanced.
pub(super) fn are_alike(
    (beta, enhanced): (Rational, bool),
    group: &CheckedGroup<'_>,
    whole: &Whole<'_>,
    table: &TableDistance<'_>,
) -> bool {
    protected(group, whole).all(|(value, count)| {
        let in_table = whole.counts[value];
        let excess = surplus(count, table.rows(), in_table, group.size);
        // (p − q)/q = (c·N − C·n) / (C·n)
        let gained = product(in_table, group.size);
        let ln_q = [(1, in_table), (-1, table.rows())];
        excess <= 0
            || at_most((excess.unsigned_abs(), gained), beta)
                && (!enhanced || logarithms::sign(&ln_q, (excess, gained)) != Ordering::Greater)
    })
}

/// For all protected values of the table: p/q and q/p are below e^δ.
pub(super) fn disclose_less_than(
    delta: Rational,
    group: &CheckedGroup<'_>,
    whole: &Whole<'_>,
    table: &TableDistance<'_>,
) -> bool {
    let limit = (-i128::from(*delta.numer()), (*delta.denom()).into());
    let present = protected(group, whole).count();
    present == table.protected_values()
        && protected(group, whole).all(|(value, count)| {
            // ln p/q = ln c + ln N − ln n − ln C
            let ratio = |sign: i128| {
                [
                    (sign, count),
                    (sign, table.rows()),
                    (-sign, group.size),
                    (-sign, whole.counts[value]),
                ]
            };
            let below = |sign| logarithms::sign(&ratio(sign), limit) == Ordering::Less;
            below(1) && below(-1)
        })
}
