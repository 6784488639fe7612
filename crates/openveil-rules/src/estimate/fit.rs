//! Iterative proportional fitting for tables that form a cycle.

use super::{EstimateLimits, SparseMarginal};
use crate::RulesError;
use openveil_core::table::ColumnSet;
use std::collections::HashMap;

/// Fits a joint distribution to marginals that form a cycle. Also returns its residual: the largest
/// share of misplaced rows in any of the marginals.
///
/// Starts evenly on the *join* of the marginals, the combinations that each of
/// them allows (all others have weight zero in the maximum-likelihood estimate),
/// never on the domain. O(rounds · marginals · cells).
///
/// # Errors
/// [`RulesError::BeyondLimit`] if the join, or a part of it on the way, has more cells
/// than the limit; [`RulesError::Inconsistent`] if it is empty.
pub(super) fn fit(
    marginals: &[&SparseMarginal],
    limits: EstimateLimits,
) -> Result<(SparseMarginal, f64), RulesError> {
    let joint = join(marginals, limits.cells)?;
    let targets: Vec<Vec<f64>> = marginals.iter().map(|m| shares(m)).collect();
    let members: Result<Vec<Vec<u32>>, RulesError> =
        marginals.iter().map(|m| membership(&joint, m)).collect();
    let members = members?;
    let mut weights = vec![1.0 / joint.len() as f64; joint.len()];
    for _ in 0..limits.rounds {
        for (member, target) in members.iter().zip(&targets) {
            let sums = sums(member, &weights, target.len());
            for (weight, &cell) in weights.iter_mut().zip(member) {
                let factor = target[cell as usize] / sums[cell as usize];
                // A vanishing weight must not become 0, because later steps divide by it.
                *weight = (*weight * factor).max(f64::MIN_POSITIVE);
            }
        }
        if residual(&members, &targets, &weights) < limits.tolerance {
            break;
        }
    }
    let off = residual(&members, &targets, &weights);
    Ok((joint.reweighted(weights), off))
}

fn shares(marginal: &SparseMarginal) -> Vec<f64> {
    let total = marginal.total();
    marginal.weights().iter().map(|weight| weight / total).collect()
}

fn sums(member: &[u32], weights: &[f64], cells: usize) -> Vec<f64> {
    let mut sums = vec![0.0; cells];
    for (&cell, weight) in member.iter().zip(weights) {
        sums[cell as usize] += weight;
    }
    sums
}

fn residual(members: &[Vec<u32>], targets: &[Vec<f64>], weights: &[f64]) -> f64 {
    members
        .iter()
        .zip(targets)
        .map(|(member, target)| {
            let sums = sums(member, weights, target.len());
            sums.iter().zip(target).map(|(sum, target)| (sum - target).abs()).sum::<f64>() / 2.0
        })
        .fold(0.0, f64::max)
}

/// The cell of a marginal that each cell of the joint distribution belongs to.
fn membership(joint: &SparseMarginal, marginal: &SparseMarginal) -> Result<Vec<u32>, RulesError> {
    let positions = joint.positions(marginal.columns());
    let order: HashMap<usize, usize> = marginal.columns().iter().zip(positions).collect();
    (0..joint.len())
        .map(|cell| {
            let row = joint.row(cell);
            let found = marginal.find(|column| row[order[&column]]);
            found.map(|index| index as u32).ok_or(RulesError::Inconsistent)
        })
        .collect()
}

/// The natural join of the marginals' combinations, each with weight one.
fn join(marginals: &[&SparseMarginal], limit: usize) -> Result<SparseMarginal, RulesError> {
    let mut left: Vec<&SparseMarginal> = marginals.to_vec();
    left.sort_by_key(|marginal| marginal.len());
    let first = left.remove(0);
    let mut joint = first.clone().reweighted(vec![1.0; first.len()]);
    while !left.is_empty() {
        // Join next the marginal that shares the most columns, which keeps intermediate results
        // small.
        let most = (0..left.len())
            .max_by_key(|&index| {
                let shared = (left[index].columns() & joint.columns()).len();
                (shared, std::cmp::Reverse(index))
            })
            .unwrap_or(0);
        joint = join_two(&joint, left.remove(most), limit)?;
    }
    Ok(joint)
}

fn join_two(
    one: &SparseMarginal,
    other: &SparseMarginal,
    limit: usize,
) -> Result<SparseMarginal, RulesError> {
    let shared = one.columns() & other.columns();
    let columns = one.columns() | other.columns();
    let mut by_key: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
    for index in 0..other.len() {
        by_key.entry(key(other, shared, index)).or_default().push(index);
    }
    let sources = sources(one.columns(), other.columns());
    let mut codes = Vec::new();
    let mut cells = 0;
    for index in 0..one.len() {
        let matches = by_key.get(&key(one, shared, index));
        for &partner in matches.into_iter().flatten() {
            cells += 1;
            if cells > limit {
                let what = "cells of the joint distribution of tables that form a cycle";
                return Err(RulesError::BeyondLimit { what, limit });
            }
            let rows = [one.row(index), other.row(partner)];
            codes.extend(sources.iter().map(|&(side, position)| rows[side][position]));
        }
    }
    match cells {
        0 => Err(RulesError::Inconsistent),
        _ => SparseMarginal::from_flat(columns, codes, vec![1.0; cells]),
    }
}

/// For every column of either side: which side has it, and its position in that side's rows.
fn sources(one: ColumnSet, other: ColumnSet) -> Vec<(usize, usize)> {
    let place = |columns: ColumnSet, column| columns.iter().position(|own| own == column);
    (one | other)
        .iter()
        .filter_map(|column| match place(one, column) {
            Some(position) => Some((0, position)),
            None => place(other, column).map(|position| (1, position)),
        })
        .collect()
}

/// A row's codes on some of its columns.
pub(super) fn key(marginal: &SparseMarginal, columns: ColumnSet, index: usize) -> Vec<u32> {
    let row = marginal.row(index);
    marginal.positions(columns).into_iter().map(|position| row[position]).collect()
}
