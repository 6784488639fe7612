//! Hashes of a release's files, and the digest that identifies a release.

use super::MANIFEST;
use super::regular;
use super::write::Manifest;
use crate::Error;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;

/// A file of a release, and its hash as `sha256sum` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHash {
    /// Its name in the folder.
    pub name: String,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// Returns the hashes of all files of a release. O(bytes).
///
/// # Errors
/// A file that cannot be read.
pub fn hashes(folder: &Path, manifest: &Manifest) -> Result<Vec<FileHash>, Error> {
    let of_tables = manifest.tables.iter().flat_map(|table| &table.files);
    let mut names: Vec<&str> = manifest.files.iter().chain(of_tables).map(|name| &**name).collect();
    names.sort_unstable();
    names.dedup();
    names.push(MANIFEST);
    names
        .par_iter()
        .map(|name| Ok(FileHash { name: (*name).to_owned(), sha256: sha256(&folder.join(name))? }))
        .collect()
}

/// Returns the digest that `sha256sum` prints for a file.
pub fn sha256(path: &Path) -> Result<String, Error> {
    let failed = |cause: std::io::Error| Error::io(path, "read the file", &cause);
    let mut file = regular::open(path).map_err(failed)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            read => digest.update(&buffer[..read]),
        }
    }
    Ok(hexadecimal(&digest.finalize()))
}

/// Returns the SHA-256 of the manifest, which identifies a release within a history.
pub fn digest(release: &Path) -> std::io::Result<String> {
    let manifest = regular::read(&release.join(MANIFEST))?;
    Ok(hexadecimal(&Sha256::digest(manifest)))
}

/// Returns bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
