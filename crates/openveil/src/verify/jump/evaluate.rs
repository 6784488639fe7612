//! The strategies themselves, for all tables of a multiset at once.
//!
//! A step of a table's path is known once all earlier steps of all tables are:
//! going forward over the steps, every disclosure set is summed up once, and the
//! recursion that the definitions suggest never happens.

use super::evaluation::{Evaluation, Mark};
use super::plan::{Plan, Strategy};
use crate::Error;
use crate::verify::disclosure::{Counter, Predicate, Space};

/// Follows a plan for every table of a multiset.
///
/// Time: O(steps · classes · what it takes to add a class), plus one test of the
/// property per permutation set and step. Memory: 9 bytes per class.
///
/// # Errors
/// [`Error::Plan`] if the plan names a function that does not exist.
pub fn evaluate(
    space: &impl Space,
    predicate: &(impl Predicate + ?Sized),
    plan: &Plan,
) -> Result<Evaluation, Error> {
    plan.check(space.functions())?;
    let mut sweep = Sweep {
        space,
        predicate,
        marks: vec![Mark::default(); space.classes()],
        counter: space.counter(),
    };
    let steps = plan.sequence().iter().copied().enumerate();
    match plan.strategy() {
        Strategy::Naive => steps.for_each(|(step, function)| sweep.naive(step, function)),
        Strategy::Safe => steps.for_each(|(step, function)| sweep.safe(step, function)),
        Strategy::Jump(distances) => steps.for_each(|(step, function)| {
            sweep.jump(step, function, distances[step]);
        }),
    }
    Ok(Evaluation::new(plan.clone(), sweep.marks))
}

struct Sweep<'a, S, P: ?Sized> {
    space: &'a S,
    predicate: &'a P,
    marks: Vec<Mark>,
    counter: Counter,
}

impl<S: Space, P: Predicate + ?Sized> Sweep<'_, S, P> {
    /// Releases wherever nothing was released and p(per) holds.
    fn naive(&mut self, step: usize, function: usize) {
        self.for_each_generalization(function, |sweep, classes| {
            let open: Vec<usize> = sweep.unreleased(classes).collect();
            let Some(&first) = open.first() else { return };
            let released = sweep.permutation_set_holds(function, first);
            for class in open {
                let mark = &mut sweep.marks[class];
                mark.evaluate_permutations(step);
                if released {
                    mark.release(step);
                }
            }
        });
    }

    /// Releases wherever p holds on the tables for which nothing was released.
    fn safe(&mut self, step: usize, function: usize) {
        self.for_each_generalization(function, |sweep, classes| {
            let open: Vec<usize> = sweep.unreleased(classes).collect();
            let Some(&first) = open.first() else { return };
            let admitted = sweep.space.admits_groups(function, first, sweep.predicate);
            let released = admitted && sweep.set_holds(&open);
            for class in open {
                let mark = &mut sweep.marks[class];
                mark.evaluate_disclosures(step);
                if released {
                    mark.release(step);
                }
            }
        });
    }

    /// One step of k-jump, for the tables whose path leads to it.
    fn jump(&mut self, step: usize, function: usize, distance: u32) {
        self.for_each_generalization(function, |sweep, classes| {
            let here: Vec<usize> = classes
                .iter()
                .map(|&class| class as usize)
                .filter(|&class| sweep.marks[class].is_at(step))
                .collect();
            let Some(&first) = here.first() else { return };
            // All tables of a permutation set share this verdict: those that are
            // here are the disclosure set, or it is never evaluated.
            let passed = sweep.permutation_set_holds(function, first);
            // Where all of them are here, that is the same set once more.
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

    fn for_each_generalization(&mut self, function: usize, visit: impl Fn(&mut Self, &[u32])) {
        let space = self.space;
        let generalizations = space.generalizations(function);
        for generalization in 0..generalizations.len() {
            visit(self, generalizations.classes(generalization));
        }
    }

    fn unreleased<'c>(&'c self, classes: &'c [u32]) -> impl Iterator<Item = usize> + 'c {
        let classes = classes.iter().map(|&class| class as usize);
        classes.filter(|&class| self.marks[class].released().is_none())
    }

    /// Whether p(per) holds, conditions on the groups included: all tables of a
    /// permutation set look alike, so they share the answer.
    fn permutation_set_holds(&mut self, function: usize, class: usize) -> bool {
        self.space
            .count_permutation_set(function, class, &mut self.counter);
        self.counter.satisfies(self.predicate)
            && self.space.admits_groups(function, class, self.predicate)
    }

    fn set_holds(&mut self, classes: &[usize]) -> bool {
        self.counter.clear();
        for &class in classes {
            self.space.add(class, 1, &mut self.counter);
        }
        self.counter.satisfies(self.predicate)
    }
}
