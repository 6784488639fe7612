//! A table's codes row by row.

use rayon::prelude::*;

/// The fewest rows that one thread packs.
const FEWEST: usize = 1 << 14;

/// The codes of some columns. Rows that fit into a number are stored as numbers: to fetch a row from
/// a large table then takes one access to memory, not one for each column.
pub(super) struct PackedRows<'a> {
    columns: Vec<&'a [u32]>,
    /// The number of bits of each column's codes.
    widths: Vec<u32>,
    rows: Rows,
}

/// Rows in as few bytes as they need.
enum Rows {
    Halves(Vec<u32>),
    Wholes(Vec<u64>),
    /// They do not fit.
    Apart,
}

impl<'a> PackedRows<'a> {
    /// Packs columns, each given with its number of codes. O(rows · columns).
    pub(super) fn new(columns: impl IntoIterator<Item = (&'a [u32], usize)>) -> Self {
        let width = |codes: usize| usize::BITS - codes.saturating_sub(1).leading_zeros();
        let (columns, widths): (Vec<&[u32]>, Vec<u32>) =
            columns.into_iter().map(|(column, codes)| (column, width(codes))).unzip();
        let rows = columns.first().map_or(0, |column| column.len());
        let packed = |row: usize| {
            let codes = columns.iter().zip(&widths);
            codes.fold(0u64, |all, (column, width)| all << width | u64::from(column[row]))
        };
        let numbers = (0..rows).into_par_iter().with_min_len(FEWEST).map(packed);
        let bits: u32 = widths.iter().sum();
        let rows = match bits {
            _ if bits <= u32::BITS => Rows::Halves(numbers.map(|number| number as u32).collect()),
            // With all 64 bits taken, a column of one code would be shifted by 64: an overflow.
            _ if bits < u64::BITS => Rows::Wholes(numbers.collect()),
            _ => Rows::Apart,
        };
        Self { columns, widths, rows }
    }

    /// The codes of these rows, column by column. O(rows · columns).
    pub(super) fn codes(&self, rows: &[u32]) -> Vec<Vec<u32>> {
        match &self.rows {
            Rows::Halves(all) => {
                self.unpacked(rows.iter().map(|&row| u64::from(all[row as usize])).collect())
            }
            Rows::Wholes(all) => self.unpacked(rows.iter().map(|&row| all[row as usize]).collect()),
            Rows::Apart => {
                let of = |column: &&[u32]| rows.iter().map(|&row| column[row as usize]).collect();
                self.columns.iter().map(of).collect()
            }
        }
    }

    fn unpacked(&self, numbers: Vec<u64>) -> Vec<Vec<u32>> {
        let mut below = self.widths.iter().sum::<u32>();
        let column = |&width: &u32| {
            below -= width;
            let mask = (1u64 << width) - 1;
            numbers.iter().map(|number| (number >> below & mask) as u32).collect()
        };
        self.widths.iter().map(column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever fits into a number or not, rows have their columns' codes.
        #[test]
        fn rows_have_the_codes_of_their_columns(
            widths in prop::collection::vec(0u32..=32, 1..6),
            seeds in prop::collection::vec(any::<u32>(), 1..40),
        ) {
            let code = |seed: u32, column: usize, width: u32| {
                let mixed = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ column as u64);
                (mixed & ((1 << width) - 1)) as u32
            };
            let columns: Vec<Vec<u32>> = (0..).zip(&widths)
                .map(|(column, &width)| seeds.iter().map(|&seed| code(seed, column, width)).collect())
                .collect();
            let given = columns.iter().zip(&widths);
            let packed = PackedRows::new(given.map(|(own, width)| (&own[..], 1usize << width)));
            let rows: Vec<u32> = (0..seeds.len() as u32).rev().chain([0, 0]).collect();
            let expected: Vec<Vec<u32>> = columns.iter()
                .map(|own| rows.iter().map(|&row| own[row as usize]).collect())
                .collect();
            prop_assert_eq!(packed.codes(&rows), expected);
        }
    }
}
