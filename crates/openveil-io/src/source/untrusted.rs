//! Reads untrusted files: damaged, malicious, or changed while they are read.

use crate::{Error, Location};
use openveil_text::text;
use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};
use zip::ZipArchive;
use zip::read::ZipFile;

thread_local! {
    static GUARDED: Cell<u32> = const { Cell::new(0) };
}

/// Returns whether this thread runs a library's reader whose panic will become an error: a program
/// that prints panics can skip this one.
pub fn is_guarded() -> bool {
    GUARDED.get() > 0
}

/// Runs a library's reader, which may panic on a damaged file.
///
/// # Errors
/// The errors of the reader; `damaged` turns a panic into one.
pub(super) fn guarded<T, E>(
    read: impl FnOnce() -> Result<T, E>,
    damaged: impl FnOnce() -> E,
) -> Result<T, E> {
    GUARDED.set(GUARDED.get() + 1);
    // The state that a panic leaves half done is not used again.
    let done = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(GUARDED.get() - 1);
    done.unwrap_or_else(|_| Err(damaged()))
}

/// The time that a library's reader may take for one part of a file: thousands of times what it
/// needs.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a library's reader in its own thread, and gives up on one that does not end: its thread is
/// left behind, and ends with the program at the latest. Also returns none if no thread can be
/// started.
pub(super) fn in_time<T: Send + 'static>(
    patience: Duration,
    read: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (send, done) = mpsc::channel();
    let run = move || {
        // The receiver may have given up.
        let _ = send.send(read());
    };
    thread::Builder::new().spawn(run).ok()?;
    done.recv_timeout(patience).ok()
}

/// Runs `read` on a file, and refuses the result if the file has changed in the meantime.
///
/// # Errors
/// The errors of `read`; a file that was changed meanwhile.
pub(super) fn unchanged<T>(
    file: &Path,
    read: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let before = stamp(file);
    let done = read()?;
    if stamp(file) != before {
        let problem = "changed while it was read";
        return Err(Error::new(Location::file(file), problem)
            .help("wait until it is written, and publish a copy that no one writes to"));
    }
    Ok(done)
}

/// Returns a stamp that changes when a file changes; none if there is no file.
fn stamp(file: &Path) -> Option<(u64, Option<SystemTime>)> {
    let metadata = std::fs::metadata(file).ok()?;
    let stamp = (metadata.len(), metadata.modified().ok());
    metadata.is_file().then_some(stamp)
}

/// The number of rows that every byte of a file may stand for, beyond the first million: people
/// differ, so even a compressed row takes space.
const ROWS_PER_BYTE: u64 = 1_024;

/// Refuses a file that claims more rows than it can hold.
///
/// # Errors
/// An implausible number of rows.
pub(super) fn check_rows(file: &Path, rows: u64, bytes: u64) -> Result<(), Error> {
    if rows <= (1 << 20) + ROWS_PER_BYTE.saturating_mul(bytes) {
        return Ok(());
    }
    let problem = text!(
        "claims to have {rows} rows in {bytes} bytes: it is damaged, or not a table of people"
    );
    Err(Error::new(Location::file(file), problem).help("write it again"))
}

/// An archive is refused as no table if it decompresses to more bytes than this …
const MUCH: u64 = 256 << 20;

/// … and to more than so many times its size: workbooks compress to a tenth.
const TIMES: u64 = 200;

/// The part of a workbook that lists its strings.
const STRINGS: &str = "xl/sharedstrings.xml";

/// Checks an archive before its claims are trusted.
///
/// # Errors
/// An archive that decompresses to far more than its size, or lists more strings than it can hold.
pub(super) fn check_archive(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        // Not every workbook is an archive; the reader will report other problems.
        return Ok(());
    };
    let most = MUCH.max(TIMES * bytes.len() as u64);
    let mut unpacked = 0;
    for index in 0..archive.len() {
        let Ok(mut entry) = archive.by_index(index) else {
            continue;
        };
        let is_list = entry.name().is_ok_and(|name| name.to_lowercase() == STRINGS);
        let strings = is_list.then(|| said_strings(&mut entry));
        // Count the decompressed bytes instead of trusting the size that the archive claims.
        let rest = (&mut entry).take(most.saturating_sub(unpacked) + 1);
        let own = io::copy(&mut { rest }, &mut io::sink()).unwrap_or(0);
        unpacked += own;
        if unpacked > most {
            let problem = text!("unpacks to more than {} MB, so it is not a table", most >> 20);
            return Err(Error::new(Location::file(file), problem)
                .help("check where it comes from; if it is right, export it as CSV"));
        }
        if strings.flatten().is_some_and(|said| said > own + HEAD) {
            let problem = "is not a readable workbook: it lists more strings than it contains";
            return Err(Error::new(Location::file(file), problem)
                .help("save it again in the program that made it"));
        }
    }
    Ok(())
}

/// The number of first bytes that contain the number of strings.
const HEAD: u64 = 1_024;

/// Returns the number of strings that a list claims.
fn said_strings<R: Read>(entry: &mut ZipFile<'_, R>) -> Option<u64> {
    let mut head = Vec::new();
    entry.take(HEAD).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let (_, after) = head.split_once("uniqueCount=")?;
    let digits = after.trim_start_matches(['"', '\'']);
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    // A number beyond 64 bits is too large, too.
    Some(digits[..end].parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_what_does_not_end() {
        let (never, wait) = mpsc::channel::<()>();
        let endless = in_time(Duration::from_millis(20), move || wait.recv().is_ok());
        assert_eq!(endless, None);
        drop(never);
        assert_eq!(in_time(PATIENCE, || 7), Some(7));
    }
}
