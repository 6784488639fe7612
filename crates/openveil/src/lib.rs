//! Publishes tables about people so that a reader guesses a person's sensitive value with at most
//! the chosen chance, *even if the reader knows the algorithm, its parameters and its source*. Not
//! covered: a reader who learns from the release, or knew before, how values depend on other
//! columns. Depend on this crate, with `default-features = false` to leave the command out.
//!
//! ```
//! use openveil::ValueType::{Integer, Text};
//! use openveil::{Publication, Table, l_diversity};
//! # let folder = tempfile::tempdir().unwrap();
//! # std::env::set_current_dir(&folder).unwrap();
//! # let row = |i: usize| format!("{},{},{}\n", 20 + i % 50, ["f", "m"][i % 2], ["nurse", "clerk", "judge", "cook", "smith"][i % 5]);
//! # std::fs::write("people.csv", format!("age,sex,job\n{}", (0..100).map(row).collect::<String>())).unwrap();
//!
//! let table = Table::read_csv("people.csv")?.known("age", Integer)?.known("sex", Text)?.secret("job")?;
//! let release = Publication::new(&table, l_diversity(3)?).run()?; // checked
//! println!("{}", release.guarantee());
//! release.write("out")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * Input: a [`Table`] from a file, from Arrow's batches or from rows, whose columns are known,
//!   secret or of another role; or a policy file ([`Publication::of_policy`]).
//! * Model: a [`Model`], made by [`l_diversity`], from any condition of [`model`], or by [`privacy`]
//!   from the words of a policy.
//! * Method: the engine ([`Auto`], [`Halving`]) or any algorithm by name ([`algorithm`]),
//!   a [`Style`], and the other methods of [`Publication`].
//! * Result: a [`Release`] that an independent check accepted, with its [`Guarantee`].
//! * Analysis: [`Reader`] answers counts, cross-tables and regressions with intervals, and makes
//!   completed tables, from the release alone.
//!
//! The other crates `openveil-…` are parts of this one; their interfaces change without notice.

pub use openveil_core::algorithm::{Halving, Inside};
pub use openveil_core::guarantee::Guarantee;
pub use openveil_core::model::{Model, l_diversity};

/// The conditions that a release can satisfy. Their fields are checked when a [`Model`] is made.
///
/// ```
/// use openveil::Model;
/// use openveil::model::{KAnonymity, RatioDiversity};
///
/// let model = Model::all_of(vec![KAnonymity { k: 10 }.into(), RatioDiversity::new(4)?.into()])?;
/// assert!(Model::all_of(vec![KAnonymity { k: 0 }.into()]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod model {
    pub use openveil_core::model::{
        About, AlphaKAnonymity, BetaLikeness, BreachLimit, CategoryWeights, DeltaDisclosure,
        Distance, DistinctDiversity, EntropyDiversity, GenericDistance, GroundDistance, Informed,
        KAnonymity, LAlphaDiversity, Over, PSensitiveKAnonymity, RatioDiversity,
        RecursiveDiversity, Requirement, TCloseness, Variant,
    };
}
pub use openveil_core::release::Style;
pub use openveil_core::table::Form;
pub use openveil_io::policy::{
    ColumnPolicy, Floor, Missing, OutputFormat, Role, algorithm, privacy,
};
pub use openveil_io::{Error, ErrorKind, Location, Policy, ValueType};
pub use openveil_papers::algorithm::{Auto, Cover};
pub use openveil_publication::{Options, Publication, Published, Release, Table};
pub use openveil_reader::query::{
    Answer, Cell, Completed, CrossTable, Effort, FigureEntry, Reader, Regression, Request,
};
