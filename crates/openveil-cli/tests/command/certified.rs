//! Releases held against themselves: those that nobody touched pass, every edit is found.

use super::rules;
use super::support::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Publishes the usual table with a policy that has more to it.
fn published(change: &dyn Fn(String) -> String, more: &[&str]) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("policy.toml"), change(POLICY.to_owned())).unwrap();
    done(folder.path(), &[&["publish", "policy.toml"], more].concat());
    folder
}

fn done(folder: &Path, arguments: &[&str]) {
    let output = openveil(folder, arguments);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {complaint}");
}

/// Without its owner's folder: nothing but the release is there to tell.
fn alone(output: &str) -> tempfile::TempDir {
    let change = |policy: String| match output {
        STRATA => policy.replace("l = 3\n", STRATA),
        output => policy + output,
    };
    let folder = published(&change, &["--no-report", "--test-seed", "1"]);
    fs::remove_dir_all(folder.path().join("out/owner")).unwrap();
    folder
}

/// Findings of an audit in a release that was changed; a report refuses it.
fn found(folder: &Path) -> String {
    let audited = openveil(folder, &["audit", "out", "--json"]);
    let reported = openveil(folder, &["report", "out"]);
    for output in [&audited, &reported] {
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    }
    let Ok(report) = serde_json::from_slice::<Value>(&audited.stdout) else {
        return text(&audited.stderr);
    };
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    findings
        .iter()
        .map(|finding| format!("{finding}\n"))
        .collect()
}

fn manifest(folder: &Path, edit: &dyn Fn(&mut Value)) {
    let path = folder.join("out/release/manifest.json");
    let mut manifest = json(&fs::read(&path).unwrap());
    edit(&mut manifest);
    fs::write(path, manifest.to_string()).unwrap();
}

/// Changes the rows of a table, split into fields; its cells have no commas.
fn rows(folder: &Path, file: &str, edit: &dyn Fn(&mut Vec<Vec<String>>)) {
    let path = folder.join("out/release").join(file);
    let table = fs::read_to_string(&path).unwrap();
    let fields = |line: &str| line.split(',').map(str::to_owned).collect();
    let mut table: Vec<Vec<String>> = table.lines().map(fields).collect();
    edit(&mut table);
    let lines: Vec<String> = table.iter().map(|row| row.join(",")).collect();
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

const SLICE: &str = "[output]\nstyle = \"slice\"\n";
const ANATOMY: &str = "[output]\nstyle = \"anatomy\"\n";
const STRATA: &str = "l = 2\nstrata = [\"sex\"]\n[output]\nstyle = \"slice\"\n";

type Edit = fn(&Path);

/// A kind of edit, the policy's output, the edit, and words of the finding.
const EDITS: [(&str, &str, Edit, &str); 22] = [
    (
        "cells that differ inside a group",
        "",
        |folder| {
            let path = folder.join("out/release/release.csv");
            let table = fs::read_to_string(&path).unwrap();
            let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
            let (_, rest) = lines[1].rsplit_once("\",").unwrap();
            lines[1] = format!("33,{rest}");
            fs::write(path, lines.join("\n") + "\n").unwrap();
        },
        "different cells",
    ),
    (
        "a stratum's cell",
        STRATA,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][1] = if table[1][1] == "f" { "m" } else { "f" }.to_owned();
            })
        },
        "different cells",
    ),
    (
        "a text among numbers",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][0] = "young".to_owned();
            })
        },
        "none of the column's type",
    ),
    (
        "a new value",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][2] = "pilot".to_owned();
            })
        },
        "utility.association",
    ),
    (
        "a known value",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][0] = "69".to_owned();
            })
        },
        "utility.association.age",
    ),
    (
        "a changed statement",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["guarantee"]["statement"] = json!("nobody's value can be guessed");
            })
        },
        "guarantee.statement",
    ),
    (
        "another l",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["model"]["l"] = json!(2);
            })
        },
        "utility.cavg",
    ),
    (
        "a greater l",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["model"]["l"] = json!(4);
            })
        },
        "not satisfy ratio 4-diversity",
    ),
    (
        "another algorithm",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["algorithm"] = json!("halving");
            })
        },
        "\"algorithm\"",
    ),
    (
        "an algorithm that discloses people",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["algorithm"] = json!("gda");
            })
        },
        "guarantee.adversary",
    ),
    (
        "another adversary",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["guarantee"]["adversary"] = json!("sees-release");
            })
        },
        "guarantee.adversary",
    ),
    (
        "fit in spite of a seed",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["fit_for_publication"] = json!(true);
            })
        },
        "fit_for_publication",
    ),
    (
        "an extra file",
        "",
        |folder| {
            fs::write(folder.join("out/release/people.csv"), people(3)).unwrap();
        },
        "does not name",
    ),
    (
        "an edited page",
        "",
        |folder| {
            done(folder, &["report", "out"]);
            let path = folder.join("out/release/report.html");
            let page = fs::read_to_string(&path).unwrap().replace("1/3", "1/9");
            fs::write(path, page).unwrap();
            // The next report would make it again: it is refused for another reason.
            fs::write(folder.join("out/release/notes.txt"), "").unwrap();
        },
        "is not the page",
    ),
    (
        "changed counts",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["utility"]["smallest_group"] = json!(9);
            })
        },
        "utility.smallest_group",
    ),
    (
        "rows moved between groups",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][3] = "20".to_owned();
            })
        },
        "utility.smallest_group",
    ),
    (
        "a deleted row",
        "",
        |folder| {
            let path = folder.join("out/release/release.csv");
            let table = fs::read_to_string(&path).unwrap();
            let end = table.trim_end().rfind('\n').unwrap();
            fs::write(path, &table[..=end]).unwrap();
        },
        "99 rows, its manifest says 100",
    ),
    (
        "a renamed column",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[0][1] = "gender".to_owned();
            })
        },
        "does not name",
    ),
    (
        "changed rows",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["rows"] = json!(101);
            })
        },
        "its manifest says 101",
    ),
    (
        "a smaller bound",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["guarantee"]["max_posterior"] = json!("1/30");
            })
        },
        "guarantee.max_posterior",
    ),
    (
        "a changed table of values",
        ANATOMY,
        |folder| {
            rows(folder, "release-values.csv", &|table| {
                table[1][2] = "9".to_owned();
            })
        },
        "one value per row of group",
    ),
    (
        "a histogram of a stratum",
        STRATA,
        |folder| {
            manifest(folder, &|manifest| {
                manifest["strata"]["strata"][0]["histogram"]["clerk"] = json!(26);
            })
        },
        "the histogram of stratum 1",
    ),
];

