//! Says what was made: the manifest for every reader, the owner's figures, and what a plan knows
//! beforehand.
//!
//! Belongs here: words and figures about tables. Does not: anything that changes them.

pub(crate) mod association;
pub(crate) mod columns;
pub(crate) mod forecast;
pub(crate) mod manifest;
pub(crate) mod owner;
mod utility;
