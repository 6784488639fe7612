//! Printing that minds a reader who stops listening.

use openveil_io::turns;
use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints a line, like `println!`, but a closed pipe is no error: what was asked
/// for has been done.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::print(format_args!($($text)*), "\n") };
}

/// Prints without a line break, like `print!`.
macro_rules! say_on {
    ($($text:tt)*) => { $crate::say::print(format_args!($($text)*), "") };
}

/// Says a line to whoever watches, like `eprintln!`, but a standard error that cannot be written,
/// such as a log on a full disk, is no reason to end in the middle of something.
macro_rules! note {
    ($($text:tt)*) => { $crate::say::note(format_args!($($text)*)) };
}

/// Says a line on standard error, if that is possible.
pub(crate) fn note(text: Arguments<'_>) {
    let _ = std::io::stderr().write_all(shown(&format!("{text}\n")).as_bytes());
}

/// Prints text and an end; gives up quietly where nobody listens.
pub(crate) fn print(text: Arguments<'_>, end: &str) {
    // What follows something that did not arrive is no use, and one error says enough.
    if !arrived() {
        return;
    }
    let text = format!("{text}{end}");
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(shown(&text).as_bytes());
    if let Err(cause) = written.and_then(|()| stdout.flush())
        && cause.kind() != ErrorKind::BrokenPipe
    {
        log::error!("cannot write to standard output: {cause}");
        CUT.store(true, Ordering::Relaxed);
    }
}

/// Whether something that was printed did not arrive, though somebody listened: a disk is full.
static CUT: AtomicBool = AtomicBool::new(false);

/// Whether all that was printed arrived, or nobody listened.
pub(crate) fn arrived() -> bool {
    !CUT.load(Ordering::Relaxed)
}

/// A text without characters that a terminal would obey or be misled by, whatever file they come from. They are
/// written as in JSON, so that a document stays the same document. Line breaks are ours: texts of
/// files lose theirs where they are put into a line ([`openveil_io::printable`]).
fn shown(text: &str) -> Cow<'_, str> {
    let is_obeyed =
        |character: char| turns(character) || character.is_control() && character != '\n';
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) {
            plain.push_str(&format!("\\u{:04x}", u32::from(character)))
        } else {
            plain.push(character)
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing_by_a_text() {
        assert_eq!(shown("a line\nand another"), "a line\nand another");
        assert_eq!(
            shown("\u{1b}[2J\u{9b}1m\u{7f}"),
            "\\u001b[2J\\u009b1m\\u007f"
        );
        let document = serde_json::to_string("a \u{9b} of a file").unwrap();
        let read: String = serde_json::from_str(&shown(&document)).unwrap();
        assert_eq!(read, "a \u{9b} of a file");
    }
}
