//! Measures how useful a release is to its reader.
//!
//! [`Summary`] and its parts are functions of the release and of public facts, and may be published
//! with it. The error of a [`Workload`] and the [`kl_divergence`] are measured against the true
//! table, so they must stay with the owner: they would disclose facts about people that the release
//! does not contain.

mod association;
mod best;
mod classifier;
mod contingency;
mod discernability;
mod divergence;
mod extent;
mod regression;
mod summary;
mod tally;
mod workload;

pub use association::{
    MeasuredLink, StrengthMeasure, changes_of_margins, links, links_of_known, links_of_pairs,
};
pub use best::BestLinks;
pub use classifier::Classifier;
pub use contingency::{CodeRuns, Contingency, CountedPeople};
pub use discernability::{discernability, least_discernability, normalized_average_size};
pub use divergence::kl_divergence;
pub(crate) use extent::spanned_steps;
pub use extent::{ColumnExtent, mean_extents};
pub use regression::{LeastSquares, RegressionFit, Regressor};
pub use summary::{Summary, discernability_bound};
pub use tally::Tally;
pub use workload::{AxisRange, Errors, Index, Query, QueryKind, Workload};
