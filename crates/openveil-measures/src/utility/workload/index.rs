//! A release indexed for many queries: gives the answers of a reader who has only the release.

use super::{AxisRange, Query};
use openveil_core::release::{Cells, Content};
use rayon::prelude::*;
use std::ops::Range;

/// Classes of a block: as many as fit into the cache while queries pass over them.
const BLOCK: usize = 256;

/// A release whose classes are in blocks of neighbours, so that a query visits only the blocks that
/// its ranges cut.
#[derive(Debug)]
pub struct Index<'a> {
    release: &'a Content,
    columns: Vec<Laid<'a>>,
    blocks: Vec<ClassBlock>,
}

/// Some classes that lie close together.
#[derive(Debug)]
struct ClassBlock {
    /// Their places in the index.
    places: Range<usize>,
    /// The least and the greatest code that they show, per column.
    hull: Vec<(u32, u32)>,
    /// Their sizes in rows, in the index' order.
    sizes: Vec<f64>,
    /// Value, place in the block and number of rows in its group, ascending.
    values: Vec<(u32, u32, u32)>,
    /// The share of its group that each class is.
    shares: Vec<f64>,
    /// The classes.
    classes: Vec<u32>,
}

/// The published cells of a column, in the order of the index.
#[derive(Debug)]
enum Laid<'a> {
    /// One range per class.
    Intervals(Vec<(u32, u32)>),
    /// Where each class's ranges end, and how many codes they hold.
    Spans { ends: Vec<(u32, u32)>, spans: Vec<(u32, u32)> },
    /// All rows, as in the release.
    Rows(&'a [u32]),
}

impl<'a> Index<'a> {
    /// Indexes a release. O(classes · columns · log classes), in parallel.
    pub fn new(release: &'a Content) -> Self {
        let group_of: Vec<u32> = release.all_classes().map(|(group, _)| group as u32).collect();
        let mut order: Vec<u32> = (0..release.class_count() as u32).collect();
        let hulls: Vec<Vec<(u32, u32)>> = release
            .cells()
            .par_iter()
            .map(|cells| (0..order.len()).map(|class| hull(release, cells, class)).collect())
            .collect();
        gather(&mut order, &hulls);
        let columns = release.cells().par_iter().map(|cells| lay(release, cells, &order));
        Self {
            release,
            columns: columns.collect(),
            blocks: order
                .par_chunks(BLOCK)
                .enumerate()
                .map(|(number, classes)| {
                    ClassBlock::new(release, (classes, &group_of), number * BLOCK, &hulls)
                })
                .collect(),
        }
    }

    /// A reader's estimate of how many people match a query. Rows of a group are spread evenly over
    /// the codes that its cells cover, with columns and sensitive values independent.
    ///
    /// O(blocks + groups of the blocks that a range cuts · axes).
    ///
    /// # Panics
    /// If the query names an axis that the release does not have.
    pub fn count(&self, query: &Query) -> f64 {
        let mut weights = [0.0; BLOCK];
        let mut total = 0.0;
        for block in &self.blocks {
            let relation = |range: &&AxisRange| !within(block.hull[range.axis], range);
            let is_apart = query.ranges.iter().any(|range| {
                let (low, high) = block.hull[range.axis];
                high < *range.codes.start() || low > *range.codes.end()
            });
            if is_apart {
                continue;
            }
            let cut: Vec<&AxisRange> = query.ranges.iter().filter(relation).collect();
            let weights = &mut weights[..block.classes.len()];
            block.weigh(query, weights);
            self.narrow(block, &cut, weights);
            total += weights.iter().sum::<f64>();
        }
        total
    }

    /// Multiplies the weights of a block's groups by the shares of their cells.
    fn narrow(&self, block: &ClassBlock, ranges: &[&AxisRange], weights: &mut [f64]) {
        let mut rows: Vec<(&[u32], &AxisRange)> = Vec::new();
        for range in ranges {
            let (from, to) = (*range.codes.start(), *range.codes.end());
            let overlap = |low: u32, high: u32| (high.min(to) + 1).saturating_sub(low.max(from));
            match &self.columns[range.axis] {
                Laid::Rows(codes) => rows.push((codes, range)),
                Laid::Intervals(bounds) => {
                    let bounds = &bounds[block.places.clone()];
                    for (weight, &(low, high)) in weights.iter_mut().zip(bounds) {
                        *weight *= f64::from(overlap(low, high)) / f64::from(high - low + 1);
                    }
                }
                Laid::Spans { ends, spans } => {
                    for (weight, place) in weights.iter_mut().zip(block.places.clone()) {
                        if *weight == 0.0 {
                            continue;
                        }
                        let (end, codes) = ends[place];
                        let start = place.checked_sub(1).map_or(0, |before| ends[before].0);
                        let spans = &spans[start as usize..end as usize];
                        let inside: u32 = spans.iter().map(|&(low, high)| overlap(low, high)).sum();
                        *weight *= f64::from(inside) / f64::from(codes);
                    }
                }
            }
        }
        if !rows.is_empty() {
            self.narrow_by_rows(block, &rows, weights);
        }
    }

