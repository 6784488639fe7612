//! No decision reads a sentence: code does not look for words in text that our own code made.

use super::page::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Methods that look for a text.
const LOOKS: [&str; 8] = [
    ".contains(\"",
    ".starts_with(\"",
    ".ends_with(\"",
    ".strip_prefix(\"",
    ".strip_suffix(\"",
    ".split_once(\"",
    ".rsplit_once(\"",
    ".find(\"",
];

/// Files that read sentences of others, and whose.
const READERS: [(&str, &str); 3] = [
    ("openveil-core/src/model/parameters.rs", "serde's"),
    ("openveil-io/src/policy/grammar.rs", "toml's"),
    ("openveil-io/src/policy/model.rs", "serde's, by way of the model's parameters"),
];

/// Whether a text has two words or more, with a blank between them.
fn is_sentence(text: &str) -> bool {
    let mut words = text.split(' ').filter(|word| {
        word.len() > 1 && word.chars().all(|sign| sign.is_ascii_alphabetic() || sign == '`')
    });
    words.next().is_some() && words.next().is_some()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The lines of a file before its tests that look for a sentence.
fn lookups(text: &str) -> Vec<String> {
    let product = text.split("#[cfg(test)]").next().unwrap();
    let code = product.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let looked = |line: &&str| {
        LOOKS.iter().any(|look| {
            let parts = line.split(look).skip(1);
            parts.map(|rest| rest.split('"').next().unwrap()).any(is_sentence)
        })
    };
    code.filter(looked).map(str::to_owned).collect()
}

#[test]
fn no_decision_reads_a_sentence() {
    assert_eq!(lookups("if text.contains(\"for tables in memory\") {").len(), 1);
    assert_eq!(lookups("if text.contains(\"memory\") {").len(), 0);
    let mut all = Vec::new();
    for folder in ["crates", "python/src", "r/src/rust/src"] {
        sources(&root().join(folder), &mut all);
    }
    assert!(all.len() > 300, "{} files", all.len());
    let mut readers: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for path in &all {
        let own = lookups(&fs::read_to_string(path).unwrap());
        match READERS.iter().find(|(reader, _)| path.ends_with(reader)) {
            Some((reader, _)) if !own.is_empty() => readers.push(reader),
            _ => found.extend(own.iter().map(|line| format!("{}: {line}", path.display()))),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let idle = READERS.iter().find(|(reader, _)| !readers.contains(reader));
    assert!(idle.is_none(), "{idle:?} reads none any more");
}

/// Marks of a key or an option in a message.
const NAMES: [&str; 5] = ["`--", "`openveil ", " under [", "[[rules]]", "role `"];

/// Crates whose messages reach Python and R.
const SAID_EVERYWHERE: [&str; 5] = ["io", "publication", "reader", "requests", "tools"];

/// Files that write pages, starters and documents, which are the same for everybody.
const PAGES: [&str; 9] = [
    "openveil-io/src/policy/extra.rs",
    "openveil-io/src/release_dir/record/looks.rs",
    "openveil-reader/src/report/",
    "openveil-tools/src/compare/basis.rs",
    "openveil-tools/src/evidence/",
    "openveil-tools/src/inspect/aim.rs",
    "openveil-tools/src/inspect/starter.rs",
    "openveil-reader/src/query/fitted/formula.rs",
    "openveil-io/src/source/excel.rs",
];

/// The literals of a file before its tests that name a key or an option and are no `text!`.
fn plain_names(text: &str) -> Vec<String> {
    let product = text.split("#[cfg(test)]").next().unwrap();
    let code: Vec<&str> =
        product.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n").replace("\\\"", "\u{1}").replace("'\"'", "' '");
    let parts: Vec<&str> = code.split('"').collect();
    (1..parts.len())
        .step_by(2)
        .filter(|&at| NAMES.iter().any(|name| parts[at].contains(name)))
        .filter(|&at| {
            let before = parts[at - 1].trim_end();
            !before.ends_with("text!(") && !before.ends_with("help =")
        })
        .map(|at| parts[at].to_owned())
        .collect()
}

#[test]
fn messages_that_name_options_keep_them_as_values() {
    assert_eq!(plain_names("error.help(\"leave `--plots` out\")").len(), 1);
    assert_eq!(plain_names("error.help(text!(\n    \"leave `--plots` out\"))").len(), 0);
    let mut found = Vec::new();
    for folder in SAID_EVERYWHERE {
        let mut all = Vec::new();
        sources(&root().join(format!("crates/openveil-{folder}/src")), &mut all);
        for path in all {
            let name = path.display().to_string();
            if !PAGES.iter().any(|page| name.contains(page)) {
                let plain = plain_names(&fs::read_to_string(&path).unwrap());
                found.extend(plain.iter().map(|text| format!("{name}: {text}")));
            }
        }
    }
    assert!(found.is_empty(), "write them with `text!`:\n{}", found.join("\n"));
}

/// The texts in a source file, without comments; whether each is a template of `text!`.
fn literals(source: &str) -> Vec<(String, bool)> {
    let (mut found, mut rest) = (Vec::new(), source);
    // The code before the next text.
    let mut code = String::new();
    while let Some(next) = rest.chars().next() {
        let after = &rest[next.len_utf8()..];
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if next == '\'' {
            // A character, or a lifetime.
            let inside = after.strip_prefix('\\').unwrap_or(after);
            let end = inside.char_indices().nth(1).map_or(0, |(at, _)| at);
            let is_character = inside[end..].starts_with('\'') || inside.len() < after.len();
            rest = if is_character { inside[end..].split_once('\'').unwrap().1 } else { after };
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            let (text, after) = raw.split_once("\"#").expect("its end");
            found.push((text.to_owned(), false));
            rest = after;
        } else if next == '"' {
            let (text, length) = literal(after);
            found.push((text, code.trim_end().ends_with("text!(")));
            rest = &after[length..];
            code.clear();
        } else {
            code.push(next);
            rest = after;
        }
    }
    found
}

/// Reads a text after its first quote: what it says, and its length with the last quote.
fn literal(rest: &str) -> (String, usize) {
    let mut text = String::new();
    let mut signs = rest.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return (text, at + 1),
            '\\' => match signs.next().expect("an escape").1 {
                'n' => text.push('\n'),
                // The blanks of the next line are left out.
                '\n' => {
                    let blanks = rest[at + 2..].chars().take_while(|sign| sign.is_whitespace());
                    signs.by_ref().take(blanks.count()).for_each(|_| {});
                }
                'u' => {
                    let (code, _) = rest[at + 3..].split_once('}').expect("its end");
                    text.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
                    signs.by_ref().take(code.len() + 2).for_each(|_| {});
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
    panic!("a text has no end")
}

/// The placeholders of a template, without braces, each once; and the template with those numbered
/// that take the next argument.
fn placeholders(template: &str) -> (BTreeSet<String>, String) {
    let (mut found, mut numbered, mut next) = (BTreeSet::new(), String::new(), 0);
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        numbered.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            numbered.push('{');
            rest = after;
            continue;
        }
        let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
        let is_next = inside.is_empty() || inside.starts_with(':');
        let inside = if is_next { format!("{next}{inside}") } else { inside.to_owned() };
        next += usize::from(is_next);
        numbered.extend([&inside, "}"]);
        found.insert(inside);
        rest = after;
    }
    (found, numbered + rest)
}

/// Options, keys and settings: they stay as they are in every language.
fn quoted(template: &str) -> Vec<&str> {
    let quoted = template.split('`').skip(1).step_by(2);
    let mut quoted: Vec<&str> = quoted.filter(|own| !own.starts_with('{')).collect();
    quoted.sort_unstable();
    quoted
}

#[test]
fn messages_are_said_in_german() {
    let mut all = Vec::new();
    sources(&root().join("crates"), &mut all);
    let mut said = Vec::new();
    for path in &all {
        let is_product = path.components().any(|part| part.as_os_str() == "src");
        if is_product && !path.to_string_lossy().contains("openveil-text") {
            said.append(&mut literals(&fs::read_to_string(path).unwrap()));
        }
    }
    let templates: BTreeSet<String> = said
        .iter()
        .filter(|(text, is_template)| *is_template && !text.contains('\n'))
        .map(|(text, _)| placeholders(text).1)
        .collect();
    let plain: BTreeSet<&str> = said.iter().map(|(text, _)| &**text).collect();
    assert!(templates.len() > 600, "{} templates", templates.len());
    let mut german = BTreeSet::new();
    for (template, own) in openveil_text::pairs() {
        assert!(german.insert(template), "twice: {template}");
        let is_template = templates.contains(template);
        if is_template {
            assert_eq!(placeholders(template).0, placeholders(own).0, "{template}\n{own}");
        }
        assert_eq!(quoted(template), quoted(own), "{template}\n{own}");
        assert!(is_template || plain.contains(template), "nothing says this any more: {template}");
    }
    let missing: Vec<&String> = templates.iter().filter(|own| !german.contains(&***own)).collect();
    assert!(missing.is_empty(), "not in german.txt: {missing:#?}");
}
