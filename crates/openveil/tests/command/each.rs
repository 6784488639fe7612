//! Several sensitive columns, each protected separately.

use super::support::*;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// People with two closely related secrets, and a third one.
fn people(rows: usize) -> String {
    let mut table = String::from("age,sex,ill,job,pay\n");
    for n in 0..rows {
        let ill = ["flu", "cold", "cough", "gout", "pox"][n * 7 % 5];
        let job = ["smith", "baker", "clerk", "nurse"][(n * 7 % 5 + n / 5 % 2) % 4];
        table += &format!(
            "{},{},{ill},{job},{}\n",
            20 + n * 13 % 60,
            ["f", "m"][n % 2],
            1000 + n * 37 % 90
        );
    }
    table
}

const POLICY: &str = r#"[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
ill = { role = "sensitive" }
job = { role = "sensitive", l = 2 }
pay = { role = "sensitive", type = "integer", quantiles = 6 }
[privacy]
model = "l-diversity"
l = 3
protect = "each"
[output]
"#;

fn folder_with(edit: impl Fn(&str) -> String) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("people.csv"), people(300)).unwrap();
    fs::write(folder.path().join("policy.toml"), edit(POLICY)).unwrap();
    folder
}

fn published(folder: &Path) -> Value {
    let made = openveil(folder, &["publish", "policy.toml", "--test-seed", "1"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    json(&fs::read(folder.join("out/release/manifest.json")).unwrap())
}

/// Returns the rows of a CSV file by its columns.
fn rows(file: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        // Intervals in quotes have a comma.
        let line = line.replace(", ", ";");
        let cells = line.split(',').map(str::to_owned);
        names.iter().map(|&name| name.to_owned()).zip(cells).collect()
    };
    lines.map(row).collect()
}

#[test]
fn every_column_keeps_its_own_bound_in_every_group_and_style() {
    for (style, file) in
        [("generalize", "release.csv"), ("slice", "release.csv"), ("anatomy", "release-values.csv")]
    {
        for link in ["", "link = true\n"] {
            let folder = folder_with(|policy| {
                policy.replace("[output]\n", &format!("{link}[output]\nstyle = \"{style}\"\n"))
            });
            let folder = folder.path();
            let manifest = published(folder);
            keeps_what_it_says(folder);
            assert_eq!(manifest["each"]["l"]["job"], 2);
            assert_eq!(manifest["each"]["linked"], !link.is_empty());
            let statement = manifest["guarantee"]["statement"].as_str().unwrap();
            assert!(statement.contains("each by itself"), "{statement}");
            assert_eq!(statement.contains("learns the others"), !link.is_empty());
            let mut groups: HashMap<String, Vec<HashMap<String, String>>> = HashMap::new();
            for row in rows(&folder.join("out/release").join(file)) {
                let count = row.get("count").map_or(1, |count| count.parse().unwrap());
                let own = groups.entry(row["group"].clone()).or_default();
                own.extend(std::iter::repeat_n(row, count));
            }
            for (column, l) in [("ill", 3), ("job", 2), ("pay", 3)] {
                for rows in groups.values() {
                    let mut counts: HashMap<&str, usize> = HashMap::new();
                    rows.iter().for_each(|row| *counts.entry(&row[column]).or_default() += 1);
                    let most = counts.into_values().max().unwrap();
                    assert!(most * l <= rows.len(), "{style}: {column} {rows:?}");
                }
                // The column is complete, whichever columns are published with it.
                let shown = groups.values().flatten().filter(|row| row[column] == "flu").count();
                assert_eq!(shown, if column == "ill" { 60 } else { 0 });
            }
        }
    }
}

/// Columns that are shuffled separately show combinations that nobody has; linked columns do not.
#[test]
fn rows_show_what_goes_together_only_where_the_owner_says_so() {
    let table = people(300);
    let have: Vec<(&str, &str)> = table
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            (cells[2], cells[3])
        })
        .collect();
    for (link, expected) in [("", true), ("link = true\n", false)] {
        let folder = folder_with(|policy| {
            policy.replace("[output]\n", &format!("{link}[output]\nstyle = \"slice\"\n"))
        });
        published(folder.path());
        let shown = rows(&folder.path().join("out/release/release.csv"));
        let is_new = |row: &HashMap<String, String>| !have.contains(&(&*row["ill"], &*row["job"]));
        assert_eq!(shown.iter().any(is_new), expected, "{link}");
    }
}

