//! All tests and proofs that the page of guarantees names exist.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Collects the texts of all Rust files below a folder.
fn sources(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|own| own == "rs") {
            *all += &fs::read_to_string(path).unwrap();
        }
    }
}

#[test]
fn tests_and_proofs_that_promises_rest_on_exist() {
    let page = fs::read_to_string(root().join("docs/theory/guarantees.md")).unwrap();
    let mut code = String::new();
    sources(&root().join("crates"), &mut code);
    let is_name = |name: &&str| {
        name.contains('_') && name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_')
    };
    // Every second part is in backticks.
    let names: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_name).collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let (of_test, of_module) = (format!("fn {name}("), format!("mod {name};"));
        assert!(code.contains(&of_test) || code.contains(&of_module), "no test `{name}`");
    }
    let paths: Vec<&str> = page
        .split("](")
        .skip(1)
        .filter_map(|part| part.split(')').next())
        .filter_map(|link| link.split('#').next())
        .collect();
    assert!(paths.len() > 20);
    for path in paths {
        let path = root().join("docs/theory").join(path);
        assert!(path.exists(), "no file {}", path.display());
    }
}
