//! Orders people by their quasi-identifiers, never by their row numbers.

use openveil_core::coins::{Coins, draw};
use openveil_core::table::Column;
use rayon::slice::ParallelSliceMut;

/// A person: a row number and the codes of the quasi-identifiers, stored together to avoid
/// look-ups. Unused codes are 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderedPerson<const K: usize> {
    codes: [u32; K],
    /// The rank of the person's quasi-identifiers among all that occur.
    rank: u32,
    pub(super) row: u32,
}

/// Divides sets of people along quasi-identifiers. It uses no sensitive value.
pub(super) struct CuttingOrder<'a> {
    columns: &'a [Column],
}

impl<'a> CuttingOrder<'a> {
    /// Makes an order by at most as many columns as [`OrderedPerson`] has room for.
    pub(super) fn new(columns: &'a [Column]) -> Self {
        Self { columns }
    }

    /// Returns the people of a table. O(n log n · columns).
    pub(super) fn people<const K: usize>(&self, rows: usize) -> Vec<OrderedPerson<K>> {
        let mut people: Vec<OrderedPerson<K>> = (0..rows as u32)
            .map(|row| {
                let mut codes = [0; K];
                for (code, column) in codes.iter_mut().zip(self.columns) {
                    *code = column.codes()[row as usize];
                }
                let rank = 0;
                OrderedPerson { codes, rank, row }
            })
            .collect();
        // Row numbers only make the sort reproducible: among people who look alike, coins decide.
        people.par_sort_unstable_by_key(|person| (person.codes, person.row));
        for next in 1..people.len() {
            let before = people[next - 1];
            people[next].rank = before.rank + u32::from(before.codes != people[next].codes);
        }
        people
    }

    /// Moves the first `at` people along the widest quasi-identifier to the front. O(people ·
    /// columns).
    pub(super) fn cut<const K: usize>(
        &self,
        people: &mut [OrderedPerson<K>],
        at: usize,
        coins: &mut dyn Coins,
    ) {
        select(people, at, self.widest(people), coins);
    }

    /// Moves a run of `at` people along the widest quasi-identifier to the front. The run starts at
    /// a uniformly random person and continues from the last person to the first, so everybody is
    /// in it with the same chance.
    pub(super) fn cut_anywhere<const K: usize>(
        &self,
        people: &mut [OrderedPerson<K>],
        at: usize,
        coins: &mut dyn Coins,
    ) {
        let axis = self.widest(people);
        let start = coins.below(people.len() as u32) as usize;
        let wraps = start + at > people.len();
        let (low, high) =
            if wraps { (start + at - people.len(), start) } else { (start, start + at) };
        select(people, low, axis, coins);
        select(&mut people[low..], high - low, axis, coins);
        if wraps { people[low..].rotate_left(high - low) } else { people[..high].rotate_left(low) }
    }

    /// Orders people as far as `borders` (ascending, counted from `start`) require: cuts at the
    /// middle border, then orders both parts.
    pub(super) fn arrange<const K: usize>(
        &self,
        people: &mut [OrderedPerson<K>],
        start: usize,
        borders: &[usize],
        coins: &mut dyn Coins,
    ) {
        if borders.is_empty() {
            return;
        }
        let (before, after) = borders.split_at(borders.len() / 2);
        let at = after[0] - start;
        self.cut(people, at, coins);
        let (left, right) = people.split_at_mut(at);
        self.arrange(left, start, before, coins);
        self.arrange(right, start + at, &after[1..], coins);
    }

    /// Returns the quasi-identifier over which people spread most; of equals, the first.
    fn widest<const K: usize>(&self, people: &[OrderedPerson<K>]) -> usize {
        let (mut low, mut high) = ([u32::MAX; K], [0; K]);
        for person in people {
            for axis in 0..K {
                low[axis] = low[axis].min(person.codes[axis]);
                high[axis] = high[axis].max(person.codes[axis]);
            }
        }
        let mut widest = (0, -1.0);
        for (axis, column) in self.columns.iter().enumerate() {
            let extent = column.domain().extent(low[axis], high[axis]);
            let full = column.domain().full_extent().max(1);
            let spread = column.weight() as f32 * extent as f32 / full as f32;
            if spread > widest.1 {
                widest = (axis, spread);
            }
        }
        widest.0
    }
}

/// Moves the first `at` people along an axis to the front. If people with the same
/// quasi-identifiers fall on both sides, coins decide who is in front.
fn select<const K: usize>(
    people: &mut [OrderedPerson<K>],
    at: usize,
    axis: usize,
    coins: &mut dyn Coins,
) {
    if at == 0 || at == people.len() {
        return;
    }
    let (_, pivot, _) =
        people.select_nth_unstable_by_key(at, |person| (person.codes[axis], person.rank));
    let rank = pivot.rank;
    let (left, right) = people.split_at_mut(at);
    let first = gather(left, |person| person.rank != rank);
    let last = at + gather(right, |person| person.rank == rank);
    draw(&mut people[first..last], at - first, coins);
}

/// Moves the elements that belong to the front, and returns their number.
fn gather<P>(people: &mut [P], belongs: impl Fn(&P) -> bool) -> usize {
    let mut count = 0;
    for place in 0..people.len() {
        if belongs(&people[place]) {
            people.swap(place, count);
            count += 1;
        }
    }
    count
}
