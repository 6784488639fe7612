//! The first cuts of tables that are not in memory: from counts, until nodes fit into memory.

use super::node::{Attempts, Engine, Leaves, Room, draws, rows_aside};
use super::space::{self, HalvingSpace};
use crate::algorithm::Settings;
use crate::algorithm::chunks::{Chunk, Chunks, Grid, LotShare, rows_by_class};
use crate::coins::Coins;
use crate::model::{CountBuffer, Criteria};
use crate::table::{Groups, View};

impl Chunks {
    /// Cuts a table into chunks, as halving does: chunks are nodes, and their places are the
    /// strands. `rows` has the number of rows of each lot of the grid. People are ordered by region,
    /// and inside a region by coins. O(lots · log chunks), and one coin for each row of a region
    /// that a cut goes through.
    ///
    /// # Panics
    /// If the counts do not [fit](Grid::fits).
    pub fn cut(grid: &Grid, criteria: &[Criteria], rows: &[u32], coins: &mut dyn Coins) -> Self {
        assert!(grid.fits(rows), "a value has the table's rows");
        let (mut chunks, mut lots, mut places) = (Vec::new(), Vec::new(), 0);
        for (stratum, (least, criteria)) in grid.least_rows().zip(criteria).enumerate() {
            let by_value = grid.of_stratum(stratum, rows);
            let empty = by_value.iter().map(|lots| vec![Vec::new(); lots.len()]);
            let mut cutter = StratumCutter {
                stratum: stratum as u32,
                least,
                criteria,
                most_rows: grid.most_rows(),
                chunks: &mut chunks,
                places: &mut places,
                shares: empty.collect(),
                tally: CountBuffer::default(),
            };
            cutter.visit_table(strand(&by_value), coins);
            lots.extend(cutter.shares.into_iter().flatten());
        }
        Self::new(chunks, lots)
    }
}

impl Chunk {
    /// Returns the groups of the chunk's rows: continues where the first cuts ended, with classes as
    /// the node's strands. `class` has the [class](Chunk::class) of each row. The order of rows does
    /// not matter. O(n log n).
    ///
    /// # Panics
    /// Unless the chunk is [whole](Chunk::is_whole).
    pub fn groups(
        &self,
        view: &View,
        class: &[u32],
        criteria: &Criteria,
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Groups {
        let attempts = Attempts::new(settings, view);
        let strands = rows_by_class(self, class);
        if self.is_group {
            let mut groups = Groups::with_capacity(view.rows(), 1);
            groups.push(0..view.rows() as u32);
            return groups;
        }
        match view.known().len() {
            0..=4 => leaves_below::<4>(view, &strands, criteria, attempts, coins),
            5..=8 => leaves_below::<8>(view, &strands, criteria, attempts, coins),
            _ => leaves_below::<{ space::AXES }>(view, &strands, criteria, attempts, coins),
        }
    }
}

/// The leaves below a node of these strands.
fn leaves_below<const K: usize>(
    view: &View,
    strands: &[Vec<u32>],
    criteria: &Criteria,
    attempts: Attempts,
    coins: &mut dyn Coins,
) -> Groups {
    let space = HalvingSpace::<K>::new(view);
    let all = space.records(view);
    let mut records: Vec<_> = strands.iter().flatten().map(|&row| all[row as usize]).collect();
    let values = view.secret().values();
    let engine = Engine::new(&space, criteria, attempts, values);
    let mut leaves = Leaves::default();
    let room = &mut Room::new(criteria);
    match strands {
        // Nothing was refused above: a table by itself.
        [_] => engine.visit_table(&mut records, room, coins, &mut leaves),
        _ => engine.visit(&mut records, strands.len(), room, coins, &mut leaves),
    }
    leaves.groups(&records)
}

/// Rows that differ in nothing but their identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct AlikeRowLot {
    region: u32,
    value: u32,
    rows: u32,
}

