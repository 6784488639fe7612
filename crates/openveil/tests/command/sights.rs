//! Every output that depends on who has which value is recorded, and later releases of other rows,
//! or of fewer histograms, mention it.

use super::support::*;
use openveil_io::Sight;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A policy; `{}` are additions to [input], to the sensitive column, to [privacy], and sections.
fn policy([input, job, privacy, more]: [&str; 4]) -> String {
    format!(
        "[input]\npath = \"t.csv\"\n{input}\n[columns]\nid = {{ role = \"identifier\" }}\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\nsex = {{ role = \"quasi-identifier\" }}\njob = {{ role = \"sensitive\"{job} }}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n{privacy}\n{more}\n"
    )
}

const PLAIN: [&str; 4] = ["", "", "", ""];

/// Returns a table of people of these jobs, the last two without a sex; `ids` are `p0`, `p1`, ….
fn table(jobs: &str) -> String {
    let last = jobs.len() - 2;
    let row = |(number, job): (usize, char)| {
        let sex = if number < last { ["m", "f"][number / 2 % 2] } else { "" };
        format!("p{number},{},{sex},{job}\n", 20 + 10 * number)
    };
    let rows: String = jobs.chars().enumerate().map(row).collect();
    format!("id,age,sex,job\n{rows}")
}

fn written(table: &str, policy: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), table).unwrap();
    fs::write(folder.path().join("p.toml"), policy).unwrap();
    folder
}

/// Returns the sights that are recorded.
fn recorded(folder: &Path) -> BTreeSet<String> {
    let Ok(text) = fs::read(folder.join("out/owner/refusals.json")) else {
        return BTreeSet::new();
    };
    let entries = json(&text)["entries"].as_array().unwrap().clone();
    entries.iter().map(|own| own["sight"].as_str().unwrap().to_owned()).collect()
}

/// Publishes, and returns for which reader the release is made; the refusal if it is refused.
fn adversary(folder: &Path, policy: &str) -> String {
    fs::write(folder.join("p.toml"), policy).unwrap();
    let output = openveil(folder, &["publish", "p.toml"]);
    if output.status.code() != Some(0) {
        return text(&output.stderr);
    }
    let manifest = json(&fs::read(folder.join("out/release/manifest.json")).unwrap());
    let notes = manifest["notes"].to_string();
    let found = manifest["guarantee"]["adversary"].as_str().unwrap().to_owned();
    assert_eq!(found == "sees-release", notes.contains("a reader who knows of it"), "{notes}");
    found
}

const KEPT: &str = "missing = \"keep\"";
const DROPPED: &str = "missing = \"drop-rows\"";
const CATEGORIES: &str = "[privacy]\nall = [ { model = \"l-diversity\", l = 2 }, { model = \"l-alpha-diversity\", l = 2, alpha = \"1/2\", categories = [[\"a\", \"b\"], [\"c\"]] } ]";

