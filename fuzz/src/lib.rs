//! Hostile input for all code of Openveil that reads input from others.
//!
//! A [`FuzzTarget`] takes any bytes and must not panic, hang or take more memory than its input
//! justifies. Some targets compare their results with another implementation. `fuzz/run` uses
//! libFuzzer to search for bytes that break a target, guided by coverage. `tests/replay.rs` replays
//! the inputs it found (`corpus/`), inputs that once broke something (`regressions/`) and some
//! mutations of both.

mod targets;

use std::cell::OnceCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

pub use targets::TARGETS;

/// A function that takes any bytes.
#[derive(Debug, Clone, Copy)]
pub struct FuzzTarget {
    /// Its name, which is also the name of its corpus.
    pub name: &'static str,
    /// Its input, and what the result is compared with.
    pub about: &'static str,
    /// Panics on a defect.
    pub run: fn(&[u8]),
}

impl FuzzTarget {
    /// Returns the target with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Returns the stored inputs, each once: the corpus, then inputs that once broke something.
    ///
    /// # Errors
    /// An archive or a folder that cannot be read.
    pub fn kept(&self) -> std::io::Result<Vec<Vec<u8>>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let archive = root.join("corpus").join(self.name).with_extension("zip");
        let mut corpus = ZipArchive::new(File::open(archive)?)?;
        let mut inputs = Vec::with_capacity(corpus.len());
        for place in 0..corpus.len() {
            let mut input = Vec::new();
            corpus.by_index(place)?.read_to_end(&mut input)?;
            inputs.push(input);
        }
        let folder = root.join("regressions").join(self.name);
        if !folder.is_dir() {
            return Ok(inputs);
        }
        let entries = std::fs::read_dir(folder)?;
        let mut files: Vec<PathBuf> =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        files.sort();
        for file in files {
            inputs.push(std::fs::read(file)?);
        }
        Ok(inputs)
    }
}

/// Runs a function in a folder of this thread, which is emptied first.
fn in_folder<T>(run: impl FnOnce(&Path) -> T) -> T {
    thread_local! {
        static FOLDER: OnceCell<tempfile::TempDir> = const { OnceCell::new() };
    }
    FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().expect("a temporary folder"));
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            let removed = if path.is_dir() {
                std::fs::remove_dir_all(&path)
            } else {
                std::fs::remove_file(&path)
            };
            removed.expect("what a target wrote can be removed");
        }
        run(folder.path())
    })
}

/// Splits an input that stands for several files, separated by lines of four dashes.
fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    const LINE: &[u8] = b"\n----\n";
    let mut rest = data;
    std::array::from_fn(|_| {
        let end = rest.windows(LINE.len()).position(|window| window == LINE);
        let (part, after) = match end {
            Some(end) => (&rest[..end], &rest[end + LINE.len()..]),
            None => (rest, &rest[rest.len()..]),
        };
        rest = after;
        part
    })
}

/// Writes a file into a folder.
fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a temporary file can be written");
    path
}
