//! The divergence of a reader's estimated distribution from the true one.

use openveil_core::release::{Cells, Content, Spans};
use openveil_core::table::{Column, View};

/// At most this many points are compared one by one with the remaining boxes.
const FEW: usize = 8;

/// Number of points that justify a separate task.
const MANY: usize = 2_048;

/// The Kullback–Leibler divergence, in nats, between the joint distribution of quasi-identifiers
/// and sensitive value in the table and the one that a reader estimates from the release. The
/// reader spreads the rows of every group evenly over all combinations that its cells allow (for
/// sliced columns, as often as the group shows each value), independently of sensitive values. It
/// is 0 if the release discloses everything; less is more useful.
///
/// Boxes may overlap, so the estimate at a point is a sum over all boxes that contain it. Only
/// combinations that occur in the table are evaluated. Points and boxes are divided together, and a
/// box that covers all points of a part is counted once for them. O(columns · (n log n + pairs of a
/// box and a part that it meets without covering it)) time, in parallel; O(n) memory, and O(values)
/// per level of the division.
///
/// (l, α)-diversity paper, section 3.1, where equal tuples of a generalised table are one box. It
/// uses true values, so it is not for publication.
///
/// # Panics
/// If the release is not of this table.
pub fn kl_divergence(table: &View, release: &Content) -> f64 {
    let estimate = BoxEstimate::new(table, release);
    let mut points: Vec<u32> = (0..table.rows() as u32).collect();
    let boxes: Vec<u32> = (0..estimate.weights.len() as u32).collect();
    let covering = vec![0.0; table.secret().values()];
    estimate.sum(&mut points, &boxes, covering) / table.rows() as f64
}

/// The boxes of a release, and the points of the table.
struct BoxEstimate<'a> {
    columns: &'a [Column],
    values: &'a [u32],
    release: &'a Content,
    /// Least and greatest code of each box on each column, box by box.
    bounds: Vec<(u32, u32)>,
    /// The class that each box shows, and the group whose values are spread over it.
    classes: Vec<(u32, u32)>,
    /// The estimate of a box at each of its points, per row of a value in its group.
    weights: Vec<f64>,
}

impl<'a> BoxEstimate<'a> {
    /// One box per class; if quasi-identifiers are exact, one per row.
    fn new(table: &'a View, release: &'a Content) -> Self {
        let mut all = Self {
            columns: table.known(),
            values: table.secret().codes(),
            release,
            bounds: Vec::new(),
            classes: Vec::new(),
            weights: Vec::new(),
        };
        let by_row = release.cells().iter().any(|cells| matches!(cells, Cells::Exact(_)));
        for (group, class) in release.all_classes() {
            let rows = release.class_rows(class);
            let boxes = if by_row { rows.len() } else { 1 };
            let shared = (table.rows() * boxes) as f64 / release.class_share(group, class);
            for row in rows.take(boxes) {
                all.push((class, group), row, shared);
            }
        }
        all
    }

    fn push(&mut self, (class, group): (usize, usize), row: usize, shared: f64) {
        let mut area = 1.0;
        for cells in self.release.cells() {
            let (bounds, size) = match cells {
                Cells::Exact(codes) => ((codes[row], codes[row]), 1),
                _ => hull(cells.spans(class, self.release.class_rows(class))),
            };
            area *= f64::from(size);
            self.bounds.push(bounds);
        }
        self.classes.push((class as u32, group as u32));
        self.weights.push(1.0 / (shared * area));
    }

    /// The sum of ln(true / estimated share) over some rows of the table. `boxes` may contain some
    /// of these rows; `covering` is the sum, by value, of the boxes that contain all of them.
    fn sum(&self, points: &mut [u32], boxes: &[u32], mut covering: Vec<f64>) -> f64 {
        let hull = self.hull(points);
        let mut left = Vec::new();
        for &at in boxes {
            match self.position(at, &hull) {
                Position::Apart => {}
                Position::Covers(times) => self.add(at, times, &mut covering),
                Position::Meets => left.push(at),
            }
        }
        let widest = (0..hull.len()).max_by_key(|&column| hull[column].1 - hull[column].0);
        let Some(column) = widest.filter(|_| !left.is_empty() && points.len() > FEW) else {
            return self.sum_of_few(points, &left, &covering);
        };
        let codes = self.columns[column].codes();
        let code = |row: u32| codes[row as usize];
        let middle = points.len() / 2;
        let (_, &mut median, _) = points.select_nth_unstable_by_key(middle, |&row| code(row));
        let median = code(median);
        // Never the greatest code, so that the upper part is not empty.
        let border = median.min(hull[column].1 - 1);
        let lower = partition(points, |row| code(row) <= border);
        let (lower, upper) = points.split_at_mut(lower);
        let copy = covering.clone();
        if lower.len() + upper.len() < MANY {
            return self.sum(lower, &left, copy) + self.sum(upper, &left, covering);
        }
        let (lower, upper) =
            rayon::join(|| self.sum(lower, &left, copy), || self.sum(upper, &left, covering));
        lower + upper
    }