#[test]
fn every_edit_of_a_release_is_found() {
    for (name, output, edit, words) in EDITS {
        let folder = alone(output);
        assert_eq!(
            openveil(folder.path(), &["audit", "out"]).status.code(),
            Some(0),
            "{name}"
        );
        edit(folder.path());
        let found = found(folder.path());
        assert!(found.contains(words), "{name}: {found}");
    }
}

/// The owner's folder has the hashes of all files, and knows of a test seed.
#[test]
fn an_owner_finds_what_a_reader_cannot() {
    let folder = published(&|policy| policy, &["--no-report"]);
    let path = folder.path().join("out/release/release.csv");
    let table = fs::read_to_string(&path).unwrap();
    let swapped = table
        .replace("nurse", "Nurse")
        .replace("clerk", "nurse")
        .replace("Nurse", "clerk");
    fs::write(&path, &swapped).unwrap();
    let words = found(folder.path());
    assert!(words.contains("has the hash of"), "{words}");
    let seeded = published(&|policy| policy, &["--test-seed", "1", "--no-report"]);
    assert!(openveil(seeded.path(), &["audit", "out"]).status.success());
    manifest(seeded.path(), &|manifest| {
        manifest["fit_for_publication"] = json!(true);
        manifest["notes"]
            .as_array_mut()
            .unwrap()
            .retain(|note| !note.to_string().contains("seed"));
    });
    let words = found(seeded.path());
    assert!(words.contains("made with a test seed"), "{words}");
}

type Change = Box<dyn Fn(String) -> String>;

