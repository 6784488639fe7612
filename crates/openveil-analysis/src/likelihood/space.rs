//! Sums for one group at a time.

use super::kinds::Chances;
use super::places::{ANY, Places};
use crate::model::ModelShape;
use crate::orders::{EXACT, OrderMemory};
use std::ops::Range;

/// Scores of a model, ready to be looked up.
pub(crate) struct Scores {
    pub(crate) shared: Vec<f64>,
    pub(crate) tables: Vec<Vec<f64>>,
}

impl Scores {
    pub(crate) fn of(shape: &ModelShape, theta: &[f64]) -> Self {
        let (shared, tables) = shape.tables(theta);
        Self { shared, tables }
    }

    /// The chances of all classes for a person, up to a factor: the largest is 1. Returns their
    /// sum.
    #[inline]
    pub(crate) fn chances(&self, levels: impl Iterator<Item = u16>, chances: &mut [f64]) -> f64 {
        let classes = chances.len();
        chances.copy_from_slice(&self.shared);
        for (table, level) in self.tables.iter().zip(levels) {
            let start = level as usize * classes;
            let own = &table[start..start + classes];
            chances
                .iter_mut()
                .zip(own)
                .for_each(|(chance, own)| *chance += own);
        }
        let highest = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for chance in chances.iter_mut() {
            // Below this nothing can be told from nothing.
            *chance = (*chance - highest).max(-60.0).exp();
            sum += *chance;
        }
        sum
    }
}

/// Working space for one group.
#[derive(Default)]
pub(crate) struct GroupMemory {
    pub(crate) orders: OrderMemory,
    chances: Vec<f64>,
    sums: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) shares: Vec<f64>,
    of_columns: Vec<f64>,
    column_shares: Vec<f64>,
    slots: Vec<u16>,
    counts: Vec<f64>,
}

impl GroupMemory {
    /// Looks at the members of a group: chances of classes for each.
    pub(crate) fn look(&mut self, scores: &Scores, levels: &[Vec<u16>], rows: Range<usize>) {
        let classes = scores.shared.len();
        self.chances.resize(rows.len() * classes, 0.0);
        self.sums.clear();
        for (row, chances) in rows.zip(self.chances.chunks_exact_mut(classes)) {
            let levels = levels.iter().map(|levels| levels[row]);
            self.sums.push(scores.chances(levels, chances));
        }
    }

    /// Like [`Self::look`], but for members of these kinds.
    pub(super) fn look_at(&mut self, of_kinds: &Chances, kinds: &[u32], classes: usize) {
        self.chances.clear();
        self.sums.clear();
        for &kind in kinds {
            let start = kind as usize * classes;
            self.chances
                .extend_from_slice(&of_kinds.chances[start..start + classes]);
            self.sums.push(of_kinds.sums[kind as usize]);
        }
    }

    /// Looks at one of the m members of a group anew.
    pub(crate) fn see(
        &mut self,
        scores: &Scores,
        levels: impl Iterator<Item = u16>,
        member: usize,
        m: usize,
    ) {
        let classes = scores.shared.len();
        self.chances.resize(m * classes, 0.0);
        self.sums.resize(m, 0.0);
        let chances = &mut self.chances[member * classes..(member + 1) * classes];
        self.sums[member] = scores.chances(levels, chances);
    }

    /// Prepares [`Self::log`] for a group of which all members were seen.
    pub(crate) fn enter(&mut self, places: &Places, rows: Range<usize>, classes: usize) {
        self.posterior(places, rows, classes);
    }

    /// The log likelihood of the group that was entered, with its members as they were last seen.
    /// In groups beyond [`EXACT`], the factors of slots stay what they were.
    pub(crate) fn log(&mut self, places: &Places, rows: Range<usize>) -> f64 {
        let m = rows.len();
        let classes = self.chances.len() / m;
        let slots = self.slots.len();
        self.weights.clear();
        for member in self.chances.chunks_exact(classes).take(m) {
            let slots = self.slots.iter();
            self.weights
                .extend(slots.map(|&class| member[class as usize]));
        }
        let mut log = if m <= EXACT {
            self.orders.sum(m, &self.weights)
        } else {
            self.orders.scaled_sum(slots, &self.weights)
        };
        let columns = &places.column[rows];
        if columns.contains(&ANY) {
            return log - self.sums.iter().map(|sum| sum.ln()).sum::<f64>();
        }
        self.fill_columns(places, columns, classes);
        log -= match m <= EXACT {
            true => self.orders.sum(m, &self.of_columns),
            // All columns at once: members keep their chances of some column.
            false => self
                .of_columns
                .chunks_exact(m)
                .map(|own| own.iter().sum::<f64>().ln())
                .sum(),
        };
        log
    }

