//! Regressions: one test for each past defect.

use super::*;
use crate::rules::done;
use crate::trace::{Fault, is_possible, with_faults};

const KEEPS_FAILING: Fault = Fault::KeepsFailing("EIO");

/// Expects the older release with its own owner's part, after a run that is refused.
fn put_back(scenario: &Scenario, before: &Before) {
    scenario.refused();
    assert_eq!(scenario.now(), *before);
    assert!(belongs(&scenario.out()));
}

/// The defect: its file was empty, and all later runs were refused.
#[test]
fn a_count_of_releases_is_written_whole_or_not_at_all() {
    let scenario = Scenario::new(true, HISTORY, &[], 100);
    if !is_possible() {
        return;
    }
    let secret = scenario.path().join("secret");
    let calls = scenario.calls();
    let count = calls.iter().rfind(|call| call.name == "write" && call.is_in(&secret)).unwrap();
    let before = scenario.now();
    let faults = [(&*count.name, count.number, Fault::Killed)];
    with_faults(scenario.path(), &scenario.arguments, &faults);
    assert_eq!(scenario.now().releases, before.releases + 1, "its release is there");
    scenario.judge(&before, "killed while it wrote the count");
}

/// The defect: another history began in its place, and dealt everybody again.
#[test]
fn a_state_that_cannot_be_looked_at_is_not_lost() {
    let scenario = Scenario::new(true, HISTORY, &[], 100);
    if !is_possible() {
        return;
    }
    let state = scenario.path().join("secret/people.state");
    let calls = scenario.calls();
    // Only calls by name: for an open file only the size is requested, which may stay unknown.
    let looks = calls.iter().filter(|call| {
        call.name == "statx" && call.arguments.starts_with("AT_FDCWD") && call.is_in(&state)
    });
    let before = scenario.now();
    for look in looks {
        let faults = [(&*look.name, look.number, Fault::Fails("EIO"))];
        let output = with_faults(scenario.path(), &scenario.arguments, &faults);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("the state of the history"), "{message}");
        assert_eq!(scenario.now(), before);
    }
}

/// The defect: it was unclear whether there had been a release, and all later runs were refused.
#[test]
fn a_history_whose_first_release_was_killed_between_its_folders_begins_again() {
    let scenario = Scenario::new(false, HISTORY, &[], 100);
    if !is_possible() {
        return;
    }
    let release = scenario.out().join("release");
    let calls = scenario.calls();
    let mut renames =
        calls.iter().filter(|call| call.name.starts_with("rename") && call.is_in(&release));
    let last = renames.next_back().unwrap();
    let before = scenario.begin();
    let faults = [(&*last.name, last.number, Fault::Killed)];
    with_faults(scenario.path(), &scenario.arguments, &faults);
    assert_eq!(names(&scenario.out())[1..], ["owner"]);
    scenario.judge(&before, "killed between the folders");
}

/// The defect: the older release was beside the owner's part of a release that nobody saw.
#[test]
fn a_release_gets_its_owners_part_back() {
    let scenario = Scenario::new(true, "", &[], 100);
    if !is_possible() {
        return;
    }
    let before = scenario.begin();
    let faults = [("renameat2", 2, Fault::Killed)];
    with_faults(scenario.path(), &scenario.arguments, &faults);
    assert!(!belongs(&scenario.out()));
    put_back(&scenario, &before);
    // Every other run that locks the folder does the same.
    with_faults(scenario.path(), &scenario.arguments, &faults);
    assert!(!belongs(&scenario.out()));
    done(scenario.path(), &["report", "out"]);
    assert!(belongs(&scenario.out()));
    // Removing hidden folders leaves parts of two releases.
    with_faults(scenario.path(), &scenario.arguments, &faults);
    for entry in fs::read_dir(scenario.out()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with('.') {
            fs::remove_dir_all(path).unwrap();
        }
    }
    let report = openveil(scenario.path(), &["report", "out"]);
    assert_eq!(report.status.code(), Some(1));
    let report = text(&report.stderr);
    assert!(report.contains("belongs to another release"), "{report}");
}

/// The defect: if folders cannot be exchanged in one step, a kill between two steps left no
/// release.
#[test]
fn a_release_that_was_moved_away_is_put_back() {
    let scenario = Scenario::new(true, "", &[], 100);
    if !is_possible() {
        return;
    }
    let before = scenario.begin();
    // Each part is moved away, and the new one takes its place.
    for (number, missing) in [(2, "owner"), (4, "release")] {
        let faults = [("renameat2", 1, KEEPS_FAILING), ("rename", number, Fault::Killed)];
        with_faults(scenario.path(), &scenario.arguments, &faults);
        assert!(!scenario.out().join(missing).exists());
        put_back(&scenario, &before);
    }
}

/// The defect: it was removed with the hidden folder that it had been moved to.
#[test]
fn a_release_that_could_not_be_put_back_is_kept_until_it_can() {
    let scenario = Scenario::new(true, "", &[], 100);
    if !is_possible() {
        return;
    }
    let before = scenario.begin();
    for number in [2, 4] {
        let faults = [("renameat2", 1, KEEPS_FAILING), ("rename", number, KEEPS_FAILING)];
        let output = with_faults(scenario.path(), &scenario.arguments, &faults);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("the next run puts them back"), "{message}");
        put_back(&scenario, &before);
    }
}

/// The defect: the state was forgotten, and all later runs were refused. A release that cannot be
/// taken back counts as made. A release that was taken back leaves nothing behind.
#[test]
fn a_state_goes_or_stays_with_its_release() {
    let scenario = Scenario::new(true, HISTORY, &[], 100);
    if !is_possible() {
        return;
    }
    let next = scenario.path().join("secret/people.state.next");
    let (calls, out) = (scenario.calls(), scenario.out());
    let mut exchanges = (0..calls.len()).filter(|&place| calls[place].name == "renameat2");
    let (first, last) = (exchanges.next().unwrap(), exchanges.next_back().unwrap());
    let renamed = calls[..first].iter().filter(|call| call.name == "rename");
    let synced =
        calls[last..].iter().find(|call| call.name == "fsync" && call.is_in(&out)).unwrap().number;
    let refused = [("renameat2", 1, KEEPS_FAILING), ("rename", renamed.count() + 1, KEEPS_FAILING)];
    let stuck = [
        ("fsync", synced, Fault::Fails("EIO")),
        ("renameat2", calls[last].number + 1, KEEPS_FAILING),
    ];
    for (faults, made) in [(refused, 0), (stuck, 1)] {
        let before = scenario.now();
        let output = with_faults(scenario.path(), &scenario.arguments, &faults);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert_eq!(scenario.now().releases, before.releases + made);
        assert_eq!(next.exists(), made == 1, "{message}");
        scenario.judge(&before, "put in place in part");
    }
}
