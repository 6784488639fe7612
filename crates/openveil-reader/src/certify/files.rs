//! Checks the files of a release against its manifest, and against the owner's hashes.

use super::RunningCheck;
use openveil_io::Error;
use openveil_io::release_dir::write::{OWNER_FILE, Owner, json_text, parent};
use openveil_io::release_dir::{MANIFEST, METADATA_FILES, REPORT_FILE, carried, hashes, regular};
use openveil_text::text;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

impl RunningCheck<'_> {
    /// Compares the files of a folder.
    ///
    /// # Errors
    /// A folder or a file that cannot be read.
    pub(super) fn files(&mut self) -> Result<(), Error> {
        let folder = &self.reader.release().path;
        let failed = |cause| Error::io(folder, "list the files of the release", &cause);
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        let tables = self.reader.release().tables.iter();
        let mut named: Vec<&str> =
            tables.flat_map(|table| &table.entry.files).map(|name| &**name).collect();
        let has_folder = named.iter().any(|name| folder.join(name).is_dir());
        named.extend([MANIFEST, REPORT_FILE]);
        named.extend(METADATA_FILES);
        for name in names.iter().filter(|name| !named.contains(&&***name)) {
            self.checked.of_file(name, "is a file that the manifest does not name");
        }
        self.text()?;
        if has_folder {
            self.leaves("hashes, and key-value metadata: a table is a folder of files");
            return Ok(());
        }
        for name in self.reader.release().tables.iter().flat_map(|table| &table.entry.files) {
            if let Some(what) = carried(&folder.join(name))? {
                let problem = text!("carries {what}, which `publish` does not write");
                self.checked.of_file(name, problem);
            }
        }
        let files = hashes(folder, self.manifest)?.into_iter().map(|file| (file.name, file.sha256));
        self.owner(&files.collect());
        Ok(())
    }

    /// Checks that the manifest's text is the serialised form of its entries: no other entries, and
    /// none twice.
    fn text(&mut self) -> Result<(), Error> {
        if !self.is_own_version() {
            self.leaves("whether the manifest has entries that only another version writes");
            return Ok(());
        }
        let path = self.reader.release().path.join(MANIFEST);
        let text =
            regular::read(&path).map_err(|cause| Error::io(&path, "read the manifest", &cause))?;
        let written = json_text(self.manifest).unwrap_or_default();
        if text != written.as_bytes() {
            let same = text
                .split(|&byte| byte == b'\n')
                .zip(written.split('\n'))
                .take_while(|(own, other)| *own == other.as_bytes());
            let line = 1 + same.count();
            self.checked.of_file(MANIFEST, format!("differs from the text that `publish` writes, from line {line} on: an entry is unknown or appears twice, or the file was reformatted"));
        }
        Ok(())
    }

    /// Compares hashes with the ones in the owner's folder, if it is beside the release.
    fn owner(&mut self, found: &BTreeMap<String, String>) {
        let path = parent(&self.reader.release().path).join("owner").join(OWNER_FILE);
        let owner =
            regular::read(&path).ok().and_then(|text| serde_json::from_slice::<Owner>(&text).ok());
        let Some(owner) = owner.filter(|owner| !owner.release.is_empty()) else {
            self.leaves(text!("whether the files are the ones that `openveil publish` wrote: `owner/owner.json`, which has their hashes, is not beside them"));
            return self.leaves("the version that wrote the release, whether it used a test seed, and bytes of files that are no cells: for these, too, `owner/owner.json` is needed");
        };
        let names: BTreeSet<&String> = found.keys().chain(owner.release.keys()).collect();
        for name in names {
            if found.get(name) != owner.release.get(name) {
                self.checked.of_file(name, "is not the file whose hash is in `owner/owner.json`: it was changed, or the owner's folder belongs to another release (if a run was interrupted, publish again)");
            }
        }
        if owner.test_seed.is_some() && self.manifest.fit_for_publication {
            let problem = "says that the release is fit, but the owner's file says that it was made with a test seed";
            self.of_manifest("fit_for_publication", problem);
        }
    }
}
