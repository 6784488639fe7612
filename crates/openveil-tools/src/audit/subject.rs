//! The sensitive columns, each separately and all of them as one.

use super::target::AuditTarget;
use super::{AuditRequest, GroupedTable, lists};
use openveil_core::hierarchy::Hierarchy;
use openveil_core::table::{Column, Domain, Groups, Secret};
use openveil_io::Error;
use openveil_io::load::{MISSING_LABEL, recode};
use openveil_io::policy::{Policy, Role};
use openveil_io::release_dir::read::{is_exempt_set, members_of};
use openveil_io::source::RawColumn;
use openveil_measures::audit::GroupCounts;
use std::collections::BTreeSet;

/// One sensitive column, or all of them as one.
pub(super) struct AuditedSecret {
    pub(super) sensitive: Secret,
    /// Whether the order of the codes is meaningful.
    pub(super) ordered: bool,
    /// Whether it is the table's only sensitive column.
    pub(super) only: bool,
}

impl AuditedSecret {
    /// Returns every sensitive column; if there are several, followed by all of them as one.
    pub(super) fn all(
        request: &AuditRequest,
        target: &AuditTarget,
        grouped: &GroupedTable,
    ) -> Result<Vec<Self>, Error> {
        let raw = &grouped.raw;
        let columns: Vec<&RawColumn> =
            grouped.roles.sensitive.iter().map(|&index| &raw.columns[index]).collect();
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        lists::check(&request.categories, "categories", &names)?;
        lists::check(&request.hierarchies, "hierarchy", &names)?;
        lists::check(&request.orders, "order", &names)?;
        let only = columns.len() == 1;
        let mut subjects = Vec::new();
        for column in columns {
            subjects.push(Self::new(request, target, column, only)?);
        }
        if subjects.len() > 1 {
            subjects.push(Self::combined(request, target, &subjects));
        }
        Ok(subjects)
    }

    /// Returns one column, with its values in their order.
    fn new(
        request: &AuditRequest,
        target: &AuditTarget,
        column: &RawColumn,
        only: bool,
    ) -> Result<Self, Error> {
        let texts: Vec<String> = column.values.iter().map(str::to_owned).collect();
        let policy = protecting(request, target, &column.name);
        let (ranks, ordered) = ranks(request, policy, &column.name, &texts)?;
        let mut labels = vec![String::new(); texts.len()];
        for (text, &rank) in texts.into_iter().zip(&ranks) {
            labels[rank as usize] = text;
        }
        let tree = tree(request, policy, &column.name, &labels)?;
        let codes = recode(column.codes.clone(), &ranks);
        let columns = request.policy.as_ref().map(|policy| &policy.columns);
        let described = columns.map(|columns| columns.get(&column.name));
        let named: BTreeSet<&String> =
            described.flatten().iter().flat_map(|own| &own.exempt).collect();
        let has_sets = policy.is_some_and(|policy| policy.persons().is_some());
        let exempt = match described {
            None => released_exempt(target, Some(&column.name), &labels),
            Some(_) if has_sets => {
                labels.iter().map(|label| is_exempt_set(label, &named)).collect()
            }
            Some(_) => labels.iter().map(|label| named.contains(label)).collect(),
        };
        let members = has_sets.then(|| members_of(&labels, &named));
        let column = Column::new(column.name.clone(), codes, Domain::unordered(labels.clone()));
        let column = members.into_iter().fold(column, Column::with_members);
        let sensitive = Secret::from_column(&column).with_exempt(exempt);
        Ok(Self {
            sensitive: match tree {
                Some(tree) => sensitive.with_hierarchy(tree),
                None => sensitive,
            },
            ordered,
            only,
        })
    }

    /// Returns several columns as one. A value is a combination; it is exempt if all of its parts
    /// are, or the release says so.
    fn combined(request: &AuditRequest, target: &AuditTarget, parts: &[Self]) -> Self {
        let parts: Vec<Secret> = parts.iter().map(|part| part.sensitive.clone()).collect();
        let names = parts.iter().map(Secret::name);
        let each = request.policy.as_ref().and_then(Policy::each).and_then(|each| {
            let l: Option<Vec<u32>> = names.map(|name| each.l.get(name).copied()).collect();
            Some((l?, each.linked))
        });
        let mut sensitive = match each {
            Some((l, linked)) => Secret::of_each(&parts, &l, linked),
            None => Secret::combination(&parts),
        };
        // Where each column is protected by itself, no combination is named.
        let is_named = target.release.as_ref().is_some_and(|own| own.manifest.each.is_none());
        if request.policy.is_none() && is_named {
            let exempt = released_exempt(target, None, &sensitive.labels());
            sensitive = sensitive.with_exempt(exempt);
        }
        Self { sensitive, ordered: false, only: false }
    }

    /// Counts its values in each group.
    pub(super) fn counts(&self, groups: &Groups) -> GroupCounts {
        GroupCounts::count(groups, self.sensitive.codes(), self.sensitive.values())
    }

