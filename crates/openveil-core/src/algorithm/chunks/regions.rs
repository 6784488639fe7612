//! Parts of the space in which people lie, from a sample of them: people in the same part, or in
//! neighbouring ones, are alike.

use crate::table::{Column, View};

/// A tree of cuts across quasi-identifiers. Its leaves, from left to right, are the *regions*. It
/// is a function of the sample's quasi-identifiers and of the coins that drew the sample, so it
/// depends on values no more than these coins do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    root: RegionNode,
    count: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RegionNode {
    Region(u32),
    Cut {
        axis: usize,
        /// Codes below it lie in the first part.
        below: u32,
        parts: Box<[RegionNode; 2]>,
    },
}

impl Regions {
    /// Cuts a sample into regions of about `people` people each, or of more who share one tuple.
    /// O(n · columns · log n).
    pub fn new(sample: &View, people: usize) -> Self {
        let mut rows: Vec<u32> = (0..sample.rows() as u32).collect();
        let mut count = 0;
        let root = divided(sample.known(), &mut rows, people.max(1), &mut count);
        Self { root, count }
    }

    /// Number of regions, at least 1.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The region of a person with these codes on the quasi-identifiers. O(log regions).
    ///
    /// # Panics
    /// If there are fewer codes than quasi-identifiers.
    #[inline]
    pub fn region(&self, code: impl Fn(usize) -> u32) -> u32 {
        let mut node = &self.root;
        loop {
            match node {
                RegionNode::Region(number) => return *number,
                RegionNode::Cut { axis, below, parts } => {
                    node = &parts[usize::from(code(*axis) >= *below)];
                }
            }
        }
    }
}

/// Cuts some rows until parts have at most `most` of them, or are alike. The longest side is cut, as
/// near the middle row as there is a place between people.
fn divided(known: &[Column], rows: &mut [u32], most: usize, count: &mut u32) -> RegionNode {
    let found = (rows.len() > most).then(|| best(known, rows)).flatten();
    let Some((axis, below)) = found else {
        *count += 1;
        return RegionNode::Region(*count - 1);
    };
    let codes = known[axis].codes();
    rows.sort_unstable_by_key(|&row| codes[row as usize]);
    let first = rows.partition_point(|&row| codes[row as usize] < below);
    let (low, high) = rows.split_at_mut(first);
    let low = divided(known, low, most, count);
    let parts = Box::new([low, divided(known, high, most, count)]);
    RegionNode::Cut { axis, below, parts }
}

/// The axis and place of the cut; `None` if all rows are alike.
fn best(known: &[Column], rows: &[u32]) -> Option<(usize, u32)> {
    let sides = known.iter().enumerate().filter_map(|(axis, column)| {
        let codes = rows.iter().map(|&row| column.codes()[row as usize]);
        let (least, greatest) = codes
            .fold((u32::MAX, 0), |(least, greatest), code| (least.min(code), greatest.max(code)));
        let share = f64::from(greatest - least) / column.domain().len().max(2) as f64;
        (greatest > least).then_some((axis, share * f64::from(column.weight())))
    });
    let (axis, _) = sides.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let mut codes: Vec<u32> = rows.iter().map(|&row| known[axis].codes()[row as usize]).collect();
    codes.sort_unstable();
    let middle = codes[codes.len() / 2];
    let before = codes.partition_point(|&code| code < middle);
    let through = codes.partition_point(|&code| code <= middle);
    let (half, all) = (codes.len() / 2, codes.len());
    // People who share the place stay together, on the side that is then nearer to a half.
    let is_before = through == all || before > 0 && half - before <= through - half;
    Some((axis, if is_before { middle } else { codes[through] }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Domain, Secret};

    #[test]
    fn people_in_a_region_are_alike_and_regions_are_of_like_size() {
        let codes: Vec<u32> = (0..64).map(|row| row * 37 % 64).collect();
        let two: Vec<u32> = codes.iter().map(|code| code % 2).collect();
        let known = vec![
            Column::new("q", codes.clone(), Domain::integers(0..64)),
            Column::new("r", two.clone(), Domain::unordered(["a", "b"])),
        ];
        let secret = Secret::new("s", vec![0; 64], ["?"]);
        let regions = Regions::new(&View::new(known, secret).unwrap(), 8);
        assert_eq!(regions.count(), 8);
        let mut rows = [0; 8];
        for row in 0..64 {
            rows[regions.region(|axis| [&codes, &two][axis][row]) as usize] += 1;
        }
        assert_eq!(rows, [8; 8]);
        let of = |row: usize| regions.region(|axis| [&codes, &two][axis][row]);
        for a in 0..64 {
            let near = (0..64).filter(|&b| of(a) == of(b));
            assert!(near.clone().count() <= 8);
            assert!(near.into_iter().all(|b| codes[a].abs_diff(codes[b]) < 33));
        }
    }

    #[test]
    fn people_who_share_a_tuple_are_one_region() {
        let known = vec![Column::new("q", vec![1; 9], Domain::integers(0..3))];
        let secret = Secret::new("s", vec![0; 9], ["?"]);
        let regions = Regions::new(&View::new(known, secret).unwrap(), 2);
        assert_eq!((regions.count(), regions.region(|_| 2)), (1, 0));
    }
}
