mod folder;
mod typed;

use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::progress::Nobody;
use openveil_io::release_dir::write::Staging;
use openveil_io::release_dir::{ReleasePlace, Texts};
use openveil_io::source::{RawTable, Source};
use openveil_publication as publish;
use openveil_publication::Options;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const POLICY: &str = r#"
[input]
path = "in.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
"a,b" = { role = "quasi-identifier" }
ill = { role = "sensitive" }
name = { role = "identifier" }
[privacy]
model = "l-diversity"
l = 2
"#;

/// Publishes a table whose texts need quotes, by a policy.
fn publish(policy: &str) -> (tempfile::TempDir, Result<publish::Published, Error>) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("name,age,\"a,b\",ill\n");
    for row in 0..40 {
        let ill = ["flu", "\"cold\", bad", "none"][row % 3];
        text.push_str(&format!(
            "n{row},{},x{},\"{}\"\n",
            20 + row,
            row % 4,
            ill.replace('"', "\"\"")
        ));
    }
    fs::write(folder.path().join("in.csv"), text).unwrap();
    let policy = Policy::parse(policy, &folder.path().join("policy.toml")).unwrap();
    let published =
        publish::run(&policy, Options { test_seed: Some(7), ..Options::default() }, &Nobody);
    (folder, published)
}

fn read(path: PathBuf) -> RawTable {
    let mut source = Source::new(path);
    source.lists = true;
    source.read_all().unwrap()
}

fn column(table: &RawTable, name: &str) -> Vec<String> {
    let column = table.columns.iter().find(|column| column.name == name).unwrap();
    column.codes.iter().map(|&code| column.values.get(code).to_owned()).collect()
}

fn texts(table: &RawTable) -> Vec<(String, Vec<String>)> {
    table.columns.iter().map(|c| (c.name.clone(), column(table, &c.name))).collect()
}

#[test]
fn every_format_holds_the_same_release() {
    let (folder, published) = publish(POLICY);
    let published = published.unwrap();
    assert_eq!(published.manifest.files, ["release.csv"]);
    let plain = read(folder.path().join("out/release/release.csv"));
    let names: Vec<&str> = plain.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "a,b", "ill", "group"]);
    let mut ill = column(&plain, "ill");
    ill.sort();
    assert_eq!(ill.iter().filter(|value| *value == "\"cold\", bad").count(), 13);
    for format in ["csv.gz", "csv.zst", "parquet", "arrow"] {
        let policy = format!("{POLICY}\n[output]\nformat = \"{format}\"\n");
        let (folder, published) = publish(&policy);
        assert!(published.is_ok());
        let other = read(folder.path().join(format!("out/release/release.{format}")));
        assert_eq!(texts(&other), texts(&plain), "{format}");
    }
}

/// Rows have one order, in memory and in every file, although coins shuffle slices.
#[test]
fn a_release_in_memory_is_the_one_in_the_folder() {
    let styles = ["generalize", "slice", "anatomy"]
        .into_iter()
        .flat_map(|style| [(style, Texts::Plain), (style, Texts::Views)]);
    for (style, texts_in_memory) in styles {
        let text = format!("{POLICY}\n[output]\nstyle = \"{style}\"\n");
        let (folder, _) = publish(&text);
        let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
        let release = publish::Release::new(&policy, Options::default(), &Nobody).unwrap();
        let (again, memory) =
            (folder.path().join("again"), release.in_memory(texts_in_memory).unwrap());
        let written = release.write(&again).unwrap();
        assert_eq!(written.manifest.files.len(), memory.tables.len());
        for file in &written.manifest.files {
            let held = Source::of_memory(file, memory.tables[file].clone());
            let held = held.read_all();
            let file = read(again.join("release").join(file));
            assert_eq!(texts(&held.unwrap()), texts(&file), "{style}");
        }
        let asked =
            |place| openveil_reader::query::count(place, "age <= 30 and ill = flu", None).unwrap();
        let in_memory = asked(ReleasePlace::Memory(Arc::new(memory)));
        assert_eq!(in_memory, asked((&again).into()), "{style}");
    }
}

