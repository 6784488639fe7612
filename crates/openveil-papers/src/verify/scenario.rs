//! The reader's knowledge before the release.

use super::report::Observation;
use openveil_core::Error;
use openveil_core::coins::PATH_LIMIT;
use openveil_core::model::{Informed, Model};
use openveil_core::release::{Style, publish};
use openveil_core::table::{Column, Domain, Groups, Secret, View, Worlds};
use std::fmt::Display;

/// How much the reader sees of who stands in which group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Which people form a group, whatever the cells say. The default: a release
    /// is a function of this and of the quasi-identifiers, which the reader has
    /// anyway, so what is safe here is safe for every style and every layout.
    #[default]
    Membership,
    /// The released content, no more: people whose cells coincide cannot be told
    /// apart.
    Release,
}

/// How much the model checker may enumerate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Tables of the multiset.
    pub tables: u64,
    /// Paths of coins per table.
    pub paths: u64,
    /// Pairs of a table and a release it can lead to that are kept; each takes 32 bytes.
    pub pairs: u64,
    /// Tables listed in a counter-example; all of them are counted.
    pub survivors: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tables: 1_000_000,
            paths: PATH_LIMIT,
            pairs: 20_000_000,
            survivors: 24,
        }
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
    /// As many people as values, told apart by one quasi-identifier with the
    /// ranks 0, 1, 2, … Values that are written alike are one value; their codes
    /// follow the order of the labels' type.
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

    /// The public facts of a table. Which row has which value is forgotten.
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

    /// Gives the people other quasi-identifiers, and no strata.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_quasi_identifiers(self, columns: Vec<Column>) -> Result<Self, Error> {
        let table = self.table.clone().with_known(columns)?;
        Ok(Self { table, ..self })
    }

    /// Publishes in strata of people who are alike on these quasi-identifiers. The
    /// reader knows how many people of each stratum have each value.
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

    /// Gives the people integer quasi-identifiers, `numbers[column][person]`,
    /// published as intervals. As in a table that is read, only the order of the
    /// numbers that occur counts, not how far apart they are.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`].
    pub fn with_numbers<N: Copy + Into<i64>>(self, numbers: &[&[N]]) -> Result<Self, Error> {
        let columns = (1..).zip(numbers).map(|(place, numbers)| {
            integer_column(place, numbers.iter().map(|&number| number.into()).collect())
        });
        self.with_quasi_identifiers(columns.collect())
    }

    /// Says which values need no protection: `exempt[value]`.
    ///
    /// # Panics
    /// If `exempt` does not have one entry per value.
    #[must_use]
    pub fn with_exempt(self, exempt: Vec<bool>) -> Self {
        Self {
            table: self.table.with_exempt(exempt),
            ..self
        }
    }

    /// Says how quasi-identifiers are published; generalised by default.
    #[must_use]
    pub fn with_style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Says how much the reader sees; everybody's group by default.
    #[must_use]
    pub fn with_seen(self, seen: Visibility) -> Self {
        Self { seen, ..self }
    }

    /// Asks readers who are informed about some people, whether or not the model is kept for
    /// them: it says what they may not break. Those of the model are asked anyway.
    #[must_use]
    pub fn with_informed(self, informed: Informed) -> Self {
        Self {
            informed: Some(informed),
            ..self
        }
    }

    /// Says how much may be enumerated.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The people, the domain of values and one of the assignments.
    pub fn table(&self) -> &View {
        &self.table
    }

    /// The model that no posterior may break.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Readers who are informed about some people, if any are asked.
    pub fn informed(&self) -> Option<Informed> {
        self.informed
    }

    /// How much the reader sees of who stands in which group.
    pub fn seen(&self) -> Visibility {
        self.seen
    }

    /// How much may be enumerated.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// All assignments of the values to the people that keep every stratum's multiset.
    pub fn worlds(&self) -> Worlds {
        Worlds::of_table(&self.table)
    }

    /// The table in which the people have these values.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn world(&self, values: &[u32]) -> Result<View, Error> {
        self.table.with_secret_codes(values.to_vec())
    }

    /// The release of these groups of a table, as the reader sees it.
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
    let position = |number: &i64| values.partition_point(|value| value < number) as u32;
    let codes = numbers.iter().map(position).collect();
    Column::new(format!("q{place}"), codes, Domain::integers(values))
}
