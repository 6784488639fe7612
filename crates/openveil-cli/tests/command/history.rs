//! A table that is published again and again, as its owner meets it.

use super::support::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn folder_with_history() -> tempfile::TempDir {
    let folder = folder();
    fs::write(
        folder.path().join("policy.toml"),
        format!("{POLICY}{HISTORY}"),
    )
    .unwrap();
    folder
}

/// Rows of the table, each with a person's number; values go by the number.
fn write(folder: &Path, people: impl IntoIterator<Item = usize>) {
    let mut text = String::from("name,age,sex,job\n");
    for person in people {
        let job = ["clerk", "nurse", "smith", "judge"][person % 4];
        let sex = ["f", "m"][person % 2];
        text += &format!("p{person},{},{sex},{job}\n", 20 + person * 7 % 50);
    }
    fs::write(folder.join("people.csv"), text).unwrap();
}

fn publish(folder: &Path) -> Value {
    let output = openveil(folder, &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    manifest(folder)
}

fn manifest(folder: &Path) -> Value {
    let manifest = fs::read(folder.join("out/release/manifest.json")).unwrap();
    serde_json::from_slice(&manifest).unwrap()
}

/// The values of every group of a release.
fn groups(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let release = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let mut lines = release.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| header.iter().position(|&own| own == name).unwrap();
    let (group, job) = (place("group"), place("job"));
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        // Cells with commas are quoted; the last columns have none.
        let cells: Vec<&str> = line
            .rsplitn(header.len() - job.min(group) + 1, ',')
            .collect();
        let cell = |place: usize| cells[header.len() - 1 - place].to_owned();
        groups.entry(cell(group)).or_default().push(cell(job));
    }
    groups
}

#[test]
fn releases_follow_one_another_and_only_signatures_are_shown() {
    let folder = folder_with_history();
    write(folder.path(), 0..60);
    let first = publish(folder.path());
    assert_eq!(first["history"]["release"], 1);
    assert_eq!(first["history"]["people"], 60);
    assert_eq!(first["history"]["fakes"]["rows"], 0);
    let mut signatures: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut remember = |folder: &Path| {
        let before = signatures.len();
        for mut values in groups(folder).into_values() {
            values.sort();
            let distinct: BTreeSet<&String> = values.iter().collect();
            assert!(
                distinct.len() == values.len() && values.len() >= 3,
                "{values:?}"
            );
            signatures.insert(values);
        }
        (before, signatures.len())
    };
    remember(folder.path());
    // Some leave, others come.
    write(folder.path(), (7..60).chain(60..76));
    let second = publish(folder.path());
    let history = &second["history"];
    assert_eq!(history["id"], first["history"]["id"]);
    assert_eq!(
        (&history["release"], &history["arrived"], &history["left"]),
        (&2.into(), &16.into(), &7.into())
    );
    let (people, fakes) = (
        history["people"].as_u64().unwrap(),
        history["fakes"]["rows"].as_u64().unwrap(),
    );
    assert_eq!(people, 69);
    assert!(fakes > 0 && second["rows"] == people + fakes, "{history}");
    let in_groups = history["fakes"]["groups"].as_object().unwrap().values();
    assert_eq!(
        in_groups.map(|count| count.as_u64().unwrap()).sum::<u64>(),
        fakes
    );
    let (before, after) = remember(folder.path());
    assert!(after - before <= 4, "hardly any new signatures");
    let statement = second["guarantee"]["statement"].as_str().unwrap();
    assert!(
        statement.contains("after all 2 releases of this history together"),
        "{statement}"
    );
    let audit = openveil(
        folder.path(),
        &["audit", "out", "--fail-under", "l_ratio=3"],
    );
    assert_eq!(audit.status.code(), Some(0), "{}", text(&audit.stderr));
    // The owner's page and the public one are there, and so is the state, for its owner only.
    assert!(folder.path().join("out/release/report.html").exists());
    let state = folder.path().join("secret/people.state");
    assert!(state.exists() && !folder.path().join("secret/people.state.next").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&state).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn the_same_people_keep_their_groups_whatever_is_shown() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    let first = publish(folder.path());
    let before = groups(folder.path());
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    let other = policy.replace(
        "sex = { role = \"quasi-identifier\" }",
        "sex = { role = \"drop\" }",
    ) + "[output]\nstyle = \"slice\"\n";
    fs::write(folder.path().join("policy.toml"), other).unwrap();
    let second = publish(folder.path());
    assert_eq!(second["history"]["same_groups"], true);
    assert_eq!(first["groups"], second["groups"]);
    let values = |groups: BTreeMap<String, Vec<String>>| {
        let sorted = groups.into_values().map(|mut values| {
            values.sort();
            values
        });
        let mut sorted: Vec<Vec<String>> = sorted.collect();
        sorted.sort();
        sorted
    };
    assert_eq!(values(before), values(groups(folder.path())));
}

