//! Publish tables of people so that nobody learns a person's sensitive value from the
//! release, *even knowing the algorithm, its parameters and its source*. This is the crate
//! to depend on; [`openveil`] is its engine, which knows no files.
//!
//! ```
//! use openveil_io::ValueType::{Integer, Text};
//! use openveil_io::{Cover, Publication, Table, l_diversity};
//! # let folder = tempfile::tempdir().unwrap();
//! # std::env::set_current_dir(&folder).unwrap();
//! # let row = |i: usize| format!("{},{},{}\n", 20 + i % 50, ["f", "m"][i % 2], ["nurse", "clerk", "judge", "cook", "smith"][i % 5]);
//! # std::fs::write("people.csv", format!("age,sex,job\n{}", (0..100).map(row).collect::<String>())).unwrap();
//!
//! let table = Table::read_csv("people.csv")?.known("age", Integer)?.known("sex", Text)?.secret("job")?;
//! let release = Publication::new(&table, l_diversity(5)?).algorithm(Cover).run()?; // checked
//! println!("{}", release.guarantee());
//! release.write("out")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The path of the data through this crate:
//!
//! 1. [`policy`]: a TOML file says what each column is and what must hold;
//! 2. [`source`]: CSV, Parquet, Arrow or a workbook becomes dictionary-coded columns of text;
//! 3. [`load`]: policy and text become an [`openveil::table::View`];
//! 4. [`release_dir::write`]: a checked release becomes files, complete or not at all.
//!
//! [`inspect`] looks at a file for which there is no policy yet; [`audit`] measures
//! what somebody else published; [`release_dir::read`] reads a release back, and [`attack`]
//! finds out what it gives away; [`correlations`] what readers guess who know more.
//! [`schema`] reads which columns a set of tables
//! publishes. [`report`] puts a release into pages that people read. [`compare`] measures
//! ways of publishing beside each other. [`verify`] asks the model checker about small tables written as text.
//!
//! Modules know those below them and none above; `tests/layers.rs` has the order in which they can be read.

pub mod attack;
pub mod audit;
pub mod certify;
pub mod compare;
pub mod correlations;
mod error;
pub mod explain;
mod formulas;
mod history;
pub mod inspect;
pub mod load;
pub mod picture;
pub mod policy;
pub mod progress;
mod publication;
pub mod publish;
pub mod query;
pub mod release_dir;
pub mod report;
pub mod risks;
pub mod schema;
pub mod source;
mod spelling;
pub mod verify;
pub mod watch;

pub use error::{Error, ErrorKind, Location, Refusal, printable, turns, without_control};
pub use openveil;
pub use openveil::algorithm::{Cover, Halving};
pub use openveil::guarantee::Guarantee;
pub use openveil::model::{Model, l_diversity};
pub use openveil::release::Style;
pub use openveil::table::Form;
pub use policy::{Policy, ValueType};
pub use publication::{Publication, Table};
pub use publish::Release;
