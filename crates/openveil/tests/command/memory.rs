//! Tables that are larger than the allowed memory.

use super::support::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// So little memory that chunks have the fewest possible rows.
const LITTLE: [&str; 4] = ["--memory", "10kB", "--test-seed", "7"];

/// A policy for 20,000 people, in about five chunks.
fn folder_of_many(more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("people.csv"), people(20_000)).unwrap();
    fs::write(folder.path().join("policy.toml"), format!("{POLICY}{more}")).unwrap();
    folder
}

/// Splits a line into fields; fields with a comma are quoted.
fn fields(line: &str) -> Vec<String> {
    let mut quoted = false;
    line.split(|c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .map(str::to_owned)
    .collect()
}

/// Publishes with more arguments; returns the manifest, and the rows of the release.
fn published(folder: &Path, arguments: &[&str]) -> (Value, Vec<Vec<String>>) {
    let output = openveil(folder, &[&["publish", "policy.toml"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let manifest = fs::read_to_string(folder.join("out/release/manifest.json")).unwrap();
    let release = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let rows = release.lines().skip(1).map(fields).collect();
    (serde_json::from_str(&manifest).unwrap(), rows)
}

/// Counts each text of a column.
fn counts(rows: &[Vec<String>], column: usize) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row[column].as_str()).or_default() += 1;
    }
    counts
}

#[test]
fn a_release_in_chunks_promises_what_one_in_memory_does() {
    let folder = folder_of_many("");
    let (whole, rows) = published(folder.path(), &["--test-seed", "7"]);
    let (chunked, chunked_rows) = published(folder.path(), &LITTLE);
    for key in ["rows", "algorithm", "chosen_by", "parameters", "model", "guarantee", "omitted"] {
        assert_eq!(whole[key], chunked[key], "{key}");
    }
    // age, sex, job, group
    assert_eq!(counts(&rows, 2), counts(&chunked_rows, 2));
    assert_groups(&chunked_rows, 3);
    assert_eq!(chunked_rows.last().unwrap()[3], chunked["groups"].to_string());
}

/// Checks that groups are numbered in order, and that in no group a job has more than 1/l of the
/// rows.
fn assert_groups(rows: &[Vec<String>], l: usize) {
    let mut jobs: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for row in rows {
        jobs.entry(row[3].parse().unwrap()).or_default().push(&row[2]);
    }
    assert!(jobs.keys().copied().eq(1..=jobs.len()));
    assert!(rows.is_sorted_by_key(|row| row[3].parse::<usize>().unwrap()));
    for (group, jobs) in jobs {
        let most = jobs.iter().map(|job| jobs.iter().filter(|own| *own == job).count()).max();
        assert!(l * most.unwrap() <= jobs.len(), "group {group}: {jobs:?}");
    }
}

/// Independent jobs leave room for cuts: nearly as many are made as in memory. If women have other
/// jobs than men, the model still holds.
#[test]
fn halving_cuts_from_counts_until_nodes_fit() {
    let folder = folder_of_many("[algorithm]\nname = \"halving\"\n");
    let mixed = |row: u32, step: u32| {
        row.wrapping_mul(2_654_435_761).wrapping_add(step).rotate_left(step) / 7
    };
    let mut table = String::from("name,age,sex,job\n");
    for row in 0..20_000 {
        let sex = ["f", "m"][mixed(row, 3) as usize % 2];
        let job = ["clerk", "nurse", "smith", "judge"][mixed(row, 11) as usize % 4];
        table += &format!("p{row},{},{sex},{job}\n", 20 + mixed(row, 19) % 50);
    }
    for (table, needs_many) in [(table, true), (people(20_000), false)] {
        fs::write(folder.path().join("people.csv"), table).unwrap();
        let (whole, rows) = published(folder.path(), &["--test-seed", "7"]);
        let (chunked, chunked_rows) = published(folder.path(), &LITTLE);
        for key in ["rows", "algorithm", "model", "guarantee", "omitted"] {
            assert_eq!(whole[key], chunked[key], "{key}");
        }
        assert_eq!(counts(&rows, 2), counts(&chunked_rows, 2));
        assert_groups(&chunked_rows, 3);
        let groups = |manifest: &Value| manifest["groups"].as_u64().unwrap();
        let (whole, chunked) = (groups(&whole), groups(&chunked));
        assert!(!needs_many || 10 * chunked > 7 * whole, "{chunked} of {whole}");
    }
}

#[test]
fn nothing_is_left_beside_the_release_and_a_seed_repeats_it() {
    let folder = folder_of_many("");
    let (_, first) = published(folder.path(), &LITTLE);
    let (_, second) = published(folder.path(), &LITTLE);
    assert!(first == second, "a seed repeats a release");
    let names = |path: &str| {
        let entries = fs::read_dir(folder.path().join(path)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("out"), ["owner", "release"]);
    assert_eq!(names("out/release"), ["manifest.json", "release.csv"]);
    let owner = fs::read_to_string(folder.path().join("out/owner/owner.json")).unwrap();
    let owner: Value = serde_json::from_str(&owner).unwrap();
    let warnings = owner["warnings"].to_string();
    assert!(warnings.contains("`name` was not checked for duplicates"), "{warnings}");
    let audit = ["audit", "out/release/release.csv", "--policy", "policy.toml", "--group", "group"];
    assert_eq!(openveil(folder.path(), &audit).status.code(), Some(0));
    let query = openveil(folder.path(), &["query", "out", "--where", "age >= 30", "--json"]);
    assert_eq!(query.status.code(), Some(0), "{}", text(&query.stderr));
}

#[test]
fn strata_styles_formats_and_missing_values_are_kept() {
    let folder = folder_of_many("strata = [\"sex\"]\n[output]\nstyle = \"slice\"\n");
    rewrite(folder.path(), "l = 3", "l = 2");
    let (whole, rows) = published(folder.path(), &["--test-seed", "1"]);
    let (chunked, chunked_rows) = published(folder.path(), &LITTLE);
    assert_eq!(whole["strata"], chunked["strata"]);
    for column in [0, 1, 2] {
        assert_eq!(counts(&rows, column), counts(&chunked_rows, column));
    }
    rewrite(folder.path(), "style = \"slice\"", "style = \"anatomy\"\nformat = \"parquet\"");
    let output = openveil(folder.path(), &[&["publish", "policy.toml"], &LITTLE[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let query =
        openveil(folder.path(), &["query", "out", "--where", "sex = f and job = clerk", "--json"]);
    let found = json(&query.stdout);
    assert_eq!(found["estimate"].as_f64().map(f64::round), Some(5_000.0), "{found}");
}

#[test]
fn rows_with_missing_values_are_left_out() {
    let folder = folder_of_many("");
    let table = people(20_000).replace("p7,27.0,", "p7,,").replace("p9,29.0,m,nurse", "p9,29.0,m,");
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let refused = complaint(folder.path(), &[&["publish", "policy.toml"], &LITTLE[..]].concat());
    assert!(refused.contains("values are missing: `age` in 1 rows, `job` in 1 rows"), "{refused}");
    let input = "path = \"people.csv\"";
    rewrite(folder.path(), input, &format!("{input}\nmissing = \"drop-rows\""));
    let (manifest, rows) = published(folder.path(), &LITTLE);
    assert_eq!((manifest["rows"].as_u64(), rows.len()), (Some(19_998), 19_998));
    assert_eq!(manifest["omitted"]["rows"], 2);
}

#[test]
fn what_is_done_in_memory_only_is_refused_before_any_work() {
    let folder = folder_of_many("[algorithm]\nname = \"safe\"\n");
    let refused_by = |arguments: &[&str]| {
        refused(folder.path(), &[&["publish", "policy.toml"], &LITTLE[..], arguments].concat())
    };
    let message = refused_by(&[]);
    assert!(
        message.contains("algorithms other than `halving` are for tables in memory only"),
        "{message}"
    );
    rewrite(folder.path(), "\"safe\"", "\"auto\"");
    let message = refused_by(&["--certify"]);
    assert!(message.contains("certificates are for tables in memory only"), "{message}");
    assert!(message.contains("raise `--memory`"), "{message}");
    let message = complaint(folder.path(), &["publish", "policy.toml", "--memory", "much"]);
    assert!(message.contains("`much` is not an amount of memory"), "{message}");
    assert!(!folder.path().join("out").exists(), "nothing was made");
}

/// Needs a feature of `sh` that other shells may lack.
#[cfg(unix)]
fn in_shell(folder: &Path, command: &str) -> std::process::Output {
    let program = env!("CARGO_BIN_EXE_openveil");
    let mut shell = std::process::Command::new("sh");
    let shell = shell
        .current_dir(folder)
        .args(["-c", &format!("{command} exec {program} publish policy.toml --memory 10kB")]);
    shell.output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_leaves_an_older_release_as_it_was() {
    let folder = folder_of_many("");
    published(folder.path(), &LITTLE);
    let manifest = || fs::read(folder.path().join("out/release/manifest.json")).unwrap();
    let before = manifest();
    // Limits the size of files in blocks of 512 bytes: the scratch file, then the release.
    for blocks in [8, 400] {
        let output = in_shell(folder.path(), &format!("trap '' XFSZ; ulimit -f {blocks};"));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        let what = match blocks {
            8 => "keep rows in a file without a name",
            _ => "write the file",
        };
        assert!(message.contains(what), "{message}");
        assert_eq!(manifest(), before);
        let entries = fs::read_dir(folder.path().join("out")).unwrap();
        assert_eq!(entries.count(), 2, "nothing stays behind");
    }
}

/// The file of rows on disk has no name, so nothing is left if the program is killed.
#[cfg(unix)]
#[test]
fn a_program_that_is_killed_leaves_no_rows_behind() {
    let folder = folder_of_many("");
    published(folder.path(), &LITTLE);
    for wait in [5, 20, 60, 120] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_openveil"));
        let command = command.current_dir(folder.path()).args(["publish", "policy.toml"]);
        let mut running = command.args(LITTLE).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        running.kill().unwrap();
        running.wait().unwrap();
        for entry in fs::read_dir(folder.path().join("out")).unwrap() {
            let path = entry.unwrap().path();
            let names: Vec<_> = fs::read_dir(&path)
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .map(|name| name.into_string().unwrap())
                .collect();
            let known = [
                "release",
                "owner",
                "old-release",
                "old-owner",
                "manifest.json",
                "release.csv",
                "owner.json",
            ];
            assert!(names.iter().all(|name| known.contains(&name.as_str())), "{path:?}: {names:?}");
        }
    }
}

/// The process writes no core file, and passes none to a collecting program.
#[cfg(target_os = "linux")]
#[test]
fn no_core_file_is_made() {
    use std::io::Write;
    let folder = folder();
    let mut child = waiting(folder.path());
    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    let mut table = child.stdin.take().unwrap();
    table.write_all(people(100).as_bytes()).unwrap();
    drop(table);
    assert!(child.wait().unwrap().success());
    let core: Vec<&str> = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap()
        .split_whitespace()
        .skip(4)
        .take(2)
        .collect();
    // If core files were not allowed at all, the limit cannot be raised to one byte.
    assert!(core == ["1", "1"] || core == ["0", "0"], "{core:?}");
}
