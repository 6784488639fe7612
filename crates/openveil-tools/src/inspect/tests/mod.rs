mod reading;

use super::*;
use openveil_io::policy::{Floor, Missing, Period, Policy, Role};
use std::path::Path;

fn inspected(csv: &str) -> Inspection {
    looked_at(csv, &Said::default())
}

fn looked_at(csv: &str, said: &Said) -> Inspection {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, csv).unwrap();
    inspect(&Source::new(path), said, &|_| {}).unwrap().inspection
}

fn people() -> String {
    let mut text = String::from("patient_id,age,zip,born,sex,diagnosis,comment\n");
    for row in 0..200 {
        let illness = ["flu", "cold", "asthma", "cancer", "?"][row % 5];
        text.push_str(&format!(
            "{row},{}.0,0{},19{:02}-01-02,{},{illness},\n",
            20 + row % 60,
            1000 + row % 9,
            row % 90,
            ["f", "m"][row % 2]
        ));
    }
    text
}

#[test]
fn columns_are_profiled() {
    let found = inspected(&people());
    let by_name = |name: &str| found.columns.iter().find(|column| column.name == name).unwrap();
    assert_eq!(found.rows, 200);
    assert_eq!(by_name("age").value_type, "integer");
    assert_eq!(by_name("zip").value_type, "text", "leading zeros are part of a code");
    assert_eq!(by_name("born").value_type, "date");
    let diagnosis = by_name("diagnosis");
    assert_eq!(
        (diagnosis.distinct, diagnosis.missing, diagnosis.largest_l),
        (4, 40, Some(5)),
        "the missing value is a fifth one"
    );
    assert_eq!(diagnosis.missing_values, ["?"]);
    assert!((diagnosis.top_share - 0.25).abs() < 1e-9);
    assert_eq!(by_name("patient_id").unique_share, 1.0);
}

#[test]
fn roles_are_guessed() {
    let found = inspected(&people());
    let roles: Vec<&str> = found.columns.iter().map(|column| column.guessed_role).collect();
    let quasi = "quasi-identifier";
    assert_eq!(roles, ["identifier", quasi, quasi, quasi, quasi, "sensitive", "drop"]);
}

/// Returns the starter policy of a table, which was tried.
fn starter(csv: &str, preset: Option<Preset>) -> (Inspection, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, csv).unwrap();
    let found = inspect(&Source::new(&path), &Said::default(), &|_| {}).unwrap();
    let inspection = found.inspection.clone();
    (
        inspection,
        found.starter_policy(Path::new("t.csv"), StarterWish { preset, aim: None }).unwrap(),
    )
}

#[test]
fn the_starter_policy_is_a_policy() {
    let (_, text) = starter(&people(), None);
    let policy = Policy::parse(&text, Path::new("t.policy.toml")).unwrap();
    assert_eq!(policy.columns.len(), 7);
    assert_eq!(policy.input.missing_values, ["?"]);
    assert_eq!(
        policy.input.missing,
        Missing::Keep,
        "a diagnosis is missing: who lacks one must not show"
    );
    assert_eq!(policy.privacy.model.ratio().unwrap().l(), 4);
}

