//! The process is killed at any moment: what stands in the folder is a whole release, the older
//! one or the new one.

use super::support::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Kills in the suite; `OPENVEIL_TRIALS` asks for more.
const TRIALS: u32 = 60;

fn trials() -> u32 {
    let asked = std::env::var("OPENVEIL_TRIALS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(TRIALS)
}

/// Rows of the release in a folder, if it is whole: all files that its manifest names, with as many
/// rows as it says, and the owner's part beside it.
fn whole(out: &Path) -> u64 {
    let manifest = json(&fs::read(out.join("release/manifest.json")).unwrap());
    for file in manifest["files"].as_array().unwrap() {
        let text = fs::read_to_string(out.join("release").join(file.as_str().unwrap())).unwrap();
        assert_eq!(
            text.lines().count() as u64 - 1,
            manifest["rows"].as_u64().unwrap()
        );
    }
    assert!(json(&fs::read(out.join("owner/owner.json")).unwrap()).is_object());
    manifest["rows"].as_u64().unwrap()
}

/// Publishes one of two tables, and kills the process after a while; whether it was in time.
fn killed(folder: &Path, policy: &str, after: Duration) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_openveil"))
        .current_dir(folder)
        .args(["publish", policy, "--out", "out"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn a_kill_leaves_a_whole_release() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("more.csv"), people(120)).unwrap();
    fs::write(
        path.join("more.toml"),
        POLICY.replace("people.csv", "more.csv"),
    )
    .unwrap();
    let start = Instant::now();
    assert_eq!(
        openveil(path, &["publish", "policy.toml"]).status.code(),
        Some(0)
    );
    let usual = start.elapsed();
    let mut generator = StdRng::seed_from_u64(1);
    let (mut in_time, mut rows) = (0, 100);
    for trial in 0..trials() {
        let policy = ["more.toml", "policy.toml"][trial as usize % 2];
        let after = usual.mul_f64(generator.random_range(0.0..1.2));
        let was_killed = killed(path, policy, after);
        in_time += u32::from(was_killed);
        let found = whole(&path.join("out"));
        let own = [120, 100][trial as usize % 2];
        // Who was not killed has published; who was may have done so in the last moment.
        assert!(
            found == own || was_killed && found == rows,
            "trial {trial}: {found}"
        );
        rows = found;
    }
    assert!(in_time > 0, "no kill was in time");
    // What a kill leaves behind is hidden, and stands in nobody's way.
    assert_eq!(
        openveil(path, &["publish", "policy.toml"]).status.code(),
        Some(0)
    );
    assert_eq!(whole(&path.join("out")), 100);
    for entry in fs::read_dir(path.join("out")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "release" || name == "owner" || name.starts_with(".openveil-"),
            "{name}"
        );
    }
}
