use super::*;
use crate::policy::Policy;
use crate::publish::{self, Observer, Options, Stage};
use crate::release_dir::ReleasePlace;
use crate::source::{RawTable, Source};
use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

struct Nobody;

impl Observer for Nobody {
    fn begin(&self, _: Stage, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
    fn staging(&self, _: Option<&Path>) {}
}

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

/// A table whose texts need quotes, published as a policy says.
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
    let published = publish::run(
        &policy,
        Options {
            test_seed: Some(7),
            ..Options::default()
        },
        &Nobody,
    );
    (folder, published)
}

fn read(path: PathBuf) -> RawTable {
    let mut source = Source::new(path);
    source.lists = true;
    source
        .read(&|names| Ok(vec![true; names.len()]), &|_| {})
        .unwrap()
}

fn column(table: &RawTable, name: &str) -> Vec<String> {
    let column = table
        .columns
        .iter()
        .find(|column| column.name == name)
        .unwrap();
    column
        .codes
        .iter()
        .map(|&code| column.values.get(code).to_owned())
        .collect()
}

fn texts(table: &RawTable) -> Vec<(String, Vec<String>)> {
    table
        .columns
        .iter()
        .map(|c| (c.name.clone(), column(table, &c.name)))
        .collect()
}

#[test]
fn every_format_holds_the_same_release() {
    let (folder, published) = publish(POLICY);
    let published = published.unwrap();
    assert_eq!(published.manifest.files, ["release.csv"]);
    let plain = read(folder.path().join("out/release/release.csv"));
    let names: Vec<&str> = plain
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(names, ["age", "a,b", "ill", "group"]);
    let mut ill = column(&plain, "ill");
    ill.sort();
    assert_eq!(
        ill.iter().filter(|value| *value == "\"cold\", bad").count(),
        13
    );
    for format in ["csv.gz", "csv.zst", "parquet", "arrow"] {
        let policy = format!("{POLICY}\n[output]\nformat = \"{format}\"\n");
        let (folder, published) = publish(&policy);
        assert!(published.is_ok());
        let other = read(folder.path().join(format!("out/release/release.{format}")));
        assert_eq!(texts(&other), texts(&plain), "{format}");
    }
}

/// Rows stand in one order, in memory and in every file, though coins shuffle slices.
#[test]
fn a_release_in_memory_is_the_one_in_the_folder() {
    let styles = ["generalize", "slice", "anatomy"].into_iter();
    let styles = styles.flat_map(|style| [(style, Texts::Plain), (style, Texts::Views)]);
    for (style, texts_in_memory) in styles {
        let text = format!("{POLICY}\n[output]\nstyle = \"{style}\"\n");
        let (folder, _) = publish(&text);
        let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
        let release = publish::Release::of(&policy, Options::default(), &Nobody).unwrap();
        let (again, memory) = (
            folder.path().join("again"),
            release.in_memory(texts_in_memory).unwrap(),
        );
        let written = release.write(&again).unwrap();
        assert_eq!(written.manifest.files.len(), memory.tables.len());
        for file in &written.manifest.files {
            let held = Source::of_memory(file, memory.tables[file].clone());
            let held = held.read(&|names| Ok(vec![true; names.len()]), &|_| {});
            let file = read(again.join("release").join(file));
            assert_eq!(texts(&held.unwrap()), texts(&file), "{style}");
        }
        let asked = |place| crate::query::count(place, "age <= 30 and ill = flu", None).unwrap();
        let in_memory = asked(ReleasePlace::Memory(Arc::new(memory)));
        assert_eq!(in_memory, asked((&again).into()), "{style}");
    }
}

