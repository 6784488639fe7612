//! The likelihood that knows which values share a column.
//!
//! A group with members x and values v, value v_j out of the column with the values S_j, has
//!
//! > log per p(v_j | x_i) − log per p(S_j | x_i),   p(S | x) = Σ_{v ∈ S} p(v | x)
//!
//! where per is the permanent. Its gradient is the posterior of the values less the posterior of the
//! columns times the chance within the column. Where no columns are known a column holds all
//! values, so the second term is 0. Source: ASSOCIATIONS.md, "The likelihood that knows the columns".

use crate::evidence::Evidence;
use crate::model::Shape;
use crate::orders::{EXACT, Orders};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Pieces in which groups are looked at: a fixed number, so that sums come out the same on every
/// machine.
const PIECES: usize = 16;

/// No column is known of a value.
const ANY: u32 = u32::MAX;

/// People whose known codes are all given: by axis, the level of each row.
pub(crate) type Levels = Vec<Vec<u16>>;

/// What a likelihood needs to know of a release, whatever the people's codes are.
#[derive(Debug)]
pub(crate) struct Places {
    /// Per row of the release: the class of the value that stands there.
    class: Vec<u16>,
    /// Per row: the column that the value came out of, as a number of `columns`, or [`ANY`].
    column: Vec<u32>,
    /// Columns: classes with the share of the class that lies in the column.
    columns: Vec<Vec<(u16, f64)>>,
}

impl Places {
    pub(crate) fn of(evidence: &Evidence, shape: &Shape) -> Self {
        let class = |&value: &u32| shape.classes.of_value[value as usize];
        let class: Vec<u16> = evidence.values().iter().map(class).collect();
        let mut places = Self {
            column: vec![ANY; class.len()],
            class,
            columns: Vec::new(),
        };
        let mut known: HashMap<&[u32], u32> = HashMap::new();
        let mut group = 0;
        for unit in evidence.units() {
            let groups = group..group + unit.groups() as usize;
            group = groups.end;
            let mut of_value: HashMap<u32, u32> = HashMap::new();
            let mut is_clear = !unit.columns().is_empty();
            for column in unit.columns() {
                let next = places.columns.len() as u32;
                let number = *known.entry(column).or_insert(next);
                if number == next {
                    places.columns.push(shares(column, shape));
                }
                for &value in column {
                    is_clear &= of_value.insert(value, number).is_none();
                }
            }
            // A value in two columns may have come out of either.
            if is_clear {
                for row in groups.flat_map(|group| evidence.rows_of(group)) {
                    if let Some(&number) = of_value.get(&evidence.values()[row]) {
                        places.column[row] = number;
                    }
                }
            }
        }
        places
    }
}

/// The classes of a column's values, with the share of each class that they make up.
fn shares(column: &[u32], shape: &Shape) -> Vec<(u16, f64)> {
    let mut shares: Vec<(u16, f64)> = Vec::new();
    for &value in column {
        let (class, share) = (
            shape.classes.of_value[value as usize],
            shape.classes.share[value as usize],
        );
        match shares.iter_mut().find(|own| own.0 == class) {
            Some(own) => own.1 += share,
            None => shares.push((class, share)),
        }
    }
    shares
}

/// Scores of a model, ready to be looked up.
pub(crate) struct Scores {
    pub(crate) shared: Vec<f64>,
    pub(crate) tables: Vec<Vec<f64>>,
}

impl Scores {
    pub(crate) fn of(shape: &Shape, theta: &[f64]) -> Self {
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
pub(crate) struct Space {
    pub(crate) orders: Orders,
    chances: Vec<f64>,
    sums: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) shares: Vec<f64>,
    of_columns: Vec<f64>,
    column_shares: Vec<f64>,
    slots: Vec<u16>,
    counts: Vec<f64>,
}

impl Space {
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
        let mut log = match m <= EXACT {
            true => self.orders.sum(m, &self.weights),
            false => self.orders.scaled_sum(slots, &self.weights),
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
        match m <= EXACT {
            true => self
                .orders
                .shares(m, &self.weights, &mut self.shares[..m * m]),
            false => self
                .orders
                .scaled(&self.counts, &self.weights, &mut self.shares[..m * slots]),
        }
    }

