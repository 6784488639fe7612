//! The requirements on a release, and their meaning for one table.

use super::bind::Binding;
use super::remembered::Remembered;
use super::requirement::Requirement;
use super::{CountBuffer, Counts, Failure, Informed, Property, RatioDiversity, Scope};
use crate::Error;
use crate::exact::Fraction;
use crate::table::View;
use std::fmt;
use std::sync::Arc;

/// A privacy model: requirements that must all be met. They are met for readers who know no more of
/// anybody than of all, or for readers who are [`Informed`] about some people.
///
/// It does not depend on a table; [`Model::bind`] applies it to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    requirements: Vec<Requirement>,
    informed: Option<Informed>,
}

impl From<RatioDiversity> for Model {
    fn from(ratio: RatioDiversity) -> Self {
        Requirement::Ratio(ratio).into()
    }
}

impl From<Requirement> for Model {
    fn from(requirement: Requirement) -> Self {
        Self { requirements: vec![requirement], informed: None }
    }
}

impl Model {
    /// Builds a model of one or more requirements, all of which must be met.
    ///
    /// # Errors
    /// [`Error::NothingRequired`] if there are none, [`Error::InvalidModel`] for a parameter that is
    /// out of range by itself.
    pub fn all_of(requirements: Vec<Requirement>) -> Result<Self, Error> {
        if requirements.is_empty() {
            return Err(Error::NothingRequired);
        }
        requirements.iter().try_for_each(Requirement::check)?;
        Ok(Self { requirements, informed: None })
    }

    /// The requirements.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// The fewest rows that the requirements let be shown alike: the greatest k of models that
    /// limit sizes. Other models are about the values of groups only.
    pub fn least_class(&self) -> u32 {
        self.requirements
            .iter()
            .map(|requirement| match requirement {
                Requirement::KAnonymity(own) => own.k,
                Requirement::AlphaK(own) => own.k,
                Requirement::PSensitive(own) => own.k,
                _ => 1,
            })
            .max()
            .unwrap_or(1)
    }

    /// Whether a requirement compares groups with the values of the whole table or stratum.
    pub fn compares_with_table(&self) -> bool {
        self.requirements.iter().any(|own| {
            matches!(
                own,
                Requirement::Closeness(_)
                    | Requirement::Breach(_)
                    | Requirement::Generic(_)
                    | Requirement::Likeness(_)
                    | Requirement::DeltaDisclosure(_)
            )
        })
    }

    /// Returns these requirements, to be met for readers who are informed about some people.
    #[must_use]
    pub fn against(mut self, informed: impl Into<Option<Informed>>) -> Self {
        self.informed = informed.into();
        self
    }

    /// The readers for whom the requirements are met, if they know more of some people
    /// than of all.
    pub fn informed(&self) -> Option<Informed> {
        self.informed
    }

    /// Returns these requirements for readers who know no more of anybody than of all.
    #[must_use]
    pub fn uninformed(&self) -> Self {
        self.clone().against(None)
    }

    /// The diversity that groups must have, if the model is ratio l-diversity and nothing else. For
    /// informed readers it is greater than the diversity asked for.
    pub fn ratio(&self) -> Option<RatioDiversity> {
        let asked = self.asked_ratio()?;
        Some(self.informed.map_or(asked, |informed| informed.ratio(asked)))
    }

    /// The diversity asked for, if the model is ratio l-diversity and nothing else.
    pub fn asked_ratio(&self) -> Option<RatioDiversity> {
        match self.requirements[..] {
            [Requirement::Ratio(ratio)] => Some(ratio),
            _ => None,
        }
    }

    /// The model's requirements for each stratum of a table, in the order of
    /// [`View::strata`]. O(strata · (rows · columns + values)).
    ///
    /// # Errors
    /// The errors of [`Model::bind`].
    pub fn bind_strata(&self, table: &View) -> Result<Vec<Criteria>, Error> {
        let strata = table.strata();
        strata.iter().map(|stratum| self.bind(&stratum.view(table))).collect()
    }

    /// The model's requirements for one table as a whole, ignoring its strata. O(values).
    ///
    /// # Errors
    /// If a parameter is out of range or does not fit the table's values.
    pub fn bind(&self, table: &View) -> Result<Criteria, Error> {
        let mut properties = Vec::new();
        let binding = Binding::to(table);
        for requirement in &self.requirements {
            properties.extend(match self.informed {
                None => requirement.bind(&binding)?,
                Some(informed) => informed.bind(requirement, &binding)?,
            });
        }
        Ok(Criteria {
            model: self.clone(),
            properties,
            is_of_sets: table.secret().members().is_some(),
        })
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.requirements.iter().map(Requirement::name).collect();
        f.write_str(&names.join(" and "))?;
        match self.informed {
            Some(informed) => write!(f, " at {informed}"),
            None => Ok(()),
        }
    }
}

/// Returns ratio l-diversity: no protected value can be guessed with a chance above 1/l.
///
/// ```
/// use openveil_core::model::l_diversity;
///
/// assert_eq!(l_diversity(5)?.to_string(), "ratio 5-diversity");
/// assert!(l_diversity(1).is_err());
/// # Ok::<(), openveil_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::LBelowTwo`].
pub fn l_diversity(l: u32) -> Result<Model, Error> {
    RatioDiversity::new(l).map(Model::from)
}

/// A privacy model for one table: properties that must all hold.
#[derive(Debug, Clone)]
pub struct Criteria {
    model: Model,
    properties: Vec<Arc<dyn Property>>,
    /// Whether values are sets whose members are protected.
    is_of_sets: bool,
}

