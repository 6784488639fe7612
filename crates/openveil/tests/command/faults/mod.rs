//! Makes every writing system call fail, kills the process before each of them, and cuts power
//! after each. The folder must then hold a complete release, the older one or the new one, with its
//! own owner's part, and a history's state must agree with it.
//!
//! The suite takes calls at regular distances; nightly runs (`OPENVEIL_TRIALS`) take all of them.

mod disk;
mod found;

use super::rules;
use super::support::*;
use super::trace::{self, Call, Fault, calls, with_faults};
use disk::{Disk, Left, restore};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Calls and power cuts of each kind that the suite tries.
const SAMPLE: usize = 12;

/// A release that is made many times.
struct Scenario {
    folder: tempfile::TempDir,
    /// The command's arguments.
    arguments: Vec<String>,
    /// Whether there is an earlier release.
    is_second: bool,
    has_history: bool,
}

/// The content of the folder before a run.
#[derive(Debug, PartialEq)]
struct Before {
    release: Option<BTreeMap<String, String>>,
    /// Number of releases of the history.
    releases: u64,
}

impl Scenario {
    fn new(is_second: bool, history: &str, more: &[&str], rows: usize) -> Self {
        Self::of(is_second, &people(rows), &format!("{POLICY}{history}"), more)
    }

