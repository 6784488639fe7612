//! The plain engine, which lists every table. Tests compare the other engine with it.

use super::census::Counter;
use super::functions::Functions;
use super::space::{Generalizations, TableSpace};
use openveil_core::Error;
use openveil_core::table::{Groups, Worlds};
use std::collections::HashMap;
use std::sync::Arc;

/// All tables of a multiset, one after the other; a class is one table.
///
/// Time and memory: O(tables · people · functions), so exponential in the people.
#[derive(Debug, Clone)]
pub struct ListedTables {
    functions: Functions,
    values: usize,
    /// All tables, concatenated, ascending.
    tables: Vec<u32>,
    units: Arc<[u32]>,
    generalizations: Vec<Generalizations>,
}

impl ListedTables {
    /// Lists the assignments of a multiset, given as a count per value, to the
    /// people of `functions`.
    ///
    /// # Errors
    /// [`Error::ForeignTable`] if the counts do not sum up to the people;
    /// [`Error::BeyondLimit`] if there are more than `limit` tables.
    pub fn new(functions: &Functions, counts: &[u32], limit: u64) -> Result<Self, Error> {
        let values = super::classes::multiset(functions, counts)?;
        let mut worlds = Worlds::new(&values);
        let count = worlds.count();
        if count.is_none_or(|count| count > limit.into()) {
            let digits = count.map(|count| count.to_string());
            return Err(Error::BeyondLimit {
                what: "tables to be listed",
                needed: digits.unwrap_or_else(|| "more than 2^128".to_owned()),
                limit,
            });
        }
        let mut tables = Vec::new();
        while let Some(world) = worlds.next_world() {
            tables.extend_from_slice(world);
        }
        let generalizations = functions.partitions().iter();
        Ok(Self {
            functions: functions.clone(),
            values: counts.len(),
            units: (0..functions.people() as u32).collect(),
            generalizations: generalizations
                .map(|groups| generalize_all(&tables, groups))
                .collect(),
            tables,
        })
    }

    fn table(&self, class: usize) -> &[u32] {
        let people = self.functions.people();
        &self.tables[class * people..(class + 1) * people]
    }
}

/// Numbers the distinct generalisations of all tables.
fn generalize_all(tables: &[u32], groups: &Groups) -> Generalizations {
    let mut numbers: HashMap<Vec<Vec<u32>>, u32> = HashMap::new();
    let of = tables
        .chunks_exact(groups.row_count())
        .map(|table| {
            let next = numbers.len() as u32;
            *numbers.entry(generalize(table, groups)).or_insert(next)
        })
        .collect();
    Generalizations::new(of, numbers.len())
}

/// Returns the values of each group, sorted: the content of a release.
fn generalize(table: &[u32], groups: &Groups) -> Vec<Vec<u32>> {
    groups
        .iter()
        .map(|people| {
            let mut values: Vec<u32> = people.iter().map(|&p| table[p as usize]).collect();
            values.sort_unstable();
            values
        })
        .collect()
}

impl TableSpace for ListedTables {
    fn functions(&self) -> &Functions {
        &self.functions
    }

    fn values(&self) -> usize {
        self.values
    }

    fn classes(&self) -> usize {
        self.tables.len() / self.functions.people()
    }

    /// O(people · log tables).
    fn class_of(&self, table: &[u32]) -> Result<usize, Error> {
        let (mut low, mut high) = (0, self.classes());
        while low < high {
            let middle = low.midpoint(high);
            if self.table(middle) < table { low = middle + 1 } else { high = middle }
        }
        if low < self.classes() && self.table(low) == table {
            Ok(low)
        } else {
            Err(Error::ForeignTable)
        }
    }

    fn example(&self, class: usize) -> Vec<u32> {
        self.table(class).to_vec()
    }

    fn multiplicity(&self, _: usize) -> u128 {
        1
    }

    fn generalizations(&self, function: usize) -> &Generalizations {
        &self.generalizations[function]
    }

    fn counter(&self) -> Counter {
        Counter::new(Arc::clone(&self.units), self.values)
    }

    /// O(people).
    fn add(&self, class: usize, weight: u128, counter: &mut Counter) {
        counter.count_tables(weight);
        for (person, &value) in self.table(class).iter().enumerate() {
            counter.sums[person * self.values + value as usize] += weight;
        }
    }

    /// O(people) for every table of the set.
    fn count_permutation_set(&self, function: usize, class: usize, counter: &mut Counter) {
        let all = &self.generalizations[function];
        counter.clear();
        for &alike in all.classes(all.generalisation(class)) {
            self.add(alike as usize, 1, counter);
        }
    }
}
