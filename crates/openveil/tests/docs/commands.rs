//! Commands of the documentation: blocks run in a shell, and inline commands name options that exist.

use super::page;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Commands that something else runs: the beginning of a line, and who runs it.
const ELSEWHERE: [(&str, &str); 15] = [
    ("just ", ".ci/run"),
    ("cargo test", ".ci/run"),
    ("cargo bench", ".ci/nightly"),
    ("cargo run --release --manifest-path lab/Cargo.toml", "the laboratory's tests"),
    ("cargo build", ".ci/run"),
    ("cargo install", "packaging/try"),
    ("cargo clippy", ".ci/run"),
    ("cargo fmt", ".ci/run"),
    ("pip install", "packaging/try"),
    (".ci/", ".ci/nightly"),
    ("OPENVEIL_DATA=DIR cargo test", ".ci/run"),
    ("PROPTEST_RNG_SEED=", "by hand, to look for new cases"),
    ("fuzz/", ".ci/nightly"),
    ("mutants/", "by hand, for docs/developer/trials.md"),
    ("R CMD INSTALL", ".ci/run"),
];

/// The README runs the program by way of Cargo.
const BY_CARGO: &str = "cargo run --release -- ";

/// A comment above a command that ends with code 1 on purpose.
const FAILS: &str = "# exits with 1";

/// Runs a block in a folder; returns its output.
///
/// # Errors
/// A command that fails, with the output.
pub fn run(folder: &Path, block: &str) -> Result<String, String> {
    let mut script = String::from("set -euo pipefail\n");
    let mut may_fail = false;
    for line in block.lines() {
        let line =
            line.strip_prefix(BY_CARGO).map_or(line.to_owned(), |rest| format!("openveil {rest}"));
        if ELSEWHERE.iter().any(|(beginning, _)| line.starts_with(beginning)) {
            continue;
        }
        script += &match may_fail {
            true => format!("code=0\n{line} || code=$?\n[ $code = 1 ]\n"),
            false => format!("{line}\n"),
        };
        may_fail = line.starts_with(FAILS);
    }
    let program = Path::new(env!("CARGO_BIN_EXE_openveil"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let done =
        Command::new("bash").args(["-c", &script]).current_dir(folder).env("PATH", path).output();
    let done = done.map_err(|error| format!("no bash: {error}"))?;
    let output =
        String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    match done.status.success() {
        true => Ok(output),
        false => Err(format!("{}\n{block}{output}", done.status)),
    }
}

/// The options that a subcommand's help lists.
fn help(subcommand: &str) -> String {
    let mut words: Vec<&str> = subcommand.split_whitespace().collect();
    words.push("--help");
    let done = Command::new(env!("CARGO_BIN_EXE_openveil")).args(words).output().unwrap();
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn inline_commands_have_options_that_exist() {
    let mut helps = BTreeMap::new();
    let mut found = Vec::new();
    let mut asked = 0;
    for page in page::all().iter().filter(|page| page.path != "CHANGELOG.md") {
        let prose = page.prose().replace('\n', " ");
        let yaml = page.text.lines().filter_map(|line| line.trim_start().strip_prefix("entry: "));
        let inline = prose.split('`').skip(1).step_by(2);
        for command in inline.chain(yaml).filter_map(|code| code.trim().strip_prefix("openveil ")) {
            let mut words = command.split_whitespace();
            let Some(first) = words
                .next()
                .filter(|first| first.starts_with(|sign: char| sign.is_ascii_lowercase()))
            else {
                continue;
            };
            let subcommand = if first == "schema" { "schema check" } else { first };
            let help = helps.entry(subcommand.to_owned()).or_insert_with(|| help(subcommand));
            asked += 1;
            if !help.contains("Usage:") {
                found.push(format!("{}: no command `openveil {first}`", page.path));
            }
            for option in words.filter(|word| word.starts_with("--")) {
                let option: String = option
                    .chars()
                    .take_while(|sign| sign.is_ascii_lowercase() || *sign == '-')
                    .collect();
                if !help.contains(&option) {
                    found.push(format!("{}: `openveil {first}` has no `{option}`", page.path));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(asked > 20, "{asked} commands");
}