#[test]
fn cells_are_intervals_sets_or_plain_values() {
    let (folder, _published) = publish(POLICY);
    let table = read(folder.path().join("out/release/release.csv"));
    let closed = |cell: &String| {
        let inside = cell
            .strip_prefix('[')
            .and_then(|cell| cell.strip_suffix(']'));
        inside
            .and_then(|inside| inside.split_once(", "))
            .is_some_and(|(low, high)| low.parse::<u32>().unwrap() < high.parse::<u32>().unwrap())
    };
    assert!(
        column(&table, "age")
            .iter()
            .all(|cell| closed(cell) || cell.parse::<u32>().is_ok())
    );
    let sets = column(&table, "a,b");
    assert!(sets.iter().all(|cell| {
        let inside = cell
            .strip_prefix('{')
            .and_then(|cell| cell.strip_suffix('}'));
        inside.is_some_and(|inside| inside.contains('|')) || cell.starts_with('x')
    }));
}

#[test]
fn anatomy_splits_people_from_values() {
    let (folder, published) = publish(&format!("{POLICY}\n[output]\nstyle = \"anatomy\"\n"));
    assert_eq!(
        published.unwrap().manifest.files,
        ["release.csv", "release-values.csv"]
    );
    let people = read(folder.path().join("out/release/release.csv"));
    let mut ages = column(&people, "age");
    ages.sort();
    assert_eq!(
        ages,
        (20..60).map(|age| age.to_string()).collect::<Vec<_>>()
    );
    assert!(people.columns.iter().all(|column| column.name != "ill"));
    let values = read(folder.path().join("out/release/release-values.csv"));
    let names: Vec<&str> = values
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(names, ["group", "ill", "count"]);
    let total: u32 = column(&values, "count")
        .iter()
        .map(|count| count.parse::<u32>().unwrap())
        .sum();
    assert_eq!(total, 40);
}

#[test]
fn nothing_secret_is_in_the_published_folder() {
    let (folder, _published) = publish(POLICY);
    let files: Vec<String> = fs::read_dir(folder.path().join("out/release"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files.len(), 3, "table, manifest and report");
    let manifest = fs::read_to_string(folder.path().join("out/release/manifest.json")).unwrap();
    assert!(
        !manifest.contains("timings") && !manifest.contains("seed\":"),
        "{manifest}"
    );
    assert!(manifest.contains("\"fit_for_publication\": false"));
    let owner = fs::read_to_string(folder.path().join("out/owner/owner.json")).unwrap();
    assert!(owner.contains("timings_ms") && owner.contains("\"test_seed\": 7"));
    let left: Vec<_> = fs::read_dir(folder.path().join("out")).unwrap().collect();
    assert_eq!(left.len(), 2, "no temporary folder is left");
}

#[test]
fn an_earlier_release_is_replaced_and_a_stranger_is_not() {
    let (folder, _published) = publish(POLICY);
    let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
    // What a report left that was killed is a part of the earlier release.
    let left = folder.path().join("out/release/.openveil-report-1");
    fs::write(&left, "<html>").unwrap();
    let again = publish::run(&policy, Options::default(), &Nobody).unwrap();
    assert!(again.written.replaced && again.manifest.fit_for_publication);
    assert!(!left.exists());
    fs::write(folder.path().join("out/release/notes.txt"), "mine").unwrap();
    let refused = publish::run(&policy, Options::default(), &Nobody).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("holds `notes.txt`, which is not part"),
        "{refused}"
    );
    assert!(folder.path().join("out/release/release.csv").exists());
}

