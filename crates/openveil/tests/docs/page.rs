//! Pages of Markdown, their blocks, links and headings.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages outside of `docs/`.
const OTHERS: [&str; 9] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "fuzz/README.md",
    "r/README.md",
    "python/README.md",
    "examples/census/README.md",
];

pub struct Page {
    /// Path from the root of the repository.
    pub path: String,
    pub text: String,
}

/// A block of code.
pub struct Block {
    pub language: String,
    pub text: String,
    /// Line of its fence, from 1.
    pub line: usize,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All pages of the documentation.
pub fn all() -> Vec<Page> {
    let mut paths: Vec<PathBuf> = OTHERS.iter().map(|path| root().join(path)).collect();
    for folder in ["docs", "python/docs"] {
        markdown(&root().join(folder), &mut paths);
    }
    paths.iter().map(|path| Page::read(path)).collect()
}

fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

impl Page {
    pub fn read(path: &Path) -> Self {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let path = path.strip_prefix(root()).unwrap_or(path);
        Self { path: path.to_str().unwrap().to_owned(), text }
    }

    pub fn problem(&self, block: &Block, problem: &str) -> String {
        format!("{}, line {}: {problem}", self.path, block.line)
    }

    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let mut lines = self.text.lines().enumerate();
        std::iter::from_fn(move || {
            let (number, language) =
                lines.find_map(|(number, line)| Some((number, line.strip_prefix("```")?)))?;
            let text = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != "```")
                .map(|line| format!("{line}\n"))
                .collect();
            Some(Block { language: language.to_owned(), text, line: number + 1 })
        })
    }

    /// The text without its blocks.
    pub fn prose(&self) -> String {
        self.text.split("\n```").step_by(2).collect::<Vec<_>>().join("\n")
    }

    /// Targets of links to files of the repository and to headings.
    pub fn links(&self) -> Vec<String> {
        let prose = self.prose();
        prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|target| !target.contains("://"))
            .map(str::to_owned)
            .collect()
    }

    /// The anchors of headings, as GitHub makes them.
    pub fn anchors(&self) -> BTreeSet<String> {
        let prose = self.prose();
        let headings = prose.lines().filter_map(|line| {
            line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim())
        });
        let anchor = |heading: &str| -> String {
            let kept = heading.to_lowercase();
            kept.chars()
                .filter(|sign| sign.is_alphanumeric() || " -_".contains(*sign))
                .map(|sign| if sign == ' ' { '-' } else { sign })
                .collect()
        };
        headings.map(anchor).collect()
    }
}
