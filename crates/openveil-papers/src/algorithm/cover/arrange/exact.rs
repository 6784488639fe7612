//! Groups of people who share every position.

use super::super::deal::DealtColumn;
use super::super::space::Keys;

/// Groups people who are alike with each other, as many as the column with the fewest of them has,
/// and puts these groups first. Returns their number.
///
/// Columns must be sorted by position. Behind the new groups they remain sorted. O(n).
pub(super) fn match_alike<const K: usize>(columns: &mut [DealtColumn<'_, K>]) -> usize {
    let groups = columns[0].len();
    // How far each column has been read, and how many people of each run are matched.
    let mut read = vec![0; columns.len()];
    let mut runs: Vec<(usize, Vec<usize>)> = Vec::new();
    while let Some(keys) = next_common(columns, &mut read) {
        let run = |column: &DealtColumn<'_, K>, from: usize| {
            column[from..].iter().take_while(|record| record.keys == keys).count()
        };
        let lengths: Vec<usize> =
            columns.iter().zip(&read).map(|(column, &from)| run(column, from)).collect();
        let fewest = lengths.iter().copied().min().unwrap_or(0);
        runs.push((fewest, read.clone()));
        read.iter_mut().zip(&lengths).for_each(|(read, length)| *read += length);
    }
    let matched = runs.iter().map(|(length, _)| length).sum();
    if matched > 0 {
        for (number, column) in columns.iter_mut().enumerate() {
            let stretches = runs.iter().map(|(length, starts)| (starts[number], *length));
            bring_forward(column, stretches, groups);
        }
    }
    matched
}

/// Advances each column from where it has been read to the first position that occurs in all of
/// them.
fn next_common<const K: usize>(
    columns: &[DealtColumn<'_, K>],
    read: &mut [usize],
) -> Option<Keys<K>> {
    let mut keys = columns[0].get(read[0])?.keys;
    let mut agreed = 0;
    let mut column = 0;
    while agreed < columns.len() {
        while columns[column].get(read[column])?.keys < keys {
            read[column] += 1;
        }
        let found = columns[column][read[column]].keys;
        if found > keys {
            keys = found;
            agreed = 0;
        }
        agreed += 1;
        column = (column + 1) % columns.len();
    }
    Some(keys)
}

/// Moves some stretches to the front and the rest behind them, both in their order.
fn bring_forward<T: Copy>(
    column: &mut [T],
    stretches: impl Iterator<Item = (usize, usize)>,
    groups: usize,
) {
    let mut first = Vec::with_capacity(groups);
    let mut rest = Vec::with_capacity(groups);
    let mut read = 0;
    for (start, length) in stretches {
        rest.extend_from_slice(&column[read..start]);
        first.extend_from_slice(&column[start..start + length]);
        read = start + length;
    }
    rest.extend_from_slice(&column[read..]);
    column[..first.len()].copy_from_slice(&first);
    column[first.len()..].copy_from_slice(&rest);
}
