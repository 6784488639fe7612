//! Suggests for unknown names the known name that was probably meant.

mod synonyms;

pub(crate) use synonyms::not_here;

use crate::{Error, Location};
use openveil_text::{Text, text};
use std::cmp::Reverse;

/// Returns the known name that was probably meant: another spelling of it, another program's word
/// for it, or the closest name, if one is close and not the opposite.
pub fn did_you_mean<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let meant = synonyms::plain(found);
    if let Some(same) = known.iter().find(|name| synonyms::plain(name) == meant) {
        return Some(same);
    }
    if let Some(other) = known.iter().find(|name| synonyms::means(&meant, name)) {
        return Some(other);
    }
    // `drop` for `drop-rows`, if no other name starts with it.
    let mut begun = known.iter().filter(|name| found.len() >= 3 && name.starts_with(found));
    if let (Some(only), None) = (begun.next(), begun.next()) {
        return Some(only);
    }
    let shared = |name: &str| {
        name.chars().zip(found.chars()).take_while(|(own, other)| own == other).count()
    };
    known
        .into_iter()
        .filter(|name| !negates(found, name) && !negates(name, found))
        .map(|name| (strsim::damerau_levenshtein(found, name), name))
        .filter(|(distance, name)| *distance <= (name.len().max(found.len()) / 3).max(1))
        .min_by_key(|(distance, name)| (*distance, Reverse(shared(name)), *name))
        .map(|(_, name)| name)
}

/// Returns the error with the name that was probably meant, or else with other help.
pub fn or_meant<'a, S: Into<Text>>(
    error: Error,
    found: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> S,
) -> Error {
    match did_you_mean(found, known) {
        Some(name) => error.help(text!("did you mean `{name}`?")),
        None => error.help(otherwise()),
    }
}

/// Returns whether a word is the opposite of another, such as `insensitive`.
fn negates(word: &str, other: &str) -> bool {
    ["in", "un", "non", "not", "no"].into_iter().any(|prefix| {
        let rest = word.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.trim_start_matches(['-', '_', ' ']) == other)
    })
}

/// Returns the error for an unknown name, with a suggestion or the list of known names.
pub(crate) fn unknown(what: &str, found: &str, known: &[&str]) -> Error {
    let error = Error::new(Location::default(), text!("unknown {what} `{found}`"));
    if let Some(help) = not_here(found) {
        return error.help(help);
    }
    or_meant(error, found, known.iter().copied(), || format!("known: {}", known.join(", ")))
}
