//! Properties compared with their definitions, and their claims about themselves.

mod agreement;
mod claims;
mod closeness;
mod entropy;
mod generators;
mod hints;
mod informed;
mod l_alpha;
mod list;

use super::{Counts, Criteria, Informed, Model, Requirement};
use crate::exact::Rational;
use crate::hierarchy::Hierarchy;
use crate::release::check::definitions::{Definition, Whole};
use crate::table::{Secret, View};

/// A whole table's sensitive column: values `v0`, `v1`, …
#[derive(Debug, Clone)]
struct World {
    table: View,
    counts: Vec<u64>,
    protected: Vec<bool>,
}

impl World {
    fn new(counts: &[u64]) -> Self {
        let labels: Vec<String> = (0..counts.len()).map(|value| format!("v{value}")).collect();
        let labels: Vec<&str> = labels.iter().map(|label| &**label).collect();
        Self::of_labels(&labels, counts)
    }

    fn of_labels(labels: &[&str], counts: &[u64]) -> Self {
        let codes = (0..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]);
        let sensitive = Secret::new("s", codes.collect(), labels.iter().copied());
        Self {
            table: View::new(vec![], sensitive).unwrap(),
            counts: counts.to_vec(),
            protected: vec![true; counts.len()],
        }
    }

    fn sensitive(self, change: impl FnOnce(Secret) -> Secret) -> Self {
        let sensitive = change(self.table.secret().clone());
        Self { table: View::new(vec![], sensitive).unwrap(), ..self }
    }

    fn with_exempt(self, exempt: &[bool]) -> Self {
        let mut world = self.sensitive(|sensitive| sensitive.with_exempt(exempt.to_vec()));
        world.protected = exempt.iter().map(|exempt| !exempt).collect();
        world
    }

    fn with_hierarchy(self, hierarchy: Hierarchy) -> Self {
        self.sensitive(|sensitive| sensitive.with_hierarchy(hierarchy))
    }

    fn bind(&self, requirement: &Requirement) -> Criteria {
        Model::from(requirement.clone()).bind(&self.table).unwrap()
    }

    /// The properties' decision about counts by value.
    fn holds(&self, requirement: &Requirement, group: &[u64]) -> bool {
        self.holds_scaled(requirement, group, 1)
    }

    fn holds_scaled(&self, requirement: &Requirement, group: &[u64], factor: u128) -> bool {
        let entries = entries(group, factor);
        self.bind(requirement).hold_on_group(&Counts::new(&entries))
    }

    /// The definition's decision.
    fn defined(&self, requirement: &Requirement, group: &[u64]) -> bool {
        self.defined_for(requirement, None, group)
    }

    /// The definition's decision for readers who are informed, or for the usual reader.
    fn defined_for(
        &self,
        requirement: &Requirement,
        informed: Option<Informed>,
        group: &[u64],
    ) -> bool {
        let whole = Whole {
            protected: &self.protected,
            counts: &self.counts,
            sensitive: self.table.secret(),
        };
        let counts: Vec<(usize, u64)> =
            (0..).zip(group.iter().copied()).filter(|&(_, count)| count > 0).collect();
        Definition::new(requirement, informed, &whole).is_satisfied(&counts)
    }
}

fn entries(group: &[u64], factor: u128) -> Vec<(u32, u128)> {
    let counts = group.iter().map(|&count| u128::from(count) * factor);
    (0..).zip(counts).filter(|&(_, count)| count > 0).collect()
}

fn r(numerator: u64, denominator: u64) -> Rational {
    Rational::new(numerator, denominator)
}
