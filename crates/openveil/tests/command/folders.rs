//! Unusual folders: in use, full, read-only, owned by others, links.

use super::rules::done;
use super::support::*;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

fn publish(folder: &Path) {
    let output = openveil(folder, &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// A run locks the folder from its beginning to its end, and another run gets an error.
#[cfg(unix)]
#[test]
fn a_folder_is_for_one_run_at_a_time() {
    let folder = folder();
    let mut first = waiting(folder.path());
    let out = folder.path().join("out");
    let second = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(second.contains("out: is in use by another run"), "{second}");
    std::io::Write::write_all(&mut first.stdin.take().unwrap(), people(120).as_bytes()).unwrap();
    assert!(first.wait().unwrap().success());
    assert_eq!((whole(&out), belongs(&out)), (120, true));
    publish(folder.path());
    assert_eq!((whole(&out), belongs(&out)), (100, true));
    assert_eq!(names(&out), ["owner", "release"]);
}

/// The run that wins publishes a complete release.
#[test]
fn of_two_runs_at_once_one_wins() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("more.csv"), people(120)).unwrap();
    for _ in 0..trials(6) {
        let run = |table: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
            let command =
                command.current_dir(path).args(["publish", "policy.toml", "--input", table]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let runs = [run("people.csv"), run("more.csv")];
        let runs = runs.map(|run| run.wait_with_output().unwrap());
        assert!(runs.iter().any(|run| run.status.success()));
        for run in &runs {
            let message = text(&run.stderr);
            assert!(
                run.status.success() || message.contains("is in use by another run"),
                "{message}"
            );
        }
        let out = path.join("out");
        let rows = whole(&out);
        assert!(belongs(&out), "both folders are of one run");
        let winner = usize::from(rows == 120);
        assert!(runs[winner].status.success(), "{rows} rows");
        assert_eq!(names(&out), ["owner", "release"]);
    }
}

/// Whatever the user's mask, only the owner can read the owner's part.
#[cfg(unix)]
#[test]
fn the_owners_files_are_private_whatever_the_mask() {
    let folder = folder();
    fs::write(folder.path().join("policy.toml"), format!("{POLICY}{HISTORY}")).unwrap();
    let program = env!("CARGO_BIN_EXE_openveil");
    for _ in 0..2 {
        let mut shell = Command::new("sh");
        let command = format!("umask 000; exec {program} publish policy.toml");
        let output = shell.current_dir(folder.path()).args(["-c", &command]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    let owner = folder.path().join("out/owner");
    assert_eq!(mode(&owner), 0o700);
    for inside in [owner, folder.path().join("secret")] {
        for name in names(&inside) {
            assert_eq!(mode(&inside.join(&name)), 0o600, "{name}");
        }
    }
}

/// A link would be replaced by a folder, and its target would not change.
#[cfg(unix)]
#[test]
fn a_release_or_an_owner_that_is_a_link_is_refused() {
    for name in ["release", "owner"] {
        let folder = folder();
        publish(folder.path());
        let (place, elsewhere) =
            (folder.path().join("out").join(name), folder.path().join("elsewhere"));
        fs::rename(&place, &elsewhere).unwrap();
        symlink(&elsewhere, &place).unwrap();
        let before = names(&elsewhere);
        let message = complaint(folder.path(), &["publish", "policy.toml"]);
        assert!(message.contains(&format!("{name}: is a symbolic link")), "{message}");
        assert!(place.is_symlink() && names(&elsewhere) == before);
    }
    // Both may be in one folder.
    let folder = folder();
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    symlink("elsewhere", folder.path().join("out")).unwrap();
    publish(folder.path());
    assert!(belongs(&folder.path().join("elsewhere")));
}

/// Returns the command prefix that runs the program as a user who is not root and owns the folder;
/// `None` if that is not possible.
#[cfg(unix)]
fn as_nobody(folder: &Path) -> Option<Vec<&'static str>> {
    const NOBODY: u32 = 65_534;
    let program = env!("CARGO_BIN_EXE_openveil");
    if fs::metadata(folder).unwrap().uid() != 0 {
        return Some(vec![program]);
    }
    for name in ["", "people.csv", "policy.toml"] {
        chown(folder.join(name), Some(NOBODY), Some(NOBODY)).ok()?;
    }
    let (user, group) = ("--reuid=65534", "--regid=65534");
    let command = vec!["setpriv", user, group, "--clear-groups", program];
    let tried = Command::new(command[0]).args(&command[1..]).arg("--version").output();
    tried.is_ok_and(|tried| tried.status.success()).then_some(command)
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_left_as_it_is() {
    let folder = folder();
    let Some(program) = as_nobody(folder.path()) else {
        eprintln!("skipped: root may write everywhere, and `setpriv` cannot make it somebody else");
        return;
    };
    let run = || {
        let mut command = Command::new(program[0]);
        let command = command.current_dir(folder.path()).args(&program[1..]);
        command.args(["publish", "policy.toml"]).output().unwrap()
    };
    let out = folder.path().join("out");
    assert!(run().status.success());
    let before = release_in(&out);
    // Cases: no access; read only; a parent in which nothing can be made.
    for (path, mode) in [(&*out, 0o000), (&*out, 0o555), (folder.path(), 0o555)] {
        if path == folder.path() {
            fs::remove_dir_all(&out).unwrap();
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let output = run();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.starts_with("error: ") && message.contains("permission denied"),
            "{message}"
        );
        if path == folder.path() {
            assert!(!out.exists())
        } else {
            assert_eq!((release_in(&out), belongs(&out)), (before.clone(), true))
        }
    }
}

/// Limits the size of files in blocks of 512 bytes: the table, the pages, the state.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_leaves_the_older_release_and_its_state() {
    let folder = folder();
    fs::write(folder.path().join("policy.toml"), format!("{POLICY}{HISTORY}")).unwrap();
    publish(folder.path());
    let out = folder.path().join("out");
    let state = || fs::read(folder.path().join("secret/people.state")).unwrap();
    let before = (release_in(&out), state());
    let program = env!("CARGO_BIN_EXE_openveil");
    for blocks in [0, 1, 4, 16] {
        let command = format!("ulimit -f {blocks}; exec {program} publish policy.toml");
        let mut shell = Command::new("sh");
        let output = shell.current_dir(folder.path()).args(["-c", &command]).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: "), "{message}");
        assert_eq!((release_in(&out), state()), before);
        assert_eq!(names(&out), ["owner", "release"]);
    }
    publish(folder.path());
    assert!(belongs(&out));
}

/// The defect: a log on a full disk ended the program in the middle of its work.
#[cfg(target_os = "linux")]
#[test]
fn words_that_cannot_be_written_are_no_panic() {
    let folder = folder();
    for (policy, code) in [("nothing.toml", 2), ("policy.toml", 0)] {
        let full = || fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
        let command = command.current_dir(folder.path()).args(["publish", policy]);
        let status = command.stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{policy}");
    }
    assert!(belongs(&folder.path().join("out")));
}

/// The owner's files are not written among published files, nor where the next run would replace
/// them.
#[test]
fn nothing_is_kept_in_a_part_of_a_release() {
    let folder = folder();
    let path = folder.path();
    assert!(openveil(path, &["publish", "policy.toml"]).status.success());
    let sample = ["compare", "policy.toml", "--sample-rows", "40", "--sample"];
    for part in ["out/release", "out/owner"] {
        let before = names(&path.join(part));
        let kept = format!("{part}/kept");
        for arguments in [
            [&sample[..], &[&kept]].concat(),
            vec!["compare", "policy.toml", "--state", &kept],
            vec!["inspect", "people.csv", "--policy", &kept],
            vec!["publish", "policy.toml", "--plots", &kept],
        ] {
            let message = complaint(path, &arguments);
            assert!(message.contains("a part of a release"), "{message}");
        }
        assert_eq!(names(&path.join(part)), before);
    }
}

/// The defect: the folder is the policy's, and the program waited for its lock without end.
#[test]
fn a_folder_without_a_name_is_that_of_the_policy() {
    let folder = folder();
    rewrite(folder.path(), "[privacy]", "[output]\ndir = \"\"\n[privacy]");
    done(folder.path(), &["publish", "policy.toml"]);
    assert!(folder.path().join("release/manifest.json").is_file());
    complaint(folder.path(), &["publish", "policy.toml", "--out", ""]);
}

/// A folder that cannot hold pictures is refused before anything is published.
#[test]
fn pictures_that_cannot_be_written_cost_no_release() {
    let folder = folder();
    let message = refused(folder.path(), &["publish", "policy.toml", "--plots", "policy.toml"]);
    assert!(message.contains("cannot make the folder"), "{message}");
    for part in ["release", "owner", "release/plots"] {
        let place = format!("out/{part}");
        let message = complaint(folder.path(), &["publish", "policy.toml", "--plots", &place]);
        assert!(message.contains("a part of a release"), "{message}");
        assert!(!folder.path().join("out").exists());
    }
    rewrite(folder.path(), "l = 3", "l = 30");
    refused(folder.path(), &["publish", "policy.toml", "--plots", "plots"]);
    assert!(!folder.path().join("plots").exists());
}

/// A dangling link is refused, because its target would be created.
#[cfg(unix)]
#[test]
fn a_starter_policy_goes_through_no_link() {
    let folder = folder();
    let path = folder.path();
    std::os::unix::fs::symlink("elsewhere", path.join("people.policy.toml")).unwrap();
    complaint(path, &["inspect", "people.csv"]);
    assert!(!path.join("elsewhere").exists());
}