/// Rows in the order of their regions.
type Strand = Vec<AlikeRowLot>;

/// The rows of values, each with a number of rows for every region, or with one number.
fn strand(by_value: &[&[u32]]) -> Strand {
    let regions = by_value.iter().map(|lots| lots.len()).max().unwrap_or(0);
    (0..regions)
        .flat_map(|region| {
            let rows = by_value.iter().map(move |lots| lots.get(region));
            (0..).zip(rows).map(move |(value, rows)| AlikeRowLot {
                region: region as u32,
                value,
                rows: rows.copied().unwrap_or(0),
            })
        })
        .filter(|lot| lot.rows > 0)
        .collect()
}

/// Cuts a single stratum.
struct StratumCutter<'a> {
    stratum: u32,
    /// The fewest rows that can be a chunk.
    least: u32,
    criteria: &'a Criteria,
    most_rows: u32,
    chunks: &'a mut Vec<Chunk>,
    /// Number of places.
    places: &'a mut u32,
    /// The shares of every lot, by value.
    shares: Vec<Vec<Vec<LotShare>>>,
    tally: CountBuffer,
}

impl StratumCutter<'_> {
    /// Cuts a table, on which the model holds, like [`Engine::visit_table`]: coins set some rows aside
    /// first.
    fn visit_table(&mut self, table: Strand, coins: &mut dyn Coins) {
        let rows = count(&table);
        let aside = rows_aside(rows as usize, self.least as usize) as u32;
        if aside > 0 && rows > self.most_rows.into() {
            for _ in 0..draws(rows as usize) {
                let [aside, kept] = parted(&table, (aside, rows as u32), coins);
                let held = [&kept, &aside].map(|part| self.holds(std::slice::from_ref(part)));
                if held == [true; 2] {
                    self.visit(vec![kept], coins);
                    self.visit_table(aside, coins);
                    return;
                }
            }
        }
        self.visit(vec![table], coins);
    }

    /// Cuts a node of strands, on which the model holds, until it is small enough.
    fn visit(&mut self, node: Vec<Strand>, coins: &mut dyn Coins) {
        let size = count(&node[0]);
        let rows = size * node.len() as u64;
        let can_be_cut = size >= 2 && size / 2 * node.len() as u64 >= self.least.into();
        if rows <= self.most_rows.into() || !can_be_cut {
            self.chunk(&node, false);
            return;
        }
        let [lower, upper] = halved(&node, coins);
        if self.holds(&lower) && self.holds(&upper) {
            self.visit(lower, coins);
            self.visit(upper, coins);
        } else if size.is_multiple_of(2) && node.len() < Attempts::default().strands {
            self.visit([lower, upper].concat(), coins);
        } else {
            self.chunk(&node, true);
        }
    }

    fn holds(&mut self, side: &[Strand]) -> bool {
        let mut counts = vec![0u32; self.shares.len()];
        for lot in side.iter().flatten() {
            counts[lot.value as usize] += lot.rows;
        }
        let entries = (0..).zip(counts);
        let counts = self.tally.of_entries(entries.filter(|&(_, rows)| rows > 0));
        self.criteria.hold_on_group(&counts)
    }

    /// Makes a chunk of these strands, each at its own place.
    fn chunk(&mut self, node: &[Strand], is_group: bool) {
        self.chunks.push(Chunk {
            stratum: self.stratum,
            classes: node.len() as u32,
            rows_each: count(&node[0]) as u32,
            first: *self.places,
            is_group,
        });
        for strand in node {
            let to = *self.places;
            for lot in strand {
                let shares = &mut self.shares[lot.value as usize][lot.region as usize];
                match shares.last_mut() {
                    Some(share) if share.to == to => share.rows += lot.rows,
                    _ => shares.push(LotShare { to, rows: lot.rows }),
                }
            }
            *self.places += 1;
        }
    }
}

