//! Messages that say what was probably meant.

use crate::{Error, Place};
use std::path::Path;

/// The known name closest to the one found, if any is close.
pub fn did_you_mean<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(found, name), name))
        .filter(|(distance, name)| *distance <= (name.len().max(found.len()) / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

/// An unknown name of some kind, with a suggestion or the list of known ones.
pub(super) fn unknown(what: &str, found: &str, known: &[&str]) -> Error {
    let error = Error::new(Place::default(), format!("there is no {what} `{found}`"));
    match did_you_mean(found, known.iter().copied()) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error.help(format!("known: {}", known.join(", "))),
    }
}

/// Explains a TOML error with its line and, for unknown keys, a suggestion.
pub(super) fn toml_error(text: &str, path: &Path, cause: &toml::de::Error) -> Error {
    let mut place = Place::file(path);
    if let Some(span) = cause.span() {
        place = place.line(text[..span.start.min(text.len())].matches('\n').count() as u64 + 1);
    }
    let message = cause.message();
    // serde lists what it knows: unknown field `x`, expected one of `a`, `b`
    let mut quoted = message.split('`').skip(1).step_by(2);
    let kind = ["field", "variant"]
        .into_iter()
        .find(|kind| message.starts_with(&format!("unknown {kind} ")));
    match (kind, quoted.next()) {
        (Some(kind), Some(found)) => {
            let known: Vec<&str> = quoted.collect();
            let kind = if kind == "field" { "key" } else { "value" };
            let error = Error::new(place, format!("unknown {kind} `{found}`"));
            match did_you_mean(found, known.iter().copied()) {
                Some(name) => error.help(format!("did you mean `{name}`?")),
                None => error.help(format!("known here: {}", known.join(", "))),
            }
        }
        _ => Error::new(place, message.trim_end()),
    }
}
