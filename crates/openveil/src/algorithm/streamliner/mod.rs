#![doc = include_str!("proof.md")]

mod bijections;
mod blocks;
pub mod candidates;
pub mod colours;
mod gda;
mod largest_first;
mod rda;
mod ria;
mod union_find;

pub use gda::gda;
pub use rda::{rda, rda_file_order};
pub use ria::{RiaColours, ria};

#[cfg(test)]
mod tests;
