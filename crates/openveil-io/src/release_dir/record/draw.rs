//! The key by which rows of people with several are drawn.

use super::{document, folder};
use crate::Error;
use crate::policy::Policy;
use crate::release_dir::DRAW_FILE;
use crate::release_dir::write::{Held, check_folder, parent, refuse_part, write_private};
use openveil_core::coins::{CoinKey, SecretCoins};
use serde::{Deserialize, Serialize};

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
pub fn draw_key(policy: &Policy) -> Result<CoinKey, Error> {
    let path = policy.records.join(DRAW_FILE);
    let help =
        "restore it: with a new key other rows would be drawn, and a second draw discloses values";
    let known = || document::<Draw>(&path, "the key by which rows were drawn", help);
    if let Some(draw) = known()? {
        return Ok(draw.key);
    }
    let out = parent(&policy.records);
    let is_elsewhere = policy.out != out;
    let take = || {
        // Where the release goes elsewhere, what else lies here is no matter.
        if is_elsewhere {
            refuse_part(out)?
        } else {
            check_folder(out)?
        }
        let held = Held::of(out)?;
        folder(policy)?;
        Ok(held)
    };
    let _held = take().map_err(|error: Error| if is_elsewhere { error.help("the key by which rows are drawn stays in this folder, whatever `--out` says: name another folder as `dir` under [output]") } else { error })?;
    // Another run may have made it meanwhile.
    if let Some(draw) = known()? {
        return Ok(draw.key);
    }
    let draw = Draw {
        warning: "Not for publication: with this key the rows were drawn that count for each person. All runs draw the same rows. Do not remove it and draw again until a release is possible: that discloses values.".to_owned(),
        key: CoinKey::drawn(&mut SecretCoins::from_os()),
    };
    write_private(&path, &draw)?;
    Ok(draw.key)
}
