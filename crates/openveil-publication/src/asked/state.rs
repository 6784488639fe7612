//! Checks where the state of a history is stored.

use openveil_io::policy::{HistoryPolicy, Policy};
use openveil_io::release_dir::MANIFEST;
use openveil_io::{Error, Location};
use openveil_text::text;
use std::path::Path;

/// Refuses a state in a folder of releases.
///
/// # Errors
/// A state in such a folder.
pub(crate) fn check_state(policy: &Policy) -> Result<(), Error> {
    match policy.history() {
        Some(history) if is_in_release(policy, history) => Err(Error::new(
            Location::file(&policy.path),
            text!("[history] keeps its `state` in a folder of releases, which may be published or replaced"),
        )
        .help(text!("keep it in another folder: `state = \"secret/people.state\"`"))),
        _ => Ok(()),
    }
}

/// Returns whether the state would be in a folder of releases, of this run or of another.
fn is_in_release(policy: &Policy, history: &HistoryPolicy) -> bool {
    let folder = history.state.parent().unwrap_or(Path::new(""));
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or(path.to_owned());
    ["release", "owner"]
        .map(|part| absolute(&policy.output.dir).join(part))
        .iter()
        .any(|part| absolute(folder).starts_with(part))
        || folder.join(MANIFEST).exists()
}