#[test]
fn only_what_the_earlier_manifest_names_is_replaced() {
    for stranger in [
        "table-of-contents.csv",
        "table-7.csv",
        "release.csv.bak",
        "release.parquet",
    ] {
        let (folder, _published) = publish(POLICY);
        let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
        let path = folder.path().join("out/release").join(stranger);
        fs::write(&path, "mine").unwrap();
        let refused = publish::run(&policy, Options::default(), &Nobody).unwrap_err();
        let expected = format!("holds `{stranger}`, which is not part");
        assert!(refused.to_string().contains(&expected), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
    // A manifest of somebody else names files of his own.
    let (folder, _published) = publish(POLICY);
    let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
    let release = folder.path().join("out/release");
    fs::write(
        release.join("manifest.json"),
        r#"{ "files": ["notes.txt"] }"#,
    )
    .unwrap();
    fs::write(release.join("notes.txt"), "mine").unwrap();
    assert!(publish::run(&policy, Options::default(), &Nobody).is_err());
    assert!(release.join("notes.txt").exists() && release.join("release.csv").exists());
}

#[test]
fn an_ineligible_table_says_what_helps_and_leaves_nothing() {
    let (folder, refused) = publish(&POLICY.replace("l = 2", "l = 3"));
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("the value `flu` stands in 14 of 40 rows (35.0 %)"),
        "{message}"
    );
    assert!(
        message.contains("the largest possible is l = 2"),
        "{message}"
    );
    assert!(message.contains("`exempt = [\"flu\"]`"), "{message}");
    assert!(!folder.path().join("out").exists());
    let (_folder, refused) = publish(&POLICY.replace("l = 2", "l = 4"));
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("l = 4 asks for 4 different values"),
        "{message}"
    );
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
    assert!(
        message.contains("--i-accept-algorithm-disclosure"),
        "{message}"
    );
    let policy = Policy::parse(&policy, &folder.path().join("policy.toml")).unwrap();
    let options = Options {
        accept_algorithm_disclosure: true,
        measure: true,
        ..Options::default()
    };
    let published = publish::run(&policy, options, &Nobody).unwrap();
    assert_eq!(published.manifest.guarantee.adversary, "sees-release");
    assert!(
        published
            .manifest
            .notes
            .iter()
            .any(|note| note.contains("discloses people"))
    );
    assert_eq!(published.owner.query_errors.len(), 4);
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("skipped: this system has no /dev/full to stand for a full disk");
        return;
    }
    let (_folder, published) = publish(POLICY);
    assert!(published.is_ok());
    let table = openveil::table::View::new(
        vec![],
        openveil::table::Secret::new("s", vec![0, 1], ["a", "b"]),
    )
    .unwrap();
    let groups = [vec![0, 1]].into_iter().collect();
    let (release, _) = openveil::release::publish(&table, &groups, Style::Generalize);
    let columns = Columns::of(&table, &release, Style::Generalize, &[Shape::text("s")], 0);
    let mut coins = SecretCoins::from_test_seed(0);
    let plain = OutputFormat {
        format: Format::Csv,
        compression: Compression::Plain,
        spreadsheet_safe: true,
        delimiter: b',',
    };
    let mut write = |output| {
        let mut file = TableFile::create(full, output)?;
        file.append(&columns, &mut coins, &|_| {})?;
        file.finish()
    };
    for compression in [Compression::Plain, Compression::Gzip, Compression::Zstd] {
        let output = OutputFormat {
            compression,
            ..plain
        };
        let refused = write(output).unwrap_err().to_string();
        assert!(refused.contains("the disk is full"), "{refused}");
    }
    let parquet = OutputFormat {
        format: Format::Parquet,
        ..plain
    };
    let refused = write(parquet).unwrap_err().to_string();
    assert!(
        refused.contains("disk") || refused.contains("space"),
        "{refused}"
    );
}

/// Whoever is turned away leaves the folder that it may have made to the other one.
#[cfg(unix)]
#[test]
fn of_two_that_make_a_folder_at_once_one_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    for trial in 0..300 {
        let out = folder.path().join(trial.to_string());
        let start = std::sync::Barrier::new(2);
        let run = || {
            start.wait();
            Staging::new(&out).map_err(|error| error.to_string())
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(run);
            let other = run();
            (one.join().unwrap(), other)
        });
        let [winner, loser] = if one.is_ok() {
            [one, other]
        } else {
            [other, one]
        };
        assert!(winner.unwrap().release().is_dir());
        assert!(loser.unwrap_err().contains("is in use by another run"));
    }
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "in the way").unwrap();
    let refused = Staging::new(&folder.path().join("file/out"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("cannot write to the output folder"),
        "{refused}"
    );
    assert!(refused.contains("--out"), "{refused}");
}