/// Every kind of error that depends on values: what it says, the policy, and the jobs of six
/// people, of whom the last two are left out.
fn errors() -> Vec<(&'static str, Sight, String, &'static str)> {
    let with = |parts: [&str; 4]| {
        let [_, job, privacy, more] = parts;
        policy([DROPPED, job, privacy, more])
    };
    let categories = policy([DROPPED, "", "", ""])
        .replace("[privacy]\nmodel = \"l-diversity\"\nl = 2", CATEGORIES);
    let integer = with(["", ", type = \"integer\"", "", ""]);
    vec![
        ("is not possible", Sight::Model, with(PLAIN), "aaabcd"),
        ("only 1", Sight::Model, with(PLAIN), "aaaabc"),
        (
            "strata by sex cannot be published",
            Sight::Model,
            with(["", "", "strata = [\"sex\"]", ""]),
            "aabccd",
        ),
        (
            "strata by rows_of_person cannot be published",
            Sight::Model,
            with(["", "", "", "[persons]\nid = \"id\""]),
            "aaabcd",
        ),
        (
            "no release can satisfy",
            Sight::Model,
            with(PLAIN).replace(
                "model = \"l-diversity\"\nl = 2",
                "model = \"alpha-k-anonymity\"\nalpha = \"1/2\"\nk = 2",
            ),
            "aaabcd",
        ),
        (
            "needs groups that satisfy l = 3",
            Sight::Model,
            with(["", "", "", "[reader]\nodds = 2"]),
            "abcaab",
        ),
        ("`categories` name `c`", Sight::Model, categories.clone(), "aabbcc"),
        ("is in none of the `categories`", Sight::Model, categories, "acbdab"),
        ("`exempt` names `d`", Sight::Cells, with(["", ", exempt = [\"d\"]", "", ""]), "abcadd"),
        ("every value is exempt", Sight::Cells, with(["", ", exempt = [\"a\"]", "", ""]), "aaaabc"),
        ("read alike", Sight::Cells, with(PLAIN), "aAbcbc"),
        ("is not a whole number", Sight::Cells, integer, "12x312"),
        (
            "`order` does not list",
            Sight::Cells,
            with(["", ", order = [\"a\", \"b\"]", "", ""]).replace(
                "model = \"l-diversity\"\nl = 2",
                "model = \"t-closeness\"\nt = 0.9\ndistance = \"ordered\"",
            ),
            "abcaab",
        ),
        ("contains a sign", Sight::Cells, with(["", "", "", "[persons]\nid = \"id\""]), "a|bcab"),
    ]
}

#[test]
fn every_error_that_depends_on_values_is_recorded_and_named() {
    let mut met = BTreeSet::new();
    for (says, sight, policy_of_error, jobs) in errors() {
        let folder = written(&table(jobs), &policy_of_error);
        let message = complaint(folder.path(), &["publish", "p.toml"]);
        assert!(message.contains(says), "{says}: {message}");
        assert!(message.contains("The refusal is recorded"), "{message}");
        let name = serde_json::to_value(sight).unwrap().as_str().unwrap().to_owned();
        assert_eq!(recorded(folder.path()), BTreeSet::from([name.clone()]), "{says}");
        met.insert(name);
        // All six people, of whom the run saw four.
        fs::write(folder.path().join("t.csv"), table("abcdef")).unwrap();
        assert_eq!(adversary(folder.path(), &policy([KEPT, "", "", ""])), "sees-release", "{says}");
    }
    // Rows of ties, samples and histories need other tables; plans and comparisons are no errors.
    let tied = policy(["", "", "", "[ties]\nid = \"id\""]);
    let folder = written("id,age,sex,job\nx,1,m,a\nx,2,m,b\ny,3,m,c\n", &tied);
    refused(folder.path(), &["publish", "p.toml"]);
    met.extend(recorded(folder.path()));
    let sampled = policy([KEPT, "", "", ""]);
    let folder = written(&table("aabbccdd"), &sampled);
    let sample =
        "compare p.toml --trials 1 --queries 9 --test-seed 1 --sample s.json --sample-rows 4";
    openveil(folder.path(), &sample.split(' ').collect::<Vec<_>>());
    fs::write(folder.path().join("p.toml"), sampled.replace("l = 2", "l = 5")).unwrap();
    complaint(folder.path(), &["publish", "p.toml", "--without-sample", "s.json"]);
    met.extend(recorded(folder.path()));
    let history = format!("{}{}", policy(PLAIN), "[history]\nstate = \"state\"\nperson = \"id\"\n");
    let folder = written("id,age,sex,job\nx,1,m,a\ny,2,m,a\n", &history);
    complaint(folder.path(), &["publish", "p.toml"]);
    met.extend(recorded(folder.path()));
    fs::write(folder.path().join("t.csv"), "id,age,sex,job\nx,1,m,a\ny,2,m,b\n").unwrap();
    assert_eq!(adversary(folder.path(), &policy(PLAIN)), "sees-release");
    for sight in [Sight::Plan, Sight::Comparison, Sight::Missing] {
        met.insert(serde_json::to_value(sight).unwrap().as_str().unwrap().to_owned());
    }
    assert_eq!(met.len(), Sight::ALL.len(), "{met:?}");
}

