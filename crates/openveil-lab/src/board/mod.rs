//! The figures of the README and of docs, measured: each table comes from here, by way of a record
//! that lies beside the pages.

mod record;
mod speed;
mod utility;

pub use record::{BoardRecord, rewrite};
pub use speed::fallen_back;

use serde::{Deserialize, Serialize};
use std::error::Error;
use std::path::PathBuf;

/// A table of a page.
pub struct Board {
    /// Its name on the command line, in the record and in the pages.
    pub name: &'static str,
    /// Headings, and how the cells below are written.
    pub columns: &'static [(&'static str, CellFormat)],
    /// Measures it; none where its data or programs are not at hand.
    pub measure: fn(&Setup) -> BoardRows,
}

/// Rows of a board.
pub type BoardRows = Result<Option<Vec<Vec<BoardCell>>>, Box<dyn Error>>;

/// Data that measuring needs from outside.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The folder with the data that may not be redistributed.
    pub data: Option<PathBuf>,
}

/// How the cells of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellFormat {
    /// As they are.
    Text,
    /// Rounded, with commas between thousands.
    Whole,
    /// With so many digits behind the point.
    Digits(usize),
}

/// A cell of a board: a text, or what was measured, not rounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BoardCell {
    /// Measured.
    Number(f64),
    /// The subject of a measure; nothing where it repeats the row above.
    Text(String),
}

impl From<&str> for BoardCell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for BoardCell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// All boards.
pub const BOARDS: [&Board; 7] = [
    &speed::SPEED,
    &utility::ADULT,
    &utility::BESIDE_GDA,
    &utility::L_ALPHA,
    &utility::HALVING,
    &utility::KEEPS,
    &utility::REGRESSIONS,
];