#[test]
fn one_text_is_one_value_however_it_came_about() {
    let folder = tempfile::tempdir().unwrap();
    let ill = |row: usize| ["", "(missing)", "flu"][row % 3];
    let rows: String = (0..30).map(|row| format!("{row},{}\n", ill(row))).collect();
    fs::write(folder.path().join("in.csv"), format!("q,s\n{rows}")).unwrap();
    let text = "[input]\npath = \"in.csv\"\nmissing = \"keep\"\n[columns]\nq = { role = \"quasi-identifier\" }\ns = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    let policy = Policy::parse(text, &folder.path().join("p.toml")).unwrap();
    let refused = publish::run(&policy, Options::default(), &Nobody)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`(missing)` stands in 20 of 30 rows"),
        "{refused}"
    );
}

#[test]
fn the_guarantee_says_what_it_does_not_cover() {
    let exempt = POLICY.replace("\"sensitive\" }", "\"sensitive\", exempt = [\"flu\"] }");
    let (_folder, published) = publish(&exempt);
    let statement = published.unwrap().manifest.guarantee.statement;
    assert!(
        statement.contains(", unless it is `flu` (exempt: who has it may become certain), can be"),
        "{statement}"
    );
    let combined = POLICY
        .replace(
            "\"a,b\" = { role = \"quasi-identifier\" }",
            "\"a,b\" = { role = \"sensitive\" }",
        )
        .replace("l = 2", "l = 2\ncombine = [\"a,b\", \"ill\"]");
    let (_folder, published) = publish(&combined);
    let notes = published.unwrap().manifest.notes;
    assert!(
        notes.iter().any(|note| note
            .contains("nothing is promised of `ill` by itself, of which one value makes")),
        "{notes:?}"
    );
}

#[test]
fn rows_that_may_share_a_person_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("in.csv"),
        "id,q,s\n7,1,a\n7,1,b\n8,2,a\n9,2,b\n",
    )
    .unwrap();
    let text = "[input]\npath = \"in.csv\"\n[columns]\nid = { role = \"identifier\" }\nq = { role = \"quasi-identifier\" }\ns = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    let policy = Policy::parse(text, &folder.path().join("p.toml")).unwrap();
    let published = publish::run(&policy, Options::default(), &Nobody).unwrap();
    assert!(published.owner.warnings[0].contains("the identifier `id` repeats"));
    assert!(
        published
            .manifest
            .notes
            .iter()
            .any(|note| note.contains("guarantee is about rows"))
    );
}

