//! The key of fingerprints of rows.

use super::{document, folder};
use crate::Error;
use crate::policy::Policy;
use crate::prints::PrintKey;
use crate::release_dir::PRINT_KEY_FILE;
use crate::release_dir::write::write_private;
use serde::{Deserialize, Serialize};

/// The file of the key.
#[derive(Serialize, Deserialize)]
struct KeyFile {
    warning: String,
    key: PrintKey,
}

/// Returns the key of a policy's records, or a new one, which is stored with the first record.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn print_key(policy: &Policy) -> Result<PrintKey, Error> {
    let path = policy.output.records.join(PRINT_KEY_FILE);
    let help = "restore it, or remove it: without it, releases mention all earlier looks at values";
    let file = document::<KeyFile>(&path, "the key of fingerprints of rows", help)?;
    Ok(file.map_or_else(PrintKey::drawn, |file| file.key))
}

/// Stores a key beside the records, unless there is one.
///
/// # Errors
/// A folder that cannot be written to.
pub(super) fn keep(policy: &Policy, key: &PrintKey) -> Result<(), Error> {
    let path = folder(policy)?.join(PRINT_KEY_FILE);
    if path.exists() {
        return Ok(());
    }
    let warning = "Not for publication: as secret as the table. With this key, records show whether two runs read the same rows.";
    write_private(&path, &KeyFile { warning: warning.to_owned(), key: key.clone() })
}
