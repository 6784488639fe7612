//! The conclusions from an output of a reader who knows the plans.

use super::evaluate::evaluate;
use super::evaluation::Evaluation;
use super::plan::{JumpPlan, PlanError};
use crate::disclosure::{Census, Counter, Predicate, TableSpace};
use openveil_core::Error;
use openveil_core::exact::{Fraction, fraction};

/// The published output. A release does not state which step released it: a function that occurs
/// twice in a plan looks the same both times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Output {
    /// Nothing is released.
    Nothing,
    /// A function, with the values of each of its groups.
    Release {
        /// The first function with these groups.
        function: usize,
        /// The generalisation, as numbered by the space.
        generalization: usize,
    },
}

/// A reader who knows the multiset of values, and that one of several plans was chosen uniformly at
/// random and kept secret. With a single plan, the reader knows the plan.
///
/// The posterior follows Bayes' rule: a table's weight is the number of plans under which it leads
/// to the output. A plan that is listed twice is twice as likely.
#[derive(Debug)]
pub struct PlanReader<'s, S> {
    space: &'s S,
    evaluations: Vec<Evaluation>,
    /// The first function with the same groups, by function.
    alike: Vec<usize>,
}

impl<'s, S: TableSpace> PlanReader<'s, S> {
    /// Evaluates every plan for every table.
    ///
    /// # Errors
    /// [`Error::Plan`] if there are no plans, or one names a function that does
    /// not exist; [`Error::BeyondLimit`] if tables times plans do not fit into 128
    /// bits.
    pub fn new(
        space: &'s S,
        predicate: &(impl Predicate + ?Sized),
        plans: &[JumpPlan],
    ) -> Result<Self, Error> {
        if plans.is_empty() {
            return Err(PlanError::NoPlan.into());
        }
        let cases = space.tables().checked_mul(plans.len() as u128);
        cases.ok_or_else(too_many_cases)?;
        let evaluations = plans.iter().map(|plan| evaluate(space, predicate, plan));
        let functions = space.functions();
        Ok(Self {
            space,
            evaluations: evaluations.collect::<Result<_, Error>>()?,
            alike: (0..functions.partitions().len())
                .map(|function| functions.first_alike(function))
                .collect(),
        })
    }

    /// Returns the evaluation of each plan.
    pub fn evaluations(&self) -> &[Evaluation] {
        &self.evaluations
    }

    /// Returns the output of plan number `choice` for the tables of a class.
    pub fn output(&self, choice: usize, class: usize) -> Output {
        match self.released(choice, class) {
            None => Output::Nothing,
            Some(function) => Output::Release {
                function,
                generalization: self.space.generalizations(function).generalisation(class),
            },
        }
    }

    /// Returns the reader's conclusion from an output: the tables that can lead to it, each
    /// weighted by the number of plans under which it does. O(classes that look alike · plans).
    pub fn conclusion(&self, output: Output) -> Census {
        let mut counter = self.space.counter();
        self.count(output, &mut counter);
        counter.census()
    }

    /// Returns all releases of all plans together, judged one by one. O(functions · classes ·
    /// plans).
    pub fn releases(&self, predicate: &(impl Predicate + ?Sized)) -> Releases {
        let mut found = Releases::default();
        let mut counter = self.space.counter();
        for function in (0..self.alike.len()).filter(|&f| self.alike[f] == f) {
            let generalizations = self.space.generalizations(function);
            for generalization in 0..generalizations.len() {
                let output = Output::Release { function, generalization };
                counter.clear();
                self.count(output, &mut counter);
                if counter.tables() > 0 {
                    let class = generalizations.classes(generalization)[0] as usize;
                    let is_safe = counter.satisfies(predicate)
                        && self.space.admits_groups(function, class, predicate);
                    found.add(output, &counter, is_safe);
                }
            }
        }
        found
    }

    fn released(&self, choice: usize, class: usize) -> Option<usize> {
        let function = self.evaluations[choice].released_function(class)?;
        Some(self.alike[function])
    }

    fn count(&self, output: Output, counter: &mut Counter) {
        match output {
            Output::Nothing => {
                (0..self.space.classes()).for_each(|class| self.add(class, None, counter));
            }
            Output::Release { function, generalization } => {
                let all = self.space.generalizations(function);
                for &class in all.classes(generalization) {
                    self.add(class as usize, Some(function), counter);
                }
            }
        }
    }

    fn add(&self, class: usize, released: Option<usize>, counter: &mut Counter) {
        let choices = 0..self.evaluations.len();
        let weight = choices.filter(|&choice| self.released(choice, class) == released).count();
        if weight > 0 {
            self.space.add(class, weight as u128, counter);
        }
    }
}

pub(super) fn too_many_cases() -> Error {
    Error::BeyondLimit {
        what: "bits of a number of tables times choices",
        needed: "more than 128".to_owned(),
        limit: 128,
    }
}

/// All releases of a multiset under a choice of plans. A *case* is a table with a plan, so under a
/// single plan cases are tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Releases {
    /// Number of cases in which something is released.
    pub cases: u128,
    /// Number of distinguishable releases.
    pub outputs: u64,
    /// Number of releases after which the property fails for somebody, or which show a group that
    /// may not be published.
    pub unsafe_outputs: u64,
    /// Number of cases that lead to such a release.
    pub unsafe_cases: u128,
    /// The greatest posterior of any value, person and release; 0 without releases.
    pub highest_posterior: Fraction,
    /// The unsafe release with the greatest posterior, the first of several.
    pub worst: Option<(Output, Fraction)>,
}

impl Default for Releases {
    fn default() -> Self {
        Self {
            cases: 0,
            outputs: 0,
            unsafe_outputs: 0,
            unsafe_cases: 0,
            highest_posterior: fraction(0, 1),
            worst: None,
        }
    }
}

impl Releases {
    /// Returns whether the property holds for everybody after every release, and every group may be
    /// published. Releasing nothing does not count here: see [`super::JumpReport`].
    pub fn are_safe(&self) -> bool {
        self.unsafe_outputs == 0
    }

    fn add(&mut self, output: Output, counter: &Counter, is_safe: bool) {
        let highest = counter.highest_posterior();
        self.cases += counter.tables();
        self.outputs += 1;
        if !is_safe {
            self.unsafe_outputs += 1;
            self.unsafe_cases += counter.tables();
            if self.worst.as_ref().is_none_or(|(_, worst)| *worst < highest) {
                self.worst = Some((output, highest.clone()));
            }
        }
        if self.highest_posterior < highest {
            self.highest_posterior = highest;
        }
    }
}
