//! Floors: no file of a release may show finer values, in any style and format.

use super::support::*;
use std::fs;
use std::path::Path;

/// People with exact ages, days, codes and jobs; none of these texts is at its floor.
fn people(rows: usize) -> String {
    let mut table = String::from("age,day,came,zip,dose,job,illness\n");
    for n in 0..rows {
        let (age, day, zip) = (21 + n * 5 % 60 + n % 4, 11 + n % 17, 10_011 + n * 97 % 80_000);
        let job = ["nurse", "doctor", "smith", "baker"][n * 3 % 4];
        let (dose, illness) = (n * 7 % 90, ["a", "b", "c", "d", "e"][n % 5]);
        table += &format!(
            "{age},19{}-0{}-{day},2021-0{}-{day},{zip},{dose}.25,{job},{illness}\n",
            40 + n % 50,
            1 + n % 9,
            1 + n % 9
        );
    }
    table
}

const COLUMNS: &str = r#"[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer", floor = 10 }
day = { role = "quasi-identifier", type = "date", floor = "month" }
came = { role = "other", type = "date", floor = "year" }
zip = { role = "quasi-identifier", floor = 2 }
dose = { role = "quasi-identifier", type = "number", floor = 0.5 }
job = { role = "quasi-identifier", floor = 1, hierarchy = { tree = { Health = ["nurse", "doctor"], Hand = ["smith", "baker"] } } }
illness = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 4
[output]
"#;

fn published(folder: &Path, output: &str) {
    fs::write(folder.join("people.csv"), people(200)).unwrap();
    fs::write(folder.join("policy.toml"), format!("{COLUMNS}{output}\n")).unwrap();
    let made = openveil(folder, &["publish", "policy.toml", "--test-seed", "1"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
}

/// Returns the values that a release shows, in any format.
fn shown(folder: &Path, format: &str) -> String {
    if format == "csv" {
        return fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    }
    let answers = ["age", "day", "came", "zip", "dose", "job"].map(|column| {
        let answer = openveil(folder, &["query", "out", "--by", column, "--json"]);
        assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
        json(&answer.stdout)["cells"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| cell[column].to_string())
            .collect::<String>()
    });
    answers.concat()
}

#[test]
fn nothing_finer_than_a_floor_leaves_the_house() {
    for style in ["generalize", "slice", "anatomy"] {
        for format in ["csv", "arrow"] {
            let folder = folder();
            let folder = folder.path();
            published(folder, &format!("style = \"{style}\"\nformat = \"{format}\""));
            let text = shown(folder, format);
            for exact in ["nurse", "baker", "-01-1", "-05-2", ".25", "10011"] {
                assert!(!text.contains(exact), "{style}, {format}: {exact}");
            }
            assert!(text.contains("Health"), "{style}, {format}");
            keeps_what_it_says(folder);
            // The owner's page counts the people who are alone at the floors, too.
            let page = fs::read_to_string(folder.join("out/release/report.html")).unwrap();
            assert!(page.contains("multiples of 10"), "{style}: {page}");
        }
    }
}

fn age(row: &str) -> u32 {
    row.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn questions_that_divide_a_floor_are_told() {
    let folder = folder();
    let folder = folder.path();
    published(folder, "style = \"anatomy\"");
    let asked = |conditions: &str| {
        let answer = openveil(folder, &["query", "out", "--json", "--where", conditions]);
        assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
        json(&answer.stdout)
    };
    type Counts = fn(&str) -> bool;
    let cases: [(&str, bool, Counts); 5] = [
        ("age >= 30 and age < 50", false, |row| (30..50).contains(&age(row))),
        ("age >= 33", true, |row| age(row) >= 33),
        ("age <= 40", true, |row| age(row) <= 40),
        ("day >= 1950-01 and day < 1960-07", false, |row| {
            let day = row.split(',').nth(1).unwrap();
            ("1950-01".."1960-07").contains(&day)
        }),
        ("job = Health", false, |row| row.contains("nurse") || row.contains("doctor")),
    ];
    for (conditions, is_divided, counts) in cases {
        let answer = asked(conditions);
        assert_eq!(
            answer.to_string().contains("the condition divides some"),
            is_divided,
            "{conditions}: {answer}"
        );
        let ends = [0, 1].map(|end| answer["interval"][end].as_f64().unwrap());
        assert_eq!(ends[0] < ends[1], is_divided, "{conditions}: {answer}");
        // The true count, computed from the table.
        let table = people(200);
        let truth = table.lines().skip(1).filter(|row| counts(row)).count() as f64;
        let holds = ends[0] <= truth && truth <= ends[1];
        assert!(holds, "{conditions}: {truth}, {answer}");
    }
}

#[test]
fn a_release_with_a_finer_value_than_its_floor_is_found_out() {
    let folder = folder();
    let folder = folder.path();
    published(folder, "style = \"anatomy\"");
    let manifest = folder.join("out/release/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let finer = text.replacen("\"width\": \"10\"", "\"width\": \"100\"", 1);
    assert_ne!(text, finer);
    fs::write(&manifest, finer).unwrap();
    let audit = openveil(folder, &["audit", "out/release", "--json"]);
    assert_eq!(audit.status.code(), Some(1));
    assert!(super::support::text(&audit.stdout).contains("finer than `floor`"));
}
