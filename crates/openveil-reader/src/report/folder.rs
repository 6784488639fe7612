//! Writes both pages of an existing release.

use super::page::beginning;
use super::{Attacked, Page, owner, public_of, true_counts, write};
use crate::attack;
use crate::certify::{self, CertifiedRelease};
use crate::query::Reader;
use openveil_core::release::Style;
use openveil_io::load;
use openveil_io::policy::Policy;
use openveil_io::progress::Observer;
use openveil_io::release_dir::write::{Held, OWNER_FILE, Owner, Viewer, parent, refuse_link};
use openveil_io::release_dir::{REPORT_FILE, ReleasePlace, hashes, regular};
use openveil_io::{Error, ErrorKind, Location};
use openveil_text::{Language, text};
use std::path::{Path, PathBuf};

/// The pages that were written.
#[derive(Debug, Clone)]
pub struct WrittenPages {
    /// The public page.
    pub release: PathBuf,
    /// The owner's page, if the owner's folder exists.
    pub owner: Option<PathBuf>,
    /// Both pages, for further use.
    pub pages: Vec<Page>,
    /// The findings of attacks, if the policy was given.
    pub attacked: Option<Attacked>,
}

/// Writes the page of a release into its folder in a language, and the owner's page if the owner's
/// folder is beside it. With the policy that the release was made with, its table is read and the release is
/// attacked for the owner.
///
/// # Errors
/// Files that cannot be read, do not fit their manifest, or are not of the policy's table; a
/// release that contradicts its own statements; a folder that another run writes to.
pub fn write_again(
    folder: &Path,
    policy: Option<&Policy>,
    language: Language,
    observer: &dyn Observer,
) -> Result<WrittenPages, Error> {
    let release = folder.join("release");
    let release = if release.is_dir() { release } else { folder.to_owned() };
    // Reads the release from the folder that the page is written to.
    let out = parent(&release);
    let _held = Held::new(out)?;
    let place = ReleasePlace::from(&release);
    let reader = certify::open(&place)?;
    certify::check(&reader, &place)?.refused(&release)?;
    let files = hashes(&release, &reader.release().manifest)?;
    let distributions = reader.distributions();
    let mut pages = vec![public_of(&reader, &distributions, &files, language)?];
    let owners = out.join("owner");
    refuse_link(&release)?;
    refuse_link(&owners)?;
    let path = Some(owners).filter(|owners| owners.join(OWNER_FILE).exists());
    let mut attacked = None;
    let owner_page = match (&path, policy) {
        (Some(path), _) => {
            let (known, found) = owners_facts(&path.join(OWNER_FILE), &release, policy, observer)?;
            attacked = found;
            Some((path, owner(&known, attacked.as_ref(), language)))
        }
        (None, None) => None,
        (None, Some(_)) => {
            let problem =
                "has no folder `owner` beside it, where a report with true values could go";
            return Err(Error::new(Location::file(folder), problem).help(text!(
                "leave `--policy` out, or name the folder that `openveil publish` wrote"
            )));
        }
    };
    let written = write(&pages[0], &release, Viewer::Everybody)?;
    let mut owned = None;
    if let Some((path, page)) = owner_page {
        owned = Some(write(&page, path, Viewer::Owner)?);
        pages.push(page);
    }
    Ok(WrittenPages { release: written, owner: owned, pages, attacked })
}

/// Makes the public page of a release in a folder again, if there is one, in the language that it
/// names, and reports differences.
///
/// # Errors
/// A page that cannot be read.
pub fn check_page(
    reader: &Reader,
    place: &ReleasePlace,
    checked: &mut CertifiedRelease,
) -> Result<(), Error> {
    let (folder, manifest) = (&reader.release().path, &reader.release().manifest);
    let path = folder.join(REPORT_FILE);
    if matches!(place, ReleasePlace::Memory(_)) || !path.exists() {
        return Ok(());
    }
    let is_folder = manifest.files.iter().any(|name| folder.join(name).is_dir());
    if is_folder || manifest.openveil != env!("CARGO_PKG_VERSION") {
        let words = "the page: another version made it, or a table is a folder of files";
        checked.not_checked.push(words.into());
        return Ok(());
    }
    let said = regular::read(&path).map_err(|cause| Error::io(&path, "read the page", &cause))?;
    let mut languages = Language::ALL.into_iter();
    let Some(language) = languages.find(|own| said.starts_with(beginning(*own).as_bytes())) else {
        let problem = text!("is in no language that `openveil report` writes");
        checked.of_file(REPORT_FILE, problem);
        return Ok(());
    };
    match public_of(reader, &reader.distributions(), &hashes(folder, manifest)?, language) {
        Ok(page) if page.html.as_bytes() == said => {}
        Ok(_) => {
            let problem = text!("is not the page that `openveil report` makes of these files");
            checked.of_file(REPORT_FILE, problem);
        }
        Err(error) if error.kind() == ErrorKind::Input => {
            checked.of_file(REPORT_FILE, format!("cannot be made again: {error}"));
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Returns the measurements of the release for the owner, and with the policy new ones.
fn owners_facts(
    path: &Path,
    release: &Path,
    policy: Option<&Policy>,
    observer: &dyn Observer,
) -> Result<(Owner, Option<Attacked>), Error> {
    let text = regular::read_to_string(path)
        .map_err(|cause| Error::io(path, "read the owner's file", &cause))?;
    let mut known: Owner = serde_json::from_str(&text).map_err(|cause| {
        let place = Location::file(path).line(cause.line() as u64);
        Error::new(place, text!("is not what `openveil publish` writes for the owner"))
    })?;
    let Some(policy) = policy else {
        return Ok((known, None));
    };
    let place = ReleasePlace::from(release);
    let reader = Reader::open(place.clone())?;
    let style = reader.release().style;
    let options = attack::AttackOptions::default();
    // Refuses a release of another table, before any comparison.
    let attacked = if policy.rules().is_some() && style != Style::Anatomy {
        Attacked::NotPossible(text!(
            "the attack on tables that satisfy rules together works only in the style anatomy"
        ))
    } else {
        let releases = std::slice::from_ref(&place);
        Attacked::Found(attack::of_policy(policy, releases, &options, observer)?)
    };
    let loaded = load::load(policy, &|_| {})?;
    known.distributions = true_counts(&reader, &reader.distributions(), &loaded);
    Ok((known, Some(attacked)))
}
