//! Helpers for all tests of the command.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A policy for the table of [`people`].
pub const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
job = { role = "sensitive" }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 3
"#;

/// An addition to a policy: groups as small as possible, which `cover` makes.
pub const COVER: &str = "[algorithm]\nname = \"cover\"\n";

/// An addition to [`POLICY`]: groups enough for a fit of a small table.
pub const SMALL_GROUPS: &str = "smallest-group = 3\n";

/// An addition to a policy: the table is published repeatedly.
pub const HISTORY: &str = "[history]\nstate = \"secret/people.state\"\nperson = \"name\"\n";

/// Returns the number of trials: `OPENVEIL_TRIALS` if it is set, else the usual number.
pub fn trials(usual: usize) -> usize {
    let asked = std::env::var("OPENVEIL_TRIALS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

pub fn people(rows: usize) -> String {
    let mut text = String::from("name,age,sex,job\n");
    for row in 0..rows {
        let job = ["clerk", "nurse", "smith", "judge"][row % 4];
        text.push_str(&format!("p{row},{}.0,{},{job}\n", 20 + row % 50, ["f", "m"][row % 2]));
    }
    text
}

pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(100)).unwrap();
    fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    folder
}

/// Replaces a part of the policy, which has to exist.
pub fn rewrite(folder: &Path, from: &str, to: &str) {
    let path = folder.join("policy.toml");
    let policy = fs::read_to_string(&path).unwrap();
    assert!(policy.contains(from), "{from} is in the policy");
    fs::write(path, policy.replace(from, to)).unwrap();
}

pub fn openveil(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// Checks that an unmodified release agrees with its own statements.
pub fn keeps_what_it_says(folder: &Path) {
    let audited = openveil(folder, &["audit", "out", "--json"]);
    let said = text(&audited.stdout) + &text(&audited.stderr);
    assert_eq!(audited.status.code(), Some(0), "{said}");
}

/// Publishes by the policy of a folder; returns the manifest of the release, after checking it.
pub fn published(folder: &Path) -> Value {
    let output = openveil(folder, &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    keeps_what_it_says(folder);
    json(&fs::read(folder.join("out/release/manifest.json")).unwrap())
}

/// Starts a run that has made its hidden folder, and waits for its table on standard input.
pub fn waiting(folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    let command = command.current_dir(folder);
    let command = command.args(["publish", "policy.toml", "--input", "-"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let run = piped.spawn().unwrap();
    let out = folder.join("out");
    while !out.exists() || names(&out).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    run
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs a command that must fail with code 2; returns its message.
pub fn complaint(folder: &Path, arguments: &[&str]) -> String {
    let output = openveil(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{message}");
    message
}

/// Runs a command that must fail with code 2 and leave nothing; returns its message.
pub fn refused(folder: &Path, arguments: &[&str]) -> String {
    let message = complaint(folder, arguments);
    assert!(!folder.join("out/release").exists());
    message
}

/// Parses the output of a command with `--json`.
pub fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// Returns the number of rows of the release in a folder, after checking that it is complete: all
/// files of its manifest with the right number of rows, and an owner's part beside it.
pub fn whole(out: &Path) -> u64 {
    let manifest = json(&fs::read(out.join("release/manifest.json")).unwrap());
    for file in manifest["files"].as_array().unwrap() {
        let text = fs::read_to_string(out.join("release").join(file.as_str().unwrap())).unwrap();
        let rows = text.lines().count() as u64 - 1;
        assert_eq!(rows, manifest["rows"].as_u64().unwrap());
    }
    assert!(json(&fs::read(out.join("owner/owner.json")).unwrap()).is_object());
    manifest["rows"].as_u64().unwrap()
}

/// Returns the files of the release in a folder with their SHA-256, if there is one; it has to be
/// complete.
pub fn release_in(out: &Path) -> Option<BTreeMap<String, String>> {
    let release = fs::read_dir(out.join("release")).ok()?;
    whole(out);
    let hash = |path: &Path| {
        let digest = Sha256::digest(fs::read(path).unwrap());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let paths =
        release.map(|entry| entry.unwrap().path()).filter(|path| !path.ends_with("report.html"));
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    Some(paths.map(|path| (name(&path), hash(&path))).collect())
}

/// Whether the owner's part belongs to the release in the same folder.
pub fn belongs(out: &Path) -> bool {
    let owner = fs::read(out.join("owner/owner.json")).ok();
    let release =
        owner.map(|owner| serde_json::from_value(json(&owner)["release"].take()).unwrap());
    release == release_in(out)
}

/// Returns the names in a folder, in order; none if it does not exist.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let name =
        |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// Returns whether the output folder holds nothing but records of what depended on values.
pub(crate) fn is_clean(folder: &Path) -> bool {
    let names = |folder: &Path| -> Vec<String> {
        fs::read_dir(folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    let is_record = |name: &String| ["refusals.json", "fingerprints-key.json"].contains(&&**name);
    let (out, owner) = (names(&folder.join("out")), names(&folder.join("out/owner")));
    out.iter().all(|name| name == "owner") && owner.iter().all(is_record)
}
