//! Data for the benches and the figures of the documentation: a generated [`census`] of any size,
//! Adult with a random [`health`] condition, generated [`wages`], tables of any shape with
//! [`linked`] columns, the parts for measuring several [`rules`] at once, and all [`tables`] on
//! which releases are measured.

pub mod board;
pub mod census;
pub mod covering;
pub mod depth;
pub mod experiments;
pub mod health;
pub mod keeps;
pub mod linked;
pub mod rules;
pub mod tables;
pub mod wages;

mod alias;
