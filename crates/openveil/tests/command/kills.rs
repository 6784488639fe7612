//! Kills or interrupts the process at any moment: the folder then holds a complete release, the
//! older one or the new one.

use super::support::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Signals of each test in the suite; `OPENVEIL_TRIALS` sets more.
const TRIALS: usize = 60;

/// Publishes one of two tables, ends the run by a signal after a while, and returns its status.
fn ended(folder: &Path, policy: &str, signal: &str, after: Duration) -> ExitStatus {
    let mut child = Command::new(env!("CARGO_BIN_EXE_openveil"))
        .current_dir(folder)
        .args(["publish", policy, "--out", "out"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    match signal {
        "KILL" => child.kill().unwrap(),
        // Every system's shell can send signals; a process that has ended ignores them.
        _ => {
            let kill = format!("kill -s {signal} {} 2>&-", child.id());
            Command::new("sh").args(["-c", &kill]).status().unwrap();
        }
    }
    child.wait().unwrap()
}

/// Ends runs on two tables, one of `few` rows and one of more, by signals in turn, at times from a
/// seed. `outcome` gets every status.
fn end_runs(signals: &[&str], few: u64, outcome: &dyn Fn(ExitStatus)) {
    let folder = folder();
    let path = folder.path();
    let more = few + few / 5;
    for (name, rows) in [("people.csv", few), ("more.csv", more)] {
        fs::write(path.join(name), people(rows as usize)).unwrap();
    }
    fs::write(path.join("more.toml"), POLICY.replace("people.csv", "more.csv")).unwrap();
    let publish = || openveil(path, &["publish", "policy.toml"]).status.code();
    let start = Instant::now();
    assert_eq!(publish(), Some(0));
    let usual = start.elapsed();
    let mut generator = StdRng::seed_from_u64(1);
    let (mut in_time, mut rows) = (0, few);
    for trial in 0..trials(TRIALS) {
        let policy = ["more.toml", "policy.toml"][trial % 2];
        let after = usual.mul_f64(generator.random_range(0.0..1.2));
        let status = ended(path, policy, signals[trial % signals.len()], after);
        outcome(status);
        in_time += u32::from(!status.success());
        let found = whole(&path.join("out"));
        let own = [more, few][trial % 2];
        // A run that was not ended has published; a run that was ended may have published at the
        // last moment.
        assert!(found == own || !status.success() && found == rows, "trial {trial}: {found}");
        rows = found;
    }
    assert!(in_time > 0, "no signal was in time");
    eprintln!("{in_time} of {} runs were ended in time", trials(TRIALS));
    // The next run removes the remains.
    assert_eq!(publish(), Some(0));
    let out = path.join("out");
    assert_eq!((whole(&out), belongs(&out)), (few, true));
    assert_eq!(fs::read_dir(out).unwrap().count(), 2);
}

#[test]
fn a_kill_leaves_a_whole_release() {
    end_runs(&["KILL"], 100, &|_| {});
}

/// An interrupted run reports the interrupt, unless it was already putting its release in place.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_whole_release() {
    use std::os::unix::process::ExitStatusExt;
    // Many rows, because the shell that sends the signal is slow.
    end_runs(&["INT", "TERM", "HUP"], 5_000, &|status| {
        // Very early, before there is anything to clean up, the signal itself ends the program.
        let ended = matches!(status.code(), Some(0 | 130)) || status.signal().is_some();
        assert!(ended, "{status}");
    });
}
