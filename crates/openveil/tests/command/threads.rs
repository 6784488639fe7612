//! The number of threads does not affect a release: with a test seed the release is equal, so
//! without one its distribution is equal.

use super::support::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the files of a release made with this number of threads.
fn release(folder: &Path, threads: usize, arguments: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    let command = command.env("RAYON_NUM_THREADS", threads.to_string()).current_dir(folder);
    let output =
        command.args(["publish", "policy.toml", "--test-seed", "7"]).args(arguments).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let entries = fs::read_dir(folder.join("out/release")).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

#[test]
fn one_thread_and_sixty_four_make_the_same_release() {
    let folder = folder();
    fs::write(folder.path().join("people.csv"), people(6_000)).unwrap();
    for (algorithm, memory) in
        [("cover", &[][..]), ("halving", &[]), ("halving", &["--memory", "10kB"])]
    {
        let arguments = [&["--algorithm", algorithm], memory].concat();
        let alone = release(folder.path(), 1, &arguments);
        assert!(alone.contains_key("release.csv") && alone.contains_key("manifest.json"));
        for threads in [2, 7, 64] {
            let together = release(folder.path(), threads, &arguments);
            assert!(alone == together, "{algorithm} {memory:?} with {threads} threads");
        }
    }
}

/// Engines, styles and policies of every kind, on a small table.
#[test]
fn threads_decide_about_nothing_whatever_is_published() {
    let folder = folder();
    fs::write(folder.path().join("people.csv"), people(600)).unwrap();
    let same = |what: &str, arguments: &[&str]| {
        let alone = release(folder.path(), 1, arguments);
        let together = release(folder.path(), 5, arguments);
        assert!(alone == together, "{what}");
    };
    for style in ["generalize", "slice", "anatomy"] {
        let policy = format!("{POLICY}[output]\nstyle = \"{style}\"\n");
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        for algorithm in ["cover", "halving", "ria", "rda", "k-jump", "safe"] {
            same(&format!("{algorithm}, {style}"), &["--algorithm", algorithm]);
        }
        for algorithm in ["gda", "mondrian", "top-down"] {
            let disclosing = ["--algorithm", algorithm, "--i-accept-algorithm-disclosure"];
            same(&format!("{algorithm}, {style}"), &disclosing);
        }
    }
    for (what, from, to) in [
        ("strata", "l = 3", "l = 2\nstrata = [\"sex\"]"),
        (
            "t-closeness",
            "model = \"l-diversity\"\nl = 3",
            "model = \"t-closeness\"\nt = 0.3\ndistance = \"equal\"",
        ),
        ("persons", "[privacy]", "[persons]\nid = \"name\"\n[privacy]"),
        ("parquet", "[privacy]", "[output]\nformat = \"parquet\"\n[privacy]"),
    ] {
        assert!(POLICY.contains(from), "{what}");
        fs::write(folder.path().join("policy.toml"), POLICY.replace(from, to)).unwrap();
        same(what, &[]);
    }
}
