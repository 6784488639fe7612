//! The linear assignment problem: which record goes to which group.

/// The most rows and columns that a problem may have.
pub(super) const MOST: usize = 32;

/// The cost of each row in each column: `costs[row][column]`.
pub(super) type Costs = [[f32; MOST]; MOST];

/// Costs are rounded to whole numbers of at most this size while a problem is solved, so that sums
/// along a path of all columns do not overflow.
const GREATEST: f32 = (1 << 17) as f32;

/// Whole costs are in sixteenths of a nat: any assignment that costs nearly the least will do, and
/// one is found sooner if fewer costs differ.
const STEPS: f32 = 16.0;

/// Numbers carry their column in the low bits, so that the least number also names its column.
/// Among equal numbers, free columns come first.
const TAG_BITS: u32 = 6;
const TAG: i32 = (1 << TAG_BITS) - 1;
const TAKEN: i32 = MOST as i32;

/// More than any path costs.
const NEVER: i32 = 1 << 30;

/// Columns that are worked on at a time. Columns added to fill the last batch never cost least.
const LANES: usize = 8;

const NONE: u8 = u8::MAX;

/// Memory that is reused from problem to problem.
pub(super) struct Assignment {
    size: usize,
    /// Whole costs, above the bits of the tag.
    costs: [[i32; MOST]; MOST],
    /// Dual prices of the columns.
    prices: [i32; MOST],
    /// The number of each column, combined with [`TAKEN`] if a row has the column.
    tags: [i32; MOST],
    /// The row of each column, and the column of each row.
    row_of: [u8; MOST],
    column_of: [u8; MOST],
    free: Vec<u8>,
    waiting: Vec<u8>,
}

impl Default for Assignment {
    fn default() -> Self {
        Self {
            size: 0,
            costs: [[0; MOST]; MOST],
            prices: [0; MOST],
            tags: [0; MOST],
            row_of: [NONE; MOST],
            column_of: [NONE; MOST],
            free: Vec::new(),
            waiting: Vec::new(),
        }
    }
}

impl Assignment {
    /// Finds a column for each of the first `size` rows so that the sum of costs is least. No cost
    /// is greater than `greatest`. Returns `None` if the present assignment (row i in column i)
    /// costs as little.
    ///
    /// Column reduction, augmenting row reduction, then shortest augmenting paths: O(size³), in
    /// practice near size². Jonker and Volgenant, *A shortest augmenting path algorithm for dense
    /// and sparse linear assignment problems* (1987); costs are rounded to sixteenths, or to
    /// 1/131,072 of the greatest cost if that is coarser.
    ///
    /// # Panics
    /// If there are more than [`MOST`] rows.
    pub(super) fn solve(&mut self, costs: &Costs, greatest: f32, size: usize) -> Option<&[u8]> {
        assert!(size <= MOST);
        self.size = size;
        // Loops are unrolled if the length is known.
        match size {
            0 | 1 => return None,
            MOST => self.solve_in(costs, scale(greatest), MOST),
            _ => self.solve_in(costs, scale(greatest), size.next_multiple_of(LANES)),
        }
        let column_of = &self.column_of[..size];
        let gains = self
            .costs
            .iter()
            .zip(column_of)
            .enumerate()
            .map(|(row, (costs, &column))| costs[row] - costs[usize::from(column)]);
        (gains.sum::<i32>() > 0).then_some(column_of)
    }

    #[inline(always)]
    fn solve_in(&mut self, costs: &Costs, scale: f32, width: usize) {
        self.reset(costs, scale, width);
        self.reduce_columns(width);
        for _ in 0..2 {
            self.reduce_rows(width);
        }
        while let Some(row) = self.free.pop() {
            self.augment(row, width);
        }
    }

    #[inline(always)]
    fn reset(&mut self, costs: &Costs, scale: f32, width: usize) {
        for (whole, costs) in self.costs.iter_mut().zip(costs).take(self.size) {
            for (whole, cost) in whole[..width].iter_mut().zip(costs) {
                *whole = rounded(cost * scale) << TAG_BITS;
            }
            whole[self.size..width].fill(NEVER);
        }
        self.row_of.fill(NONE);
        self.column_of.fill(NONE);
        for (column, tag) in (0..).zip(&mut self.tags) {
            *tag = column;
        }
        self.free.clear();
        self.waiting.clear();
    }