#[test]
#[cfg(unix)]
fn the_owners_folder_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, _published) = publish(POLICY);
    let mode = fs::metadata(folder.path().join("out/owner"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn the_owner_can_ask_who_could_stand_for_whom() {
    let (folder, _published) = publish(POLICY);
    let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
    let options = Options {
        certify: true,
        test_seed: Some(7),
        ..Options::default()
    };
    let published = publish::run(&policy, options, &Nobody).unwrap();
    assert!(
        published
            .owner
            .certificate
            .unwrap()
            .contains("must not be published")
    );
    let cover = read(folder.path().join("out/owner/l-cover.csv"));
    assert_eq!((cover.rows, cover.columns.len()), (40, 2));
    // People 1, 4, 7, … have the first illness, and nobody covers themselves.
    let people = column(&cover, "row");
    for (person, image) in people.iter().zip(column(&cover, "cover_1")) {
        let illness = |row: &str| (row.parse::<usize>().unwrap() - 1) % 3;
        assert_ne!(illness(person), illness(&image));
    }
    // What cannot be certified is refused before a coin is tossed, as a plan says.
    let closeness = "model = \"t-closeness\"\ndistance = \"equal\"\nt = 0.9\n";
    let other_model = POLICY.replace("model = \"l-diversity\"\nl = 2\n", closeness);
    let policy = Policy::parse(&other_model, &folder.path().join("policy.toml")).unwrap();
    let planned = publish::plan(&policy, options, &Nobody).unwrap_err();
    assert!(planned.to_string().contains("for ratio l-diversity"));
    let refused = publish::run(&policy, options, &Nobody).unwrap_err();
    assert_eq!(planned.to_string(), refused.to_string());
    let unsafe_policy = format!("{POLICY}\n[algorithm]\nname = \"gda\"\n");
    let policy = Policy::parse(&unsafe_policy, &folder.path().join("policy.toml")).unwrap();
    let options = Options {
        accept_algorithm_disclosure: true,
        ..options
    };
    let refused = publish::run(&policy, options, &Nobody)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("promises nothing that could be certified"),
        "{refused}"
    );
}

const SLICED: &str = r#"
[input]
path = "t.csv"
missing = "keep"
[columns]
age = { role = "quasi-identifier", type = "integer" }
born = { role = "quasi-identifier", type = "date" }
job = { role = "sensitive" }
ill = { role = "sensitive" }
pay = { role = "other", type = "number" }
[algorithm]
name = "cover"
[privacy]
model = "l-diversity"
l = 2
combine = ["job", "ill"]
[output]
style = "slice"
"#;

/// Columns that say of each row which one it was.
fn sliced(output: &str, seed: u64) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("age,born,job,ill,pay\n");
    for row in 0..400 {
        let (job, ill) = (["a", "b"][row % 2], ["x", "y", "z"][row % 3]);
        let pay = if row % 50 == 7 {
            String::new()
        } else {
            format!("{}.25", row * 7)
        };
        let born = format!("19{:02}-0{}-11", row % 80 + 10, row % 9 + 1);
        text.push_str(&format!("{row},{born},{job},{ill},{pay}\n"));
    }
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let text = format!("{SLICED}{output}\n");
    let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
    let options = Options {
        test_seed: Some(seed),
        ..Options::default()
    };
    publish::run(&policy, options, &Nobody).unwrap();
    let release = folder.path().join("out/release");
    (folder, release)
}

/// Per row of a file, its fields by column.
fn rows(table: &RawTable) -> Vec<HashMap<String, String>> {
    let columns = texts(table);
    let row = |at: usize| {
        columns
            .iter()
            .map(move |(name, cells)| (name.clone(), cells[at].clone()))
    };
    (0..table.rows).map(|at| row(at).collect()).collect()
}

#[test]
fn slices_are_shuffled_column_by_column() {
    let (_folder, release) = sliced("", 1);
    let table = read(release.join("release.csv"));
    let rows = rows(&table);
    let number = |row: &HashMap<String, String>| row["age"].parse::<usize>().unwrap();
    // What each row has beside its age that it had in the table.
    let born = |row: &&HashMap<String, String>| {
        let at = number(row);
        row["born"] == format!("19{:02}-0{}-11", at % 80 + 10, at % 9 + 1)
    };
    let ill = |row: &&HashMap<String, String>| {
        let at = number(row);
        row["job"] == ["a", "b"][at % 2] && row["ill"] == ["x", "y", "z"][at % 3]
    };
    let pay = |row: &&HashMap<String, String>| row["pay"] == format!("{}.25", number(row) * 7);
    let intact = [
        rows.iter().filter(born).count(),
        rows.iter().filter(pay).count(),
    ];
    assert!(
        intact.iter().all(|&intact| (100..300).contains(&intact)),
        "{intact:?}"
    );
    assert!((100..300).contains(&rows.iter().filter(ill).count()));
    // In no order of their own either: of two in a group each is first as often.
    let mut first = [0, 0];
    let mut groups: HashMap<&String, Vec<&HashMap<String, String>>> = HashMap::new();
    rows.iter()
        .for_each(|row| groups.entry(&row["group"]).or_default().push(row));
    for group in groups.values().filter(|group| group.len() == 2) {
        first[usize::from(number(group[0]) < number(group[1]))] += 1;
        // Combinations stay whole: they are what is protected.
        assert!(group[0]["job"] != group[1]["job"] || group[0]["ill"] != group[1]["ill"]);
    }
    assert!(first.iter().all(|&first| first > 50), "{first:?}");
    let combination = |row: &HashMap<String, String>| (row["job"].clone(), row["ill"].clone());
    let mut counts: HashMap<(String, String), usize> = HashMap::new();
    rows.iter()
        .for_each(|row| *counts.entry(combination(row)).or_default() += 1);
    assert!(
        counts.values().all(|&count| (66..=67).contains(&count)),
        "{counts:?}"
    );
}

