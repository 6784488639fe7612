//! Reports of the model checker.

use super::informed::InformedVerification;
use openveil_core::exact::Fraction;
use openveil_core::release::Content;
use openveil_core::table::{Groups, View};

/// A group whose members the reader knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeenGroup {
    /// The people: row numbers, ascending.
    pub people: Vec<u32>,
    /// Codes of their values, ascending.
    pub values: Vec<u32>,
}

/// A release as the reader sees it, as far as it distinguishes tables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Observation {
    /// The groups with their members, ascending, and the published number of people above whose
    /// group no cut was refused.
    Membership(Vec<SeenGroup>, u32),
    /// The released content.
    Release(Content),
}

impl Observation {
    /// Returns the groups of a table with their members and values.
    pub fn membership(table: &View, groups: &Groups) -> Self {
        let codes = table.secret().codes();
        let mut seen: Vec<SeenGroup> = groups
            .iter()
            .map(|rows| {
                let mut people = rows.to_vec();
                people.sort_unstable();
                let mut values: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
                values.sort_unstable();
                SeenGroup { people, values }
            })
            .collect();
        seen.sort_unstable();
        Self::Membership(seen, groups.unrefused())
    }
}

/// The conclusions of a reader who knows everything but the coins, over all tables of a multiset
/// and all coins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Number of tables, which are the assignments of the multiset to the people.
    pub tables: u64,
    /// Number of distinguishable releases of positive probability.
    pub releases: u64,
    /// Number of releases after which some person's posterior violates the model: for ratio
    /// l-diversity, gives a protected value more than 1/l.
    pub unsafe_releases: u64,
    /// Number of tables that can lead to an unsafe release.
    pub unsafe_tables: u64,
    /// Number of tables that can lead to a release after which the reader is certain that some
    /// person has some protected value.
    pub certain_tables: u64,
    /// The greatest posterior of a protected value, over all releases and
    /// people: for ratio l-diversity, at most 1/l if and only if no release is
    /// unsafe; 0 if no value is protected.
    pub max_posterior: Fraction,
    /// The conclusions of readers who are informed about some people, if there are any.
    pub informed: Option<InformedVerification>,
    /// The worst of the unsafe releases, if there is one.
    pub counterexample: Option<Counterexample>,
}

impl Verification {
    /// Returns whether the model holds on every person's posterior after every release, for every
    /// reader.
    pub fn is_safe(&self) -> bool {
        let informed = self.informed.as_ref();
        self.unsafe_releases == 0 && informed.is_none_or(|found| found.unsafe_releases == 0)
    }
}

/// A release that discloses too much about somebody, with the reader's conclusion from it.
///
/// Among all unsafe releases, the one with the greatest posterior; among equals, the one to which
/// the least table leads, then the least person and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// Codes of the values, by person: the least table that leads to the
    /// release and in which `person` has `value`.
    pub table: Vec<u32>,
    /// The release as the reader sees it.
    pub release: Observation,
    /// The disclosure set: tables that can lead to the release, ascending; only some of them if
    /// there are many (see [`super::Limits::survivors`]).
    pub survivors: Vec<Survivor>,
    /// Size of the disclosure set.
    pub survivor_count: u64,
    /// The person whose value is disclosed, as a row number.
    pub person: u32,
    /// Code of the value.
    pub value: u32,
    /// The probability, for the reader, that the person has the value.
    pub posterior: Fraction,
}

/// A table of a disclosure set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survivor {
    /// Codes of the values, by person.
    pub table: Vec<u32>,
    /// The probability, for the reader, that this is the true table.
    pub posterior: Fraction,
}
