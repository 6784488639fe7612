//! The code that the Python and the R package share.
//!
//! A package converts its own tables and values, raises its own errors, and calls this crate:
//!
//! * [`policy`] makes a policy from named arguments and a table's types,
//! * [`table`] makes tables from numbered values and from texts,
//! * [`release`] publishes, and answers questions about a release,
//! * [`work`] runs long work that can be watched and interrupted.
//!
//! Messages name arguments instead of options of the command: [`speak`] says once in which language.

pub mod commands;
pub mod policy;
pub mod release;
pub mod table;
pub mod toml;
pub mod value;
pub mod work;

pub use openveil_text::{Package, Voice};
pub use value::{Section, Value};

use openveil_io::{Error, Location};
use openveil_text::Text;
use std::sync::OnceLock;

/// Returns the error for an argument that cannot be used.
pub fn input(problem: impl Into<Text>) -> Error {
    Error::new(Location::default(), problem)
}

static PACKAGE: OnceLock<Package> = OnceLock::new();

/// Says which package speaks; called when it is loaded.
pub fn speak(package: Package) {
    PACKAGE.get_or_init(|| package);
}

/// Returns the voice of the package; `by_arguments` says whether the policy that messages are about
/// was given by arguments, not by a file.
///
/// # Panics
/// [`speak`] was not called.
pub fn voice(by_arguments: bool) -> Voice {
    let package = *PACKAGE.get().expect("a package says who it is when it is loaded");
    Voice::Package { package, by_arguments }
}

/// Returns a document as JSON text, with its messages in the words of a voice.
///
/// # Errors
/// A document that JSON cannot hold.
pub fn json(document: &impl serde::Serialize, voice: Voice) -> Result<String, Error> {
    voice.speak(|| serde_json::to_string(document)).map_err(|cause| input(cause.to_string()))
}

/// Returns the answer of a command as JSON text. In Python it is the document that the command
/// prints with `--json`; R makes lists of it, whose notes it shows.
///
/// # Errors
/// A document that JSON cannot hold.
pub fn document(answer: &impl serde::Serialize) -> Result<String, Error> {
    match voice(false) {
        Voice::Package { package: Package::Python, .. } => json(answer, Voice::Command),
        own => json(answer, own),
    }
}

/// Returns messages in the package's words; `by_arguments` as for [`voice`].
pub fn said(messages: &[Text], by_arguments: bool) -> Vec<String> {
    let voice = voice(by_arguments);
    messages.iter().map(|message| message.say(voice, None)).collect()
}
