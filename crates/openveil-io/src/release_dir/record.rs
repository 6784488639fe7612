//! What the owner's folder remembers: that parameters were chosen on the true values.

use super::RECORD_FILE;
use super::write::{Held, keep_private, parent, refuse_link, write_private};
use crate::policy::Policy;
use crate::{Error, Location};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A look at the true values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    warning: String,
    /// The tables that were looked at, as the policies name them.
    tables: Vec<PathBuf>,
}

/// Remembers that a policy's table was measured with its true values. Releases of the
/// policy say so from then on, whatever else is in its folder.
///
/// # Errors
/// A folder that cannot be written to.
pub(crate) fn remember(policy: &Policy) -> Result<(), Error> {
    let folder = &policy.records;
    let failed =
        |cause: &std::io::Error| Error::io(folder, "remember the look at true values", cause);
    // A release that is made meanwhile would take the earlier record with it.
    let _held = Held::of(parent(folder))?;
    refuse_link(folder)?;
    std::fs::create_dir_all(folder).map_err(|cause| failed(&cause))?;
    keep_private(folder).map_err(|cause| failed(&cause))?;
    let mut record = read(policy)?.unwrap_or(Record {
        warning: "Algorithm and parameters were compared by measures on the true values (`openveil compare --true-values`). While this file is here, releases say so, and promise nothing to a reader who knows how they were made.".to_owned(),
        tables: Vec::new(),
    });
    if !record.tables.contains(&policy.source.path) {
        record.tables.push(policy.source.path.clone());
    }
    write_private(&folder.join(RECORD_FILE), &record)
}

/// Whether parameters of the policy may have been chosen on true values.
///
/// # Errors
/// A record that cannot be read: what it says is not guessed.
pub(crate) fn is_remembered(policy: &Policy) -> Result<bool, Error> {
    Ok(read(policy)?.is_some_and(|record| !record.tables.is_empty()))
}

/// What follows from a look that is remembered, for the owner.
pub(crate) fn in_words(policy: &Policy) -> String {
    format!(
        "nothing is promised to a reader who knows how this was made: {} says that parameters were compared on true values (`openveil compare --true-values`) for a policy that writes there; one that did not may write elsewhere (`dir` under [output])",
        policy.records.join(RECORD_FILE).display()
    )
}

fn read(policy: &Policy) -> Result<Option<Record>, Error> {
    let path = policy.records.join(RECORD_FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => {
            return Err(Error::io(
                &path,
                "read the record of looks at true values",
                &cause,
            ));
        }
    };
    let record = serde_json::from_str(&text).map_err(|cause| {
        let problem = format!("is not the record that `openveil compare` wrote: {cause}");
        Error::new(Location::file(&path), problem)
            .help("restore it: what it said has to be told to readers")
    });
    record.map(Some)
}
