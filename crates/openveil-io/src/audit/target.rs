//! What is read: a file, or the right one of a release's.

use super::Request;
use crate::release_dir::write::Manifest;
use crate::source::Source;
use crate::{Error, Location};
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
    /// What the table guards, where it is one of several that keep rules together.
    pub(super) guarded: Vec<String>,
}

/// How the file of a release's values in the anatomy style begins …
const VALUES: &str = "release-values.";

/// … and what the name of one of several tables has before its ending.
const VALUES_OF_TABLE: &str = "-values.";

impl Target {
    pub(super) fn of(request: &Request) -> Result<Self, Error> {
        let path = &request.table;
        let (file, manifest) = match path.is_dir() {
            false => (path.clone(), None),
            true => in_folder(path)?,
        };
        let file_name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let tables = manifest.iter().flat_map(|manifest| &manifest.tables);
        let guarded = tables.filter_map(|table| table.enforces.as_ref());
        let guarded = guarded
            .flat_map(|enforced| enforced.protect.clone())
            .collect();
        let output = request.policy.as_ref().map(|policy| policy.output);
        let written = manifest.as_ref().map(|manifest| manifest.delimiter);
        let written = written.and_then(|delimiter| u8::try_from(delimiter).ok());
        let delimiter = request.delimiter.or(written);
        let delimiter = delimiter.or(output.map(|output| output.delimiter));
        let holds_values = |name: String| name.contains(VALUES_OF_TABLE);
        Ok(Self {
            counted: path.is_dir() && file_name.is_some_and(holds_values),
            guarded,
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
        if let Some(manifest) = manifest(&folder)? {
            return Ok((
                folder.join(guarded_file(&folder, &manifest)?),
                Some(manifest),
            ));
        }
    }
    Err(Error::new(
        Location::file(folder),
        "holds no release (`release.csv`, also compressed, or `release.parquet`)",
    )
    .help("name a table, or the folder to which `openveil publish` wrote"))
}

/// The file with the protected values, of several tables of which one is guarded.
fn guarded_file(folder: &Path, manifest: &Manifest) -> Result<String, Error> {
    let guarded = manifest
        .tables
        .iter()
        .filter(|table| table.enforces.is_some());
    let files: Vec<&String> = guarded.filter_map(|table| table.files.last()).collect();
    match files[..] {
        [file] => Ok(file.clone()),
        [] => Err(Error::new(
            Location::file(folder),
            "holds no table that guards anything",
        )
        .help("audit measures groups; tables that are published as they are have none")),
        _ => {
            let names: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
            let problem = format!("holds several guarded tables: {}", names.join(", "));
            Err(Error::new(Location::file(folder), problem)
                .help("join each with its values, and audit them one by one with `--sensitive`"))
        }
    }
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
        Error::new(Location::file(&path), problem)
            .help("name the table itself, and its columns with `--sensitive`")
    })?;
    Ok(Some(manifest))
}
