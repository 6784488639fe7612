//! Decides which whole values share a column.

use super::ValueRun;

/// Beyond this many values, the largest-first rule leaves nothing worth evening out.
const EXCHANGED_VALUES: usize = 4_096;

/// Orders values so that, cut into columns of `groups` places, hardly any value straddles two.
/// Values longer than a column come first, end to end. The others are combined so that whole values
/// fill a column almost exactly.
///
/// `order` lists values in an order that the user declared: neighbours in it go to different
/// columns, so that every column spans the whole range. Without `order`, the largest value goes
/// first, into the emptiest column. O(values · (columns + log values)) and, up to 4,096 values, as
/// much for every exchange that evens out the loads.
pub(super) fn pack(runs: &[ValueRun], groups: u32, order: Option<&[u32]>) -> Vec<ValueRun> {
    let (long, short): (Vec<ValueRun>, Vec<ValueRun>) =
        runs.iter().partition(|run| run.count > groups);
    let rows = |runs: &[ValueRun]| runs.iter().map(|run| u64::from(run.count)).sum::<u64>();
    let taken = rows(&long);
    let mut packing = Packing::new(taken..taken + rows(&short), groups.into());
    for batch in batches(short, order, packing.places.len()) {
        let first = packing.runs.len();
        packing.fill(batch);
        packing.even_out(first);
    }
    long.into_iter().chain(packing.end_to_end()).collect()
}

/// Values that may be exchanged for one another, the largest first: all of them, or
/// neighbours of an order, one for each column.
fn batches(mut runs: Vec<ValueRun>, order: Option<&[u32]>, columns: usize) -> Vec<Vec<ValueRun>> {
    let mut batches: Vec<Vec<ValueRun>> = match order {
        None => vec![runs],
        Some(order) => {
            sort_by(&mut runs, order);
            runs.chunks(columns.max(1)).map(<[ValueRun]>::to_vec).collect()
        }
    };
    for batch in &mut batches {
        batch.sort_by_key(|run| (std::cmp::Reverse(run.count), run.value));
    }
    batches
}

fn sort_by(runs: &mut [ValueRun], order: &[u32]) {
    let mut rank = vec![0; order.iter().max().map_or(0, |&most| most as usize + 1)];
    (0..).zip(order).for_each(|(place, &value)| rank[value as usize] = place);
    runs.sort_by_key(|run| rank[run.value as usize]);
}

/// Values in columns.
struct Packing {
    /// Places of each column; the first and the last may be short.
    places: Vec<i64>,
    /// Rows beyond the places of each column.
    excess: Vec<i64>,
    runs: Vec<ValueRun>,
    /// The column of each run.
    column_of: Vec<usize>,
}

impl Packing {
    /// Empty columns over a stretch of the line.
    fn new(stretch: std::ops::Range<u64>, groups: u64) -> Self {
        let mut places = Vec::new();
        let mut start = stretch.start;
        while start < stretch.end {
            let end = ((start / groups + 1) * groups).min(stretch.end);
            places.push((end - start) as i64);
            start = end;
        }
        Self {
            excess: places.iter().map(|places| -places).collect(),
            places,
            runs: Vec::new(),
            column_of: Vec::new(),
        }
    }

    fn fill(&mut self, batch: Vec<ValueRun>) {
        for run in batch {
            let columns = 0..self.places.len();
            let emptiest = columns.min_by_key(|&column| self.excess[column]);
            let column = emptiest.expect("where there are rows there are columns");
            self.excess[column] += i64::from(run.count);
            self.runs.push(run);
            self.column_of.push(column);
        }
    }

    /// Repeats the exchange, among values from number `first` on, that evens the loads of columns
    /// out most, until no exchange helps.
    fn even_out(&mut self, first: usize) {
        if self.runs.len() - first > EXCHANGED_VALUES {
            return;
        }
        while let Some((run, column, other)) = self.best_exchange(first) {
            let back = self.column_of[run];
            self.shift(run, column);
            if let Some(other) = other {
                self.shift(other, back);
            }
        }
    }

