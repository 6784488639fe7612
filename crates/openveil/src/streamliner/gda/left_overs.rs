//! Where the rows go that are left over when fewer than l colours are
//! incomplete (Table 7, lines 10–11, as section 3.4 reads them).

use super::clusters::Clusters;
use super::fronts::Fronts;
use super::nearest::{Found, Nearest};
use crate::privacy::RatioDiversity;
use crate::streamliner::colours::Colours;
use std::cmp::Reverse;

/// Puts every incomplete row into a group: colour by colour, the one with the
/// most of them first (ties: the smallest first row), in ascending order of
/// weighted rank.
pub(super) fn place(
    clusters: &mut Clusters<'_>,
    fronts: &Fronts<'_>,
    colours: &Colours,
    model: RatioDiversity,
) {
    let mut waiting: Vec<(Reverse<u32>, u32, u32)> = (0..colours.len() as u32)
        .filter_map(|colour| {
            let (count, row) = fronts.priority(colour)?;
            Some((Reverse(count), row, colour))
        })
        .collect();
    waiting.sort_unstable();
    for (_, _, colour) in waiting {
        let rows = fronts.remaining(colour);
        let placed = place_compatibly(clusters, colours.get(colour as usize), rows);
        if placed < rows.len() {
            let mut crowd = Crowd::new(clusters, colours, model);
            for &(rank, row) in &rows[placed..] {
                crowd.admit(rank, row);
            }
        }
    }
}

/// Appends rows of a colour to the nearest groups without it, as long as there
/// are any; returns how many were placed. Once there is none, none will come.
///
/// A group that takes a row has the colour from then on, so the averages of
/// those that can still be chosen do not change.
fn place_compatibly(clusters: &mut Clusters<'_>, colour: &[u32], rows: &[(u64, u32)]) -> usize {
    let mut taken: Vec<u32> = colour
        .iter()
        .filter_map(|&row| clusters.home(row))
        .collect();
    taken.sort_unstable();
    let without = |group: &u32| taken.binary_search(group).is_err();
    let mut compatible = Nearest::new(clusters, clusters.standing().filter(without));
    for (placed, &(rank, row)) in rows.iter().enumerate() {
        let Some(found) = compatible.find(clusters, rank) else {
            return placed;
        };
        clusters.append(found.group, row);
        compatible.take_out(found.leaf);
    }
    rows.len()
}

/// Groups all of which have the colour of the rows still to be placed.
struct Crowd<'a, 'b> {
    clusters: &'a mut Clusters<'b>,
    colours: &'a Colours,
    model: RatioDiversity,
    /// Groups that have not changed since the tree was made.
    unchanged: Nearest,
    /// Groups that have.
    changed: Vec<u32>,
    tally: Tally,
}

impl<'a, 'b> Crowd<'a, 'b> {
    fn new(clusters: &'a mut Clusters<'b>, colours: &'a Colours, model: RatioDiversity) -> Self {
        Self {
            unchanged: Nearest::new(clusters, clusters.standing()),
            changed: Vec::new(),
            tally: Tally::new(colours.len()),
            clusters,
            colours,
            model,
        }
    }

    /// Puts a row into the nearest group, which merges with the next nearest
    /// until the ratio holds, or until there is but one group: the left-overs
    /// still to come then make up for it, since the whole table is eligible.
    fn admit(&mut self, rank: u64, row: u32) {
        self.tally.clear();
        self.tally.add(self.colours.colour_of(row));
        let mut home = None;
        while let Some(group) = self.take_nearest(rank) {
            for member in self.clusters.rows(group) {
                self.tally.add(self.colours.colour_of(member));
            }
            home = Some(match home {
                Some(home) => self.clusters.merge(home, group),
                None => group,
            });
            if self.model.allows(self.tally.largest, self.tally.size) {
                break;
            }
        }
        let home = home.expect("an eligible table has a group before it has left-overs");
        self.clusters.append(home, row);
        self.changed.push(home);
        if self.changed.len() > self.unchanged.len().isqrt().max(8) {
            self.unchanged = Nearest::new(self.clusters, self.clusters.standing());
            self.changed.clear();
        }
    }

    /// Takes out the group with the least average distance to a rank.
    fn take_nearest(&mut self, rank: u64) -> Option<u32> {
        let unchanged = self.unchanged.find(self.clusters, rank);
        let changed = (0..self.changed.len())
            .map(|place| (self.clusters.distance(self.changed[place], rank), place))
            .min_by_key(|&(distance, place)| (distance, self.changed[place]));
        match (unchanged, changed) {
            (Some(found), Some((distance, place)))
                if (distance, self.changed[place]) < found.key() =>
            {
                Some(self.changed.swap_remove(place))
            }
            (Some(Found { group, leaf, .. }), _) => {
                self.unchanged.take_out(leaf);
                Some(group)
            }
            (None, Some((_, place))) => Some(self.changed.swap_remove(place)),
            (None, None) => None,
        }
    }
}

/// Counts colours in a group that is being put together.
struct Tally {
    counts: Vec<u64>,
    seen: Vec<u32>,
    largest: u64,
    size: u64,
}

impl Tally {
    fn new(colours: usize) -> Self {
        Self {
            counts: vec![0; colours],
            seen: Vec::new(),
            largest: 0,
            size: 0,
        }
    }

    fn add(&mut self, colour: u32) {
        let count = &mut self.counts[colour as usize];
        if *count == 0 {
            self.seen.push(colour);
        }
        *count += 1;
        self.largest = self.largest.max(*count);
        self.size += 1;
    }

    fn clear(&mut self) {
        for colour in self.seen.drain(..) {
            self.counts[colour as usize] = 0;
        }
        (self.largest, self.size) = (0, 0);
    }
}