    fn of(is_second: bool, table: &str, policy: &str, more: &[&str]) -> Self {
        let folder = folder();
        let path = folder.path();
        fs::write(path.join("people.csv"), table).unwrap();
        fs::write(path.join("policy.toml"), policy).unwrap();
        fs::write(path.join("refused.toml"), policy.replace("l = 3", "l = 50")).unwrap();
        let of = |name: &str| path.join(name).display().to_string();
        let mut arguments =
            ["publish", &of("policy.toml"), "--out", &of("out")].map(str::to_owned).to_vec();
        arguments.extend(more.iter().map(|&text| text.to_owned()));
        Self { arguments, is_second, has_history: policy.contains("[history]"), folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn out(&self) -> PathBuf {
        self.path().join("out")
    }

    /// Prepares the folder for a run: with a release, or empty.
    fn begin(&self) -> Before {
        if !self.is_second {
            for name in ["out", "secret"] {
                let _ = fs::remove_dir_all(self.path().join(name));
            }
        } else if !self.out().exists() {
            self.succeed();
        }
        self.now()
    }

    /// Returns the content of the folder, which has to be complete.
    fn now(&self) -> Before {
        let release = release_in(&self.out());
        let releases = release.as_ref().map_or(0, |_| self.releases());
        Before { release, releases }
    }

    /// Returns the number of the current release in its history.
    fn releases(&self) -> u64 {
        let manifest = fs::read(self.out().join("release/manifest.json")).unwrap();
        json(&manifest)["history"]["release"].as_u64().unwrap_or(0)
    }

    fn succeed(&self) {
        let arguments: Vec<&str> = self.arguments.iter().map(|text| &**text).collect();
        let output = openveil(self.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }

    /// Runs a publication that the model does not allow.
    fn refused(&self) {
        let policy = self.path().join("refused.toml").display().to_string();
        let out = self.out().display().to_string();
        complaint(self.path(), &["publish", &policy, "--out", &out]);
    }

    /// Returns the calls of a run that make, write, remove or examine files.
    fn calls(&self) -> Vec<Call> {
        self.begin();
        let calls = calls(self.path(), &self.arguments).into_iter();
        let places = [self.out(), self.path().join("secret")];
        let is_ours = |call: &Call| places.iter().any(|place| call.is_in(place));
        calls.filter(is_ours).collect()
    }

    /// Checks that the release is complete, the older one or the new one, and that the next run
    /// continues from it.
    fn judge(&self, before: &Before, what: &str) {
        let after = self.now();
        let is_older = after == *before;
        let is_next = after.release.is_some() && after.releases >= before.releases;
        assert!(is_older || is_next, "{what}: {before:?}, {after:?}");
        if !belongs(&self.out()) {
            // The run ended between the two folders: the next run repairs this, even if it is
            // refused.
            self.refused();
            assert_eq!(self.now(), after, "{what}");
            assert!(belongs(&self.out()), "{what}");
        }
        for folder in [self.out(), self.path().join("secret")] {
            for name in names(&folder) {
                let is_known =
                    name == "release" || name == "owner" || name.starts_with(".openveil-run-");
                assert!(is_known || name.starts_with("people.state"), "{what}: {name}");
            }
        }
        self.succeed();
        let next = self.now();
        assert_ne!(next.release, after.release, "{what}");
        let expected = if self.has_history { after.releases + 1 } else { 0 };
        assert_eq!(next.releases, expected, "{what}");
        assert!(belongs(&self.out()), "{what}");
        assert_eq!(names(&self.out()), ["owner", "release"], "{what}");
    }

    /// Makes calls fail, or kills the program before them; returns their number.
    fn inject(&self, calls: &[Call], fault: impl Fn(usize) -> Fault) -> usize {
        let mut tried = BTreeSet::new();
        let chosen =
            sample(calls.iter().filter(|call| tried.insert((&call.name, call.number))).collect());
        for (number, call) in chosen.iter().enumerate() {
            let before = self.begin();
            let fault = fault(number);
            let faults = [(&*call.name, call.number, fault)];
            let output = with_faults(self.path(), &self.arguments, &faults);
            let what = format!("{fault:?} at {} {}", call.name, call.number);
            understood(&output, fault, &what);
            let after = self.now();
            let is_new = after.release.is_some() && after.release != before.release;
            assert!(!output.status.success() || is_new, "{what}: it says that it published");
            self.judge(&before, &what);
        }
        chosen.len()
    }

    /// Cuts power after every call; returns the number of different states.
    fn cut(&self) -> usize {
        let before = self.begin();
        let mut disk = Disk::new(self.path());
        let mut found: Vec<Left> = Vec::new();
        let mut coins = StdRng::seed_from_u64(1);
        for call in calls(self.path(), &self.arguments) {
            disk.replay(&call);
            found.extend(self.left(&disk, &mut coins));
        }
        let now = Disk::new(self.path()).left(&|_| false);
        assert!(now == disk.left(&|_| false), "the model is what the program wrote");
        // A release that the program has reported as published survives a power cut.
        let published = self.now();
        restore(&disk.left(&|_| true));
        assert_eq!(self.now(), published);
        let mut seen = BTreeSet::new();
        found.retain(|left| seen.insert(left.clone()));
        let chosen = sample(found.iter().collect());
        for (number, left) in chosen.iter().enumerate() {
            restore(left);
            self.judge(&before, &format!("power cut {number} left {:?}", left.keys()));
        }
        chosen.len()
    }

    /// Returns possible states after a power cut: only synced content; all names without unsynced
    /// content; only one folder in its current state; and random choices.
    fn left(&self, disk: &Disk, coins: &mut StdRng) -> Vec<Left> {
        let unsynced = disk.unsynced();
        let folders = unsynced.iter().filter(|&&own| disk.is_folder(own));
        let mut left = vec![disk.left(&|_| true), disk.left(&|own| !disk.is_folder(own))];
        for &folder in folders {
            let kept = disk.together(folder);
            left.push(disk.left(&|own| !kept.contains(&own)));
        }
        for _ in 0..4 {
            let lost: BTreeSet<usize> = unsynced
                .iter()
                .filter(|_| coins.random())
                .flat_map(|&own| disk.together(own))
                .collect();
            left.push(disk.left(&|own| lost.contains(&own)));
        }
        left
    }
}

/// Returns all items, or as many at regular distances as the suite has time for.
fn sample<T>(all: Vec<T>) -> Vec<T> {
    let step = match std::env::var_os("OPENVEIL_TRIALS") {
        Some(_) => 1,
        None => all.len().div_ceil(SAMPLE).max(1),
    };
    // The last steps matter most.
    let offset = (all.len() + step - 1) % step;
    all.into_iter().skip(offset).step_by(step).collect()
}

/// Checks that a failed run prints a message.
fn understood(output: &Output, fault: Fault, what: &str) {
    let message = text(&output.stderr);
    assert!(!message.contains("panicked"), "{what}: {message}");
    match (output.status.code(), fault) {
        (Some(0), _) | (None, Fault::Killed) => {}
        // The system could not load the program.
        (Some(127), _) => {}
        // The message itself cannot be written.
        (Some(2), _) if message.is_empty() && what.contains("write") => {}
        (Some(2), _) => assert!(message.starts_with("error: "), "{what}: {message}"),
        other => panic!("{what}: {other:?}: {message}"),
    }
}

const LITTLE: [&str; 2] = ["--memory", "10kB"];

/// Tries all faults in one scenario.
fn survives(name: &str, scenario: &Scenario) {
    if !trace::is_possible() {
        return;
    }
    let calls = scenario.calls();
    let errors = ["EIO", "ENOSPC", "EACCES"];
    let failed = scenario.inject(&calls, |number| Fault::Fails(errors[number % 3]));
    let kept_failing = scenario.inject(&calls, |number| Fault::KeepsFailing(errors[number % 2]));
    let killed = scenario.inject(&calls, |_| Fault::Killed);
    let cut = scenario.cut();
    eprintln!(
        "{name}: {} calls; {failed} failed once, {kept_failing} kept failing, {killed} kills, {cut} power cuts",
        calls.len()
    );
}

#[test]
fn a_first_release_is_whole_or_not_there() {
    survives("first", &Scenario::new(false, "", &["--certify"], 100));
}

#[test]
fn an_older_release_stays_until_the_new_one_is_whole() {
    survives("second", &Scenario::new(true, "", &[], 100));
}

#[test]
fn a_history_begins_with_its_first_release() {
    survives("first of a history", &Scenario::new(false, HISTORY, &[], 100));
}

#[test]
fn a_history_goes_on_with_the_release_that_is_there() {
    survives("second of a history", &Scenario::new(true, HISTORY, &[], 100));
}

#[test]
fn a_release_in_chunks_is_whole_or_not_there() {
    survives("in chunks", &Scenario::new(true, "", &LITTLE, 4_000));
}

/// Several tables are published all together or not at all.
#[test]
fn tables_that_keep_rules_are_whole_or_not_there() {
    let table = rules::people(120);
    survives("rules", &Scenario::of(true, &table, rules::POLICY, &[]));
}

/// The rows of people that count are drawn once.
#[test]
fn people_with_several_rows_are_whole_or_not_there() {
    let policy = format!("{POLICY}[persons]\nid = \"name\"\nrows = 1\n");
    let table = people(100).repeat(2).replacen("\nname,age,sex,job\n", "\n", 1);
    survives("people", &Scenario::of(true, &table, &policy, &[]));
}
