//! Pictures as files.

use openveil_io::picture::Picture;
use openveil_io::{Error, Location};
use std::path::Path;

/// Writes each picture into a folder, which is made if it is not there.
pub(crate) fn write(folder: &Path, pictures: &[Picture]) -> Result<(), Error> {
    if pictures.is_empty() {
        let problem = "there is nothing to draw";
        return Err(Error::new(Location::default(), problem).help("leave `--plots` out"));
    }
    std::fs::create_dir_all(folder)
        .map_err(|cause| Error::io(folder, "make the folder", &cause))?;
    pictures.iter().try_for_each(|picture| {
        let path = folder.join(format!("{}.svg", picture.name));
        std::fs::write(&path, &picture.svg)
            .map_err(|cause| Error::io(&path, "write the picture", &cause))
    })
}