    fn shift(&mut self, run: usize, column: usize) {
        let count = i64::from(self.runs[run].count);
        self.excess[self.column_of[run]] -= count;
        self.excess[column] += count;
        self.column_of[run] = column;
    }

    /// A value, the column it should go to, and the value that should come back.
    fn best_exchange(&self, first: usize) -> Option<(usize, usize, Option<usize>)> {
        let mut in_column = vec![Vec::new(); self.places.len()];
        for run in first..self.runs.len() {
            in_column[self.column_of[run]].push(run);
        }
        let count = |run: usize| i64::from(self.runs[run].count);
        in_column.iter_mut().for_each(|runs| runs.sort_by_key(|&run| count(run)));
        let mut best = (0, None);
        for run in first..self.runs.len() {
            let from = self.column_of[run];
            for to in (0..self.places.len()).filter(|&to| self.excess[to] < self.excess[from]) {
                // Moving d rows changes the sum of squares by 2d(d − difference).
                let difference = self.excess[from] - self.excess[to];
                let wanted = count(run) - difference / 2;
                let near = in_column[to].partition_point(|&other| count(other) < wanted);
                let others = [near.checked_sub(1), Some(near)]
                    .into_iter()
                    .flatten()
                    .filter_map(|at| in_column[to].get(at).copied());
                for other in others.map(Some).chain([None]) {
                    let moved = count(run) - other.map_or(0, count);
                    let gain = moved * (difference - moved);
                    if gain > best.0 {
                        best = (gain, Some((run, to, other)));
                    }
                }
            }
        }
        best.1
    }

    /// The values column by column. Columns are ordered so that the surplus stays small and
    /// positive, and behind each column comes a value that can straddle.
    fn end_to_end(self) -> Vec<ValueRun> {
        let mut line = Vec::with_capacity(self.runs.len());
        let mut over = 0;
        for column in self.column_order() {
            let mut runs: Vec<ValueRun> = (0..self.runs.len())
                .filter(|&run| self.column_of[run] == column)
                .map(|run| self.runs[run])
                .collect();
            runs.sort_by_key(|run| run.value);
            if over < 0 {
                let first = smallest(&runs, -over);
                line.extend(first.map(|at| runs.remove(at)));
            }
            over += self.excess[column];
            if over > 0
                && let Some(last) = smallest(&runs, over)
            {
                let last = runs.remove(last);
                runs.push(last);
            }
            line.extend(runs);
        }
        line
    }

    fn column_order(&self) -> Vec<usize> {
        let last = self.places.len().saturating_sub(1);
        let full = self.places.iter().max().copied().unwrap_or(0);
        let is_short = |column: usize| self.places[column] < full;
        let mut free: Vec<usize> = (0..self.places.len())
            .filter(|&column| !(is_short(column) && (column == 0 || column == last)))
            .collect();
        let mut order: Vec<usize> = (0..self.places.len())
            .filter(|&column| column == 0 && is_short(column) && column != last)
            .collect();
        let mut over: i64 = order.iter().map(|&column| self.excess[column]).sum();
        while !free.is_empty() {
            // Take back as much of the surplus as possible, or else add as little to it as
            // possible.
            let back =
                |&at: &usize| self.excess[free[at]] <= 0 && over + self.excess[free[at]] >= 0;
            let next = (0..free.len())
                .filter(back)
                .min_by_key(|&at| self.excess[free[at]])
                .or_else(|| {
                    (0..free.len())
                        .filter(|&at| self.excess[free[at]] > 0)
                        .min_by_key(|&at| self.excess[free[at]])
                });
            let column = free.remove(next.unwrap_or(0));
            over += self.excess[column];
            order.push(column);
        }
        if !order.contains(&last) && !self.places.is_empty() {
            order.push(last);
        }
        order
    }
}

/// The value with the fewest rows that has at least `rows`; the largest value if there is none.
fn smallest(runs: &[ValueRun], rows: i64) -> Option<usize> {
    let count = |at: &usize| i64::from(runs[*at].count);
    (0..runs.len())
        .filter(|at| count(at) >= rows)
        .min_by_key(count)
        .or_else(|| (0..runs.len()).max_by_key(count))
}
