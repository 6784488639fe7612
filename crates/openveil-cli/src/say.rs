//! Printing that minds a reader who stops listening.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

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
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints text and an end; gives up quietly where nobody listens.
pub(crate) fn print(text: Arguments<'_>, end: &str) {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_fmt(text)
        .and_then(|()| stdout.write_all(end.as_bytes()));
    if let Err(cause) = written.and_then(|()| stdout.flush())
        && cause.kind() != ErrorKind::BrokenPipe
    {
        tracing::error!(%cause, "cannot write to standard output");
    }
}
