//! What all tests of the command need.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

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

pub fn people(rows: usize) -> String {
    let mut text = String::from("name,age,sex,job\n");
    for row in 0..rows {
        let job = ["clerk", "nurse", "smith", "judge"][row % 4];
        text.push_str(&format!(
            "p{row},{}.0,{},{job}\n",
            20 + row % 50,
            ["f", "m"][row % 2]
        ));
    }
    text
}

pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(100)).unwrap();
    fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    folder
}

/// Replaces a part of the policy, which has to be there.
pub fn rewrite(folder: &Path, from: &str, to: &str) {
    let path = folder.join("policy.toml");
    let policy = fs::read_to_string(&path).unwrap();
    assert!(policy.contains(from), "{from} is in the policy");
    fs::write(path, policy.replace(from, to)).unwrap();
}

pub fn openveil(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    command
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs a command that must fail with code 2 and say why.
pub fn complaint(folder: &Path, arguments: &[&str]) -> String {
    let output = openveil(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.starts_with("error: ") && !message.contains("panicked"),
        "{message}"
    );
    message
}

/// Runs a command that must fail with code 2, leave nothing and say why.
pub fn refused(folder: &Path, arguments: &[&str]) -> String {
    let message = complaint(folder, arguments);
    assert!(!folder.join("out/release").exists());
    message
}

/// What a command printed with `--json`.
pub fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}
