//! Generated hospital stays with the columns and domain sizes of the Texas discharge data in the
//! paper on several rules (its Table 5(b)). No one in it exists.

use super::Dataset;
use openveil_core::table::PeopleTable;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::io::{self, Write};

/// The number of rows of the data in the paper.
pub const ROWS: usize = 177_148;

/// Names and domain sizes; the column that each follows, and how closely: a value follows that
/// column in so many of ten rows.
const COLUMNS: [(&str, u32, Option<usize>, u32); 18] = [
    ("thcic", 323, None, 0),
    ("gender", 2, None, 0),
    ("pat_zip", 1_581, Some(0), 6),
    ("county", 241, Some(2), 9),
    ("pat_age", 22, None, 0),
    ("race", 5, Some(3), 4),
    ("ad_diag", 3_391, Some(12), 7),
    ("prn_diag", 3_488, Some(6), 6),
    ("diag1", 3_881, Some(7), 6),
    ("diag2", 4_193, Some(8), 4),
    ("diag3", 4_251, Some(9), 4),
    ("p_icd9", 1_708, Some(12), 5),
    ("hcfa_mdc", 24, Some(4), 4),
    ("hcfa_drg", 396, Some(12), 8),
    ("apr_drg", 297, Some(13), 8),
    ("rsk_mor", 6, Some(4), 5),
    ("and_md", 15_000, Some(0), 8),
    ("surgeon", 17_432, Some(16), 6),
];

/// An order of columns in which each comes after the column that it follows.
const ORDER: [usize; 18] = [0, 1, 4, 12, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17];

/// Returns `rows` stays; equal seeds give equal stays. O(rows).
///
/// # Panics
/// If `rows` is 0.
pub fn texas(rows: usize, seed: u64) -> Dataset {
    let mut generator = StdRng::seed_from_u64(seed);
    let mut columns: Vec<Vec<u32>> = vec![Vec::with_capacity(rows); COLUMNS.len()];
    for row in 0..rows {
        for column in ORDER {
            let (_, size, parent, closely) = COLUMNS[column];
            let follows = parent.filter(|_| generator.random_range(0..10) < closely);
            let value = match follows {
                None => skewed(size, &mut generator),
                Some(parent) => {
                    // One of a few values that go with the other column's value.
                    let few = (size / COLUMNS[parent].1).clamp(2, 12);
                    let first = columns[parent][row].wrapping_mul(2_654_435_761) >> 8;
                    (first + generator.random_range(0..few)) % size
                }
            };
            columns[column].push(value);
        }
    }
    Dataset {
        names: COLUMNS.iter().map(|column| column.0.to_owned()).collect(),
        domains: COLUMNS.iter().map(|column| column.1).collect(),
        records: PeopleTable::of_codes(columns).expect("every column has the same rows"),
    }
}

/// Draws a code; lower ones are more frequent, but none dominates.
fn skewed(size: u32, generator: &mut StdRng) -> u32 {
    let (one, other) = (generator.random_range(0..size), generator.random_range(0..size));
    one.min(other)
}

/// Writes stays as CSV.
///
/// # Errors
/// Errors of the writer.
pub fn write_csv(rows: usize, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let data = texas(rows, seed);
    let mut out = io::BufWriter::new(out);
    writeln!(out, "{}", data.names.join(","))?;
    for row in 0..rows {
        let cells = data
            .records
            .all()
            .iter()
            .map(|column| format!("{}", data.records.codes(column)[row] + 1));
        writeln!(out, "{}", cells.collect::<Vec<String>>().join(","))?;
    }
    out.flush()
}
