//! The files of a release: those that its manifest names, the page, and the hashes that its owner
//! has.

use super::{Check, Finding, Page};
use crate::release_dir::write::{OWNER_FILE, Owner, parent};
use crate::release_dir::{FileHash, MANIFEST, REPORT_FILE, hashes, regular};
use crate::report;
use crate::{Error, ErrorKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

impl Check<'_> {
    /// Compares the files of a folder.
    ///
    /// # Errors
    /// A folder or a file that cannot be read.
    pub(super) fn files(&mut self, page: Page) -> Result<(), Error> {
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
            self.of_file(name, "is a file that the manifest does not name");
        }
        if has_folder {
            self.leaves("page and hashes: a table is a folder of files");
            return Ok(());
        }
        let files = hashes(folder, self.manifest)?;
        let has_page = page == Page::Compare && names.iter().any(|name| name == REPORT_FILE);
        if has_page && self.is_own_version() {
            self.page(folder, &files)?;
        } else if has_page {
            self.leaves("the page: another version made it");
        }
        let files = files.into_iter().map(|file| (file.name, file.sha256));
        self.owner(&files.collect());
        Ok(())
    }

    /// Makes the page again.
    fn page(&mut self, folder: &Path, files: &[FileHash]) -> Result<(), Error> {
        let made = match report::public_of(self.reader, files) {
            Ok(page) => page.html,
            Err(error) if error.kind() == ErrorKind::Input => {
                self.of_file(REPORT_FILE, &format!("cannot be made again: {error}"));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let path = folder.join(REPORT_FILE);
        let said = regular::read(&path);
        let said = said.map_err(|cause| Error::io(&path, "read the page", &cause))?;
        if said != made.as_bytes() {
            let problem = "is not the page that `openveil report` makes of these files";
            self.of_file(REPORT_FILE, problem);
        }
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
                self.of_file(name, "is not the file that `owner/owner.json` has the hash of: it was changed, or the owner's folder belongs to another release (publish again where a run was interrupted)");
            }
        }
        if owner.test_seed.is_some() && self.manifest.fit_for_publication {
            let problem =
                "says that the release is fit, the owner's file that it was made with a test seed";
            self.of_manifest("fit_for_publication", problem);
        }
    }

    fn of_file(&mut self, name: &str, problem: &str) {
        self.find(Finding {
            file: name.to_owned(),
            column: None,
            group: None,
            row: None,
            problem: problem.to_owned(),
        });
    }
}