    /// The least and greatest code of some points on each column.
    fn hull(&self, points: &[u32]) -> Vec<(u32, u32)> {
        self.columns
            .iter()
            .map(|column| {
                points.iter().fold((u32::MAX, 0), |(low, high), &row| {
                    let code = column.codes()[row as usize];
                    (low.min(code), high.max(code))
                })
            })
            .collect()
    }

    fn position(&self, at: u32, hull: &[(u32, u32)]) -> Position {
        let start = at as usize * hull.len();
        let bounds = &self.bounds[start..start + hull.len()];
        let class = self.classes[at as usize].0 as usize;
        let (mut covers, mut times) = (true, 1.0);
        for ((&(low, high), &(from, to)), cells) in
            bounds.iter().zip(hull).zip(self.release.cells())
        {
            if high < from || to < low {
                return Position::Apart;
            }
            covers &= low <= from && to <= high;
            if let Cells::Intervals(_) | Cells::Exact(_) = cells {
                continue;
            }
            let spans = cells.spans(class, self.release.class_rows(class));
            let overlap =
                |(low, high): (u32, u32)| (high.min(to) + 1).saturating_sub(low.max(from));
            let inside: u32 = spans.map(overlap).sum();
            if inside == 0 {
                return Position::Apart;
            }
            if let Cells::Sliced(_) = cells {
                // The box may show one value more often than another.
                covers &= from == to;
                times *= f64::from(inside);
            } else {
                covers &= inside == to - from + 1;
            }
        }
        if covers { Position::Covers(times) } else { Position::Meets }
    }

    fn add(&self, at: u32, times: f64, estimates: &mut [f64]) {
        let weight = self.weights[at as usize] * times;
        let counts = self.release.value_counts(self.classes[at as usize].1 as usize);
        counts.for_each(|(value, count)| estimates[value as usize] += weight * f64::from(count));
    }

    /// Like [`BoxEstimate::sum`], but compares every combination with every box.
    fn sum_of_few(&self, points: &mut [u32], boxes: &[u32], covering: &[f64]) -> f64 {
        let compare = |&a: &u32, &b: &u32| {
            let (a, b) = (a as usize, b as usize);
            self.columns
                .iter()
                .map(|column| {
                    let codes = column.codes();
                    codes[a].cmp(&codes[b])
                })
                .find(|order| order.is_ne())
                .unwrap_or_else(|| self.values[a].cmp(&self.values[b]))
        };
        points.sort_unstable_by(compare);
        let mut sum = 0.0;
        for same in points.chunk_by(|a, b| compare(a, b).is_eq()) {
            let value = self.values[same[0] as usize];
            let mut estimate = covering[value as usize];
            if !boxes.is_empty() {
                let hull = self.hull(&same[..1]);
                let shares = boxes.iter().map(|&at| match self.position(at, &hull) {
                    Position::Covers(times) => times * self.at_value(at, value),
                    Position::Apart | Position::Meets => 0.0,
                });
                estimate += shares.sum::<f64>();
            }
            let share = same.len() as f64 / self.values.len() as f64;
            sum += same.len() as f64 * (share / estimate).ln();
        }
        sum
    }

    /// The amount that a box adds to the estimate of a value at its points.
    fn at_value(&self, at: u32, value: u32) -> f64 {
        let values = self.release.values(self.classes[at as usize].1 as usize);
        let first = values.partition_point(|&other| other < value);
        let count = values[first..].partition_point(|&other| other == value);
        self.weights[at as usize] * count as f64
    }
}

/// The position of a box relative to some points.
enum Position {
    /// It contains none of them.
    Apart,
    /// It contains all of them, each this many times.
    Covers(f64),
    /// It may contain some; this does not occur for a single point.
    Meets,
}

/// The least and the greatest of some codes, and how many there are.
fn hull(spans: Spans<'_>) -> ((u32, u32), u32) {
    spans.fold(((u32::MAX, 0), 0), |((least, greatest), all), (low, high)| {
        ((least.min(low), greatest.max(high)), all + (high - low + 1))
    })
}

