//! Measures the width of published cells.

use openveil_core::release::{Cells, Content};
use openveil_core::table::View;

/// How much of a column's domain a row's published cell spans on average.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnExtent {
    /// The quasi-identifier.
    pub column: String,
    /// Between 0 (every cell is one value) and 1 (every cell is the domain).
    pub mean: f64,
}

/// The mean extent of each quasi-identifier, over all rows: the number of steps that a row's cell
/// spans, as a share of the domain's steps. An interval spans the steps from its least to its
/// greatest value. Nodes of a tree span the number of leaves under them minus one, and a set spans
/// its number of members minus one. Exact and sliced cells and domains of one value count 0.
///
/// Only names and domains of the table are read, so the result may be published. O(classes ·
/// columns).
pub fn mean_extents(release: &Content, table: &View) -> Vec<ColumnExtent> {
    extents(&spanned_steps(release), release.rows() as u64, table)
}

/// Like [`mean_extents`], but from the steps that the cells of `rows` rows span.
pub(super) fn extents(steps: &[u64], rows: u64, table: &View) -> Vec<ColumnExtent> {
    table
        .known()
        .iter()
        .zip(steps)
        .map(|(column, &steps)| {
            let full = u64::from(column.domain().full_extent().max(1));
            ColumnExtent {
                column: column.name().to_owned(),
                mean: steps as f64 / (rows as f64 * full as f64),
            }
        })
        .collect()
}

/// For each quasi-identifier, the steps of the domain that cells span, over all rows.
pub(crate) fn spanned_steps(release: &Content) -> Vec<u64> {
    let classes = 0..release.class_count();
    let of_class = |cells, class| steps(cells, class) * release.class_rows(class).len() as u64;
    // At most rows · domain, both below 2^32.
    release
        .cells()
        .iter()
        .map(|cells| classes.clone().map(|class| of_class(cells, class)).sum())
        .collect()
}

/// Steps of the domain that a class's cell spans.
fn steps(cells: &Cells, class: usize) -> u64 {
    match cells {
        Cells::Intervals(bounds) => u64::from(bounds[class].1 - bounds[class].0),
        Cells::Nodes { .. } => {
            let leaves = cells.nodes(class).iter().map(|&((first, last), _)| last - first + 1);
            u64::from(leaves.sum::<u32>()) - 1
        }
        Cells::Sets { .. } => cells.members(class).len() as u64 - 1,
        Cells::Exact(_) | Cells::Sliced(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::hierarchy::{Hierarchy, intervals};
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Column, Domain, Groups, Secret};

    fn table() -> View {
        let tree = Hierarchy::from_paths(intervals(&[20, 23, 31, 38, 44], &[10])).unwrap();
        let codes = vec![0, 1, 1, 2, 4];
        let columns = vec![
            Column::new("age", codes.clone(), Domain::integers([20, 23, 31, 38, 44])),
            Column::new("decade", codes.clone(), Domain::tree(tree)),
            Column::new("town", codes, Domain::unordered(["a", "b", "c", "d", "e"])),
            Column::new("planet", vec![0; 5], Domain::ordered(["earth"])),
        ];
        let values = Secret::new("ill", vec![0, 1, 0, 1, 0], ["flu", "cold"]);
        View::new(columns, values).unwrap()
    }

    fn means(style: Style) -> Vec<f64> {
        let groups: Groups = [vec![0, 1], vec![2, 3, 4]].into_iter().collect();
        let (release, _) = publish(&table(), &groups, style);
        let extents = mean_extents(&release, &table());
        assert_eq!(extents[1].column, "decade");
        extents.iter().map(|extent| extent.mean).collect()
    }

    #[test]
    fn every_kind_of_cell_is_measured_in_shares_of_its_domain() {
        // Two rows have a cell of one step of four, and three rows a cell of one step of three (for
        // three nodes of one leaf each, two steps; for three members, two steps).
        let expected = [
            (2.0 * 1.0 + 3.0 * 3.0) / 20.0,
            (2.0 * 1.0 + 3.0 * 2.0) / 20.0,
            (2.0 * 1.0 + 3.0 * 2.0) / 20.0,
            0.0,
        ];
        assert_eq!(means(Style::Generalize), expected);
        assert_eq!(means(Style::Anatomy), [0.0; 4]);
    }
}
