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
        (command.to_owned(), printed.to_owned())
    });
    parts.collect()
}

#[test]
fn the_page_shows_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/explain.md")).unwrap();
    let examples = examples(&page);
    assert!(examples.len() >= 6);
    for (command, printed) in examples {
        let output = run(&root, &command);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), printed, "{command}");
    }
}

/// The page about the papers quotes lines of what its commands print.
#[test]
fn the_findings_can_be_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/papers.md")).unwrap();
    let examples = examples(&page);
    assert!(examples.len() >= 15);
    for (command, quoted) in examples {
        let output = run(&root, &command);
        assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        for line in quoted.lines() {
            let is_printed = printed.lines().any(|own| own == line);
            assert!(is_printed, "{command}\n{line}\nis not in\n{printed}");
        }
    }
}

/// Each of its findings says where the paper has it, of which property, and what shows it.
#[test]
fn every_finding_has_a_place_a_property_and_a_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/papers.md")).unwrap();
    let sections = page.split("\n## ");
    let found = sections.filter_map(|section| section.split_once("**Found**"));
    let findings: Vec<&str> = found
        .flat_map(|(_, found)| found.split("\n* ").skip(1))
        .collect();
    assert!(findings.len() > 40);
    for finding in findings {
        assert!(finding.contains("**Place:**"), "{finding}");
        assert!(finding.contains("**Property:**"), "{finding}");
        let named = finding.split('`').skip(1).step_by(2);
        let [mut tests, mut figures] = [0, 0];
        for command in named {
            match &words(command)[..] {
                [cargo, test, _, of, name] if cargo == "cargo" && test == "test" => {
                    let folder = root.join("crates").join(of);
                    assert!(has_test(&folder, name), "{command}");
                    tests += 1;
                }
                [lab, _, paper, figure] if lab == "openveil-lab" => {
                    let measures = root.join("docs/experiments").join(format!("{paper}.md"));
                    let measures = fs::read_to_string(measures).unwrap();
                    let title = format!("\n## Figure {figure}:");
                    assert!(measures.contains(&title), "{command}");
                    figures += 1;
                }
                _ => {}
            }
        }
        let shown = finding.matches("```sh\nopenveil ").count();
        assert!(shown + tests + figures > 0, "{finding}");
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
