//! Writes completed tables into a folder.

use super::{Effort, Metadata, Reader, write_columns};
use openveil_io::release_dir::write;
use openveil_io::release_dir::write::{make_folder, parent};
use openveil_io::release_dir::{ReleasePlace, UNFINISHED};
use openveil_io::{Error, Location};
use openveil_text::text;
use std::path::Path;

/// The formats of completed tables.
const FORMATS: [&str; 4] = ["csv", "csv.gz", "csv.zst", "parquet"];

/// Draws tables that are consistent with a release and writes them to a folder, with a description
/// in `completed.json`. The folder is written completely or not at all.
///
/// # Errors
/// As [`Reader::completed`], and a folder that is there already or cannot be written.
pub fn complete(
    release: impl Into<ReleasePlace>,
    number: usize,
    out: &Path,
    format: &str,
    effort: Effort,
) -> Result<Metadata, Error> {
    if out.symlink_metadata().is_ok() {
        return Err(Error::new(Location::file(out), "exists already").help("name another folder"));
    }
    if !FORMATS.contains(&format) {
        let problem = text!("`{format}` is not a table format");
        let help = text!("choose one of {}", FORMATS.join(", "));
        return Err(Error::new(Location::default(), problem).help(help));
    }
    let name = |number: usize| format!("synthetic-{number:02}.{format}");
    write::format_of_file(&out.join(name(1)))?;
    let reader = Reader::open(release)?.with_effort(effort);
    let tables = reader.completed(number)?;
    let failed = |cause| Error::io(out, "write the folder", &cause);
    make_folder(parent(out)).map_err(failed)?;
    let mut unfinished = tempfile::Builder::new();
    unfinished.prefix(UNFINISHED);
    // They disclose no more than the release, so everybody may read them.
    #[cfg(unix)]
    unfinished.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let folder = unfinished.tempdir_in(parent(out)).map_err(failed)?;
    let place = |name: &str| folder.path().join(name);
    let mut files = Vec::new();
    for (at, table) in (1..).zip(&tables) {
        write_columns(&place(&name(at)), table)?;
        files.push(name(at));
    }
    let metadata = Metadata {
        what: Metadata::WHAT,
        synthetic: true,
        tables: number,
        rows: tables.first().and_then(|table| table.first()).map_or(0, |column| column.codes.len()),
        seed: effort.seed,
        files,
        omitted: reader.not_completed(),
        note: Metadata::NOTE,
    };
    write::write_json(&place("completed.json"), &metadata)?;
    std::fs::rename(folder.path(), out).map_err(failed)?;
    let _ = folder.keep();
    Ok(metadata)
}
