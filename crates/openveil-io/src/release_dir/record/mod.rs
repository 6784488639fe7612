//! Records in the owner's folder: outputs of earlier runs that depended on who has which value, and
//! the key by which rows were drawn.

mod draw;
mod key;
mod look;
mod looks;

pub use draw::draw_key;
pub use looks::{
    Looks, forget_shown, look_at, recorded, remember_sample, remember_true_values, watched,
};

use super::regular;
use super::write::{keep_private, make_folder, refuse_link};
use crate::policy::Policy;
use crate::{Error, Location};
use openveil_text::{Text, text};
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::Path;

/// Returns the folder of the records; makes it if it does not exist.
fn folder(policy: &Policy) -> Result<&Path, Error> {
    let folder = &policy.output.records;
    refuse_link(folder)?;
    make_folder(folder)
        .and_then(|()| keep_private(folder))
        .map_err(|cause| Error::io(folder, "write the owner's records", &cause))?;
    Ok(folder)
}

/// Reads a record, if there is one; `what` names it in errors, which also say what to do.
fn document<T: DeserializeOwned>(
    path: &Path,
    what: &'static str,
    help: &'static str,
) -> Result<Option<T>, Error> {
    let what = Text::from(what);
    let text = match regular::read_to_string(path) {
        Ok(text) => text,
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(cause) => return Err(Error::io(path, text!("read {what:text}"), &cause)),
    };
    let document = serde_json::from_str(&text).map_err(|cause| {
        Error::new(Location::file(path), text!("is not {what:text}: {cause}")).help(help)
    });
    document.map(Some)
}
