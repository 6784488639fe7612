use super::{Counts, Failure, Property, Traits};

/// k-anonymity: every group has at least k rows.
///
/// A condition on groups: it says nothing about values, so it protects nobody's
/// value by itself. Monotone. Definition 1 of the (l, α)-diversity paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KAnonymity {
    pub(super) k: u32,
}

impl Property for KAnonymity {
    fn name(&self) -> String {
        format!("{}-anonymity", self.k)
    }

    fn traits(&self) -> Traits {
        Traits::OF_GROUPS
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        counts.total() >= self.k.into()
    }

    fn least_size(&self) -> u32 {
        self.k
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        (!self.holds(counts)).then(|| Failure {
            property: self.name(),
            value: None,
            measure: "number of rows",
            found: counts.total() as f64,
            bound: self.k.into(),
        })
    }
}
