//! Plain sentences: how they begin, and how many there are.

use super::page;
use std::fs;
use std::path::Path;

/// A sentence that begins so has no subject that does something.
const RIDDLES: [&str; 5] = ["What", "Who", "Whoever", "Of", "Nobody"];

/// Sentences of a text, roughly.
fn sentences(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut ends = true;
    for word in text
        .split_whitespace()
        .filter(|word| !matches!(*word, "|" | "*" | "-" | ">" | "#" | "##" | "###"))
    {
        if ends {
            found.push(String::new());
        }
        let last = found.last_mut().unwrap();
        last.push_str(word);
        last.push(' ');
        ends = word.trim_end_matches([')', '*', '"']).ends_with(['.', '!', '?']);
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn is_riddle(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default();
    RIDDLES.contains(&first.trim_matches(|sign: char| !sign.is_alphanumeric()))
}

/// Docstrings of all Rust files below a folder, one text for each.
fn docstrings(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            docstrings(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut own = String::new();
            for line in text.lines().map(str::trim_start) {
                match line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
                    Some(line) => own = own + line.trim_start() + "\n",
                    None if !own.is_empty() => found.push(std::mem::take(&mut own)),
                    None => {}
                }
            }
        }
    }
}

#[test]
fn sentences_say_who_does_something() {
    let mut texts: Vec<String> = page::all().iter().map(page::Page::prose).collect();
    docstrings(&page::root().join("crates"), &mut texts);
    let all: Vec<String> =
        texts.iter().flat_map(|text| text.split("\n\n").flat_map(sentences)).collect();
    let riddles: Vec<&String> = all.iter().filter(|sentence| is_riddle(sentence)).collect();
    assert!(all.len() > 10_000, "{} sentences", all.len());
    let share = riddles.len() as f64 / all.len() as f64;
    assert!(share <= 0.003, "{} of {}: {riddles:#?}", riddles.len(), all.len());
}

#[test]
fn pages_are_short() {
    let words = |page: &page::Page| page.text.split_whitespace().count();
    let pages = page::all();
    let readme = pages.iter().find(|page| page.path == "README.md").unwrap();
    assert!(words(readme) <= 700, "README: {}", words(readme));
    let docs: usize = pages.iter().filter(|page| page.path.starts_with("docs/")).map(words).sum();
    assert!(docs <= 25_000, "docs: {docs}");
}
