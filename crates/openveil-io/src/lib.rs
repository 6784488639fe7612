//! Reads files into tables and writes releases.
//!
//! 1. [`policy`]: a TOML file states what each column is and which model the release has to
//!    satisfy;
//! 2. [`source`]: CSV, Parquet, Arrow or a workbook becomes dictionary-coded columns of text;
//! 3. [`load`]: policy and text become an [`openveil_core::table::View`];
//! 4. [`release_dir`]: a checked release becomes files, complete or not at all, and is read back.

mod error;
mod formulas;
pub mod load;
pub mod policy;
mod printed;
mod prints;
pub mod progress;
pub mod release_dir;
mod sight;
pub mod source;
pub mod spelling;

pub use error::{Error, ErrorKind, Location, Refusal};
pub use policy::{Policy, ValueType};
pub use printed::{misleads, printable, shown, turns, without_control};
pub use prints::{PrintKey, RowPrints, Watched};
pub use sight::{Seen, Sight};
