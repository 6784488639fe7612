//! The commands, one module each.

pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod compare;
pub(crate) mod complete;
mod correlations;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod publish;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod verify;

use openveil_io::{Error, Location};

/// Prints a document as JSON.
fn print_json(document: &impl serde::Serialize) -> Result<(), Error> {
    say!("{}", as_json(document)?);
    Ok(())
}

/// Returns a document as indented JSON.
pub(crate) fn as_json(document: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string_pretty(document)
        .map_err(|cause| Error::new(Location::default(), cause.to_string()))
}
