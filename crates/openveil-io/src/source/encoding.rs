//! Texts that are not in UTF-8.

use super::{Source, content};
use crate::Error;
use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::DecodeReaderBytesBuilder;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;

/// The encoding of a file's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// Returns the encoding of a name, such as `latin1`, `windows-1252`, `utf-16`, `shift_jis`. As
    /// on the web, `latin1` is read as `windows-1252`, which contains it. None for UTF-8, which
    /// needs no decoding.
    ///
    /// # Errors
    /// An unknown name.
    pub fn named(name: &str) -> Result<Option<Self>, String> {
        let found = encoding_rs::Encoding::for_label(name.trim().as_bytes())
            .ok_or_else(|| format!("unknown encoding `{name}`"))?;
        Ok((found != UTF_8).then_some(Self(found)))
    }

    /// Returns the name.
    pub fn name(self) -> String {
        self.0.name().to_lowercase()
    }

    /// Whether a decoded text stands for bytes that were UTF-8: its letters then appear as a capital
    /// A with an accent before a symbol, as in `RÃ¶teln`, which no language writes.
    pub(super) fn misreads(self, text: &str) -> bool {
        if text.is_ascii() {
            return false;
        }
        let (bytes, _, _) = self.0.encode(text);
        let is_continued = |byte: &u8| (0x80..=0xbf).contains(byte);
        self.0.is_single_byte()
            && (bytes
                .windows(2)
                .any(|pair| matches!(pair[0], 0xc2 | 0xc3) && is_continued(&pair[1]))
                || bytes
                    .windows(3)
                    .any(|triple| triple[..2] == [0xe2, 0x80] && is_continued(&triple[2])))
    }

    /// Decodes bytes, given as their start and the rest, to UTF-8: from the encoding, or without
    /// one from UTF-16 if they start with its byte order mark. Other bytes are passed on unchanged.
    pub(super) fn decoded<'a>(
        encoding: Option<Self>,
        head: Vec<u8>,
        rest: impl Read + Send + 'a,
    ) -> Box<dyn Read + Send + 'a> {
        let is_marked = content::has_mark(&head);
        let bytes = Cursor::new(head).chain(rest);
        let mut decoder = DecodeReaderBytesBuilder::new();
        decoder
            .encoding(encoding.map(|encoding| encoding.0))
            .utf8_passthru(true)
            .strip_bom(encoding.is_some())
            .bom_override(true);
        let text = decoder.build(bytes);
        match encoding {
            None if !is_marked => Box::new(text),
            _ => Box::new(Strict { text, seen: 0 }),
        }
    }
}

/// A decoded text in which invalid bytes stay invalid UTF-8, so that the caller can report their
/// place. The decoder writes U+FFFD (EF BF BD) for each of them.
struct Strict<R> {
    text: R,
    /// The number of last bytes read that are a start of U+FFFD.
    seen: u8,
}

impl<R: Read> Read for Strict<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(into)?;
        for byte in &mut into[..read] {
            self.seen = match (self.seen, *byte) {
                (_, 0xef) => 1,
                (1, 0xbf) => 2,
                (2, 0xbd) => {
                    *byte = 0xff;
                    0
                }
                _ => 0,
            };
        }
        Ok(read)
    }
}

/// Guesses the encoding of a text from its first bytes: none for UTF-8 and for texts with a byte
/// order mark.
pub fn likely_encoding(head: &[u8]) -> Option<Encoding> {
    if content::has_mark(head) {
        return None;
    }
    if content::is_utf_16(head) {
        let little = head.iter().skip(1).step_by(2).filter(|&&byte| byte == 0).count();
        let big = head.iter().step_by(2).filter(|&&byte| byte == 0).count();
        return Some(Encoding(if little >= big { UTF_16LE } else { UTF_16BE }));
    }
    match std::str::from_utf8(head) {
        Ok(_) => None,
        // The last character may be cut.
        Err(cause) if cause.error_len().is_none() => None,
        Err(_) => Some(Encoding(WINDOWS_1252)),
    }
}

