//! Places the rows that are left over when fewer than l colours are incomplete (Table 7, lines
//! 10–11, in the reading of section 3.4).

use super::clusters::Clusters;
use super::fronts::Fronts;
use super::nearest::Nearest;
use crate::algorithm::streamliner::colours::Colours;
use openveil_core::model::RatioDiversity;
use std::cmp::Reverse;

/// Puts every incomplete row into a group: colour by colour, the colour with the most of them first
/// (ties: the smallest first row), in ascending order of weighted rank.
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
            let mut crowd = Crowd::new(clusters, &mut nearest, all, model);
            for &(rank, row) in &rows[placed..] {
                crowd.admit(rank, row);
            }
        }
    }
}

/// Appends rows of a colour to the nearest groups without it, as long as there are any; returns how
/// many were placed. Once no such group exists, none will arise later.
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

/// Groups that all have the colour of the rows still to be placed.
struct Crowd<'a, 'b> {
    clusters: &'a mut Clusters<'b>,
    nearest: &'a mut Nearest,
    model: RatioDiversity,
    /// The number of rows of the colour in each group.
    counts: Vec<u64>,
}

impl<'a, 'b> Crowd<'a, 'b> {
    fn new(
        clusters: &'a mut Clusters<'b>,
        nearest: &'a mut Nearest,
        colour: &[u32],
        model: RatioDiversity,
    ) -> Self {
        let is_open = clusters.are_standing();
        nearest.open_only(|group| is_open[group as usize]);
        let mut counts = vec![0; is_open.len()];
        for group in colour.iter().filter_map(|&row| clusters.home(row)) {
            counts[group as usize] += 1;
        }
        Self { clusters, nearest, model, counts }
    }

    /// Puts a row into the nearest group, which merges with the next nearest until the ratio holds,
    /// or until only one group is left. In that case, the left-overs still to come restore the
    /// ratio, since the whole table is eligible.
    ///
    /// The ratio held in each of the groups, so only the colour can violate it.
    fn admit(&mut self, rank: u64, row: u32) {
        let (mut count, mut size) = (1, 1);
        let mut home = None;
        while let Some(group) = self.nearest.find(self.clusters, rank) {
            self.nearest.close(group);
            count += self.counts[group as usize];
            size += u64::from(self.clusters.size(group));
            home = Some(match home {
                Some(home) => self.clusters.merge(home, group),
                None => group,
            });
            if self.model.allows(count, size) {
                break;
            }
        }
        let home = home.expect("an eligible table has a group before it has left-overs");
        self.clusters.append(home, row);
        self.counts[home as usize] = count;
        self.nearest.update(self.clusters, home);
        self.nearest.open(home);
    }
}