/// If the outcome of a plan is not the same for all values, each outcome is recorded.
#[test]
fn whatever_differs_between_values_is_recorded() {
    let mut policies: Vec<String> = errors().into_iter().map(|(_, _, policy, _)| policy).collect();
    for more in [
        ["", ", type = \"number\"", "", ""],
        ["", ", merge = true", "", ""],
        ["", ", prefix = 1, exempt = [\"a\"]", "", ""],
        ["", ", type = \"integer\", bins = [2, 4]", "", ""],
        ["", ", type = \"integer\", quantiles = 2", "", ""],
        ["missing = \"error\"", "", "", ""],
        [KEPT, "", "smallest-group = 4", ""],
        [KEPT, "", "", "[algorithm]\nname = \"halving\""],
        [KEPT, "", "", "[ties]\nid = \"id\"\nlargest = 1"],
        [KEPT, ", hierarchy = { tree = { low = [\"a\", \"b\"], high = [\"c\"] } }", "", ""],
    ] {
        policies.push(policy(more));
    }
    let tables = ["aaabcd", "abcdef", "aabbcc", "aAbbcc", "123412", "111123", "a1b2c3", "aaaaaa"];
    for policy in policies {
        let mut outcomes: BTreeMap<String, bool> = BTreeMap::new();
        for jobs in tables {
            let folder = written(&table(jobs), &policy);
            let output = openveil(folder.path(), &["publish", "p.toml", "--dry-run"]);
            let said = format!("{:?} {}", output.status.code(), text(&output.stderr));
            outcomes.insert(said, !recorded(folder.path()).is_empty());
        }
        let are_recorded = outcomes.values().all(|&is_recorded| is_recorded);
        assert!(outcomes.len() == 1 || are_recorded, "{policy}: {outcomes:#?}");
    }
}

/// Returns ways to look twice: what is looked at first, and what is published then.
fn ways() -> Vec<(&'static str, String, String)> {
    const SEX: &str = "sex = { role = \"quasi-identifier\" }";
    let kept = policy([KEPT, "", "", ""]);
    let dropped = |privacy: &str| policy([DROPPED, "", privacy, ""]);
    let by_age = |width: u32| {
        let typed = "type = \"integer\"";
        let policy = policy([KEPT, "", "strata = [\"age\"]", ""]);
        policy.replacen(typed, &format!("{typed}, floor = {width}"), 1)
    };
    let kind = |section: &str| policy([KEPT, "", "", section]);
    let number = |more: &str| policy([KEPT, &format!(", type = \"integer\"{more}"), "", ""]);
    let by_sex = "strata = [\"sex\"]";
    let other_secret = kept
        .replace(SEX, "sex = { role = \"sensitive\" }")
        .replace("job = { role = \"sensitive\" }", "job = { role = \"drop\" }");
    let largest = "[ties]\nid = \"id\"\nlargest = 1";
    let without_m = policy([&format!("{DROPPED}\nmissing_values = [\"m\"]"), "", "", ""]);
    vec![
        ("other rows", dropped(""), kept.clone()),
        ("other rows, all of them first", kept.clone(), dropped("")),
        ("a dropped column", dropped(""), dropped("").replace(SEX, "sex = { role = \"drop\" }")),
        ("strata, then none", dropped(by_sex), dropped("")),
        ("coarser strata", by_age(20), by_age(40)),
        ("other strata", by_age(20).replace(KEPT, DROPPED), dropped(by_sex)),
        ("a coarser secret", number(""), number(", bins = [2, 3]")),
        ("another secret", kept.clone(), other_secret),
        ("ties, then none", kind("[ties]\nid = \"id\""), kept.clone()),
        ("rows of ties, drawn anew", kind(largest), kind(largest)),
        ("numbers of rows", kind("[persons]\nid = \"id\""), kept.clone()),
        ("other missing values", without_m, kept),
    ]
}

