//! Manifests written by others.

use super::*;
use serde_json::{Value, json};

/// A release of people, with its manifest as a document.
fn made(style: &str) -> (MemoryRelease, Value) {
    let table = csv("age,sex,town,job", &people(240));
    let release = released(&table, &format!("{COLUMNS}[output]\nstyle = \"{style}\"\n"));
    let manifest = serde_json::to_value(&release.manifest).unwrap();
    (release, manifest)
}

/// Returns the reader of the release with another manifest; none if it is refused.
fn changed(release: &MemoryRelease, manifest: &Value) -> Option<Reader> {
    let mut release = release.clone();
    release.manifest = serde_json::from_value(manifest.clone()).ok()?;
    let reader = Reader::open(ReleasePlace::Memory(Arc::new(release))).ok()?;
    Some(reader.with_effort(Effort { worlds: 2, seed: 1 }))
}

/// Asks every kind of question.
fn asked(reader: &Reader) {
    let _ = reader.count("age < 40 and job = nurse", None);
    for statistic in [
        Statistic::Count,
        Statistic::Mean("age".to_owned()),
        Statistic::Quantile("job".to_owned(), 0.5),
    ] {
        let _ = reader.crosstab(&Request {
            statistic,
            conditions: Some("age < 50".to_owned()),
            ..by(&["sex"])
        });
    }
    let _ = reader.crosstab(&by(&["age", "town", "job"]));
    let _ = reader.regression("job ~ sex + town", &[]);
    let _ = reader.completed(2);
    let _ = reader.weights();
}

/// A manifest that lacks its algorithm's parameters yields no figures, unless worlds are switched
/// off.
#[test]
fn a_manifest_without_parameters_gives_no_figure() {
    let (release, mut manifest) = made("anatomy");
    manifest.as_object_mut().unwrap().remove("parameters");
    let reader = changed(&release, &manifest).unwrap();
    let refused = [
        reader.crosstab(&by(&["sex", "job"])).unwrap_err(),
        reader.regression("job ~ sex", &[]).unwrap_err(),
        reader.completed(1).unwrap_err(),
        reader.count("sex = f and job = nurse", None).unwrap_err(),
    ];
    for error in refused {
        let (text, help) = complaint(&error);
        assert!(text.contains("does not give the parameters"), "{text}");
        assert!(help.contains("--worlds 0"), "{help}");
    }
    // Counts that the release shows stay exact.
    assert!(reader.count("sex = f", None).unwrap().figure.is_exact());
    let alone = reader.with_effort(Effort { worlds: 0, ..Effort::default() });
    let found = alone.crosstab(&by(&["sex", "job"])).unwrap();
    assert!(figures(&found).iter().any(|own| own.method == "fit"));
}

/// Releases of other programs cannot be published again, so they get a fit without worlds.
#[test]
fn releases_of_others_are_fitted_without_worlds() {
    for (pointer, expected) in [
        ("algorithm", "does not know the algorithm"),
        ("model", "does not know the manifest's model"),
    ] {
        let (release, mut manifest) = made("anatomy");
        match pointer {
            "algorithm" => manifest[pointer] = json!("mine"),
            _ => manifest[pointer]["name"] = json!("mine"),
        }
        let Some(reader) = changed(&release, &manifest) else {
            continue;
        };
        let found = reader.crosstab(&by(&["sex", "job"])).unwrap();
        assert!(figures(&found).iter().any(|own| own.method == "fit"), "{pointer}");
        assert!(found.notes[0].to_string().contains(expected), "{pointer}: {:?}", found.notes);
        assert!(found.notes[0].to_string().contains("not corrected for bias"), "{:?}", found.notes);
        let regression = reader.regression("job ~ sex", &[]).unwrap();
        assert!(regression.notes[0].to_string().contains(expected), "{:?}", regression.notes);
    }
}

/// Every entry of a manifest is replaced by something else: no answer panics.
#[test]
fn no_manifest_makes_anybody_panic() {
    for style in ["anatomy", "slice", "generalize"] {
        let (release, manifest) = made(style);
        let mut pointers = Vec::new();
        collect(&manifest, String::new(), &mut pointers);
        let (mut read, mut all) = (0, 0);
        for pointer in &pointers {
            for value in [json!(null), json!(0), json!(4_294_967_295u32), json!("x"), json!([])] {
                let mut other = manifest.clone();
                *other.pointer_mut(pointer).unwrap() = value;
                all += 1;
                if let Some(reader) = changed(&release, &other) {
                    read += 1;
                    asked(&reader);
                }
            }
        }
        assert!(read > 20 && all > read, "{style}: {read} of {all}");
    }
}

fn collect(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{at}/{key}"), pointers);
            }
        }
        Value::Array(list) => {
            for (number, value) in list.iter().enumerate().take(3) {
                collect(value, format!("{at}/{number}"), pointers);
            }
        }
        _ => {}
    }
    if !at.is_empty() {
        pointers.push(at);
    }
}
