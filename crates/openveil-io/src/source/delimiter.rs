//! What probably separates the fields of a line.

/// What usually separates fields.
const USUAL: [u8; 4] = [b'\t', b';', b'|', b','];

/// What probably separates the fields of a line that was read as a single field.
pub(crate) fn likely_delimiter(line: &str) -> Option<u8> {
    let count = |delimiter: u8| line.bytes().filter(|&byte| byte == delimiter).count();
    let most = USUAL.into_iter().rev().max_by_key(|&usual| count(usual))?;
    (count(most) > 0).then_some(most)
}

/// A delimiter as policies and options write it.
pub(crate) fn shown_delimiter(delimiter: u8) -> String {
    if delimiter == b'\t' {
        "\\t".to_owned()
    } else {
        char::from(delimiter).to_string()
    }
}
