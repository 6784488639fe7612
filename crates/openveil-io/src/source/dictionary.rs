use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher;

/// The distinct values of a column, numbered in order of first appearance.
///
/// Values are stored end to end in one buffer; a look-up allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    text: String,
    ends: Vec<usize>,
    first_seen: Vec<FirstSeen>,
    codes: HashTable<u32>,
    /// The codes of short values, by their bytes as a number. Most values are short, and comparing
    /// numbers is faster.
    short: HashMap<u64, u32, FixedState>,
    hasher: FixedState,
}

/// The place where a value first occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstSeen {
    /// Number of the file, counted from 0.
    pub file: u32,
    /// Line in the file, counted from 1; 0 if the format has no lines.
    pub line: u64,
}

impl Dictionary {
    /// Returns the number of distinct values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no value yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the text of a value.
    pub fn get(&self, code: u32) -> &str {
        &self.text[span(&self.ends, code)]
    }

    /// Returns all values by code.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.get(code))
    }

    /// Returns where a value first occurs.
    pub fn first_seen(&self, code: u32) -> FirstSeen {
        self.first_seen[code as usize]
    }

    /// Returns the code of a value; gives it a new code if it is new.
    ///
    /// # Errors
    /// The bytes are not UTF-8. Only new values are checked, which covers all.
    #[inline]
    pub fn intern(
        &mut self,
        bytes: &[u8],
        seen: impl FnOnce() -> FirstSeen,
    ) -> Result<u32, std::str::Utf8Error> {
        let short = short(bytes);
        if let Some(&code) = short.and_then(|short| self.short.get(&short)) {
            return Ok(code);
        }
        let hash = self.hasher.hash_one(bytes);
        let (text, ends) = (self.text.as_bytes(), &self.ends);
        if let Some(&code) = self.codes.find(hash, |&code| &text[span(ends, code)] == bytes) {
            return Ok(code);
        }
        self.insert(hash, std::str::from_utf8(bytes)?, seen())
    }

    #[cold]
    fn insert(
        &mut self,
        hash: u64,
        value: &str,
        seen: FirstSeen,
    ) -> Result<u32, std::str::Utf8Error> {
        let code = self.ends.len() as u32;
        if let Some(short) = short(value.as_bytes()) {
            self.short.insert(short, code);
        }
        self.text.push_str(value);
        self.ends.push(self.text.len());
        self.first_seen.push(seen);
        let (text, ends, hasher) = (self.text.as_bytes(), &self.ends, &self.hasher);
        self.codes.insert_unique(hash, code, |&code| hasher.hash_one(&text[span(ends, code)]));
        Ok(code)
    }
}

/// Packs up to seven bytes and their length into one number: the first four bytes, the last three,
/// and the length. Shorter texts have some bytes in several places, which saves a loop.
#[inline]
fn short(bytes: &[u8]) -> Option<u64> {
    let length = bytes.len();
    let at = |index: usize| u64::from(bytes[index]);
    let (first, last) = match length {
        0 => return Some(0),
        1..=3 => (at(0), at(length / 2) << 8 | at(length - 1)),
        4..=7 => (
            at(0) << 24 | at(1) << 16 | at(2) << 8 | at(3),
            at(length - 3) << 16 | at(length - 2) << 8 | at(length - 1),
        ),
        _ => return None,
    };
    Some((length as u64) << 56 | last << 32 | first)
}

fn span(ends: &[usize], code: u32) -> std::ops::Range<usize> {
    let start = if code == 0 { 0 } else { ends[code as usize - 1] };
    start..ends[code as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn different_short_texts_are_different_numbers() {
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        let mut known: HashMap<u64, Vec<u8>> = HashMap::new();
        for length in 0..=7 {
            for text in &texts {
                assert_eq!(text.len(), length);
                let number = short(text).unwrap();
                assert_eq!(known.insert(number, text.clone()), None, "{text:?}");
            }
            let longer = texts.iter().flat_map(|text| {
                [0, 1, 0xff].map(|byte: u8| text.iter().copied().chain([byte]).collect())
            });
            texts = longer.collect();
        }
        assert_eq!(short(&texts[0]), None);
    }
}
