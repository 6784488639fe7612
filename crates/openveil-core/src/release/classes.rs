//! Classes: the rows of a group that are shown alike.
//!
//! A group is divided by its known columns alone, without a coin and without a look at a value, so
//! classes are a function of groups that are published anyway and disclose nothing that groups
//! with exact known columns would not. Rows that agree on all known columns stay together.

use crate::table::Column;
use std::ops::Range;

/// The fewest rows of a class by default.
pub const CLASS_SIZE: u32 = 4;

/// Where classes end. Every group consists of whole classes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Division {
    /// The rows up to the end of each class.
    pub(super) ends: Vec<u32>,
    /// The classes up to the end of each group.
    pub(super) of_groups: Vec<u32>,
}

impl Division {
    /// The classes that end at these rows, in groups that end at these rows; `None` if a group does
    /// not consist of whole classes. O(classes).
    pub(super) fn new(ends: Vec<u32>, groups: &[u32]) -> Option<Self> {
        let ascending = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first() != Some(&0);
        let mut classes = (1..).zip(&ends);
        let class_of = |end: &u32| classes.find(|(_, own)| *own == end).map(|(class, _)| class);
        let of_groups: Vec<u32> = groups.iter().map(class_of).collect::<Option<_>>()?;
        let is_all = of_groups.last().map_or(0, |&last| last as usize) == ends.len();
        (ascending && is_all).then_some(Self { ends, of_groups })
    }

    /// Every group as one class; the groups end at these rows.
    pub(super) fn of_whole_groups(ends: &[u32]) -> Self {
        Self { ends: ends.to_vec(), of_groups: (1..=ends.len() as u32).collect() }
    }

    /// Adds the classes of other groups.
    pub(super) fn append(&mut self, other: Self) {
        let after = |before: &[u32]| before.last().copied().unwrap_or(0);
        let (rows, classes) = (after(&self.ends), after(&self.of_groups));
        self.ends.extend(other.ends.into_iter().map(|end| rows + end));
        self.of_groups.extend(other.of_groups.into_iter().map(|end| classes + end));
    }
}

/// Where a known column's codes lie among all rows.
pub(super) struct ClassAxis {
    /// The position of each code: the mean rank of its rows as a share of all, times the column's
    /// weight.
    positions: Vec<f32>,
}

impl ClassAxis {
    pub(super) fn new(column: &Column) -> Self {
        let mut counts = vec![0u32; column.domain().len()];
        column.codes().iter().for_each(|&code| counts[code as usize] += 1);
        let (mut before, rows) = (0u64, column.codes().len().max(1) as f64);
        Self {
            positions: counts
                .iter()
                .map(|&count| {
                    let middle = before as f64 + f64::from(count) / 2.0;
                    before += u64::from(count);
                    (f64::from(column.weight()) * middle / rows) as f32
                })
                .collect(),
        }
    }
}

/// Divides groups into classes of at least `least` rows, as many as possible by cuts at boundaries
/// between values. `codes` has the codes of the groups' rows by axis; `places` says where each
/// group's rows are. Returns the rows in the order of classes, and where each class ends. A group of
/// fewer rows is one class. O(n · columns · log² size of groups).
pub(super) fn divided(
    axes: &[ClassAxis],
    least: usize,
    codes: &[Vec<u32>],
    places: impl Iterator<Item = Range<usize>>,
) -> (Vec<u32>, Vec<u32>) {
    let mut divider =
        Divider { axes, least, codes, order: Vec::new(), spare: Vec::new(), ends: Vec::new() };
    for place in places {
        divider.order.extend(place.start as u32..place.end as u32);
        divider.cut(place);
    }
    (divider.order, divider.ends)
}

/// Divides one group after the other.
struct Divider<'a> {
    axes: &'a [ClassAxis],
    least: usize,
    codes: &'a [Vec<u32>],
    /// The rows so far, class after class.
    order: Vec<u32>,
    spare: Vec<(f32, usize)>,
    ends: Vec<u32>,
}

impl Divider<'_> {
    fn cut(&mut self, part: Range<usize>) {
        match self.place(&part) {
            Some(at) => {
                self.cut(part.start..at);
                self.cut(at..part.end);
            }
            None => self.ends.push(part.end as u32),
        }
    }

    /// Puts the rows of a part into the order of the widest column that can be cut, and returns
    /// the boundary nearest to the middle that leaves enough rows on both sides.
    fn place(&mut self, part: &Range<usize>) -> Option<usize> {
        if part.len() < 2 * self.least {
            return None;
        }
        let codes = self.codes;
        let own = &mut self.order[part.clone()];
        let code = |row: u32, axis: usize| codes[axis][row as usize];
        self.spare.clear();
        for axis in 0..self.axes.len() {
            let own = own.iter().map(|&row| code(row, axis));
            let (low, high) =
                own.fold((u32::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
            let at = |code: u32| self.axes[axis].positions[code as usize];
            if low < high {
                self.spare.push((at(high) - at(low), axis));
            }
        }
        self.spare.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.spare.iter().find_map(|&(_, axis)| {
            own.sort_by_key(|&row| code(row, axis));
            let middle = own.len() / 2;
            let is_boundary = |&at: &usize| code(own[at - 1], axis) != code(own[at], axis);
            let steps = 0..=middle - self.least.min(middle);
            let places = steps.flat_map(|steps| [middle - steps, middle + steps]);
            let allowed = self.least..=own.len() - self.least;
            places.filter(|at| allowed.contains(at)).find(is_boundary).map(|at| part.start + at)
        })
    }
}
