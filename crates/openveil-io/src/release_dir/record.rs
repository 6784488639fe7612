//! What the owner's folder remembers: that parameters were chosen on the true values, and by which
//! coins rows were drawn that count.

use super::write::{
    Held, check_folder, keep_private, make_folder, parent, refuse_link, refuse_part, write_private,
};
use super::{DRAW_FILE, RECORD_FILE, regular};
use crate::policy::Policy;
use crate::{Error, Location};
use openveil::coins::{CoinKey, SecretCoins};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

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
    // A release that is made meanwhile would take the earlier record with it.
    let _held = Held::of(parent(&policy.records))?;
    let folder = folder(policy)?;
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
    let help = "restore it: what it said has to be told to readers";
    let path = policy.records.join(RECORD_FILE);
    document(&path, "the record of looks at true values", help)
}

/// The coins that draw rows of people with more than count.
#[derive(Serialize, Deserialize)]
struct Draw {
    warning: String,
    key: CoinKey,
}

/// The key of the coins that draw, of people with more rows than count, those that do; made at the
/// first run, and the same for all that follow.
///
/// Whether a table can be published depends on which rows were drawn, and on who has which value:
/// whoever draws again until it can gives values away. With one draw for all runs a refusal is a
/// fact about the histogram of the rows that count, as it is of any table. The key stays where the
/// policy's `dir` is, wherever a run writes to: what is drawn for `--out` is drawn for all.
///
/// # Errors
/// A folder that cannot be written to; a file that cannot be read.
pub(crate) fn draw_key(policy: &Policy) -> Result<CoinKey, Error> {
    let path = policy.records.join(DRAW_FILE);
    let help = "restore it: with another one other rows would be drawn, and whoever draws again gives values away";
    let known = || document::<Draw>(&path, "the key by which rows were drawn", help);
    if let Some(draw) = known()? {
        return Ok(draw.key);
    }
    let out = parent(&policy.records);
    let is_elsewhere = policy.out != out;
    let take = || {
        // Where the release goes elsewhere, what else lies here is no matter.
        match is_elsewhere {
            false => check_folder(out)?,
            true => refuse_part(out)?,
        }
        let held = Held::of(out)?;
        folder(policy)?;
        Ok(held)
    };
    let _held = take().map_err(|error: Error| match is_elsewhere {
        false => error,
        true => error.help("the key by which rows are drawn stays there, wherever `--out` leads: name another folder as `dir` under [output]"),
    })?;
    // Another run may have made it meanwhile.
    if let Some(draw) = known()? {
        return Ok(draw.key);
    }
    let draw = Draw {
        warning: "Not for publication: by this key the rows were drawn that count of each person. All runs draw the same; whoever removes it and draws again until a release is possible gives values away.".to_owned(),
        key: CoinKey::drawn(&mut SecretCoins::from_os()),
    };
    write_private(&path, &draw)?;
    Ok(draw.key)
}

/// The folder of the records, made if it is not there.
fn folder(policy: &Policy) -> Result<&Path, Error> {
    let folder = &policy.records;
    refuse_link(folder)?;
    make_folder(folder)
        .and_then(|()| keep_private(folder))
        .map_err(|cause| Error::io(folder, "write the owner's records", &cause))?;
    Ok(folder)
}

/// A record, if there is one; `what` it is, and what helps where it cannot be read.
fn document<T: DeserializeOwned>(
    path: &Path,
    what: &str,
    help: &'static str,
) -> Result<Option<T>, Error> {
    let text = match regular::read_to_string(path) {
        Ok(text) => text,
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(cause) => return Err(Error::io(path, &format!("read {what}"), &cause)),
    };
    let document = serde_json::from_str(&text).map_err(|cause| {
        Error::new(Location::file(path), format!("is not {what}: {cause}")).help(help)
    });
    document.map(Some)
}
