//! Hostile input for everything of Openveil that reads what somebody else may have written.
//!
//! A [`FuzzTarget`] takes any bytes and must not panic, hang or take more memory than its input
//! justifies; where there is something to compare with, it compares. `fuzz/run` has libFuzzer look
//! for bytes that break one, guided by coverage; `tests/replay.rs` repeats what it found
//! (`corpus/`), what once broke something (`regressions/`) and some mutations of both.

mod targets;

use std::cell::OnceCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

pub use targets::TARGETS;

/// Something that takes any bytes.
#[derive(Debug, Clone, Copy)]
pub struct FuzzTarget {
    /// Its name, and that of its corpus.
    pub name: &'static str,
    /// What it reads, and what that is compared with.
    pub about: &'static str,
    /// Panics where something is wrong.
    pub run: fn(&[u8]),
}

impl FuzzTarget {
    /// The target of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Inputs that are kept, each once: those of the corpus, then those that once broke something.
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
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        for file in files {
            inputs.push(std::fs::read(file)?);
        }
        Ok(inputs)
    }
}

/// Runs what needs files in a folder of this thread's own, which is emptied before.
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

/// The parts of an input that stands for several files: separated by lines of four dashes.
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
