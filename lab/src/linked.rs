//! Generated tables of any shape, whose sensitive values follow the quasi-identifiers as closely as
//! requested: for decisions that must hold on more than a few known tables.

use crate::alias::Alias;
use openveil_core::table::{Column, Domain, Secret, View};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::str::FromStr;

/// The numbers of positions of quasi-identifiers; numbers and classes alternate.
const POSITIONS: [u32; 4] = [60, 5, 16, 2];

/// The shape of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkedShape {
    /// The number of rows.
    pub rows: u32,
    /// The number of quasi-identifiers.
    pub columns: usize,
    /// The number of sensitive values.
    pub values: u32,
    /// The exponent of their frequencies: the value of rank r has weight r^-skew.
    pub skew: f64,
    /// The share of rows whose value is determined by their quasi-identifiers.
    pub link: f64,
}

impl FromStr for LinkedShape {
    type Err = String;

    /// Reads `ROWS,COLUMNS,VALUES,SKEW,LINK`, for example `20000,5,12,0.8,0.3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        let parse = || -> Option<Self> {
            let [rows, columns, values, skew, link] = parts[..] else {
                return None;
            };
            Some(Self {
                rows: rows.parse().ok()?,
                columns: columns.parse().ok()?,
                values: values.parse().ok()?,
                skew: skew.parse().ok()?,
                link: link.parse().ok()?,
            })
        };
        let problem = || format!("`{text}` is not ROWS,COLUMNS,VALUES,SKEW,LINK");
        parse().ok_or_else(problem)
    }
}

/// Returns a table of a shape. Equal seeds give equal rows.
///
/// Every row has a place between 0 and 1, to which all its quasi-identifiers are loosely tied. A
/// linked row gets the value at its place in the distribution of all values, and other rows get a
/// random one. Links therefore do not change frequencies.
pub fn linked(shape: LinkedShape, seed: u64) -> View {
    let mut generator = StdRng::seed_from_u64(seed);
    let weights: Vec<f64> =
        (1..=shape.values).map(|rank| f64::from(rank).powf(-shape.skew)).collect();
    let total: f64 = weights.iter().sum();
    let mut sum = 0.0;
    let ends: Vec<f64> = weights
        .iter()
        .map(|weight| {
            sum += weight / total;
            sum
        })
        .collect();
    let frequencies = Alias::new(&weights);
    let mut codes = vec![Vec::with_capacity(shape.rows as usize); shape.columns];
    let mut values = Vec::with_capacity(shape.rows as usize);
    for _ in 0..shape.rows {
        let place: f64 = generator.random();
        for (axis, codes) in codes.iter_mut().enumerate() {
            let positions = POSITIONS[axis % POSITIONS.len()];
            let drawn = if generator.random_bool(0.5) { place } else { generator.random() };
            codes.push((drawn * f64::from(positions)) as u32);
        }
        values.push(if generator.random_bool(shape.link) {
            ends.partition_point(|&end| end <= place) as u32
        } else {
            frequencies.draw(&mut generator)
        });
    }
    let column = |(axis, codes): (usize, Vec<u32>)| {
        let positions = POSITIONS[axis % POSITIONS.len()];
        let domain = match axis % 2 {
            0 => Domain::integers(0..positions as i64),
            _ => Domain::unordered((0..positions).map(|code| format!("c{code}"))),
        };
        Column::new(format!("q{axis}"), codes, domain)
    };
    let labels = (0..shape.values).map(|value| format!("v{value}"));
    let secret = Secret::new("value", values, labels);
    let columns = codes.into_iter().enumerate().map(column).collect();
    View::new(columns, secret).expect("codes lie in their domains")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_change_no_frequency() {
        let shape = |link: &str| -> LinkedShape { format!("6000,3,6,1,{link}").parse().unwrap() };
        let counts = |link| linked(shape(link), 5).histogram().counts().to_vec();
        for (free, tied) in counts("0").into_iter().zip(counts("0.9")) {
            assert!(free.abs_diff(tied) < 200, "{free} {tied}");
        }
        assert!("6000,3,6,1".parse::<LinkedShape>().is_err());
    }
}
