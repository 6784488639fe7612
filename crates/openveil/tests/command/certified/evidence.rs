//! Edits with and without the owner's folder and the page: found, or listed as not checked.

use super::edits::{EDITS, Edit};
use super::*;
use parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter};
use parquet::file::reader::{FileReader, SerializedFileReader};

/// What shows an edit where neither the owner's folder nor the page is there.
enum Alone {
    Found(&'static str),
    Listed(&'static str),
}
use Alone::{Found, Listed};

const EACH: &str = "protect = \"each\"\n[output]\nstyle = \"slice\"\n";
const EXACT: &str = "[output]\nstyle = \"slice\"\nformat = \"parquet\"\n";

/// A kind of edit, the policy's addition, the edit, and what shows it.
const MORE: [(&str, &str, Edit, Alone); 7] = [
    (
        "key-value metadata",
        EXACT,
        |folder| with_pair(&folder.join("out/release/release.parquet")),
        Found("key-value metadata"),
    ),
    (
        "a value that nobody has",
        "",
        |folder| {
            rows(folder, "release.csv", &|table| {
                let at = table[1].len() - 2;
                table[1][at] = "pilot".to_owned();
            })
        },
        Listed("or of anybody"),
    ),
    (
        "a wider interval",
        "",
        |folder| {
            let path = folder.join("out/release/release.csv");
            let table = fs::read_to_string(&path).unwrap();
            let cell = table.lines().nth(1).unwrap().split('"').nth(1).unwrap();
            let (least, most) = cell.trim_matches(['[', ']']).split_once(", ").unwrap();
            let most: u32 = most.parse().unwrap();
            let group = table.lines().nth(1).unwrap().rsplit(',').next().unwrap();
            let own = |line: &str| line.rsplit(',').next() == Some(group);
            let wider = format!("[{least}, {}]", most + 3);
            let lines = table.lines().map(|line| match own(line) {
                true => line.replace(cell, &wider),
                false => line.to_owned(),
            });
            fs::write(path, lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
        },
        Listed("wider than needed"),
    ),
    (
        "a lower bound of a column",
        EACH,
        |folder| {
            manifest(folder, &|manifest| {
                manifest["each"]["l"]["job"] = json!(2);
            })
        },
        Found("guarantee.statement"),
    ),
    (
        "no mark of a test seed",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["fit_for_publication"] = json!(true);
                let notes = manifest["notes"].as_array_mut().unwrap();
                notes.retain(|note| !note.to_string().contains("seed"));
            })
        },
        Listed("test seed"),
    ),
    (
        "another version",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["openveil"] = json!("1.0.1");
            })
        },
        Listed("the version that wrote"),
    ),
    (
        "a comment in a compressed file",
        "[output]\nformat = \"csv.gz\"\n",
        |folder| {
            let path = folder.join("out/release/release.csv.gz");
            let bytes = fs::read(&path).unwrap();
            let mut with = bytes[..10].to_vec();
            with[3] |= 16;
            with.extend(b"p0 is a clerk\0");
            with.extend(&bytes[10..]);
            fs::write(path, with).unwrap();
        },
        Found("compressed header"),
    ),
];

/// Writes the footer of a file again, with a pair of metadata.
fn with_pair(path: &Path) {
    let file = fs::File::open(path).unwrap();
    let read = SerializedFileReader::new(file).unwrap();
    let (all, own) = (read.metadata(), read.metadata().file_metadata());
    let pair = KeyValue::new("people".to_owned(), "p0 is a clerk".to_owned());
    let with = FileMetaData::new(
        own.version(),
        own.num_rows(),
        own.created_by().map(str::to_owned),
        Some(vec![pair]),
        own.schema_descr_ptr(),
        own.column_orders().cloned(),
    );
    let with = ParquetMetaData::new(with, all.row_groups().to_vec());
    let bytes = fs::read(path).unwrap();
    let (rest, end) = bytes.split_at(bytes.len() - 8);
    let footer = u32::from_le_bytes(end[..4].try_into().unwrap()) as usize;
    let mut bytes = rest[..rest.len() - footer].to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &with).finish().unwrap();
    fs::write(path, bytes).unwrap();
}

/// Copies a folder.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copied(&entry.path(), &place),
            false => drop(fs::copy(entry.path(), place).unwrap()),
        }
    }
}

/// Audits a modified copy of a release, with or without its owner's folder and its page; returns
/// the findings and what was not checked.
fn audited(made: &Path, edit: Edit, owner: bool, page: bool) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    copied(made, folder.path());
    if !owner {
        fs::remove_dir_all(folder.path().join("out/owner")).unwrap();
    }
    if !page {
        fs::remove_file(folder.path().join("out/release/report.html")).unwrap();
    }
    edit(folder.path());
    let output = openveil(folder.path(), &["audit", "out", "--json"]);
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        assert_eq!(output.status.code(), Some(1));
        return (text(&output.stderr), String::new());
    };
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!findings.is_empty())));
    let findings: String = findings.iter().map(|own| format!("{own}\n")).collect();
    (findings, report["not_checked"].to_string())
}

/// Publishes, with a page.
fn made(output: &str) -> tempfile::TempDir {
    let change = |policy: String| match output {
        STRATA => policy.replace("l = 3\n", STRATA),
        EACH => policy
            .replace(
                "sex = { role = \"quasi-identifier\" }",
                "sex = { role = \"sensitive\", l = 2 }",
            )
            .replace("l = 3\n", &format!("l = 3\n{EACH}")),
        output => policy + output,
    };
    published(&change, &["--test-seed", "1"])
}

#[test]
fn every_edit_is_found_or_listed_whatever_is_beside_the_release() {
    for (name, output, edit, words) in EDITS {
        let made = made(output);
        for (owner, page) in [(true, true), (true, false), (false, true)] {
            let (findings, _) = audited(made.path(), edit, owner, page);
            assert!(!findings.is_empty(), "{name}, {owner}, {page}");
        }
        // `edits.rs` has the words; here no other file is beside the table.
        let (findings, _) = audited(made.path(), edit, false, name.contains("page"));
        assert!(findings.contains(words), "{name}: {findings}");
    }
    for (name, output, edit, alone) in MORE {
        let made = made(output);
        for (owner, page) in [(true, true), (true, false), (false, true), (false, false)] {
            let (findings, left) = audited(made.path(), edit, owner, page);
            let is_shown = match alone {
                Found(words) => findings.contains(words),
                Listed(words) if findings.is_empty() => !owner && left.contains(words),
                Listed(_) => owner || page,
            };
            assert!(is_shown, "{name}, {owner}, {page}: {findings}{left}");
        }
    }
}
