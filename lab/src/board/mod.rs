//! Measures the figures of the README and of docs. Each table comes from here, through a record
//! that is stored beside the pages.

mod gaps;
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
    /// Headings, and the format of the cells below.
    pub columns: &'static [(&'static str, CellFormat)],
    /// Measures it; none if its data or programs are not available.
    pub measure: fn(&Setup) -> BoardRows,
}

/// Rows of a board.
pub type BoardRows = Result<Option<Vec<Vec<BoardCell>>>, Box<dyn Error>>;

/// External data that measuring needs.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The folder with the data that may not be redistributed.
    pub data: Option<PathBuf>,
}

/// The format of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellFormat {
    /// Unchanged text.
    Text,
    /// Rounded, with commas between thousands.
    Whole,
    /// With so many digits after the decimal point.
    Digits(usize),
}

/// A cell of a board: a text, or a measured number, not rounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BoardCell {
    /// A measured number.
    Number(f64),
    /// The subject of a measure; empty if it repeats the row above.
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
pub const BOARDS: [&Board; 8] = [
    &gaps::GAPS,
    &speed::SPEED,
    &utility::ADULT,
    &utility::BESIDE_GDA,
    &utility::L_ALPHA,
    &utility::HALVING,
    &utility::KEEPS,
    &utility::REGRESSIONS,
];
