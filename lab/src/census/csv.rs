use super::{AGES, BLOCK, CensusRow, blocks};
use rayon::prelude::*;
use std::io::{self, Write};

/// The number of blocks that are held in memory at once.
const BLOCKS_AT_ONCE: usize = 16;

/// Writes the rows of [`super::census`] as CSV with the header
/// `age,gender,education,birthplace,occupation`.
///
/// O(rows), in parallel; memory does not grow with the rows.
///
/// # Errors
/// Errors of the writer.
pub fn write_csv(rows: usize, seed: u64, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"age,gender,education,birthplace,occupation\n")?;
    for first in (0..rows.div_ceil(BLOCK)).step_by(BLOCKS_AT_ONCE) {
        let left = rows - first * BLOCK;
        let texts: Vec<Vec<u8>> = blocks(first, left.min(BLOCKS_AT_ONCE * BLOCK), seed, None)
            .map(|people| lines(&people))
            .collect();
        texts.iter().try_for_each(|text| out.write_all(text))?;
    }
    out.flush()
}

/// Returns `F` or `M`.
pub(super) fn gender(code: u8) -> &'static str {
    ["F", "M"][usize::from(code)]
}

/// Returns a name with a two-digit number counted from 1: `edu01`.
pub(super) fn label(name: &str, code: u8) -> String {
    format!("{name}{:02}", code + 1)
}

fn lines(people: &[CensusRow]) -> Vec<u8> {
    let mut text = Vec::with_capacity(people.len() * b"17,F,edu01,bp01,occ01\n".len());
    for person in people {
        two_digits(&mut text, b"", person.age + *AGES.start() as u8);
        text.push(b',');
        text.extend_from_slice(gender(person.gender).as_bytes());
        two_digits(&mut text, b",edu", person.education + 1);
        two_digits(&mut text, b",bp", person.birthplace + 1);
        two_digits(&mut text, b",occ", person.occupation + 1);
        text.push(b'\n');
    }
    text
}

#[inline]
fn two_digits(text: &mut Vec<u8>, before: &[u8], number: u8) {
    text.extend_from_slice(before);
    text.extend_from_slice(&[b'0' + number / 10, b'0' + number % 10]);
}
