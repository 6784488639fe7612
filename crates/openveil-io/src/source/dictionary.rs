use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher;

/// The distinct values of a column, numbered in order of first appearance.
///
/// Values lie end to end in one buffer; looking one up allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    text: String,
    ends: Vec<usize>,
    first_seen: Vec<FirstSeen>,
    codes: HashTable<u32>,
    /// The codes of short values, by their bytes as a number: most values are short, and comparing
    /// numbers is faster.
    short: HashMap<u64, u32, FixedState>,
    hasher: FixedState,
}

/// Where a value was first seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstSeen {
    /// Number of the file, counted from 0.
    pub file: u32,
    /// Line in the file, counted from 1; 0 where the format has no lines.
    pub line: u64,
}

impl Dictionary {
    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was seen yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a value.
    pub fn get(&self, code: u32) -> &str {
        &self.text[span(&self.ends, code)]
    }

    /// All values by code.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.get(code))
    }

    /// Where a value was first seen.
    pub fn first_seen(&self, code: u32) -> FirstSeen {
        self.first_seen[code as usize]
    }

    /// The code of a value, a new one if it was never seen.
    ///
    /// # Errors
    /// The bytes are not UTF-8; checked for new values only, which covers all.
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
        if let Some(&code) = self
            .codes
            .find(hash, |&code| &text[span(ends, code)] == bytes)
        {
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
        self.codes
            .insert_unique(hash, code, |&code| hasher.hash_one(&text[span(ends, code)]));
        Ok(code)
    }
}

/// Up to seven bytes and their number as one number.
#[inline]
fn short(bytes: &[u8]) -> Option<u64> {
    if bytes.len() >= size_of::<u64>() {
        return None;
    }
    let start = bytes.len() as u64;
    Some(
        bytes
            .iter()
            .fold(start, |number, &byte| number << 8 | u64::from(byte)),
    )
}

fn span(ends: &[usize], code: u32) -> std::ops::Range<usize> {
    let start = if code == 0 {
        0
    } else {
        ends[code as usize - 1]
    };
    start..ends[code as usize]
}
