use super::{Counts, Property, Scope, Shortfall};

/// Distinct l-diversity: at least l different values.
///
/// Convex: a mixture has every value that one of its parts has. Monotone for the
/// same reason. Definition 2 of the (l, α)-diversity paper.
///
/// With exempt values: a multiset without any protected value satisfies it, since
/// nothing is there to be learned; otherwise exempt values count as values.
#[derive(Debug, Clone)]
pub(super) struct DistinctDiversity {
    pub(super) l: u32,
    /// `exempt[value]`: the value needs no protection.
    pub(super) exempt: Vec<bool>,
}

impl DistinctDiversity {
    fn protects_nobody(&self, counts: &Counts<'_>) -> bool {
        let exempt = |&(value, _): &(u32, u128)| self.exempt[value as usize];
        counts.entries().iter().all(exempt)
    }
}

impl Property for DistinctDiversity {
    fn name(&self) -> String {
        format!("distinct {}-diversity", self.l)
    }

    fn scope(&self) -> Scope {
        Scope::Distribution
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        counts.distinct() >= self.l as usize || self.protects_nobody(counts)
    }

    fn least_size(&self) -> u32 {
        match self.exempt.contains(&true) {
            true => 1,
            false => self.l,
        }
    }

    fn explain(&self, counts: &Counts<'_>) -> Option<Shortfall> {
        (!self.holds(counts)).then(|| Shortfall {
            property: self.name(),
            value: None,
            measure: "number of different values",
            found: counts.distinct() as f64,
            bound: self.l.into(),
        })
    }
}