impl Source {
    /// Guesses the encoding of its text from the first file; none for UTF-8, for files that are not
    /// text, and for input that can be read only once.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn guessed_encoding(&self) -> Result<Option<Encoding>, Error> {
        Ok(self.first_bytes()?.and_then(|head| likely_encoding(&head)))
    }

    /// Returns the first bytes of its first file of text; none for input that can be read only once.
    fn first_bytes(&self) -> Result<Option<Vec<u8>>, Error> {
        let files = if self.is_text() { self.files()? } else { Vec::new() };
        let first = files.first().filter(|file| file.is_file());
        first.map(|file| self.head(file, None)).transpose()
    }

    /// Turns to a table of other people, which need not have the encoding: UTF-8 is read as such.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn turn_to_others(&mut self, path: impl Into<PathBuf>) -> Result<(), Error> {
        self.turn_to(path);
        let said = self.encoding.take();
        let head = self.first_bytes()?;
        let guessed = head.as_deref().and_then(likely_encoding);
        let is_utf8 = head.is_some_and(|head| !head.is_ascii()) && guessed.is_none();
        self.encoding = if is_utf8 { None } else { said.or(guessed) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_were_utf_8_are_noticed() {
        let encoding = Encoding(WINDOWS_1252);
        for text in ["Röteln", "Straße", "„Spaß“", "NÃO", "10 €", "Âge", "Grippe"] {
            assert!(!encoding.misreads(text), "{text}");
            let (read, _, _) = WINDOWS_1252.decode(text.as_bytes());
            let is_ascii = text.is_ascii() || ["10 €"].contains(&text);
            assert!(is_ascii || encoding.misreads(&read), "{read}");
        }
        assert!(encoding.misreads("Itâ€™s"));
    }

    #[test]
    fn encodings_are_named_and_guessed() {
        let named = |name| Encoding::named(name).unwrap().map(Encoding::name);
        assert_eq!(named("latin1").as_deref(), Some("windows-1252"));
        assert_eq!(named("ISO-8859-2").as_deref(), Some("iso-8859-2"));
        assert_eq!(named("UTF-8"), None);
        assert!(Encoding::named("utf-99").is_err());
        let likely = |head: &[u8]| likely_encoding(head).map(Encoding::name);
        assert_eq!(likely("Zürich".as_bytes()), None);
        assert_eq!(likely(&"Zürich".as_bytes()[..2]), None, "cut inside of a character");
        assert_eq!(likely(b"Z\xfcrich").as_deref(), Some("windows-1252"));
        assert_eq!(likely(b"a\0b\0c\0").as_deref(), Some("utf-16le"));
        assert_eq!(likely(b"\0a\0b\0c").as_deref(), Some("utf-16be"));
        assert_eq!(likely(b"\xff\xfea\0"), None, "the mark says it");
    }

    #[test]
    fn texts_become_utf_8() {
        let decoded = |encoding: &str, bytes: &[u8]| {
            let mut text = String::new();
            let encoding = Encoding::named(encoding).unwrap();
            let (head, rest) = bytes.split_at(bytes.len().min(3));
            let mut decoded = Encoding::decoded(encoding, head.to_vec(), rest);
            decoded.read_to_string(&mut text).map(|_| text).ok()
        };
        let text = |encoding, bytes| decoded(encoding, bytes).unwrap();
        assert_eq!(text("latin1", b"Z\xfcrich"), "Zürich");
        assert_eq!(text("utf-8", b"\xff\xfeZ\0\xfc\0"), "Zü");
        assert_eq!(text("utf-16be", b"\0Z\0\xfc"), "Zü");
        assert_eq!(text("utf-8", "Zü\u{fffd}".as_bytes()), "Zü\u{fffd}");
        // Half of a surrogate pair: in a text with a byte order mark, and in one with a named
        // encoding.
        assert_eq!(decoded("utf-8", b"\xff\xfeZ\0\0\xd8Z\0"), None);
        assert_eq!(decoded("utf-16le", b"Z\0\0\xd8Z\0"), None);
    }
}