#[test]
fn safe_harbor_leaves_identifiers_out() {
    let (inspection, text) = starter(&people(), Some(Preset::HipaaSafeHarbor));
    let policy = Policy::parse(&text, Path::new("t.policy.toml")).unwrap();
    let role = |name: &str| policy.columns[name].role;
    assert_eq!(role("patient_id"), Role::Drop);
    assert_eq!(policy.columns["age"].top, Some(90.0));
    let floor = |name: &str| policy.columns[name].floor.clone();
    assert_eq!(floor("zip"), Some(Floor::UsZip3));
    assert_eq!(floor("born"), Some(Floor::Period(Period::Year)));
    let year = f64::from(jiff::Zoned::now().year());
    assert_eq!(policy.columns["born"].bottom, Some(year - 90.0));
    // A checklist of all kinds, with columns and their treatment.
    let is_kind = |letter: char| text.contains(&format!("\n#   {letter}  "));
    assert!(('A'..='R').all(is_kind) && !is_kind('S'), "{text}");
    for line in [
        "#   A  names: no column found",
        "#   B  places smaller than a state: zip (floor = \"us-zip-3\")",
        "#   R  any other number or code of a person: patient_id (left out)",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let of = |name: &str| inspection.columns.iter().find(|c| c.name == name).unwrap().safe_harbor;
    assert_eq!(of("zip"), Some("B: places smaller than a state"));
    assert_eq!(of("sex"), None);
    // Dates with names in any language or none, and repeated names of people, are left out. A code
    // with the name of a date is not a date.
    let row = |n: usize| {
        format!(
            "Person {},1{},19{:02}-0{}-1{},{}\n",
            n % 16,
            n % 7,
            n % 90,
            1 + n % 9,
            n % 9,
            n % 6
        )
    };
    let rows: String = (0..200).map(row).collect();
    let table = format!("name,admission_type_id,foo,s\n{rows}");
    let (inspection, text) = starter(&table, Some(Preset::HipaaSafeHarbor));
    let found: Vec<_> = inspection.columns.iter().map(|c| c.safe_harbor).collect();
    assert_eq!(found[..3], [Some("A: names"), None, Some("C: dates")]);
    assert_eq!(inspection.columns[0].guessed_role, "identifier");
    let policy = Policy::parse(&text, Path::new("t.policy.toml")).unwrap();
    assert_eq!(policy.columns["name"].role, Role::Drop);
    assert_eq!(policy.columns["foo"].floor, Some(Floor::Period(Period::Year)));
}

/// Files for the public and for students: age, time and place are coarsened, and l is set.
#[test]
fn archives_have_presets() {
    let table = people().replace("asthma", "cough");
    for (preset, age, top, zip) in [
        (Preset::PublicFile, "5", 85.0, Some(Floor::Characters(2))),
        (Preset::TeachingFile, "10", 80.0, None),
    ] {
        let (_, text) = starter(&table, Some(preset));
        let policy = Policy::parse(&text, Path::new("t.policy.toml")).unwrap();
        let column = |name: &str| &policy.columns[name];
        assert_eq!(column("age").floor, Some(Floor::Width(age.to_owned())));
        assert_eq!(column("age").top, Some(top));
        assert_eq!(column("born").floor, Some(Floor::Period(Period::Year)));
        assert_eq!(column("zip").floor, zip);
        assert_eq!(policy.privacy.model.ratio().unwrap().l(), 4, "5 is the limit");
    }
}

/// Days of birth, exact places and postal codes identify people: a starter policy coarsens them.
#[test]
fn starters_propose_floors() {
    let row = |n: usize| {
        let (day, at) = (1 + n % 28, n as f64 / 1000.0);
        format!(
            "19{:02}-03-{day:02},2020-05-{day:02},2021-{:02},{:.4},A{:04},i{}\n",
            n % 90,
            1 + n % 12,
            48.0 + at,
            n % 77,
            n % 5
        )
    };
    let rows: String = (0..300).map(row).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, format!("born,admitted,month,lat,postcode,illness\n{rows}")).unwrap();
    for aim in [None, Some(Aim::Study), Some(Aim::Tables)] {
        let found = inspect(&Source::new(&path), &Said::default(), &|_| {}).unwrap();
        let wish = StarterWish { preset: None, aim };
        let text = found.starter_policy(Path::new("t.csv"), wish).unwrap();
        let policy = Policy::parse(&text, Path::new("t.policy.toml")).unwrap();
        let floor = |name: &str| policy.columns[name].floor.clone();
        assert_eq!(floor("born"), Some(Floor::Period(Period::Year)), "{text}");
        assert_eq!(floor("admitted"), Some(Floor::Period(Period::Month)));
        let month = text.lines().find(|line| line.starts_with("\"month\"")).unwrap();
        assert!(!month.contains("floor"), "{month}");
        assert_eq!(floor("lat"), Some(Floor::Width("0.1".to_owned())));
        assert_eq!(floor("postcode"), Some(Floor::Characters(3)));
    }
}