    /// Each column takes its cheapest row, if that row is free. If several rows are equally cheap,
    /// it keeps the row that it has now, which no other column has.
    #[inline(always)]
    fn reduce_columns(&mut self, width: usize) {
        let mut cheapest = [0i32; MOST];
        for (column, cheapest) in cheapest.iter_mut().enumerate().take(width) {
            self.prices[column] = self.costs[column][column];
            *cheapest = column as i32;
        }
        self.prices[self.size..width].fill(NEVER);
        for (row, costs) in (0..).zip(&self.costs[..self.size]) {
            for ((price, cheapest), &cost) in
                self.prices[..width].iter_mut().zip(&mut cheapest).zip(costs)
            {
                *cheapest = if cost < *price { row } else { *cheapest };
                *price = cost.min(*price);
            }
        }
        self.prices[self.size..width].fill(0);
        for column in (0..self.size).rev() {
            let row = cheapest[column] as u8;
            if self.column_of[usize::from(row)] == NONE {
                self.give(column, row);
            }
        }
        let free = (0..).zip(&self.column_of[..self.size]).filter(|&(_, &column)| column == NONE);
        self.free.extend(free.map(|(row, _)| row));
    }

    /// Gives a column to a row; returns the row that had it.
    fn give(&mut self, column: usize, row: u8) -> u8 {
        self.tags[column] |= TAKEN;
        self.column_of[usize::from(row)] = column as u8;
        std::mem::replace(&mut self.row_of[column], row)
    }

    /// Each free row takes its best column and lowers that column's price to the second best. A
    /// displaced row then looks for another column.
    #[inline(always)]
    fn reduce_rows(&mut self, width: usize) {
        std::mem::swap(&mut self.free, &mut self.waiting);
        while let Some(mut row) = self.waiting.pop() {
            // A row that keeps displacing others is left to the path search.
            for step in 0..=self.size {
                let (best, gap) = self.best_column(row, width);
                self.prices[best] -= gap;
                let displaced = self.give(best, row);
                if displaced == NONE {
                    break;
                }
                self.column_of[usize::from(displaced)] = NONE;
                if gap == 0 || step == self.size {
                    self.free.push(displaced);
                    break;
                }
                row = displaced;
            }
        }
    }

    /// The best column at its price, and how much worse the second best is.
    #[inline(always)]
    fn best_column(&self, row: u8, width: usize) -> (usize, i32) {
        let mut reduced = [0; MOST];
        let columns =
            self.costs[usize::from(row)][..width].iter().zip(&self.prices).zip(&self.tags);
        for (reduced, ((cost, price), tag)) in reduced.iter_mut().zip(columns) {
            *reduced = (cost - price) | tag;
        }
        let reduced = &reduced[..width];
        let least = reduced.iter().fold(i32::MAX, |least, &own| own.min(least));
        // Tags differ from column to column, so no other number is equal to the least.
        let next = reduced.iter().fold(i32::MAX, |next, &own| {
            let own = if own == least { i32::MAX } else { own };
            own.min(next)
        });
        let best = least & (TAKEN - 1);
        (best as usize, (next & !TAG) - (least & !TAG))
    }

    /// Finds the shortest path from a free row to a free column, and reassigns the rows along it.
    #[inline(always)]
    fn augment(&mut self, start: u8, width: usize) {
        let mut distances = [NEVER; MOST];
        // The row before a column on the way to it.
        let mut previous = [i32::from(start); MOST];
        // `NEVER` if the column was passed.
        let mut passed = [0i32; MOST];
        let (mut row, mut base) = (start, 0);
        let (end, least) = loop {
            let costs = self.costs[usize::from(row)][..width].iter();
            for ((distance, previous), (cost, price)) in
                distances.iter_mut().zip(&mut previous).zip(costs.zip(&self.prices))
            {
                let through = base + (cost - price);
                let is_nearer = through < *distance;
                *previous = if is_nearer { i32::from(row) } else { *previous };
                *distance = through.min(*distance);
            }
            let nearest = distances[..width]
                .iter()
                .zip(&passed)
                .zip(&self.tags)
                .map(|((distance, passed), tag)| (distance + passed) | tag)
                .fold(i32::MAX, i32::min);
            let column = (nearest & (TAKEN - 1)) as usize;
            let least = nearest & !TAG;
            if nearest & TAKEN == 0 {
                break (column, least);
            }
            passed[column] = NEVER;
            row = self.row_of[column];
            let own = self.costs[usize::from(row)][column] - self.prices[column];
            base = least - own;
        };
        for ((price, distance), &passed) in
            self.prices[..width].iter_mut().zip(&distances).zip(&passed)
        {
            *price += if passed == 0 { 0 } else { distance - least };
        }
        self.turn(start, end, &previous);
    }