#[test]
fn no_second_look_is_silent() {
    let plan: &[&str] = &["publish", "p.toml", "--dry-run"];
    let compare: &[&str] = &["compare", "p.toml", "--trials", "1", "--queries", "9"];
    for (what, looked_at, then) in ways() {
        let is_number = then.contains("bins");
        let jobs = if is_number { "121323" } else { "abacde" };
        // Other kinds than plain tables cannot be compared.
        let is_compared = !looked_at.contains("id = \"id\"");
        for first in [plan, compare].into_iter().take(1 + usize::from(is_compared)) {
            let folder = written(&table(jobs), &looked_at);
            let output = openveil(folder.path(), first);
            assert_eq!(output.status.code(), Some(0), "{what}: {}", text(&output.stderr));
            assert_eq!(adversary(folder.path(), &then), "sees-release", "{what}, {first:?}");
        }
    }
}

/// The same rows are recognised, however they are written; then the release tells as much.
#[test]
fn the_same_rows_are_silent_however_they_are_written() {
    let jobs = "aabcde";
    let rows = table(jobs);
    let (header, rest) = rows.split_once('\n').unwrap();
    let mut lines: Vec<&str> = rest.lines().collect();
    lines.reverse();
    let reversed = format!("{header}\r\n\r\n{}\r\n", lines.join("\r\n"));
    let decimals = rows.replace("0,m", "0.0,m").replace("0,f", "0.00,f");
    for written_again in [rows.clone(), reversed, decimals] {
        let folder = written(&rows, &policy([KEPT, "", "l = 4", ""]).replacen("l = 2\n", "", 1));
        refused(folder.path(), &["publish", "p.toml"]);
        fs::write(folder.path().join("t.csv"), &written_again).unwrap();
        let fewer = policy([KEPT, "", "", ""])
            .replace("sex = { role = \"quasi-identifier\" }", "sex = { role = \"drop\" }");
        for then in [policy([KEPT, "", "", ""]), fewer] {
            assert_eq!(adversary(folder.path(), &then), "knows-algorithm", "{written_again}");
        }
        // A changed cell, and a person more, are other rows.
        for (from, to) in [("p1,30", "p1,31"), ("p5", "p6,80,m,a\np5")] {
            fs::write(folder.path().join("t.csv"), rows.replace(from, to)).unwrap();
            assert_eq!(
                adversary(folder.path(), &policy([KEPT, "", "", ""])),
                "sees-release",
                "{from}"
            );
        }
    }
}

/// A run that stopped at a cell is forgiven once the same people are published.
#[test]
fn a_mended_cell_is_no_look() {
    let number = policy([KEPT, ", type = \"integer\"", "", ""]);
    let folder = written(&table("12x345"), &number);
    refused(folder.path(), &["publish", "p.toml"]);
    fs::write(folder.path().join("t.csv"), table("126345")).unwrap();
    assert_eq!(adversary(folder.path(), &number), "knows-algorithm");
    let other = number.replace(KEPT, DROPPED);
    assert_eq!(adversary(folder.path(), &other), "sees-release");
}

/// A run that stopped at missing values is forgiven once all the same rows are published or counted.
#[test]
fn missing_values_are_no_look_where_they_are_counted() {
    let jobs = table("abcabc").replace("40,f,c", "40,f,");
    let strict = policy(PLAIN);
    for (then, expected) in [
        (policy([DROPPED, "", "", ""]), "knows-algorithm"),
        (policy([KEPT, "", "", ""]), "knows-algorithm"),
    ] {
        let then =
            then.replace("sex = { role = \"quasi-identifier\" }", "sex = { role = \"drop\" }");
        let strict =
            strict.replace("sex = { role = \"quasi-identifier\" }", "sex = { role = \"drop\" }");
        let folder = written(&jobs, &strict);
        refused(folder.path(), &["publish", "p.toml"]);
        assert_eq!(recorded(folder.path()), BTreeSet::from(["missing".to_owned()]));
        assert_eq!(adversary(folder.path(), &then), expected);
        // Other people.
        fs::write(folder.path().join("t.csv"), jobs.replace("p5,70", "p5,71")).unwrap();
        assert_eq!(adversary(folder.path(), &then), "sees-release");
    }
}

