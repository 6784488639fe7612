//! A baseline for several tables: publishing everything in one table.
//!
//! The other baseline puts every column into a separate table:
//! [`Schema::single_columns`](super::normal_form::Schema::single_columns).

mod multi_sa;

pub use multi_sa::{MultiSa, multi_sa};
