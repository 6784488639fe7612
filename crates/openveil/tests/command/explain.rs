//! A few people, and what readers conclude.

use super::support::*;
use std::fs;
use std::path::Path;
use std::process::Output;

/// The words of a command line, as a shell would have them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut open) = (vec![String::new()], None);
    for letter in line.chars() {
        match letter {
            '"' | '\'' if open.is_none() => open = Some(letter),
            quote if open == Some(quote) => open = None,
            ' ' if open.is_none() => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words
}

/// Runs a command of a page.
fn run(root: &Path, command: &str) -> Output {
    let words = words(command);
    let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    openveil(root, &arguments)
}

/// The examples of the page: each command with what it prints.
fn examples(page: &str) -> Vec<(String, String)> {
    let blocks = page.split("```sh\n").skip(1);
    let parts = blocks.map(|block| {
        let (command, rest) = block.split_once("\n```").expect("a command ends");
        let (_, printed) = rest.split_once("```text\n").expect("something is printed");
        let (printed, _) = printed.split_once("```").expect("it ends");
        let command = command.lines().filter(|line| !line.starts_with('#'));
        (command.collect::<Vec<_>>().join("\n"), printed.to_owned())
    });
    parts.collect()
}

/// Whether a block of a page is what a command prints, where `…` alone on a line stands for lines
/// that are left out.
fn is_shown(block: &str, printed: &str) -> bool {
    let (mut printed, mut left_out) = (printed.lines(), false);
    for line in block.lines() {
        let is_there = match (line, left_out) {
            ("…", _) => true,
            (line, true) => printed.any(|own| own == line),
            (line, false) => printed.next() == Some(line),
        };
        if !is_there {
            return false;
        }
        left_out = line == "…";
    }
    left_out || printed.next().is_none()
}

#[test]
fn the_page_shows_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/theory/small-tables.md")).unwrap();
    let examples = examples(&page);
    assert!(examples.len() >= 6);
    for (command, block) in examples {
        let (code, command) = match command.strip_prefix("# exits with 1\n") {
            Some(command) => (1, command),
            None => (0, &*command),
        };
        let output = run(&root, command);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        assert!(is_shown(&block, &printed), "{command}\nprints\n{printed}");
    }
}

/// The page about the papers quotes lines of what its commands print.
#[test]
fn the_findings_can_be_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/theory/papers.md")).unwrap();
    let examples = examples(&page);
    assert!(examples.len() >= 15);
    for (command, quoted) in examples {
        let output = run(&root, &command);
        assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        for line in quoted.lines().filter(|line| *line != "…") {
            let is_printed = printed.lines().any(|own| own == line);
            assert!(is_printed, "{command}\n{line}\nis not in\n{printed}");
        }
    }
}

/// Words of which each place in a paper has one.
const PLACES: [&str; 8] = [
    "section",
    "Table",
    "figures",
    "Lemma",
    "Theorem",
    "Definition",
    "Algorithm",
    "Equation",
];

/// Words of which each property has one.
const PROPERTIES: [&str; 9] = [
    "ratio",
    "entropy",
    "distinct",
    "any",
    "all variants",
    "normal form",
    "posteriors",
    "weight",
    "estimate",
];

/// Each finding ends with [place in the paper; property; test or figure]. Without the last,
/// a command follows.
#[test]
fn every_finding_has_a_place_a_property_and_a_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/theory/papers.md")).unwrap();
    let sections = page.split("\n## ");
    let found = sections.filter_map(|section| section.split_once("**Found**"));
    let findings: Vec<&str> = found
        .flat_map(|(_, found)| found.split("\n* ").skip(1))
        .collect();
    assert!(findings.len() >= 44);
    for finding in findings {
        let (_, source) = finding.rsplit_once('[').expect("a finding has a source");
        let (source, below) = source.split_once(']').expect("a source ends");
        let parts: Vec<&str> = source.split("; ").collect();
        let [place, property, shown @ ..] = &parts[..] else {
            panic!("{finding}");
        };
        assert!(PLACES.iter().any(|own| place.contains(own)), "{finding}");
        let is_property = PROPERTIES.iter().any(|own| property.contains(own));
        assert!(is_property, "{finding}");
        for command in shown {
            match &words(command.trim_matches('`'))[..] {
                [test] => {
                    let (of, name) = test.split_once("::").expect("a crate and its test");
                    assert!(has_test(&root.join("crates").join(of), name), "{command}");
                }
                [figures, paper, figure] if figures == "figures" => {
                    let record = format!("crates/openveil-lab/figures/{paper}.md");
                    let record = fs::read_to_string(root.join(record)).unwrap();
                    let title = format!("\n## Figure {figure}:");
                    assert!(record.contains(&title), "{command}");
                }
                _ => panic!("{command} is no test and no figure"),
            }
        }
        let is_run = below.contains("\nopenveil ");
        assert!(is_run || !shown.is_empty(), "{finding}");
    }
}

/// Whether a test of a crate, or a file of it, has a name that contains this.
fn has_test(folder: &Path, name: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return has_test(&path, name);
        }
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        let has = |source: String| {
            let mut lines = source.lines().map(str::trim_start);
            lines.any(|line| line.starts_with("fn ") && line.contains(name))
        };
        is_source
            && (path.file_stem().is_some_and(|stem| stem == name)
                || fs::read_to_string(&path).is_ok_and(has))
    })
}

#[test]
fn tables_documents_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let table =
        "name,illness\nAnn,flu\nBob,cold\nCid,cancer\nDee,cancer\nEve,headache\nFay,toothache\n";
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let arguments = [
        "explain",
        "people.csv",
        "--sensitive",
        "illness",
        "--person",
        "name",
        "--functions",
        "Ann Bob|Cid Dee|Eve Fay; Ann Bob Cid|Dee Eve Fay",
        "--plots",
        "plots",
        "--json",
    ];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = json(&output.stdout);
    assert_eq!(found["strategies"][0]["posteriors"]["Cid"]["cancer"], "1");
    assert_eq!(found["strategies"][0]["path"][1]["permutation_set"], 36);
    let svg = fs::read_to_string(folder.path().join("plots/worlds-naive.svg")).unwrap();
    assert!(svg.contains("4 of 36 tables are left"), "{svg}");
}

#[test]
fn bad_input_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (
            &["--sensitive", "a,b", "--functions", "AX"][..],
            "no one is called `AX`",
        ),
        (
            &["--sensitive", "a,b", "--bound", "3"],
            "is not a share between 0 and 1",
        ),
        (&["people.csv", "--sensitive", "a"], "people.csv"),
        (
            &["--sensitive", "a,b", "--privacy", "model = \"secrecy\""],
            "unknown value `secrecy`",
        ),
        (
            &[
                "--sensitive",
                "a,b",
                "--l",
                "2",
                "--privacy",
                "model = \"k-anonymity\", k = 2",
            ],
            "cannot be used with",
        ),
        (
            &["--sensitive", "a,b", "--functions", "AB", "--jump", "x"],
            "not a list of whole numbers",
        ),
        (
            &["--sensitive", "a,b", "--functions", "AB", "--jump", "0"],
            "distance 0",
        ),
    ] {
        let message = complaint(folder.path(), &[&["explain"], arguments].concat());
        assert!(message.contains(expected), "{message}");
    }
}