/// Plans end with the release that shows what they showed: the table of the next month is another.
#[test]
fn a_plan_ends_with_its_release() {
    let plain = policy([KEPT, "", "", ""]);
    let folder = written(&table("aabcde"), &plain);
    let plan = openveil(folder.path(), &["publish", "p.toml", "--dry-run"]);
    assert_eq!(plan.status.code(), Some(0), "{}", text(&plan.stderr));
    assert_eq!(recorded(folder.path()), BTreeSet::from(["plan".to_owned()]));
    // A release with a test seed is not for publication.
    openveil(folder.path(), &["publish", "p.toml", "--test-seed", "1"]);
    assert!(!recorded(folder.path()).is_empty());
    assert_eq!(adversary(folder.path(), &plain), "knows-algorithm");
    assert!(recorded(folder.path()).is_empty());
    fs::write(folder.path().join("t.csv"), table("abbcdef")).unwrap();
    assert_eq!(adversary(folder.path(), &plain), "knows-algorithm");
}

/// With ties, a lower l in the same strata restores the promise.
#[test]
fn a_lower_l_shows_what_was_refused_about_ties() {
    let ids = ["x", "x", "y", "y", "z", "z", "u", "v", "w"];
    let jobs = ["a", "a", "b", "b", "c", "c", "a", "b", "c"];
    let row =
        |(number, (id, job)): (usize, (&str, &str))| format!("{id},{},m,{job}\n", 20 + number);
    let rows: String = ids.into_iter().zip(jobs).enumerate().map(row).collect();
    let tied = policy(["", "", "", "[ties]\nid = \"id\""]);
    let folder = written(&format!("id,age,sex,job\n{rows}"), &tied.replace("l = 2", "l = 4"));
    refused(folder.path(), &["publish", "p.toml"]);
    assert_eq!(adversary(folder.path(), &tied), "knows-algorithm");
}

/// A record that cannot be read stops a run; without its key, every look counts.
#[test]
fn records_are_read_or_refused() {
    let jobs = "aaabcd";
    let strict = policy([KEPT, "", "l = 3", ""]).replacen("l = 2\n", "", 1);
    let plain = policy([KEPT, "", "", ""]);
    let made = || {
        let folder = written(&table(jobs), &strict);
        refused(folder.path(), &["publish", "p.toml"]);
        folder
    };
    let folder = made();
    let record = folder.path().join("out/owner/refusals.json");
    let text_of_record = fs::read_to_string(&record).unwrap();
    assert!(!text_of_record.contains("p0"), "{text_of_record}");
    for (content, says) in [
        ("{", "is not a record of what depended on values"),
        (
            &*text_of_record.replace("\"version\":2", "\"version\":3"),
            "was written by a later version",
        ),
    ] {
        fs::write(&record, content).unwrap();
        let message = refused(folder.path(), &["publish", "p.toml"]);
        assert!(message.contains(says) && message.contains("help: "), "{message}");
    }
    let folder = made();
    fs::remove_file(folder.path().join("out/owner/fingerprints-key.json")).unwrap();
    assert_eq!(adversary(folder.path(), &plain), "sees-release");
    // Records of 1.0 name no rows.
    let before = r#"{"warning":"","entries":[{"protects":["job"],"strata":[],"rows":null,"table":"1","part":"Keep"}]}"#;
    let folder = made();
    fs::write(folder.path().join("out/owner/refusals.json"), before).unwrap();
    assert_eq!(adversary(folder.path(), &plain), "sees-release");
    let folder = made();
    assert_eq!(adversary(folder.path(), &plain), "knows-algorithm");
    // The record stays beside the release.
    assert!(folder.path().join("out/owner/refusals.json").exists());
    let manifest: Value = json(&fs::read(folder.path().join("out/release/manifest.json")).unwrap());
    assert_eq!(manifest["rows"], 6);
}
