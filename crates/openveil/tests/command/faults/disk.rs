//! A disk that loses power: content that was not synced may be lost.
//!
//! The calls of a run are replayed on a model of a file system. Every file and folder has two
//! contents: the current one, and the one of its last `fsync`. The names in a folder are the
//! folder's content, so a new name is lost if its folder was not synced since. After a power cut
//! every file and folder has one of its contents, independently of the others. Only a rename
//! between two folders is on the disk in both or in neither, as in every file system with a
//! journal.

use crate::trace::Call;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Content {
    File(Vec<u8>),
    Folder(BTreeMap<String, usize>),
}

#[derive(Debug)]
struct Node {
    now: Content,
    disk: Content,
}

/// A folder on a disk, with everything in it.
#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    nodes: Vec<Node>,
    /// Pairs of folders with a rename between them that is not on the disk.
    renamed: Vec<(usize, usize)>,
}

/// The state after a power cut: by path the content of a file, or None for a folder.
pub type Left = BTreeMap<PathBuf, Option<Vec<u8>>>;

impl Disk {
    /// Returns a folder in its current state, with everything on the disk.
    pub fn new(root: &Path) -> Self {
        let mut disk = Self { root: root.to_owned(), nodes: Vec::new(), renamed: Vec::new() };
        disk.load(root);
        disk
    }

    fn load(&mut self, path: &Path) -> usize {
        let own = self.add(Content::File(Vec::new()));
        let content = if path.is_dir() {
            let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
            let entry = |entry: fs::DirEntry| {
                (entry.file_name().into_string().unwrap(), self.load(&entry.path()))
            };
            Content::Folder(entries.map(entry).collect())
        } else {
            Content::File(fs::read(path).unwrap())
        };
        self.nodes[own] = Node { now: content.clone(), disk: content };
        own
    }

    /// Adds a new file or folder, of which nothing is on the disk.
    fn add(&mut self, now: Content) -> usize {
        let disk = match now {
            Content::File(_) => Content::File(Vec::new()),
            Content::Folder(_) => Content::Folder(BTreeMap::new()),
        };
        self.nodes.push(Node { now, disk });
        self.nodes.len() - 1
    }

    /// Returns the file or folder at a path; None outside the root, or if it has no name.
    fn find(&self, path: &Path) -> Option<usize> {
        let inside = path.strip_prefix(&self.root).ok()?;
        inside.iter().try_fold(0, |own, name| match &self.nodes[own].now {
            Content::Folder(names) => names.get(name.to_str()?).copied(),
            Content::File(_) => None,
        })
    }

    /// Returns the names in the folder of a path, and the path's own name.
    fn names(&mut self, path: &Path) -> Option<(&mut BTreeMap<String, usize>, String)> {
        let folder = self.find(path.parent()?)?;
        match &mut self.nodes[folder].now {
            Content::Folder(names) => Some((names, path.file_name()?.to_str()?.to_owned())),
            Content::File(_) => None,
        }
    }

    fn put(&mut self, path: &Path, node: usize) {
        if let Some((names, name)) = self.names(path) {
            names.insert(name, node);
        }
    }

    fn take(&mut self, path: &Path) -> Option<usize> {
        let (names, name) = self.names(path)?;
        names.remove(&name)
    }

    /// Replays a call.
    pub fn replay(&mut self, call: &Call) {
        let paths = paths(call);
        match (&*call.name, &paths[..]) {
            _ if call.failed() => {}
            ("open" | "openat" | "creat", [path]) => self.open(path, &call.arguments),
            ("mkdir" | "mkdirat", [path]) => {
                let made = self.add(Content::Folder(BTreeMap::new()));
                self.put(path, made);
            }
            ("write", [path]) => self.append(path, call),
            // The first call copies everything; the following one copies nothing.
            ("copy_file_range", [from, to]) => self.copy(from, to, call),
            ("fsync" | "fdatasync", [path]) => self.sync(path),
            ("rename" | "renameat" | "renameat2", [from, to]) => {
                self.rename(from, to, call.arguments.contains("RENAME_EXCHANGE"));
            }
            ("unlink" | "unlinkat" | "rmdir", [path]) => drop(self.take(path)),
            ("statx" | "stat" | "newfstatat" | "getdents64" | "flock" | "lseek", _) => {}
            ("chmod" | "fchmod" | "fchmodat", _) => {}
            (_, paths) => {
                let here = paths.iter().any(|path| path.starts_with(&self.root));
                assert!(!here, "the model does not know {call:?}");
            }
        }
    }

    fn sync(&mut self, path: &Path) {
        let Some(own) = self.find(path) else { return };
        let together = self.together(own);
        self.renamed.retain(|(one, _)| !together.contains(one));
        for synced in together {
            let node = &mut self.nodes[synced];
            node.disk = node.now.clone();
        }
    }

