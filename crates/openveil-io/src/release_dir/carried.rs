//! What a table's file carries beside its cells: readers do not show it, but it goes out with the
//! release.

use super::regular;
use crate::Error;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::io::Read;
use std::path::Path;

/// Returns what a file of a release carries that `publish` never writes, such as key-value metadata
/// of Parquet; none for a file of another format.
///
/// # Errors
/// A file that cannot be read.
pub fn carried(path: &Path) -> Result<Option<&'static str>, Error> {
    let failed = |cause: std::io::Error| Error::io(path, "read the file", &cause);
    let mut file = regular::open(path).map_err(failed)?;
    match path.extension().and_then(|own| own.to_str()) {
        Some("parquet") => {
            let read = SerializedFileReader::new(file)
                .map_err(|cause| failed(std::io::Error::other(cause)))?;
            let pairs = read.metadata().file_metadata().key_value_metadata();
            let has_pairs = pairs.is_some_and(|pairs| !pairs.is_empty());
            Ok(has_pairs.then_some("key-value metadata"))
        }
        Some("gz") => {
            let mut header = [0; 4];
            file.read_exact(&mut header).map_err(failed)?;
            Ok((header[3] != 0).then_some("a name, a comment or more in its compressed header"))
        }
        _ => Ok(None),
    }
}
