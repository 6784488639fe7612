//! Files are read as their owners mean them: dates, codes, quotation marks, formats of cells.

use super::support::*;
use std::fs;
use std::path::Path;

/// Writes a table of 60 people with two columns beside the age and the illness, and its policy.
fn folder(columns: &str, input: &str, row: impl Fn(usize) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..60)
        .map(|person| {
            let illness = ["flu", "asthma", "gout", "none"][person % 4];
            format!("{},{},{illness}\n", 20 + person % 30, row(person))
        })
        .collect();
    fs::write(folder.path().join("t.csv"), format!("age,own,ill\n{rows}")).unwrap();
    let policy = format!(
        "[input]\npath = \"t.csv\"\n{input}[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\nown = {{ {columns} }}\nill = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[output]\nstyle = \"anatomy\"\n"
    );
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

/// Returns the values of the column `own` in the release, sorted.
fn released(folder: &Path) -> Vec<String> {
    let output = openveil(folder, &["publish", "policy.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let release = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let mut values: Vec<String> = release
        .lines()
        .skip(1)
        .map(|line| {
            let (_, rest) = line.split_once(',').unwrap();
            rest.rsplit_once(',').unwrap().0.to_owned()
        })
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

const DATE: &str = "role = \"quasi-identifier\", type = \"date\"";

#[test]
fn dates_without_a_day_are_published_without_one() {
    let months = folder(&format!("{DATE}, format = \"%m/%Y\""), "", |person| {
        format!("0{}/2020", 1 + person % 3)
    });
    assert_eq!(released(months.path()), ["2020-01", "2020-02", "2020-03"]);
    let quarters = folder(&format!("{DATE}, format = \"quarter\""), "", |person| {
        format!("2020Q{}", 1 + person % 2)
    });
    assert_eq!(released(quarters.path()), ["2020-Q1", "2020-Q2"]);
}

#[test]
fn numbers_of_days_and_seconds_are_dates() {
    let excel = folder(&format!("{DATE}, format = \"excel\""), "", |person| {
        (43_939 + person % 2).to_string()
    });
    assert_eq!(released(excel.path()), ["2020-04-18", "2020-04-19"]);
    let unix = format!("{DATE}, format = \"unix\"");
    let seconds = |person: usize| (1_587_168_000 + person % 2 * 86_399).to_string();
    let moments = folder(&unix, "", seconds);
    let refused = openveil(moments.path(), &["publish", "policy.toml"]);
    assert!(
        text(&refused.stderr).contains("is a point in time, and its date depends on the time zone")
    );
    let zoned = folder(&unix, "timezone = \"+02:00\"\n", seconds);
    assert_eq!(released(zoned.path()), ["2020-04-18", "2020-04-19"]);
}

#[test]
fn a_missing_code_of_one_column_is_a_value_of_another() {
    let column = "role = \"quasi-identifier\", type = \"integer\", missing_values = [\"29\"]";
    let own = folder(column, "missing = \"keep\"\n", |person| (28 + person % 2).to_string());
    assert_eq!(released(own.path()), ["(missing)", "28"]);
    let release = fs::read_to_string(own.path().join("out/release/release.csv")).unwrap();
    assert!(release.contains("\n29,"), "the age of 29 stays");
}

#[test]
fn backslashes_escape_quotation_marks_where_the_policy_says_so() {
    let column = "role = \"quasi-identifier\"";
    let said = |person: usize| ["\"say \\\"a, b\\\"\"", "plain"][person % 2].to_owned();
    let own = folder(column, "escape = \"\\\\\"\n", said);
    assert_eq!(released(own.path()), ["\"say \"\"a, b\"\"\"", "plain"]);
    let unsaid = folder(column, "", said);
    let refused = openveil(unsaid.path(), &["publish", "policy.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    // `inspect` finds it, and its policy reads the table whole.
    let output = openveil(unsaid.path(), &["inspect", "t.csv", "--policy", "new.toml"]);
    assert!(text(&output.stderr).contains("a backslash escapes quotation marks"));
    let policy = fs::read_to_string(unsaid.path().join("new.toml")).unwrap();
    assert!(policy.contains("escape = \"\\\\\""), "{policy}");
}

#[test]
fn the_owner_says_what_is_suppressed() {
    let folder = tempfile::tempdir().unwrap();
    let csv = "country,sex,ill\nNA,m,flu\nNA,f,gout\nDE,m,flu\nDE,m,gout\nFR,f,flu\nFR,f,none\n";
    fs::write(folder.path().join("t.csv"), csv).unwrap();
    let k = |more: &[&str]| {
        let audit =
            ["audit", "t.csv", "--qi", "country,sex", "--sensitive", "ill", "--wildcard", "--json"];
        json(&openveil(folder.path(), &[&audit[..], more].concat()).stdout)["k"].clone()
    };
    assert_eq!(k(&[]), 3);
    assert_eq!(k(&["--suppressed", "*"]), 1);
}

/// A condition may name the label of a code that the release shows.
#[test]
fn conditions_name_codes_by_their_labels() {
    let codes = "role = \"other\", type = \"integer\", codes = { labels = { 1 = \"agree\", 2 = \"disagree\", 9 = \"refused\" }, missing = [\"9\"] }";
    let folder = folder(codes, "", |person| ["1", "2", "9"][person % 3].to_owned());
    released(folder.path());
    let count = |condition: &str| {
        let output = openveil(folder.path(), &["query", "out", "--where", condition, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        json(&output.stdout)["estimate"].clone()
    };
    assert_eq!(count("own = agree"), count("own = 1"));
    assert_eq!(count("own in (agree, 2)"), count("own != refused"));
    let unknown = openveil(folder.path(), &["query", "out", "--where", "own = maybe"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", text(&unknown.stderr));
}
