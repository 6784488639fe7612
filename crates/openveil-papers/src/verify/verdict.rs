//! The conclusions of a reader from one release.

use openveil_core::Error;
use openveil_core::coins::weights_overflow;
use openveil_core::exact::{Fraction, fraction};
use openveil_core::model::{CountBuffer, Criteria, Model};
use openveil_core::table::View;

/// The probability of each person's values after a release, in units common to all releases.
#[derive(Debug, Clone)]
pub(super) struct Mass {
    values: usize,
    /// The weight of all tables that lead to the release.
    total: u128,
    /// By person, then by value: the weight of the tables in which the person has the value.
    cells: Vec<u128>,
}

impl Mass {
    pub(super) fn new(people: usize, values: usize) -> Self {
        Self { values, total: 0, cells: vec![0; people * values] }
    }

    /// Adds a table, which gives each person a value.
    pub(super) fn add(&mut self, table: &[u32], weight: u128) -> Result<(), Error> {
        self.grow(weight)?;
        for (person, &value) in table.iter().enumerate() {
            self.cells[person * self.values + value as usize] += weight;
        }
        Ok(())
    }

    /// Adds to the total, which bounds every sum of weights.
    pub(super) fn grow(&mut self, weight: u128) -> Result<(), Error> {
        let total = self.total.checked_add(weight);
        self.total = total.ok_or_else(weights_overflow)?;
        Ok(())
    }

    /// Adds to the weight of a person's value; the weight is a part of what the total
    /// [grew](Mass::grow) by.
    pub(super) fn add_to(&mut self, person: usize, value: u32, weight: u128) {
        self.cells[person * self.values + value as usize] += weight;
    }

    /// Returns the greatest posterior of a protected value, and whether the criteria hold on
    /// everybody's posterior.
    pub(super) fn verdict(
        &self,
        exempt: &[bool],
        criteria: &PersonalCriteria,
        tally: &mut CountBuffer,
    ) -> Verdict {
        let values = self.values;
        let people = self.cells.len() / values;
        let greatest = |people: &mut dyn Iterator<Item = usize>| {
            people
                .flat_map(|person| person * values..(person + 1) * values)
                .filter(|cell| !exempt[cell % values])
                .map(|cell| (self.cells[cell], cell))
                .max_by_key(|&(weight, cell)| (weight, std::cmp::Reverse(cell)))
                .unwrap_or((0, 0))
        };
        let mut breaks = |&person: &usize| {
            let posterior = &self.cells[person * values..][..values];
            !criteria.hold(person, posterior, tally)
        };
        let exposed: Vec<usize> = (0..people).filter(|person| breaks(person)).collect();
        let exposure = (!exposed.is_empty()).then(|| {
            let (weight, cell) = greatest(&mut exposed.into_iter());
            Exposure { weight, person: (cell / values) as u32, value: (cell % values) as u32 }
        });
        Verdict { weight: greatest(&mut (0..people)).0, total: self.total, exposure }
    }
}

/// The most that is learned about anybody from one release.
pub(super) struct Verdict {
    /// The greatest weight of the tables in which some person has some protected value …
    weight: u128,
    /// … and the weight of all tables that lead to the release.
    pub(super) total: u128,
    /// The worst person whose posterior violates the model, if there is one.
    pub(super) exposure: Option<Exposure>,
}

/// A person whose posterior violates the model, with the most likely protected value.
pub(super) struct Exposure {
    pub(super) weight: u128,
    pub(super) person: u32,
    pub(super) value: u32,
}

impl Verdict {
    pub(super) fn posterior(&self) -> Fraction {
        fraction(self.weight, self.total)
    }

    pub(super) fn is_certain(&self) -> bool {
        self.weight == self.total
    }

    pub(super) fn is_unsafe(&self) -> bool {
        self.exposure.is_some()
    }

    /// Returns the greatest posterior among the people whose posterior violates the model.
    pub(super) fn exposure(&self) -> Fraction {
        let exposure = self.exposure.as_ref();
        fraction(exposure.map_or(0, |exposure| exposure.weight), self.total)
    }
}

/// The model's criteria for each person, bound to the person's stratum.
pub(super) struct PersonalCriteria {
    /// By stratum.
    criteria: Vec<Criteria>,
    /// The stratum of each person.
    stratum_of: Vec<usize>,
}

impl PersonalCriteria {
    pub(super) fn new(table: &View, model: &Model) -> Result<Self, Error> {
        let mut stratum_of = vec![0; table.rows()];
        for (number, stratum) in table.strata().iter().enumerate() {
            stratum
                .rows()
                .unwrap_or_default()
                .iter()
                .for_each(|&person| stratum_of[person as usize] = number);
        }
        let criteria = model.bind_strata(table)?.into_iter();
        Ok(Self {
            // Posteriors recur from release to release.
            criteria: criteria.map(Criteria::remembering).collect(),
            stratum_of,
        })
    }

    /// Returns whether the model holds on a person's posterior, given in weights by value.
    pub(super) fn hold(&self, person: usize, posterior: &[u128], tally: &mut CountBuffer) -> bool {
        let criteria = &self.criteria[self.stratum_of[person]];
        criteria.hold_on_posterior(&tally.of_dense(posterior))
    }

    /// Returns whether the model does not distinguish values.
    pub(super) fn treat_values_alike(&self) -> bool {
        self.criteria.iter().all(Criteria::treats_values_alike)
    }
}
