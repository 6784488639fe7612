//! Measures of group sizes alone.

use openveil_core::release::Content;

/// The discernability metric (DM): every row costs the size of its group, so
/// the sum of squared group sizes. Lower is better. O(groups).
///
/// Bayardo and Agrawal; used in the Privacy Streamliner paper, section 4.2.
pub fn discernability(release: &Content) -> u64 {
    // There are fewer than 2^32 rows, so the square of their number fits.
    release.group_sizes().map(|size| u64::from(size).pow(2)).sum()
}

/// The least DM of `rows` rows in groups of at least `l`: q = ⌊rows/l⌋ groups
/// of ⌊rows/q⌋ or ⌈rows/q⌉ rows. Fewer than `l` rows count as one group. O(1).
///
/// # Panics
/// If `l` is 0.
pub fn least_discernability(rows: u32, l: u32) -> u64 {
    let rows = u64::from(rows);
    let groups = (rows / u64::from(l)).max(1);
    let (size, longer) = (rows / groups, rows % groups);
    (groups - longer) * size.pow(2) + longer * (size + 1).pow(2)
}

/// The normalised average group size (CAVG): rows per group, divided by `l`. It is at least 1 if
/// every group has at least `l` rows; lower is better. O(1).
///
/// LeFevre, DeWitt and Ramakrishnan, *Mondrian multidimensional k-anonymity*.
pub fn normalized_average_size(rows: u64, groups: u64, l: u32) -> f64 {
    rows as f64 / groups as f64 / f64::from(l)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Groups, Secret, View};
    use proptest::prelude::*;

    fn release(sizes: &[u32]) -> Content {
        let mut rows = 0..sizes.iter().sum::<u32>();
        let groups: Groups = sizes
            .iter()
            .map(|&size| rows.by_ref().take(size as usize).collect::<Vec<_>>())
            .collect();
        let values = Secret::new("value", vec![0; groups.row_count()], ["any"]);
        let table = View::new(Vec::new(), values).unwrap();
        publish(&table, &groups, Style::Generalize).0
    }

    #[test]
    fn adult_has_the_optimum_of_the_design() {
        assert_eq!(least_discernability(45_222, 4), 180_898);
        assert_eq!(least_discernability(45_222, 6), 271_332);
    }

    #[test]
    fn the_histogram_on_which_rda_misses_the_optimum() {
        assert_eq!(discernability(&release(&[3, 5])), 34);
        assert_eq!(discernability(&release(&[4, 4])), 32);
        assert_eq!(least_discernability(8, 3), 32);
    }

    #[test]
    fn the_average_size_is_counted_in_l() {
        assert_eq!(normalized_average_size(8, 2, 2), 2.0);
        assert_eq!(normalized_average_size(6, 2, 3), 1.0);
    }

    #[test]
    fn the_largest_table_does_not_overflow() {
        let rows = u32::MAX - 1;
        assert_eq!(least_discernability(rows, rows), u64::from(rows).pow(2));
        assert_eq!(least_discernability(3, 5), 9);
    }

    proptest! {
        #[test]
        fn no_partition_beats_the_optimum(
            sizes in prop::collection::vec(2u32..9, 1..12),
        ) {
            let release = release(&sizes);
            let (rows, l) = (sizes.iter().sum(), *sizes.iter().min().unwrap());
            prop_assert!(discernability(&release) >= least_discernability(rows, l));
        }
    }
}