/// Moves the points with a property to the front and returns their number.
fn partition(points: &mut [u32], has: impl Fn(u32) -> bool) -> usize {
    let mut first = 0;
    for at in 0..points.len() {
        if has(points[at]) {
            points.swap(at, first);
            first += 1;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::hierarchy::{Hierarchy, intervals};
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Domain, Groups, Secret};
    use proptest::prelude::*;

    /// A tree column, an integer column and a set column, over up to 60 rows in up to six groups.
    fn scene() -> impl Strategy<Value = (View, Groups)> {
        let row = (prop::array::uniform3(0u32..6), 0u32..3, 0u32..6);
        prop::collection::vec(row, 1..60).prop_map(|rows| {
            let column = |index: usize, domain| {
                let codes = rows.iter().map(|row| row.0[index]).collect();
                Column::new("q", codes, domain)
            };
            let tree = Hierarchy::from_paths(intervals(&[0, 1, 2, 3, 4, 5], &[2])).unwrap();
            let columns = vec![
                column(0, Domain::tree(tree)),
                column(1, Domain::integers(0..6)),
                column(2, Domain::unordered(["a", "b", "c", "d", "e", "f"])),
            ];
            let values = rows.iter().map(|row| row.1).collect();
            let table = View::new(columns, Secret::new("s", values, ["x", "y", "z"]));
            let mut lists = vec![Vec::new(); 6];
            (0..).zip(&rows).for_each(|(row, r)| lists[r.2 as usize].push(row));
            (table.unwrap(), lists.into_iter().collect())
        })
    }

    /// The definition, combination by combination and group by group.
    fn naive(table: &View, release: &Content) -> f64 {
        let rows = table.rows();
        let code = |column: usize, row: usize| table.known()[column].codes()[row];
        let value = |row: usize| table.secret().codes()[row];
        let same = |a: usize, b: usize| {
            value(a) == value(b) && (0..3).all(|column| code(column, a) == code(column, b))
        };
        let estimate = |row: usize| -> f64 {
            let of_group = |group: usize| {
                let values = release.values(group);
                let count = values.iter().filter(|&&other| other == value(row)).count();
                let size = values.len() as f64;
                let one_row = |released: usize| -> f64 {
                    let share = |(column, cells): (usize, &Cells)| {
                        let code = code(column, row);
                        let members: Vec<u32> = match cells {
                            Cells::Intervals(bounds) => {
                                (bounds[group].0..=bounds[group].1).collect()
                            }
                            Cells::Nodes { .. } => cells
                                .nodes(group)
                                .iter()
                                .flat_map(|node| node.0.0..=node.0.1)
                                .collect(),
                            Cells::Sets { .. } => cells.members(group).to_vec(),
                            Cells::Exact(codes) => vec![codes[released]],
                            Cells::Sliced(codes) => codes[release.group_rows(group)].to_vec(),
                        };
                        members.iter().filter(|&&member| member == code).count() as f64
                            / members.len() as f64
                    };
                    release.cells().iter().enumerate().map(share).product()
                };
                release.group_rows(group).map(one_row).sum::<f64>() * count as f64 / size
            };
            (0..release.group_count()).map(of_group).sum::<f64>() / rows as f64
        };
        (0..rows)
            .map(|row| {
                let share =
                    (0..rows).filter(|&other| same(row, other)).count() as f64 / rows as f64;
                (share / estimate(row)).ln() / rows as f64
            })
            .sum()
    }

    proptest! {
        #[test]
        fn dividing_is_the_definition((table, groups) in scene(), style in 0usize..3) {
            let style = Style::ALL[style];
            let (release, _) = publish(&table, &groups, style);
            let (found, expected) = (kl_divergence(&table, &release), naive(&table, &release));
            prop_assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            prop_assert!(found > -1e-9);
        }
    }

    #[test]
    fn everything_given_away_is_no_divergence() {
        let age = Column::new("age", vec![0, 1, 1], Domain::integers([20, 30]));
        let ill = Secret::new("ill", vec![0, 1, 1], ["flu", "cold"]);
        let table = View::new(vec![age], ill).unwrap();
        let of = |lists: &[&[u32]]| {
            let groups: Groups = lists.iter().map(|list| list.to_vec()).collect();
            kl_divergence(&table, &publish(&table, &groups, Style::Generalize).0)
        };
        assert!(of(&[&[0], &[1, 2]]).abs() < 1e-12);
        // One box of two ages: flu at 20 is 1/3, estimated 1/6; cold at 30 is 2/3,
        // estimated 1/3.
        assert!((of(&[&[0, 1, 2]]) - 2f64.ln()).abs() < 1e-12);
    }
}
