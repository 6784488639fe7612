//! Files to tables and back: CSV and Parquet, policies, hierarchies, releases.
//!
//! The path of the data through this crate:
//!
//! 1. [`policy`]: a TOML file says what each column is and what must hold;
//! 2. [`source`]: CSV or Parquet is streamed into dictionary-coded columns of text;
//! 3. [`load`]: policy and text become an [`openveil::table::View`];
//! 4. [`release_dir::write`]: a checked release becomes files, complete or not at all.
//!
//! [`inspect`] looks at a file for which there is no policy yet; [`audit`] measures
//! what somebody else published; [`release_dir::read`] reads a release back, and [`attack`]
//! finds out what it gives away. [`schema`] reads which columns a set of tables
//! publishes. [`verify`] asks the model checker about small tables written as text.

pub mod attack;
pub mod audit;
mod error;
pub mod inspect;
pub mod load;
pub mod policy;
pub mod publish;
pub mod query;
pub mod release_dir;
pub mod schema;
pub mod source;
pub mod verify;

pub use error::{Error, Location};
