//! Publish tables of people so that nobody learns a person's sensitive value from the
//! release, *even knowing the algorithm, its parameters and its source*. This is the crate
//! to depend on; the command `openveil` is built from it, too.
//!
//! ```
//! use openveil::ValueType::{Integer, Text};
//! use openveil::{Cover, Publication, Table, l_diversity};
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
//! * What is published: a [`Table`] whose columns are known, secret, or something else, or a policy
//!   file ([`Publication::of_policy`]).
//! * What must hold: a [`Model`], made by [`l_diversity`] or, of any kind, by [`privacy`].
//! * How: an engine ([`Auto`], [`Cover`], [`Halving`]) or any algorithm that [`algorithm`] knows by
//!   name, a [`Style`], and the other methods of [`Publication`].
//! * What comes of it: a [`Release`] that an independent check accepted, with its [`Guarantee`].
//! * What a release says: [`Reader`] answers counts, cross-tables, regressions and completed tables,
//!   with intervals, from the release alone.
//!
//! The other crates `openveil-…` are parts of this one; what they offer changes without notice.

pub use openveil_core::algorithm::{Auto, Cover, Halving, Inside, Jitter, Lots};
pub use openveil_core::guarantee::Guarantee;
pub use openveil_core::model::{Model, l_diversity};
pub use openveil_core::release::Style;
pub use openveil_core::table::Form;
pub use openveil_io::policy::{ColumnPolicy, Missing, OutputFormat, Role, algorithm, privacy};
pub use openveil_io::{Error, ErrorKind, Location, Policy, ValueType};
pub use openveil_publication::{Options, Publication, Published, Release, Table};
pub use openveil_reader::query::{
    Answer, Cell, Completed, CrossTable, Effort, FigureEntry, Reader, Regression, Request,
};
