//! Follows quotation marks, because the reader of records takes text after a closing one for a part
//! of the value: `"say \"hi\"",flu` would be read half.

use memchr::{memchr, memchr2};

/// Where a text stands between its quotation marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside of quotation marks.
    Outside,
    /// Between two of them.
    Inside,
    /// After a byte that escapes the next one.
    Escaped,
    /// After a mark that closes, unless another one follows.
    Closing,
    /// Between a closing mark and the end of the field: blanks only.
    Closed,
}

/// Quotation marks of a text that is read in parts.
pub(super) struct Quotes {
    delimiter: u8,
    escape: Option<u8>,
    place: Place,
    /// The last byte of the part before; a text begins as a line does.
    previous: u8,
}

impl Quotes {
    /// `escape` takes the meaning from the next byte, if the text has such a sign.
    pub(super) fn new(delimiter: u8, escape: Option<u8>) -> Self {
        Self { delimiter, escape, place: Place::Outside, previous: b'\n' }
    }

    /// Whether the text so far ends outside of quotation marks, and not behind them.
    pub(super) fn is_outside(&self) -> bool {
        self.place == Place::Outside
    }

    /// Follows the next part; returns the position of a text after a closing mark. O(bytes), fast
    /// where there are few marks.
    pub(super) fn stray(&mut self, part: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < part.len() {
            at = match self.place {
                Place::Outside => self.opened(part, at),
                Place::Inside => match self.next_sign(&part[at..]) {
                    None => part.len(),
                    Some(next) => {
                        let is_mark = part[at + next] == b'"';
                        self.place = if is_mark { Place::Closing } else { Place::Escaped };
                        at + next + 1
                    }
                },
                Place::Escaped => {
                    self.place = Place::Inside;
                    at + 1
                }
                Place::Closing if part[at] == b'"' => {
                    self.place = Place::Inside;
                    at + 1
                }
                Place::Closing => {
                    self.place = Place::Closed;
                    at
                }
                Place::Closed => match part[at] {
                    byte if byte == self.delimiter || matches!(byte, b'\r' | b'\n') => {
                        self.place = Place::Outside;
                        at
                    }
                    b' ' | b'\t' => at + 1,
                    _ => return Some(at),
                },
            };
        }
        self.previous = part.last().copied().unwrap_or(self.previous);
        None
    }

    /// Returns the position after the next mark that opens a field, or the end.
    fn opened(&mut self, part: &[u8], from: usize) -> usize {
        let mut at = from;
        while let Some(next) = memchr(b'"', &part[at..]) {
            let mark = at + next;
            let before = if mark == 0 { self.previous } else { part[mark - 1] };
            at = mark + 1;
            if before == self.delimiter || matches!(before, b'\r' | b'\n') {
                self.place = Place::Inside;
                return at;
            }
        }
        part.len()
    }

    fn next_sign(&self, part: &[u8]) -> Option<usize> {
        match self.escape {
            None => memchr(b'"', part),
            Some(escape) => memchr2(b'"', escape, part),
        }
    }
}

/// Returns whether a text escapes quotation marks by a backslash: it is read whole with it, and not
/// without.
pub fn is_escaped_by_backslash(head: &str, delimiter: u8) -> bool {
    let is_whole = |escape| Quotes::new(delimiter, escape).stray(head.as_bytes()).is_none();
    head.contains("\\\"") && !is_whole(None) && is_whole(Some(b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stray(text: &str, escape: Option<u8>) -> Option<usize> {
        let whole = Quotes::new(b',', escape).stray(text.as_bytes());
        // In parts of any size, it is found at the same place.
        for size in 1..=text.len() {
            let mut quotes = Quotes::new(b',', escape);
            let found = text
                .as_bytes()
                .chunks(size)
                .enumerate()
                .into_iter()
                .find_map(|(number, part)| quotes.stray(part).map(|at| number * size + at));
            assert_eq!(found, whole, "{text:?} in parts of {size}");
        }
        whole
    }

    #[test]
    fn text_after_a_closing_mark_is_found() {
        for whole in [
            "",
            "a,b\n1,2\n",
            "\"a\",\"b\"\n",
            "\"a\"\"b\",c\r\n\"\"\"\",x\n",
            "5\" pipe,a\"b\n",
            "\"a\nb\",c\n",
            "\"a\" ,b\n\"c\"",
            "\"\",\"\"\n",
        ] {
            assert_eq!(stray(whole, None), None, "{whole:?}");
        }
        assert_eq!(stray("x,\"a\"b,c\n", None), Some(5));
        assert_eq!(stray("\"say \\\"hi\\\"\",flu\n", None), Some(7));
        assert_eq!(stray("\"a\" b,c\n", None), Some(4));
    }

    #[test]
    fn escapes_are_recognised() {
        let spark = "20,\"say \\\"hi\\\"\",flu\n21,\"\\\\\",none\n";
        assert_eq!(stray(spark, Some(b'\\')), None);
        assert!(is_escaped_by_backslash(spark, b','));
        // A path that ends with a backslash is not one.
        assert!(!is_escaped_by_backslash("\"C:\\\",x\n", b','));
        assert!(!is_escaped_by_backslash("a,b\n", b','));
    }
}
