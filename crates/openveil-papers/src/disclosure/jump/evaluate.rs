//! Evaluates the strategies, for all tables of a multiset at once.
//!
//! A step of a table's path is known once all earlier steps of all tables are. The evaluation goes
//! forward over the steps, so every disclosure set is summed up once, and the recursion that the
//! definitions suggest is not needed.

use super::evaluation::{Evaluation, Mark};
use super::plan::{JumpPlan, Strategy};
use crate::disclosure::{Counter, Predicate, TableSpace};
use openveil_core::Error;

/// Evaluates a plan for every table of a multiset.
///
/// Time: O(steps · classes · cost of adding a class), plus one test of the property per permutation
/// set and step. Memory: 9 bytes per class.
///
/// # Errors
/// [`Error::Plan`] if the plan names a function that does not exist.
pub fn evaluate(
    space: &impl TableSpace,
    predicate: &(impl Predicate + ?Sized),
    plan: &JumpPlan,
) -> Result<Evaluation, Error> {
    Evaluator::new(space, predicate).follow(plan)
}

/// Evaluates several plans for the same tables, and tests the permutation sets of functions only
/// once.
#[derive(Debug)]
pub struct Evaluator<'a, S, P: ?Sized> {
    space: &'a S,
    predicate: &'a P,
    marks: Vec<Mark>,
    counter: Counter,
    /// By function and generalisation, whether p(per) holds, as far as it was tested.
    verdicts: Vec<Vec<Option<bool>>>,
}

impl<'a, S: TableSpace, P: Predicate + ?Sized> Evaluator<'a, S, P> {
    /// Makes an evaluator of all plans over the functions of a space.
    pub fn new(space: &'a S, predicate: &'a P) -> Self {
        let functions = 0..space.functions().partitions().len();
        Self {
            space,
            predicate,
            marks: Vec::new(),
            counter: space.counter(),
            verdicts: functions
                .map(|function| vec![None; space.generalizations(function).len()])
                .collect(),
        }
    }

    /// Evaluates a plan, as [`evaluate()`] does.
    ///
    /// # Errors
    /// [`Error::Plan`] if the plan names a function that does not exist.
    pub fn follow(&mut self, plan: &JumpPlan) -> Result<Evaluation, Error> {
        plan.check(self.space.functions())?;
        self.marks = vec![Mark::default(); self.space.classes()];
        for (step, &function) in plan.sequence().iter().enumerate() {
            match plan.strategy() {
                Strategy::Naive => self.naive(step, function),
                Strategy::Safe => self.safe(step, function),
                Strategy::Jump(distances) => self.jump(step, function, distances[step]),
            }
        }
        Ok(Evaluation::new(plan.clone(), std::mem::take(&mut self.marks)))
    }

    /// Releases for the classes without a release for which p(per) holds.
    fn naive(&mut self, step: usize, function: usize) {
        self.for_each_generalization(function, |sweep, number, classes| {
            let open: Vec<usize> = sweep.unreleased(classes).collect();
            let Some(&first) = open.first() else { return };
            let released = sweep.permutation_set_holds((function, number), first);
            for class in open {
                let mark = &mut sweep.marks[class];
                mark.evaluate_permutations(step);
                if released {
                    mark.release(step);
                }
            }
        });
    }

    /// Releases for the classes without a release on whose tables p holds.
    fn safe(&mut self, step: usize, function: usize) {
        self.for_each_generalization(function, |sweep, number, classes| {
            let open: Vec<usize> = sweep.unreleased(classes).collect();
            let Some(&first) = open.first() else { return };
            // If nothing was released before, the set is the permutation set.
            let released = if open.len() == classes.len() {
                sweep.permutation_set_holds((function, number), first)
            } else {
                let admitted = sweep.space.admits_groups(function, first, sweep.predicate);
                admitted && sweep.set_holds(&open)
            };
            for class in open {
                let mark = &mut sweep.marks[class];
                mark.evaluate_disclosures(step);
                if released {
                    mark.release(step);
                }
            }
        });
    }

    /// Evaluates one step of k-jump, for the tables whose path leads to it.
    fn jump(&mut self, step: usize, function: usize, distance: u32) {
        self.for_each_generalization(function, |sweep, number, classes| {
            let here: Vec<usize> = classes
                .iter()
                .map(|&class| class as usize)
                .filter(|&class| sweep.marks[class].is_at(step))
                .collect();
            let Some(&first) = here.first() else { return };
            // All tables of a permutation set share this verdict. If it passes, the tables at this
            // step are the disclosure set; otherwise that set is not evaluated.
            let passed = sweep.permutation_set_holds((function, number), first);
            // If all of them are here, the disclosure set is the permutation set.
            let whole = here.len() == classes.len();
            let released = passed && (whole || sweep.set_holds(&here));
            for class in here {
                let mark = &mut sweep.marks[class];
                mark.evaluate_permutations(step);
                if passed {
                    mark.evaluate_disclosures(step);
                }
                match (passed, released) {
                    (_, true) => mark.release(step),
                    (true, false) => mark.go_to(step as u64 + u64::from(distance)),
                    (false, false) => mark.go_to(step as u64 + 1),
                }
            }
        });
    }

    fn for_each_generalization(
        &mut self,
        function: usize,
        visit: impl Fn(&mut Self, usize, &[u32]),
    ) {
        let space = self.space;
        let generalizations = space.generalizations(function);
        for number in 0..generalizations.len() {
            visit(self, number, generalizations.classes(number));
        }
    }

    fn unreleased<'c>(&'c self, classes: &'c [u32]) -> impl Iterator<Item = usize> + 'c {
        classes
            .iter()
            .map(|&class| class as usize)
            .filter(|&class| self.marks[class].released().is_none())
    }

    /// Returns whether p(per) holds, including conditions on the groups. All tables of a
    /// permutation set look alike, so they share the answer, and so do all plans.
    fn permutation_set_holds(&mut self, (function, number): (usize, usize), class: usize) -> bool {
        if let Some(holds) = self.verdicts[function][number] {
            return holds;
        }
        self.space.count_permutation_set(function, class, &mut self.counter);
        let holds = self.counter.satisfies(self.predicate)
            && self.space.admits_groups(function, class, self.predicate);
        self.verdicts[function][number] = Some(holds);
        holds
    }

    fn set_holds(&mut self, classes: &[usize]) -> bool {
        self.counter.clear();
        for &class in classes {
            self.space.add(class, 1, &mut self.counter);
        }
        self.counter.satisfies(self.predicate)
    }
}
