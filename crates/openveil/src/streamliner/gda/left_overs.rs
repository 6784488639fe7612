//! Where the rows go that are left over when fewer than l colours are
//! incomplete (Table 7, lines 10–11, as section 3.4 reads them).

use super::clusters::Clusters;
use super::fronts::Fronts;
use super::nearest::Nearest;
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
    if waiting.is_empty() {
        return;
    }
    waiting.sort_unstable();
    let mut nearest = Nearest::new(clusters);
    for (_, _, colour) in waiting {
        let rows = fronts.remaining(colour);
        let all = colours.get(colour as usize);
        let placed = place_compatibly(clusters, &mut nearest, all, rows);
        if placed < rows.len() {
            let mut crowd = Crowd::new(clusters, &mut nearest, colours, model);
            for &(rank, row) in &rows[placed..] {
                crowd.admit(rank, row);
            }
        }
    }
}

/// Appends rows of a colour to the nearest groups without it, as long as there
/// are any; returns how many were placed. Once there is none, none will come.
fn place_compatibly(
    clusters: &mut Clusters<'_>,
    nearest: &mut Nearest,
    colour: &[u32],
    rows: &[(u64, u32)],
) -> usize {
    let mut is_open = clusters.are_standing();
    for group in colour.iter().filter_map(|&row| clusters.home(row)) {
        is_open[group as usize] = false;
    }
    nearest.open_only(|group| is_open[group as usize]);
    for (placed, &(rank, row)) in rows.iter().enumerate() {
        let Some(group) = nearest.find(clusters, rank) else {
            return placed;
        };
        nearest.close(group);
        clusters.append(group, row);
        nearest.update(clusters, group);
    }
    rows.len()
}

/// Groups all of which have the colour of the rows still to be placed.
struct Crowd<'a, 'b> {
    clusters: &'a mut Clusters<'b>,
    nearest: &'a mut Nearest,
    colours: &'a Colours,
    model: RatioDiversity,
    tally: Tally,
}

impl<'a, 'b> Crowd<'a, 'b> {
    fn new(
        clusters: &'a mut Clusters<'b>,
        nearest: &'a mut Nearest,
        colours: &'a Colours,
        model: RatioDiversity,
    ) -> Self {
        let is_open = clusters.are_standing();
        nearest.open_only(|group| is_open[group as usize]);
        Self {
            clusters,
            nearest,
            colours,
            model,
            tally: Tally::new(colours.len()),
        }
    }

    /// Puts a row into the nearest group, which merges with the next nearest
    /// until the ratio holds, or until there is but one group: the left-overs
    /// still to come then make up for it, since the whole table is eligible.
    fn admit(&mut self, rank: u64, row: u32) {
        self.tally.clear();
        self.tally.add(self.colours.colour_of(row));
        let mut home = None;
        while let Some(group) = self.nearest.find(self.clusters, rank) {
            self.nearest.close(group);
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
        self.nearest.update(self.clusters, home);
        self.nearest.open(home);
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
