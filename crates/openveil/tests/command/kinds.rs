//! The table of kinds of publication: every combination works, or is refused with its message, and
//! the documentation shows the same table.

use super::support::*;
use openveil_io::policy::{Extra, Policy, PublicationKind};
use std::fs;
use std::path::Path;

/// A policy of each kind, by the section that makes it.
const KINDS: [(&str, &str); 6] = [
    ("one table", ""),
    ("`[[rules]]`", "[[rules]]\ngiven = [\"age\", \"sex\"]\nprotect = \"job\"\n"),
    ("`[history]`", HISTORY),
    ("`[persons]`", "[persons]\nid = \"name\"\n"),
    ("`[ties]`", "[ties]\nid = \"name\"\n"),
    ("`protect = \"each\"`", "protect = \"each\"\n"),
];

/// A table with one row per person, or with a second row for some people.
fn folder_of(section: &str, edit: impl Fn(String) -> String) -> tempfile::TempDir {
    let folder = folder();
    let mut rows = people(120);
    if section.contains("persons") {
        let again: Vec<String> = rows.lines().skip(1).take(60).map(str::to_owned).collect();
        rows = format!("{rows}{}\n", again.join("\n"));
    }
    let with = |(number, row): (usize, &str)| match number {
        0 => format!("{row},weight\n"),
        _ => format!("{row},{}\n", number % 3),
    };
    let rows: String = rows.lines().enumerate().map(with).collect();
    fs::write(folder.path().join("people.csv"), rows).unwrap();
    let mut policy = POLICY.replace("l = 3", "l = 2");
    policy = policy.replace("[privacy]", "weight = { role = \"drop\" }\n[privacy]");
    if section.contains("each") {
        policy = policy.replace("weight = { role = \"drop\"", "weight = { role = \"sensitive\"");
        let (before, privacy) = policy.split_once("[privacy]\n").unwrap();
        policy = format!("{before}[privacy]\n{section}{privacy}");
        let out = folder.path().join("policy.toml");
        fs::write(out, edit(policy)).unwrap();
        return folder;
    }
    if section.contains("rules") {
        policy = policy.replace("\"quasi-identifier\"", "\"attribute\"");
        policy = policy.replace("\"sensitive\"", "\"attribute\"");
    }
    fs::write(folder.path().join("policy.toml"), edit(policy + section)).unwrap();
    folder
}

