//! Finished trials, stored for the owner, so that an interrupted comparison can resume.

use super::Trial;
use openveil_io::release_dir::regular;
use openveil_io::release_dir::write::{check_beside, write_private};
use openveil_io::{Error, Location};
use openveil_text::text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Trials by setting and number.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    warning: String,
    /// By the key of their setting, then by number.
    trials: BTreeMap<String, BTreeMap<u32, Trial>>,
}

/// The stored trials, and their file.
#[derive(Debug)]
pub(super) struct CompareState {
    path: Option<PathBuf>,
    kept: Kept,
}

impl CompareState {
    /// Reads the stored trials of an earlier run, if there are any.
    ///
    /// # Errors
    /// A file that cannot be read, or is not a state; a file in a part of a release.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Error> {
        let mut state = Self {
            path: path.map(Path::to_owned),
            kept: Kept {
                warning: "Not for publication: measures of a comparison, stored so that it can be continued."
                    .to_owned(),
                trials: BTreeMap::new(),
            },
        };
        let Some(path) = path else {
            return Ok(state);
        };
        check_beside(path)?;
        match regular::read_to_string(path) {
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
            Err(cause) => return Err(Error::io(path, "read the state of a comparison", &cause)),
            Ok(text) => {
                state.kept = serde_json::from_str(&text).map_err(|cause| {
                    let problem = text!("is not the state of a comparison: {cause}");
                    Error::new(Location::file(path), problem)
                        .help(text!("name another file with `--state`, or move it away"))
                })?;
            }
        }
        Ok(state)
    }

    /// Returns a trial that was finished before.
    pub(super) fn trial(&self, key: &str, number: u32) -> Option<Trial> {
        self.kept.trials.get(key)?.get(&number).cloned()
    }

    /// Stores a finished trial.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn keep(&mut self, key: &str, number: u32, trial: &Trial) -> Result<(), Error> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let of_key = self.kept.trials.entry(key.to_owned()).or_default();
        of_key.insert(number, trial.clone());
        write_private(path, &self.kept)
    }
}
