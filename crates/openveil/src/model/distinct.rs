use super::classes::Classes;
use super::{Counts, Failure, Property, Traits};

/// Distinct l-diversity: at least l different values, or categories.
///
/// Convex: a mixture has every value that one of its parts has. Monotone for the
/// same reason. It bounds no posterior below 1: one value may have nearly all of
/// the share. Definition 2 of the (l, α)-diversity paper.
///
/// With exempt values: a multiset without any protected value satisfies it, since
/// nothing is there to be learned; otherwise exempt values count as values.
#[derive(Debug, Clone)]
pub(super) struct DistinctDiversity {
    pub(super) name: String,
    pub(super) l: u32,
    pub(super) classes: Classes,
}

impl DistinctDiversity {
    fn suffices(&self, classes: &[(u32, u128)]) -> bool {
        let exempt = |&(class, _): &(u32, u128)| self.classes.is_exempt(class);
        classes.len() >= self.l as usize || classes.iter().all(exempt)
    }
}

impl Property for DistinctDiversity {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        self.classes.read(counts, |classes| self.suffices(classes))
    }

    fn least_size(&self) -> u32 {
        match self.classes.any_exempt() {
            true => 1,
            false => self.l,
        }
    }

    fn classes(&self) -> Option<&[u32]> {
        self.classes.of_value()
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        (!self.holds(counts)).then(|| Failure {
            property: self.name(),
            value: None,
            measure: "number of different ones",
            found: self.classes.read(counts, <[_]>::len) as f64,
            bound: self.l.into(),
        })
    }
}
