//! A policy as text, to find the places for messages.

use crate::spelling;
use crate::{Error, Location};
use openveil_text::Text;
use std::ops::Range;
use std::path::Path;

/// The text of a policy, and its file.
pub(super) struct WrittenPolicy<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl WrittenPolicy<'_> {
    /// Returns an error about the policy.
    pub(super) fn error(&self, problem: impl Into<Text>) -> Error {
        Error::new(Location::file(self.path), problem)
    }

    /// Returns an error about an unknown name, with a suggestion.
    pub(super) fn unknown(&self, what: &str, found: &str, known: &[&str]) -> Error {
        spelling::unknown(what, found, known).at(self.path)
    }

    /// Returns where a key of a part of the policy stands; the start of the part if it is not
    /// found.
    pub(super) fn place_of(&self, part: &Range<usize>, key: &str) -> Location {
        let found = self.line_of(part, key);
        found.unwrap_or_else(|| self.start_of(part))
    }

    /// Returns where a part of the policy begins.
    pub(super) fn start_of(&self, part: &Range<usize>) -> Location {
        let start = part.start.min(self.text.len());
        let line = self.text[..start].matches('\n').count() as u64 + 1;
        Location::file(self.path).line(line)
    }

    /// Returns the line of a part of the policy that assigns to `word` or assigns it as a value.
    pub(super) fn line_of(&self, part: &Range<usize>, word: &str) -> Option<Location> {
        let start = part.start.min(self.text.len());
        let first = self.text[..start].matches('\n').count() as u64 + 1;
        let says = |line: &str| {
            let line = line.trim();
            let rest = line.strip_prefix(word);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
                || line.ends_with(&format!("= \"{word}\""))
        };
        let mut lines = self.text[start..]
            .lines()
            .enumerate()
            .take_while(|(number, line)| *number == 0 || !line.starts_with('['));
        let (number, _) = lines.find(|(_, line)| !word.is_empty() && says(line))?;
        Some(Location::file(self.path).line(first + number as u64))
    }
}
