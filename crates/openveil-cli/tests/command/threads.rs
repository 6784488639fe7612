//! How many threads work decides about nothing: with a test seed a release is the same, so without
//! one its distribution is.

use super::support::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The files of a release that so many threads make.
fn release(folder: &Path, threads: usize, arguments: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    let command = command
        .env("RAYON_NUM_THREADS", threads.to_string())
        .current_dir(folder);
    let output = command
        .args(["publish", "policy.toml", "--test-seed", "7"])
        .args(arguments)
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let entries = fs::read_dir(folder.join("out/release"))
        .unwrap()
        .map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        (
            entry.file_name().into_string().unwrap(),
            fs::read(entry.path()).unwrap(),
        )
    };
    entries.map(file).collect()
}

#[test]
fn one_thread_and_sixty_four_make_the_same_release() {
    let folder = folder();
    fs::write(folder.path().join("people.csv"), people(6_000)).unwrap();
    for algorithm in ["cover", "halving"] {
        for memory in [&[][..], &["--memory", "10kB"]] {
            let arguments = [&["--algorithm", algorithm], memory].concat();
            let alone = release(folder.path(), 1, &arguments);
            assert!(alone.contains_key("release.csv") && alone.contains_key("manifest.json"));
            for threads in [2, 7, 64] {
                let together = release(folder.path(), threads, &arguments);
                assert!(
                    alone == together,
                    "{algorithm} {memory:?} with {threads} threads"
                );
            }
        }
    }
}
