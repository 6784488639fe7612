//! The package's own tests, on a wheel that is built and installed into a fresh virtual
//! environment. They need Python 3.10 or later; without it they are skipped, and say so.
//!
//! The wheel is made of what this workspace's tests were built of, which takes seconds instead of
//! minutes and watches what is asserted. `MATURIN_PEP517_ARGS= cargo test -p openveil-python` tests it
//! as it is released.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What tells maturin how to build.
const BUILD: &str = "MATURIN_PEP517_ARGS";

/// The profile of tests.
const AS_TESTED: &str = "--profile dev";

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

/// A Python that is new enough.
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
    run(
        &programs.join("python"),
        &["-m", "pip", "install", "--quiet", ".[test]"],
    );
    // By its own name, `pytest` does not put this folder before what was installed.
    let pytest = programs.join("pytest");
    run(&pytest, &["tests"]);
    run(&pytest, &["--doctest-modules", "--pyargs", "openveil"]);
    run(&programs.join("mypy"), &[]);
}
