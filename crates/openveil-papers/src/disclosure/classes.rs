//! The counting engine: contingency tables of the common refinement.

use super::census::Counter;
use super::compositions::{Compositions, cell_sizes, orders};
use super::functions::Functions;
use super::keys::{beyond_128_bits, generalize_all};
use super::space::{Generalizations, TableSpace};
use openveil_core::Error;
use openveil_core::table::Worlds;
use std::ops::Range;
use std::sync::Arc;

/// All contingency tables of a multiset over the cells of the common refinement.
///
/// A class is a count of every value in every cell. It stands for as many tables as the product of
/// the cells' multinomial coefficients.
///
/// Memory: 2 bytes per class and cell, 8 bytes per class and function. Time:
/// O(classes · (cells + functions · cells)), however many tables there are.
#[derive(Debug, Clone)]
pub struct ContingencyTables {
    functions: Functions,
    values: usize,
    cells: Vec<CompositionCell>,
    /// The groups of each function, as unions of cells.
    groups: Vec<Vec<CellUnion>>,
    units: Arc<[u32]>,
    /// The number of each cell's composition, class after class, ascending.
    classes: Vec<u16>,
    generalizations: Vec<Generalizations>,
}

/// A cell, with tables of what is needed about its compositions.
#[derive(Debug, Clone)]
struct CompositionCell {
    compositions: Compositions,
    /// By composition, then value: the number of its orders in which a given person of the cell has
    /// the value.
    shares: Vec<u128>,
}

impl CompositionCell {
    fn new(size: u32, most: &[u32]) -> Result<Self, Error> {
        let compositions = Compositions::new(size, most)?;
        let shares = (0..compositions.len())
            .flat_map(|index| {
                let orders = compositions.orders(index);
                compositions
                    .counts(index)
                    .iter()
                    .map(move |&count| orders * u128::from(count) / u128::from(size))
            })
            .collect();
        Ok(Self { compositions, shares })
    }
}

/// A group as a union of cells.
#[derive(Debug, Clone)]
struct CellUnion {
    cells: Vec<usize>,
    people: u128,
}

impl CellUnion {
    fn new(functions: &Functions, people: &[u32]) -> Self {
        let mut cells: Vec<usize> =
            people.iter().map(|&person| functions.cell_of()[person as usize] as usize).collect();
        cells.sort_unstable();
        cells.dedup();
        Self { cells, people: people.len() as u128 }
    }

    /// Returns the range of a counter that holds the sums of the group's first cell.
    fn row(&self, values: usize) -> Range<usize> {
        let start = self.cells[0] * values;
        start..start + values
    }
}

/// Returns the values of a multiset given as counts, checked against the people.
pub(super) fn multiset(functions: &Functions, counts: &[u32]) -> Result<Vec<u32>, Error> {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if functions.people() == 0 {
        return Err(Error::EmptyTable);
    }
    if total != functions.people() as u64 {
        return Err(Error::ForeignTable);
    }
    Ok(counts
        .iter()
        .enumerate()
        .flat_map(|(value, &count)| std::iter::repeat_n(value as u32, count as usize))
        .collect())
}

impl ContingencyTables {
    /// Lists the contingency tables of a multiset, given as a count per value.
    ///
    /// # Errors
    /// [`Error::ForeignTable`] if the counts do not sum up to the people; [`Error::BeyondLimit`] if
    /// there are more than `limit` classes (which is noticed as soon as it is the case), if a cell
    /// can be filled in more than 2¹⁶ ways, or if exact counts do not fit into 128 bits.
    pub fn new(functions: &Functions, counts: &[u32], limit: u64) -> Result<Self, Error> {
        let values = multiset(functions, counts)?;
        // This bounds every count, and its product with the size of a group.
        Worlds::new(&values)
            .count()
            .and_then(|tables| tables.checked_mul(functions.people() as u128))
            .ok_or_else(|| beyond_128_bits("bits of a number of tables"))?;
        let cells: Vec<CompositionCell> = cell_sizes(functions)
            .into_iter()
            .map(|size| CompositionCell::new(size, counts))
            .collect::<Result<_, Error>>()?;
        let mut listing = Listing {
            cells: &cells,
            limit: limit.min(u32::MAX.into()),
            path: Vec::with_capacity(cells.len()),
            classes: Vec::new(),
        };
        listing.fill(&mut counts.to_vec())?;
        let classes = listing.classes;
        let compositions: Vec<&Compositions> =
            cells.iter().map(|cell| &cell.compositions).collect();
        let generalizations = functions.partitions().iter();
        Ok(Self {
            values: counts.len(),
            groups: functions
                .partitions()
                .iter()
                .map(|groups| groups.iter().map(|people| CellUnion::new(functions, people)))
                .map(Iterator::collect)
                .collect(),
            units: functions.cell_of().into(),
            generalizations: generalizations
                .map(|groups| generalize_all(functions, groups, &compositions, &classes, counts))
                .collect::<Result<_, Error>>()?,
            functions: functions.clone(),
            cells,
            classes,
        })
    }

    fn class(&self, class: usize) -> &[u16] {
        let cells = self.cells.len();
        &self.classes[class * cells..(class + 1) * cells]
    }

    /// Returns the counts per value of every cell of a class.
    fn counts(&self, class: usize) -> impl Iterator<Item = &[u32]> {
        self.cells
            .iter()
            .zip(self.class(class))
            .map(|(cell, &number)| cell.compositions.counts(number.into()))
    }
}