#[test]
fn questions_about_one_column_or_two_have_intervals_that_hold() {
    let folder =
        folder_with(|policy| policy.replace("[output]\n", "[output]\nstyle = \"anatomy\"\n"));
    let folder = folder.path();
    published(folder);
    for (conditions, is_exact) in [
        ("ill = flu", true),
        ("job = smith", true),
        ("job = smith and sex = f", false),
        ("ill = flu and job = smith", false),
        ("ill = flu and job = smith and age < 50", false),
    ] {
        let answer = openveil(
            folder,
            &["query", "out", "--json", "--policy", "policy.toml", "--where", conditions],
        );
        assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
        let answer = json(&answer.stdout);
        let number = |value: &Value| value.as_f64().unwrap();
        let [low, high] = [0, 1].map(|end| number(&answer["interval"][end]));
        let truth = number(&answer["true_count"]);
        assert!(low <= truth && truth <= high, "{conditions}: {answer}");
        assert_eq!(low == high, is_exact, "{conditions}: {answer}");
    }
    let table = openveil(folder, &["query", "out", "--by", "ill,job", "--json"]);
    assert_eq!(table.status.code(), Some(0), "{}", text(&table.stderr));
    let table = json(&table.stdout);
    assert_eq!(table["cells"].as_array().unwrap().len(), 20);
    let all: f64 = table["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["estimate"].as_f64().unwrap())
        .sum();
    assert!((all - 300.0).abs() < 1e-6, "{all}");
    // Smaller groups are enough for a fit, which has worlds.
    let policy = POLICY.replace("l = 3\n", "l = 3\nsmallest-group = 7\n");
    fs::write(folder.join("policy.toml"), policy).unwrap();
    published(folder);
    let fit = openveil(folder, &["fit", "out", "job ~ sex"]);
    assert_eq!(fit.status.code(), Some(0), "{}", text(&fit.stderr));
}

#[test]
fn what_limits_l_is_named_with_its_column() {
    for (from, to, says) in [
        ("l = 2 }", "l = 5 }", "job: the value `baker` appears in"),
        ("protect = \"each\"", "protect = \"both\"", "`protect` under [privacy] is not \"each\""),
        ("protect = \"each\"", "", "to protect each column separately, set `protect = \"each\"`"),
        ("protect = \"each\"", "protect = \"each\"\nlink = 3", "neither true nor false"),
        ("\"sensitive\", l = 2", "\"drop\", l = 2", "`l` is for columns with the role `sensitive`"),
        ("l = 2 }", "l = 1 }", "`l = 1` leaves nothing to protect"),
    ] {
        let folder = folder_with(|policy| policy.replacen(from, to, 1));
        let said = refused(folder.path(), &["publish", "policy.toml"]);
        assert!(said.contains(says), "{from} → {to}: {said}");
    }
    let one = folder_with(|policy| {
        let dropped = policy.replace("\"sensitive\", l = 2", "\"drop\"");
        dropped.replace("\"sensitive\", type = \"integer\", quantiles = 6", "\"drop\"")
    });
    let said = refused(one.path(), &["publish", "policy.toml"]);
    assert!(said.contains("the policy has at most one"), "{said}");
    let own = folder_with(|policy| {
        let dropped = policy.replace("{ role = \"sensitive\" }", "{ role = \"drop\" }");
        let dropped =
            dropped.replace("\"sensitive\", type = \"integer\", quantiles = 6", "\"drop\"");
        dropped.replace("protect = \"each\"\n", "")
    });
    let said = refused(own.path(), &["publish", "policy.toml"]);
    assert!(said.contains("column `job`: has its own `l`"), "{said}");
}

/// A manifest that promises more than its groups satisfy is detected.
#[test]
fn a_bound_that_a_group_does_not_keep_is_found_out() {
    let folder =
        folder_with(|policy| policy.replace("[output]\n", "[output]\nstyle = \"slice\"\n"));
    let folder = folder.path();
    published(folder);
    let manifest = folder.join("out/release/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replacen("\"job\": 2", "\"job\": 7", 1)).unwrap();
    let audit = openveil(folder, &["audit", "out/release", "--json"]);
    assert_eq!(audit.status.code(), Some(1), "{}", super::support::text(&audit.stdout));
}

/// Each column is attacked by itself, with its own bound, and measured by itself.
#[test]
fn columns_are_attacked_audited_and_measured_one_by_one() {
    let folder = folder_with(str::to_owned);
    let folder = folder.path();
    published(folder);
    let asked = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let output = openveil(folder, &words);
        let said = super::support::text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
        json(&output.stdout)
    };
    let found = asked("attack out --policy policy.toml --json");
    for (column, bound) in [("ill", "1/3"), ("job", "1/2"), ("pay", "1/3")] {
        let own = &found["columns"][column];
        assert_eq!(own["max_posterior"], bound, "{own}");
        assert_eq!((&own["rows"], &own["rerun"]["exposed"]), (&300.into(), &0.into()));
        assert!(own["learning"]["accuracy"].as_f64().unwrap() < 0.5, "{own}");
    }
    let audit = asked("audit out --policy policy.toml --measure --json");
    assert_eq!(audit["satisfied"], true);
    let measured = audit["utility_of_each"].as_array().unwrap();
    let names: Vec<&Value> = measured.iter().map(|own| &own["sensitive"]).collect();
    assert_eq!(names, ["ill", "job", "pay"]);
    let compared = asked("compare policy.toml --true-values --trials 1 --queries 20 --json");
    assert!(compared["rows"][0]["medians"]["share"].as_f64().unwrap() <= 0.5);
}

