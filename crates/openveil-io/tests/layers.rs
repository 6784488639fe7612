//! Modules know those below them, and none above: read from below, `CRATES` is what a reader can read
//! one after the other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A crate's modules from below. Those of one line do not know one another.
struct Crate {
    /// Beside this one.
    folder: &'static str,
    order: &'static [&'static [&'static str]],
}

const CRATES: [Crate; 2] = [
    Crate {
        folder: "openveil",
        order: &[
            &["exact", "hierarchy"],
            &["table"],
            &["coins", "model"],
            &["release"],
            &["disclosure", "utility"],
            &["algorithm"],
            &["guarantee", "history"],
            &["verify"],
            &["attack", "audit", "schema"],
            // What all of them can end with: `Error` is the crate's, not the module's.
            &["error"],
        ],
    },
    Crate {
        folder: "openveil-io",
        order: &[
            &["error", "formulas", "picture", "progress"],
            &["spelling"],
            &["source"],
            &["policy"],
            &["load", "schema"],
            &["correlations", "risks"],
            &["release_dir"],
            &["history", "query", "verify"],
            &["attack", "certify", "explain"],
            &["report"],
            &["audit", "publish"],
            &["compare", "inspect", "publication"],
            &["watch"],
        ],
    },
];

/// What a file takes from the crate, by its first names: `crate::NAME`, and `crate::{NAME, …}`.
fn known(text: &str) -> BTreeSet<String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code: String = text.lines().filter(is_code).collect();
    let paths = code.split("crate::").skip(1).flat_map(|rest| {
        let path = rest.split_once(';').map_or(rest, |(path, _)| path);
        match path.strip_prefix('{') {
            Some(list) => list.split(',').collect(),
            None => vec![path],
        }
    });
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let first = |path: &str| -> String { path.trim().chars().take_while(is_word).collect() };
    paths.map(first).filter(|name| !name.is_empty()).collect()
}

/// Notes what files of a module know that is not below it.
fn visit(path: &Path, module: &str, not_below: &[&[&str]], broken: &mut Vec<String>) {
    let name = path.file_stem().unwrap().to_string_lossy();
    if name == "tests" || name == "testing" {
        return;
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            visit(&entry.unwrap().path(), module, not_below, broken);
        }
        return;
    }
    if path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let (code, _) = text
        .split_once("#[cfg(test)]\nmod tests {")
        .unwrap_or((&text, ""));
    let knows = known(code);
    let not_below = not_below.iter().flat_map(|line| line.iter());
    for above in not_below.filter(|above| **above != module && knows.contains(**above)) {
        broken.push(format!("{} knows `{above}`", path.display()));
    }
}

#[test]
fn every_module_knows_those_below_it_only() {
    for Crate { folder, order } in CRATES {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let root = crates.join(folder).join("src");
        let mut broken = Vec::new();
        let mut seen = BTreeSet::from(["lib".to_owned()]);
        for (height, line) in order.iter().enumerate() {
            for module in *line {
                seen.insert((*module).to_owned());
                let file = root.join(format!("{module}.rs"));
                let path = if file.is_file() {
                    file
                } else {
                    root.join(module)
                };
                visit(&path, module, &order[height..], &mut broken);
            }
        }
        assert!(broken.is_empty(), "{}", broken.join("\n"));
        let entries = fs::read_dir(&root).unwrap();
        let all = entries.map(|entry| entry.unwrap().path());
        let all = all.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned());
        assert_eq!(
            all.collect::<BTreeSet<_>>(),
            seen,
            "a module of {folder} has no place in the order"
        );
    }
}

#[test]
fn what_a_file_knows_is_read() {
    let text = "use crate::{\n    Error, attack,\n    report::words,\n};\n// crate::query\nlet a = crate::load::load(crate::policy::x);";
    let expected = ["Error", "attack", "load", "policy", "report"].map(str::to_owned);
    assert_eq!(known(text), BTreeSet::from(expected));
}
