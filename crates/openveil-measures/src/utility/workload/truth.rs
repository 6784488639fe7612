//! True answers, counted on the owner's table.

use super::Query;
use openveil_core::table::View;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Rows that all queries visit before the next rows: few enough for their codes to stay in the
/// cache.
const BLOCK: usize = 4_096;

pub(super) fn counts(queries: &[Query], table: &View) -> Vec<u64> {
    let blocks = table.rows().div_ceil(BLOCK);
    let none = || vec![0; queries.len()];
    (0..blocks)
        .into_par_iter()
        .fold(none, |mut counts, block| {
            let rows = block * BLOCK..((block + 1) * BLOCK).min(table.rows());
            for (query, count) in queries.iter().zip(&mut counts) {
                *count += count_in_block(query, table, rows.clone());
            }
            counts
        })
        .reduce(none, |mut counts, others| {
            counts.iter_mut().zip(others).for_each(|(a, b)| *a += b);
            counts
        })
}

/// Column by column and without branches, so that the compiler vectorises the comparisons.
fn count_in_block(query: &Query, table: &View, rows: std::ops::Range<usize>) -> u64 {
    let mut meets = [1u8; BLOCK];
    let meets = &mut meets[..rows.len()];
    for range in &query.ranges {
        let codes = table.known()[range.axis].codes();
        keep(meets, &codes[rows.clone()], &range.codes);
    }
    if let Some(values) = &query.values {
        keep(meets, &table.secret().codes()[rows], values);
    }
    meets.iter().map(|&meets| u64::from(meets)).sum()
}

fn keep(meets: &mut [u8], codes: &[u32], range: &RangeInclusive<u32>) {
    let (first, last) = (*range.start(), *range.end());
    for (meets, &code) in meets.iter_mut().zip(codes) {
        *meets &= u8::from(first <= code) & u8::from(code <= last);
    }
}
