//! Composition: what several releases say together that were not made as a history.
//!
//! Each may keep its promise, and together they rule values out ([`crate::history`] is the
//! way to publish again). How much is already given away:
//!
//! * [`intersection()`] rules values out person by person: who is left with one is certain,
//!   so it is a lower bound of what there is to know;
//! * [`Exchanges`] looks for tables that fit all releases as well: who has another value in
//!   one of them is not certain, so what is left is an upper bound;
//! * [`exact`] weighs every table by how often it leads to these releases: all there is to
//!   know, on small tables.

mod exact;
mod exchanges;
mod intersection;

pub use exact::{Exact, Made, exact};
pub use exchanges::{Exchanges, twins};
pub use intersection::{Intersection, intersection};

#[cfg(test)]
mod tests;
