//! Synthetic rows drawn from an estimate.

use super::Estimate;
use openveil_core::coins::Coins;
use openveil_core::table::ColumnSet;

/// Draws rows from an estimate. The rows disclose no more than the estimate.
#[derive(Debug)]
pub struct Sampler<'a> {
    estimate: &'a Estimate,
    /// Per part: the cells for each value of the separator, with cumulative weights.
    by_separator: Vec<Vec<Vec<(f64, u32)>>>,
}

impl<'a> Sampler<'a> {
    /// Prepares drawing, in O(cells).
    pub fn new(estimate: &'a Estimate) -> Self {
        let by_separator = estimate.parts.iter().map(|part| {
            let mut lists: Vec<Vec<(f64, u32)>> = vec![Vec::new(); part.separator_shares.len()];
            for (cell, &number) in part.separator.iter().enumerate() {
                let list = &mut lists[number as usize];
                let before = list.last().map_or(0.0, |(sum, _)| *sum);
                list.push((before + part.cells.weights()[cell], cell as u32));
            }
            lists
        });
        Self { estimate, by_separator: by_separator.collect() }
    }

    /// The columns of a drawn row.
    pub fn columns(&self) -> ColumnSet {
        self.estimate.columns()
    }

    /// Draws a row: its codes in the order of the columns' numbers.
    /// O(columns + parts · log cells).
    pub fn draw(&self, coins: &mut dyn Coins) -> Vec<u32> {
        let parts = &self.estimate.parts;
        let mut codes = [0u32; openveil_core::table::MAX_COLUMNS];
        let mut drawn: Vec<usize> = Vec::with_capacity(parts.len());
        for (part, lists) in parts.iter().zip(&self.by_separator) {
            let number = match part.parent {
                Some(parent) => part.in_parent[drawn[parent]] as usize,
                None => 0,
            };
            let cell = pick(&lists[number], coins);
            for (column, &code) in part.cells.columns().iter().zip(part.cells.row(cell)) {
                codes[column] = code;
            }
            drawn.push(cell);
        }
        self.columns().iter().map(|column| codes[column]).collect()
    }
}

/// Draws a cell with a chance in proportion to its weight.
fn pick(list: &[(f64, u32)], coins: &mut dyn Coins) -> usize {
    let total = list.last().map_or(0.0, |(sum, _)| *sum);
    // 53 random bits, which is the precision of a float between 0 and 1.
    let high = f64::from(coins.below(1 << 26)) * f64::from(1u32 << 27);
    let point = (high + f64::from(coins.below(1 << 27))) / (1u64 << 53) as f64 * total;
    let index = list.partition_point(|(sum, _)| *sum <= point);
    list[index.min(list.len() - 1)].1 as usize
}
