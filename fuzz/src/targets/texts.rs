//! Texts by people: policies, hierarchies, rules, models.

use super::case::published;
use crate::{in_folder, parts, write};
use openveil_io::policy;
use openveil_tools::explain::{Scene, ShareBound};
use openveil_tools::schema::SchemaFile;
use openveil_tools::verify::Question;
use std::path::Path;

/// A policy, the table that it should name, a hierarchy.
pub(super) fn policy(data: &[u8]) {
    let [policy, table, tree] = parts(data);
    in_folder(|folder| {
        write(folder, "table.csv", table);
        write(folder, "tree.csv", tree);
        if let Ok(text) = std::str::from_utf8(policy)
            // The target must not read other files.
            && !text.contains(['/', '\\', '*'])
        {
            let _ = published(folder, text);
        }
    });
}

/// A hierarchy of a table with few values.
pub(super) fn hierarchy(data: &[u8]) {
    const POLICY: &str = r#"
[input]
path = "table.csv"
[columns]
zip = { role = "quasi-identifier", hierarchy = "tree.csv" }
job = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 2
"#;
    const TABLE: &str = "zip,job\n10,a\n11,b\n12,a\n20,b\n21,c\n22,c\n";
    in_folder(|folder| {
        write(folder, "table.csv", TABLE);
        write(folder, "tree.csv", data);
        let _ = published(folder, POLICY);
    });
}

/// Rules and tables, and their report.
pub(super) fn schema(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(file) = SchemaFile::parse(text, Path::new("schema.toml")) {
        // Reports examine sets of columns, and many columns have too many sets.
        if file.columns.len() <= 12 {
            let _ = file.report();
        }
    }
}

/// Arguments of a command line.
pub(super) fn words(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let _ = policy::style(text);
    let _ = ShareBound::parse(text);
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let _ = Scene::new(&words, &[]);
    let _ = openveil_reader::query::parse(text);
    let mut lines = text.lines();
    let mut line = || lines.next().unwrap_or_default();
    let (name, parameters, values, layout) = (line(), line(), line(), line());
    if let (Ok(algorithm), Ok(model)) = (policy::algorithm(name), policy::privacy(parameters)) {
        let values: Vec<String> = values.split(',').take(6).map(str::to_owned).collect();
        let question = Question {
            algorithm,
            model,
            cells_only: false,
            strata: Vec::new(),
            informed: None,
            direction: None,
            limit: 20,
        };
        let _ = question.of_values(&values, (!layout.is_empty()).then_some(layout));
    }
}
