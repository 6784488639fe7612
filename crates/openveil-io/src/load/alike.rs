//! Decides when two cells are one value: the only place that compares cells as people read them.
//!
//! Whoever holds the published table reads `7`, `7.0`, `007`, ` 7` and `７` as one number, `Flu`
//! and `flu` as one word, and 9:30 in Greenwich and 11:30 in Paris as one moment. A guard that
//! counted them as several would count one person, or one illness, more than once. Some cells can
//! be read in several ways (`1,234`, `03/04/2020`): two cells are alike if any of their readings
//! is the same. Whether cells that are alike are one value, only the owner knows.

mod moment;
mod number;

use crate::policy::{Alike, ColumnPolicy, Policy, Role, ValueType};
use crate::source::{INVISIBLE, RawColumn, RawTable};
use crate::{Error, ErrorKind, Location, shown};
use foldhash::fast::FixedState;
use openveil_text::{Text, text};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use unicode_normalization::UnicodeNormalization;

/// The number of sets of cells that a message lists.
const LISTED: usize = 5;

/// Returns a text in the form in which people read it: compatible characters unified (NFKC),
/// without case, accents and invisible characters, and with each run of blanks as one blank.
pub fn as_read(text: &str) -> String {
    if text.is_ascii() {
        return folded(text.chars().filter(|&c| !is_ignored(c)).collect());
    }
    let compatible: String = text.chars().filter(|&c| !is_ignored(c)).nfkc().collect();
    // Upper case first, then lower case: this turns both `ß` and `ss` into `ss`.
    let cased = compatible.to_uppercase().to_lowercase();
    let parts = cased.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c));
    folded(parts.nfkc().collect())
}

/// Returns a text in lower case, with each run of blanks as one blank.
fn folded(text: String) -> String {
    let mut read = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !read.is_empty() {
            read.push(' ');
        }
        read.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    }
    read
}

/// Returns whether a character is invisible: [`INVISIBLE`], marks of direction, joiners, variation
/// selectors, tags and controls other than blanks.
fn is_ignored(character: char) -> bool {
    let is_mark = matches!(character, '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    is_mark
        || INVISIBLE.contains(&character)
        || character.is_control() && !character.is_whitespace()
}

/// Returns whether a cell has one reading, which is its text: a word in small letters, or a whole
/// number.
pub(super) fn is_plain(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    match bytes.first() {
        // Eight digits may be a day.
        Some(b'1'..=b'9') => bytes.len() != 8 && bytes.len() < 40 && bytes.iter().all(is_digit),
        Some(b'0') => bytes.len() == 1,
        Some(b'a'..=b'z') => bytes.iter().all(|byte| byte.is_ascii_lowercase() || is_digit(byte)),
        _ => false,
    }
}

/// Returns everything that a cell can be read as: numbers, moments, and its text. Cells that are
/// alike share a reading. The first reading is the most specific one.
pub fn readings(cell: &str) -> Vec<String> {
    if is_plain(cell) {
        return vec![cell.to_owned()];
    }
    let read = as_read(cell);
    let mut readings = Vec::new();
    if read.bytes().any(|byte| byte.is_ascii_digit()) {
        readings = number::readings(&read);
        readings.extend(moment::readings(&read));
    }
    readings.push(read);
    readings
}

/// Returns the sets of two or more texts that are alike, by their positions; a text that is alike
/// to two others joins them. O(total length + texts · log texts).
pub(crate) fn sets(texts: &[&str]) -> Vec<Vec<usize>> {
    let hasher = &FixedState::default();
    let of_text = |(place, text): (usize, &&str)| {
        let (plain, others) = match is_plain(text) {
            true => (Some(hasher.hash_one(*text)), Vec::new()),
            false => (None, readings(text)),
        };
        let others = others.into_iter().map(|own| hasher.hash_one(&*own));
        plain.into_iter().chain(others).map(move |mark| (mark, place))
    };
    let mut marks: Vec<(u64, usize)> =
        texts.par_iter().enumerate().flat_map_iter(of_text).collect();
    marks.par_sort_unstable();
    let is_same = |one: usize, other: usize| {
        let own = readings(texts[one]);
        readings(texts[other]).iter().any(|reading| own.contains(reading))
    };
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for pair in marks.windows(2) {
        let ((mark, one), (next, other)) = (pair[0], pair[1]);
        // A hash can be equal by chance.
        if mark == next && one != other && is_same(one, other) {
            let (one, other) = (root(&first, one), root(&first, other));
            first.insert(one.max(other), one.min(other));
        }
    }
    let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &place in first.keys() {
        let root = root(&first, place);
        sets.entry(root).or_insert_with(|| vec![root]).push(place);
    }
    sets.into_values()
        .map(|mut places| {
            places.sort_unstable();
            places.dedup();
            places
        })
        .filter(|places| places.len() > 1)
        .collect()
}

/// Returns the first text of a set.
fn root(first: &BTreeMap<usize, usize>, mut place: usize) -> usize {
    while let Some(&before) = first.get(&place).filter(|&&before| before != place) {
        place = before;
    }
    place
}

/// Returns, for each text, the place of the first one that reads alike.
pub fn first_alike(texts: &[&str]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..texts.len()).collect();
    for places in sets(texts) {
        places.iter().for_each(|&own| first[own] = places[0]);
    }
    first
}

