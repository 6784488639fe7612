//! Edits of columns, labels and settings: found if the files show them, else listed as not checked.

use super::*;

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
id = { role = "identifier" }
age = { role = "quasi-identifier", type = "integer" }
height = { role = "quasi-identifier", type = "integer", hierarchy = { intervals = [5, 20] } }
sex = { role = "quasi-identifier", hierarchy = "sexes.csv" }
zip = { role = "quasi-identifier", hierarchy = { prefixes = [4, 3, 2] } }
day = { role = "quasi-identifier", type = "date", hierarchy = { dates = ["month", "year"] } }
town = { role = "quasi-identifier" }
job = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 3
[output]
delimiter = ";"
"#;

/// A release with cells of all kinds, without its owner's folder.
fn labelled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("id,age,height,sex,zip,day,town,job\n");
    for row in 0..120 {
        let (age, height, sex) = (20 + row * 7 % 50, 150 + row * 11 % 50, ["f", "m"][row % 2]);
        let (zip, town) = (90_100 + row * 13 % 200, row * 5 % 9);
        let day = format!("20{}-{:02}-{:02}", 20 + row % 3, 1 + row % 12, 1 + row % 28);
        let job = ["clerk", "nurse", "smith", "judge", "cook", "baker"][row * 7 % 6];
        table += &format!("p{row},{age},{height},{sex},{zip},{day},town {town},{job}\n");
    }
    fs::write(folder.path().join("people.csv"), table).unwrap();
    fs::write(folder.path().join("sexes.csv"), "m;*\nf;*\n").unwrap();
    let policy = format!("{POLICY}{COVER}");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    done(folder.path(), &["publish", "policy.toml", "--no-report", "--test-seed", "2"]);
    fs::remove_dir_all(folder.path().join("out/owner")).unwrap();
    folder
}

/// Edits the manifest's entry of a column.
fn entry(folder: &Path, name: &str, edit: &dyn Fn(&mut serde_json::Map<String, Value>)) {
    manifest(folder, &|manifest| {
        let columns = manifest["columns"].as_array_mut().unwrap();
        let own = columns.iter_mut().find(|own| own["name"] == name).unwrap();
        edit(own.as_object_mut().unwrap());
    });
}

fn key(folder: &Path, name: &str, key: &str, value: Value) {
    entry(folder, name, &|entry| {
        if value.is_null() {
            drop(entry.remove(key))
        } else {
            drop(entry.insert(key.to_owned(), value.clone()))
        }
    });
}

/// Writes a cell into all rows of the first group.
fn cell(folder: &Path, name: &str, text: &str) {
    rows(folder, "release.csv", &|table| {
        let at = table[0].iter().position(|own| own == name).unwrap();
        for row in &mut table[1..] {
            if row.last().unwrap() == "1" {
                row[at] = text.to_owned();
            }
        }
    });
}

fn replace(folder: &Path, from: &str, to: &str) {
    let path = folder.join("out/release/manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

type Edit = fn(&Path);

/// The edit and words of the finding.
const FOUND: [(Edit, &str); 27] = [
    (|f| replace(f, "\"rows\"", "\"x\": 1,\n  \"rows\""), "from line 4 on"),
    (|f| replace(f, "\"age\": 0", "\"age\": 0.5,\n      \"age\": 0"), "appears twice"),
    (|f| key(f, "age", "type", Value::Null), "columns.age"),
    (|f| key(f, "day", "type", Value::Null), "columns.day"),
    (|f| key(f, "town", "type", json!("integer")), "columns.town"),
    (|f| key(f, "height", "type", json!("length")), "columns.height"),
    (|f| key(f, "age", "role", json!("other")), "columns.age"),
    (|f| key(f, "town", "role", json!("sensitive")), "protects"),
    (|f| key(f, "age", "missing", json!("-")), "columns.age"),
    (|f| key(f, "age", "top", json!("30")), "beyond `top`"),
    (|f| key(f, "age", "order", json!(["20", "21"])), "columns.age"),
    (|f| key(f, "zip", "covers", json!({"9019*": ["90190"]})), "columns.zip"),
    (|f| key(f, "zip", "rule", json!("dates")), "columns.zip"),
    (|f| key(f, "sex", "covers", json!({"*": ["m", "f"], "x": ["m"]})), "no cell shows"),
    (|f| key(f, "height", "cells", json!("label")), "column's type"),
    (|f| key(f, "day", "cells", json!("set")), "columns.day"),
    (|f| cell(f, "height", "{[150, 154|165}"), "column's type"),
    (|f| cell(f, "height", "[154, 150]"), "column's type"),
    (|f| cell(f, "day", "2020-13"), "column's type"),
    (|f| cell(f, "day", "{2020-13|2021}"), "column's type"),
    (|f| cell(f, "age", "007"), "column's type"),
    (|f| cell(f, "age", "[007, 28]"), "column's type"),
    (|f| cell(f, "sex", "x"), "does not cover"),
    (|f| cell(f, "town", "(missing)"), "columns.town"),
    (|f| cell(f, "height", "{150|150|165}"), "one of them twice"),
    (|f| cell(f, "day", "{2020|2021-01|2022-01|2022-02}"), "more members"),
    (|f| manifest(f, &|manifest| manifest["parameters"]["inside"] = json!("random")), "parameters"),
];

/// The edit, and words of the fact that is not checked.
const LEFT: [(Edit, &str); 9] = [
    (|f| manifest(f, &|manifest| manifest["chosen_by"] = Value::Null), "chosen_by"),
    (
        |f| {
            manifest(f, &|manifest| {
                let is_safe = manifest["spreadsheet_safe"] == true;
                manifest["spreadsheet_safe"] = json!(!is_safe);
            })
        },
        "spreadsheet_safe",
    ),
    (|f| key(f, "height", "type", json!("number")), "the parts of `columns`"),
    (|f| key(f, "town", "missing", json!("(missing)")), "the parts of `columns`"),
    (|f| key(f, "zip", "rule", Value::Null), "the parts of `columns`"),
    (|f| key(f, "zip", "cells", json!("label")), "the parts of `columns`"),
    (|f| key(f, "sex", "covers", json!({"*": ["m", "f", "x"]})), "`*` stand for"),
    (|f| cell(f, "town", "{town 1|town 1}"), "`town` of group 1"),
    (|f| rows(f, "release.csv", &|table| table[1..].reverse()), "the order"),
];

#[test]
fn edits_of_entries_are_found_or_not_checked() {
    for (number, (edit, words)) in FOUND.iter().enumerate() {
        let folder = labelled();
        edit(folder.path());
        let found = found(folder.path());
        assert!(found.contains(words), "{number}: {found}");
    }
    for (number, (edit, words)) in LEFT.iter().enumerate() {
        let folder = labelled();
        edit(folder.path());
        let output = openveil(folder.path(), &["audit", "out", "--json"]);
        let report = json(&output.stdout);
        assert_eq!(report["findings"], json!([]), "{number}");
        let left = report["not_checked"].to_string();
        assert!(left.contains(words), "{number}: {left}");
    }
}
