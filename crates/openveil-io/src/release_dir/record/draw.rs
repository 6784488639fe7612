//! The key by which rows of people with several rows are drawn.

use super::{document, folder};
use crate::Error;
use crate::policy::Policy;
use crate::release_dir::DRAW_FILE;
use crate::release_dir::write::{Held, check_folder, parent, refuse_part, write_private};
use openveil_core::coins::{CoinKey, SecretCoins};
use openveil_text::text;
use serde::{Deserialize, Serialize};

/// The file of the key.
#[derive(Serialize, Deserialize)]
struct Draw {
    warning: String,
    key: CoinKey,
}

/// Returns the key that draws the rows of people with more rows than count. The first run makes it,
/// and all later runs use the same key.
///
/// Whether a table can be published depends on which rows were drawn, and on who has which value.
/// Drawing again until a release is possible would disclose values. With one draw for all runs, a
/// refusal depends only on the histogram of the rows that count, as for any table. The key is
/// stored under the policy's `dir`, even if a run writes elsewhere, so that runs with `--out` use
/// the same draw.
///
/// # Errors
/// A folder that cannot be written to; a file that cannot be read.
pub fn draw_key(policy: &Policy) -> Result<CoinKey, Error> {
    if let Some(key) = known(policy)? {
        return Ok(key);
    }
    let out = parent(&policy.output.records);
    let is_elsewhere = policy.output.dir != out;
    let take = || {
        // If the release is written elsewhere, other files in this folder do not matter.
        if is_elsewhere {
            refuse_part(out)?
        } else {
            check_folder(out)?
        }
        let held = Held::new(out)?;
        folder(policy)?;
        Ok(held)
    };
    let _held = take().map_err(|error: Error| if is_elsewhere { error.help(text!("the key by which rows are drawn stays in this folder, whatever `--out` says: name another folder as `dir` under [output]")) } else { error })?;
    // Another run may have made the key in the meantime.
    if let Some(key) = known(policy)? {
        return Ok(key);
    }
    let draw = Draw {
        warning: "Not for publication: with this key the rows were drawn that count for each person. All runs draw the same rows. Do not remove it and draw again until a release is possible: that discloses values.".to_owned(),
        key: CoinKey::drawn(&mut SecretCoins::from_os()),
    };
    write_private(&policy.output.records.join(DRAW_FILE), &draw)?;
    Ok(draw.key)
}

/// Returns the key that draws rows, if a run made it.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn known(policy: &Policy) -> Result<Option<CoinKey>, Error> {
    let path = policy.output.records.join(DRAW_FILE);
    let help =
        "restore it: with a new key other rows would be drawn, and a second draw discloses values";
    let draw = document::<Draw>(&path, "the key by which rows were drawn", help)?;
    Ok(draw.map(|draw| draw.key))
}
