//! Where the state of a history may lie.

use crate::policy::{History, Policy};
use crate::release_dir::MANIFEST;
use crate::{Error, Location};
use std::path::Path;

impl Policy {
    /// Refuses a state that lies where releases do.
    ///
    /// # Errors
    /// A folder of releases.
    pub(crate) fn check_state(&self) -> Result<(), Error> {
        match self.history() {
            Some(history) if self.is_in_release(history) => Err(Error::new(
                Location::file(&self.path),
                "[history] keeps its `state` in a folder of releases, which may be published or replaced",
            )
            .help("keep it elsewhere: `state = \"secret/people.state\"`")),
            _ => Ok(()),
        }
    }

    /// Whether the state would stand where releases do, of this run or of another.
    fn is_in_release(&self, history: &History) -> bool {
        let folder = history.state.parent().unwrap_or(Path::new(""));
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or(path.to_owned());
        let parts = ["release", "owner"].map(|part| absolute(&self.out).join(part));
        let is_inside = parts.iter().any(|part| absolute(folder).starts_with(part));
        is_inside || folder.join(MANIFEST).exists()
    }
}
