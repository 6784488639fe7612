//! What the benches and the figures of the documentation are made from: a
//! generated [`census`] of any size, a reader for the [`adult`] data, and Adult with a
//! random [`health`] condition.

pub mod adult;
pub mod census;
pub mod health;

mod alias;