    /// Draws the slots of the members of the group that was looked at.
    pub(crate) fn draw(
        &mut self,
        m: usize,
        coins: &mut dyn openveil::coins::Coins,
        drawn: &mut Vec<usize>,
    ) {
        match m <= EXACT {
            true => self.orders.draw(m, &self.weights, coins, drawn),
            false => self
                .orders
                .draw_scaled(&self.counts, &self.weights, coins, drawn),
        }
    }

    /// The slots of the group that was looked at.
    pub(crate) fn slot_classes(&self) -> &[u16] {
        &self.slots
    }

    /// Adds a group's log likelihood and, per member, its gradient by the scores of classes.
    fn group(
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

/// The likelihood of a release.
pub(crate) struct Likelihood<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) shape: &'a Shape,
    pub(crate) places: &'a Places,
    /// Possible people, each as likely as the others: one set where rows are shown.
    pub(crate) people: &'a [Levels],
    /// Groups that are looked at.
    pub(crate) groups: Range<usize>,
    /// Every so many-th group of them.
    pub(crate) step: usize,
}

/// Sums over some groups.
struct Sums {
    log: f64,
    shared: Vec<f64>,
    tables: Vec<Vec<f64>>,
}

impl Likelihood<'_> {
    /// The log likelihood and its gradient. O(rows · (columns + 1) · classes + groups · m 2^m).
    pub(crate) fn at(&self, theta: &[f64]) -> (f64, Vec<f64>) {
        let scores = Scores::of(self.shape, theta);
        let chosen = self.groups.len().div_ceil(self.step);
        let pieces = PIECES * self.people.len();
        let sums = (0..pieces).into_par_iter().map(|piece| {
            let (set, piece) = (piece / PIECES, piece % PIECES);
            let groups = chosen * piece / PIECES..chosen * (piece + 1) / PIECES;
            self.piece(&scores, &self.people[set], groups)
        });
        let sums: Vec<Sums> = sums.collect();
        let mut sums = sums.into_iter();
        let mut all = sums.next().expect("there are pieces");
        for sums in sums {
            all.log += sums.log;
            add(&mut all.shared, &sums.shared);
            all.tables
                .iter_mut()
                .zip(&sums.tables)
                .for_each(|(all, own)| add(all, own));
        }
        let each = 1.0 / self.people.len() as f64;
        let mut gradient = self.shape.gradient(&all.shared, &all.tables);
        gradient.iter_mut().for_each(|own| *own *= each);
        (all.log * each, gradient)
    }

    fn piece(&self, scores: &Scores, levels: &Levels, groups: Range<usize>) -> Sums {
        let classes = self.shape.classes.len();
        let mut sums = Sums {
            log: 0.0,
            shared: vec![0.0; classes],
            tables: scores
                .tables
                .iter()
                .map(|table| vec![0.0; table.len()])
                .collect(),
        };
        let (mut space, mut gradient) = (Space::default(), Vec::new());
        for group in groups {
            let group = self.groups.start + group * self.step;
            let rows = self.evidence.rows_of(group);
            space.look(scores, levels, rows.clone());
            sums.log += space.group(self.places, rows.clone(), classes, &mut gradient);
            for (row, own) in rows.zip(gradient.chunks_exact(classes)) {
                add(&mut sums.shared, own);
                for (table, levels) in sums.tables.iter_mut().zip(levels) {
                    let start = levels[row] as usize * classes;
                    add(&mut table[start..start + classes], own);
                }
            }
        }
        sums
    }
}

#[inline]
fn add(all: &mut [f64], own: &[f64]) {
    all.iter_mut().zip(own).for_each(|(all, own)| *all += own);
}
