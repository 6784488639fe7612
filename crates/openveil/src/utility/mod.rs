//! How much a release is worth to its reader.
//!
//! [`Summary`] and what it is made of are functions of the release and of
//! public facts, and may be published beside it. A [`Workload`]'s error is
//! measured against the true table, so it belongs to the owner: published, it
//! would say something about people that the release does not.

mod discernability;
mod extent;
mod summary;
mod workload;

pub use discernability::{discernability, normalized_average_size, optimal_discernability};
pub use extent::{ColumnExtent, mean_extents};
pub use summary::Summary;
pub use workload::{AxisRange, Query, Workload};
