//! A few people, and what readers conclude.

use super::support::*;
use std::fs;
use std::path::Path;

/// The words of a command line, as a shell would have them.
fn words(line: &str) -> Vec<String> {
    let mut quoted = false;
    let words = line.split(|c: char| {
        quoted ^= c == '"';
        c == ' ' && !quoted
    });
    words.map(|word| word.replace('"', "")).collect()
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
        let words = words(&command);
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let output = openveil(&root, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), printed, "{command}");
    }
}

/// Commands on the page about the papers: what it says of them, it says in numbers of theirs.
#[test]
fn the_findings_can_be_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/papers.md")).unwrap();
    let commands = page.lines().filter(|line| line.starts_with("openveil "));
    let printed: Vec<String> = commands
        .map(|line| {
            let words = words(line);
            let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let output = openveil(&root, &arguments);
            assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
            text(&output.stdout)
        })
        .collect();
    let [gda, by_row, schema] = &printed[..] else {
        panic!("three commands");
    };
    assert!(gda.contains("tables with a value certain     48"), "{gda}");
    assert!(
        by_row.contains("tables that can lead to one     82"),
        "{by_row}"
    );
    assert!(schema.contains("keep every rule"), "{schema}");
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
    assert!(svg.contains("of 36 tables 4 are left"), "{svg}");
}

#[test]
fn bad_input_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (
            &["--sensitive", "a,b", "--functions", "AX"][..],
            "nobody is called `AX`",
        ),
        (
            &["--sensitive", "a,b", "--bound", "3"],
            "is no share between 0 and 1",
        ),
        (&["people.csv", "--sensitive", "a"], "people.csv"),
        (
            &["--sensitive", "a,b", "--functions", "AB", "--jump", "x"],
            "no list of whole numbers",
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
