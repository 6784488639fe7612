//! The state that connects releases of a history.

use super::*;
use std::process::Command;

#[test]
fn an_older_state_is_refused_and_a_lost_one_is_said() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    let state = folder.path().join("secret/people.state");
    let backup = fs::read(&state).unwrap();
    write(folder.path(), 4..44);
    publish(folder.path());
    fs::write(&state, backup).unwrap();
    let older = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(older.contains("is older than the last release"), "{older}");
    // An old state is refused even if the last release was moved, because it was counted; and even
    // if the count is old as well, because the last release is there.
    let (out, moved) = (folder.path().join("out"), folder.path().join("moved"));
    fs::rename(&out, &moved).unwrap();
    let counted = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(counted.contains("is older than the last release"), "{counted}");
    fs::rename(&moved, &out).unwrap();
    fs::remove_file(folder.path().join("secret/people.state.count")).unwrap();
    let older = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(older.contains("it records 1 releases, but 2 were made"), "{older}");
    fs::remove_file(&state).unwrap();
    // A count that cannot be read is neither lost nor older.
    let count = folder.path().join("secret/people.state.count");
    fs::create_dir(&count).unwrap();
    let unreadable = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(unreadable.contains("state of the history"), "{unreadable}");
    fs::remove_dir(&count).unwrap();
    let anew = publish(folder.path());
    assert_eq!((&anew["history"]["release"], &anew["history"]["lost"]), (&1.into(), &true.into()));
    assert!(anew["notes"].to_string().contains("begins anew"));
}

#[test]
fn an_interrupted_run_leaves_the_state_of_the_release_that_is_there() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    let state = folder.path().join("secret/people.state");
    let next = folder.path().join("secret/people.state.next");
    let first = fs::read(&state).unwrap();
    write(folder.path(), 4..44);
    publish(folder.path());
    let second = fs::read(&state).unwrap();
    // Killed after the release was put in place, but before its state: the next run completes it.
    fs::write(&state, &first).unwrap();
    fs::write(&next, &second).unwrap();
    write(folder.path(), 8..48);
    assert_eq!(publish(folder.path())["history"]["release"], 3);
    // Killed before the release was put in place: an earlier release is there, and the new state is
    // removed.
    let (out, kept) = (folder.path().join("out"), folder.path().join("kept"));
    let count = folder.path().join("secret/people.state.count");
    let before = [&state, &count].map(|path| fs::read(path).unwrap());
    fs::create_dir(&kept).unwrap();
    let mut copy = Command::new("cp");
    let copy = copy.current_dir(folder.path()).arg("-r");
    let copied = copy.args(["out/release", "out/owner", "kept"]).status();
    assert!(copied.unwrap().success());
    write(folder.path(), 9..49);
    publish(folder.path());
    let interrupted = |released: &Path| {
        let fourth = fs::read(&state).unwrap();
        fs::write(&next, fourth).unwrap();
        fs::write(&state, &before[0]).unwrap();
        fs::write(&count, &before[1]).unwrap();
        fs::rename(&out, folder.path().join("gone")).unwrap();
        fs::rename(released, &out).unwrap();
    };
    interrupted(&kept);
    fs::write(folder.path().join("secret/people.state.unfinished"), "half").unwrap();
    assert_eq!(publish(folder.path())["history"]["release"], 4);
    assert!(!next.exists());
    // If the case cannot be decided, nothing is changed: another release may have taken its place.
    fs::write(folder.path().join("other.toml"), POLICY).unwrap();
    let other = openveil(folder.path(), &["publish", "other.toml", "--out", "other"]);
    assert_eq!(other.status.code(), Some(0));
    fs::remove_dir_all(folder.path().join("gone")).unwrap();
    interrupted(&folder.path().join("other"));
    let unclear = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(unclear.contains("another release is in"), "{unclear}");
    fs::remove_dir_all(&out).unwrap();
    fs::rename(folder.path().join("gone"), &out).unwrap();
    write(folder.path(), 10..50);
    assert_eq!(publish(folder.path())["history"]["release"], 5);
    let third = fs::read(&state).unwrap();
    fs::write(&next, &third[..third.len() / 2]).unwrap();
    let broken = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(broken.contains("was changed") && next.exists(), "{broken}");
    fs::write(&next, &third).unwrap();
    fs::rename(folder.path().join("out"), folder.path().join("moved")).unwrap();
    let moved = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(moved.contains("was left by an interrupted run") && next.exists(), "{moved}");
    fs::rename(folder.path().join("moved"), folder.path().join("out")).unwrap();
    write(folder.path(), 11..51);
    assert_eq!(publish(folder.path())["history"]["release"], 6);
}