    /// Exact columns are in intact rows, so the rows that match all ranges are counted.
    fn narrow_by_rows(
        &self,
        block: &ClassBlock,
        ranges: &[(&[u32], &AxisRange)],
        weights: &mut [f64],
    ) {
        for (weight, &class) in weights.iter_mut().zip(&block.classes) {
            if *weight > 0.0 {
                let rows = self.release.class_rows(class as usize);
                let size = rows.len() as f64;
                // Multiplies before dividing, so that whole numbers stay exact.
                *weight = *weight
                    * rows
                        .filter(|row| {
                            ranges.iter().all(|(codes, range)| range.codes.contains(&codes[*row]))
                        })
                        .count() as f64
                    / size;
            }
        }
    }
}

impl ClassBlock {
    fn new(
        release: &Content,
        (classes, group_of): (&[u32], &[u32]),
        start: usize,
        hulls: &[Vec<(u32, u32)>],
    ) -> Self {
        let of_column = |hulls: &Vec<(u32, u32)>| {
            classes
                .iter()
                .map(|&class| hulls[class as usize])
                .fold((u32::MAX, 0), |(low, high), hull| (low.min(hull.0), high.max(hull.1)))
        };
        let size = |&class: &u32| release.class_rows(class as usize).len() as f64;
        let group = |class: u32| group_of[class as usize] as usize;
        let mut values: Vec<(u32, u32, u32)> = (0..)
            .zip(classes)
            .flat_map(|(place, &class)| {
                let counts = release.value_counts(group(class));
                counts.map(move |(value, count)| (value, place, count))
            })
            .collect();
        values.sort_unstable();
        Self {
            places: start..start + classes.len(),
            hull: hulls.iter().map(of_column).collect(),
            sizes: classes.iter().map(size).collect(),
            values,
            shares: classes
                .iter()
                .map(|&class| release.class_share(group(class), class as usize))
                .collect(),
            classes: classes.to_vec(),
        }
    }

    /// The estimated number of rows of each class with one of the query's values.
    fn weigh(&self, query: &Query, weights: &mut [f64]) {
        let Some(asked) = &query.values else {
            weights.copy_from_slice(&self.sizes);
            return;
        };
        weights.fill(0.0);
        let first = self.values.partition_point(|entry| entry.0 < *asked.start());
        for &(_, place, count) in
            self.values[first..].iter().take_while(|entry| entry.0 <= *asked.end())
        {
            weights[place as usize] += f64::from(count) * self.shares[place as usize];
        }
    }
}

fn within((low, high): (u32, u32), range: &AxisRange) -> bool {
    *range.codes.start() <= low && high <= *range.codes.end()
}

/// The least and the greatest code that a class shows.
fn hull(release: &Content, cells: &Cells, class: usize) -> (u32, u32) {
    let spans = cells.spans(class, release.class_rows(class));
    spans.fold((u32::MAX, 0), |(low, high), span| (low.min(span.0), high.max(span.1)))
}

fn lay<'a>(release: &Content, cells: &'a Cells, order: &[u32]) -> Laid<'a> {
    match cells {
        Cells::Exact(codes) => Laid::Rows(codes),
        Cells::Intervals(bounds) => {
            Laid::Intervals(order.iter().map(|&class| bounds[class as usize]).collect())
        }
        Cells::Nodes { .. } | Cells::Sets { .. } | Cells::Sliced(_) => {
            let (mut ends, mut all) = (Vec::with_capacity(order.len()), Vec::new());
            for class in order.iter().map(|&class| class as usize) {
                let mut codes = 0;
                for (low, high) in cells.spans(class, release.class_rows(class)) {
                    codes += high - low + 1;
                    all.push((low, high));
                }
                ends.push((all.len() as u32, codes));
            }
            Laid::Spans { ends, spans: all }
        }
    }
}

/// Puts neighbours into the same blocks: repeatedly halves the groups at the middle of the column
/// on which they lie farthest apart.
fn gather(groups: &mut [u32], hulls: &[Vec<(u32, u32)>]) {
    if groups.len() <= BLOCK {
        return;
    }
    let centre = |column: usize, group: u32| {
        let (low, high) = hulls[column][group as usize];
        u64::from(low) + u64::from(high)
    };
    // Takes the first of equally wide columns.
    let Some(column) = (0..hulls.len()).rev().max_by_key(|&column| {
        let centres = groups.iter().map(|&group| centre(column, group));
        let (low, high) = centres.fold((u64::MAX, 0), |(l, h), c| (l.min(c), h.max(c)));
        high - low
    }) else {
        return;
    };
    let middle = (groups.len() / 2).div_ceil(BLOCK) * BLOCK;
    groups.select_nth_unstable_by_key(middle, |&group| (centre(column, group), group));
    let (lower, upper) = groups.split_at_mut(middle);
    rayon::join(|| gather(lower, hulls), || gather(upper, hulls));
}
