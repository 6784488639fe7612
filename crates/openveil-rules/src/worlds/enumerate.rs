//! Enumerates the worlds that fit.

use super::PublishedTable;
use crate::{Dependency, RulesError, check_columns};
use openveil_core::table::{ColumnSet, PeopleTable};
use std::collections::HashMap;

/// How worlds are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighing {
    /// By the number of ways in which its rows can be the rows of the published groups. This gives
    /// the conclusions of a reader who knows the anonymisation.
    ByDeals,
    /// Every world that fits has the same weight. This is wrong for a real reader, because some
    /// tables lead to the publication more often than others.
    Uniform,
}

/// A reader of a publication, with prior knowledge.
#[derive(Debug, Clone)]
pub struct PublicationReader<'a> {
    records: &'a PeopleTable,
    tables: &'a [PublishedTable],
    knows: ColumnSet,
    dependencies: &'a [Dependency],
    weighing: Weighing,
}

/// A world that fits.
pub struct World<'a> {
    columns: &'a [Vec<u32>],
    /// The weight of the world.
    pub weight: u128,
}

impl World<'_> {
    /// A person's code on a relevant column.
    ///
    /// # Panics
    /// If the column is not relevant to the question, or there is no such row.
    pub fn code(&self, column: usize, row: usize) -> u32 {
        self.columns[column][row]
    }
}

impl<'a> PublicationReader<'a> {
    /// Builds a reader who knows the columns `knows` of everybody. Only the histograms of the other
    /// columns are used.
    ///
    /// # Errors
    /// [`RulesError::UnequalColumns`] if the records lack a column.
    pub fn new(
        records: &'a PeopleTable,
        tables: &'a [PublishedTable],
        knows: ColumnSet,
    ) -> Result<Self, RulesError> {
        check_columns(records, knows)?;
        for table in tables {
            check_columns(records, table.columns())?;
        }
        Ok(Self { records, tables, knows, dependencies: &[], weighing: Weighing::ByDeals })
    }

    /// Returns this reader with the knowledge that dependencies hold (but not which value
    /// determines which).
    #[must_use]
    pub fn knowing(mut self, dependencies: &'a [Dependency]) -> Self {
        self.dependencies = dependencies;
        self
    }

    /// Returns this reader with another weighting of worlds.
    #[must_use]
    pub fn weighing(mut self, weighing: Weighing) -> Self {
        self.weighing = weighing;
        self
    }

    /// Number of people.
    pub fn rows(&self) -> usize {
        self.records.rows()
    }

    /// Visits every world that fits. Worlds are told apart only by columns that are connected with
    /// the columns of `about`; other columns are independent of these.
    ///
    /// # Errors
    /// [`RulesError::BeyondLimit`] if more than `limit` partial arrangements would have to be
    /// visited; [`RulesError::UnequalColumns`] if a column of `about` does not exist.
    pub fn visit(
        &self,
        about: ColumnSet,
        limit: usize,
        visit: &mut dyn FnMut(&World),
    ) -> Result<(), RulesError> {
        check_columns(self.records, about)?;
        let relevant = self.relevant(about);
        let mut walk = Walk {
            reader: self,
            steps: self.steps(relevant),
            columns: vec![Vec::new(); self.records.all().len()],
            left: limit,
            limit,
            visit,
        };
        for column in self.knows.iter() {
            walk.columns[column] = self.records.codes(column).to_vec();
        }
        walk.step(0, 1)
    }

    /// The unknown columns that are connected with `about` through unknown columns.
    fn relevant(&self, about: ColumnSet) -> ColumnSet {
        let tables = self.tables.iter().map(PublishedTable::columns);
        let known = self.dependencies.iter().map(|known| known.columns());
        let links: Vec<ColumnSet> = tables.chain(known).map(|set| set - self.knows).collect();
        let mut relevant = about - self.knows;
        loop {
            let grown = links
                .iter()
                .filter(|set| set.meets(relevant))
                .fold(relevant, |all, set| all | *set);
            if grown == relevant {
                return relevant;
            }
            relevant = grown;
        }
    }

