//! Files of anybody: damaged, made to do harm, or changed while they are read.

use crate::{Error, Location};
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

/// Whether this thread is inside of somebody else's reader, whose panic will be said as an error:
/// a program that prints panics can leave it out.
pub fn is_guarded() -> bool {
    GUARDED.get() > 0
}

/// Runs somebody else's reader, which may panic where a file is damaged.
///
/// # Errors
/// Those of the reader; a panic is one that `damaged` makes.
pub(super) fn guarded<T, E>(
    read: impl FnOnce() -> Result<T, E>,
    damaged: impl FnOnce() -> E,
) -> Result<T, E> {
    GUARDED.set(GUARDED.get() + 1);
    // What the reader left half done is not looked at again.
    let done = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(GUARDED.get() - 1);
    done.unwrap_or_else(|_| Err(damaged()))
}

/// How long somebody else's reader may take for one part of a file: thousands of times as long as
/// it needs.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Runs somebody else's reader in a thread of its own, and does not wait for one that does not end:
/// that is left behind, and ends with the program at the latest. None also if there is no room for a
/// thread.
pub(super) fn in_time<T: Send + 'static>(
    patience: Duration,
    read: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (send, done) = mpsc::channel();
    let run = move || {
        // Nobody may be waiting any more.
        let _ = send.send(read());
    };
    thread::Builder::new().spawn(run).ok()?;
    done.recv_timeout(patience).ok()
}

/// Runs what reads a file, and refuses what was read if the file is another one afterwards.
///
/// # Errors
/// Those of `read`; a file that was changed meanwhile.
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

/// Returns a stamp that changes when a file does; none where there is no file.
fn stamp(file: &Path) -> Option<(u64, Option<SystemTime>)> {
    let metadata = std::fs::metadata(file).ok()?;
    let stamp = (metadata.len(), metadata.modified().ok());
    metadata.is_file().then_some(stamp)
}

/// Rows that every byte of a file may stand for, beside the first million: packed as they may be,
/// people differ.
const ROWS_PER_BYTE: u64 = 1_024;

/// Refuses a file that says that it has more rows than it can hold.
///
/// # Errors
/// A number of rows beyond reason.
pub(super) fn check_rows(file: &Path, rows: u64, bytes: u64) -> Result<(), Error> {
    if rows <= (1 << 20) + ROWS_PER_BYTE.saturating_mul(bytes) {
        return Ok(());
    }
    let problem = format!(
        "claims to have {rows} rows in {bytes} bytes: it is damaged, or not a table of people"
    );
    Err(Error::new(Location::file(file), problem).help("write it again"))
}

/// Archives that unpack to more bytes than this …
const MUCH: u64 = 256 << 20;

/// … and to more times their size are no tables: those of workbooks shrink to a tenth.
const TIMES: u64 = 200;

/// Part of a workbook that lists its strings.
const STRINGS: &str = "xl/sharedstrings.xml";

/// Looks through an archive before anybody believes what it says of itself.
///
/// # Errors
/// One that unpacks to far more than its size, or lists more strings than it can hold.
pub(super) fn check_archive(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        // Not every workbook is an archive; who reads it will say what is wrong.
        return Ok(());
    };
    let most = MUCH.max(TIMES * bytes.len() as u64);
    let mut unpacked = 0;
    for index in 0..archive.len() {
        let Ok(mut entry) = archive.by_index(index) else {
            continue;
        };
        let is_list = entry
            .name()
            .is_ok_and(|name| name.to_lowercase() == STRINGS);
        let strings = is_list.then(|| said_strings(&mut entry));
        // What follows is counted, not what the archive says of it.
        let rest = (&mut entry).take(most.saturating_sub(unpacked) + 1);
        let own = io::copy(&mut { rest }, &mut io::sink()).unwrap_or(0);
        unpacked += own;
        if unpacked > most {
            let problem = format!(
                "unpacks to more than {} MB, so it is not a table",
                most >> 20
            );
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

/// Bytes in which the number of strings stands.
const HEAD: u64 = 1_024;

/// How many strings a list says that it has.
fn said_strings<R: Read>(entry: &mut ZipFile<'_, R>) -> Option<u64> {
    let mut head = Vec::new();
    entry.take(HEAD).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let (_, after) = head.split_once("uniqueCount=")?;
    let digits = after.trim_start_matches(['"', '\'']);
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    // A number beyond 64 bits is too many, too.
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
