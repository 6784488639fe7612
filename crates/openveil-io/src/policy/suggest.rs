//! Messages that say what was probably meant.

use crate::{Error, Location};
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
pub(crate) fn unknown(what: &str, found: &str, known: &[&str]) -> Error {
    let error = Error::new(Location::default(), format!("there is no {what} `{found}`"));
    match did_you_mean(found, known.iter().copied()) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error.help(format!("known: {}", known.join(", "))),
    }
}

/// Explains a TOML error with its line and, for unknown keys, a suggestion.
pub(crate) fn toml_error(text: &str, path: &Path, cause: &toml::de::Error) -> Error {
    let mut place = Location::file(path);
    if let Some(span) = cause.span() {
        place = place.line(text[..span.start.min(text.len())].matches('\n').count() as u64 + 1);
    }
    explain(place, cause.message())
}

/// What serde says of a key or a value, in words, with a suggestion.
pub(crate) fn explain(place: Location, message: &str) -> Error {
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
        _ => plain_words(place, message.trim_end()),
    }
}

/// Says in plain words what serde says in Rust's.
fn plain_words(place: Location, message: &str) -> Error {
    if message.contains("HierarchySection") {
        return Error::new(place, "is not a hierarchy").help(
            "write a file's name, or one of { file = { path, delimiter } }, { tree = {...} }, { intervals = [...] }, { dates = [...] }, { prefixes = [...] }",
        );
    }
    if message.contains("struct ColumnSection") {
        return Error::new(place, "is not the description of a column")
            .help("write `name = { role = \"...\" }`; column names that contain dots or blanks need quotes");
    }
    let words = [
        ("expected u32", "expected a whole number of 0 or more"),
        ("expected usize", "expected a whole number of 0 or more"),
        ("expected a sequence", "expected a list in square brackets"),
        ("expected a borrowed string", "expected a text in quotes"),
        ("expected a string", "expected a text in quotes"),
    ];
    let plain = words.iter().fold(message.to_owned(), |text, (from, to)| {
        text.replace(from, to)
    });
    Error::new(place, plain)
}
