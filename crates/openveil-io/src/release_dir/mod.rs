//! Release folders: written complete or not at all, and read back.

pub mod read;
pub mod write;
