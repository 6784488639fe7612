//! The ways to fill a cell with values.

use super::functions::Functions;
use openveil_core::Error;

/// The largest number of ways to fill one cell: they are numbered with 16 bits.
const PER_CELL: u64 = 1 << 16;

/// All compositions of a cell's size into counts of values, ascending.
#[derive(Debug, Clone)]
pub(super) struct Compositions {
    values: usize,
    /// Counts per value, one composition after the other.
    counts: Vec<u32>,
    /// The number of orders in which the people of the cell can take the values.
    orders: Vec<u128>,
}

impl Compositions {
    /// Returns the compositions of `size` into counts of at most `most[value]`.
    ///
    /// The orders must fit into 128 bits (the caller knows that the orders of the whole table do).
    pub(super) fn new(size: u32, most: &[u32]) -> Result<Self, Error> {
        let mut found = Self { values: most.len(), counts: Vec::new(), orders: Vec::new() };
        found.fill(most, &mut Vec::with_capacity(most.len()), size)?;
        Ok(found)
    }

    fn fill(&mut self, most: &[u32], counts: &mut Vec<u32>, left: u32) -> Result<(), Error> {
        let value = counts.len();
        if value == most.len() {
            self.counts.extend_from_slice(counts);
            self.orders.push(orders(counts.iter().map(|&c| c.into())));
            return if self.orders.len() as u64 > PER_CELL {
                Err(Error::BeyondLimit {
                    what: "ways of filling one cell with values",
                    needed: format!("more than {PER_CELL}"),
                    limit: PER_CELL,
                })
            } else {
                Ok(())
            };
        }
        // This value has to take whatever the later values cannot, so there are no dead ends.
        let later: u64 = most[value + 1..].iter().map(|&count| u64::from(count)).sum();
        let least = u64::from(left).saturating_sub(later) as u32;
        for count in least..=left.min(most[value]) {
            counts.push(count);
            self.fill(most, counts, left - count)?;
            counts.pop();
        }
        Ok(())
    }

    /// Returns the number of compositions.
    pub(super) fn len(&self) -> usize {
        self.orders.len()
    }

    /// Returns the counts per value of a composition.
    pub(super) fn counts(&self, index: usize) -> &[u32] {
        &self.counts[index * self.values..(index + 1) * self.values]
    }

    /// Returns the number of orders in which the people of the cell can take the values.
    pub(super) fn orders(&self, index: usize) -> u128 {
        self.orders[index]
    }

    /// Returns the number of a composition. O(values · log compositions).
    pub(super) fn find(&self, counts: &[u32]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.counts(middle) < counts { low = middle + 1 } else { high = middle }
        }
        (low < self.len() && self.counts(low) == counts).then_some(low)
    }
}

/// Returns the multinomial coefficient of counts, which must fit into 128 bits.
pub(super) fn orders(counts: impl IntoIterator<Item = u128>) -> u128 {
    let mut orders = 1u128;
    let mut placed = 0u128;
    for count in counts {
        for nth in 1..=count {
            placed += 1;
            orders = orders * placed / nth;
        }
    }
    orders
}

/// Returns the sizes of the cells of a common refinement.
pub(super) fn cell_sizes(functions: &Functions) -> Vec<u32> {
    let mut sizes = vec![0; functions.cells()];
    for &cell in functions.cell_of() {
        sizes[cell as usize] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_are_ascending_and_complete() {
        let found = Compositions::new(3, &[2, 1, 3]).unwrap();
        let listed: Vec<&[u32]> = (0..found.len()).map(|i| found.counts(i)).collect();
        let expected: [&[u32]; 6] =
            [&[0, 0, 3], &[0, 1, 2], &[1, 0, 2], &[1, 1, 1], &[2, 0, 1], &[2, 1, 0]];
        assert_eq!(listed, expected);
        let orders: Vec<u128> = (0..found.len()).map(|i| found.orders(i)).collect();
        assert_eq!(orders, [1, 3, 3, 6, 3, 3]);
        assert_eq!(found.find(&[1, 1, 1]), Some(3));
        assert_eq!(found.find(&[0, 2, 1]), None);
    }

    #[test]
    fn too_many_ways_are_named() {
        let found = Compositions::new(40, &[40; 8]);
        assert!(matches!(found, Err(Error::BeyondLimit { limit: PER_CELL, .. })));
    }
}
