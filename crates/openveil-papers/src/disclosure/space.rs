//! The interface of both engines: classes of tables that all functions treat alike.

use super::census::{Census, Counter};
use super::functions::Functions;
use super::predicate::Predicate;
use openveil_core::Error;

/// All tables of a multiset, in classes that no function tells apart.
///
/// Two engines implement it: [`super::ListedTables`] lists every table,
/// [`super::ContingencyTables`] counts them by contingency tables.
pub trait TableSpace: Sync {
    /// The functions that may be applied.
    fn functions(&self) -> &Functions;

    /// Number of values in the domain.
    fn values(&self) -> usize;

    /// Number of classes.
    fn classes(&self) -> usize;

    /// The class of a table: codes of the values, by person.
    ///
    /// # Errors
    /// [`Error::ForeignTable`] if the table is no assignment of the multiset to
    /// the people.
    fn class_of(&self, table: &[u32]) -> Result<usize, Error>;

    /// The least table of a class.
    fn example(&self, class: usize) -> Vec<u32>;

    /// Number of tables in a class.
    fn multiplicity(&self, class: usize) -> u128;

    /// Returns how each class looks under a function.
    fn generalizations(&self, function: usize) -> &Generalizations;

    /// A counter of no tables.
    fn counter(&self) -> Counter;

    /// Adds the tables of a class to a counter, each with a weight.
    fn add(&self, class: usize, weight: u128, counter: &mut Counter);

    /// Replaces what a counter holds by the permutation set perᵢ(t): all tables
    /// that look like those of `class` under `function`.
    fn count_permutation_set(&self, function: usize, class: usize, counter: &mut Counter);

    /// The permutation set perᵢ(t), summed up (Definition 1 of the k-jump paper).
    fn permutation_set(&self, function: usize, class: usize) -> Census {
        let mut counter = self.counter();
        self.count_permutation_set(function, class, &mut counter);
        counter.census()
    }

    /// The tables of all classes that are `kept`, summed up: a disclosure set.
    /// O(classes).
    fn disclosure_set(&self, kept: impl Fn(usize) -> bool) -> Census
    where
        Self: Sized,
    {
        let mut counter = self.counter();
        for class in (0..self.classes()).filter(|&class| kept(class)) {
            self.add(class, 1, &mut counter);
        }
        counter.census()
    }

    /// Whether every group of what the tables of a class look like under a function
    /// may be published, whatever is concluded from it. O(people + groups · values).
    fn admits_groups(
        &self,
        function: usize,
        class: usize,
        predicate: &(impl Predicate + ?Sized),
    ) -> bool {
        let table = self.example(class);
        let mut groups = self.functions().partitions()[function].iter();
        groups.all(|people| {
            let mut counts = vec![0; self.values()];
            for &person in people {
                counts[table[person as usize] as usize] += 1;
            }
            predicate.admits_group(&counts)
        })
    }

    /// Number of tables of the multiset.
    fn tables(&self) -> u128 {
        (0..self.classes())
            .map(|class| self.multiplicity(class))
            .sum()
    }
}

/// The classes by what they look like under one function: classes with the same
/// generalisation (the same multiset of values in every group) are one
/// permutation set.
#[derive(Debug, Clone)]
pub struct Generalizations {
    of: Vec<u32>,
    ends: Vec<u32>,
    classes: Vec<u32>,
}

impl Generalizations {
    /// Sorts classes by generalisation, given as a number from 0 to below
    /// `count` for each. O(classes + count).
    pub(super) fn new(of: Vec<u32>, count: usize) -> Self {
        let mut ends = vec![0u32; count + 1];
        for &generalization in &of {
            ends[generalization as usize + 1] += 1;
        }
        for generalization in 0..count {
            ends[generalization + 1] += ends[generalization];
        }
        let mut next = ends.clone();
        let mut classes = vec![0; of.len()];
        for (class, &generalization) in of.iter().enumerate() {
            let slot = &mut next[generalization as usize];
            classes[*slot as usize] = class as u32;
            *slot += 1;
        }
        Self { of, ends, classes }
    }

    /// Number of distinct generalisations.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Whether there are no tables at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The generalisation of a class.
    pub fn of(&self, class: usize) -> usize {
        self.of[class] as usize
    }

    /// The classes with a generalisation, ascending.
    pub fn classes(&self, generalization: usize) -> &[u32] {
        let start = self.ends[generalization] as usize;
        &self.classes[start..self.ends[generalization + 1] as usize]
    }
}