#[test]
fn cells_are_intervals_sets_or_plain_values() {
    let (folder, _published) = publish(POLICY);
    let table = read(folder.path().join("out/release/release.csv"));
    let closed = |cell: &String| {
        let inside = cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']'));
        inside
            .and_then(|inside| inside.split_once(", "))
            .is_some_and(|(low, high)| low.parse::<u32>().unwrap() < high.parse::<u32>().unwrap())
    };
    assert!(column(&table, "age").iter().all(|cell| closed(cell) || cell.parse::<u32>().is_ok()));
    let sets = column(&table, "a,b");
    assert!(sets.iter().all(|cell| {
        let inside = cell.strip_prefix('{').and_then(|cell| cell.strip_suffix('}'));
        inside.is_some_and(|inside| inside.contains('|')) || cell.starts_with('x')
    }));
}

#[test]
fn anatomy_splits_people_from_values() {
    let (folder, published) = publish(&format!("{POLICY}\n[output]\nstyle = \"anatomy\"\n"));
    assert_eq!(published.unwrap().manifest.files, ["release.csv", "release-values.csv"]);
    let people = read(folder.path().join("out/release/release.csv"));
    let mut ages = column(&people, "age");
    ages.sort();
    assert_eq!(ages, (20..60).map(|age| age.to_string()).collect::<Vec<_>>());
    assert!(people.columns.iter().all(|column| column.name != "ill"));
    let values = read(folder.path().join("out/release/release-values.csv"));
    let names: Vec<&str> = values.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["group", "ill", "count"]);
    let total: u32 =
        column(&values, "count").iter().map(|count| count.parse::<u32>().unwrap()).sum();
    assert_eq!(total, 40);
}

#[test]
fn an_ineligible_table_says_what_helps_and_leaves_nothing() {
    let (folder, refused) = publish(&POLICY.replace("l = 2", "l = 3"));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("the value `flu` appears in 14 of 40 rows (35.0 %)"), "{message}");
    assert!(message.contains("the largest possible l is 2"), "{message}");
    assert!(message.contains("`exempt = [\"flu\"]`"), "{message}");
    assert!(!folder.path().join("out/release").exists());
    let (_folder, refused) = publish(&POLICY.replace("l = 2", "l = 4"));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("l = 4 needs 4 different values"), "{message}");
}

#[test]
fn exempt_values_may_be_frequent() {
    let exempt = POLICY.replace("\"sensitive\" }", "\"sensitive\", exempt = [\"flu\"] }");
    let (_folder, published) = publish(&exempt.replace("l = 2", "l = 3"));
    let manifest = published.unwrap().manifest;
    assert_eq!(manifest.model.exempt, ["flu"]);
    assert!(manifest.utility.smallest_group >= 3);
}

#[test]
fn unsafe_algorithms_need_consent_and_say_so() {
    let policy = format!("{POLICY}\n[algorithm]\nname = \"gda\"\n");
    let (folder, refused) = publish(&policy);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("--i-accept-algorithm-disclosure"), "{message}");
    let policy = Policy::parse(&policy, &folder.path().join("policy.toml")).unwrap();
    let options =
        Options { accept_algorithm_disclosure: true, measure: true, ..Options::default() };
    let published = publish::run(&policy, options, &Nobody).unwrap();
    assert_eq!(published.manifest.guarantee.adversary, "sees-release");
    assert!(published.manifest.notes.iter().any(|note| note.contains("discloses people")));
    assert_eq!(published.owner.query_errors.len(), 4);
}

#[test]
fn one_text_is_one_value_however_it_came_about() {
    let folder = tempfile::tempdir().unwrap();
    let ill = |row: usize| ["", "(missing)", "flu"][row % 3];
    let rows: String = (0..30).map(|row| format!("{row},{}\n", ill(row))).collect();
    fs::write(folder.path().join("in.csv"), format!("q,s\n{rows}")).unwrap();
    let text = "[input]\npath = \"in.csv\"\nmissing = \"keep\"\n[columns]\nq = { role = \"quasi-identifier\" }\ns = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    let policy = Policy::parse(text, &folder.path().join("p.toml")).unwrap();
    let refused = publish::run(&policy, Options::default(), &Nobody).unwrap_err().to_string();
    assert!(refused.contains("`(missing)` appears in 20 of 30 rows"), "{refused}");
}