#[test]
fn too_few_wait_and_values_make_nobody_wait() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    // Two are fewer than l, whatever their values.
    write(folder.path(), (0..40).chain([40, 44]));
    let waiting = publish(folder.path());
    assert_eq!(
        (&waiting["history"]["waiting"], &waiting["rows"]),
        (&2.into(), &40.into())
    );
    assert!(waiting["notes"].to_string().contains("wait for others"));
    // Three clerks allow nothing, and a release without them would tell.
    write(folder.path(), (0..40).chain([40, 44, 48]));
    let refused = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(
        refused.contains("3 people came since the last release, and their values allow none"),
        "{refused}"
    );
    assert_eq!(manifest(folder.path())["history"]["release"], 2);
    write(folder.path(), (0..40).chain([40, 44, 41, 42, 43, 45, 46]));
    let pooled = publish(folder.path());
    let history = &pooled["history"];
    assert_eq!(
        (&history["release"], &history["arrived"]),
        (&3.into(), &7.into())
    );
    assert_eq!(history.get("waiting"), None);
}

/// Rows in another order are the same table: nothing may number values by it.
#[test]
fn the_order_of_rows_numbers_no_values() {
    let values = |people: Vec<usize>| {
        let folder = folder_with_history();
        write(folder.path(), people);
        publish(folder.path());
        let state = fs::read(folder.path().join("secret/people.state")).unwrap();
        let text = String::from_utf8_lossy(&state).into_owned();
        let from = text.find("\"values\":").unwrap();
        text[from..].split(']').next().unwrap().to_owned()
    };
    let ordered = values((0..40).collect());
    assert_eq!(
        ordered,
        "\"values\":[\"clerk\",\"judge\",\"nurse\",\"smith\""
    );
    assert_eq!(ordered, values((0..40).rev().collect()));
}

#[test]
fn a_value_that_nobody_has_any_more_is_still_shown() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    // All judges leave.
    write(folder.path(), (0..40).filter(|person| person % 4 != 3));
    let manifest = publish(folder.path());
    assert!(manifest["history"]["fakes"]["rows"].as_u64().unwrap() > 0);
    let shown: BTreeSet<String> = groups(folder.path()).into_values().flatten().collect();
    assert!(shown.contains("judge"), "{shown:?}");
}

#[test]
fn changed_values_are_refused() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    let table = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let changed = table
        .replace("p4,48,f,clerk", "p4,48,f,smith")
        .replace("p5,55,m,nurse", "p5,55,m,judge")
        .replace("p6,62,f,smith", "p6,62,f,clerk");
    assert_ne!(table, changed);
    fs::write(folder.path().join("people.csv"), &changed).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("3 people have another value"), "{message}");
    assert!(
        message.contains("do not leave these people out"),
        "{message}"
    );
    assert_eq!(manifest(folder.path())["history"]["release"], 1);
}

