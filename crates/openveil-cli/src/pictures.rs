//! Pictures as files.

use openveil_io::picture::Picture;
use openveil_io::release_dir::write::{Viewer, check_beside, write_whole};
use openveil_io::{Error, Location};
use std::path::Path;

/// A folder for pictures, and whether it was made.
pub(crate) struct Folder<'a> {
    path: &'a Path,
    is_new: bool,
}

/// Makes a folder for pictures if it is not there; it is no part of a release. Before the work whose
/// pictures they will be: what is not possible costs nothing then.
pub(crate) fn make_folder(path: &Path) -> Result<Folder<'_>, Error> {
    check_beside(path)?;
    let is_new = !path.exists();
    std::fs::create_dir_all(path).map_err(|cause| Error::io(path, "make the folder", &cause))?;
    Ok(Folder { path, is_new })
}

/// Removes a folder into which nothing came.
pub(crate) fn forget(folder: Folder<'_>) {
    if folder.is_new {
        let _ = std::fs::remove_dir(folder.path);
    }
}

/// Writes each picture into a folder, which is made if it is not there, and is no part of a release:
/// as SVG and, where the machine has a font to write with, as PNG.
pub(crate) fn write(folder: &Path, pictures: &[Picture], viewer: Viewer) -> Result<(), Error> {
    if pictures.is_empty() {
        let problem = "there is nothing to draw";
        return Err(Error::new(Location::default(), problem).help("leave `--plots` out"));
    }
    make_folder(folder)?;
    let painter = png::Painter::new();
    for picture in pictures {
        let place = |ending: &str| folder.join(format!("{}.{ending}", picture.name));
        write_whole(&place("svg"), picture.svg.as_bytes(), viewer)?;
        if let Some(bytes) = painter
            .as_ref()
            .and_then(|painter| painter.png(&picture.svg))
        {
            write_whole(&place("png"), &bytes, viewer)?;
        }
    }
    if painter.is_none() {
        note!("note: only SVG was written: PNG needs a font, and this program found none");
    }
    Ok(())
}

#[cfg(feature = "png")]
mod png {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree, fontdb::Database};
    use std::sync::Arc;

    /// How many points of a picture a unit of a drawing is.
    const SCALE: f32 = 2.0;

    /// Fonts that are looked for first.
    const FONTS: [&str; 6] = [
        "DejaVu Sans",
        "Liberation Sans",
        "Noto Sans",
        "Arial",
        "Helvetica",
        "Segoe UI",
    ];

    /// Draws with the fonts of the machine.
    pub(super) struct Painter {
        fonts: Arc<Database>,
    }

    impl Painter {
        /// None on a machine without fonts.
        pub(super) fn new() -> Option<Self> {
            let mut fonts = Database::new();
            fonts.load_system_fonts();
            let families = || fonts.faces().flat_map(|face| &face.families);
            let has = |name: &&&str| families().any(|(family, _)| family == **name);
            let known = FONTS.iter().find(has).map(|name| (*name).to_owned());
            let family = known.or_else(|| families().next().map(|(family, _)| family.clone()))?;
            fonts.set_sans_serif_family(family);
            Some(Self {
                fonts: Arc::new(fonts),
            })
        }

        /// A drawing as PNG; none if it is no drawing.
        pub(super) fn png(&self, svg: &str) -> Option<Vec<u8>> {
            let options = Options {
                fontdb: self.fonts.clone(),
                ..Options::default()
            };
            let tree = Tree::from_str(svg, &options).ok()?;
            let size = tree.size().to_int_size().scale_by(SCALE)?;
            let mut pixmap = Pixmap::new(size.width(), size.height())?;
            let transform = Transform::from_scale(SCALE, SCALE);
            resvg::render(&tree, transform, &mut pixmap.as_mut());
            pixmap.encode_png().ok()
        }
    }
}

/// Without the feature `png`, pictures are SVG.
#[cfg(not(feature = "png"))]
mod png {
    pub(super) struct Painter;

    impl Painter {
        pub(super) fn new() -> Option<Self> {
            None
        }

        pub(super) fn png(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }
}
