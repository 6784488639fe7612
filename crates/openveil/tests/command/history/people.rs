//! The people in a release, and their values.

use super::*;
use std::collections::BTreeSet;

#[test]
fn releases_follow_one_another_and_groups_keep_their_values() {
    let folder = folder_with_history();
    write(folder.path(), 0..60);
    let first = publish(folder.path());
    assert_eq!(first["history"]["release"], 1);
    assert_eq!(first["history"]["people"], 60);
    assert_eq!(first["history"]["fakes"]["rows"], 0);
    let values = |folder: &Path| -> Vec<Vec<String>> {
        let groups = groups(folder).into_values();
        let mut values: Vec<Vec<String>> = groups.collect();
        values.iter_mut().for_each(|own| own.sort());
        values
    };
    let before = values(folder.path());
    // Some people leave, others join.
    write(folder.path(), (7..60).chain(60..76));
    let second = publish(folder.path());
    let history = &second["history"];
    assert_eq!(history["id"], first["history"]["id"]);
    assert_eq!(
        (&history["release"], &history["arrived"], &history["left"]),
        (&2.into(), &16.into(), &7.into())
    );
    let (people, fakes) =
        (history["people"].as_u64().unwrap(), history["fakes"]["rows"].as_u64().unwrap());
    assert_eq!(people, 69);
    assert!(fakes > 0 && second["rows"] == people + fakes, "{history}");
    let in_groups = history["fakes"]["groups"].as_object().unwrap().values();
    assert_eq!(in_groups.map(|count| count.as_u64().unwrap()).sum::<u64>(), fakes);
    let after = values(folder.path());
    assert!(before.iter().all(|own| after.contains(own)), "groups keep their values");
    let statement = second["guarantee"]["statement"].as_str().unwrap();
    assert!(statement.contains("after all 2 releases of this history together"), "{statement}");
    let audit = openveil(folder.path(), &["audit", "out", "--fail-under", "l_ratio=3"]);
    assert_eq!(audit.status.code(), Some(0), "{}", text(&audit.stderr));
    // The chance of being found counts people, without filler rows.
    let rows_of = groups(folder.path());
    let fakes = history["fakes"]["groups"].as_object().unwrap();
    let people_of = |(group, rows): (&String, &Vec<String>)| {
        rows.len() as u64 - fakes.get(group).map_or(0, |count| count.as_u64().unwrap())
    };
    let least = rows_of.iter().map(people_of).filter(|&people| people > 0).min();
    let audit = json(&openveil(folder.path(), &["audit", "out", "--json"]).stdout);
    assert_eq!(audit["k"].as_u64(), least);
    let highest = audit["risk"]["prosecutor"]["highest"].as_f64().unwrap();
    assert!((highest - 1.0 / least.unwrap() as f64).abs() < 1e-12);
    assert_eq!(audit["people"], 69);
    // In a population, people are counted, too.
    let asked = ["audit", "out", "--population", "69", "--json"];
    let audit = json(&openveil(folder.path(), &asked).stdout);
    let journalist = audit["risk"]["journalist"]["highest"].as_f64().unwrap();
    assert!((journalist - highest).abs() < 1e-12, "{audit}");
    let asked = ["audit", "out", "--group", "sex", "--sensitive", "job", "--json"];
    let audit = json(&openveil(folder.path(), &asked).stdout);
    assert!(audit.get("people").is_none(), "fakes are of the release's groups: {audit}");
    let page = fs::read_to_string(folder.path().join("out/release/report.html")).unwrap();
    // The page states when a group has fewer people than the smallest group has rows.
    let rows = rows_of.values().map(|rows| rows.len() as u64).min();
    let is_said = ["Some rows are filler rows.", "all rows but one are filler rows"];
    let is_said = is_said.iter().any(|words| page.contains(words));
    assert_eq!(is_said, least < rows);
    // Filler rows are not in the policy's table.
    let asked = ["query", "out", "--where", "job = clerk", "--policy", "policy.toml", "--json"];
    let answer = json(&openveil(folder.path(), &asked).stdout);
    assert_eq!(answer["true_count"], 17);
    assert_eq!(answer["rows"], 69);
    // Filler rows cannot be identified: a group with filler rows has several values.
    let jobs: BTreeSet<String> = rows_of.into_values().flatten().collect();
    let is_open = |job: &String| {
        let condition = format!("job = {job}");
        let asked = ["query", "out", "--where", &condition, "--json"];
        let answer = json(&openveil(folder.path(), &asked).stdout);
        let [low, high] = [0, 1].map(|end| answer["interval"][end].as_f64().unwrap());
        low < high
    };
    assert!(jobs.iter().any(is_open));
    // In a group with filler rows, each row counts for less than one person.
    let table = json(&openveil(folder.path(), &["query", "out", "--by", "job", "--json"]).stdout);
    let cells = table["cells"].as_array().unwrap().iter();
    let sum = |end: usize| -> f64 {
        let ends = cells.clone();
        ends.map(|cell| cell["interval"][end].as_f64().unwrap()).sum()
    };
    assert!(sum(0) <= 69.0 && 69.0 <= sum(1), "{table}");
    assert!(table["notes"].to_string().contains("no fit"), "{table}");
    // The owner's page and the public page exist, and so does the state, readable by its owner
    // only.
    assert!(folder.path().join("out/release/report.html").exists());
    let state = folder.path().join("secret/people.state");
    assert!(state.exists() && !folder.path().join("secret/people.state.next").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&state).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn the_same_people_keep_their_groups_whatever_is_shown() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    let first = publish(folder.path());
    let before = groups(folder.path());
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    let other = policy
        .replace("sex = { role = \"quasi-identifier\" }", "sex = { role = \"drop\" }")
        + "[output]\nstyle = \"slice\"\n";
    fs::write(folder.path().join("policy.toml"), other).unwrap();
    let second = publish(folder.path());
    assert_eq!(second["history"]["same_groups"], true);
    assert_eq!(first["groups"], second["groups"]);
    let values = |groups: BTreeMap<String, Vec<String>>| {
        let mut sorted: Vec<Vec<String>> = groups
            .into_values()
            .map(|mut values| {
                values.sort();
                values
            })
            .collect();
        sorted.sort();
        sorted
    };
    assert_eq!(values(before), values(groups(folder.path())));
}

