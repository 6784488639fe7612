//! The result of a plan for every table of a multiset.

use super::plan::{JumpPlan, Strategy};
use crate::disclosure::{Census, TableSpace};

/// The set evaluated at a step: i/0 or i/1 in the k-jump paper (Definition 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvaluatedSet {
    /// The permutation set: i/0.
    Permutations,
    /// The disclosure set: i/1.
    Disclosures,
}

/// A point of an evaluation path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Station {
    /// The step of the plan, counted from 0.
    pub step: usize,
    /// The set evaluated there.
    pub stage: EvaluatedSet,
}

/// The outcome of a plan for one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOutcome {
    /// The step whose function is released; `None` releases nothing.
    pub released: Option<usize>,
    /// The evaluation path: what was evaluated on the way.
    pub path: Vec<Station>,
}

/// The outcomes of a plan for every table of a multiset, by class.
#[derive(Debug, Clone)]
pub struct Evaluation {
    plan: JumpPlan,
    marks: Vec<Mark>,
}

impl Evaluation {
    pub(super) fn new(plan: JumpPlan, marks: Vec<Mark>) -> Self {
        Self { plan, marks }
    }

    /// Returns the plan that was evaluated.
    pub fn plan(&self) -> &JumpPlan {
        &self.plan
    }

    /// Returns the outcome of the plan for the tables of a class. O(steps).
    pub fn outcome(&self, class: usize) -> PlanOutcome {
        let mark = self.marks[class];
        let mut path = Vec::new();
        for step in 0..self.plan.sequence().len() {
            for (stage, steps) in [
                (EvaluatedSet::Permutations, mark.permutations),
                (EvaluatedSet::Disclosures, mark.disclosures),
            ] {
                if steps >> step & 1 == 1 {
                    path.push(Station { step, stage });
                }
            }
        }
        PlanOutcome { released: mark.released(), path }
    }

    /// Returns the step whose function is released for a class, if any.
    pub fn released(&self, class: usize) -> Option<usize> {
        self.marks[class].released()
    }

    /// Returns the function that is released for a class, if any.
    pub fn released_function(&self, class: usize) -> Option<usize> {
        self.released(class).map(|step| self.plan.sequence()[step])
    }

    /// Returns the number of tables for which each step releases; the last entry counts the tables
    /// for which nothing is released.
    pub fn released_tables(&self, space: &impl TableSpace) -> Vec<u128> {
        let steps = self.plan.sequence().len();
        let mut tables = vec![0; steps + 1];
        for (class, mark) in self.marks.iter().enumerate() {
            tables[mark.released().unwrap_or(steps)] += space.multiplicity(class);
        }
        tables
    }

    /// Returns the disclosure set dsᵢ(t) (Definition 3 of the k-jump paper): the tables that look
    /// like the tables of `class` under the step's function and are still possible there. With
    /// [`Strategy::Jump`], their path contains i/1; otherwise, nothing was released for them
    /// before.
    ///
    /// It is empty if the permutation set fails and the strategy requires it to hold. O(classes of
    /// the permutation set).
    pub fn disclosure_set(&self, space: &impl TableSpace, step: usize, class: usize) -> Census {
        let generalizations = space.generalizations(self.plan.sequence()[step]);
        let mut counter = space.counter();
        for &alike in generalizations.classes(generalizations.generalisation(class)) {
            let mark = self.marks[alike as usize];
            let evaluated = match self.plan.strategy() {
                Strategy::Naive => mark.permutations,
                Strategy::Safe | Strategy::Jump(_) => mark.disclosures,
            };
            if evaluated >> step & 1 == 1 {
                space.add(alike as usize, 1, &mut counter);
            }
        }
        counter.census()
    }
}

/// The state of a class: its path so far as two sets of steps, and its place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark {
    permutations: u32,
    disclosures: u32,
    /// The step to which the path leads next, or, with the highest bit set, the step that was
    /// released.
    place: u8,
}

const RELEASED: u8 = 1 << 7;

impl Mark {
    pub(super) fn is_at(self, step: usize) -> bool {
        usize::from(self.place) == step
    }

    pub(super) fn released(self) -> Option<usize> {
        (self.place & RELEASED > 0).then_some((self.place & !RELEASED).into())
    }

    pub(super) fn evaluate_permutations(&mut self, step: usize) {
        self.permutations |= 1 << step;
    }

    pub(super) fn evaluate_disclosures(&mut self, step: usize) {
        self.disclosures |= 1 << step;
    }

    pub(super) fn release(&mut self, step: usize) {
        self.place = step as u8 | RELEASED;
    }

    /// Beyond the last step, all places are equivalent.
    pub(super) fn go_to(&mut self, step: u64) {
        self.place = step.min((RELEASED - 1).into()) as u8;
    }
}
