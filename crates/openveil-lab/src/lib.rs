//! What the benches and the figures of the documentation are made from: a
//! generated [`census`] of any size, a reader for the [`adult`] data, Adult with a
//! random [`health`] condition, and what is needed to measure several [`rules`] at once.

pub mod adult;
pub mod census;
pub mod health;
pub mod rules;

mod alias;
