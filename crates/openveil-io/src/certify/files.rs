//! The files of a release: those that its manifest names, and the hashes that its owner has.

use super::Check;
use crate::Error;
use crate::release_dir::write::{OWNER_FILE, Owner, parent};
use crate::release_dir::{MANIFEST, REPORT_FILE, hashes, regular};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

impl Check<'_> {
    /// Compares the files of a folder.
    ///
    /// # Errors
    /// A folder or a file that cannot be read.
    pub(super) fn files(&mut self) -> Result<(), Error> {
        let folder = &self.reader.release().path;
        let failed = |cause| Error::io(folder, "list the files of the release", &cause);
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            names.push(
                entry
                    .map_err(failed)?
                    .file_name()
                    .to_string_lossy()
                    .into_owned(),
            );
        }
        names.sort_unstable();
        let tables = self.reader.release().tables.iter();
        let mut named: Vec<&str> = tables
            .flat_map(|table| &table.entry.files)
            .map(|name| &**name)
            .collect();
        let has_folder = named.iter().any(|name| folder.join(name).is_dir());
        named.extend([MANIFEST, REPORT_FILE]);
        for name in names.iter().filter(|name| !named.contains(&&***name)) {
            self.checked
                .of_file(name, "is a file that the manifest does not name");
        }
        if has_folder {
            self.leaves("hashes: a table is a folder of files");
            return Ok(());
        }
        let files = hashes(folder, self.manifest)?;
        let files = files.into_iter().map(|file| (file.name, file.sha256));
        self.owner(&files.collect());
        Ok(())
    }

    /// Compares hashes with those in the owner's folder, if that lies beside the release.
    fn owner(&mut self, found: &BTreeMap<String, String>) {
        let path = parent(&self.reader.release().path)
            .join("owner")
            .join(OWNER_FILE);
        let owner = regular::read(&path).ok();
        let owner = owner.and_then(|text| serde_json::from_slice::<Owner>(&text).ok());
        let Some(owner) = owner.filter(|owner| !owner.release.is_empty()) else {
            return self.leaves("that the files are those that `openveil publish` wrote: no `owner/owner.json` with their hashes lies beside them");
        };
        let names = found.keys().chain(owner.release.keys());
        let names: BTreeSet<&String> = names.collect();
        for name in names {
            if found.get(name) != owner.release.get(name) {
                self.checked.of_file(name, "is not the file that `owner/owner.json` has the hash of: it was changed, or the owner's folder belongs to another release (publish again where a run was interrupted)");
            }
        }
        if owner.test_seed.is_some() && self.manifest.fit_for_publication {
            let problem =
                "says that the release is fit, the owner's file that it was made with a test seed";
            self.of_manifest("fit_for_publication", problem);
        }
    }
}
