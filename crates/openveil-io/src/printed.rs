//! Texts from files, in a form that is safe to print.

use std::borrow::Cow;

/// Returns text from a file in a form that is safe to print: one line, without characters that
/// control a terminal, cut after 4,096 bytes.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = !text.contains(misleads);
    if is_plain && text.len() <= LONG {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for character in text.chars() {
        if shown.len() >= LONG {
            shown.push('…');
            break;
        }
        if misleads(character) {
            shown.extend(character.escape_default())
        } else {
            shown.push(character)
        }
    }
    Cow::Owned(shown)
}

/// Returns a message as it is printed: everything that it quotes, such as a cell of a file, is
/// short.
pub(crate) fn message(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(['`', '"']) {
        let (before, quoted) = rest.split_at(start);
        let (mark, quoted) = quoted.split_at(1);
        let Some((inside, after)) = quoted.split_once(mark) else {
            break;
        };
        shown.extend([before, mark, &short(inside, QUOTED), mark]);
        rest = after;
    }
    shown.push_str(rest);
    printable(&shown).into_owned()
}

/// Returns the start of a text, escaped.
fn short(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most + 1).collect();
    let start = printable(&start);
    match start.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &start[..end]),
        None => start.into_owned(),
    }
}

/// Returns a cell of a file as a message quotes it: one short line, escaped. Messages quote at most
/// one cell of a row.
pub fn shown(cell: &str) -> String {
    short(cell, SHORT)
}

/// Returns a page with terminal control characters escaped, since it may be read in a terminal.
/// O(length).
pub fn without_control(page: String) -> String {
    let is_obeyed = |c: char| c.is_control() && c != '\n';
    if !page.contains(is_obeyed) {
        return page;
    }
    let mut shown = String::with_capacity(page.len());
    for character in page.chars() {
        if is_obeyed(character) {
            shown.extend(character.escape_default())
        } else {
            shown.push(character)
        }
    }
    shown
}

/// Returns whether a character controls a terminal, changes the direction of a line, or is
/// invisible where no script needs it.
pub fn misleads(character: char) -> bool {
    let is_hidden = matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
    character.is_control() || turns(character) || is_hidden
}

/// Returns whether a character changes the direction of a line.
pub fn turns(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The number of characters of a cell that a message quotes.
const SHORT: usize = 40;

/// The number of characters between quotation marks that a message shows.
const QUOTED: usize = 80;

/// The number of bytes of a message that are shown.
const LONG: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Location};

    #[test]
    fn a_message_quotes_at_most_a_short_cell() {
        let long = "x\u{0}".repeat(5_000);
        for problem in [format!("`{long}` is not a number"), format!("is \"{long}\", not `a`")] {
            let said = Error::new(Location::default(), problem.clone()).help(problem).to_string();
            assert!(said.len() < 300 && said.contains('…'), "{said}");
        }
        let plain = "`a` and \"b\" and `c";
        assert_eq!(message(plain), plain);
    }
}