/// Both halves of a node: every strand is cut in its middle. If strands have an odd number of rows,
/// one row of each, drawn by coins, is set aside, and all of these join the same half.
fn halved(node: &[Strand], coins: &mut dyn Coins) -> [Vec<Strand>; 2] {
    let size = count(&node[0]);
    let (mut halves, mut aside) = ([Vec::new(), Vec::new()], Vec::new());
    for strand in node {
        let mut strand = strand.clone();
        if size % 2 == 1 {
            aside.push(set_aside(&mut strand, coins));
        }
        let [lower, upper] = split(strand, size / 2, coins);
        halves[0].push(lower);
        halves[1].push(upper);
    }
    if !aside.is_empty() {
        let joined = &mut halves[coins.below(2) as usize];
        for (strand, lot) in joined.iter_mut().zip(aside) {
            let at = strand.partition_point(|own| own.region < lot.region);
            strand.insert(at, lot);
        }
    }
    halves
}

/// Takes a random row of a strand away.
fn set_aside(strand: &mut Strand, coins: &mut dyn Coins) -> AlikeRowLot {
    let mut drawn = coins.below(count(strand) as u32);
    for lot in strand {
        if drawn < lot.rows {
            lot.rows -= 1;
            return AlikeRowLot { rows: 1, ..*lot };
        }
        drawn -= lot.rows;
    }
    unreachable!("the row is one of the strand's")
}

/// The first `at` rows of a strand, and the others. If a region is in both, coins decide which of
/// its rows come first.
fn split(mut strand: Strand, at: u64, coins: &mut dyn Coins) -> [Strand; 2] {
    strand.retain(|lot| lot.rows > 0);
    let (mut lower, mut upper, mut left) = (Strand::new(), Strand::new(), at);
    for region in strand.chunk_by(|a, b| a.region == b.region) {
        let rows: u64 = region.iter().map(|lot| u64::from(lot.rows)).sum();
        match left {
            0 => upper.extend(region),
            _ if rows <= left => lower.extend(region),
            _ => {
                let [first, others] = parted(region, (left as u32, rows as u32), coins);
                lower.extend(first);
                upper.extend(others);
            }
        }
        left = left.saturating_sub(rows);
    }
    [lower, upper]
}

/// Splits a region's rows: a random choice of `first` rows, and the others. O(rows · log values).
fn parted(
    region: &[AlikeRowLot],
    (first, rows): (u32, u32),
    coins: &mut dyn Coins,
) -> [Vec<AlikeRowLot>; 2] {
    let drawn_are_first = first <= rows / 2;
    let mut left = RowsLeft::new(region);
    let mut drawn = vec![0; region.len()];
    for taken in 0..first.min(rows - first) {
        drawn[left.take(coins.below(rows - taken))] += 1;
    }
    let part = |is_drawn: bool| {
        region
            .iter()
            .zip(&drawn)
            .map(|(&lot, &drawn)| AlikeRowLot {
                rows: if is_drawn { drawn } else { lot.rows - drawn },
                ..lot
            })
            .filter(|lot| lot.rows > 0)
            .collect()
    };
    [part(drawn_are_first), part(!drawn_are_first)]
}

/// Rows of lots that are taken one by one: a tree of sums (P. M. Fenwick, 1994).
struct RowsLeft(Vec<u32>);

impl RowsLeft {
    fn new(lots: &[AlikeRowLot]) -> Self {
        let mut sums: Vec<u32> = lots.iter().map(|lot| lot.rows).collect();
        for at in 1..=sums.len() {
            let next = at + (at & at.wrapping_neg());
            if next <= sums.len() {
                sums[next - 1] += sums[at - 1];
            }
        }
        Self(sums)
    }