#[test]
fn a_state_is_encrypted_with_a_key_and_of_one_history() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    let policy = |more: &str| {
        fs::write(folder.path().join("policy.toml"), format!("{POLICY}{HISTORY}{more}")).unwrap()
    };
    policy("key = \"secret.key\"\n");
    let message = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("read the key"), "{message}");
    fs::write(folder.path().join("secret.key"), "7a".repeat(32)).unwrap();
    publish(folder.path());
    let state = fs::read(folder.path().join("secret/people.state")).unwrap();
    assert!(state.starts_with(b"openveil sealed history"));
    assert!(!String::from_utf8_lossy(&state).contains("clerk"));
    policy("");
    assert!(complaint(folder.path(), &["publish", "policy.toml"]).contains("names no `key`"));
    policy("key = \"secret.key\"\n");
    let text = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    fs::write(folder.path().join("policy.toml"), text.replace("l = 3", "l = 2")).unwrap();
    assert!(
        complaint(folder.path(), &["publish", "policy.toml"])
            .contains("is the state of a history with ratio 3-diversity, but the policy asks for ratio 2-diversity")
    );
}

#[test]
fn what_the_proof_does_not_cover_is_refused() {
    let cases = [
        ("l = 3", "l = 3\nstrata = [\"sex\"]", "is not possible with `strata`"),
        (
            "model = \"l-diversity\"\nl = 3",
            "model = \"t-closeness\"\nt = 0.3\ndistance = \"equal\"",
            "groups of people who came together are compared with these people",
        ),
        (
            "model = \"l-diversity\"\nl = 3",
            "model = \"k-anonymity\"\nk = 3",
            "people leave, and those who stay may be fewer",
        ),
        (
            "state = \"secret/people.state\"",
            "state = \"out/release/people.state\"",
            "in a folder of releases",
        ),
        (
            "[history]",
            "[reader]\nodds = 1.1\ninside = \"random\"\n[history]",
            "no guarantee against readers informed about everybody",
        ),
        ("person = \"name\"", "person = \"age\"", "must not be published"),
        ("person = \"name\"", "person = \"nam\"", "did you mean `name`?"),
    ];
    for (from, to, expected) in cases {
        let folder = folder_with_history();
        let policy = format!("{POLICY}{HISTORY}").replace(from, to);
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        let message = refused(folder.path(), &["publish", "policy.toml"]);
        assert!(message.contains(expected), "{message}");
        assert!(!folder.path().join("secret").exists());
    }
    let folder = folder_with_history();
    let certify = refused(folder.path(), &["publish", "policy.toml", "--certify"]);
    assert!(certify.contains("`--certify` covers a single release"), "{certify}");
    write(folder.path(), [0, 1, 2, 3, 0, 5, 6]);
    let twice = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(twice.contains("appear in several rows"), "{twice}");
    write(folder.path(), [0, 4, 8, 12, 1]);
    let ineligible = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(
        ineligible.contains("has only 2") || ineligible.contains("`clerk` appears in"),
        "{ineligible}"
    );
}

#[test]
fn a_test_seed_marks_the_history() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    let seeded = ["publish", "policy.toml", "--test-seed", "1"];
    assert_eq!(openveil(folder.path(), &seeded).status.code(), Some(0));
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("made with a test seed"), "{message}");
    assert_eq!(openveil(folder.path(), &seeded).status.code(), Some(0));
    let real = folder_with_history();
    write(real.path(), 0..40);
    publish(real.path());
    let message = complaint(real.path(), &seeded);
    assert!(message.contains("use another `state` for tests"), "{message}");
}

#[test]
fn histories_are_enumerated_on_request() {
    let folder = folder();
    let arguments = [
        "verify",
        "--algorithm",
        "cover",
        "--l",
        "2",
        "--json",
        "--history",
        "1,1,2,3; +1,2 -0; ^0",
    ];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = json(&output.stdout);
    assert_eq!((&found["safe"], &found["max_posterior"]), (&true.into(), &"1/2".into()));
    let afresh = openveil(
        folder.path(),
        &["verify", "--algorithm", "cover", "--l", "2", "--history", "1,1,2,3;", "--afresh"],
    );
    assert_eq!(afresh.status.code(), Some(1));
    assert!(text(&afresh.stdout).contains("disclose values"));
}

/// A state behind a link is the same state, with the same lock and count. Hard links are refused,
/// because none of them is the only name.
#[cfg(unix)]
#[test]
fn a_state_has_one_name() {
    let folder = folder_with_history();
    let path = folder.path();
    write(path, 0..60);
    publish(path);
    let state = path.join("secret/people.state");
    std::os::unix::fs::symlink("secret/people.state", path.join("link.state")).unwrap();
    let linked = format!("{POLICY}{HISTORY}").replace("secret/people.state", "link.state");
    fs::write(path.join("linked.toml"), linked).unwrap();
    write(path, 0..66);
    let output = openveil(path, &["publish", "linked.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(manifest(path)["history"]["release"], 2);
    assert!(path.join("link.state").is_symlink() && !path.join("link.state.count").exists());
    write(path, 0..72);
    assert_eq!(publish(path)["history"]["release"], 3);
    fs::hard_link(&state, path.join("other.state")).unwrap();
    let message = complaint(path, &["publish", "policy.toml"]);
    assert!(message.contains("hard links"), "{message}");
}
