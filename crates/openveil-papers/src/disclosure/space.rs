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
    /// Returns the functions that may be applied.
    fn functions(&self) -> &Functions;

    /// Returns the number of values in the domain.
    fn values(&self) -> usize;

    /// Returns the number of classes.
    fn classes(&self) -> usize;

    /// Returns the class of a table, given as codes of the values, by person.
    ///
    /// # Errors
    /// [`Error::ForeignTable`] if the table does not assign the multiset to the people.
    fn class_of(&self, table: &[u32]) -> Result<usize, Error>;

    /// Returns the least table of a class.
    fn example(&self, class: usize) -> Vec<u32>;

    /// Returns the number of tables in a class.
    fn multiplicity(&self, class: usize) -> u128;

    /// Returns how each class looks under a function.
    fn generalizations(&self, function: usize) -> &Generalizations;

    /// Returns a counter of no tables.
    fn counter(&self) -> Counter;

    /// Adds the tables of a class to a counter, each with a weight.
    fn add(&self, class: usize, weight: u128, counter: &mut Counter);

    /// Replaces what a counter holds by the permutation set perᵢ(t): all tables
    /// that look like those of `class` under `function`.
    fn count_permutation_set(&self, function: usize, class: usize, counter: &mut Counter);

    /// Returns the summary of the permutation set perᵢ(t) (Definition 1 of the k-jump paper).
    fn permutation_set(&self, function: usize, class: usize) -> Census {
        let mut counter = self.counter();
        self.count_permutation_set(function, class, &mut counter);
        counter.census()
    }

    /// Returns the summary of the tables of all classes that are `kept`: a disclosure set.
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

    /// Returns whether every group of a class's tables under a function may be published, whatever
    /// the conclusions from it are. O(people + groups · values).
    fn admits_groups(
        &self,
        function: usize,
        class: usize,
        predicate: &(impl Predicate + ?Sized),
    ) -> bool {
        let table = self.example(class);
        self.functions().partitions()[function].iter().all(|people| {
            let mut counts = vec![0; self.values()];
            for &person in people {
                counts[table[person as usize] as usize] += 1;
            }
            predicate.admits_group(&counts)
        })
    }

    /// Returns the number of tables of the multiset.
    fn tables(&self) -> u128 {
        (0..self.classes()).map(|class| self.multiplicity(class)).sum()
    }
}

/// The classes by how they look under one function: classes with the same generalisation (the same
/// multiset of values in every group) form one permutation set.
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

    /// Returns the number of distinct generalisations.
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// Returns whether there are no tables at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the generalisation of a class.
    pub fn generalisation(&self, class: usize) -> usize {
        self.of[class] as usize
    }

    /// Returns the classes with a generalisation, ascending.
    pub fn classes(&self, generalization: usize) -> &[u32] {
        let start = self.ends[generalization] as usize;
        &self.classes[start..self.ends[generalization + 1] as usize]
    }
}
