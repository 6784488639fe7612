use super::{is_safe, width};
use crate::disclosure::Predicate;
use openveil_core::Error;
use openveil_core::exact::{Fraction, fraction};
use openveil_core::table::{Groups, Worlds};

/// The largest number of tables of one multiset that are enumerated.
pub const TABLE_LIMIT: u64 = 1_000_000;

/// The tables that a reader still considers possible, all equally likely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisclosureSet {
    people: usize,
    tables: Vec<Vec<u32>>,
}

impl DisclosureSet {
    /// Returns the tables with the same multiset of values for which every partition of a set is
    /// safe (L-Cover paper, Definition 6): the tables that a reader considers who knows the set.
    /// `values[person]` is the owner's table or any other of the multiset.
    ///
    /// Time: tables · partitions · people.
    ///
    /// # Errors
    /// [`Error::BeyondLimit`] beyond [`TABLE_LIMIT`] tables.
    ///
    /// # Panics
    /// If a partition names a person beyond the table.
    pub fn new(values: &[u32], known: &[Groups], property: &dyn Predicate) -> Result<Self, Error> {
        let mut worlds = Worlds::new(values);
        let count = worlds.count();
        if count.is_none_or(|count| count > TABLE_LIMIT.into()) {
            return Err(Error::BeyondLimit {
                what: "tables of one multiset",
                needed: count.map_or("more than 128 bits".to_owned(), |count| count.to_string()),
                limit: TABLE_LIMIT,
            });
        }
        let mut tables = Vec::new();
        while let Some(world) = worlds.next_world() {
            if known.iter().all(|partition| is_safe(world, partition, property)) {
                tables.push(world.to_vec());
            }
        }
        Ok(Self { people: values.len(), tables })
    }

    /// Returns the tables, each one value per person, in lexicographic order.
    pub fn tables(&self) -> &[Vec<u32>] {
        &self.tables
    }

    /// Returns the tables that remain in the set if the groups of a partition are released with the
    /// values that the table `values` has in them.
    #[must_use]
    pub fn after_release(&self, values: &[u32], partition: &Groups) -> Self {
        let released = released_values(values, partition);
        Self {
            people: self.people,
            tables: self
                .tables
                .iter()
                .filter(|table| released_values(table, partition) == released)
                .cloned()
                .collect(),
        }
    }

    /// Returns the greatest share of a value in the knowledge about a person: 1 if somebody's value
    /// is certain; 0 if no table is left.
    pub fn highest_ratio(&self) -> Fraction {
        let highest = self.counts().into_iter().flatten().max();
        fraction(highest.unwrap_or(0), self.tables.len().max(1) as u128)
    }

    /// Returns whether a property holds for everybody; it does if no table is left.
    pub fn satisfies(&self, property: &dyn Predicate) -> bool {
        self.tables.is_empty() || self.counts().iter().all(|own| property.holds(own))
    }

    /// Returns, for each person, the number of tables in which the person has each value.
    fn counts(&self) -> Vec<Vec<u128>> {
        let width = self.tables.first().map_or(0, |table| width(table));
        let mut counts = vec![vec![0; width]; self.people];
        for table in &self.tables {
            for (own, &value) in counts.iter_mut().zip(table) {
                own[value as usize] += 1;
            }
        }
        counts
    }
}

/// Returns the values of each group, ascending, which are released beside the people.
fn released_values(values: &[u32], partition: &Groups) -> Vec<Vec<u32>> {
    partition
        .iter()
        .map(|group| {
            let mut found: Vec<u32> = group.iter().map(|&row| values[row as usize]).collect();
            found.sort_unstable();
            found
        })
        .collect()
}
