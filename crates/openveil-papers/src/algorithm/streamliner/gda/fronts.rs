//! The first remaining row of every colour, by weighted rank.

use crate::algorithm::streamliner::colours::Colours;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A weighted rank, then a row: the order in which a colour's rows are taken.
type Ranked = (u64, u32);

/// The incomplete rows of all colours, and the first ones in order.
pub(super) struct Fronts<'a> {
    colours: &'a Colours,
    /// Rows by colour, each colour by weighted rank.
    people: Vec<Ranked>,
    /// The position in `people` at which the incomplete rows of each colour start.
    next: Vec<usize>,
    /// The first incomplete row of each colour that may be chosen.
    first: BTreeSet<Ranked>,
}

impl<'a> Fronts<'a> {
    /// Sorts the rows of each colour, in O(n log n).
    pub(super) fn new(colours: &'a Colours, ranks: &[u64]) -> Self {
        let mut people: Vec<Ranked> =
            colours.rows().iter().map(|&row| (ranks[row as usize], row)).collect();
        let next: Vec<usize> = (0..colours.len()).map(|c| colours.range(c).start).collect();
        people
            .par_chunk_by_mut(|a, b| colours.colour_of(a.1) == colours.colour_of(b.1))
            .for_each(|colour| colour.sort_unstable());
        let first = next.iter().map(|&start| people[start]).collect();
        Self { colours, people, next, first }
    }

    /// Returns the number of colours, complete or not.
    pub(super) fn colours(&self) -> usize {
        self.next.len()
    }

    /// Returns the number of colours that may be chosen: incomplete and not withdrawn.
    pub(super) fn open(&self) -> usize {
        self.first.len()
    }

    /// Returns the incomplete rows of a colour, by weighted rank.
    pub(super) fn remaining(&self, colour: u32) -> &[Ranked] {
        &self.people[self.next[colour as usize]..self.colours.range(colour as usize).end]
    }

    /// Returns the number of incomplete rows, and the first of them; none if there is none.
    pub(super) fn priority(&self, colour: u32) -> Option<(u32, u32)> {
        let remaining = self.remaining(colour);
        let &(_, row) = remaining.first()?;
        Some((remaining.len() as u32, row))
    }

    /// Withdraws a colour: from now on, its rows can only be taken explicitly.
    pub(super) fn withdraw(&mut self, colour: u32) {
        if let Some(first) = self.remaining(colour).first().copied() {
            self.first.remove(&first);
        }
    }

    /// Takes the next row of a withdrawn colour.
    pub(super) fn take_withdrawn(&mut self, colour: u32) -> Option<Ranked> {
        let first = self.remaining(colour).first().copied()?;
        self.next[colour as usize] += 1;
        Some(first)
    }

    /// Takes the first rows of the `wanted` open colours whose first rows are closest to a rank
    /// (Table 7, line 9). O(wanted · log colours).
    pub(super) fn take_nearest(&mut self, rank: u64, wanted: usize, taken: &mut Vec<Ranked>) {
        let start = taken.len();
        self.find_nearest(rank, start + wanted, taken);
        for first in &taken[start..] {
            let colour = self.colours.colour_of(first.1) as usize;
            self.first.remove(first);
            self.next[colour] += 1;
            if let Some(&first) = self.remaining(colour as u32).first() {
                self.first.insert(first);
            }
        }
    }

    /// Searches outwards from a rank until `found` has `end` entries, ties by row.
    ///
    /// Above the rank, the order of the set is right. Below it, equal ranks have to be visited in
    /// ascending order of rows.
    fn find_nearest(&self, rank: u64, end: usize, found: &mut Vec<Ranked>) {
        let below = |rank: u64| {
            let (rank, _) = *self.first.range(..(rank, 0)).next_back()?;
            Some((rank, self.first.range((rank, 0)..=(rank, u32::MAX)).peekable()))
        };
        let mut above = self.first.range((rank, 0)..).peekable();
        let mut lower = below(rank);
        while found.len() < end {
            if let Some((level, rows)) = &mut lower
                && rows.peek().is_none()
            {
                lower = below(*level);
            }
            let up = above.peek().map(|&&(up, row)| (up - rank, row));
            let down = lower.as_mut().and_then(|(_, rows)| rows.peek().copied());
            let down = down.map(|&(down, row)| (rank - down, row));
            let next = match (up, down) {
                (Some(up), Some(down)) if down < up => None,
                (Some(_), _) => above.next(),
                (None, _) => None,
            };
            match next.or_else(|| lower.as_mut().and_then(|(_, rows)| rows.next())) {
                Some(&next) => found.push(next),
                None => return,
            }
        }
    }
}