/// People are found by rare values of known columns; the advice can be taken as it stands, and rare
/// secrets get none.
#[test]
fn starters_say_how_to_join_rare_values() {
    let row = |n: usize| {
        let race = match n {
            0..4 => "Inuit",
            4..6 => "other",
            6..9 => "two \"x\"",
            9..20 => "Asian",
            _ => ["White", "Black"][n % 2],
        };
        let illness = if n < 5 { "rare" } else { ["flu", "asthma", "hip", "none"][n / 7 % 4] };
        format!("{},{race:?},{illness}\n", 20 + n % 50)
    };
    let rows: String = (0..300).map(row).collect();
    let table = format!("age,race,illness\n{}", rows.replace("\\\"", "\"\""));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, table).unwrap();
    let found = inspect(&Source::new(&path), &Said::default(), &|_| {}).unwrap();
    let text = found.starter_policy(&path, StarterWish::default()).unwrap();
    let (_, advice) = text.split_once("add `").unwrap_or_else(|| panic!("{text}"));
    let (keys, rest) = advice.split_once('`').unwrap();
    assert!(!rest.contains("add `"), "{text}");
    assert_eq!(
        keys,
        "hierarchy = { tree = { \"other values\" = [\"other\", \"two \\\"x\\\"\", \"Inuit\", \"Asian\"], \"Black\" = [\"Black\"], \"White\" = [\"White\"] } }, floor = 1"
    );
    let line = text.lines().find(|line| line.starts_with("\"race\"")).unwrap();
    let taken =
        text.replace(line, &format!("\"race\" = {{ role = \"quasi-identifier\", {keys} }}"));
    let policy = Policy::parse(&taken, &folder.path().join("t.policy.toml")).unwrap();
    let loaded = openveil_io::load::load(&policy, &|_| {}).unwrap();
    let race = loaded.table.columns().iter().find(|column| column.name() == "race").unwrap();
    let mut labels: Vec<&str> = race.domain().labels().collect();
    labels.sort_unstable();
    assert_eq!(labels, ["Black", "White", "other values"]);
}

/// Numbers of visits identify people, whatever `visit` suggests.
#[test]
fn numbers_that_all_differ_are_no_dates() {
    let row = |n: usize| format!("{},{},{}\n", 7000 + 3 * n, 20 + n % 60, n % 6);
    let rows: String = (0..200).map(row).collect();
    let found = inspected(&format!("visit,age,s\n{rows}"));
    assert_eq!(found.columns[0].guessed_role, "identifier");
}