    /// Reassigns the rows along a path: each gets the column behind it.
    fn turn(&mut self, start: u8, end: usize, previous: &[i32; MOST]) {
        self.tags[end] |= TAKEN;
        let mut column = end as u8;
        loop {
            let row = previous[usize::from(column)] as u8;
            self.row_of[usize::from(column)] = row;
            std::mem::swap(&mut column, &mut self.column_of[usize::from(row)]);
            if row == start {
                break;
            }
        }
    }
}

/// Rounds to the nearest whole number, for numbers below four million: the sum has no bits for
/// fractions.
#[inline]
fn rounded(number: f32) -> i32 {
    const SHIFT: f32 = (3 << 22) as f32;
    (number + SHIFT).to_bits() as i32 - SHIFT.to_bits() as i32
}

/// The factor by which costs are multiplied before they are rounded, so that the greatest still
/// fits.
fn scale(greatest: f32) -> f32 {
    STEPS.min(GREATEST / greatest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least sum of costs, by trying all permutations.
    fn least(costs: &Costs, size: usize, row: usize, taken: &mut Vec<bool>) -> f32 {
        if row == size {
            return 0.0;
        }
        let mut best = f32::INFINITY;
        for column in 0..size {
            if !taken[column] {
                taken[column] = true;
                let rest = least(costs, size, row + 1, taken);
                best = best.min(costs[row][column] + rest);
                taken[column] = false;
            }
        }
        best
    }

    fn sum(costs: &Costs, columns: &[u8]) -> f32 {
        costs.iter().zip(columns).map(|(row, &column)| row[usize::from(column)]).sum()
    }

    fn problem(size: usize, costs: &[i32]) -> Costs {
        let mut found = [[0.0; MOST]; MOST];
        for row in 0..size {
            for column in 0..size {
                found[row][column] = costs[row * size + column] as f32;
            }
        }
        found
    }

    /// The columns found, or those that rows have now.
    fn solved(solver: &mut Assignment, costs: &Costs, greatest: f32, size: usize) -> Vec<u8> {
        let now = (0..size as u8).collect();
        solver.solve(costs, greatest, size).map_or(now, <[u8]>::to_vec)
    }

    fn is_permutation(columns: &[u8]) -> bool {
        let mut columns = columns.to_vec();
        columns.sort_unstable();
        (0..).zip(columns).all(|(place, column)| place == column)
    }

    proptest! {
        /// With and without ties, the sum is the least over all permutations.
        #[test]
        fn no_permutation_is_cheaper(
            size in 1usize..7, costs in prop::collection::vec(-6i32..12, 36),
        ) {
            let costs = problem(size, &costs);
            let found = solved(&mut Assignment::default(), &costs, 16.0, size);
            prop_assert!(is_permutation(&found));
            prop_assert_eq!(sum(&costs, &found), least(&costs, size, 0, &mut vec![false; size]));
        }

        /// Large problems, checked by duality: each row and column has a dual value, each pair
        /// costs at least the sum of both, and the pairs of the permutation cost no more than that.
        #[test]
        fn hidden_permutations_are_found(
            size in 7usize..=MOST, seed: u64, wide in prop::sample::select(vec![1i32, 3, 100, 1_000]),
        ) {
            let mut state = seed;
            let mut below = |limit: i32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 33) % limit as u64) as i32
            };
            let parts: Vec<(i32, i32)> = (0..size).map(|_| (below(wide), below(wide))).collect();
            let step = (0..size).map(|_| below(size as i32)).fold(1, |a, b| a + b) as usize;
            let mut costs = vec![0; size * size];
            for row in 0..size {
                for column in 0..size {
                    let slack = if column == (row + step) % size { 0 } else { below(wide) };
                    costs[row * size + column] = parts[row].0 + parts[column].1 + slack;
                }
            }
            let costs = problem(size, &costs);
            let greatest = 4.0 * wide as f32;
            let found = solved(&mut Assignment::default(), &costs, greatest, size);
            prop_assert!(is_permutation(&found));
            let dual: i32 = parts.iter().map(|(row, column)| row + column).sum();
            prop_assert_eq!(sum(&costs, &found), dual as f32);
        }
    }

    /// The greatest costs allowed, with paths through every column.
    #[test]
    fn the_greatest_costs_fit() {
        let mut costs = [[0.0; MOST]; MOST];
        for (row, costs) in costs.iter_mut().enumerate() {
            for (column, cost) in costs.iter_mut().enumerate() {
                *cost = match row.checked_sub(column) {
                    None => 8.0,
                    Some(behind) => -8.0 + behind as f32 / 4.0,
                };
            }
        }
        let found = solved(&mut Assignment::default(), &costs, 8.0, MOST);
        assert_eq!(found, (0..MOST as u8).collect::<Vec<_>>());
    }
}
