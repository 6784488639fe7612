//! The folder in which a page's commands run: a table of people, one of another tool, a policy and a
//! release of it, versions of a table for a history, and the examples of the repository.

use super::commands;
use super::page;
use std::fs;
use std::path::Path;

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
zip = { role = "quasi-identifier" }
job = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 3
"#;

const TABLE_POLICY: &str = r#"
[input]
path = "table.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
region = { role = "quasi-identifier" }
diagnosis = { role = "sensitive" }
w = { role = "other" }
hid = { role = "drop" }
[privacy]
model = "l-diversity"
l = 2
"#;

const HISTORY: &str = "[history]\nstate = \"secret/people.state\"\nperson = \"name\"\n";

fn people(rows: std::ops::Range<usize>) -> String {
    let mut text = String::from("name,age,sex,zip,job\n");
    for row in rows {
        let job = ["nurse", "clerk", "judge", "cook", "smith"][row * 7 % 5];
        let (sex, zip) = (["f", "m"][row % 2], ["8010", "8020", "1010", "1020"][row / 3 % 4]);
        text += &format!("p{row},{},{sex},{zip},{job}\n", 20 + row * 13 % 47);
    }
    text
}

/// A table that another tool generalised, with survey weights and households.
fn table() -> String {
    let mut text = String::from("age,sex,region,diagnosis,w,hid\n");
    for row in 0..240 {
        let diagnosis = ["flu", "asthma", "diabetes", "fracture"][row % 4];
        let (sex, region) = (["f", "m"][row / 4 % 2], ["north", "south"][row / 8 % 2]);
        text += &format!(
            "{},{sex},{region},{diagnosis},{}.5,{}\n",
            20 + row / 16 % 5 * 10,
            10 + row % 7,
            row / 3
        );
    }
    text
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        match path.is_dir() {
            true => copy(&path, &to.join(name)),
            false => drop(fs::copy(&path, to.join(name)).unwrap()),
        }
    }
}

/// A folder with everything that pages start from, below `start`.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    copy(&page::root().join("examples"), &start.join("examples"));
    // The README's command may have run in the checkout.
    drop(fs::remove_dir_all(start.join("examples/census/out")));
    fs::create_dir(start.join("secret")).unwrap();
    let anatomy = format!("{POLICY}[output]\nstyle = \"anatomy\"\n");
    let files = [
        ("people.csv", people(0..240)),
        ("survey.csv", people(0..240)),
        ("january.csv", people(0..200)),
        ("february.csv", people(20..240)),
        ("table.csv", table()),
        ("people.policy.toml", anatomy),
        ("table.policy.toml", TABLE_POLICY.to_owned()),
        ("history.policy.toml", POLICY.to_owned() + HISTORY),
    ];
    for (name, text) in files {
        fs::write(start.join(name), text).unwrap();
    }
    commands::run(&start, "openveil publish people.policy.toml --test-seed 1").unwrap();
    folder
}

/// Makes a page's own folder, if it has none yet.
pub fn prepare(root: &Path, folder: &Path) {
    if !root.exists() {
        copy(&folder.join("start"), root);
    }
}
