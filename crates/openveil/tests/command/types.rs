//! Values keep their types, in every format and style, or are refused.

use super::support::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn table(rows: usize) -> String {
    let mut table = String::from("age,weight,born,member,smokes\n");
    for n in 0..rows {
        let member = ["true", "False", "TRUE"][n % 3];
        let smokes = ["true", "false"][n * 3 % 2];
        table += &format!(
            "{},{}.5,19{}-03-1{},{member},{smokes}\n",
            20 + n % 60,
            50 + n % 40,
            40 + n % 50,
            n % 9
        );
    }
    table
}

const POLICY: &str = r#"[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
weight = { role = "quasi-identifier", type = "number" }
born = { role = "quasi-identifier", type = "date" }
member = { role = "quasi-identifier", type = "boolean" }
smokes = { role = "sensitive", type = "boolean" }
[privacy]
model = "l-diversity"
l = 2
[output]
"#;

/// Returns the types of a release's columns, as another program would read them.
fn types(folder: &Path, file: &str) -> Vec<(String, String)> {
    let found = openveil(folder, &["inspect", file, "--json"]);
    assert_eq!(found.status.code(), Some(0), "{}", text(&found.stderr));
    let found = json(&found.stdout);
    let column = |own: &Value| {
        (own["name"].as_str().unwrap().to_owned(), own["type"].as_str().unwrap().to_owned())
    };
    found["columns"].as_array().unwrap().iter().map(column).collect()
}

#[test]
fn every_type_comes_back_in_every_style_and_format() {
    for style in ["slice", "anatomy"] {
        for format in ["csv", "parquet", "arrow"] {
            let folder = folder();
            let folder = folder.path();
            fs::write(folder.join("people.csv"), table(120)).unwrap();
            let policy = format!("{POLICY}style = \"{style}\"\nformat = \"{format}\"\n");
            fs::write(folder.join("policy.toml"), policy).unwrap();
            let made = openveil(folder, &["publish", "policy.toml", "--test-seed", "1"]);
            assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
            keeps_what_it_says(folder);
            let mut found = types(folder, &format!("out/release/release.{format}"));
            if style == "anatomy" {
                found.extend(types(folder, &format!("out/release/release-values.{format}")));
            }
            for (name, kind) in [
                ("age", "integer"),
                ("weight", "number"),
                ("born", "date"),
                ("member", "boolean"),
                ("smokes", "boolean"),
            ] {
                assert!(
                    found.contains(&(name.to_owned(), kind.to_owned())),
                    "{style}, {format}: {name} in {found:?}"
                );
            }
            let answer = openveil(
                folder,
                &["query", "out", "--json", "--policy", "policy.toml", "--where", "smokes = true"],
            );
            let answer = json(&answer.stdout);
            assert_eq!(answer["estimate"].as_f64(), answer["true_count"].as_f64(), "{answer}");
        }
    }
}

#[test]
fn what_is_neither_true_nor_false_is_refused() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("people.csv"), table(20).replace("TRUE", "yes")).unwrap();
    fs::write(folder.join("policy.toml"), POLICY).unwrap();
    let said = refused(folder, &["publish", "policy.toml"]);
    assert!(said.contains("column `member`: `yes` is neither `true` nor `false`"), "{said}");
    let zone = POLICY.replace("[columns]", "timezone = \"Mars/Olympus\"\n[columns]");
    fs::write(folder.join("policy.toml"), zone).unwrap();
    let said = refused(folder, &["publish", "policy.toml"]);
    assert!(said.contains("is not a time zone that this machine knows"), "{said}");
}

/// The day of a moment is its date in the time zone.
#[test]
fn a_moment_is_on_the_day_that_a_clock_of_its_zone_showed() {
    let folder = folder();
    let folder = folder.path();
    let rows: String = (0..40)
        .map(|n| format!("2024-03-10T22:3{}:00-05:00,{}\n", n % 10, ["a", "b"][n % 2]))
        .collect();
    fs::write(folder.join("people.csv"), format!("visit,ill\n{rows}")).unwrap();
    for (zone, day) in [
        ("", "2024-03-10"),
        ("timezone = \"UTC\"\n", "2024-03-11"),
        ("timezone = \"-05:00\"\n", "2024-03-10"),
    ] {
        let policy = format!(
            "[input]\npath = \"people.csv\"\n{zone}[columns]\nvisit = {{ role = \"quasi-identifier\", type = \"date\" }}\nill = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        fs::write(folder.join("policy.toml"), policy).unwrap();
        let made =
            openveil(folder, &["publish", "policy.toml", "--test-seed", "1", "--out", "made"]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        let release = fs::read_to_string(folder.join("made/release/release.csv")).unwrap();
        assert!(release.contains(&format!("\n{day},")), "{zone}: {release}");
    }
}
