//! Compares a manifest and its sentence with the files.

use super::case::{Case, people};
use super::files::{Rows, exceeds, fraction, highest, rows};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the problems of the promise about one protected column.
pub(super) fn wrong(
    bound: &Value,
    exempt: &Value,
    sentence: &str,
    column: &str,
    groups: &[BTreeMap<String, u64>],
    case: &Case,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let named: Vec<&str> =
        exempt.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let expected: &[&str] = if case.exempt && column == "job" { &["none"] } else { &[] };
    if named != expected {
        wrong.push(format!("the model of `{column}` exempts {named:?}, the policy {expected:?}"));
    }
    let is_exempt = |value: &str| expected.contains(&value);
    let protected = highest(groups, |value| !is_exempt(value));
    let certain = protected.0 == protected.1 && protected.0 > 0;
    if !expected.is_empty() && !sentence.contains("exempt: it may become certain who has it") {
        wrong.push("the sentence does not say that exempt values may become certain".to_owned());
    }
    match bound.as_str().map(fraction) {
        Some(bound) if exceeds(protected, bound) => {
            wrong.push(format!(
                "a value of `{column}` has {protected:?} of a group, {bound:?} is promised"
            ));
        }
        Some((1, 1)) => {
            if !sentence.contains("does not keep anybody's") {
                wrong.push("the sentence does not say that values may become certain".to_owned());
            }
        }
        Some(_) => {
            if !sentence.contains(&format!("above {}", bound.as_str().unwrap_or_default()))
                && !sentence.contains(" %")
            {
                wrong.push("the sentence has another number than the manifest".to_owned());
            }
        }
        None if certain => {
            wrong.push(format!("a value of `{column}` is certain, and no bound is given"))
        }
        None => {
            if !sentence.contains("no bound is promised") {
                wrong.push("the sentence promises more than no bound".to_owned());
            }
        }
    }
    let says = sentence.contains("people of equal `sex` are a stratum");
    if says != (case.strata && column == "job") {
        wrong.push("the sentence is wrong about strata".to_owned());
    }
    wrong.extend(wrong_words(sentence, groups, is_exempt));
    wrong
}

/// Checks the statements of models that can be recounted.
fn wrong_words(
    sentence: &str,
    groups: &[BTreeMap<String, u64>],
    is_exempt: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let number_after = |words: &str| -> Option<u64> {
        let (_, after) = sentence.split_once(words)?;
        after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let fewer = |k: u64| groups.iter().any(|group| group.values().sum::<u64>() < k);
    if number_after("every group has at least ").is_some_and(fewer) {
        wrong.push("a group has fewer people than said".to_owned());
    }
    if sentence.contains("values remain possible for everybody") {
        let l = number_after("at least ").unwrap();
        let few = |group: &&BTreeMap<String, u64>| (group.len() as u64) < l;
        for group in groups.iter().filter(few) {
            let excused = sentence.contains("or none but exempt ones")
                && group.keys().all(|value| is_exempt(value));
            if !excused {
                wrong.push(format!("a group of {group:?} beside `at least {l} values`"));
            }
        }
    }
    wrong
}

/// Checks that the files have the columns and cells that the manifest describes, and that a note
/// explains the meaning of exact values.
pub(super) fn wrong_columns(release: &Path, manifest: &Value, case: &Case) -> Vec<String> {
    let strings = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .into_iter()
            .flatten()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect()
    };
    let described = manifest["columns"].as_array().unwrap();
    let mut names: Vec<String> = ["group", "count"].map(str::to_owned).to_vec();
    let is_divided = manifest["tables"]
        .as_array()
        .into_iter()
        .flatten()
        .chain([manifest])
        .any(|part| part.get("classes").is_some());
    names.extend(is_divided.then(|| "group_class".to_owned()));
    for column in described {
        match strings(&column["names"]) {
            own if own.is_empty() => names.push(column["name"].as_str().unwrap().to_owned()),
            own => names.extend(own),
        }
    }
    let mut found = Vec::new();
    let files: Vec<Rows> =
        strings(&manifest["files"]).iter().map(|file| rows(&release.join(file))).collect();
    for name in files.iter().flatten().flat_map(BTreeMap::keys) {
        if !names.contains(name) {
            found.push(format!("`{name}` stands in a file and not in the manifest"));
        }
    }
    let mut exact = false;
    for column in described {
        let (name, cells) = (column["name"].as_str().unwrap(), column["cells"].as_str().unwrap());
        let is_known = column["role"] == "quasi-identifier";
        exact |= is_known && ["value", "sliced"].contains(&cells);
        let own = strings(&column["names"]);
        let shown = own.first().map_or(name, String::as_str);
        let of_groups = files.iter().flatten().filter(|row| row.contains_key("group"));
        // Cells are those of a class, or else of a group.
        let mut seen: BTreeMap<[Option<&String>; 2], Vec<&str>> = BTreeMap::new();
        for row in of_groups {
            if let Some(cell) = row.get(shown) {
                let class = ["group", "group_class"].map(|name| row.get(name));
                seen.entry(class).or_default().push(cell);
            }
        }
        let is_range = !["value", "sliced", "counted"].contains(&cells);
        let differ = |cells: &Vec<&str>| cells.iter().any(|cell| *cell != cells[0]);
        if is_range && !case.rules && seen.values().any(differ) {
            found.push(format!("the cells of `{name}` differ in a class"));
        }
        // Exact columns equal the table's, value by value.
        if ["value", "sliced"].contains(&cells) && !case.rules {
            let mut shown: Vec<&str> = seen.into_values().flatten().collect();
            let text = people();
            let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let header = lines.next().unwrap();
            let at = header.iter().position(|column| *column == name).unwrap();
            let mut own: Vec<&str> = lines.map(|line| line[at]).collect();
            shown.sort_unstable();
            own.sort_unstable();
            if shown != own {
                found.push(format!("`{name}` does not show the values of the table"));
            }
        }
    }
    let notes = strings(&manifest["notes"]).join("\n");
    if exact && !notes.contains("they count as known and are not hidden") {
        found.push("nobody is told that exact values hide nothing".to_owned());
    }
    let sliced =
        described.iter().any(|column| column["role"] != "sensitive" && column["cells"] == "sliced");
    if sliced && !case.rules && !notes.contains("not a person's row") {
        found.push("nobody is told that rows are no persons'".to_owned());
    }
    let other = described.iter().any(|column| column["role"] == "other");
    if other != notes.contains("They are not protected") {
        found.push("nobody is told that columns for analysis are not protected".to_owned());
    }
    found
}

/// Returns the sentence about one column.
pub(super) fn part(sentence: &str, column: &str) -> String {
    let about = |part: &&str| part.contains(&format!("`{column}`"));
    let parts: Vec<&str> = sentence.split(". ").filter(about).collect();
    parts.join(". ")
}