#[test]
fn values_may_differ_from_episode_to_episode() {
    let folder = folder_with_history();
    let policy = POLICY.replace("[privacy]", "year = { role = \"identifier\" }\n[privacy]");
    let without = format!("{policy}{HISTORY}changes = \"new-episode\"\n");
    fs::write(folder.path().join("policy.toml"), &without).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(
        message.contains("needs a column that says which episode"),
        "{message}"
    );
    let episodes = format!("{without}episode = \"year\"\n");
    fs::write(folder.path().join("policy.toml"), episodes).unwrap();
    let write = |year: usize| {
        let mut text = String::from("name,age,sex,job,year\n");
        for person in 0..40 {
            // Every tenth has another value in the second year.
            let job = (person + usize::from(person % 10 == 3) * (year - 1)) % 4;
            let job = ["clerk", "nurse", "smith", "judge"][job];
            text += &format!(
                "p{person},{},{},{job},{year}\n",
                20 + person,
                ["f", "m"][person % 2]
            );
        }
        fs::write(folder.path().join("people.csv"), text).unwrap();
    };
    write(1);
    publish(folder.path());
    write(2);
    let second = publish(folder.path());
    // Everybody has a new place, not only those whose value differs.
    assert_eq!(second["history"]["arrived"], 40);
    let statement = second["guarantee"]["statement"].as_str().unwrap();
    assert!(
        statement.contains("value in one episode says nothing about that in another"),
        "{statement}"
    );
}

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
    // Even if the count went back as well: the last release is there.
    fs::remove_file(folder.path().join("secret/people.state.count")).unwrap();
    let older = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(
        older.contains("it knows of 1 releases, and 2 were made"),
        "{older}"
    );
    fs::remove_file(&state).unwrap();
    let anew = publish(folder.path());
    assert_eq!(
        (&anew["history"]["release"], &anew["history"]["lost"]),
        (&1.into(), &true.into())
    );
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
    // After the release was put in place, before its state was: the next run ends it.
    fs::write(&state, &first).unwrap();
    fs::write(&next, &second).unwrap();
    write(folder.path(), 8..48);
    assert_eq!(publish(folder.path())["history"]["release"], 3);
    // Before the release was put in place: an earlier one stands there, and the state goes.
    fs::write(&next, &second).unwrap();
    fs::write(folder.path().join("secret/people.state.unfinished"), "half").unwrap();
    write(folder.path(), 9..49);
    assert_eq!(publish(folder.path())["history"]["release"], 4);
    assert!(!next.exists());
    // Where nothing can be decided, nothing is done.
    let third = fs::read(&state).unwrap();
    fs::write(&next, &third[..third.len() / 2]).unwrap();
    let broken = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(broken.contains("was changed") && next.exists(), "{broken}");
    fs::write(&next, &third).unwrap();
    fs::rename(folder.path().join("out"), folder.path().join("moved")).unwrap();
    let moved = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(
        moved.contains("was left by a run that was interrupted") && next.exists(),
        "{moved}"
    );
    fs::rename(folder.path().join("moved"), folder.path().join("out")).unwrap();
    write(folder.path(), 10..50);
    assert_eq!(publish(folder.path())["history"]["release"], 5);
}

#[test]
fn people_are_told_apart_as_before() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    let table = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    // Blanks do not make other people of them, other names do.
    fs::write(
        folder.path().join("people.csv"),
        table.replace("p7,", "p7 ,"),
    )
    .unwrap();
    assert_eq!(publish(folder.path())["history"]["same_groups"], true);
    fs::write(
        folder.path().join("people.csv"),
        table.replace("\np", "\nq"),
    )
    .unwrap();
    let strangers = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(
        strangers.contains("tells of nobody who was in an earlier release"),
        "{strangers}"
    );
    let policy = format!("{POLICY}{HISTORY}")
        .replace(
            "name = { role",
            "code = { role = \"identifier\" }\nname = { role",
        )
        .replace("person = \"name\"", "person = \"code\"");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let coded: String = table
        .lines()
        .enumerate()
        .map(|(row, line)| match row {
            0 => format!("code,{line}\n"),
            _ => format!("{row},{line}\n"),
        })
        .collect();
    fs::write(folder.path().join("people.csv"), coded).unwrap();
    let other = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(other.contains("tells people apart by `name`"), "{other}");
}