    fn rename(&mut self, from: &Path, to: &Path, exchanged: bool) {
        let folders = [from, to].map(|path| path.parent().and_then(|folder| self.find(folder)));
        let (Some(moved), other) = (self.take(from), self.take(to)) else {
            return;
        };
        self.put(to, moved);
        if let (Some(other), true) = (other, exchanged) {
            self.put(from, other);
        }
        if let [Some(one), Some(two)] = folders
            && one != two
        {
            self.renamed.push((one, two));
        }
    }

    /// Returns the files and folders that are on the disk together with this one, because of
    /// renames.
    pub fn together(&self, own: usize) -> BTreeSet<usize> {
        let mut together = BTreeSet::from([own]);
        // Repeat once for each link, so that every link is followed.
        for _ in &self.renamed {
            for &(one, two) in &self.renamed {
                if together.contains(&one) || together.contains(&two) {
                    together.extend([one, two]);
                }
            }
        }
        together
    }

    fn open(&mut self, path: &Path, arguments: &str) {
        if let Some(own) = self.find(path) {
            if arguments.contains("O_TRUNC") {
                self.nodes[own].now = Content::File(Vec::new());
            }
        } else if arguments.contains("O_CREAT") && path.starts_with(&self.root) {
            let made = self.add(Content::File(Vec::new()));
            self.put(path, made);
        }
    }

    /// The program writes its files from their beginning to their end.
    fn append(&mut self, path: &Path, call: &Call) {
        let written: usize = call.result.parse().unwrap();
        if let Some(own) = self.find(path)
            && let Content::File(now) = &mut self.nodes[own].now
        {
            let texts = call.texts();
            now.extend(&texts.last().unwrap()[..written]);
        }
    }

    fn copy(&mut self, from: &Path, to: &Path, call: &Call) {
        let copied: usize = call.result.parse().unwrap();
        let (Some(from), Some(to)) = (self.find(from), self.find(to)) else {
            panic!("the model knows no copies from elsewhere: {call:?}");
        };
        let content = match &self.nodes[from].now {
            Content::File(content) if copied == content.len() => content.clone(),
            _ if copied == 0 => return,
            other => panic!("{copied} bytes of {other:?} were copied"),
        };
        self.nodes[to].now = Content::File(content);
    }

    /// Returns the files and folders whose current content is not on the disk.
    pub fn unsynced(&self) -> Vec<usize> {
        let numbers = 0..self.nodes.len();
        numbers.filter(|&own| self.nodes[own].now != self.nodes[own].disk).collect()
    }

    pub fn is_folder(&self, own: usize) -> bool {
        matches!(self.nodes[own].now, Content::Folder(_))
    }

    /// Returns the state if some files and folders, and the ones linked to them, keep only their
    /// synced content.
    pub fn left(&self, is_lost: &dyn Fn(usize) -> bool) -> Left {
        let mut left = Left::new();
        self.collect(0, &self.root, is_lost, &mut left);
        left
    }

    fn collect(&self, own: usize, path: &Path, is_lost: &dyn Fn(usize) -> bool, left: &mut Left) {
        let Node { now, disk } = &self.nodes[own];
        match if is_lost(own) { disk } else { now } {
            Content::File(bytes) => drop(left.insert(path.to_owned(), Some(bytes.clone()))),
            Content::Folder(names) => {
                left.insert(path.to_owned(), None);
                for (name, &inside) in names {
                    self.collect(inside, &path.join(name), is_lost, left);
                }
            }
        }
    }
}

/// Returns the paths of a call. Paths of `…at` calls follow the folder that they start at; a
/// descriptor has only its own path.
fn paths(call: &Call) -> Vec<PathBuf> {
    let texts = call.texts().into_iter();
    let texts: Vec<PathBuf> =
        texts.map(|text| PathBuf::from(String::from_utf8_lossy(&text).into_owned())).collect();
    match &*call.name {
        "openat" | "mkdirat" | "renameat" | "renameat2" | "unlinkat" | "linkat" => {
            texts.chunks(2).map(|pair| pair[0].join(pair.last().unwrap())).collect()
        }
        "write" | "fsync" | "fdatasync" => texts.into_iter().take(1).collect(),
        _ => texts,
    }
}

/// Writes the state after a power cut to the real disk.
pub fn restore(left: &Left) {
    let (root, _) = left.first_key_value().unwrap();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
    }
    for (path, content) in left {
        match content {
            Some(content) => fs::write(path, content).unwrap(),
            None if path == root => {}
            None => fs::create_dir(path).unwrap(),
        }
    }
}
