//! Tests that a release folder, byte by byte, discloses no more about anybody than its guarantee
//! allows, however it was made.
//!
//! Small tables are published many times, each time with shuffled values and other random draws. A
//! reader cannot distinguish runs whose folders are equal in every byte. Among such runs, no person
//! may have a value more often than the guarantee's bound. This is a binomial test for each person,
//! value and folder. With fresh draws all tests together would raise a false alarm with a chance of
//! one in a million; the draws are the same each time.

use openveil_io::Policy;
use openveil_io::progress::Nobody;
use openveil_publication::{Options, run};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs of each policy in the suite, enough to notice a single disclosed bit; `OPENVEIL_TRIALS`
/// sets more.
const RUNS: u64 = 1_500;

/// The most different folders of such a table, over all assignments of values.
const FOLDERS: usize = 400;

const FALSE_ALARM: f64 = 1e-6;

/// Two columns that partly distinguish people.
const PEOPLE: [(u32, &str); 8] =
    [(20, "m"), (20, "f"), (25, "m"), (31, "f"), (31, "f"), (40, "m"), (44, "f"), (44, "m")];

/// The multiset of values.
const VALUES: [&str; 8] = ["flu", "flu", "flu", "flu", "cold", "cold", "none", "none"];

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
ill = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 2
"#;

/// Returns the values of all people in one run.
fn values(number: u64) -> [&'static str; 8] {
    let mut values = VALUES;
    values.shuffle(&mut StdRng::seed_from_u64(number));
    values
}

/// The published files, by name.
type Folder = BTreeMap<String, Vec<u8>>;

/// The runs with an identical folder.
type Alike = BTreeMap<Folder, Vec<u64>>;

/// Returns a folder in memory, if possible: every file of a run is synced, which would take most of
/// the test's time on a disk.
fn place() -> tempfile::TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).unwrap()
}

fn published(extra: &str, number: u64, leak: bool) -> Folder {
    let folder = place();
    let own = values(number);
    let lines: String =
        PEOPLE.iter().zip(own).map(|((age, sex), ill)| format!("{age},{sex},{ill}\n")).collect();
    std::fs::write(folder.path().join("people.csv"), format!("age,sex,ill\n{lines}")).unwrap();
    let path = folder.path().join("policy.toml");
    std::fs::write(&path, format!("{POLICY}{extra}")).unwrap();
    let options = Options { test_seed: Some(number), ..Options::default() };
    run(&Policy::read(&path).unwrap(), options, &Nobody).unwrap();
    let mut files = files(&folder.path().join("out/release"));
    if leak {
        // Leak one bit about one person.
        let manifest = files.get_mut("manifest.json").unwrap();
        manifest.push(b" \n"[usize::from(own[0] == "flu")]);
    }
    files
}

fn files(folder: &Path) -> Folder {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let content = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, std::fs::read(entry.path()).unwrap())
    };
    entries.map(content).collect()
}

/// Returns the chance of at least `count` successes in `of` trials, each with a chance of one half.
fn tail(count: usize, of: usize) -> f64 {
    let mut chance = 0.5f64.powi(of as i32);
    let mut sum = 0.0;
    for k in 0..=of {
        if k >= count {
            sum += chance;
        }
        chance *= (of - k) as f64 / (k + 1) as f64;
    }
    sum
}

/// Returns the number of folders, and the least p-value times the number of tests.
fn watched(extra: &str, runs: u64, leak: bool) -> (usize, f64) {
    let alike = (0..runs)
        .into_par_iter()
        .fold(Alike::new, |mut alike, number| {
            let folder = published(extra, number, leak);
            alike.entry(folder).or_default().push(number);
            alike
        })
        .reduce(Alike::new, |mut one, other| {
            for (folder, numbers) in other {
                one.entry(folder).or_default().extend(numbers);
            }
            one
        });
    let (mut tests, mut least) = (0u32, 1.0f64);
    for numbers in alike.values() {
        let tables: Vec<[&str; 8]> = numbers.iter().map(|&number| values(number)).collect();
        for person in 0..PEOPLE.len() {
            for value in ["flu", "cold", "none"] {
                let count = tables.iter().filter(|table| table[person] == value).count();
                tests += 1;
                // More than a thousand runs add nothing, and their powers would underflow.
                least = least.min(if tables.len() <= 1_000 {
                    tail(count, tables.len())
                } else {
                    tail(count * 1_000 / tables.len(), 1_000)
                });
            }
        }
    }
    (alike.len(), least * f64::from(tests))
}

fn runs() -> u64 {
    let asked = std::env::var("OPENVEIL_TRIALS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(RUNS)
}

#[test]
fn folders_tell_of_nobody_more_than_was_promised() {
    for extra in [
        "[algorithm]\nname = \"cover\"\n",
        "[algorithm]\nname = \"halving\"\n",
        "[output]\nstyle = \"anatomy\"\n",
        "[output]\nformat = \"parquet\"\n",
    ] {
        let (folders, chance) = watched(extra, runs(), false);
        // If a folder contained anything specific to the run, all folders would differ.
        assert!(folders < FOLDERS, "{folders} different folders: {extra}");
        assert!(chance > FALSE_ALARM, "{chance}: {extra}");
    }
}

/// The test can fail: one bit of one person in a file of a few thousand.
#[test]
fn a_single_bit_is_noticed() {
    let (_, chance) = watched("[algorithm]\nname = \"cover\"\n", RUNS, true);
    assert!(chance < FALSE_ALARM, "{chance}");
}
