//! The files of a release: those that its manifest names, the page, and the hashes that its owner
//! has.

use super::{Check, Finding, Page};
use crate::Error;
use crate::release_dir::write::{OWNER_FILE, Owner, parent};
use crate::release_dir::{MANIFEST, REPORT_FILE, hashes, regular};
use crate::report;
use std::collections::BTreeMap;
use std::fs;

impl Check<'_> {
    /// Compares the files of a folder.
    ///
    /// # Errors
    /// A folder or a file that cannot be read.
    pub(super) fn files(&mut self, page: Page) -> Result<(), Error> {
        let folder = &self.reader.release().path;
        let files = hashes(folder, self.manifest)?;
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
        let is_named = |name: &String| {
            [MANIFEST, REPORT_FILE].contains(&&**name)
                || files.iter().any(|file| file.name == *name)
        };
        for name in names.iter().filter(|name| !is_named(name)) {
            self.of_file(name, "is a file that the manifest does not name");
        }
        let has_page = names.iter().any(|name| name == REPORT_FILE);
        match page {
            Page::Compare if has_page && self.is_own_version() => {
                let made = report::public_of(self.reader, &files)?.html;
                let path = folder.join(REPORT_FILE);
                let said = regular::read(&path);
                let said = said.map_err(|cause| Error::io(&path, "read the page", &cause))?;
                if said != made.as_bytes() {
                    let problem = "is not the page that `openveil report` makes of these files";
                    self.of_file(REPORT_FILE, problem);
                }
            }
            Page::Compare if has_page => self.leaves("the page: another version made it"),
            Page::Compare | Page::Leave => {}
        }
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
        let names: std::collections::BTreeSet<&String> = names.collect();
        for name in names {
            if found.get(name) != owner.release.get(name) {
                self.of_file(name, "is not the file that the owner's folder has the hash of: it belongs to another release, or was changed");
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
