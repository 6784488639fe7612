//! Runs `R CMD check` on the package: examples, tests, help pages, vignettes. It needs R 4.2 or
//! later with testthat; without them it is skipped with a note.
//!
//! The package uses the build of this workspace's tests. `OPENVEIL_PROFILE=release cargo test -p
//! openveil-r` checks the release build.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whether R has packages.
fn has(packages: &str) -> bool {
    let asked = format!(
        "q(status = !all(vapply(c({packages}), requireNamespace, TRUE, quietly = TRUE), getRversion() >= '4.2'))"
    );
    let done = Command::new("Rscript").args(["-e", &asked]).output();
    done.is_ok_and(|done| done.status.success())
}

#[test]
fn the_package_passes_its_check() {
    if !has("'testthat'") {
        eprintln!("skipped: there is no R 4.2 or later with testthat");
        return;
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = package.join("..").canonicalize().expect("the workspace");
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = temporary.parent().expect("it lies in the target folder");
    let folder = temporary.join("r");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder to work in");
    let profile = env::var("OPENVEIL_PROFILE").unwrap_or("dev".to_owned());
    let command = target.join("debug").join(format!("openveil{}", env::consts::EXE_SUFFIX));
    let run = |arguments: &[&str]| {
        let mut r = Command::new("R");
        r.arg("CMD").args(arguments).current_dir(&folder);
        r.env("OPENVEIL_WORKSPACE", &workspace)
            .env("OPENVEIL_PROFILE", &profile)
            .env("CARGO_TARGET_DIR", target)
            .env("OPENVEIL_DOCS", &workspace)
            .env("LC_ALL", "C.UTF-8")
            // Suggested packages may be missing.
            .env("_R_CHECK_FORCE_SUGGESTS_", "false");
        if command.exists() {
            r.env("OPENVEIL_PROGRAM", &command);
        }
        r.status().expect("R runs").success()
    };
    let (mut build, mut check) = (vec!["build"], vec!["check", "--no-manual"]);
    if !has("'knitr', 'markdown'") {
        eprintln!("skipped: the vignette; R has no knitr and markdown");
        build.push("--no-build-vignettes");
        check.push("--ignore-vignettes");
    }
    let path = package.to_string_lossy();
    build.push(&path);
    assert!(run(&build), "R CMD build");
    let source = format!("openveil_{}.tar.gz", env!("CARGO_PKG_VERSION"));
    check.push(&source);
    let passed = run(&check);
    let log = fs::read_to_string(folder.join("openveil.Rcheck/00check.log")).expect("a log");
    assert!(passed && !log.contains("WARNING"), "{log}");
}