/// Lists contingency tables, depth first over the cells.
struct Listing<'c> {
    cells: &'c [CompositionCell],
    limit: u64,
    path: Vec<u16>,
    classes: Vec<u16>,
}

impl Listing<'_> {
    /// Fills the cells after the path with the remaining values. There are no dead ends: the
    /// remaining values always have the total size of the remaining cells.
    fn fill(&mut self, left: &mut [u32]) -> Result<(), Error> {
        let cells = self.cells;
        let compositions = &cells[self.path.len()].compositions;
        if self.path.len() + 1 == cells.len() {
            let last = compositions.find(left).expect("the last cell takes what is left");
            return self.push(last as u16);
        }
        for index in 0..compositions.len() {
            let counts = compositions.counts(index);
            if counts.iter().zip(&*left).any(|(count, left)| count > left) {
                continue;
            }
            left.iter_mut().zip(counts).for_each(|(left, c)| *left -= c);
            self.path.push(index as u16);
            self.fill(left)?;
            self.path.pop();
            left.iter_mut().zip(counts).for_each(|(left, c)| *left += c);
        }
        Ok(())
    }

    fn push(&mut self, last: u16) -> Result<(), Error> {
        if (self.classes.len() / self.cells.len()) as u64 >= self.limit {
            return Err(Error::BeyondLimit {
                what: "contingency tables to be listed",
                needed: format!("more than {}", self.limit),
                limit: self.limit,
            });
        }
        self.classes.extend_from_slice(&self.path);
        self.classes.push(last);
        Ok(())
    }
}

impl TableSpace for ContingencyTables {
    fn functions(&self) -> &Functions {
        &self.functions
    }

    fn values(&self) -> usize {
        self.values
    }

    fn classes(&self) -> usize {
        self.classes.len() / self.cells.len()
    }

    /// O(people + cells · log classes).
    fn class_of(&self, table: &[u32]) -> Result<usize, Error> {
        let fits = table.len() == self.functions.people();
        if !fits || table.iter().any(|&value| value as usize >= self.values) {
            return Err(Error::ForeignTable);
        }
        let mut counts = vec![vec![0; self.values]; self.cells.len()];
        for (&cell, &value) in self.units.iter().zip(table) {
            counts[cell as usize][value as usize] += 1;
        }
        let numbers: Option<Vec<u16>> = self
            .cells
            .iter()
            .zip(&counts)
            .map(|(cell, counts)| cell.compositions.find(counts).map(|index| index as u16))
            .collect();
        let numbers = numbers.ok_or(Error::ForeignTable)?;
        let (mut low, mut high) = (0, self.classes());
        while low < high {
            let middle = low.midpoint(high);
            if self.class(middle) < &numbers[..] { low = middle + 1 } else { high = middle }
        }
        if low < self.classes() && self.class(low) == numbers {
            Ok(low)
        } else {
            Err(Error::ForeignTable)
        }
    }

    fn example(&self, class: usize) -> Vec<u32> {
        let mut left: Vec<Vec<u32>> = self.counts(class).map(<[u32]>::to_vec).collect();
        self.units
            .iter()
            .map(|&cell| {
                let counts = &mut left[cell as usize];
                let value = counts
                    .iter()
                    .position(|&count| count > 0)
                    .expect("a cell has as many values as people");
                counts[value] -= 1;
                value as u32
            })
            .collect()
    }

    fn multiplicity(&self, class: usize) -> u128 {
        self.cells
            .iter()
            .zip(self.class(class))
            .map(|(cell, &index)| cell.compositions.orders(index.into()))
            .product()
    }

    fn generalizations(&self, function: usize) -> &Generalizations {
        &self.generalizations[function]
    }

    fn counter(&self) -> Counter {
        Counter::new(Arc::clone(&self.units), self.values)
    }

    /// O(cells · values).
    fn add(&self, class: usize, weight: u128, counter: &mut Counter) {
        let all = weight * self.multiplicity(class);
        counter.count_tables(all);
        let numbers = self.class(class).iter().map(|&number| usize::from(number));
        let sums = counter.sums.chunks_exact_mut(self.values);
        for ((cell, number), sums) in self.cells.iter().zip(numbers).zip(sums) {
            let others = all / cell.compositions.orders(number);
            let shares = &cell.shares[number * self.values..(number + 1) * self.values];
            for (sum, share) in sums.iter_mut().zip(shares) {
                *sum += others * share;
            }
        }
    }

    /// O(cells · values): it is a product of multinomials, and nothing is listed.
    fn count_permutation_set(&self, function: usize, class: usize, counter: &mut Counter) {
        let groups = &self.groups[function];
        let numbers = self.class(class);
        counter.clear();
        let mut tables = 1;
        for group in groups {
            // The group's histogram, stored in the row of its first cell.
            let row = group.row(self.values);
            for &cell in &group.cells {
                let counts = self.cells[cell].compositions.counts(numbers[cell].into());
                counter.sums[row.clone()]
                    .iter_mut()
                    .zip(counts)
                    .for_each(|(sum, &c)| *sum += u128::from(c));
            }
            tables *= orders(counter.sums[row].iter().copied());
        }
        counter.count_tables(tables);
        for group in groups {
            // The first cell is filled last, because the others are filled from it.
            for &cell in group.cells.iter().rev() {
                for (value, place) in group.row(self.values).enumerate() {
                    counter.sums[cell * self.values + value] =
                        tables * counter.sums[place] / group.people;
                }
            }
        }
    }
}