    /// Returns all values by code.
    pub(super) fn labels(&self) -> Vec<String> {
        self.sensitive.labels()
    }
}

/// Returns the policy, if it protects a column. For a known column, an order or a tree describes
/// the coarsening, and cells are not values of it.
fn protecting<'a>(
    request: &'a AuditRequest,
    target: &AuditTarget,
    column: &str,
) -> Option<&'a Policy> {
    let policy = request.policy.as_ref()?;
    let described = policy.columns.get(column)?;
    let guarded = target.release.as_ref().map(|release| &release.guarded);
    let is_guarded = guarded.is_some_and(|guarded| guarded.iter().any(|name| name == column));
    (described.role == Role::Sensitive || is_guarded).then_some(policy)
}

/// Returns the rank of each value of a column (from a file, else from the policy, else as numbers),
/// and whether the order is meaningful.
fn ranks(
    request: &AuditRequest,
    policy: Option<&Policy>,
    column: &str,
    texts: &[String],
) -> Result<(Vec<u32>, bool), Error> {
    if let Some(file) = lists::about(&request.orders, column) {
        return Ok((dense(&lists::order(file, texts)?), true));
    }
    let places =
        policy.map(|policy| lists::described_order(policy, column, texts)).transpose()?.flatten();
    Ok(places.map_or_else(|| natural(texts), |places| (dense(&places), true)))
}

/// Returns the tree of a column's values, from a file, else from the policy.
fn tree(
    request: &AuditRequest,
    policy: Option<&Policy>,
    column: &str,
    labels: &[String],
) -> Result<Option<Hierarchy>, Error> {
    match (lists::about(&request.hierarchies, column), policy) {
        (Some(file), _) => lists::hierarchy(file, labels).map(Some),
        (None, Some(policy)) => lists::described_hierarchy(policy, column, labels),
        (None, None) => Ok(None),
    }
}

/// Returns which values a release names as exempt: of one column, or of all together. Where each
/// column is protected by itself, they are named with their column.
fn released_exempt(target: &AuditTarget, column: Option<&str>, labels: &[String]) -> Vec<bool> {
    labels
        .iter()
        .map(|label| {
            target.release.as_ref().is_some_and(|release| match column {
                Some(column) if release.manifest.each.is_some() => {
                    release.exempt.contains(&format!("{column} = {label}"))
                }
                _ => release.exempt.contains(label),
            })
        })
        .collect()
}

/// Returns the rank of each text as number, interval or day, if all texts are; otherwise in
/// alphabetical order, which is not meaningful. Missing values come first.
fn natural(texts: &[String]) -> (Vec<u32>, bool) {
    let missing = |text: &str| text.is_empty() || text == MISSING_LABEL;
    let keys = |number: fn(&str) -> Option<f64>| -> Option<Vec<f64>> {
        texts
            .iter()
            .map(|text| if missing(text) { Some(f64::NEG_INFINITY) } else { number(text) })
            .collect()
    };
    let found = keys(number).or_else(|| keys(day));
    let ordered = found.is_some();
    let keys = found.unwrap_or_else(|| vec![0.0; texts.len()]);
    let mut sorted: Vec<u32> = (0..texts.len() as u32).collect();
    sorted.sort_by(|&a, &b| {
        let place = |code: u32| (missing(&texts[code as usize]), keys[code as usize]);
        let ((a_missing, a_key), (b_missing, b_key)) = (place(a), place(b));
        b_missing
            .cmp(&a_missing)
            .then(a_key.total_cmp(&b_key))
            .then_with(|| texts[a as usize].cmp(&texts[b as usize]))
    });
    (inverse(&sorted), ordered)
}

/// Returns the number of a text, or the number at which its interval begins.
fn number(text: &str) -> Option<f64> {
    let finite = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
    if let Some(below) = text.strip_prefix('<') {
        return finite(below.trim_start_matches('=')).map(|_| f64::NEG_INFINITY);
    }
    if let Some(above) = text.strip_prefix('>') {
        return finite(above.trim_start_matches('='));
    }
    match text.strip_prefix(['[', '(']) {
        None => finite(text),
        Some(interval) => {
            let (low, high) = interval.strip_suffix([']', ')'])?.split_once(',')?;
            finite(high)?;
            finite(low)
        }
    }
}

fn day(text: &str) -> Option<f64> {
    let date: jiff::civil::Date = text.parse().ok()?;
    let (year, month, day) = (date.year(), date.month(), date.day());
    Some(f64::from(year) * 512.0 + f64::from(month) * 32.0 + f64::from(day))
}

/// Turns numbers into ranks without gaps.
fn dense(positions: &[u32]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..positions.len() as u32).collect();
    sorted.sort_by_key(|&code| positions[code as usize]);
    inverse(&sorted)
}

fn inverse(sorted: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; sorted.len()];
    for (rank, &code) in (0..).zip(sorted) {
        ranks[code as usize] = rank;
    }
    ranks
}
