//! A group in which one or two members change at a time.

use super::scores::Scores;
use super::space::GroupMemory;
use crate::orders::EXACT;

/// The likelihood of a group while some of its members change and the others stay. The orders of
/// the members that stay are summed only once.
pub(crate) struct ChangingGroup<'a> {
    scores: &'a Scores,
    /// The number of members.
    size: usize,
    space: GroupMemory,
    /// The members that change: one or two.
    members: Vec<usize>,
    /// The weights of the members that change, or of all members with the changing ones first.
    ordered: Vec<f64>,
}

impl<'a> ChangingGroup<'a> {
    pub(crate) fn new(scores: &'a Scores) -> Self {
        Self {
            scores,
            size: 0,
            space: GroupMemory::default(),
            members: Vec::new(),
            ordered: Vec::new(),
        }
    }

    /// Starts a group, given the classes of its values and its members' levels by axis. In groups
    /// with more than [`EXACT`] members, the factors of slots keep their values from here.
    pub(crate) fn enter<L: Iterator<Item = u16>>(
        &mut self,
        own: &[u16],
        levels: impl Fn(usize) -> L,
    ) {
        let classes = self.scores.shared.len();
        self.size = own.len();
        self.space.make_room(self.size, classes);
        for member in 0..self.size {
            self.space.see(self.scores, levels(member), member);
        }
        self.space.weigh_seen(own, classes);
        if self.size > EXACT {
            self.space.sum_orders(self.size);
        }
    }

    /// Chooses the members that change next. O(m 2^m) up to [`EXACT`] members.
    pub(crate) fn choose(&mut self, members: &[usize]) {
        self.members.clear();
        self.members.extend_from_slice(members);
        let m = self.size;
        if m > EXACT {
            return;
        }
        let stay = (0..m).filter(|member| !members.contains(member));
        let order = members.iter().copied().chain(stay);
        take_rows(&mut self.ordered, &self.space.weights, m, order);
        self.space.orders.pass_back(m, &self.ordered);
    }

    /// Recomputes one of the members that change.
    pub(crate) fn see(&mut self, levels: impl Iterator<Item = u16>, member: usize) {
        self.space.see(self.scores, levels, member);
        self.space.weigh_again(self.size, member);
    }

    /// The log likelihood of the group, except for terms that do not depend on the members that
    /// change.
    pub(crate) fn log(&mut self) -> f64 {
        let (m, space) = (self.size, &self.space);
        let members = self.members.iter();
        let of_slots = if m <= EXACT {
            let rows = members.clone().copied();
            take_rows(&mut self.ordered, &space.weights, m, rows);
            space.orders.sum_with(m, &self.ordered).ln()
        } else {
            let slots = space.slot_classes().len();
            members
                .clone()
                .map(|&member| {
                    let weights = &space.weights[member * slots..(member + 1) * slots];
                    space.orders.scaled_weight(weights).ln()
                })
                .sum()
        };
        let own = members.map(|&member| space.sums[member].ln());
        of_slots - own.sum::<f64>()
    }
}

/// Copies rows of a matrix with m columns.
fn take_rows(to: &mut Vec<f64>, from: &[f64], m: usize, rows: impl Iterator<Item = usize>) {
    to.clear();
    for row in rows {
        to.extend_from_slice(&from[row * m..(row + 1) * m]);
    }
}
