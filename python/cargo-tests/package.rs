//! Runs the package's own tests on a wheel, built and installed into a fresh virtual environment.
//! They need Python 3.10 or later; without it they are skipped with a note.
//!
//! The wheel uses the build of this workspace's tests, which takes seconds instead of minutes and
//! includes assertions. `MATURIN_PEP517_ARGS= cargo test -p openveil-python --features package-test`
//! tests the release build.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with maturin's build options.
const BUILD: &str = "MATURIN_PEP517_ARGS";

/// The options for the build of the workspace's tests.
const AS_TESTED: &str = "--profile dev --features package-test";

/// Runs a program that has to succeed.
fn run(program: &Path, arguments: &[&str]) {
    let done = Command::new(program)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .env(BUILD, env::var(BUILD).unwrap_or(AS_TESTED.to_owned()))
        .status();
    let done = done.unwrap_or_else(|cause| panic!("{}: {cause}", program.display()));
    assert!(done.success(), "{} {arguments:?}", program.display());
}

/// Returns a Python that is new enough.
fn python() -> Option<PathBuf> {
    let is_new = "import sys, venv; sys.exit(sys.version_info < (3, 10))";
    let found = ["python3", "python"].into_iter().find(|name| {
        let asked = Command::new(name).args(["-c", is_new]).output();
        asked.is_ok_and(|asked| asked.status.success())
    });
    found.map(PathBuf::from)
}

#[test]
fn the_package_passes_its_tests() {
    let Some(python) = python() else {
        eprintln!("skipped: there is no Python 3.10 or later with `venv`");
        return;
    };
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let folder = environment.to_str().expect("the target folder is UTF-8");
    run(&python, &["-m", "venv", "--clear", folder]);
    let programs = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    run(&programs.join("python"), &["-m", "pip", "install", "--quiet", ".[test]"]);
    // Called directly, `pytest` does not put this folder before the installed package in the path.
    let pytest = programs.join("pytest");
    run(&pytest, &["tests"]);
    run(&pytest, &["--doctest-modules", "--pyargs", "openveil"]);
    run(&programs.join("mypy"), &[]);
}
