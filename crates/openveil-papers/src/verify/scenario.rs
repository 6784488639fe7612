//! The reader's knowledge before the release.

use super::report::Observation;
use openveil_core::Error;
use openveil_core::coins::PATH_LIMIT;
use openveil_core::model::{Informed, Model};
use openveil_core::release::{Style, publish};
use openveil_core::table::{Column, Domain, Groups, Secret, View, Worlds};
use std::fmt::Display;

/// How much the reader sees of who is in which group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Which people form a group, whatever the cells show. This is the default. A release is a
    /// function of this and of the quasi-identifiers, which the reader has anyway, so a result here
    /// covers every style and every layout.
    #[default]
    Membership,
    /// The released content only: people whose cells coincide cannot be told apart.
    Release,
}

/// The limits of the model checker's enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of tables of the multiset.
    pub tables: u64,
    /// Number of paths of coins per table.
    pub paths: u64,
    /// Number of stored pairs of a table and a release it can lead to; each takes 32 bytes.
    pub pairs: u64,
    /// Number of tables listed in a counter-example; all of them are counted.
    pub survivors: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tables: 1_000_000, paths: PATH_LIMIT, pairs: 20_000_000, survivors: 24 }
    }
}

/// The public facts of a publication: the people with their quasi-identifiers,
/// the multiset of sensitive values, the model and the style.
#[derive(Debug, Clone)]
pub struct Scenario {
    table: View,
    model: Model,
    style: Style,
    seen: Visibility,
    informed: Option<Informed>,
    limits: Limits,
}

impl Scenario {
    /// Makes a scenario with as many people as values, told apart by one quasi-identifier with the
    /// ranks 0, 1, 2, … Values with equal labels are one value; their codes follow the order of the
    /// labels' type.
    ///
    /// # Errors
    /// [`Error::EmptyTable`] without values.
    pub fn of_values<L: Ord + Display>(
        values: impl IntoIterator<Item = L>,
        model: impl Into<Model>,
    ) -> Result<Self, Error> {
        let values: Vec<L> = values.into_iter().collect();
        let mut labels: Vec<&L> = values.iter().collect();
        labels.sort_unstable();
        labels.dedup();
        let codes: Vec<u32> = values
            .iter()
            .map(|value| labels.partition_point(|label| *label < value) as u32)
            .collect();
        let ranks = (0..values.len() as i64).collect();
        let labels = labels.iter().map(|label| label.to_string());
        let sensitive = Secret::new("value", codes, labels);
        let table = View::new(vec![integer_column(1, ranks)], sensitive)?;
        Ok(Self::of_table(table, model))
    }

    /// Makes a scenario of the public facts of a table. It does not record which row has which
    /// value.
    pub fn of_table(table: View, model: impl Into<Model>) -> Self {
        let model: Model = model.into();
        Self {
            table,
            informed: model.informed(),
            model,
            style: Style::Generalize,
            seen: Visibility::default(),
            limits: Limits::default(),
        }
    }

    /// Sets other quasi-identifiers of the people, and removes strata.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_quasi_identifiers(self, columns: Vec<Column>) -> Result<Self, Error> {
        let table = self.table.clone().with_known(columns)?;
        Ok(Self { table, ..self })
    }

    /// Publishes in strata of people who are alike on these quasi-identifiers. The reader knows how
    /// many people of each stratum have each value.
    ///
    /// # Errors
    /// [`Error::NotAStratum`].
    pub fn with_strata<N: AsRef<str>>(
        self,
        columns: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        let table = self.table.with_strata(columns)?;
        Ok(Self { table, ..self })
    }

    /// Sets integer quasi-identifiers of the people, `numbers[column][person]`, published as
    /// intervals. As in a table that is read from a file, only the order of the occurring numbers
    /// counts, not their distances.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`].
    pub fn with_numbers<N: Copy + Into<i64>>(self, numbers: &[&[N]]) -> Result<Self, Error> {
        let columns = (1..).zip(numbers).map(|(place, numbers)| {
            integer_column(place, numbers.iter().map(|&number| number.into()).collect())
        });
        self.with_quasi_identifiers(columns.collect())
    }

    /// Sets which values need no protection: `exempt[value]`.
    ///
    /// # Panics
    /// If `exempt` does not have one entry per value.
    #[must_use]
    pub fn with_exempt(self, exempt: Vec<bool>) -> Self {
        Self { table: self.table.with_exempt(exempt), ..self }
    }

    /// Sets how quasi-identifiers are published; generalised by default.
    #[must_use]
    pub fn with_style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Sets how much the reader sees; everybody's group by default.
    #[must_use]
    pub fn with_seen(self, seen: Visibility) -> Self {
        Self { seen, ..self }
    }

    /// Adds readers who are informed about some people, whether or not the model is meant for them:
    /// the model states what they may not violate. The model's own readers are always included.
    #[must_use]
    pub fn with_informed(self, informed: Informed) -> Self {
        Self { informed: Some(informed), ..self }
    }

    /// Sets the limits of the enumeration.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the people, the domain of values and one of the assignments.
    pub fn table(&self) -> &View {
        &self.table
    }

    /// Returns the model that no posterior may violate.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the readers who are informed about some people, if there are any.
    pub fn informed(&self) -> Option<Informed> {
        self.informed
    }

    /// Returns how much the reader sees of who is in which group.
    pub fn seen(&self) -> Visibility {
        self.seen
    }

    /// Returns the limits of the enumeration.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns all assignments of the values to the people that preserve every stratum's multiset.
    pub fn worlds(&self) -> Worlds {
        Worlds::of_table(&self.table)
    }

    /// Returns the table in which the people have these values.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn world(&self, values: &[u32]) -> Result<View, Error> {
        self.table.with_secret_codes(values.to_vec())
    }

    /// Returns the release of these groups of a table, as the reader sees it.
    pub fn observe(&self, table: &View, groups: &Groups) -> Observation {
        match self.seen {
            Visibility::Membership => Observation::membership(table, groups),
            Visibility::Release => Observation::Release(publish(table, groups, self.style).0),
        }
    }
}

fn integer_column(place: usize, numbers: Vec<i64>) -> Column {
    let mut values = numbers.clone();
    values.sort_unstable();
    values.dedup();
    let codes = numbers
        .iter()
        .map(|number| values.partition_point(|value| value < number) as u32)
        .collect();
    Column::new(format!("q{place}"), codes, Domain::integers(values))
}
