//! Everything that the program writes while it runs, wherever and however briefly, and the names of
//! all its files.

use super::commands::arguments;
use super::{DROPPED, NAME, SEED, VALUE, assert_unmarked, holds, marked};
use crate::trace::{self, Call, calls};
use std::path::{Path, PathBuf};

/// Returns what a call writes, and the file.
fn written(call: &Call) -> Option<(PathBuf, Vec<u8>)> {
    if !["write", "writev", "pwrite64"].contains(&&*call.name) {
        return None;
    }
    let mut texts = call.texts().into_iter();
    let path = PathBuf::from(String::from_utf8_lossy(&texts.next()?).into_owned());
    Some((path, texts.flatten().collect()))
}

/// Returns all calls of a run, with a test seed if it publishes.
fn calls_of(folder: &Path, command: &str) -> Vec<Call> {
    let arguments: Vec<String> = arguments(command).into_iter().map(str::to_owned).collect();
    calls(folder, &arguments)
}

/// Returns who may read a file, by its folders: the owner (true), everybody (false), or None for
/// other files.
fn readers(path: &Path) -> Option<bool> {
    path.iter().filter_map(|part| part.to_str()).find_map(|part| match part {
        "owner" => Some(true),
        "release" => Some(false),
        _ => None,
    })
}

#[test]
fn nothing_secret_is_written_anywhere_else_while_a_run_lasts() {
    if !trace::is_possible() {
        return;
    }
    let folder = marked();
    let path = folder.path().canonicalize().unwrap();
    let mut bytes = 0;
    for command in [
        "publish policy.toml --measure --plots plots",
        "publish other.toml --certify",
        "publish other.toml --memory 64MB --out chunked",
        "publish policy.toml --out history --algorithm halving",
        "audit out --policy policy.toml --junit junit.xml",
        "compare policy.toml --l 2,3 --trials 1 --queries 20 --csv c.csv --test-seed 5",
        "query out --sample 20 --out synthetic.csv --seed 5",
        "complete history --tables 2 --out completed --worlds 0",
        "report out --policy policy.toml",
    ] {
        for call in calls_of(&path, command) {
            if let Some((file, content)) = written(&call) {
                bytes += content.len();
                let what = format!("{} by {command}", file.display());
                match readers(&file) {
                    Some(true) => {}
                    Some(false) => assert_unmarked(&content, true, &what),
                    // Requested rows, and pictures of the release.
                    None => {
                        let is_asked =
                            ["synthetic.csv", "plots", "synthetic-01.csv", "synthetic-02.csv"];
                        let with_values =
                            is_asked.iter().any(|name| file.iter().any(|part| part == *name));
                        assert_unmarked(&content, with_values, &what);
                    }
                }
            } else {
                // No name of an opened, made, renamed or examined file contains a mark.
                for name in call.texts() {
                    for mark in [NAME, DROPPED, VALUE, SEED] {
                        assert!(!holds(&name, mark), "{mark} in a name: {call:?}");
                    }
                }
            }
        }
    }
    assert!(bytes > 10_000, "{bytes}");
}

/// This test would detect a program that hides a value in another file.
#[test]
fn what_is_written_and_removed_again_is_seen() {
    if !trace::is_possible() {
        return;
    }
    let folder = marked();
    let all = calls_of(folder.path(), "publish policy.toml --measure");
    let content: Vec<u8> = all.iter().filter_map(written).flat_map(|own| own.1).collect();
    // The release holds values; it was first written in a hidden folder.
    assert!(holds(&content, VALUE));
    let hidden = all.iter().filter_map(written);
    assert!(hidden.into_iter().any(|(path, _)| {
        path.to_string_lossy().contains("/.openveil-run-") && readers(&path) == Some(false)
    }));
}