/// Returns the number of rows of each value, with spellings of one value counted together; none if
/// no two texts are alike.
pub fn merged_counts<'a>(texts: impl Iterator<Item = (&'a str, usize)>) -> Option<Vec<usize>> {
    let (texts, rows): (Vec<&str>, Vec<usize>) = texts.unzip();
    let first = first_alike(&texts);
    let mut merged = vec![0; rows.len()];
    first.iter().zip(rows).for_each(|(&first, rows)| merged[first] += rows);
    let is_merged = first.iter().enumerate().any(|(own, &first)| own != first);
    is_merged.then(|| merged.into_iter().filter(|&own| own > 0).collect())
}

/// Replaces, in the columns that tell people apart, every spelling of an identifier by the first
/// one in alphabetical order, so that all later code counts people as a reader does.
///
/// # Errors
/// Identifiers that are alike without `merge` or `distinct` in the policy.
pub(super) fn identify(policy: &Policy, raw: &mut RawTable) -> Result<(), Error> {
    let tells_apart = |name: &str| {
        let is_named = policy.people().any(|own| own == name) || policy.identity() == Some(name);
        let nobody_else = policy.people().next().is_none() && policy.persons().is_none();
        let is_identifier = policy.columns[name].role == Role::Identifier;
        is_named
            || policy.episode() == Some(name)
            || is_identifier && nobody_else && !policy.input.rows_are_people
    };
    for number in 0..raw.columns.len() {
        let own = &raw.columns[number];
        let column = &policy.columns[&own.name];
        if column.alike == Some(Alike::Distinct) || !tells_apart(&own.name) {
            continue;
        }
        if let Some(code_of) = merged(policy, column, raw, own)? {
            let codes = &mut raw.columns[number].codes;
            codes.iter_mut().for_each(|code| *code = code_of[*code as usize]);
        }
    }
    Ok(())
}