/// Unusual tables and their policies; each was published.
#[test]
fn a_starter_policy_always_publishes() {
    let rows = |head: &str, row: &dyn Fn(usize) -> String| {
        let rows: String = (0..120).map(|number| row(number) + "\n").collect();
        format!("{head}\n{rows}")
    };
    for (table, expected) in [
        // A value that nearly all have.
        (
            rows("age,result", &|n| {
                format!("{},{}", 20 + n % 50, if n % 20 == 0 { "positive" } else { "negative" })
            }),
            "exempt = [\"negative\"]",
        ),
        // Incomes that are all different.
        (rows("age,income", &|n| format!("{},{}", 20 + n % 50, 1000 + 7 * n)), "quantiles = 10"),
        // German number, date and field formats.
        (
            rows("Alter;Gehalt;Geburtsdatum", &|n| {
                format!("{};{},5;{:02}.0{}.1980", 20 + n % 50, 1000 + n % 5, 1 + n % 28, 1 + n % 9)
            }),
            "decimal = \",\"",
        ),
        // No column that sounds secret.
        (
            rows("age,colour", &|n| format!("{},{}", 20 + n % 50, ["red", "blue", "green"][n % 3])),
            "\"colour\" = { role = \"sensitive\"",
        ),
        // Known values that are often missing.
        (
            rows("age,town,diagnosis", &|n| {
                format!(
                    "{},{},{}",
                    20 + n % 50,
                    if n % 2 == 0 { "" } else { "x" },
                    ["a", "b", "c"][n % 3]
                )
            }),
            "missing = \"keep\"",
        ),
        // A few known values are missing, and some secret ones: all rows stay.
        (
            rows("age,diagnosis", &|n| {
                let age = if n % 40 == 0 { String::new() } else { (20 + n % 50).to_string() };
                format!("{age},{}", ["a", "", "c", "a"][n % 4])
            }),
            "missing = \"keep\"",
        ),
        // Secret values that are mostly missing.
        (
            rows("age,diagnosis", &|n| {
                format!("{},{}", 20 + n % 50, ["", "", "a", "", "b"][n % 5])
            }),
            "exempt = [\"(missing)\"]",
        ),
        // Equal numbers, spelt in two ways.
        (
            rows("age,dose", &|n| format!("{},{}", 20 + n % 50, ["1", "1.0", "2", "2.0"][n % 4])),
            "l = 2",
        ),
        // A column named like one that every release adds; missing codes.
        (
            rows("group,arm,age,diagnosis", &|n| {
                let arm = if n % 10 == 0 { "" } else { "A" };
                format!("{},{arm},{},{}", n % 7, 20 + n % 50, ["a", "b", "c"][n % 3])
            }),
            "\"group\" = { role = \"drop\" }",
        ),
        // Two decimal signs.
        (
            rows("age;price;height;diagnosis", &|n| {
                format!("{};{},5;1.{};{}", 20 + n % 50, n % 9, 50 + n % 40, ["a", "b", "c"][n % 3])
            }),
            "\"height\"",
        ),
        // Two secrets.
        (
            rows("age,income,diagnosis", &|n| {
                format!("{},{},{}", 20 + n % 50, n % 4, ["a", "b", "c"][n % 3])
            }),
            "sensitive too",
        ),
        // A header with a line break, names with quotes.
        (
            rows("\"a\"\"ge\",\"diag\nnosis\"", &|n| {
                format!("{},{}", 20 + n % 50, ["a", "b", "c"][n % 3])
            }),
            "\"diag\\nnosis\"",
        ),
    ] {
        let (found, text) = starter(&table, None);
        assert!(text.contains(expected), "{expected}: {text}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.csv"), &table).unwrap();
        // After the owner's decision.
        let decided = text.replace("role = \"undecided\"", "role = \"drop\"");
        let policy = Policy::parse(&decided, &folder.path().join("p.toml")).unwrap();
        let options = openveil_publication::Options { test_seed: Some(1), ..Default::default() };
        let plan =
            openveil_publication::plan(&policy, options, &openveil_io::progress::Nobody).unwrap();
        let choice = found.starter.as_ref().unwrap();
        assert_eq!(plan.largest_l, Some(choice.largest_l), "{text}");
        let published = openveil_publication::run(&policy, options, &openveil_io::progress::Nobody);
        assert!(published.is_ok(), "{:?}: {text}", published.err());
        // Where numbers become ranges, the policy says so and offers the other way.
        let numbers = text.replace(", quantiles = 10 }", " }");
        assert_eq!(text.contains("# To publish the numbers, remove `quantiles`"), numbers != text);
        assert_eq!(
            text.contains("publishes 10 ranges instead, so means and linear"),
            numbers != text
        );
        let numbers = numbers.replace("role = \"undecided\"", "role = \"drop\"");
        let policy = Policy::parse(&numbers, &folder.path().join("p.toml")).unwrap();
        let published = openveil_publication::run(&policy, options, &openveil_io::progress::Nobody);
        assert!(published.is_ok(), "{:?}: {numbers}", published.err());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "id,all\n1,x\n2,x\n3,x\n").unwrap();
    let found = inspect(&Source::new(&path), &Said::default(), &|_| {}).unwrap();
    let refused = found.starter_policy(Path::new("t.csv"), StarterWish::default()).unwrap_err();
    assert!(refused.to_string().contains("has no column that could be protected"), "{refused}");
}

#[test]
fn numbers_of_people_with_several_rows_are_identifiers() {
    let role = |name: &str, numbers: bool| {
        let mut text = format!("{name},age,dx\n");
        for row in 0..600 {
            let (person, number) = (row * 7 % 300, if numbers { "" } else { "P0" });
            let (age, dx) = (20 + row % 50, ["flu", "cold", "hip"][row % 3]);
            text += &format!("{number}{},{age},{dx}\n", 1000 + person);
        }
        inspected(&text).columns[0].guessed_role
    };
    for name in [
        "patient_id",
        "pid",
        "hospital_number",
        "HospitalNo",
        "mrn",
        "patnr",
        "Fallnummer",
        "KVNR",
        "aufnahmenr",
        "nhs_number",
        "case_id",
        "medical_record_number",
        "medicalRecordNo",
        "health_card_number",
        "health_insurance_no",
        "lab_no",
        "num_secu",
    ] {
        assert_eq!(role(name, false), "identifier", "{name}");
        assert_eq!(role(name, true), "identifier", "{name}, in digits");
    }
    // Codes of diseases and known facts are not identifiers.
    assert_eq!(role("icd_no", false), "sensitive");
    for name in [
        "zip",
        "zip_no",
        "age_num",
        "educ_num",
        "hours_num",
        "year_num",
        "height_no",
        "birth_year_no",
        "state_no",
        "house_no",
        "postnummer",
        "gemeindenummer",
        "Flurnr",
    ] {
        assert_ne!(role(name, true), "identifier", "{name}");
    }
}
