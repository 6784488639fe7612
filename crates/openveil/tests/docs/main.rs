//! The documentation, taken at its word: commands run, output is as quoted, policies parse, options
//! and linked pages exist. Blocks in Python and R run in the tests of those packages.

mod commands;
mod fixture;
mod fronts;
mod page;
mod prose;
mod reference;
mod sentences;
mod sources;

use page::{Block, Page};
use rayon::prelude::*;
use std::fs;
use std::path::Path;

/// A policy that a fragment is added to.
const BASE: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
base_known = { role = "quasi-identifier" }
base_secret = { role = "sensitive" }
"#;

#[test]
fn commands_run_and_print_what_is_quoted() {
    let folder = fixture::folder();
    let pages = page::all();
    let found: Vec<String> =
        pages.par_iter().flat_map_iter(|page| run(page, folder.path())).collect();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// Runs a page from top to bottom in a folder of its own; the problems.
fn run(page: &Page, folder: &Path) -> Vec<String> {
    let root = folder.join(page.path.replace('/', "-"));
    let mut printed = String::new();
    let mut found = Vec::new();
    for block in page.blocks() {
        match (block.language.as_str(), file_name(&block)) {
            ("sh", _) => {
                fixture::prepare(&root, folder);
                match commands::run(&root, &block.text) {
                    Ok(output) if output.is_empty() => {}
                    Ok(output) => printed = output,
                    Err(problem) => found.push(page.problem(&block, &problem)),
                }
            }
            ("toml", Some(name)) => {
                fixture::prepare(&root, folder);
                fs::write(root.join(name), &block.text).unwrap();
            }
            ("text", _) if !printed.is_empty() && !is_shown(&block.text, &printed) => {
                found.push(page.problem(&block, &format!("is not what is printed:\n{printed}")));
            }
            _ => {}
        }
    }
    found
}

/// Whether a block is a part of what a command printed, where `…` alone on a line stands for lines
/// that are left out.
fn is_shown(block: &str, printed: &str) -> bool {
    let printed: Vec<&str> = printed.lines().collect();
    let block: Vec<&str> = block.lines().collect();
    let mut from = 0;
    block.split(|line| line.trim() == "…").all(|part| {
        let found = (from..=printed.len()).find(|at| printed[*at..].starts_with(part));
        from = found.map_or(from, |at| at + part.len());
        found.is_some()
    })
}

/// The name that a block's first line gives its file.
fn file_name(block: &Block) -> Option<&str> {
    let name = block.text.lines().next()?.strip_prefix("# ")?;
    (name.ends_with(".toml") && !name.contains(' ')).then_some(name)
}

#[test]
fn policies_parse() {
    let mut found = Vec::new();
    let mut parsed = 0;
    for page in page::all() {
        for block in page.blocks().filter(|block| block.language == "toml") {
            parsed += 1;
            if let Err(problem) = policy(&block.text) {
                found.push(page.problem(&block, &problem));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    assert!(parsed >= 12, "{parsed} policies");
}

/// Parses a policy, or a fragment after it was added to a policy.
fn policy(text: &str) -> Result<(), String> {
    use openveil_io::policy::Policy;
    let given: toml::Table = text.parse().map_err(|error| format!("{error}"))?;
    if given.contains_key("tables") {
        return Ok(()); // A schema: `openveil schema check` runs on it in its page.
    }
    let text = if given.contains_key("input") { text.to_owned() } else { completed(given) };
    match Policy::parse(&text, Path::new("policy.toml")) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// A fragment with the sections that it needs around it.
fn completed(given: toml::Table) -> String {
    let mut whole: toml::Table = BASE.parse().unwrap();
    let columns = given.get("columns").and_then(toml::Value::as_table);
    let own = |role: &str| {
        columns.is_some_and(|columns| {
            columns
                .values()
                .any(|column| column.get("role").and_then(toml::Value::as_str) == Some(role))
        })
    };
    let has_rules = given.contains_key("rules");
    let all = whole["columns"].as_table_mut().unwrap();
    if has_rules {
        all.clear();
    } else if own("sensitive") {
        all.remove("base_secret");
    }
    for named in named_columns(&given) {
        let (name, role) = named;
        let entry = toml::Table::from_iter([("role".to_owned(), toml::Value::from(role))]);
        all.entry(name).or_insert(entry.into());
    }
    if !given.contains_key("privacy") {
        whole.insert(
            "privacy".into(),
            "model = \"l-diversity\"\nl = 2".parse::<toml::Table>().unwrap().into(),
        );
    }
    for (section, value) in given {
        match (whole.get_mut(&section), value) {
            (Some(toml::Value::Table(own)), toml::Value::Table(more)) => own.extend(more),
            (_, value) => drop(whole.insert(section, value)),
        }
    }
    whole.to_string()
}

/// Columns that sections of a fragment name without describing them, with the role that they need.
fn named_columns(given: &toml::Table) -> Vec<(String, &'static str)> {
    let mut named = Vec::new();
    for (section, key, role) in [
        ("persons", "id", "identifier"),
        ("ties", "id", "identifier"),
        ("history", "person", "identifier"),
        ("history", "episode", "identifier"),
        ("privacy", "strata", "quasi-identifier"),
        ("privacy", "combine", "sensitive"),
        ("algorithm", "functions", "quasi-identifier"),
        ("rules", "given", "attribute"),
        ("rules", "protect", "attribute"),
    ] {
        // Rules are a list of sections.
        let sections: &[toml::Value] = match given.get(section) {
            Some(toml::Value::Array(sections)) => sections,
            Some(section) => std::slice::from_ref(section),
            None => &[],
        };
        let names = sections.iter().filter_map(|section| section.get(key));
        named.extend(names.flat_map(names_in).map(|name| (name, role)));
    }
    named
}

/// The names in a text, a list of texts, or the keys of a list of tables.
fn names_in(value: &toml::Value) -> Vec<String> {
    match value {
        toml::Value::String(name) => vec![name.clone()],
        toml::Value::Array(values) => values.iter().flat_map(names_in).collect(),
        toml::Value::Table(table) => table.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

#[test]
fn blocks_are_in_languages_that_some_test_runs() {
    let known = ["sh", "toml", "text", "python", "r", "yaml"];
    let other = page::all().into_iter().flat_map(|page| {
        let blocks: Vec<String> = page
            .blocks()
            .filter(|block| !known.contains(&block.language.as_str()))
            .map(|block| page.problem(&block, "no test runs this language"))
            .collect();
        blocks
    });
    let other: Vec<String> = other.collect();
    assert!(other.is_empty(), "{}", other.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let pages = page::all();
    let root = page::root();
    let mut found = Vec::new();
    let mut followed = 0;
    for page in &pages {
        for link in page.links() {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = Path::new(&page.path).parent().unwrap();
            let target =
                if path.is_empty() { root.join(&page.path) } else { root.join(folder).join(path) };
            followed += 1;
            if !target.exists() {
                found.push(format!("{}: no file {link}", page.path));
            } else if !anchor.is_empty() && !Page::read(&target).anchors().contains(anchor) {
                found.push(format!("{}: no heading {link}", page.path));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(followed > 100, "{followed} links");
}
