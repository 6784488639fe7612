//! The page about the papers: each finding has a source and is shown by something that runs.

use super::page::root;
use std::fs;
use std::path::Path;

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

/// Words of which each place in a paper has one.
const PLACES: [&str; 8] =
    ["section", "Table", "figures", "Lemma", "Theorem", "Definition", "Algorithm", "Equation"];

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
    let root = root();
    let page = fs::read_to_string(root.join("docs/theory/papers.md")).unwrap();
    let found = page.split("\n## ").filter_map(|section| section.split_once("**Found**"));
    let findings: Vec<&str> = found.flat_map(|(_, found)| found.split("\n* ").skip(1)).collect();
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
                    let folder = match of {
                        "openveil-lab" => root.join("lab"),
                        of => root.join("crates").join(of),
                    };
                    assert!(has_test(&folder, name), "{command}");
                }
                [figures, paper, figure] if figures == "figures" => {
                    let record = format!("lab/figures/{paper}.md");
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
            source
                .lines()
                .map(str::trim_start)
                .any(|line| line.starts_with("fn ") && line.contains(name))
        };
        is_source
            && (path.file_stem().is_some_and(|stem| stem == name)
                || fs::read_to_string(&path).is_ok_and(has))
    })
}
