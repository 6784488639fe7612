//! Releases that others may have modified.

use super::case::published;
use crate::{in_folder, parts, write};
use openveil_io::release_dir::{MemoryRelease, ReleasePlace, Texts};
use openveil_reader::query;
use openveil_reader::query::{Effort, Reader, Statistic};
use openveil_reader::report;
use openveil_tools::audit;
use openveil_tools::audit::{AuditRequest, Audited};
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::sync::Arc;

const POLICY: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
zip = { role = "quasi-identifier" }
day = { role = "quasi-identifier", type = "date" }
job = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 2
"#;

fn people() -> String {
    let line = |n: u32| {
        let job = ["nurse", "clerk", "cook", "baker"][n as usize * 7 % 4];
        format!("{},{},2020-03-{:02},{job}\n", 20 + n * 5 % 31, n % 4, 1 + n % 28)
    };
    let lines: String = (0..24).map(line).collect();
    format!("age,zip,day,job\n{lines}")
}

/// Conditions on a small release.
pub(super) fn conditions(data: &[u8]) {
    thread_local! {
        static RELEASE: OnceCell<Arc<MemoryRelease>> = const { OnceCell::new() };
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let made = || {
        in_folder(|folder| {
            write(folder, "people.csv", people());
            let release = published(folder, POLICY).expect("a table that can be published");
            Arc::new(release.in_memory(Texts::Plain).expect("no history"))
        })
    };
    let release = RELEASE.with(|release| Arc::clone(release.get_or_init(made)));
    let reader = Reader::open(ReleasePlace::Memory(release)).expect("a release of ours");
    let _ = reader.regression(text, &[]);
    if let Ok(answer) = reader.count(text, None) {
        let rows = answer.rows as f64;
        assert!((-1e-6..=rows + 1e-6).contains(&answer.figure.estimate), "{answer:?}");
        assert!((-1e-6..=rows + 1e-6).contains(&answer.estimate_evenly), "{answer:?}");
    }
}

/// A manifest and a table.
pub(super) fn folder(data: &[u8]) {
    let [manifest, table, values] = parts(data);
    in_folder(|folder| {
        write(folder, "manifest.json", manifest);
        write(folder, "release.csv", table);
        write(folder, "release-values.csv", values);
        write(folder, "table-1.csv", table);
        write(folder, "table-2.csv", values);
        let Ok(reader) = Reader::open(folder) else {
            return;
        };
        let columns = &reader.release().manifest.columns;
        for column in columns.iter().take(4) {
            let name = column.name.replace('"', "");
            let _ = reader.count(&format!("\"{name}\" >= 1"), None);
            let _ = reader.count(&format!("\"{name}\" = a"), None);
        }
        let reader = reader.with_effort(Effort { worlds: 2, seed: 1 });
        let names = columns_of(&reader);
        for (at, name) in names.iter().enumerate().take(4) {
            let _ = reader.crosstab(&query::Request {
                by: names[..=at].to_vec(),
                ..query::Request::default()
            });
            let _ = reader.crosstab(&query::Request {
                by: names[..at].to_vec(),
                statistic: Statistic::Mean(name.clone()),
                ..query::Request::default()
            });
            let _ = reader.regression(&format!("`{name}` ~ ."), &[]);
        }
        let _ = reader.completed(2);
        let _ = reader.weights();
        let _ = reader.sample(3, Some(1));
        let _ = reader.distributions();
        let _ = report::public(folder, Default::default());
        let _ = audit::audit(&AuditRequest::new(Audited::Path(folder.to_owned())), &|_| {});
    });
}

fn columns_of(reader: &Reader) -> Vec<String> {
    let columns = reader.release().manifest.columns.iter();
    columns.map(|column| column.name.clone()).collect()
}

/// A table, and names of columns that it may have.
pub(super) fn audit(data: &[u8]) {
    let [names, table] = parts(data);
    let Ok(names) = std::str::from_utf8(names) else {
        return;
    };
    in_folder(|folder| {
        let path = write(folder, "table.csv", table);
        let mut request = AuditRequest::new(Audited::Path(path));
        let mut names = names.split(',').map(str::to_owned);
        request.sensitive = names.next().into_iter().collect();
        request.group = names.next().filter(|name| !name.is_empty());
        request.quasi_identifiers = names.collect();
        let _ = audit::audit(&request, &|_| {});
    });
}

/// A state with a correct digest, which random search would never find.
pub(super) fn state(data: &[u8]) {
    let policy = POLICY.replace("age =", "id = { role = \"identifier\" }\nage =");
    let policy = format!("{policy}\n[history]\nstate = \"people.state\"\nperson = \"id\"\n");
    let with_ids = |(number, line): (usize, &str)| match number {
        0 => format!("id,{line}\n"),
        _ => format!("{number},{line}\n"),
    };
    let table: String = people().lines().enumerate().map(with_ids).collect();
    in_folder(|folder| {
        write(folder, "people.csv", table);
        write(folder, "people.state", [data, &Sha256::digest(data)].concat());
        let _ = published(folder, &policy);
    });
}