impl Criteria {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The bound on each value's share, if the model is ratio l-diversity and nothing else. `None`
    /// if values are sets, because the bound on their members is stronger.
    pub fn ratio(&self) -> Option<RatioDiversity> {
        self.model.ratio().filter(|_| !self.is_of_sets)
    }

    /// The bound on each member's share, if values are sets and the model is ratio l-diversity.
    pub fn ratio_of_members(&self) -> Option<RatioDiversity> {
        self.model.ratio().filter(|_| self.is_of_sets)
    }

    /// Whether values are sets whose members are protected.
    pub fn is_of_sets(&self) -> bool {
        self.is_of_sets
    }

    /// Returns these criteria with a memory of their decisions, for callers that test the same
    /// small multisets again and again. The ratio alone is decided faster than it is looked up.
    pub fn remembering(mut self) -> Self {
        if self.model.ratio().is_none() {
            self.properties = self
                .properties
                .iter()
                .map(|own: &Arc<dyn Property>| -> Arc<dyn Property> {
                    Arc::new(Remembered::new(Arc::clone(own)))
                })
                .collect();
        }
        self
    }

    /// The properties.
    pub fn properties(&self) -> impl Iterator<Item = &dyn Property> {
        self.properties.iter().map(|property| &**property)
    }

    /// Whether all properties hold on the values of a group.
    pub fn hold_on_group(&self, counts: &Counts<'_>) -> bool {
        self.properties().all(|property| property.holds(counts))
    }

    /// Whether all properties of distributions hold on a posterior, given in any
    /// exact weights.
    pub fn hold_on_posterior(&self, counts: &Counts<'_>) -> bool {
        self.of_distributions().all(|property| property.holds(counts))
    }

    /// Whether a group may be published at all, whatever a reader concludes from it: conditions on
    /// sizes and totals, which do not apply to a posterior.
    pub fn admit_group(&self, counts: &Counts<'_>) -> bool {
        let mut conditions =
            self.properties().filter(|property| property.traits().scope == Scope::Group);
        counts.total() >= self.least_size().into() && conditions.all(|own| own.holds(counts))
    }

    /// The first property that the values of a group break, and how they break it.
    pub fn explain(&self, counts: &Counts<'_>) -> Option<Failure> {
        self.properties().find_map(|property| property.explain(counts))
    }

    /// Whether mixtures of distributions that satisfy the model satisfy it.
    pub fn is_convex(&self) -> bool {
        self.of_distributions().all(|property| property.traits().is_convex)
    }

    /// Whether unions of groups that satisfy the model satisfy it.
    pub fn is_monotone(&self) -> bool {
        self.properties().all(|property| property.traits().is_monotone)
    }

    /// A bound below 1 on the share of any protected value in a posterior that
    /// satisfies the model: the least that its properties imply.
    pub fn max_posterior(&self) -> Option<Fraction> {
        self.of_distributions().filter_map(Property::max_posterior).min()
    }

    /// Whether the model holds on no distribution that makes a protected value
    /// certain; `exempt[value]`. O(values²).
    pub fn excludes_certainty(&self, exempt: &[bool]) -> bool {
        if self.ratio().is_some() {
            return true;
        }
        let mut buffer = CountBuffer::default();
        (0..)
            .zip(exempt)
            .filter(|(_, exempt)| !**exempt)
            .all(|(value, _)| !self.hold_on_posterior(&buffer.of_entries([(value, 1)])))
    }

    /// The classes of values that properties use, each as a list of the class of every value.
    pub fn classes(&self) -> impl Iterator<Item = &[u32]> {
        self.properties().filter_map(Property::classes)
    }

    /// Whether all properties treat all values alike.
    pub fn treats_values_alike(&self) -> bool {
        self.properties().all(Property::treats_values_alike)
    }

    /// A lower bound on the size of groups that satisfy the model.
    pub fn least_size(&self) -> u32 {
        self.properties().map(Property::least_size).max().unwrap_or(1).max(1)
    }

    /// Checks that the model is convex: mixtures of groups that satisfy it satisfy it.
    ///
    /// # Errors
    /// [`Error::NotConvex`] names the model.
    pub fn check_convex(&self) -> Result<(), Error> {
        if self.is_convex() {
            return Ok(());
        }
        Err(Error::NotConvex { model: self.model.to_string() })
    }

    /// Checks that the table as one group satisfies the model. If the model is convex and monotone,
    /// a table that fails has no release that satisfies it: the whole is a mixture of its groups.
    ///
    /// # Errors
    /// [`Error::Unsatisfiable`] with the reason.
    pub fn check_whole(&self, table: &View) -> Result<(), Error> {
        let mut tally = CountBuffer::default();
        let histogram = table.histogram();
        match self.explain(&tally.of_dense(histogram.counts())) {
            Some(shortfall) => Err(Error::Unsatisfiable(Box::new(shortfall))),
            None => Ok(()),
        }
    }

    /// Checks that a table can be published at all. For the ratio each value is checked by itself,
    /// which gives a more precise error; otherwise the table as one group.
    ///
    /// # Errors
    /// [`Error::Ineligible`] or [`Error::Unsatisfiable`].
    pub fn check_eligible(&self, table: &View) -> Result<(), Error> {
        match self.ratio() {
            Some(ratio) => Ok(ratio.check_eligible(&table.histogram(), table.secret().exempt())?),
            None => self.check_whole(table),
        }
    }

    fn of_distributions(&self) -> impl Iterator<Item = &dyn Property> {
        self.properties().filter(|property| property.traits().scope == Scope::Distribution)
    }

    /// Adds a property, for tests of behaviour that no model has.
    #[cfg(test)]
    pub(super) fn beside(mut self, property: Arc<dyn Property>) -> Self {
        self.properties.push(property);
        self
    }
}
