//! Folders that were damaged, or forged with bad intent.

use super::*;
use openveil_reader::attack;
use openveil_reader::query;
use openveil_tools::audit::{AuditRequest, audit};
use proptest::prelude::*;

/// A release with the policy that it was made with.
struct Made {
    /// Deleted together with the release.
    _folder: tempfile::TempDir,
    policy: Policy,
    release: PathBuf,
}

const RULES: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "attribute", type = "integer" }
town = { role = "attribute" }
job = { role = "attribute" }
ill = { role = "attribute" }
[privacy]
model = "l-diversity"
l = 2
[[rules]]
given = "age"
protect = "job"
"#;

const SINGLE: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "number" }
town = { role = "quasi-identifier" }
job = { role = "sensitive" }
ill = { role = "drop" }
[privacy]
model = "l-diversity"
l = 2
"#;

/// Ways to publish.
const STYLES: [(&str, &str); 5] = [
    (SINGLE, "generalize"),
    (SINGLE, "generalize\"\ncells = \"bounds"),
    (SINGLE, "slice"),
    (SINGLE, "anatomy"),
    (RULES, "anatomy"),
];

fn made(policy: &str, style: &str, format: &str) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("age,town,job,ill\n");
    for row in 0..24 {
        let (age, town) = (20 + row * 7 % 12, ["a", "b", "c"][row % 3]);
        let (job, ill) = (["nurse", "clerk", "judge"][row / 2 % 3], ["flu", "cold"][row % 2]);
        text.push_str(&format!("{age},{town},{job},{ill}\n"));
    }
    fs::write(folder.path().join("people.csv"), text).unwrap();
    let text = format!(
        "{policy}[algorithm]\nname = \"cover\"\n[output]\nstyle = \"{style}\"\nformat = \"{format}\"\n"
    );
    let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
    let options = publish::Options { test_seed: Some(1), ..Default::default() };
    publish::run(&policy, options, &Nobody).unwrap();
    Made { release: folder.path().join("out/release"), _folder: folder, policy }
}

impl Made {
    /// Returns the error of audit, attack and query, or none for each.
    fn asked(&self) -> [Option<String>; 3] {
        let options = attack::AttackOptions {
            correlations: false,
            independent: 0,
            public: None,
            ties: None,
            sample: 2,
            seed: 1,
            categories: None,
            owner: true,
        };
        let release = &self.release;
        let attacked = match self.policy.rules() {
            Some(rules) => {
                attack::run_rules(&self.policy, rules, release, &options, &Nobody).map(drop)
            }
            None => attack::run(&self.policy, &[release.into()], &options, &Nobody).map(drop),
        };
        let asked = query::count(release, "age <= 24 and job = nurse", None).map(drop);
        let rows = release.with_file_name("rows.csv");
        let drawn = query::sample(release, 3, &rows, Some(1));
        let found =
            [audit(&AuditRequest::new(release), &|_| {}).map(drop), attacked, asked.and(drawn)];
        found.map(|found| found.err().map(|error| error.to_string()))
    }

    fn path(&self, file: &str) -> PathBuf {
        self.release.join(file)
    }

    fn edit(&self, file: &str, change: impl FnOnce(String) -> String) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        let changed = change(text.clone());
        assert_ne!(changed, text, "{file} was not changed");
        fs::write(self.path(file), changed).unwrap();
    }

    /// Sets a value of the manifest, in the first protected table if there are several.
    fn set(&self, pointer: &str, value: Value) {
        self.edit("manifest.json", |text| {
            let mut manifest: Value = serde_json::from_str(&text).unwrap();
            let tables = manifest["tables"].as_array();
            let guarded = tables.and_then(|tables| {
                tables.iter().position(|table| table["groups"].as_u64() > Some(0))
            });
            let pointer = pointer.replace("/N", &format!("/{}", guarded.unwrap_or(0)));
            *manifest.pointer_mut(&pointer).unwrap() = value;
            manifest.to_string()
        });
    }

    /// Checks that every command names the problem and the file.
    fn assert_refused(&self, file: &str, expected: &str) {
        for complaint in self.asked() {
            let complaint = complaint.unwrap_or_else(|| panic!("took {file}: {expected}"));
            assert!(
                complaint.contains(file) && complaint.contains(expected),
                "{complaint} instead of {expected}"
            );
        }
    }
}

