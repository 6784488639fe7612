//! Pages beside a release, and `openveil report`.

use super::support::*;
use std::fs;
use std::path::Path;
use std::process::Command;

fn published(more: &[&str]) -> tempfile::TempDir {
    let folder = folder();
    let arguments = [&["publish", "policy.toml", "--test-seed", "1"], more].concat();
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    folder
}

#[test]
fn both_pages_are_written_and_made_again() {
    let folder = published(&[]);
    let out = folder.path().join("out");
    let page = fs::read_to_string(out.join("release/report.html")).unwrap();
    assert!(page.contains("nobody's value of `job`"));
    fs::remove_file(out.join("release/report.html")).unwrap();
    let arguments = ["report", "out", "--policy", "policy.toml", "--plots", "plots"];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(out.join("release/report.html")).unwrap(), page);
    let owner = fs::read_to_string(out.join("owner/report.html")).unwrap();
    assert!(owner.contains("Results of the attacks"));
    let shown = text(&output.stdout);
    assert!(shown.contains("Groups by size") && shown.contains('█'), "{shown}");
    let svg = fs::read_to_string(folder.path().join("plots/group-sizes-release.svg")).unwrap();
    assert!(svg.starts_with("<svg xmlns="));
    // Replacing a release also replaces its page.
    let again = openveil(folder.path(), &["publish", "policy.toml", "--no-report"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(!out.join("release/report.html").exists() && !out.join("owner/report.html").exists());
}

#[test]
fn a_release_of_somebody_else_has_the_public_page_only() {
    let folder = published(&["--no-report"]);
    let alone = folder.path().join("alone");
    fs::rename(folder.path().join("out/release"), &alone).unwrap();
    let output = openveil(folder.path(), &["report", "alone", "--json"]);
    let said = json(&output.stdout);
    assert!(said["owner"].is_null() && alone.join("report.html").exists(), "{said}");
    let message = complaint(folder.path(), &["report", "alone", "--policy", "policy.toml"]);
    assert!(message.contains("has no folder `owner` beside it"), "{message}");
}

/// If a browser is installed, checks that a page of 400 points does not scroll sideways.
#[test]
fn pages_fit_small_screens() {
    let folder = published(&[]);
    let frame = "<!DOCTYPE html><iframe id=\"f\" width=\"400\" height=\"900\" src=\"PAGE\"></iframe><p id=\"o\"></p>\
        <script>onload=()=>{const d=document.getElementById('f').contentDocument.documentElement;\
        document.getElementById('o').textContent='width '+d.scrollWidth+' of '+d.clientWidth+';'}</script>";
    for page in ["out/release/report.html", "out/owner/report.html"] {
        let wrapper = folder.path().join("frame.html");
        fs::write(&wrapper, frame.replace("PAGE", page)).unwrap();
        let Some(shown) = browsed(&wrapper) else {
            println!("skipped: there is no Chromium here");
            return;
        };
        let found = shown.split("width ").nth(1).and_then(|rest| rest.split(';').next());
        let (inside, outside) = found.unwrap().split_once(" of ").unwrap();
        assert_eq!(inside, outside, "{page}");
    }
}

/// Returns the text of a page after a browser has rendered it.
fn browsed(page: &Path) -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--allow-file-access-from-files",
        "--virtual-time-budget=3000",
        "--dump-dom",
    ];
    let address = format!("file://{}", page.display());
    let run = |name: &&str| Command::new(name).args(arguments).arg(&address).output().ok();
    let output = names.iter().find_map(run)?;
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    shown.contains("width ").then_some(shown)
}
