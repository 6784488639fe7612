//! Composition: what several releases disclose together that were not made as a history.
//!
//! Each may satisfy its guarantee, and together they can still rule values out
//! ([`openveil_core::history`] is the way to publish again). The functions measure what is
//! disclosed already:
//!
//! * [`intersection()`] rules values out person by person. People with one value left are certain,
//!   so it gives a lower bound of the disclosure;
//! * [`twins`] returns the people who share their value with everybody of the same
//!   quasi-identifiers. No others can become certain, whatever is published, so it gives an upper
//!   bound;
//! * [`Exchanges`] looks for tables whose groups have the same values. A person with another value
//!   in one of them is not certain to a reader who uses the groups only, so it gives an upper bound
//!   for that reader only;
//! * [`exact`] weights every table by its probability to lead to these releases: the exact
//!   disclosure, on small tables.

mod exact;
mod exchanges;
mod intersection;

pub use exact::{Exact, ReleaseRun, exact};
pub use exchanges::{Exchanges, twins};
pub use intersection::{Intersection, intersection};

#[cfg(test)]
mod tests;
