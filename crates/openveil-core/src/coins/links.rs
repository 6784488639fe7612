//! Partitions that arise from independent links, joined step by step.
//!
//! Some algorithms link people independently for every sensitive value ("colour") and merge
//! connected people. The number of their paths of coins is a product over the colours. Many paths
//! lead to the same partition, so enumerating one colour at a time and keeping only partitions is
//! far cheaper, and equally exact.

use super::distribution::{Distribution, weights_overflow};
use crate::Error;
use crate::table::Groups;

/// Pairs of rows that end up in one group.
pub type Links = Vec<(u32, u32)>;

/// The most rows of a table whose partitions can be joined.
pub const JOINABLE_ROWS: usize = 16;

/// The distribution of the connected groups when every colour adds its own links, independently of
/// the other colours.
///
/// Groups and rows come in ascending order. Time: the sum, over the colours, of
/// distinct partitions so far times distinct partitions of that colour.
///
/// # Errors
/// [`Error::BeyondLimit`] beyond [`JOINABLE_ROWS`] rows or 128 bits, and any error in `colours`.
///
/// # Panics
/// If a link names a row that does not exist.
pub fn join_links(
    rows: usize,
    colours: impl IntoIterator<Item = Result<Distribution<Links>, Error>>,
) -> Result<Distribution<Groups>, Error> {
    if rows > JOINABLE_ROWS {
        return Err(Error::BeyondLimit {
            what: "rows of a table whose partitions are enumerated",
            needed: rows.to_string(),
            limit: JOINABLE_ROWS as u64,
        });
    }
    let mut joined = Distribution::certain(Partition::of_links(rows, &[]));
    for colour in colours {
        let colour = colour?.map(|links| Partition::of_links(rows, &links));
        joined = join_independent(rows, &joined, &colour)?;
    }
    Ok(joined.map(|partition| partition.groups(rows)))
}

fn join_independent(
    rows: usize,
    a: &Distribution<Partition>,
    b: &Distribution<Partition>,
) -> Result<Distribution<Partition>, Error> {
    // The product of the totals bounds every product and sum of weights.
    a.total().checked_mul(b.total()).ok_or_else(weights_overflow)?;
    Distribution::from_weights(a.outcomes().iter().flat_map(|&(left, left_weight)| {
        b.outcomes()
            .iter()
            .map(move |&(right, weight)| (left.join(right, rows), left_weight * weight))
    }))
}

/// A partition of at most 16 rows, in four bits per row: the least row in the same group. Equal
/// partitions are equal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Partition(u64);

impl Partition {
    fn of_links(rows: usize, links: &[(u32, u32)]) -> Self {
        let mut least = std::array::from_fn(|row| row as u8);
        for &(a, b) in links {
            assert!((a.max(b) as usize) < rows, "a link between rows that exist");
            unite(&mut least[..rows], a as usize, b as usize);
        }
        Self::pack(&least)
    }

    /// The finest partition that is coarser than both.
    fn join(self, other: Self, rows: usize) -> Self {
        let mut least = self.unpack();
        for (row, &mate) in other.unpack()[..rows].iter().enumerate() {
            unite(&mut least[..rows], row, mate.into());
        }
        Self::pack(&least)
    }

    fn groups(self, rows: usize) -> Groups {
        let least = self.unpack();
        (0..rows)
            .map(|first| {
                (0..rows)
                    .filter(|&row| usize::from(least[row]) == first)
                    .map(|row| row as u32)
                    .collect::<Vec<u32>>()
            })
            .collect()
    }

    fn pack(least: &[u8; JOINABLE_ROWS]) -> Self {
        Self(least.iter().rev().fold(0, |packed, &row| packed << 4 | u64::from(row)))
    }

    fn unpack(self) -> [u8; JOINABLE_ROWS] {
        std::array::from_fn(|row| (self.0 >> (4 * row) & 15) as u8)
    }
}

/// Merges the groups of two rows.
fn unite(least: &mut [u8], a: usize, b: usize) {
    let (low, high) = (least[a].min(least[b]), least[a].max(least[b]));
    if low < high {
        least.iter_mut().filter(|row| **row == high).for_each(|row| *row = low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coins::{Coins, PATH_LIMIT, distribution};

    /// A colour in which each row is linked to one row chosen from others.
    fn choose(coins: &mut dyn Coins, colour: &[u32], others: &[u32]) -> Links {
        colour.iter().map(|&row| (row, others[coins.below(others.len() as u32) as usize])).collect()
    }

    #[test]
    fn joining_colour_by_colour_agrees_with_all_paths_at_once() {
        let colours: [(&[u32], &[u32]); 3] =
            [(&[0, 3], &[1, 2, 4, 5]), (&[1, 4], &[0, 2, 3, 5]), (&[2, 5], &[0, 1, 3, 4])];
        let joined = join_links(
            6,
            colours.map(|(colour, others)| {
                distribution(PATH_LIMIT, |coins| Ok(choose(coins, colour, others)))
            }),
        )
        .unwrap();
        let at_once = distribution(PATH_LIMIT, |coins| {
            let mut links = Links::new();
            for (colour, others) in colours {
                links.extend(choose(coins, colour, others));
            }
            Ok(connected(6, &links))
        })
        .unwrap();
        assert!(joined.outcomes().len() > 10);
        assert_eq!(joined, at_once);
    }

    /// Connected components by search, a method that shares no code with `Partition`.
    fn connected(rows: u32, links: &[(u32, u32)]) -> Groups {
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for row in 0..rows {
            if groups.iter().any(|group| group.contains(&row)) {
                continue;
            }
            let mut group = vec![row];
            let mut next = 0;
            while let Some(&member) = group.get(next) {
                for &(a, b) in links {
                    for (from, to) in [(a, b), (b, a)] {
                        if from == member && !group.contains(&to) {
                            group.push(to);
                        }
                    }
                }
                next += 1;
            }
            groups.push(group);
        }
        groups.into_iter().collect::<Groups>().sorted()
    }

    #[test]
    fn sixteen_rows_fit_and_seventeen_do_not() {
        let ends = || [Distribution::from_weights([(vec![(0, 15)], 1)])];
        let joined = join_links(16, ends()).unwrap();
        assert_eq!(joined.outcomes()[0].0.get(0), [0, 15]);
        assert_eq!(joined.outcomes()[0].0.len(), 15);
        assert!(matches!(join_links(17, ends()), Err(Error::BeyondLimit { limit: 16, .. })));
    }
}
