//! Prints text, and does not panic if standard output or standard error is closed or full.

use openveil_io::turns;
use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints a line, like `println!`, but ignores a closed pipe: the work itself has been done.
macro_rules! say {
    ($($text:tt)*) => { $crate::say::print(format_args!($($text)*), "\n") };
}

/// Prints without a line break, like `print!`.
macro_rules! say_on {
    ($($text:tt)*) => { $crate::say::print(format_args!($($text)*), "") };
}

/// Prints a line on standard error, like `eprintln!`, but ignores failures: a log on a full disk
/// must not stop the work.
macro_rules! note {
    ($($text:tt)*) => { $crate::say::note(format_args!($($text)*)) };
}

/// Prints a line on standard error, and ignores failures.
pub(crate) fn note(text: Arguments<'_>) {
    let _ = std::io::stderr().write_all(shown(&format!("{text}\n")).as_bytes());
}

/// Prints text followed by `end`. Ignores a closed pipe, and logs any other failure once.
pub(crate) fn print(text: Arguments<'_>, end: &str) {
    // After a failure, the rest of the output is useless, and one error message is enough.
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

/// Whether a write to standard output failed, as on a full disk. A closed pipe does not count.
static CUT: AtomicBool = AtomicBool::new(false);

/// Returns whether no write to standard output has failed. A closed pipe does not count.
pub(crate) fn arrived() -> bool {
    !CUT.load(Ordering::Relaxed)
}

/// Escapes control characters and characters that change the direction of text, because texts from
/// files could use them to control or mislead a terminal. The escapes are those of JSON, so that a
/// JSON document keeps its meaning.
///
/// Line breaks stay, because the program prints them itself. Line breaks from files are escaped
/// earlier, by [`openveil_io::printable`].
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
        assert_eq!(shown("\u{1b}[2J\u{9b}1m\u{7f}"), "\\u001b[2J\\u009b1m\\u007f");
        let document = serde_json::to_string("a \u{9b} of a file").unwrap();
        let read: String = serde_json::from_str(&shown(&document)).unwrap();
        assert_eq!(read, "a \u{9b} of a file");
    }
}
