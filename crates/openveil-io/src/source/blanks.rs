//! Blanks around a value: white space of every script, and invisible characters.

/// Invisible characters.
pub(crate) const INVISIBLE: [char; 7] =
    ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{180e}'];

/// Removes blanks at both ends. Bytes that are not UTF-8 lose ASCII blanks only; they are refused
/// when they are stored.
pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii();
    let plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii);
    if plain(bytes.first()) && plain(bytes.last()) {
        return bytes;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => trim_text(text).as_bytes(),
        Err(_) => bytes,
    }
}

/// Removes blanks at both ends.
pub(super) fn trim_text(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || INVISIBLE.contains(&c))
}
