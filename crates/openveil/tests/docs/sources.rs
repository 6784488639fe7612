//! Statements of the theory: each is shown by something that runs.

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
    let page = fs::read_to_string(root().join("docs/theory/papers.md")).unwrap();
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
        shown.iter().for_each(|shown| assert_shown(shown));
        let is_run = below.contains("\nopenveil ");
        assert!(is_run || !shown.is_empty(), "{finding}");
    }
}

/// Sections of other pages in which each item ends with [tests that show it].
const SECTIONS: [(&str, &str); 6] = [
    ("theory/adversary.md", "One run"),
    ("theory/adversary.md", "Not covered"),
    ("theory/guarantees.md", "Not covered by any promise"),
    ("reference/rules.md", "The test"),
    ("reference/rules.md", "Publishing"),
    ("reference/rules.md", "Splitting columns automatically"),
];

#[test]
fn every_item_names_its_tests() {
    for (page, heading) in SECTIONS {
        let page = fs::read_to_string(root().join("docs").join(page)).unwrap();
        let section = page.split("\n## ").find(|section| section.starts_with(heading));
        let section = section.unwrap_or_else(|| panic!("no section {heading}"));
        let is_item = |line: &str| {
            line.starts_with("* ") || line.trim_start_matches(char::is_numeric).starts_with(". ")
        };
        let starts: Vec<usize> = section
            .lines()
            .enumerate()
            .filter(|(_, line)| is_item(line))
            .map(|own| own.0)
            .collect();
        assert!(starts.len() > 1, "{heading}");
        for start in starts {
            let item: Vec<&str> = section
                .lines()
                .skip(start)
                .enumerate()
                .take_while(|(n, line)| !line.is_empty() && (*n == 0 || !is_item(line)))
                .map(|(_, line)| line)
                .collect();
            let item = item.join(" ");
            let shown = item.strip_suffix(']').and_then(|item| item.rsplit_once('['));
            let (_, shown) = shown.unwrap_or_else(|| panic!("{item} names no test"));
            shown.split("; ").for_each(assert_shown);
        }
    }
}

/// Each promise rests on tests that exist.
#[test]
fn every_promise_names_its_tests() {
    let page = fs::read_to_string(root().join("docs/theory/guarantees.md")).unwrap();
    let is_name = |name: &&str| {
        name.contains('_') && name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_')
    };
    let mut rows = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        // Every second part is in backticks.
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).filter(is_name).collect();
        assert!(!names.is_empty(), "{row}");
        names.iter().for_each(|name| assert!(has_test(&root().join("crates"), name), "{name}"));
        rows += 1;
    }
    assert!(rows > 15, "{rows}");
}

/// Checks that a test, `crate::name`, or a figure of the laboratory exists.
fn assert_shown(command: &str) {
    match &words(command.trim_matches('`'))[..] {
        [test] => {
            let (of, name) = test.split_once("::").expect("a crate and its test");
            let folder = match of {
                "openveil-lab" => root().join("lab"),
                of => root().join("crates").join(of),
            };
            assert!(has_test(&folder, name), "{command}");
        }
        [figures, paper, figure] if figures == "figures" => {
            let record = root().join(format!("lab/figures/{paper}.md"));
            let record = fs::read_to_string(record).unwrap();
            assert!(record.contains(&format!("\n## Figure {figure}:")), "{command}");
        }
        _ => panic!("{command} is no test and no figure"),
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
