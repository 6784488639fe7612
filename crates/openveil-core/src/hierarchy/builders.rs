//! Builds trees by rule instead of by hand: each function returns one path per value, for
//! [`Hierarchy::from_paths`](super::Hierarchy::from_paths).

use super::ROOT;

/// Intervals of growing width over integers: `17` → `[15, 19]` → `[10, 19]` → `*`.
///
/// `values` must be ascending. Each of `widths` must divide the next, so that intervals nest.
/// Intervals start at multiples of their width.
///
/// # Panics
/// If a width is below 1 or does not divide the next.
pub fn intervals(values: &[i64], widths: &[i64]) -> Vec<Vec<String>> {
    assert!(widths.iter().all(|&width| width >= 1), "widths are at least 1");
    assert!(widths.windows(2).all(|pair| pair[1] % pair[0] == 0), "every width divides the next");
    values
        .iter()
        .map(|&value| {
            let above = widths.iter().map(|&width| {
                // Computed in a wider type, because values may lie at the ends of theirs.
                let width = i128::from(width);
                let low = i128::from(value).div_euclid(width) * width;
                match width {
                    1 => value.to_string(),
                    _ => format!("[{low}, {}]", low + width - 1),
                }
            });
            path(value.to_string(), above)
        })
        .collect()
}

/// A level to which dates are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateLevel {
    /// `YYYY-MM`
    Month,
    /// `YYYY`
    Year,
}

/// Dates in ISO form cut to month, then year: `2020-03-14` → `2020-03` → `2020` → `*`. Values must
/// be `YYYY-MM-DD`, ascending; `levels` lists the levels to use.
pub fn dates<L: AsRef<str>>(values: &[L], levels: &[DateLevel]) -> Vec<Vec<String>> {
    let mut levels = levels.to_vec();
    levels.sort_unstable();
    levels.dedup();
    values
        .iter()
        .map(|value| {
            let value = value.as_ref();
            // Cuts at the hyphens, because years may have a sign or more than four digits.
            let above = levels.iter().filter_map(|level| match level {
                DateLevel::Month => value.rsplit_once('-').map(|(month, _)| month),
                DateLevel::Year => value.rsplitn(3, '-').nth(2),
            });
            path(value.to_owned(), above.map(str::to_owned))
        })
        .collect()
}

/// Codes cut to shorter and shorter prefixes: with `keep = [3, 2]`, `90210` → `902*` → `90*` → `*`.
/// Lengths are in characters.
pub fn prefixes<L: AsRef<str>>(values: &[L], keep: &[usize]) -> Vec<Vec<String>> {
    let mut keep = keep.to_vec();
    keep.sort_unstable_by(|a, b| b.cmp(a));
    keep.retain(|&length| length > 0);
    values
        .iter()
        .map(|value| {
            let value = value.as_ref();
            let above = keep
                .iter()
                .filter(|&&length| length < value.chars().count())
                .map(|&length| value.chars().take(length).chain(['*']).collect());
            path(value.to_owned(), above)
        })
        .collect()
}

fn path(value: String, above: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once(value).chain(above).chain([ROOT.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Hierarchy;
    use super::*;

    fn common(tree: &Hierarchy, low: u32, high: u32) -> &str {
        tree.label(tree.common_ancestor(low, high))
    }

    #[test]
    fn intervals_nest() {
        let tree = Hierarchy::from_paths(intervals(&[-1, 3, 4, 5, 12], &[5, 10])).unwrap();
        assert_eq!(common(&tree, 1, 2), "[0, 4]");
        assert_eq!(common(&tree, 1, 3), "[0, 9]");
        assert_eq!(common(&tree, 0, 1), "*");
        assert_eq!(common(&tree, 0, 0), "-1");
    }

    #[test]
    fn dates_are_truncated() {
        let tree = Hierarchy::from_paths(dates(
            &["2020-03-01", "2020-03-14", "2020-11-02", "2021-01-01"],
            &[DateLevel::Year, DateLevel::Month],
        ))
        .unwrap();
        assert_eq!(common(&tree, 0, 1), "2020-03");
        assert_eq!(common(&tree, 0, 2), "2020");
        assert_eq!(common(&tree, 0, 3), "*");
    }

    #[test]
    fn codes_are_masked() {
        let tree = Hierarchy::from_paths(prefixes(&["90210", "90250", "91000"], &[2, 3])).unwrap();
        assert_eq!(common(&tree, 0, 1), "902*");
        assert_eq!(common(&tree, 0, 2), "*");
        let zip = Hierarchy::from_paths(prefixes(&["90210", "90999"], &[2, 3])).unwrap();
        assert_eq!(common(&zip, 0, 1), "90*");
    }

    #[test]
    fn codes_of_several_lengths_and_extreme_numbers_have_trees() {
        let codes = Hierarchy::from_paths(prefixes(&["9", "90", "902", "9021"], &[3, 2])).unwrap();
        assert_eq!(common(&codes, 2, 3), "90*");
        let ends = [i64::MIN, i64::MAX];
        let numbers = Hierarchy::from_paths(intervals(&ends, &[1_000])).unwrap();
        assert_eq!(numbers.label(1), "[-9223372036854776000, -9223372036854775001]");
    }
}