    /// The chances that members come out of columns, member after member.
    fn fill_columns(&mut self, places: &Places, columns: &[u32], classes: usize) {
        self.of_columns.clear();
        for chances in self.chances.chunks_exact(classes).take(columns.len()) {
            for &column in columns {
                let column = places.columns[column as usize].iter();
                let sum = column
                    .map(|&(class, share)| share * chances[class as usize])
                    .sum::<f64>();
                self.of_columns.push(sum);
            }
        }
    }

    /// The slots of a group: its classes with their counts. Up to ten members, a slot for each
    /// row in the rows' order.
    pub(crate) fn slots(&mut self, own: &[u16]) {
        self.slots.clear();
        self.counts.clear();
        if own.len() <= EXACT {
            self.slots.extend_from_slice(own);
            self.counts.resize(own.len(), 1.0);
            return;
        }
        for &class in own {
            match self.slots.iter().position(|&known| known == class) {
                Some(at) => self.counts[at] += 1.0,
                None => {
                    self.slots.push(class);
                    self.counts.push(1.0);
                }
            }
        }
    }

    /// The chances that members have what slots hold, and their posterior, member after member.
    /// Returns the logarithm of the sum over all orders.
    pub(crate) fn posterior(&mut self, places: &Places, rows: Range<usize>, classes: usize) -> f64 {
        let m = rows.len();
        self.slots(&places.class[rows]);
        let slots = self.slots.len();
        self.weights.clear();
        for member in self.chances.chunks_exact(classes).take(m) {
            let slots = self.slots.iter();
            self.weights
                .extend(slots.map(|&class| member[class as usize]));
        }
        self.shares.resize(m * slots, 0.0);
        if m <= EXACT {
            self.orders
                .shares(m, &self.weights, &mut self.shares[..m * m])
        } else {
            self.orders
                .scaled(&self.counts, &self.weights, &mut self.shares[..m * slots])
        }
    }

    /// Draws the slots of the members of the group that was looked at.
    pub(crate) fn draw(
        &mut self,
        m: usize,
        coins: &mut dyn openveil_core::coins::Coins,
        drawn: &mut Vec<usize>,
    ) {
        if m <= EXACT {
            self.orders.draw(m, &self.weights, coins, drawn)
        } else {
            self.orders
                .draw_scaled(&self.counts, &self.weights, coins, drawn)
        }
    }

    /// The slots of the group that was looked at.
    pub(crate) fn slot_classes(&self) -> &[u16] {
        &self.slots
    }

    /// Adds a group's log likelihood and, per member, its gradient by the scores of classes.
    pub(super) fn group(
        &mut self,
        places: &Places,
        rows: Range<usize>,
        classes: usize,
        gradient: &mut Vec<f64>,
    ) -> f64 {
        let m = rows.len();
        gradient.clear();
        gradient.resize(m * classes, 0.0);
        let mut log = self.posterior(places, rows.clone(), classes);
        let slots = self.slots.len();
        for (member, own) in gradient.chunks_exact_mut(classes).enumerate() {
            let shares = &self.shares[member * slots..(member + 1) * slots];
            for (&class, share) in self.slots.iter().zip(shares) {
                own[class as usize] += share;
            }
        }
        let columns = &places.column[rows];
        if columns.contains(&ANY) {
            for (member, own) in gradient.chunks_exact_mut(classes).enumerate() {
                let sum = self.sums[member];
                log -= sum.ln();
                let chances = &self.chances[member * classes..(member + 1) * classes];
                own.iter_mut()
                    .zip(chances)
                    .for_each(|(own, chance)| *own -= chance / sum);
            }
            return log;
        }
        self.fill_columns(places, columns, classes);
        self.column_shares.resize(m * m, 0.0);
        log -= self
            .orders
            .shares(m, &self.of_columns, &mut self.column_shares[..m * m]);
        for (member, own) in gradient.chunks_exact_mut(classes).enumerate() {
            let chances = &self.chances[member * classes..(member + 1) * classes];
            for (slot, &column) in columns.iter().enumerate() {
                let at = member * m + slot;
                let scale = self.column_shares[at] / self.of_columns[at];
                for &(class, share) in &places.columns[column as usize] {
                    own[class as usize] -= scale * share * chances[class as usize];
                }
            }
        }
        log
    }
}