/// Returns for each text of a column the text that stands for it; none if no texts are alike.
fn merged(
    policy: &Policy,
    column: &ColumnPolicy,
    raw: &RawTable,
    own: &RawColumn,
) -> Result<Option<Vec<u32>>, Error> {
    let counts = own.counts();
    let counted = own
        .values
        .iter()
        .zip(&*counts)
        .zip(0u32..)
        .filter(|((text, rows), _)| {
            **rows > 0 && !super::is_missing(policy, &own.name, text.trim())
        })
        .map(|((text, _), code)| (text, code));
    let (texts, codes): (Vec<&str>, Vec<u32>) = counted.unzip();
    let sets = sets(&texts);
    if sets.is_empty() {
        return Ok(None);
    }
    // A column of numbers or dates is read as such.
    if column.alike.is_none() && column.value_type == ValueType::Text {
        let seen = raw.place_of(own, codes[sets[0][1]]);
        return Err(undecided(seen, &texts, &sets, false));
    }
    let mut code_of: Vec<u32> = (0..own.values.len() as u32).collect();
    for places in sets {
        let first = places.iter().min_by_key(|&&place| texts[place]);
        let first = codes[*first.expect("two texts or more are alike")];
        places.iter().for_each(|&place| code_of[codes[place] as usize] = first);
    }
    Ok(Some(code_of))
}

/// Returns the labels of a protected column after the policy's decision about labels that are
/// alike, and for each original label its position among them. `rows` are the rows of each label.
///
/// Merged labels become the most frequent of them; among equally frequent ones, the first in
/// alphabetical order. The choice depends on the histogram, not on the order of rows.
///
/// # Errors
/// Labels that are alike without `merge` or `distinct` in the policy: a group that holds only such
/// labels would count as diverse.
pub(super) fn decided(
    policy: &Policy,
    (name, column): (&str, &ColumnPolicy),
    labels: Vec<String>,
    rows: &[u64],
) -> Result<(Vec<String>, Vec<u32>), Error> {
    let texts: Vec<&str> = labels.iter().map(String::as_str).collect();
    let is_asked = column.alike != Some(Alike::Distinct) && policy.protects(name);
    let sets = if is_asked { sets(&texts) } else { Vec::new() };
    if sets.is_empty() {
        let places = (0..labels.len() as u32).collect();
        return Ok((labels, places));
    }
    if column.alike.is_none() {
        let place = Location::file(&policy.input.source.path).column(name);
        return Err(undecided(place, &texts, &sets, true));
    }
    let mut becomes: Vec<usize> = (0..labels.len()).collect();
    for places in &sets {
        let most = places.iter().max_by_key(|&&place| (rows[place], Reverse(&labels[place])));
        let most = *most.expect("two labels or more are alike");
        places.iter().for_each(|&place| becomes[place] = most);
    }
    let kept: Vec<usize> = (0..labels.len()).filter(|place| becomes[*place] == *place).collect();
    let places =
        becomes.iter().map(|own| kept.binary_search(own).expect("it is kept") as u32).collect();
    Ok((kept.iter().map(|&own| labels[own].clone()).collect(), places))
}

/// Asks about cells that are alike. The message shows single cells, and not who has them, nor how
/// many rows.
fn undecided(place: Location, texts: &[&str], sets: &[Vec<usize>], is_protected: bool) -> Error {
    let mut parts: Vec<Text> = sets
        .iter()
        .take(LISTED)
        .map(|places| {
            places
                .iter()
                .take(LISTED)
                .map(|&place| format!("\"{}\"", shown(texts[place])))
                .collect::<Vec<String>>()
                .join(", ")
                .into()
        })
        .collect();
    if let more @ 1.. = sets.len().saturating_sub(LISTED) {
        parts.push(text!("and {more} more"));
    }
    let (problem, one, several): (_, Text, Text) = if is_protected {
        (
            "has values that read alike: a group that contains only these would count as diverse",
            "one value".into(),
            "different values".into(),
        )
    } else {
        (
            "has identifiers that read alike: the rows of one person would count as several people",
            "one identifier".into(),
            "different identifiers".into(),
        )
    };
    Error::new(place, problem)
        .of_kind(ErrorKind::Policy)
        .with_parts(parts)
        .help(text!("if they are spellings of {one:text}, set `merge = true` for the column, or correct the table; if they are {several:text}, set `distinct = true`"))
}

#[cfg(test)]
mod tests;