#[test]
fn a_seed_repeats_the_order_and_another_does_not() {
    let file = |seed: u64| fs::read(sliced("", seed).1.join("release.csv")).unwrap();
    assert_eq!(file(1), file(1));
    assert_ne!(file(1), file(2));
}

/// Numbers are numbers, dates are dates, and what is missing is nothing at all.
#[test]
fn parquet_has_types() {
    use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    let fields = |path: &Path| {
        let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let field = |column: &::parquet::schema::types::ColumnDescPtr| {
            let text = column.logical_type_ref() == Some(&LogicalType::String);
            let date = column.logical_type_ref() == Some(&LogicalType::Date);
            let optional = column.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
            (
                column.path().string(),
                column.physical_type(),
                text,
                date,
                optional,
            )
        };
        schema.columns().iter().map(field).collect::<Vec<_>>()
    };
    let named = |name: &str, physical, text, date, optional| {
        (name.to_owned(), physical, text, date, optional)
    };
    let (_folder, release) = sliced("format = \"parquet\"", 1);
    let expected = [
        named("age", Physical::INT64, false, false, false),
        named("born", Physical::INT32, false, true, false),
        named("job", Physical::BYTE_ARRAY, true, false, false),
        named("ill", Physical::BYTE_ARRAY, true, false, false),
        named("pay", Physical::DOUBLE, false, false, true),
        named("group", Physical::INT64, false, false, false),
    ];
    assert_eq!(fields(&release.join("release.parquet")), expected);
    let table = read(release.join("release.parquet"));
    let missing = column(&table, "pay")
        .iter()
        .filter(|pay| pay.is_empty())
        .count();
    assert_eq!(missing, 8);
    let mut ages: Vec<i64> = column(&table, "age")
        .iter()
        .map(|age| age.parse().unwrap())
        .collect();
    ages.sort_unstable();
    assert_eq!(ages, (0..400).collect::<Vec<i64>>());
    // Bounds are of the column's type, sets are lists.
    let bounds = POLICY.replace(
        "[privacy]",
        "[output]\nformat = \"parquet\"\ncells = \"bounds\"\n[privacy]",
    );
    let (folder, published) = publish(&bounds);
    published.unwrap();
    let release = folder.path().join("out/release");
    let expected = [
        named("age_min", Physical::INT64, false, false, false),
        named("age_max", Physical::INT64, false, false, false),
        named("a,b.list.element", Physical::BYTE_ARRAY, true, false, false),
        named("ill", Physical::BYTE_ARRAY, true, false, false),
        named("group", Physical::INT64, false, false, false),
    ];
    assert_eq!(fields(&release.join("release.parquet")), expected);
}

/// The columns of bounds are the release's own.
#[test]
fn a_column_must_not_be_called_like_a_bound() {
    let policy = POLICY.replace("role = \"identifier\"", "role = \"quasi-identifier\"");
    let policy = policy.replace("name =", "age_max =");
    let policy = policy.replace(
        "type = \"integer\"",
        "type = \"integer\", cells = \"bounds\"",
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("in.csv"),
        "age,\"a,b\",ill,age_max\n1,x,flu,a\n2,y,cold,b\n",
    )
    .unwrap();
    let policy = Policy::parse(&policy, &folder.path().join("policy.toml")).unwrap();
    let refused = publish::run(&policy, Options::default(), &Nobody)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("column `age_max`: has the name of a column that the release adds"),
        "{refused}"
    );
}