/// A column may break its bound although no combination is frequent.
#[test]
fn an_audit_counts_every_column_by_itself() {
    let folder =
        folder_with(|policy| policy.replace("[output]\n", "[output]\nstyle = \"slice\"\n"));
    let folder = folder.path();
    published(folder);
    let text = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let audit = |text: &str| {
        fs::write(folder.join("table.csv"), text).unwrap();
        let words = ["audit", "table.csv", "--group", "group", "--policy", "policy.toml", "--json"];
        json(&openveil(folder, &words).stdout)["satisfied"].clone()
    };
    assert_eq!(audit(&text), true);
    // The class follows the group.
    let all_flu = |line: &str| match line.rsplit(',').nth(1) == Some("1") {
        true => line.replace("cold", "flu").replace("gout", "flu") + "\n",
        false => line.to_owned() + "\n",
    };
    assert_eq!(audit(&text.lines().map(all_flu).collect::<String>()), false);
}

/// Exempt values of several columns go with each other; the release's own check and an audit count
/// each column by itself.
#[test]
fn exempt_values_of_several_columns_may_be_frequent() {
    let rows = [("c", "z"), ("c", "z"), ("c", "z"), ("c", "x"), ("a", "y"), ("b", "z")];
    let row = |(number, (job, ill))| format!("{},m,{ill},{job},1\n", 20 + 10 * number);
    let rows: String = rows.into_iter().enumerate().map(row).collect();
    for style in ["generalize", "slice", "anatomy"] {
        for link in ["", "link = true\n"] {
            let folder = folder_with(|policy| {
                policy
                    .replace(
                        "ill = { role = \"sensitive\" }",
                        "ill = { role = \"sensitive\", exempt = [\"z\"] }",
                    )
                    .replace(
                        "job = { role = \"sensitive\", l = 2 }",
                        "job = { role = \"sensitive\", exempt = [\"c\"] }",
                    )
                    .replace(
                        "pay = { role = \"sensitive\", type = \"integer\", quantiles = 6 }",
                        "pay = { role = \"drop\" }",
                    )
                    .replace("l = 3", "l = 2")
                    .replace("[output]\n", &format!("{link}[output]\nstyle = \"{style}\"\n"))
            });
            let folder = folder.path();
            fs::write(folder.join("people.csv"), format!("age,sex,ill,job,pay\n{rows}")).unwrap();
            published(folder);
            keeps_what_it_says(folder);
            // A protected value that takes the place of an exempt one is noticed.
            let file = if style == "anatomy" { "release-values.csv" } else { "release.csv" };
            let path = folder.join("out/release").join(file);
            let table = fs::read_to_string(&path).unwrap();
            fs::write(&path, table.replace(",c,", ",a,")).unwrap();
            let audited = openveil(folder, &["audit", "out"]);
            assert_eq!(audited.status.code(), Some(1), "{style}");
        }
    }
}

/// Histograms of strata count each column by itself: which values go together is not published.
#[test]
fn strata_do_not_show_which_values_go_together() {
    let folder = folder_with(|policy| policy.replace("l = 3\n", "l = 3\nstrata = [\"town\"]\n"));
    let table = people(300).replace(",f,", ",a,").replace("sex", "town");
    let (first, second) = table.split_at(table.len() / 2);
    let table = first.replace(",m,", ",a,") + &second.replace(",a,", ",b,").replace(",m,", ",b,");
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    let policy = policy.replace("sex = {", "town = {");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let manifest = published(folder.path());
    let strata = manifest["strata"]["strata"].as_array().unwrap();
    assert_eq!(strata.len(), 2);
    for stratum in strata {
        let histogram = stratum["histogram"].as_object().unwrap();
        // Five illnesses, four jobs, six classes of pay.
        assert_eq!(histogram.len(), 15, "{stratum}");
        let people: u64 = histogram
            .iter()
            .filter(|(name, _)| name.starts_with("job = "))
            .map(|(_, rows)| rows.as_u64().unwrap())
            .sum();
        assert_eq!(people, stratum["rows"].as_u64().unwrap());
    }
}
