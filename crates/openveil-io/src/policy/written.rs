//! A policy as it is written: where things stand, for messages.

use crate::spelling;
use crate::{Error, Location};
use std::ops::Range;
use std::path::Path;

/// The text of a policy, and the file that it is in.
pub(super) struct WrittenPolicy<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl WrittenPolicy<'_> {
    /// A mistake in the policy.
    pub(super) fn error(&self, problem: impl Into<String>) -> Error {
        Error::new(Location::file(self.path), problem)
    }

    /// A name that there is not, with what may have been meant.
    pub(super) fn unknown(&self, what: &str, found: &str, known: &[&str]) -> Error {
        spelling::unknown(what, found, known).at(self.path)
    }

    /// Where a key of a part of the policy stands, or where the part begins.
    pub(super) fn place_of(&self, part: &Range<usize>, key: &str) -> Location {
        let found = self.line_of(part, key);
        found.unwrap_or_else(|| self.start_of(part))
    }

    /// Where a part of the policy begins.
    pub(super) fn start_of(&self, part: &Range<usize>) -> Location {
        let start = part.start.min(self.text.len());
        let line = self.text[..start].matches('\n').count() as u64 + 1;
        Location::file(self.path).line(line)
    }

    /// The line inside of a part of the policy that gives a key its value, or has it as
    /// its value.
    pub(super) fn line_of(&self, part: &Range<usize>, word: &str) -> Option<Location> {
        let start = part.start.min(self.text.len());
        let first = self.text[..start].matches('\n').count() as u64 + 1;
        let says = |line: &str| {
            let line = line.trim();
            let rest = line.strip_prefix(word);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
                || line.ends_with(&format!("= \"{word}\""))
        };
        let inside = |(number, line): &(usize, &str)| *number == 0 || !line.starts_with('[');
        let mut lines = self.text[start..].lines().enumerate().take_while(inside);
        let (number, _) = lines.find(|(_, line)| !word.is_empty() && says(line))?;
        Some(Location::file(self.path).line(first + number as u64))
    }
}
