//! The linear assignment problem: which record goes to which group.

/// Memory that is used again from problem to problem.
#[derive(Default)]
pub(super) struct Assignment {
    /// The row of each column, and the column of each row.
    row_of: Vec<usize>,
    column_of: Vec<usize>,
    /// Dual prices of the columns.
    prices: Vec<f32>,
    free: Vec<usize>,
    distance: Vec<f32>,
    previous: Vec<usize>,
    open: Vec<usize>,
}

const NONE: usize = usize::MAX;

impl Assignment {
    /// The columns of the rows for which the costs, `costs[row · size + column]`, sum
    /// up to the least.
    ///
    /// Column reduction, augmenting row reduction, then shortest augmenting paths:
    /// O(size³), in practice near size². Jonker and Volgenant, *A shortest augmenting
    /// path algorithm for dense and sparse linear assignment problems* (1987).
    pub(super) fn solve(&mut self, costs: &[f32], size: usize) -> &[usize] {
        self.reset(size);
        self.reduce_columns(costs, size);
        for _ in 0..2 {
            self.reduce_rows(costs, size);
        }
        for row in std::mem::take(&mut self.free) {
            self.augment(row, costs, size);
        }
        &self.column_of
    }

    fn reset(&mut self, size: usize) {
        for list in [&mut self.row_of, &mut self.column_of, &mut self.previous] {
            list.clear();
            list.resize(size, NONE);
        }
        for list in [&mut self.prices, &mut self.distance] {
            list.clear();
            list.resize(size, 0.0);
        }
        self.free.clear();
    }

    /// Each column takes the cheapest row, if that is free.
    fn reduce_columns(&mut self, costs: &[f32], size: usize) {
        self.prices.copy_from_slice(&costs[..size]);
        let mut cheapest = std::mem::take(&mut self.previous);
        cheapest.fill(0);
        for (row, costs) in costs.chunks_exact(size).enumerate().skip(1) {
            for (column, &cost) in costs.iter().enumerate() {
                if cost < self.prices[column] {
                    self.prices[column] = cost;
                    cheapest[column] = row;
                }
            }
        }
        for column in (0..size).rev() {
            let row = cheapest[column];
            if self.column_of[row] == NONE {
                self.column_of[row] = column;
                self.row_of[column] = row;
            }
        }
        self.previous = cheapest;
        self.free
            .extend((0..size).filter(|&row| self.column_of[row] == NONE));
    }

    /// Free rows take their best column and lower its price to that of the second best;
    /// whoever had it is free.
    fn reduce_rows(&mut self, costs: &[f32], size: usize) {
        let waiting = std::mem::take(&mut self.free);
        for row in waiting {
            let (mut best, mut least, mut second) = (0, f32::INFINITY, f32::INFINITY);
            let costs = &costs[row * size..(row + 1) * size];
            for (column, (&cost, &price)) in costs.iter().zip(&self.prices).enumerate() {
                let reduced = cost - price;
                if reduced < least {
                    (best, second, least) = (column, least, reduced);
                } else if reduced < second {
                    second = reduced;
                }
            }
            if second.is_finite() {
                self.prices[best] -= second - least;
            }
            let displaced = self.row_of[best];
            self.row_of[best] = row;
            self.column_of[row] = best;
            if displaced != NONE {
                self.column_of[displaced] = NONE;
                self.free.push(displaced);
            }
        }
    }

    /// Finds the shortest path from a free row to a free column, and turns it.
    fn augment(&mut self, start: usize, costs: &[f32], size: usize) {
        let cost = |row: usize, column: usize| costs[row * size + column];
        self.open.clear();
        self.open.extend(0..size);
        for column in 0..size {
            self.distance[column] = cost(start, column) - self.prices[column];
            self.previous[column] = start;
        }
        let mut scanned: Vec<usize> = Vec::new();
        let (end, shortest) = loop {
            let nearest = (0..self.open.len())
                .min_by(|&a, &b| {
                    let distance = |at: usize| self.distance[self.open[at]];
                    distance(a).total_cmp(&distance(b))
                })
                .expect("some column is free");
            let column = self.open.swap_remove(nearest);
            let shortest = self.distance[column];
            let row = self.row_of[column];
            if row == NONE {
                break (column, shortest);
            }
            scanned.push(column);
            let base = shortest - (cost(row, column) - self.prices[column]);
            for &other in &self.open {
                let through = base + cost(row, other) - self.prices[other];
                if through < self.distance[other] {
                    self.distance[other] = through;
                    self.previous[other] = row;
                }
            }
        };
        for column in scanned {
            self.prices[column] += self.distance[column] - shortest;
        }
        let mut column = end;
        loop {
            let row = self.previous[column];
            self.row_of[column] = row;
            std::mem::swap(&mut column, &mut self.column_of[row]);
            if row == start {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All permutations.
    fn least(costs: &[f32], size: usize, row: usize, taken: &mut Vec<bool>) -> f32 {
        if row == size {
            return 0.0;
        }
        let mut best = f32::INFINITY;
        for column in 0..size {
            if !taken[column] {
                taken[column] = true;
                let rest = least(costs, size, row + 1, taken);
                best = best.min(costs[row * size + column] + rest);
                taken[column] = false;
            }
        }
        best
    }

    proptest! {
        /// With ties and without, the sum is the least of all permutations.
        #[test]
        fn no_permutation_is_cheaper(
            size in 1usize..7, costs in prop::collection::vec(0u32..12, 36),
        ) {
            let costs: Vec<f32> = costs[..size * size].iter().map(|&cost| cost as f32).collect();
            let mut solver = Assignment::default();
            let found = solver.solve(&costs, size).to_vec();
            let mut columns = found.clone();
            columns.sort_unstable();
            prop_assert_eq!(columns, (0..size).collect::<Vec<_>>());
            let sum: f32 = (0..size).map(|row| costs[row * size + found[row]]).sum();
            prop_assert_eq!(sum, least(&costs, size, 0, &mut vec![false; size]));
        }
    }
}
