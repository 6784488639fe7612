//! `openveil report --metadata`: the metadata for archives.

use super::support::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

const KINDS: [(&str, &str); 3] =
    [("frictionless", "datapackage.json"), ("croissant", "croissant.json"), ("ddi", "ddi.xml")];

/// People with two columns that are left out, whose names must not be published either.
fn released(style: &str) -> tempfile::TempDir {
    let folder = folder();
    let row = |number: usize| {
        let (age, sex) = (20 + number % 40, ["f", "m"][number % 2]);
        let job = ["clerk", "cook", "judge"][number % 3];
        format!("{number},{age},{sex},{job},hivplus{number}\n")
    };
    let rows: String = (0..60).map(row).collect();
    let table = format!("ssnumber,age,sex,job,viralload\n{rows}");
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let policy = format!(
        "[input]\npath = \"people.csv\"\n[columns]\nssnumber = {{ role = \"identifier\" }}\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\nsex = {{ role = \"quasi-identifier\" }}\njob = {{ role = \"sensitive\" }}\nviralload = {{ role = \"drop\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[output]\nstyle = \"{style}\"\n"
    );
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let published =
        openveil(folder.path(), &["publish", "policy.toml", "--out", "out", "--test-seed", "1"]);
    assert!(published.status.success(), "{}", text(&published.stderr));
    folder
}

fn described(folder: &Path) {
    let kinds = KINDS.map(|(kind, _)| kind).join(",");
    let report = openveil(folder, &["report", "out", "--metadata", &kinds]);
    assert!(report.status.success(), "{}", text(&report.stderr));
}

/// A public archive once described columns that its files withheld; the metadata must not.
#[test]
fn metadata_are_silent_about_columns_that_a_release_withholds() {
    for style in ["generalize", "slice", "anatomy"] {
        let folder = released(style);
        described(folder.path());
        for (_, name) in KINDS {
            let text = fs::read_to_string(folder.path().join("out/release").join(name)).unwrap();
            for hidden in ["ssnumber", "viralload", "hivplus"] {
                assert!(!text.contains(hidden), "{style} {name}: {hidden}");
            }
            assert!(text.contains("sex") && text.contains("group"), "{style} {name}");
        }
    }
}

/// Likewise for the identifier that ties rows, which sentences of the manifest name.
#[test]
fn metadata_are_silent_about_identifiers_that_tie_rows() {
    let folder = folder();
    let row = |number: usize| {
        let job = ["clerk", "cook", "judge", "nurse"][number / 2 % 4];
        format!("H{:03},{},{job}\n", number / 2, 20 + number % 40)
    };
    let rows: String = (0..120).map(row).collect();
    fs::write(folder.path().join("people.csv"), format!("hidhid,age,job\n{rows}")).unwrap();
    let policy = "[input]\npath = \"people.csv\"\n[columns]\nhidhid = { role = \"identifier\" }\nage = { role = \"quasi-identifier\", type = \"integer\" }\njob = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[ties]\nid = \"hidhid\"\n";
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let published =
        openveil(folder.path(), &["publish", "policy.toml", "--out", "out", "--test-seed", "1"]);
    assert!(published.status.success(), "{}", text(&published.stderr));
    described(folder.path());
    for (_, name) in KINDS {
        let text = fs::read_to_string(folder.path().join("out/release").join(name)).unwrap();
        assert!(!text.contains("hidhid"), "{name}: {text}");
    }
}

#[test]
fn a_data_package_describes_every_file_and_column() {
    let folder = released("anatomy");
    described(folder.path());
    let read = |name: &str| fs::read(folder.path().join("out/release").join(name)).unwrap();
    let package: Value = serde_json::from_slice(&read("datapackage.json")).unwrap();
    for resource in package["resources"].as_array().unwrap() {
        let file = read(resource["path"].as_str().unwrap());
        assert_eq!(resource["bytes"], file.len());
        let header = file.split(|&byte| byte == b'\n').next().unwrap();
        let fields = resource["schema"]["fields"].as_array().unwrap();
        let names: Vec<&str> = fields.iter().map(|own| own["name"].as_str().unwrap()).collect();
        assert_eq!(names.join(","), text(header));
    }
    assert_eq!(package["resources"][0]["schema"]["fields"][0]["type"], "integer");
    let codebook = text(&read("ddi.xml"));
    assert!(codebook.contains("<caseQnty>60</caseQnty>") && codebook.contains("<titl>"));
}

#[test]
fn metadata_are_held_against_the_release() {
    let folder = released("slice");
    described(folder.path());
    let audit = || openveil(folder.path(), &["audit", "out"]);
    assert_eq!(audit().status.code(), Some(0), "{}", text(&audit().stdout));
    for (kind, name) in KINDS {
        let path = folder.path().join("out/release").join(name);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, whole.replace("sex", "six")).unwrap();
        let found = audit();
        assert_eq!(found.status.code(), Some(1));
        let expected = format!("is not what `openveil report --metadata {kind}` makes");
        assert!(text(&found.stdout).contains(&expected), "{}", text(&found.stdout));
        fs::write(&path, whole).unwrap();
    }
    // A release is replaced together with its metadata.
    let again = ["publish", "policy.toml", "--out", "out", "--test-seed", "2"];
    let again = openveil(folder.path(), &again);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert!(!folder.path().join("out/release/ddi.xml").exists());
}
