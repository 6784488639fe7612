//! The linear assignment problem: which record goes to which group.

/// Memory that is used again from problem to problem.
#[derive(Default)]
pub(super) struct Assignment {
    /// The row of each column, and the column of each row.
    row_of: Vec<u32>,
    column_of: Vec<u32>,
    /// Dual prices of the columns.
    prices: Vec<f32>,
    free: Vec<u32>,
    waiting: Vec<u32>,
    /// State of the search for a path: how far each column is, the row before it, and the columns:
    /// those that were left behind, those at the same least distance, the rest.
    distance: Vec<f32>,
    previous: Vec<u32>,
    columns: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Assignment {
    /// The columns of the rows for which the costs, `costs[row · size + column]`, sum
    /// up to the least. Row and column of the same number belong together now.
    ///
    /// Column reduction, augmenting row reduction, then shortest augmenting paths:
    /// O(size³), in practice near size². Jonker and Volgenant, *A shortest augmenting
    /// path algorithm for dense and sparse linear assignment problems* (1987).
    pub(super) fn solve(&mut self, costs: &[f32], size: usize) -> &[u32] {
        self.reset(size);
        self.reduce_columns(costs, size);
        for _ in 0..2 {
            self.reduce_rows(costs, size);
        }
        while let Some(row) = self.free.pop() {
            self.augment(row, costs, size);
        }
        &self.column_of
    }

    fn reset(&mut self, size: usize) {
        for list in [&mut self.row_of, &mut self.column_of] {
            list.clear();
            list.resize(size, NONE);
        }
        self.previous.clear();
        self.previous.resize(size, 0);
        for list in [&mut self.prices, &mut self.distance] {
            list.clear();
            list.resize(size, 0.0);
        }
        self.free.clear();
        self.columns.clear();
        self.columns.extend(0..size as u32);
    }

    /// Each column takes the cheapest row, if that is free; of equally cheap ones that
    /// which has it now, since nobody else has that one.
    fn reduce_columns(&mut self, costs: &[f32], size: usize) {
        let cheapest = &mut self.previous;
        for (column, (price, row)) in self.prices.iter_mut().zip(&mut *cheapest).enumerate() {
            (*price, *row) = (costs[column * size + column], column as u32);
        }
        for (row, costs) in (0..).zip(costs.chunks_exact(size)) {
            let columns = self.prices.iter_mut().zip(&mut *cheapest);
            for ((price, cheapest), &cost) in columns.zip(costs) {
                *cheapest = if cost < *price { row } else { *cheapest };
                *price = price.min(cost);
            }
        }
        for column in (0..size).rev() {
            let row = cheapest[column];
            if self.column_of[row as usize] == NONE {
                self.column_of[row as usize] = column as u32;
                self.row_of[column] = row;
            }
        }
        let rows = (0..).zip(&self.column_of);
        let free = rows.filter(|&(_, &column)| column == NONE);
        self.free.extend(free.map(|(row, _)| row));
    }

    /// Free rows take their best column and lower its price to that of the second best;
    /// whoever had it goes on with another. Where two are equally good the second may be
    /// free, and nobody has to move.
    fn reduce_rows(&mut self, costs: &[f32], size: usize) {
        std::mem::swap(&mut self.free, &mut self.waiting);
        while let Some(mut row) = self.waiting.pop() {
            // Prices fall at every step; rounding must not let that go on for ever.
            for step in 0..=size {
                let (mut best, second, gap) =
                    self.best_columns(&costs[row as usize * size..][..size]);
                if gap > 0.0 {
                    self.prices[best] -= gap;
                } else if self.row_of[best] != NONE {
                    best = second;
                }
                let displaced = std::mem::replace(&mut self.row_of[best], row);
                self.column_of[row as usize] = best as u32;
                if displaced == NONE {
                    break;
                }
                self.column_of[displaced as usize] = NONE;
                if gap <= 0.0 || step == size {
                    self.free.push(displaced);
                    break;
                }
                row = displaced;
            }
        }
    }

    /// The best and the second best column at their prices, and how much worse that is.
    fn best_columns(&self, costs: &[f32]) -> (usize, usize, f32) {
        let (mut best, mut second) = (0, 0);
        let (mut least, mut next) = (f32::INFINITY, f32::INFINITY);
        for (column, (&cost, &price)) in costs.iter().zip(&self.prices).enumerate() {
            let reduced = cost - price;
            if reduced < next {
                if reduced < least {
                    (second, next) = (best, least);
                    (best, least) = (column, reduced);
                } else {
                    (second, next) = (column, reduced);
                }
            }
        }
        let gap = if next.is_finite() { next - least } else { 0.0 };
        (best, second, gap)
    }

    /// Finds the shortest path from a free row to a free column, and turns it.
    fn augment(&mut self, start: u32, costs: &[f32], size: usize) {
        let costs_of = |row: u32| &costs[row as usize * size..][..size];
        let reduced = costs_of(start).iter().zip(&self.prices);
        let distances = self.distance.iter_mut();
        distances
            .zip(reduced)
            .for_each(|(distance, (cost, price))| *distance = cost - price);
        self.previous.fill(start);
        // Columns left behind end at `low`, those at the least distance at `up`.
        let (mut low, mut up, mut least) = (0, 0, 0.0);
        let mut behind = 0;
        let end = 'search: loop {
            if low == up {
                behind = low;
                (up, least) = self.nearest(low);
                let mut nearest = self.columns[low..up].iter();
                let free = nearest.find(|&&column| self.row_of[column as usize] == NONE);
                if let Some(&column) = free {
                    break column;
                }
            }
            let through = self.columns[low] as usize;
            low += 1;
            let row = self.row_of[through];
            let costs = costs_of(row);
            let base = least - (costs[through] - self.prices[through]);
            let farther = up;
            for place in farther..size {
                let column = self.columns[place] as usize;
                let distance = base + costs[column] - self.prices[column];
                if distance < self.distance[column] {
                    self.distance[column] = distance;
                    self.previous[column] = row;
                    if distance == least {
                        if self.row_of[column] == NONE {
                            break 'search column as u32;
                        }
                        self.columns.swap(place, up);
                        up += 1;
                    }
                }
            }
        };
        for &column in &self.columns[..behind] {
            let column = column as usize;
            self.prices[column] += self.distance[column] - least;
        }
        self.turn(start, end);
    }

    /// Brings the nearest columns from `low` on to the front of them; where they end, and
    /// how far they are.
    fn nearest(&mut self, low: usize) -> (usize, f32) {
        let (mut up, mut least) = (low, f32::INFINITY);
        for place in low..self.columns.len() {
            let distance = self.distance[self.columns[place] as usize];
            if distance <= least {
                if distance < least {
                    (up, least) = (low, distance);
                }
                self.columns.swap(place, up);
                up += 1;
            }
        }
        (up, least)
    }

    /// Gives every row on the path that ends at a column the column behind it.
    fn turn(&mut self, start: u32, end: u32) {
        let mut column = end;
        loop {
            let row = self.previous[column as usize];
            self.row_of[column as usize] = row;
            std::mem::swap(&mut column, &mut self.column_of[row as usize]);
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
            let mut columns: Vec<usize> = found.iter().map(|&column| column as usize).collect();
            let found = columns.clone();
            columns.sort_unstable();
            prop_assert_eq!(columns, (0..size).collect::<Vec<_>>());
            let sum: f32 = (0..size).map(|row| costs[row * size + found[row]]).sum();
            prop_assert_eq!(sum, least(&costs, size, 0, &mut vec![false; size]));
        }
    }
}
