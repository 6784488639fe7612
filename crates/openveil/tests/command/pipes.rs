//! Pipes, devices and unusual names where files are expected.
#![cfg(unix)]

use super::support::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A run that takes longer is considered to hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the output of a command that has to end by itself.
fn ended(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    let command = command.current_dir(folder).args(arguments);
    let pipes = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// Expects a refusal as bad input, with these words.
fn refuses(folder: &Path, arguments: &[&str], words: &str) {
    let output = ended(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(message.contains(words), "{arguments:?}: {message}");
}

fn make_pipe(path: &Path) -> bool {
    let _ = fs::remove_file(path);
    let made = Command::new("mkfifo").arg(path).status();
    made.is_ok_and(|status| status.success())
}

/// In a folder from others, any file may be a pipe or device without end.
#[test]
fn a_folder_with_pipes_and_devices_is_not_waited_for() {
    let folder = folder();
    let path = folder.path();
    if !make_pipe(&path.join("pipe")) {
        eprintln!("skipped: there is no mkfifo");
        return;
    }
    rewrite(path, "[privacy]", "[output]\nformat = \"parquet\"\n[privacy]");
    let publish = || {
        let output = ended(path, &["publish", "policy.toml"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    publish();
    let (release, owner) = (path.join("out/release"), path.join("out/owner"));
    let odd: [&dyn Fn(&Path); 2] = [&|place| assert!(make_pipe(place)), &|place| {
        let _ = fs::remove_file(place);
        symlink("/dev/zero", place).unwrap();
    }];
    for lay in odd {
        lay(&release.join("release.parquet"));
        refuses(path, &["query", "out", "--where", "job = nurse"], "pipe or a device");
        refuses(path, &["audit", "out", "--sensitive", "job"], "pipe or a device");
        fs::remove_dir_all(path.join("out")).unwrap();
        publish();
        // An interrupted run left its folder: the program examines which release the owner's folder
        // belongs to.
        fs::create_dir_all(path.join("out/.openveil-run-x/release")).unwrap();
        lay(&owner.join("owner.json"));
        refuses(path, &["report", "out"], "it is a pipe or a device");
        // The owner's file may name any file as part of the release.
        let names = r#"{"warning": "", "release": {"../../pipe": "00", "/dev/zero": "00"}, "policy": "", "input": [], "input_rows": 0, "missing": {}, "warnings": [], "timings_ms": {}, "test_seed": null, "query_errors": [], "association": []}"#;
        fs::remove_file(owner.join("owner.json")).unwrap();
        fs::write(owner.join("owner.json"), names).unwrap();
        let output = ended(path, &["report", "out"]);
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.contains("belongs to another release"), "{message}");
        fs::remove_dir_all(path.join("out")).unwrap();
        publish();
    }
}

/// Files that a history reads at the end of its work are checked at the beginning.
#[test]
fn pipes_of_a_history_are_refused_at_once() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("secret")).unwrap();
    let policy = format!("{POLICY}{HISTORY}key = \"secret/key\"\n");
    fs::write(path.join("policy.toml"), policy).unwrap();
    for place in ["key", "people.state", "people.state.lock"] {
        fs::write(path.join("secret/key"), "0f".repeat(32)).unwrap();
        if !make_pipe(&path.join("secret").join(place)) {
            eprintln!("skipped: there is no mkfifo");
            return;
        }
        refuses(path, &["publish", "policy.toml"], "it is a pipe or a device");
        assert!(release_in(&path.join("out")).is_none());
        fs::remove_file(path.join("secret").join(place)).unwrap();
    }
    // A folder is refused as a folder.
    fs::create_dir_all(path.join("secret/people.state/inside")).unwrap();
    refuses(path, &["publish", "policy.toml"], "it is a folder, not a file");
}

/// Paths are bytes, and need not be text. (On other systems they have to be.)
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_text_are_no_panic() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let path = folder.path();
    let odd = path.join(OsStr::from_bytes(b"o\xff"));
    let run = |arguments: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
        command.current_dir(path).args(arguments).output().unwrap()
    };
    let (publish, policy, out, json) = ("publish", "policy.toml", "--out", "--json");
    let [publish, policy, out, json] = [publish, policy, out, json].map(OsStr::new);
    let output = run(&[publish, policy, out, odd.as_os_str(), json]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["manifest"]["rows"], 100);
    assert_eq!(whole(&odd), 100);
    let output = run(&[OsStr::new("report"), odd.as_os_str(), json]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // A state stores the places of its releases.
    fs::write(path.join("policy.toml"), format!("{POLICY}{HISTORY}")).unwrap();
    let before = release_in(&odd);
    let output = run(&[publish, policy, out, odd.as_os_str()]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("whose name is not UTF-8"), "{message}");
    assert_eq!(release_in(&odd), before);
}

/// For any mask, and for files of every command.
#[test]
fn what_is_the_owners_is_nobody_elses() {
    let folder = folder();
    let path = folder.path();
    let run = |arguments: &str| {
        let program = env!("CARGO_BIN_EXE_openveil");
        let command = format!("umask 0; exec {program} {arguments}");
        let output = Command::new("sh").current_dir(path).args(["-c", &command]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    run("publish policy.toml");
    run("report out");
    run("report out --policy policy.toml");
    run(
        "compare policy.toml --trials 1 --csv found.csv --sample drawn.json --sample-rows 60 --test-seed 1",
    );
    let owners = [
        "out/owner/report.html",
        "out/owner/owner.json",
        "found.csv",
        "drawn.json",
        "policy.compare.json",
    ];
    for own in owners {
        let mode = fs::metadata(path.join(own)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{own}");
    }
    let mode = fs::metadata(path.join("out/release/report.html")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o666);
}

/// Two runs that draw a sample at once measure the same people, because other people could be
/// published later.
#[test]
fn of_two_samples_drawn_at_once_there_is_one() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("people.csv"), people(5000)).unwrap();
    for _ in 0..trials(3) {
        let run = |number: u8| {
            let (state, csv) = (format!("s{number}"), format!("c{number}.csv"));
            let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
            let command = command.current_dir(path).args(["compare", "policy.toml"]);
            let command =
                command.args(["--trials", "1", "--sample", "drawn", "--sample-rows", "900"]);
            let command = command.args(["--state", &state, "--csv", &csv]);
            command.stdout(Stdio::null()).spawn().unwrap()
        };
        let both = [run(1), run(2)];
        for mut own in both {
            assert!(own.wait().unwrap().success());
        }
        // A trial is stored under the measured data.
        let keys = |state: &str| -> Vec<String> {
            let kept = json(&fs::read(path.join(state)).unwrap());
            kept["trials"].as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(keys("s1"), keys("s2"));
        for name in ["drawn", "s1", "s2"] {
            fs::remove_file(path.join(name)).unwrap();
        }
    }
}
