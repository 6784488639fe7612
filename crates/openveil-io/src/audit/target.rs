//! What is read: a file, or the right one of a release's.

use super::Request;
use crate::output::Manifest;
use crate::source::Source;
use crate::{Error, Place};
use std::path::{Path, PathBuf};

/// The table to be read.
pub(super) struct Target {
    pub(super) source: Source,
    /// What the user named.
    pub(super) path: PathBuf,
    /// What a release says of itself.
    pub(super) manifest: Option<Manifest>,
    /// Whether each row stands for as many as its column `count` says: the values
    /// of a release in the anatomy style.
    pub(super) counted: bool,
}

/// The file name of a release's values in the anatomy style, without its ending.
const VALUES: &str = "release-values.";

impl Target {
    pub(super) fn of(request: &Request) -> Result<Self, Error> {
        let path = &request.table;
        let (file, manifest) = match path.is_dir() {
            false => (path.clone(), None),
            true => in_folder(path)?,
        };
        let output = request.policy.as_ref().map(|policy| policy.output);
        let written = manifest.as_ref().map(|manifest| manifest.delimiter);
        let written = written.and_then(|delimiter| u8::try_from(delimiter).ok());
        let delimiter = request.delimiter.or(written);
        let delimiter = delimiter.or(output.map(|output| output.delimiter));
        let name = file.file_name().map(|name| name.to_string_lossy());
        Ok(Self {
            counted: path.is_dir() && name.is_some_and(|name| name.starts_with(VALUES)),
            source: Source {
                delimiter: delimiter.unwrap_or(b','),
                trim: request.trim,
                ..Source::new(file)
            },
            path: path.clone(),
            manifest,
        })
    }
}

/// The table of a release folder that has the sensitive values.
fn in_folder(folder: &Path) -> Result<(PathBuf, Option<Manifest>), Error> {
    for folder in [folder.to_owned(), folder.join("release")] {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let names = entries
            .filter_map(Result::ok)
            .map(|entry| entry.file_name());
        let mut tables: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name.starts_with(VALUES) || name.starts_with("release."))
            .collect();
        // `release-values.csv` comes before `release.csv`.
        tables.sort();
        if let Some(table) = tables.first() {
            return Ok((folder.join(table), manifest(&folder)?));
        }
    }
    Err(Error::new(
        Place::file(folder),
        "holds no release (`release.csv`, also compressed, or `release.parquet`)",
    )
    .help("name a table, or the folder to which `openveil publish` wrote"))
}

fn manifest(folder: &Path) -> Result<Option<Manifest>, Error> {
    let path = folder.join("manifest.json");
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(Error::io(&path, "read the manifest", &cause)),
    };
    let manifest = serde_json::from_slice(&text).map_err(|cause| {
        let problem = format!("is not the manifest of a release: {cause}");
        Error::new(Place::file(&path), problem)
            .help("name the table itself, and its columns with `--sensitive`")
    })?;
    Ok(Some(manifest))
}