#[test]
fn the_guarantee_says_what_it_does_not_cover() {
    let exempt = POLICY.replace("\"sensitive\" }", "\"sensitive\", exempt = [\"flu\"] }");
    let (_folder, published) = publish(&exempt);
    let statement = published.unwrap().manifest.guarantee.statement;
    assert!(
        statement
            .contains(", unless it is `flu` (exempt: it may become certain who has it), can be"),
        "{statement}"
    );
    let combined = POLICY
        .replace("\"a,b\" = { role = \"quasi-identifier\" }", "\"a,b\" = { role = \"sensitive\" }")
        .replace("l = 2", "l = 2\ncombine = [\"a,b\", \"ill\"]");
    let (_folder, published) = publish(&combined);
    let notes = published.unwrap().manifest.notes;
    assert!(
        notes.iter().any(|note| note
            .contains("there is no guarantee for `ill` by itself, one value of which makes up")),
        "{notes:?}"
    );
}

#[test]
fn rows_that_may_share_a_person_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.csv"), "id,q,s\n7,1,a\n7,1,b\n8,2,a\n9,2,b\n").unwrap();
    let text = "[input]\npath = \"in.csv\"\n[columns]\nid = { role = \"identifier\" }\nq = { role = \"quasi-identifier\" }\ns = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    let run = |text: &str| {
        let policy = Policy::parse(text, &folder.path().join("p.toml")).unwrap();
        publish::run(&policy, Options::default(), &Nobody)
    };
    let refused = run(text).unwrap_err().to_string();
    assert!(refused.contains("1 of its values appear in several rows"), "{refused}");
    // The owner may still declare that rows are people.
    let published = run(&text.replace("[columns]", "rows-are-people = true\n[columns]")).unwrap();
    assert!(published.owner.warnings[0].to_string().contains("the identifier `id` repeats"));
    assert!(published.manifest.notes.iter().any(|note| note.contains("guarantee covers rows")));
}

#[test]
fn the_owner_can_ask_who_could_stand_for_whom() {
    let (folder, _published) = publish(POLICY);
    let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
    let options = Options { certify: true, test_seed: Some(7), ..Options::default() };
    let published = publish::run(&policy, options, &Nobody).unwrap();
    assert!(published.owner.certificate.unwrap().contains("must not be published"));
    let cover = read(folder.path().join("out/owner/l-cover.csv"));
    assert_eq!((cover.rows, cover.columns.len()), (40, 2));
    // People 1, 4, 7, … have the first illness, and nobody covers themselves.
    let people = column(&cover, "row");
    for (person, image) in people.iter().zip(column(&cover, "cover_1")) {
        let illness = |row: &str| (row.parse::<usize>().unwrap() - 1) % 3;
        assert_ne!(illness(person), illness(&image));
    }
    // A release that cannot be certified is refused before any random draw, as a plan shows.
    let closeness = "model = \"t-closeness\"\ndistance = \"equal\"\nt = 0.9\n";
    let other_model = POLICY.replace("model = \"l-diversity\"\nl = 2\n", closeness);
    let policy = Policy::parse(&other_model, &folder.path().join("policy.toml")).unwrap();
    let planned = publish::plan(&policy, options, &Nobody).unwrap_err();
    assert!(planned.to_string().contains("works with ratio l-diversity"));
    let refused = publish::run(&policy, options, &Nobody).unwrap_err();
    assert_eq!(planned.to_string(), refused.to_string());
    let unsafe_policy = format!("{POLICY}\n[algorithm]\nname = \"gda\"\n");
    let policy = Policy::parse(&unsafe_policy, &folder.path().join("policy.toml")).unwrap();
    let options = Options { accept_algorithm_disclosure: true, ..options };
    let refused = publish::run(&policy, options, &Nobody).unwrap_err().to_string();
    assert!(refused.contains("has no guarantee that could be certified"), "{refused}");
}
