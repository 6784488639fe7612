//! The property that must hold for everybody: a bound on shares, or a privacy model.

use super::scene::{Scene, problem};
use crate::verify::people_with;
use openveil_core::exact::number;
use openveil_core::model::{Criteria, Model};
use openveil_io::Error;
use openveil_papers::disclosure::{Predicate, RatioBound};
use std::fmt;

/// The greatest share that a value may have: 1/2, 0.5 or 2/3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareBound {
    numerator: u64,
    denominator: u64,
}

impl ShareBound {
    /// Reads a share.
    ///
    /// # Errors
    /// A text that is not a share above 0 and below 1.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let share = number::parse(text).filter(|share| *share.numer() < *share.denom());
        let share = share.filter(|share| *share.numer() > 0).ok_or_else(|| {
            problem(format!("the bound `{text}` is not a share between 0 and 1"))
                .help("write it like `1/2` or `0.5`")
        })?;
        Ok(Self { numerator: *share.numer(), denominator: *share.denom() })
    }

    /// The least l whose share 1/l is within the bound.
    fn l(self) -> u32 {
        u32::try_from(self.denominator.div_ceil(self.numerator)).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for ShareBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

/// The property that everybody's chances must satisfy.
#[derive(Debug, Clone)]
pub enum ExplainedProperty {
    /// No value may have a greater share.
    Share(ShareBound),
    /// A privacy model, as a policy has it.
    Model(Model),
}

impl fmt::Display for ExplainedProperty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(bound) => write!(f, "no value may have a chance above {bound}"),
            Self::Model(model) => write!(f, "everybody's chances must satisfy {model}"),
        }
    }
}

impl ExplainedProperty {
    /// Binds it to the values of these people.
    ///
    /// # Errors
    /// A model that does not fit the values.
    pub(super) fn bind(&self, scene: &Scene) -> Result<AskedProperty, Error> {
        let model = match self {
            Self::Share(bound) => {
                let share = RatioBound::new(bound.numerator, bound.denominator);
                return Ok(AskedProperty { predicate: Box::new(share?), l: Some(bound.l()) });
            }
            Self::Model(model) => model,
        };
        let people = people_with(scene.values(), model.clone())?;
        let criteria = model.bind(people.table())?;
        let in_order = people.table().secret().labels();
        let places = scene
            .labels
            .iter()
            .filter_map(|label| in_order.iter().position(|own| own == label))
            .collect();
        let treats_values_alike = criteria.treats_values_alike();
        let predicate = InOrder { criteria, places };
        let even = |l: &usize| {
            let counts = (0..scene.labels.len()).map(|value| u128::from(value < *l));
            predicate.holds(&counts.collect::<Vec<u128>>())
        };
        let mut sizes = 1..=scene.labels.len();
        let l = sizes.find(even).filter(|_| treats_values_alike);
        Ok(AskedProperty { l: l.map(|l| l as u32), predicate: Box::new(predicate) })
    }
}

/// A property of these people's values.
pub(super) struct AskedProperty {
    pub(super) predicate: Box<dyn Predicate>,
    /// How many people have to be able to stand for each other: the least number of equally likely
    /// values that satisfy the property. None if no number does, or if it depends on the values.
    pub(super) l: Option<u32>,
}

/// Criteria for values numbered in their order, while people's values are numbered as they are
/// named.
struct InOrder {
    criteria: Criteria,
    places: Vec<usize>,
}

impl InOrder {
    fn in_order(&self, counts: &[u128]) -> Vec<u128> {
        let mut found = vec![0; counts.len()];
        for (&place, &count) in self.places.iter().zip(counts) {
            found[place] = count;
        }
        found
    }
}

impl Predicate for InOrder {
    fn holds(&self, counts: &[u128]) -> bool {
        self.criteria.holds(&self.in_order(counts))
    }

    fn admits_group(&self, counts: &[u128]) -> bool {
        self.criteria.admits_group(&self.in_order(counts))
    }
}