/// The order of rows does not matter: values must not be numbered by it.
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
    assert_eq!(ordered, "\"values\":[\"clerk\",\"judge\",\"nurse\",\"smith\"");
    assert_eq!(ordered, values((0..40).rev().collect()));
}

#[test]
fn a_value_that_nobody_has_any_more_is_still_shown() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    // All judges leave the table.
    write(folder.path(), (0..40).filter(|person| person % 4 != 3));
    let manifest = publish(folder.path());
    let fakes = &manifest["history"]["fakes"]["groups"];
    let of_group = |values: Vec<String>| values.iter().filter(|value| *value == "judge").count();
    let judges =
        groups(folder.path()).into_iter().map(|(group, values)| (group, of_group(values) as u64));
    let judges: Vec<_> = judges.filter(|(_, judges)| *judges > 0).collect();
    assert!(!judges.is_empty());
    for (group, judges) in judges {
        let fakes = fakes[&group].as_u64().unwrap_or(0);
        assert!(fakes >= judges, "{fakes} of group {group}");
    }
}

#[test]
fn whoever_comes_back_has_the_old_place() {
    let folder = folder_with_history();
    for (people, left, same_groups) in
        [(0..40, 0, false), (4..40, 4, false), (0..40, 0, false), (0..40, 0, true)]
    {
        let everybody = people.len();
        write(folder.path(), people);
        let history = &publish(folder.path())["history"];
        let first = history["release"] == 1;
        let of = |name: &str| history[name].as_u64().unwrap() as usize;
        assert_eq!(
            (of("people"), of("arrived"), of("left")),
            (everybody, if first { everybody } else { 0 }, left)
        );
        assert_eq!(history["same_groups"], same_groups, "{history}");
    }
}

