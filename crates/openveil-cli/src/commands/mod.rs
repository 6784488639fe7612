//! One file per command.

pub(crate) mod attack;
pub(crate) mod inspect;
pub(crate) mod publish;
pub(crate) mod schema;
pub(crate) mod verify;

use openveil_io::{Error, Place};

/// Prints a document for programs.
fn print_json(document: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|cause| Error::new(Place::default(), cause.to_string()))?;
    say!("{text}");
    Ok(())
}
