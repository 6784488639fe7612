//! Guesses the delimiter of the fields of a text.

/// The usual delimiters.
const USUAL: [u8; 4] = [b'\t', b';', b'|', b','];

/// Returns the byte that separates fields, from the text in policies and options; the error is the
/// problem.
///
/// # Errors
/// A text that is not one ASCII character, or that has a meaning of its own: digits (groups are
/// numbered, and numbers are written without quotes), quotes and line breaks.
pub fn delimiter(text: &str) -> Result<u8, &'static str> {
    match text.as_bytes() {
        [digit] if digit.is_ascii_digit() => Err("is a digit"),
        [b'"'] => Err("is the quotation mark that encloses fields"),
        [b'\n' | b'\r'] => Err("ends lines"),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("is not one ASCII character"),
    }
}

/// Returns the probable delimiter of a line that was read as a single field.
pub fn likely_delimiter(line: &str) -> Option<u8> {
    let count = |delimiter: u8| line.bytes().filter(|&byte| byte == delimiter).count();
    let most = USUAL.into_iter().rev().max_by_key(|&usual| count(usual))?;
    (count(most) > 0).then_some(most)
}

/// Returns the delimiter of a text, guessed from its first lines: the usual delimiter that divides
/// all of them into equally many fields, and into the most. None if no line has any.
pub fn delimiter_of_text(head: &str) -> Option<u8> {
    let mut lines = head.lines().collect::<Vec<&str>>();
    // The last line may be cut.
    if lines.len() > 1 && !head.ends_with('\n') {
        lines.pop();
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.truncate(50);
    let first = lines.first()?;
    let fields = |line: &str, delimiter: u8| {
        let mut quoted = false;
        line.bytes()
            .filter(|&byte| {
                quoted ^= byte == b'"';
                byte == delimiter && !quoted
            })
            .count()
    };
    let rate = |delimiter: u8| {
        let own = fields(first, delimiter);
        let alike = lines.iter().filter(|line| fields(line, delimiter) == own).count();
        (own > 0).then_some((20 * alike / lines.len(), own))
    };
    let rated = USUAL.into_iter().rev().filter_map(|usual| Some((rate(usual)?, usual)));
    // The list is reversed and a later equal rate does not win, so of equals the last usual
    // delimiter, the comma, is taken.
    let mut best: Option<((usize, usize), u8)> = None;
    for (rate, usual) in rated {
        if best.is_none_or(|(most, _)| rate > most) {
            best = Some((rate, usual));
        }
    }
    best.map(|(_, delimiter)| delimiter)
}

/// Returns a delimiter as policies and options write it.
pub fn shown_delimiter(delimiter: u8) -> String {
    if delimiter == b'\t' { "\\t".to_owned() } else { char::from(delimiter).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_a_character_without_another_meaning() {
        for (text, expected) in [
            (",", Ok(b',')),
            ("\t", Ok(b'\t')),
            ("7", Err("is a digit")),
            ("\"", Err("is the quotation mark that encloses fields")),
            ("\n", Err("ends lines")),
            ("", Err("is not one ASCII character")),
            (",,", Err("is not one ASCII character")),
            ("é", Err("is not one ASCII character")),
        ] {
            assert_eq!(delimiter(text), expected, "{text:?}");
        }
    }

    #[test]
    fn delimiters_divide_all_lines_alike() {
        for (text, expected) in [
            ("a,b\n1,2\n", Some(b',')),
            ("a;b\n1,5;2,5\n1,7;3\n", Some(b';')),
            ("a\tb c\n1\t2, 3\n", Some(b'\t')),
            ("a|b\n1|2", Some(b'|')),
            ("\"x;y\",b\n1,2\n", Some(b',')),
            ("name\nAnn\n", None),
        ] {
            assert_eq!(delimiter_of_text(text), expected, "{text:?}");
        }
    }
}
