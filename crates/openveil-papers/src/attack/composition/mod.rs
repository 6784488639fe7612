//! Composition: what several releases say together that were not made as a history.
//!
//! Each may keep its promise, and together they rule values out ([`openveil_core::history`] is the
//! way to publish again). How much is already given away:
//!
//! * [`intersection()`] rules values out person by person: who is left with one is certain,
//!   so it is a lower bound of what there is to know;
//! * [`twins`] are those who can be told from everybody with another value: nobody else can
//!   become certain, whatever is published, so they are an upper bound;
//! * [`Exchanges`] looks for tables whose groups have the same values: who has another value in
//!   one of them is not certain to a reader who goes by the groups, an upper bound for that one
//!   only;
//! * [`exact`] weighs every table by how often it leads to these releases: all there is to
//!   know, on small tables.

mod exact;
mod exchanges;
mod intersection;

pub use exact::{Exact, ReleaseRun, exact};
pub use exchanges::{Exchanges, twins};
pub use intersection::{Intersection, intersection};

#[cfg(test)]
mod tests;
