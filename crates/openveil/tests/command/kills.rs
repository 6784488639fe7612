//! The process is killed or interrupted at any moment: what stands in the folder is a whole release, the older
//! one or the new one.

use super::support::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Signals of each test in the suite; `OPENVEIL_TRIALS` asks for more.
const TRIALS: usize = 60;

/// Publishes one of two tables, and ends it by a signal after a while; what became of it.
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
        // The shell has it everywhere; who has ended hears nothing.
        _ => {
            let kill = format!("kill -s {signal} {} 2>&-", child.id());
            Command::new("sh").args(["-c", &kill]).status().unwrap();
        }
    }
    child.wait().unwrap()
}

/// Ends runs on two tables, one of so many rows and one of more, by signals in turn, at times that a
/// seed decides; `outcome` sees every status.
fn end_runs(signals: &[&str], few: u64, outcome: &dyn Fn(ExitStatus)) {
    let folder = folder();
    let path = folder.path();
    let more = few + few / 5;
    for (name, rows) in [("people.csv", few), ("more.csv", more)] {
        fs::write(path.join(name), people(rows as usize)).unwrap();
    }
    fs::write(
        path.join("more.toml"),
        POLICY.replace("people.csv", "more.csv"),
    )
    .unwrap();
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
        // Who was not ended has published; who was may have done so in the last moment.
        assert!(
            found == own || !status.success() && found == rows,
            "trial {trial}: {found}"
        );
        rows = found;
    }
    assert!(in_time > 0, "no signal was in time");
    eprintln!("{in_time} of {} runs were ended in time", trials(TRIALS));
    // What is left behind goes with the next run.
    assert_eq!(publish(), Some(0));
    let out = path.join("out");
    assert_eq!((whole(&out), belongs(&out)), (few, true));
    assert_eq!(fs::read_dir(out).unwrap().count(), 2);
}

#[test]
fn a_kill_leaves_a_whole_release() {
    end_runs(&["KILL"], 100, &|_| {});
}

/// Whoever interrupts is told so, or the run was already putting its release in place.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_whole_release() {
    use std::os::unix::process::ExitStatusExt;
    // Many rows: the shell that sends the signal takes its time.
    end_runs(&["INT", "TERM", "HUP"], 5_000, &|status| {
        // Very early, before there is anything to clean up, the signal itself ends the program.
        let ended = matches!(status.code(), Some(0 | 130)) || status.signal().is_some();
        assert!(ended, "{status}");
    });
}