/// Values have other numbers in the state than in a table with additional earlier values.
#[test]
fn a_value_of_too_many_who_came_is_named() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    let table = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let came: String = ["artist", "clerk", "clerk", "clerk", "clerk", "nurse"]
        .iter()
        .enumerate()
        .map(|(person, job)| format!("new{person},30,f,{job}\n"))
        .collect();
    fs::write(folder.path().join("people.csv"), table + &came).unwrap();
    let refused = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(refused.contains("`clerk` appears in 4 of 6 rows"), "{refused}");
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
    assert!(message.contains("do not leave these people out"), "{message}");
    assert_eq!(manifest(folder.path())["history"]["release"], 1);
}

#[test]
fn values_may_differ_from_episode_to_episode() {
    let folder = folder_with_history();
    let policy = POLICY.replace("[privacy]", "year = { role = \"identifier\" }\n[privacy]");
    let without = format!("{policy}{HISTORY}changes = \"new-episode\"\n");
    fs::write(folder.path().join("policy.toml"), &without).unwrap();
    let message = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(message.contains("needs a column that names the episode"), "{message}");
    let episodes = format!("{without}episode = \"year\"\n");
    fs::write(folder.path().join("policy.toml"), episodes).unwrap();
    let write = |year: usize| {
        let mut text = String::from("name,age,sex,job,year\n");
        for person in 0..40 {
            // Every tenth person has another value in the second year.
            let job = (person + usize::from(person % 10 == 3) * (year - 1)) % 4;
            let job = ["clerk", "nurse", "smith", "judge"][job];
            text += &format!("p{person},{},{},{job},{year}\n", 20 + person, ["f", "m"][person % 2]);
        }
        fs::write(folder.path().join("people.csv"), text).unwrap();
    };
    write(1);
    publish(folder.path());
    write(2);
    let second = publish(folder.path());
    // Everybody gets a new slot, not only people whose value differs.
    assert_eq!(second["history"]["arrived"], 40);
    let statement = second["guarantee"]["statement"].as_str().unwrap();
    assert!(
        statement.contains("value in one episode says nothing about that in another"),
        "{statement}"
    );
    // A common year does not mean that all rows belong to one person.
    assert!(!second["notes"].to_string().contains("repeats"), "{second}");
}

#[test]
fn people_are_told_apart_as_before() {
    let folder = folder_with_history();
    write(folder.path(), 0..40);
    publish(folder.path());
    let table = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    // Differing blanks do not make other people, but other names do.
    fs::write(folder.path().join("people.csv"), table.replace("p7,", "p7 ,")).unwrap();
    assert_eq!(publish(folder.path())["history"]["same_groups"], true);
    fs::write(folder.path().join("people.csv"), table.replace("\np", "\nq")).unwrap();
    let strangers = complaint(folder.path(), &["publish", "policy.toml"]);
    assert!(strangers.contains("contains no one from an earlier release"), "{strangers}");
    let policy = format!("{POLICY}{HISTORY}")
        .replace("name = { role", "code = { role = \"identifier\" }\nname = { role")
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
    assert!(other.contains("identifies people by `name`"), "{other}");
}

#[test]
fn values_are_read_again_as_they_are_written() {
    for (kind, values) in [
        (
            "type = \"date\", format = \"%d.%m.%Y\"",
            ["03.04.2020", "17.12.2021", "01.01.2019", "28.02.2022"],
        ),
        ("type = \"number\"", ["\"1,5\"", "\"2,25\"", "\"1,125\"", "\"7\""]),
    ] {
        let folder = folder_with_history();
        let policy = format!("{POLICY}{HISTORY}")
            .replace(
                "job = { role = \"sensitive\" }",
                &format!("job = {{ role = \"sensitive\", {kind} }}"),
            )
            .replace("path = \"people.csv\"", "path = \"people.csv\"\ndecimal = \",\"");
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