#[test]
fn manifests_that_do_not_fit_are_refused() {
    let huge = u64::MAX;
    let lies = [
        ("/style", json!("anatomie"), "unknown style `anatomie`"),
        ("/rows", json!(huge), "rows"),
        ("/rows", json!(0), "rows"),
        ("/groups", json!(huge), "groups"),
        ("/groups", json!(0), "says that `release` has 0 groups"),
        ("/groups", json!(1), "is not a number from 1 to 1"),
        ("/groups", json!(24), "has no row of group"),
        ("/columns/2/role", json!("sensitiv"), "names no column that `release` protects"),
        ("/delimiter", json!("é"), "'é' cannot be a delimiter"),
        ("/columns/1/name", json!("age"), "names the column `age` twice"),
        ("/columns/1/name", json!("city"), "is a column that its manifest does not name"),
        ("/columns/0/covers", json!({ "x": [] }), "`x` of `age` covers no values"),
        ("/files", json!([]), "names 0 files of `release`, which should have 1"),
        ("/files/0", json!("release.parquet"), "there is no such file"),
        ("/files/0", json!("../../people.csv"), "is not the name of a file of a release"),
        ("/files/0", json!("/etc/passwd"), "is not the name of a file of a release"),
        ("/files/0", json!("-"), "is not the name of a file of a release"),
        ("/files/0", json!("release*.csv"), "is not the name of a file of a release"),
        ("/files/0", json!("manifest.json"), "is not the name of a file of a release"),
    ];
    for (pointer, value, expected) in lies {
        let folder = made(SINGLE, "generalize", "csv");
        folder.edit("manifest.json", |text| {
            let mut manifest: Value = serde_json::from_str(&text).unwrap();
            manifest["delimiter"] = json!(",");
            manifest["columns"][0]["covers"] = json!({});
            manifest.to_string()
        });
        folder.set(pointer, value);
        folder.assert_refused("out/release", expected);
    }
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let lies = [
        ("/tables/N/rows", json!(23), "has 23 rows of 24"),
        ("/tables/N/groups", json!(0), "has 0 groups"),
        ("/tables/N/groups", json!(1_u64 << 40), "groups of 24 rows"),
        ("/tables/N/columns", json!([]), "names no columns"),
        ("/tables/N/columns", json!(["age", "sex"]), "does not describe `sex`"),
        ("/tables/N/columns", json!(["age", "age"]), "names the column `age`"),
        ("/tables/N/columns", json!(["job"]), "is a column that its manifest does not name"),
        ("/tables/N/enforces", Value::Null, "groups"),
        ("/tables/N/enforces/protect", json!([]), "names no column that"),
        ("/tables/N/files", json!(["table-1.csv"]), "names 1 files"),
        ("/tables/N/files/1", json!("../table-1-values.csv"), "is not the name of a file"),
    ];
    for (pointer, value, expected) in lies {
        let folder = made(RULES, "anatomy", "csv");
        folder.set(pointer, value);
        folder.assert_refused("out/release", expected);
    }
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let damage = |policy: &str, style: &str, suffix: &str, from: &str, to: &str, expected: &str| {
        let folder = made(policy, style, "csv");
        let manifest = fs::read_to_string(folder.path("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        let mut files =
            manifest["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap());
        let guarded = |file: &&str| {
            let is_values = file.ends_with("-values.csv");
            let text = fs::read_to_string(folder.path(file)).unwrap();
            is_values != suffix.is_empty() && text.contains("group")
        };
        let file = files.find(guarded).unwrap();
        folder.edit(file, |text| text.replacen(from, to, 1));
        folder.assert_refused(file, expected);
    };
    for (policy, style) in STYLES {
        let damage = |from, to, expected| damage(policy, style, "", from, to, expected);
        damage("group\n", "grp\n", "has no column `group`");
        let (renamed, twice) = if style.contains("bounds") {
            ("has no column `age_min`", "has no column `age_min`")
        } else {
            (
                "is a column that its manifest does not name",
                "the column `group` appears in the header twice",
            )
        };
        damage("age", "years", renamed);
        damage("age", "group", twice);
        damage(",1\n", ",0\n", "column `group`: `0` is not a number from 1 to");
        damage(",1\n", ",4294967295\n", "`4294967295` is not a number from 1 to");
        damage(",1\n", ",-1\n", "`-1` is not a whole number");
        damage(",1\n", "\n", "fields");
        damage(",1\n", ",1\n7,1\n", "");
    }
    for policy in [SINGLE, RULES] {
        let damage = |from, to, expected| damage(policy, "anatomy", "v", from, to, expected);
        damage("count\n1,", "count\n2,", "does not hold one value per row of group");
        damage(",1\n", ",0\n", "column `count`: `0` is not a number from 1");
        damage(",1\n", ",4294967295\n", "does not hold one value per row of group");
        damage(",1\n", ",99999999999\n", "is not a whole number");
        damage("job", "age", "appears in two files");
        damage("count", "number", "has no column `count`");
    }
}

#[test]
fn parquet_that_does_not_fit_is_refused() {
    let other = made(SINGLE, "generalize", "parquet");
    other.edit("manifest.json", |text| text.replacen("\"rows\": 24", "\"rows\": 20", 1));
    other.assert_refused("release.parquet", "has 24 rows, but its manifest says 20");
    for (policy, style) in STYLES {
        let folder = made(policy, style, "parquet");
        let manifest = fs::read_to_string(folder.path("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        let file = manifest["files"][0].as_str().unwrap();
        let bytes = fs::read(folder.path(file)).unwrap();
        fs::write(folder.path(file), &bytes[..bytes.len() / 2]).unwrap();
        folder.assert_refused(file, "is not a readable Parquet file");
        fs::write(folder.path(file), "").unwrap();
        folder.assert_refused(file, "is not a readable Parquet file");
        fs::remove_file(folder.path(file)).unwrap();
        fs::create_dir(folder.path(file)).unwrap();
        folder.assert_refused(file, "is a folder without tables");
        // As Spark writes a table.
        fs::write(folder.path(file).join("part-0.parquet"), &bytes).unwrap();
        assert_eq!(folder.asked(), [None, None, None], "{style}");
        fs::write(folder.path(file).join("part-1.parquet"), &bytes).unwrap();
        assert!(folder.asked().iter().all(Option::is_some), "{style}: twice the rows");
    }
}

#[test]
fn sound_folders_are_taken() {
    for format in ["csv", "csv.zst", "parquet", "arrow"] {
        for (policy, style) in STYLES {
            let folder = made(policy, style, format);
            assert_eq!(folder.asked(), [None, None, None], "{style} {format}");
        }
    }
}

thread_local! {
    static FOLDERS: [Made; 5] = STYLES.map(|(policy, style)| made(policy, style, "csv"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any byte is changed, cut or doubled: the result is an error or an answer, never a panic.
    #[test]
    fn no_damage_makes_anybody_panic(
        which in 0..5usize,
        file in any::<prop::sample::Index>(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..4),
    ) {
        FOLDERS.with(|folders| {
            let folder = &folders[which];
            let entries = fs::read_dir(&folder.release).unwrap();
            let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
            files.sort();
            let path = file.get(&files);
            let sound = fs::read(path).unwrap();
            let mut bytes = sound.clone();
            for (at, kind, byte) in damages {
                let at = at.index(bytes.len());
                match kind {
                    0 => bytes[at] = byte,
                    // Digits determine counts and allocations.
                    1 => bytes.insert(at, b'0' + byte % 10),
                    2 => drop(bytes.remove(at)),
                    _ => bytes[at] = b",\n\"[]{}0-9e"[usize::from(byte) % 11],
                }
                if bytes.is_empty() {
                    break;
                }
            }
            fs::write(path, bytes).unwrap();
            folder.asked();
            fs::write(path, sound).unwrap();
        });
    }
}
