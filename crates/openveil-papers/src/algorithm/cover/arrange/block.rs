//! A few groups, and their members on each quasi-identifier.

use super::super::deal::CoverRecord;
use super::super::space::{CellSizes, CoverAxis};
use super::assign::MOST;

/// Some groups, column by column: the g-th record of every column is group g.
pub(super) struct MatchedBlock<'a, const K: usize> {
    pub(super) columns: Vec<&'a mut [CoverRecord<K>]>,
}

impl<const K: usize> MatchedBlock<'_, K> {
    pub(super) fn groups(&self) -> usize {
        self.columns[0].len()
    }
}

/// A block's members on one quasi-identifier, in rows with one place for each group, padded with
/// zeros. The members of a column can be taken out and put back.
pub(super) struct BlockAxis<'a> {
    pub(super) of: CoverAxis<'a>,
    /// The positions of each column's members.
    pub(super) keys: Vec<[u16; MOST]>,
    /// For intervals: the least and the greatest position of each group's members.
    pub(super) low: [u16; MOST],
    pub(super) high: [u16; MOST],
    /// For sets: the positions in the block, and how many members of each group have each.
    pub(super) present: Vec<u16>,
    pub(super) holders: Vec<[f32; MOST]>,
    /// For sets: the number of positions that each group has.
    pub(super) counts: [f32; MOST],
    /// For sets: the place of each member's position in `present`.
    pub(super) numbers: Vec<[u16; MOST]>,
    number_of: Vec<u16>,
    /// For trees: the positions of each group's members, ascending, group by group.
    sorted: Vec<u16>,
}

const NO_NUMBER: u16 = u16::MAX;

impl<'a> BlockAxis<'a> {
    pub(super) fn new(of: CoverAxis<'a>) -> Self {
        let numbers = match of.cells {
            CellSizes::Set => of.positions(),
            CellSizes::Interval | CellSizes::Nodes(_) => 0,
        };
        Self {
            of,
            keys: Vec::new(),
            low: [0; MOST],
            high: [0; MOST],
            present: Vec::new(),
            holders: Vec::new(),
            counts: [0.0; MOST],
            numbers: Vec::new(),
            number_of: vec![NO_NUMBER; numbers],
            sorted: Vec::new(),
        }
    }

    /// Reads the members of a block. O(records); for trees times the logarithm of the number of
    /// columns.
    pub(super) fn read<const K: usize>(&mut self, block: &MatchedBlock<'_, K>, axis: usize) {
        self.keys.clear();
        for records in &block.columns {
            let mut keys = [0; MOST];
            keys.iter_mut().zip(&**records).for_each(|(key, record)| *key = record.keys[axis]);
            self.keys.push(keys);
        }
        match self.of.cells {
            CellSizes::Interval => self.find_bounds(None),
            CellSizes::Set => self.count_holders(),
            CellSizes::Nodes(_) => self.sort(None),
        }
    }

    /// Takes out the members of a column.
    pub(super) fn take_out(&mut self, column: usize) {
        match self.of.cells {
            CellSizes::Interval => self.find_bounds(Some(column)),
            CellSizes::Nodes(_) => self.sort(Some(column)),
            CellSizes::Set => {
                for ((group, &number), count) in
                    self.numbers[column].iter().enumerate().zip(&mut self.counts)
                {
                    let holders = &mut self.holders[usize::from(number)][group];
                    *holders -= 1.0;
                    *count -= if *holders == 0.0 { 1.0 } else { 0.0 };
                }
            }
        }
    }

    /// Puts back a column that was taken out. Group g now has the member that group `members[g]`
    /// had.
    pub(super) fn put_back(&mut self, column: usize, members: &[u8; MOST]) {
        let reorder = |row: &mut [u16; MOST]| {
            *row = members.map(|member| row[usize::from(member)]);
        };
        reorder(&mut self.keys[column]);
        if let CellSizes::Set = self.of.cells {
            reorder(&mut self.numbers[column]);
            for ((group, &number), count) in
                self.numbers[column].iter().enumerate().zip(&mut self.counts)
            {
                let holders = &mut self.holders[usize::from(number)][group];
                *count += if *holders == 0.0 { 1.0 } else { 0.0 };
                *holders += 1.0;
            }
        }
    }

    fn find_bounds(&mut self, but: Option<usize>) {
        (self.low, self.high) = ([u16::MAX; MOST], [0; MOST]);
        for keys in all_but(&self.keys, but) {
            for ((low, high), &key) in self.low.iter_mut().zip(&mut self.high).zip(keys) {
                (*low, *high) = (key.min(*low), key.max(*high));
            }
        }
    }

    fn count_holders(&mut self) {
        self.present.clear();
        self.holders.clear();
        self.numbers.clear();
        self.counts = [0.0; MOST];
        for keys in &self.keys {
            let mut numbers = [0; MOST];
            for (group, (number, &key)) in numbers.iter_mut().zip(keys).enumerate() {
                let known = &mut self.number_of[usize::from(key)];
                if *known == NO_NUMBER {
                    *known = self.present.len() as u16;
                    self.present.push(key);
                    self.holders.push([0.0; MOST]);
                }
                *number = *known;
                let holders = &mut self.holders[usize::from(*known)][group];
                self.counts[group] += if *holders == 0.0 { 1.0 } else { 0.0 };
                *holders += 1.0;
            }
            self.numbers.push(numbers);
        }
        for &key in &self.present {
            self.number_of[usize::from(key)] = NO_NUMBER;
        }
    }

    fn sort(&mut self, but: Option<usize>) {
        self.sorted.clear();
        for group in 0..MOST {
            let start = self.sorted.len();
            let members = all_but(&self.keys, but).map(|keys| keys[group]);
            self.sorted.extend(members);
            self.sorted[start..].sort_unstable();
        }
    }

    /// For sets: returns the positions of a group's members, without members taken out.
    pub(super) fn set(&self, group: usize) -> impl Iterator<Item = u16> {
        self.present
            .iter()
            .zip(&self.holders)
            .filter(move |(_, holders)| holders[group] > 0.0)
            .map(|(&key, _)| key)
    }

    /// For trees: writes the positions of a group's members and one more, ascending.
    pub(super) fn with(&self, group: usize, key: u16, keys: &mut Vec<u16>) {
        let members = self.members(group);
        let (below, above) = members.split_at(members.partition_point(|&own| own < key));
        keys.clear();
        keys.extend_from_slice(below);
        keys.push(key);
        keys.extend_from_slice(above);
    }

    /// For trees: returns the positions of a group's members, ascending.
    pub(super) fn members(&self, group: usize) -> &[u16] {
        let each = self.sorted.len() / MOST;
        &self.sorted[group * each..][..each]
    }
}

/// All columns but one.
fn all_but(keys: &[[u16; MOST]], but: Option<usize>) -> impl Iterator<Item = &[u16; MOST]> {
    let column = but.unwrap_or(keys.len());
    let behind = keys.get(column + 1..).unwrap_or_default();
    keys[..column].iter().chain(behind)
}
