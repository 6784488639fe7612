//! What the benches and the figures of the documentation are made from: a
//! generated [`census`] of any size, and a reader for the [`adult`] data.

pub mod adult;
pub mod census;

mod alias;