#[test]
fn values_are_read_again_as_they_are_written() {
    for (kind, values) in [
        (
            "type = \"date\", format = \"%d.%m.%Y\"",
            ["03.04.2020", "17.12.2021", "01.01.2019", "28.02.2022"],
        ),
        (
            "type = \"number\"",
            ["\"1,5\"", "\"2,25\"", "\"1,125\"", "\"7\""],
        ),
    ] {
        let folder = folder_with_history();
        let policy = format!("{POLICY}{HISTORY}")
            .replace(
                "job = { role = \"sensitive\" }",
                &format!("job = {{ role = \"sensitive\", {kind} }}"),
            )
            .replace(
                "path = \"people.csv\"",
                "path = \"people.csv\"\ndecimal = \",\"",
            );
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        for first in [0, 5] {
            let mut text = String::from("name,age,sex,job\n");
            for person in first..40 {
                text += &format!("p{person},{},f,{}\n", 20 + person, values[person % 4]);
            }
            fs::write(folder.path().join("people.csv"), text).unwrap();
            publish(folder.path());
        }
        assert_eq!(manifest(folder.path())["history"]["release"], 2);
    }
}

#[test]
fn a_state_is_encrypted_with_a_key_and_of_one_history() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    let policy = |more: &str| {
        fs::write(
            folder.path().join("policy.toml"),
            format!("{POLICY}{HISTORY}{more}"),
        )
        .unwrap()
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
    fs::write(
        folder.path().join("policy.toml"),
        text.replace("l = 3", "l = 2"),
    )
    .unwrap();
    assert!(
        complaint(folder.path(), &["publish", "policy.toml"])
            .contains("keeps ratio 3-diversity, and the policy asks for ratio 2-diversity")
    );
}

#[test]
fn what_the_proof_does_not_cover_is_refused() {
    let cases = [
        (
            "l = 3",
            "l = 3\nstrata = [\"sex\"]",
            "is not possible with `strata`",
        ),
        (
            "l = 3",
            "l = 3\nvariant = \"distinct\"",
            "keeps ratio l-diversity only",
        ),
        (
            "job = { role = \"sensitive\" }",
            "job = { role = \"sensitive\", exempt = [\"clerk\"] }",
            "`exempt` values",
        ),
        (
            "[history]",
            "[algorithm]\nname = \"halving\"\n[history]",
            "is kept by `cover`",
        ),
        (
            "state = \"secret/people.state\"",
            "state = \"out/release/people.state\"",
            "in a folder of releases",
        ),
        (
            "[history]",
            "[reader]\nodds = 1.1\ninside = \"random\"\n[history]",
            "nothing to readers informed about everybody",
        ),
        (
            "person = \"name\"",
            "person = \"age\"",
            "must not be published",
        ),
        (
            "person = \"name\"",
            "person = \"nam\"",
            "did you mean `name`?",
        ),
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
    assert!(
        certify.contains("no `--certify` with [history]"),
        "{certify}"
    );
    write(folder.path(), [0, 1, 2, 3, 0, 5, 6]);
    let twice = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(twice.contains("stand in several rows"), "{twice}");
    write(folder.path(), [0, 4, 8, 12, 1]);
    let ineligible = refused(folder.path(), &["publish", "policy.toml"]);
    assert!(
        ineligible.contains("has only 2") || ineligible.contains("`clerk` stands in"),
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
    assert!(
        message.contains("try things with another `state`"),
        "{message}"
    );
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
    assert_eq!(
        (&found["safe"], &found["max_posterior"]),
        (&true.into(), &"1/2".into())
    );
    let afresh = openveil(
        folder.path(),
        &[
            "verify",
            "--algorithm",
            "cover",
            "--l",
            "2",
            "--history",
            "1,1,2,3;",
            "--afresh",
        ],
    );
    assert_eq!(afresh.status.code(), Some(1));
    assert!(text(&afresh.stdout).contains("give people away"));
}

/// A state that is reached by a link is the same one, with the same lock and count beside it; of
/// hard links none is the only name.
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
