//! Sources of the benches and the figures of the documentation: a
//! generated [`census`] of any size, Adult with a
//! random [`health`] condition, made-up [`wages`], tables of any shape with
//! [`linked`] columns, what is needed to measure several [`rules`] at once, and all [`tables`] that releases are measured on.

pub mod board;
pub mod census;
pub mod covering;
pub mod depth;
pub mod experiments;
pub mod family;
pub mod health;
pub mod keeps;
pub mod linked;
pub mod rules;
pub mod tables;
pub mod wages;

mod alias;
