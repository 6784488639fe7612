//! A group in which one or two members change at a time.

use super::places::Places;
use super::space::{GroupMemory, Scores};
use crate::orders::{EXACT, OrderMemory};
use std::ops::Range;

/// The likelihood of a group while some of its members change and the others stay. The orders of
/// the members that stay are summed only once.
pub(crate) struct ChangingGroup<'a> {
    scores: &'a Scores,
    places: &'a Places,
    rows: Range<usize>,
    space: GroupMemory,
    /// The orders of members in columns.
    in_columns: OrderMemory,
    /// The members that change: one or two.
    members: Vec<usize>,
    /// The weights of the members that change, or of all members with the changing ones first.
    ordered: Vec<f64>,
}

impl<'a> ChangingGroup<'a> {
    pub(crate) fn new(scores: &'a Scores, places: &'a Places) -> Self {
        Self {
            scores,
            places,
            rows: 0..0,
            space: GroupMemory::default(),
            in_columns: OrderMemory::default(),
            members: Vec::new(),
            ordered: Vec::new(),
        }
    }

    /// Starts a group, given its rows in the release and its members' levels by axis. In groups
    /// with more than [`EXACT`] members, the factors of slots keep their values from here.
    pub(crate) fn enter<L: Iterator<Item = u16>>(
        &mut self,
        rows: Range<usize>,
        levels: impl Fn(usize) -> L,
    ) {
        let classes = self.scores.shared.len();
        self.rows = rows;
        self.space.make_room(self.rows.len(), classes);
        for member in 0..self.rows.len() {
            self.space.see(self.scores, levels(member), member);
        }
        self.space.weigh(self.places, self.rows.clone(), classes);
        if self.rows.len() > EXACT {
            self.space.sum_slots(self.rows.len());
        }
    }

    /// Chooses the members that change next. O(m 2^m) up to [`EXACT`] members.
    pub(crate) fn choose(&mut self, members: &[usize]) {
        self.members.clear();
        self.members.extend_from_slice(members);
        let m = self.rows.len();
        if m > EXACT {
            return;
        }
        let stay = (0..m).filter(|member| !members.contains(member));
        let order = members.iter().copied().chain(stay);
        take_rows(&mut self.ordered, &self.space.weights, m, order.clone());
        self.space.orders.pass_back(m, &self.ordered);
        if !self.space.of_columns.is_empty() {
            take_rows(&mut self.ordered, &self.space.of_columns, m, order);
            self.in_columns.pass_back(m, &self.ordered);
        }
    }

    /// Recomputes one of the members that change.
    pub(crate) fn see(&mut self, levels: impl Iterator<Item = u16>, member: usize) {
        self.space.see(self.scores, levels, member);
        let rows = self.rows.clone();
        self.space.weigh_again(self.places, rows, member);
    }

    /// The log likelihood of the group, except for terms that do not depend on the members that
    /// change.
    pub(crate) fn log(&mut self) -> f64 {
        let (m, space) = (self.rows.len(), &self.space);
        let is_exact = m <= EXACT;
        let members = self.members.iter();
        let of_slots = if is_exact {
            take_rows(
                &mut self.ordered,
                &space.weights,
                m,
                members.clone().copied(),
            );
            space.orders.sum_with(m, &self.ordered).ln()
        } else {
            let slots = space.slot_classes().len();
            let own = members.clone().map(|&member| {
                let weights = &space.weights[member * slots..(member + 1) * slots];
                space.orders.scaled_weight(weights).ln()
            });
            own.sum()
        };
        if space.of_columns.is_empty() {
            let own = members.map(|&member| space.sums[member].ln());
            return of_slots - own.sum::<f64>();
        }
        let of_columns = if is_exact {
            take_rows(&mut self.ordered, &space.of_columns, m, members.copied());
            self.in_columns.sum_with(m, &self.ordered).ln()
        } else {
            // All columns at once: each member has its chances of the columns.
            let own = members.map(|&member| {
                let chances = &space.of_columns[member * m..(member + 1) * m];
                chances.iter().sum::<f64>().ln()
            });
            own.sum()
        };
        of_slots - of_columns
    }
}

/// Copies rows of a matrix with m columns.
fn take_rows(to: &mut Vec<f64>, from: &[f64], m: usize, rows: impl Iterator<Item = usize>) {
    to.clear();
    for row in rows {
        to.extend_from_slice(&from[row * m..(row + 1) * m]);
    }
}