#[test]
fn releases_that_nobody_touched_pass() {
    let output = |text: &str| {
        let text = text.to_owned();
        move |policy: String| format!("{policy}{text}")
    };
    let model = |model: &str| {
        let model = model.to_owned();
        move |policy: String| policy.replace("model = \"l-diversity\"\nl = 3", &model)
    };
    let persons = |policy: String| {
        format!(
            "{}[persons]\nid = \"name\"\n",
            policy.replace("l = 3", "l = 2")
        )
    };
    let mut all: Vec<(String, Change)> = Vec::new();
    for style in ["generalize", "slice", "anatomy"] {
        for format in ["csv", "parquet", "csv.gz"] {
            let text = format!("[output]\nstyle = \"{style}\"\nformat = \"{format}\"\n");
            all.push((text.clone(), Box::new(output(&text))));
        }
        let strata = format!("l = 2\nstrata = [\"sex\"]\n[output]\nstyle = \"{style}\"\n");
        all.push((
            strata.clone(),
            Box::new(move |policy| policy.replace("l = 3\n", &strata)),
        ));
    }
    for text in [
        "[algorithm]\nname = \"halving\"\n",
        "[algorithm]\nname = \"ria\"\n",
        "[algorithm]\nname = \"k-jump\"\n",
        "[algorithm]\nname = \"gda\"\n",
        "[output]\ncells = \"bounds\"\n",
        HISTORY,
    ] {
        all.push((text.to_owned(), Box::new(output(text))));
    }
    for text in [
        "model = \"k-anonymity\"\nk = 4",
        "model = \"l-diversity\"\nvariant = \"entropy\"\nl = 2",
        "model = \"l-diversity\"\nvariant = \"distinct\"\nl = 2",
        "model = \"t-closeness\"\nt = 0.4\ndistance = \"equal\"",
        "model = \"l-diversity\"\nl = 2\n[reader]\nodds = 2",
        "model = \"l-diversity\"\nvariant = \"distinct\"\nl = 2\n[reader]\njitter = 0.5",
        "model = \"l-diversity\"\nvariant = \"entropy\"\nl = 2\n[reader]\njitter = 0.5",
        "model = \"k-anonymity\"\nk = 4\n[reader]\njitter = 0.5",
        "model = \"l-diversity\"\nl = 2\n[reader]\nodds = 3\njitter = 2",
        "model = \"l-diversity\"\nl = 2\n[reader]\nodds = 2\npeople = \"everybody\"\ninside = \"random\"",
    ] {
        all.push((text.to_owned(), Box::new(model(text))));
    }
    all.push((
        "exempt".to_owned(),
        Box::new(|policy: String| {
            policy.replace(
                "role = \"sensitive\"",
                "role = \"sensitive\", exempt = [\"clerk\"]",
            )
        }),
    ));
    all.push((
        "two sensitive columns".to_owned(),
        Box::new(|policy: String| {
            policy
                .replace(
                    "sex = { role = \"quasi-identifier\" }",
                    "sex = { role = \"sensitive\" }",
                )
                .replace("l = 3\n", "l = 2\ncombine = [\"sex\", \"job\"]\n")
        }),
    ));
    all.push(("persons".to_owned(), Box::new(persons)));
    for (name, change) in all {
        let accepted = ["--test-seed", "1", "--i-accept-algorithm-disclosure"];
        let options = if name.contains("gda") { 3 } else { 2 };
        let folder = published(&change, &accepted[..options]);
        for arguments in [&["audit", "out", "--json"][..], &["report", "out"]] {
            let output = openveil(folder.path(), arguments);
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        }
    }
}

#[test]
fn tables_that_keep_rules_are_held_against_themselves() {
    let strata = "protect = \"job\"\nl = 2\nstrata = [\"sex\"]\n";
    let open = "[[rules]]\ngiven = [\"age\"]\nprotect = \"zip\"\nl = 2\n";
    let (head, _) = rules::POLICY.split_once("[[rules]]").unwrap();
    let ordered = "zip = { role = \"attribute\", type = \"integer\", bins = [72000, 73000] }";
    for (name, policy) in [
        ("several", rules::POLICY.to_owned()),
        ("sliced", rules::POLICY.to_owned() + SLICE),
        ("anatomy", rules::POLICY.to_owned() + ANATOMY),
        (
            "strata",
            rules::POLICY.replace("protect = \"job\"\n", strata),
        ),
        (
            "bins",
            rules::POLICY.replace("zip = { role = \"attribute\" }", ordered),
        ),
        ("unreachable", head.to_owned() + open),
    ] {
        let folder = rules::folder();
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        done(folder.path(), &["publish", "policy.toml"]);
        for _ in ["with its owner", "alone"] {
            let output = openveil(folder.path(), &["audit", "out", "--json"]);
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{name}: {said}");
            let report = json(&output.stdout);
            assert_eq!(report["findings"], json!([]), "{name}");
            let words = report["measures"].as_str();
            assert_eq!(words.is_some(), report.get("k").is_none(), "{name}");
            let said = text(&openveil(folder.path(), &["audit", "out"]).stdout);
            assert!(
                said.contains(words.unwrap_or("Not checked")),
                "{name}: {said}"
            );
            done(folder.path(), &["report", "out"]);
            let _ = fs::remove_dir_all(folder.path().join("out/owner"));
        }
    }
}

#[test]
fn a_bound_of_a_rule_that_was_changed_is_found() {
    let folder = rules::folder();
    done(folder.path(), &["publish", "policy.toml", "--no-report"]);
    fs::remove_dir_all(folder.path().join("out/owner")).unwrap();
    manifest(folder.path(), &|manifest| {
        manifest["rules"][0]["max_posterior"] = json!("1/9");
    });
    let words = found(folder.path());
    assert!(words.contains("max_posterior of rule 1"), "{words}");
    let arguments = ["audit", "out", "--junit", "audit.xml"];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let written = fs::read_to_string(folder.path().join("audit.xml")).unwrap();
    assert!(written.contains("failures=\"1\""), "{written}");
}