    /// An order of the columns in which tables are complete early, with the checks that are
    /// possible after each.
    fn steps(&self, relevant: ColumnSet) -> Vec<ColumnAssignment> {
        let mut assigned = self.knows;
        let mut left = relevant;
        let mut steps = Vec::new();
        let shared = |column: usize, assigned: ColumnSet| {
            self.tables
                .iter()
                .map(PublishedTable::columns)
                .filter(|set| set.contains(column))
                .map(|set| (set & assigned).len())
                .sum::<usize>()
        };
        while let Some(column) =
            left.iter().max_by_key(|&column| (shared(column, assigned), std::cmp::Reverse(column)))
        {
            left = left - ColumnSet::one(column);
            assigned = assigned | ColumnSet::one(column);
            let tables =
                self.tables.iter().filter(|table| table.columns().contains(column)).map(|table| {
                    let complete = table.columns().is_subset(assigned);
                    (table.projected(assigned), complete)
                });
            let known = self.dependencies.iter().copied().filter(|known| {
                known.columns().contains(column) && known.columns().is_subset(assigned)
            });
            steps.push(ColumnAssignment {
                column,
                tables: tables.collect(),
                dependencies: known.collect(),
            });
        }
        steps
    }
}

/// The assignment of one column.
struct ColumnAssignment {
    column: usize,
    /// The tables with the column, restricted to the columns assigned so far, and whether all their
    /// columns are assigned.
    tables: Vec<(PublishedTable, bool)>,
    dependencies: Vec<Dependency>,
}

struct Walk<'a, 'b> {
    reader: &'a PublicationReader<'a>,
    steps: Vec<ColumnAssignment>,
    columns: Vec<Vec<u32>>,
    left: usize,
    limit: usize,
    visit: &'b mut dyn FnMut(&World),
}

impl Walk<'_, '_> {
    fn step(&mut self, index: usize, weight: u128) -> Result<(), RulesError> {
        let Some(column) = self.steps.get(index).map(|step| step.column) else {
            let weight = match self.reader.weighing {
                Weighing::ByDeals => weight,
                Weighing::Uniform => 1,
            };
            (self.visit)(&World { columns: &self.columns, weight });
            return Ok(());
        };
        let mut values = self.reader.records.codes(column).to_vec();
        values.sort_unstable();
        loop {
            self.left = self.left.checked_sub(1).ok_or(RulesError::BeyondLimit {
                what: "partial arrangements of columns",
                limit: self.limit,
            })?;
            self.columns[column].clone_from(&values);
            let ways = self.ways(&self.steps[index]);
            if ways > 0 {
                self.step(index + 1, weight * ways)?;
            }
            if !next_arrangement(&mut values) {
                return Ok(());
            }
        }
    }

    /// The weight that a step adds; 0 if the assigned columns do not fit.
    fn ways(&self, step: &ColumnAssignment) -> u128 {
        let rows = self.reader.rows();
        let code = |column: usize, row: usize| self.columns[column][row];
        let holds = step.dependencies.iter().all(|known| {
            let mut images: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
            (0..rows).all(|row| {
                let part = |set: ColumnSet| set.iter().map(|column| code(column, row)).collect();
                let image: Vec<u32> = part(known.determines());
                *images.entry(part(known.given())).or_insert_with(|| image.clone()) == image
            })
        });
        if !holds {
            return 0;
        }
        let mut ways = 1;
        for (table, complete) in &step.tables {
            let enough = if *complete { u128::MAX } else { 1 };
            let found = table.ways(rows, code, enough);
            ways *= if *complete { found } else { found.min(1) };
            if ways == 0 {
                return 0;
            }
        }
        ways
    }
}

/// The next arrangement of a multiset in lexicographic order, if there is one.
fn next_arrangement(values: &mut [u32]) -> bool {
    let Some(pivot) = (1..values.len()).rev().find(|&i| values[i - 1] < values[i]) else {
        return false;
    };
    let successor =
        (pivot..values.len()).rev().find(|&i| values[i] > values[pivot - 1]).unwrap_or(pivot);
    values.swap(pivot - 1, successor);
    values[pivot..].reverse();
    true
}
