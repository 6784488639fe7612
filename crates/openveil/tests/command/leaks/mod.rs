//! Marks everything that is secret, and runs every command with every flag: no mark may appear
//! where others can read.
//!
//! Marks are in names (an identifier), in a column that is not published, in values, in the order
//! of rows and in the coins. Each command states which marks may appear. The release holds values,
//! because it publishes them; printed output holds none unless the owner asked for them.

mod commands;
#[cfg(target_os = "linux")]
mod watched;

use super::support::*;
use commands::{COMMANDS, Shows, arguments};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const ROWS: usize = 120;

/// The seed of the coins, which must stay secret.
const SEED: &str = "7310462985";

/// A mark that must not appear anywhere.
const NAME: &str = "Qxname";
const DROPPED: &str = "Qxdrop";
/// A mark that a release shows, in groups.
const VALUE: &str = "Qxval";

const MARKED: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
job = { role = "sensitive" }
name = { role = "identifier" }
note = { role = "drop" }
[privacy]
model = "l-diversity"
l = 3
"#;

const SCHEMA: &str = r#"
[[rules]]
given = ["age"]
protect = "job"

[[tables]]
columns = ["age", "sex", "job"]
enforces = { given = ["age"], protect = "job" }
"#;

fn marked() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut table = "name,age,sex,job,note\n".to_owned();
    for row in 0..ROWS {
        // Each order of rows is another permutation of these.
        let (age, value) = (20 + row * 7 % 45, row * 11 % 6);
        let sex = ["f", "m"][row * 3 % 2];
        table.push_str(&format!("{NAME}{row},{age},{sex},{VALUE}{value},{DROPPED}{row}\n"));
    }
    // Another table with the same secrets.
    let earlier: Vec<&str> = table.lines().take(table.lines().count() - 1).collect();
    fs::write(folder.path().join("earlier.csv"), earlier.join("\n")).unwrap();
    fs::write(folder.path().join("people.csv"), table).unwrap();
    fs::write(folder.path().join("policy.toml"), format!("{MARKED}{SMALL_GROUPS}")).unwrap();
    fs::write(
        folder.path().join("other.toml"),
        MARKED.replace("[privacy]", "[output]\ndir = \"other\"\nstyle = \"slice\"\n[privacy]"),
    )
    .unwrap();
    let of_values = |line: &dyn Fn(usize) -> String| (0..6).map(line).collect::<String>();
    let category = |value: usize| ["a", "b"][value % 2];
    for (file, content) in [
        ("categories.csv", of_values(&|value| format!("{VALUE}{value};{}\n", category(value)))),
        ("tree.csv", of_values(&|value| format!("{VALUE}{value};{};*\n", category(value)))),
        ("order.csv", of_values(&|value| format!("{VALUE}{value}\n"))),
        ("schema.toml", SCHEMA.to_owned()),
    ] {
        fs::write(folder.path().join(file), content).unwrap();
    }
    folder
}

/// Returns all files under a folder with their contents, by path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            drop(found.insert(path.clone(), fs::read(&path).unwrap()))
        }
    }
    found
}

fn holds(bytes: &[u8], mark: &str) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark.as_bytes())
}

/// Checks that bytes contain no names, no dropped cells and no seed, and values only if allowed.
fn assert_unmarked(bytes: &[u8], with_values: bool, what: &str) {
    for mark in [NAME, DROPPED, SEED] {
        assert!(!holds(bytes, mark), "{mark} in {what}");
    }
    assert!(
        with_values || !holds(bytes, VALUE),
        "{VALUE} in {what}:\n{}",
        String::from_utf8_lossy(bytes)
    );
}

fn assert_silent(output: &Output, shows: Shows, what: &str) {
    let printed = format!("standard output of {what}");
    match shows {
        // The coins are never printed.
        Shows::Table => assert!(!holds(&output.stdout, SEED), "{SEED} in {printed}"),
        _ => assert_unmarked(&output.stdout, shows == Shows::Values, &printed),
    }
    assert_unmarked(&output.stderr, false, &format!("standard error of {what}"));
}

