//! Writes pictures to files.

use openveil_io::release_dir::write::{Viewer, check_beside, write_whole};
use openveil_io::{Error, Location};
use openveil_reader::picture::Picture;
use std::path::Path;

/// A folder for pictures, and whether this run created it.
pub(crate) struct Folder<'a> {
    path: &'a Path,
    is_new: bool,
}

/// Creates a folder for pictures if it does not exist. It must not lie in a part of a release. Call
/// this before the work, so that an impossible folder fails at once.
pub(crate) fn make_folder(path: &Path) -> Result<Folder<'_>, Error> {
    check_beside(path)?;
    let is_new = !path.exists();
    std::fs::create_dir_all(path).map_err(|cause| Error::io(path, "make the folder", &cause))?;
    Ok(Folder { path, is_new })
}

/// Removes the folder if this run created it and it is still empty.
pub(crate) fn forget(folder: Folder<'_>) {
    if folder.is_new {
        let _ = std::fs::remove_dir(folder.path);
    }
}

/// Writes each picture into a folder, as SVG. Creates the folder if it does not exist. It must not
/// lie in a part of a release.
pub(crate) fn write(folder: &Path, pictures: &[Picture], viewer: Viewer) -> Result<(), Error> {
    if pictures.is_empty() {
        let problem = "there is nothing to draw";
        return Err(Error::new(Location::default(), problem).help("leave `--plots` out"));
    }
    make_folder(folder)?;
    for picture in pictures {
        let place = folder.join(&picture.name).with_extension("svg");
        write_whole(&place, picture.svg.as_bytes(), viewer)?;
    }
    Ok(())
}
