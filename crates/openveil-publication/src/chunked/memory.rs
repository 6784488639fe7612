//! The memory that is available, and the memory that a table needs.

use super::machine::free;
use bytesize::ByteSize;
use openveil_io::policy::Policy;
use openveil_io::{Error, Location};
use openveil_text::text;

/// The share of the free memory that a release may take by default: six tenths.
const SHARE: (u64, u64) = (6, 10);

/// Bytes for each row of a table in memory, and for each of its published columns: measured, and
/// rounded up.
const ROW: u64 = 30;
const CELL: u64 = 8;

/// The rows of a chunk may take one part in so many of the memory, since the chunk before it is being
/// written.
const CHUNK: u64 = 4;

/// The smallest number of rows of a chunk, however little memory there is.
const FEWEST_ROWS: u64 = 1 << 12;

/// Returns the bytes of an amount of memory as people write it: `2GB`, `512 MiB`, `1000000`.
///
/// # Errors
/// A text that is no amount.
pub fn bytes(text: &str) -> Result<u64, Error> {
    let amount = text.parse::<ByteSize>().map(|amount| amount.as_u64());
    match amount {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => Err(Error::new(Location::default(), text!("`{text}` is not an amount of memory"))
            .help("write it like `2GB` or `512MiB`")),
    }
}

/// Returns an amount of memory in words.
pub(super) fn in_words(bytes: u64) -> String {
    ByteSize::b(bytes).display().si().to_string()
}

/// Returns the bytes that a release may take: the user's limit, or most of the free memory.
pub(super) fn limit(asked: Option<u64>) -> Option<u64> {
    asked.or_else(|| free().map(|free| free / SHARE.1 * SHARE.0))
}

/// Returns the approximate bytes that a table takes in memory; `None` if they cannot be estimated
/// before reading.
pub(super) fn needed(policy: &Policy) -> Option<u64> {
    let rows = policy.input.source.rows_about(policy.columns.len());
    rows.map(|rows| rows.saturating_mul(per_row(policy)))
}

/// Returns the number of rows of a chunk.
pub(super) fn chunk_rows(policy: &Policy, limit: u64) -> u32 {
    let rows = limit / (CHUNK * per_row(policy));
    rows.clamp(FEWEST_ROWS, u32::MAX.into()) as u32
}

fn per_row(policy: &Policy) -> u64 {
    let published = policy.columns.values().filter(|column| column.role.is_published()).count();
    ROW + CELL * published as u64
}