#[test]
fn nothing_secret_is_printed_or_published() {
    let folder = marked();
    let path = folder.path();
    for (command, shows) in COMMANDS {
        let output = openveil(path, &arguments(command));
        assert!(
            output.status.code().is_some_and(|code| code < 2),
            "{command}: {}",
            text(&output.stderr)
        );
        assert_silent(&output, shows, command);
    }
    for out in ["out", "other", "chunked", "gda", "without"] {
        let published = files(&path.join(out).join("release"));
        assert!(published.len() > 1, "{out}");
        for (file, bytes) in published {
            assert_unmarked(&bytes, true, &file.display().to_string());
            assert_unmarked(file.to_string_lossy().as_bytes(), false, "the name of a file");
        }
    }
    for folder in ["plots", "attacked", "compared", "reported"] {
        let plots = files(&path.join(folder));
        assert!(!plots.is_empty(), "{folder}");
        for (file, bytes) in plots {
            assert_unmarked(&bytes, true, &file.display().to_string());
        }
    }
    for file in ["junit.xml", "c.csv", "c.state"] {
        assert_unmarked(&fs::read(path.join(file)).unwrap(), false, file);
    }
    assert_unmarked(&fs::read(path.join("synthetic.csv")).unwrap(), true, "synthetic rows");
    let completed = files(&path.join("completed"));
    assert_eq!(completed.len(), 3);
    for (file, bytes) in completed {
        assert_unmarked(&bytes, true, &file.display().to_string());
    }
    // Row numbers are printed if the owner asks for them.
    assert!(files(path).keys().all(|file| !file.to_string_lossy().contains(".openveil-")));
}

/// Returns the message and the log when a table is refused.
fn refusal(folder: &Path) -> String {
    let output = openveil(folder, &["publish", "policy.toml", "-vvv"]);
    assert_eq!(output.status.code(), Some(2));
    text(&output.stderr)
}

/// A message about an invalid cell quotes this cell to the owner, and no other cell.
#[test]
fn errors_cite_the_cell_that_is_wrong_and_no_other() {
    let folder = marked();
    let path = folder.path();
    let table = fs::read_to_string(path.join("people.csv")).unwrap();
    let wrong = table.replacen(",27,", ",27x,", 1);
    fs::write(path.join("people.csv"), wrong).unwrap();
    let message = refusal(path);
    assert!(message.contains("27x"), "{message}");
    assert_unmarked(message.as_bytes(), false, "an error about an age");
    // A field too many, and a quotation mark that is never closed.
    for (from, to) in [("\n", ",more\n"), (NAME, "\"p")] {
        fs::write(path.join("people.csv"), table.replacen(from, to, 1)).unwrap();
        let message = refusal(path);
        assert_unmarked(message.as_bytes(), false, "an error about a line");
    }
}

/// The order of rows, and an exchange of two equally frequent values, leave traces only in the
/// table itself: sizes, names and everything else do not depend on them.
#[test]
fn names_and_sizes_do_not_depend_on_the_order_of_rows() {
    let sizes = |policy: &str, turn: usize| {
        let folder = marked();
        let path = folder.path();
        let table = fs::read_to_string(path.join("people.csv")).unwrap();
        let (header, rows) = table.split_once('\n').unwrap();
        let mut rows: Vec<&str> = rows.lines().collect();
        rows.rotate_left(turn);
        fs::write(path.join("people.csv"), format!("{header}\n{}\n", rows.join("\n"))).unwrap();
        let strata = MARKED.replace("[privacy]", policy);
        fs::write(path.join("policy.toml"), strata).unwrap();
        let output =
            openveil(path, &["publish", "policy.toml", "--test-seed", SEED, "--no-report"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let release = files(&path.join("out/release"));
        let release = release.into_iter();
        let release =
            release.map(|(file, bytes)| (file.file_name().unwrap().to_owned(), bytes.len()));
        release.collect::<Vec<_>>()
    };
    // In the anatomy style known values are exact, beside group numbers: sizes of files disclose
    // nothing about groups.
    let policy = "[output]\nstyle = \"anatomy\"\n[privacy]";
    let first = sizes(policy, 0);
    for turn in [1, 17, 40] {
        let other = sizes(policy, turn);
        let names = |sizes: &[(std::ffi::OsString, usize)]| -> Vec<std::ffi::OsString> {
            sizes.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&first), names(&other));
        let table = |sizes: &[(std::ffi::OsString, usize)]| {
            sizes.iter().find(|(name, _)| name == "release.csv").unwrap().1
        };
        assert_eq!(table(&first), table(&other));
    }
}

/// Files written before and after measuring with the true values do not disclose how long it took.
#[test]
fn files_of_a_release_are_of_one_time() {
    let folder = marked();
    let path = folder.path();
    let arguments = ["publish", "policy.toml", "--measure", "--test-seed", SEED];
    let output = openveil(path, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let published = files(&path.join("out/release"));
    assert!(published.len() > 2);
    let folder = path.join("out/release");
    let times: std::collections::BTreeSet<_> = published
        .keys()
        .map(Path::new)
        .chain([&*folder])
        .map(|file| {
            let about = fs::metadata(file).unwrap();
            about.modified().unwrap()
        })
        .collect();
    assert_eq!(times.len(), 1);
}
