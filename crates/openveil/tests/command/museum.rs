//! Releases of earlier versions are read.

use super::support::{complaint, openveil, text};
use std::fs;
use std::path::{Path, PathBuf};

/// The releases: their version, their name, and their folder.
fn releases() -> Vec<(String, String, PathBuf)> {
    let museum = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/museum");
    let folders = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut folders: Vec<PathBuf> = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_dir())
            .collect();
        folders.sort();
        folders
    };
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut all = Vec::new();
    for version in folders(&museum) {
        for release in folders(&version) {
            all.push((name(&version), name(&release), release));
        }
    }
    all
}

#[test]
fn releases_of_earlier_versions_are_audited_and_asked() {
    let releases = releases();
    let versions: Vec<&str> = releases.iter().map(|(version, ..)| version.as_str()).collect();
    assert!(versions.contains(&env!("CARGO_PKG_VERSION")), "this version has no release there");
    for (version, name, folder) in &releases {
        let place = folder.to_str().expect("UTF-8");
        let here = folder.parent().expect("a version");
        let audited = openveil(here, &["audit", place, "--json"]);
        assert_eq!(audited.status.code(), Some(0), "{version} {name}: {}", text(&audited.stderr));
        // Every second of the 60 people is a woman.
        let asked = openveil(here, &["query", place, "--where", "sex = f", "--json"]);
        assert_eq!(asked.status.code(), Some(0), "{version} {name}: {}", text(&asked.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&asked.stdout).expect("JSON");
        let [low, high] = [0, 1].map(|at| answer["interval"][at].as_f64().expect("an end"));
        assert!(low <= 30.0 && 30.0 <= high, "{version} {name}: {answer}");
    }
}

#[test]
fn a_format_of_a_later_version_is_refused() {
    let (_, _, folder) = releases().pop().expect("there are releases");
    let later = tempfile::tempdir().expect("a folder");
    fs::create_dir(later.path().join("release")).expect("a folder");
    let path = later.path().join("release/manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(
        &fs::read(folder.join("release/manifest.json")).expect("a manifest"),
    )
    .expect("JSON");
    manifest["format"] = 99.into();
    manifest["openveil"] = "9.0.0".into();
    manifest["style"] = "unknown".into();
    fs::write(&path, manifest.to_string()).expect("written");
    let said = complaint(later.path(), &["audit", "."]);
    assert!(said.contains("was written by openveil 9.0.0 in format 99"), "{said}");
    assert!(said.contains("install a newer version"), "{said}");
}
