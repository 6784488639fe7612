//! Folders: complete or absent, and readable by the right people.

use super::*;

#[test]
fn nothing_secret_is_in_the_published_folder() {
    let (folder, _published) = publish(POLICY);
    let files: Vec<String> = fs::read_dir(folder.path().join("out/release"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files.len(), 3, "table, manifest and report");
    let manifest = fs::read_to_string(folder.path().join("out/release/manifest.json")).unwrap();
    assert!(!manifest.contains("timings") && !manifest.contains("seed\":"), "{manifest}");
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
    // The remains of a killed report are a part of the earlier release.
    let left = folder.path().join("out/release/.openveil-unfinished-1");
    fs::write(&left, "<html>").unwrap();
    let again = publish::run(&policy, Options::default(), &Nobody).unwrap();
    assert!(again.written.replaced && again.manifest.fit_for_publication);
    assert!(!left.exists());
    fs::write(folder.path().join("out/release/notes.txt"), "mine").unwrap();
    let refused = publish::run(&policy, Options::default(), &Nobody).unwrap_err();
    assert!(refused.to_string().contains("holds `notes.txt`, which is not part"), "{refused}");
    assert!(folder.path().join("out/release/release.csv").exists());
}

#[test]
fn only_what_the_earlier_manifest_names_is_replaced() {
    for stranger in ["table-of-contents.csv", "table-7.csv", "release.csv.bak", "release.parquet"] {
        let (folder, _published) = publish(POLICY);
        let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
        let path = folder.path().join("out/release").join(stranger);
        fs::write(&path, "mine").unwrap();
        let refused = publish::run(&policy, Options::default(), &Nobody).unwrap_err();
        let expected = format!("holds `{stranger}`, which is not part");
        assert!(refused.to_string().contains(&expected), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
    // A forged manifest names other files.
    let (folder, _published) = publish(POLICY);
    let policy = Policy::parse(POLICY, &folder.path().join("policy.toml")).unwrap();
    let release = folder.path().join("out/release");
    fs::write(release.join("manifest.json"), r#"{ "files": ["notes.txt"] }"#).unwrap();
    fs::write(release.join("notes.txt"), "mine").unwrap();
    assert!(publish::run(&policy, Options::default(), &Nobody).is_err());
    assert!(release.join("notes.txt").exists() && release.join("release.csv").exists());
}

/// A run that is refused leaves the folder, which it may have made, to the other run.
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
        let [winner, loser] = if one.is_ok() { [one, other] } else { [other, one] };
        assert!(winner.unwrap().release().is_dir());
        assert!(loser.unwrap_err().contains("is in use by another run"));
    }
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "in the way").unwrap();
    let refused = Staging::new(&folder.path().join("file/out")).unwrap_err().to_string();
    assert!(refused.contains("cannot write to the output folder"), "{refused}");
    assert!(refused.contains("--out"), "{refused}");
}

#[test]
#[cfg(unix)]
fn the_owners_folder_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, _published) = publish(POLICY);
    let mode = fs::metadata(folder.path().join("out/owner")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}