/// An edit of a policy, and a command.
type Asked = (fn(String) -> String, &'static str);

/// Returns the edit that adds an extra to a policy, and the command that uses it; none if policies
/// of the kind cannot express it.
fn asked(extra: Extra, kind: &PublicationKind) -> Option<Asked> {
    let has_rules = matches!(kind, PublicationKind::Rules(_));
    let has_history = matches!(kind, PublicationKind::History(_));
    let publish = "publish policy.toml";
    Some(match extra {
        // Rules have their own strata, models and combinations.
        Extra::Strata
        | Extra::Combine
        | Extra::OtherModel
        | Extra::OtherColumns
        | Extra::InformedOfAll
            if has_rules =>
        {
            return None;
        }
        Extra::InformedOfEpisodes if !has_history => return None,
        Extra::Strata => (|text| text.replace("l = 2", "l = 2\nstrata = [\"sex\"]"), publish),
        Extra::Combine => (
            |text| {
                let text = text.replace("l = 2", "l = 2\ncombine = [\"job\", \"weight\"]");
                text.replace("\"drop\"", "\"sensitive\"")
            },
            publish,
        ),
        Extra::Merge => {
            (|text| text.replace("job = { role", "job = { merge = true, role"), publish)
        }
        Extra::Coarsening => {
            (|text| text.replace("job = { role", "job = { prefix = 2, role"), publish)
        }
        Extra::Informed => (|text| text + "[reader]\nodds = 1.1\n", publish),
        Extra::InformedOfAll => (
            |text| text + "[reader]\nodds = 1.1\npeople = \"everybody\"\ninside = \"random\"\n",
            publish,
        ),
        Extra::InformedOfEpisodes => (
            |text| {
                let text = text.replace(
                    "[history]\n",
                    "[history]\nchanges = \"new-episode\"\nepisode = \"weight\"\n",
                );
                text.replace("\"drop\"", "\"identifier\"") + "[reader]\nodds = 1.1\n"
            },
            publish,
        ),
        Extra::OtherModel => {
            (|text| text.replace("l = 2", "l = 2\nvariant = \"distinct\""), publish)
        }
        Extra::Person => {
            (|text| text.replace("[columns]", "person = \"name\"\n[columns]"), publish)
        }
        Extra::Sample => (|text| text, "publish policy.toml --without-sample s.json"),
        Extra::OtherColumns => (|text| text.replace("\"drop\"", "\"other\""), publish),
        Extra::Certificate => (|text| text, "publish policy.toml --certify"),
        Extra::Measure => {
            (|text| text + "[output]\nstyle = \"generalize\"\n", "publish policy.toml --measure")
        }
        Extra::Chunks => (|text| text, "publish policy.toml --memory 1"),
        Extra::Stream => {
            (|text| text + "[output]\nstyle = \"generalize\"\n", "publish policy.toml --stdout")
        }
        Extra::Compare => (|text| text, "compare policy.toml --trials 1 --queries 9 --state s"),
        Extra::Attack => (|text| text, "attack out --policy policy.toml"),
        Extra::AttackPictures => (|text| text, "attack out --policy policy.toml --plots plots"),
        Extra::TrueCounts => (|text| text, "query out --where age<30 --policy policy.toml"),
        Extra::AuditModel => (|text| text, "audit out --policy policy.toml"),
        Extra::AuditUtility => (|text| text, "audit out --policy policy.toml --measure"),
    })
}

/// Draws a sample by a policy of one table.
fn draw_sample(folder: &Path) {
    let single = folder_of("", |text| text);
    fs::copy(folder.join("people.csv"), single.path().join("people.csv")).unwrap();
    let text = fs::read_to_string(single.path().join("policy.toml")).unwrap();
    let text = text.replace("[columns]", "rows-are-people = true\n[columns]");
    fs::write(single.path().join("policy.toml"), text).unwrap();
    let words =
        "compare policy.toml --trials 1 --queries 9 --test-seed 1 --sample s.json --sample-rows 40";
    let output = openveil(single.path(), &words.split(' ').collect::<Vec<&str>>());
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    fs::copy(single.path().join("s.json"), folder.join("s.json")).unwrap();
}

fn text_of(output: &std::process::Output) -> String {
    text(&output.stderr)
}

#[test]
fn every_cell_is_done_or_refused_with_its_words() {
    let mut wrong = Vec::new();
    for (name, section) in KINDS {
        let plain = folder_of(section, |text| text);
        let kind = Policy::read(&plain.path().join("policy.toml")).unwrap().kind;
        for extra in Extra::ALL {
            let Some((edit, command)) = asked(extra, &kind) else {
                continue;
            };
            let folder = folder_of(section, edit);
            if extra == Extra::Sample {
                draw_sample(folder.path());
            }
            if command.contains(" out ") {
                let output = openveil(folder.path(), &["publish", "policy.toml"]);
                assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
            }
            let output = openveil(folder.path(), &command.split(' ').collect::<Vec<&str>>());
            let said = text_of(&output);
            if output.status.success() && folder.path().join("out/release").exists() {
                for beside in ["owner", "release/report.html"] {
                    let checked = openveil(folder.path(), &["audit", "out"]);
                    let said = text(&checked.stdout) + &text(&checked.stderr);
                    if checked.status.code() != Some(0) {
                        wrong.push(format!("{name}, {}: accused\n{said}", extra.name()));
                    }
                    let beside = folder.path().join("out").join(beside);
                    let _ = fs::remove_dir_all(&beside).and_then(|()| fs::remove_file(beside));
                }
            }
            let found = (output.status.code(), extra.refused_with(kind.name()));
            let is_right = match &found {
                (Some(2), Some((problem, help))) => {
                    said.contains(&problem.to_string()) && said.contains(&help.to_string())
                }
                (Some(0), None) => true,
                _ => false,
            };
            if !is_right {
                wrong.push(format!("{name}, {}: {found:?}\n{said}", extra.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

/// Second stages go with every kind of publication in which a person has one value; the model
/// checker enumerates these kinds (`verify::tests`).
#[test]
fn second_stages_publish_each_kind_or_are_refused_by_name() {
    for ((kind, section), name) in KINDS
        .iter()
        .flat_map(|kind| ["ria-second-stage", "rda-second-stage"].map(|name| (kind, name)))
    {
        let folder = folder_of(section, |text| text);
        let arguments = ["publish", "policy.toml", "--algorithm", name, "--test-seed", "1"];
        if ["`[persons]`", "`protect = \"each\"`"].contains(kind) {
            let said = refused(folder.path(), &arguments);
            assert!(said.contains(&format!("`{name}` protects one value of a person")), "{said}");
            continue;
        }
        let output = openveil(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{kind}, {name}: {}", text_of(&output));
        let checked = openveil(folder.path(), &["audit", "out"]);
        assert_eq!(checked.status.code(), Some(0), "{kind}, {name}: {}", text(&checked.stdout));
    }
}

/// Returns the table for the documentation, from the program's table.
fn table() -> String {
    let kinds: Vec<(&&str, PublicationKind)> = KINDS[1..]
        .iter()
        .map(|(name, section)| {
            let folder = folder_of(section, |text| text);
            let policy = Policy::read(&folder.path().join("policy.toml")).unwrap();
            (name, policy.kind)
        })
        .collect();
    let names: Vec<&str> = kinds.iter().map(|(name, _)| **name).collect();
    let mut table =
        format!("| | {} |\n| --- {}|\n", names.join(" | "), "| --- ".repeat(names.len()));
    for extra in Extra::ALL {
        let has_rules = |kind: &PublicationKind| matches!(kind, PublicationKind::Rules(_));
        let cell = |(_, kind): &(&&str, PublicationKind)| match extra.refused_with(kind.name()) {
            Some(_) => "no",
            None if has_rules(kind) && matches!(extra, Extra::Strata | Extra::OtherModel) => {
                "each rule has its own"
            }
            // Refused, or without meaning, in policies with rules.
            None if asked(extra, kind).is_none() => "no",
            None => "yes",
        };
        let cells: Vec<&str> = kinds.iter().map(cell).collect();
        table += &format!("| {} | {} |\n", extra.name(), cells.join(" | "));
    }
    table
}

#[test]
fn the_documentation_shows_the_table() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/policy.md");
    let docs = fs::read_to_string(docs).unwrap();
    let table = table();
    assert!(docs.contains(&table), "docs/reference/policy.md has to show:\n{table}");
}