    /// Takes the row of this number among the rows that are left; returns its lot. O(log lots).
    fn take(&mut self, mut row: u32) -> usize {
        let mut lot = 0;
        let mut step = self.0.len().next_power_of_two();
        while step > 0 {
            // Lots up to `lot + step` lie before the row, or hold it.
            match self.0.get(lot + step - 1) {
                Some(&sum) if sum <= row => {
                    row -= sum;
                    lot += step;
                }
                Some(sum) => self.0[lot + step - 1] = sum - 1,
                None => {}
            }
            step /= 2;
        }
        lot
    }
}

fn count(strand: &Strand) -> u64 {
    strand.iter().map(|lot| u64::from(lot.rows)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coins::{SecretCoins, distribution};
    use crate::exact::fraction;

    fn lot(region: u32, value: u32, rows: u32) -> AlikeRowLot {
        AlikeRowLot { region, value, rows }
    }

    /// Every choice of a region's rows to come before the cut is equally likely.
    #[test]
    fn a_cut_through_a_region_is_one_of_rows_in_an_order_by_coins() {
        let strand = vec![lot(0, 1, 1), lot(1, 0, 3), lot(1, 1, 1), lot(2, 0, 2)];
        let found = distribution(1_000, |coins| Ok(split(strand.clone(), 3, coins))).unwrap();
        // Two of the four: three pairs with the rarer value, three without.
        for ones in [1, 0] {
            let mut lower = vec![lot(0, 1, 1), lot(1, 0, 2 - ones)];
            lower.extend((ones > 0).then_some(lot(1, 1, ones)));
            let mut upper = vec![lot(1, 0, 1 + ones)];
            upper.extend((ones == 0).then_some(lot(1, 1, 1)));
            upper.push(lot(2, 0, 2));
            assert_eq!(found.probability(&[lower, upper]), fraction(1, 2));
        }
    }

    /// Taking rows one by one takes each lot as often as it has rows.
    #[test]
    fn rows_that_are_taken_are_those_of_their_numbers() {
        for lots in 1..20 {
            let region: Vec<AlikeRowLot> = (0..lots).map(|at| lot(0, at, at * 7 % 4)).collect();
            let mut rows: Vec<usize> =
                (0..).zip(&region).flat_map(|(at, lot)| vec![at; lot.rows as usize]).collect();
            let mut left = RowsLeft::new(&region);
            while !rows.is_empty() {
                let number = rows.len() * 5 / 8;
                assert_eq!(left.take(number as u32), rows.remove(number), "of {lots} lots");
            }
        }
    }

    /// Each row of an odd number is equally likely to be set aside, and then joins either half.
    #[test]
    fn the_row_that_is_set_aside_is_any() {
        let node = [vec![lot(0, 0, 2), lot(3, 1, 1)]];
        let found = distribution(1_000, |coins| Ok(halved(&node, coins))).unwrap();
        let rows = |halves: &[Vec<Strand>; 2], value: u32| {
            halves[0][0].iter().filter(|lot| lot.value == value).map(|lot| lot.rows).sum::<u32>()
        };
        let mut chances = [fraction(0, 1), fraction(0, 1), fraction(0, 1)];
        for (halves, _) in found.outcomes() {
            let chance = &mut chances[rows(halves, 0) as usize];
            *chance = chance.clone() + found.probability(halves);
        }
        // The lower half has one or two rows. The last person is in it only if set aside and joined
        // to it.
        assert_eq!(chances, [fraction(0, 1), fraction(2, 3), fraction(1, 3)]);
    }

    #[test]
    fn every_strand_is_cut_in_its_middle() {
        let lots: Vec<AlikeRowLot> = (0..32).map(|region| lot(region, region / 16, 1)).collect();
        let [lower, upper] = halved(
            &[lots[..16].to_vec(), lots[16..].to_vec()],
            &mut SecretCoins::from_test_seed(1),
        );
        assert_eq!(lower, [lots[..8].to_vec(), lots[16..24].to_vec()]);
        assert_eq!(upper, [lots[8..16].to_vec(), lots[24..].to_vec()]);
    }
}
