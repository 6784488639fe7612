//! The functions of a block that may be released, known before any value is used.

use super::CLASS_LIMIT;
use super::order::{CuttingOrder, OrderedPerson};
use super::runs::{borders, run_counts, runs};
use crate::algorithm::taxonomy::{Taxonomy, numbered};
use crate::disclosure::Functions;
use openveil_core::Error;
use openveil_core::algorithm::Function;
use openveil_core::coins::Coins;
use openveil_core::table::{Column, Groups};
use std::collections::HashMap;
use std::sync::Arc;

/// Functions of a block's places, the finest first; the last one is one group of everybody.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct BlockFunctions {
    partitions: Vec<Groups>,
    /// The number of each function among the requested ones.
    numbers: Vec<usize>,
}

impl BlockFunctions {
    /// Returns runs: as many as possible with `least` people in each, then one less, … one.
    pub(super) fn runs(people: usize, least: usize) -> Self {
        let partition =
            |count| runs(people, count).map(|run| run.map(|place| place as u32)).collect();
        let partitions: Vec<Groups> = run_counts(people, least).map(partition).collect();
        Self { numbers: (0..partitions.len()).collect(), partitions }
    }

    /// Keeps the functions (given by the group of every place) whose groups have `least` people. If
    /// their tables are too many to be examined, drops the finest ones. The choice depends on sizes
    /// alone.
    pub(super) fn of_labels(functions: &[Vec<u32>], people: usize, least: usize) -> Self {
        let mut kept: Vec<(usize, Groups)> = Vec::new();
        for (number, labels) in functions.iter().enumerate() {
            let groups = Groups::from_labels(labels, groups_of(labels));
            // A function equal to the one before would fail again, since the same tables are left.
            let is_new = kept.last().is_none_or(|(_, before)| *before != groups);
            if is_new && groups.len() > 1 && groups.iter().all(|group| group.len() >= least) {
                kept.push((number, groups));
            }
        }
        kept.push((functions.len(), Groups::from_labels(&vec![0; people], 1)));
        while most_classes(kept.iter().map(|(_, groups)| groups), people) > CLASS_LIMIT.into() {
            kept.remove(0);
        }
        let (numbers, partitions) = kept.into_iter().unzip();
        Self { partitions, numbers }
    }

    /// Returns the number of functions.
    pub(super) fn len(&self) -> usize {
        self.partitions.len()
    }

    /// Returns the groups of places by a function.
    pub(super) fn partition(&self, function: usize) -> &Groups {
        &self.partitions[function]
    }

    /// Returns the number of a function among the requested ones.
    pub(super) fn number(&self, function: usize) -> usize {
        self.numbers[function]
    }

    /// Returns the largest number of classes of tables that the functions tell apart, over all
    /// multisets.
    pub(super) fn most_classes(&self, people: usize) -> u128 {
        most_classes(self.partitions.iter(), people)
    }

    /// Returns the functions in the form for disclosure sets.
    pub(super) fn functions(&self, people: usize) -> Result<Functions, Error> {
        Functions::new(people, self.partitions.iter().cloned())
    }
}

/// Returns the number of groups, which are numbered without gaps.
fn groups_of(labels: &[u32]) -> usize {
    labels.iter().max().map_or(0, |&last| last as usize + 1)
}

/// Returns the largest number of classes of tables that partitions tell apart, over all multisets:
/// it occurs if all people have different values. Beyond 128 bits, returns the maximum.
fn most_classes<'a>(partitions: impl Iterator<Item = &'a Groups>, people: usize) -> u128 {
    let mut cells: Vec<Vec<u32>> = vec![Vec::new(); people];
    for partition in partitions {
        for (group, places) in partition.iter().enumerate() {
            places.iter().for_each(|&place| cells[place as usize].push(group as u32));
        }
    }
    cells.sort_unstable();
    // A multinomial coefficient: the n-th person in order contributes n / (its number in its cell).
    let mut classes = 1u128;
    let mut within = 0;
    for (place, cell) in cells.iter().enumerate() {
        within = if place > 0 && cells[place - 1] == *cell { within + 1 } else { 1 };
        match classes.checked_mul(place as u128 + 1) {
            Some(product) => classes = product / within,
            None => return u128::MAX,
        }
    }
    classes
}

/// The source of a block's functions.
pub(super) enum FunctionSource<'a> {
    /// Runs along the order of quasi-identifiers, by number of people.
    Runs(HashMap<usize, Arc<BlockFunctions>>),
    /// Levels of the columns' taxonomies: for each function the columns that it uses, with the
    /// class of every code.
    Cuts(Vec<Vec<(usize, Vec<u32>)>>, &'a [Column]),
}

impl<'a> FunctionSource<'a> {
    /// Returns runs if no function is given. O(codes · functions).
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`].
    pub(super) fn new(functions: &[Function], columns: &'a [Column]) -> Result<Self, Error> {
        if functions.is_empty() {
            return Ok(Self::Runs(HashMap::new()));
        }
        let functions = functions
            .iter()
            .map(|Function(levels)| levels_of(levels, columns))
            .collect::<Result<_, _>>()?;
        Ok(Self::Cuts(functions, columns))
    }

    /// Returns the functions of a block, and puts its people into the order that the functions are
    /// made for.
    pub(super) fn of_block<const K: usize>(
        &mut self,
        people: &mut [OrderedPerson<K>],
        least: usize,
        order: &CuttingOrder<'_>,
        coins: &mut dyn Coins,
    ) -> Arc<BlockFunctions> {
        match self {
            Self::Runs(known) => {
                order.arrange(people, 0, &borders(people.len(), least), coins);
                let own = known.entry(people.len());
                Arc::clone(
                    own.or_insert_with(|| Arc::new(BlockFunctions::runs(people.len(), least))),
                )
            }
            Self::Cuts(functions, columns) => {
                // The classes of a person in all functions, concatenated.
                let key = |person: &OrderedPerson<K>| -> Vec<u32> {
                    functions
                        .iter()
                        .flatten()
                        .map(|(column, classes)| {
                            classes[columns[*column].codes()[person.row as usize] as usize]
                        })
                        .collect()
                };
                // Blocks that are divided alike must look alike.
                people.sort_by_cached_key(key);
                let keys: Vec<Vec<u32>> = people.iter().map(key).collect();
                let mut start = 0;
                let labels: Vec<Vec<u32>> = functions
                    .iter()
                    .map(|own| {
                        let classes = start..start + own.len();
                        start = classes.end;
                        numbered(keys.iter().map(|key| &key[classes.clone()]))
                    })
                    .collect();
                Arc::new(BlockFunctions::of_labels(&labels, people.len(), least))
            }
        }
    }
}

/// Returns the columns that a function names, with the class of every code. Columns of other tables
/// divide nothing.
fn levels_of(
    levels: &[(String, u32)],
    columns: &[Column],
) -> Result<Vec<(usize, Vec<u32>)>, Error> {
    let mut found = Vec::new();
    for (name, level) in levels {
        let Some(index) = columns.iter().position(|column| column.name() == name) else {
            continue;
        };
        let taxonomy = Taxonomy::by_height(columns[index].domain());
        if *level as usize >= taxonomy.len() {
            return Err(Error::NoSuchLevel {
                column: name.clone(),
                level: *level,
                highest: taxonomy.len() - 1,
            });
        }
        found.push((index, taxonomy.classes(*level as usize).to_vec()));
    }
    Ok(found)
}
