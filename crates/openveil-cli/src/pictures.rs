//! Pictures as files.

use openveil_io::picture::Picture;
use openveil_io::release_dir::write::check_beside;
use openveil_io::{Error, Location};
use std::fs::File;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Whom pictures are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Viewer {
    /// Whoever has the release.
    Everybody,
    /// The owner alone: nobody else of the machine reads them.
    Owner,
}

/// Writes each picture into a folder, which is made if it is not there, and is no part of a release:
/// as SVG and, where the machine has a font to write with, as PNG.
pub(crate) fn write(folder: &Path, pictures: &[Picture], viewer: Viewer) -> Result<(), Error> {
    check_beside(folder)?;
    if pictures.is_empty() {
        let problem = "there is nothing to draw";
        return Err(Error::new(Location::default(), problem).help("leave `--plots` out"));
    }
    std::fs::create_dir_all(folder)
        .map_err(|cause| Error::io(folder, "make the folder", &cause))?;
    let keep = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        if viewer == Viewer::Owner {
            options.mode(0o600);
        }
        let written = options
            .open(&path)
            .and_then(|mut file| file.write_all(bytes));
        written.map_err(|cause| Error::io(&path, "write the picture", &cause))
    };
    let painter = png::Painter::new();
    for picture in pictures {
        keep(format!("{}.svg", picture.name), picture.svg.as_bytes())?;
        if let Some(bytes) = painter
            .as_ref()
            .and_then(|painter| painter.png(&picture.svg))
        {
            keep(format!("{}.png", picture.name), &bytes)?;
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
