//! The code that the Python and the R package share.
//!
//! A package converts its own tables and values, raises its own errors, and calls this crate:
//!
//! * [`policy`] makes a policy from named arguments and a table's types,
//! * [`table`] makes tables from numbered values and from texts,
//! * [`release`] publishes, and answers questions about a release,
//! * [`work`] runs long work that can be watched and interrupted,
//! * [`words`] rewrites messages: options of the command and keys of a policy file become
//!   arguments.

pub mod commands;
pub mod policy;
pub mod release;
pub mod table;
pub mod toml;
pub mod value;
pub mod words;
pub mod work;

pub use value::{Section, Value};

use openveil_io::{Error, Location};

/// Returns the error for an argument that cannot be used.
pub fn input(problem: impl Into<String>) -> Error {
    Error::new(Location::default(), problem)
}

/// Returns a document as JSON text.
///
/// # Errors
/// A document that JSON cannot hold.
pub fn json(document: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(document).map_err(|cause| input(cause.to_string()))
}
