//! Releases that are not a plain table: rules, persons, strata, exempt or missing values, columns
//! for analysis, and ambiguous names.

use super::*;

fn with(from: &str, to: &str) -> String {
    assert!(COLUMNS.contains(from), "{from}");
    COLUMNS.replace(from, to)
}

fn table() -> String {
    csv("age,sex,town,job", &people(300))
}

/// Several tables are never fitted together: answers are certain bounds.
#[test]
fn rules_have_bounds() {
    let policy = with("quasi-identifier", "attribute").replace("\"sensitive\"", "\"attribute\"")
        + "[[rules]]\ngiven = [\"age\"]\nprotect = \"job\"\n[[rules]]\ngiven = [\"sex\"]\nprotect = \"town\"\nl = 2\n";
    let reader = reader_of(released(&table(), &policy));
    assert!(reader.release().tables.len() > 1);
    let truth = people(300);
    let truth = truth.iter().filter(|row| row[1] == "f" && row[3] == "nurse").count() as f64;
    let answer = reader.count("sex = f and job = nurse", None).unwrap();
    let [low, high] = answer.figure.interval;
    assert!(low <= truth && truth <= high && low < high, "{answer:?}");
    assert_eq!(answer.figure.method, "bounds");
    let (text, _) = complaint(&reader.crosstab(&by(&["sex", "job"])).unwrap_err());
    assert!(text.contains("no table with groups has all of these columns"), "{text}");
    complaint(&reader.regression("job ~ age", &[]).unwrap_err());
}

/// People with several rows have sets of jobs; a set is a value.
#[test]
fn people_have_sets() {
    let rows: Vec<String> = people(300)
        .iter()
        .enumerate()
        .map(|(number, row)| {
            let person = number * 2 / 3;
            let known = &people(300)[person];
            format!("p{person},{},{},{},{}\n", known[0], known[1], known[2], row[3])
        })
        .collect();
    let table = format!("name,age,sex,town,job\n{}", rows.concat());
    let policy = with("age = {", "name = { role = \"identifier\" }\nage = {")
        .replace("l = 3\nsmallest-group = 4", "l = 2\nsmallest-group = 4")
        + "[persons]\nid = \"name\"\n";
    let reader = reader_of(released(&table, &policy));
    assert_eq!(reader.people(), 200);
    let cells = reader.crosstab(&by(&["sex", "job"])).unwrap();
    let sum: f64 = figures(&cells).iter().map(|own| own.estimate).sum();
    assert!((sum - 200.0).abs() < 20.0, "{sum}");
    let has = |cell: &Cell| cell.of[1].1.as_str().unwrap().starts_with('{');
    assert!(cells.cells.iter().any(has));
    let answer = reader.count("job = nurse", None).unwrap();
    assert!(answer.figure.is_exact(), "{answer:?}");
    let completed = reader.completed(1).unwrap();
    assert_eq!(completed[0][0].codes.len(), 200);
}

#[test]
fn strata_are_published_again() {
    let policy = with("l = 3", "l = 2\nstrata = [\"sex\"]");
    let reader = reader_of(released(&table(), &policy));
    let found = reader.crosstab(&by(&["sex", "job"])).unwrap();
    let figures = figures(&found);
    // Sexes do not mix in groups, so the release shows jobs by sex.
    assert!(figures.iter().all(FigureEntry::is_exact), "{found:?}");
    let found = reader.crosstab(&by(&["town", "job"])).unwrap();
    assert_eq!(found.cells[0].figure.as_ref().unwrap().method, "fit-and-worlds");
    assert_eq!(found.check[0].column, "town");
    // The only note is on a column that is not usable.
    let notes = usize::from(found.check[0].verdict != "usable");
    assert_eq!(found.notes.len(), notes, "{:?}", found.notes);
}

#[test]
fn exempt_values_are_counted_as_others() {
    let mut rows = people(300);
    rows.iter_mut().step_by(2).for_each(|row| row[3] = "none".to_owned());
    let policy = with("role = \"sensitive\"", "role = \"sensitive\", exempt = [\"none\"]");
    let reader = reader_of(released(&csv("age,sex,town,job", &rows), &policy));
    let none = reader.count("job = none", None).unwrap();
    assert_eq!((none.figure.estimate, none.figure.method), (150.0, "exact"));
    let found = reader.crosstab(&by(&["sex", "job"])).unwrap();
    let methods: Vec<&str> = figures(&found).iter().map(|own| own.method).collect();
    assert!(methods.contains(&"fit-and-worlds"), "{found:?}");
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

/// People without a number do not count for a mean.
#[test]
fn missing_numbers_do_not_count() {
    let mut rows = people(300);
    for (number, row) in rows.iter_mut().enumerate() {
        let wage = 10 * (1 + number % 12);
        row[3] = if number % 10 == 0 { String::new() } else { wage.to_string() };
        if number % 7 == 0 {
            row[0] = String::new();
        }
    }
    let policy = with("role = \"sensitive\"", "role = \"sensitive\", type = \"integer\"")
        .replace("path = \"people.csv\"", "path = \"people.csv\"\nmissing = \"keep\"")
        + "[output]\nstyle = \"anatomy\"\n";
    let reader = reader_of(released(&csv("age,sex,town,job", &rows), &policy));
    let mean = |name: &str| {
        let own: Vec<f64> = rows
            .iter()
            .filter_map(|row| row[if name == "age" { 0 } else { 3 }].parse().ok())
            .collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    for name in ["age", "job"] {
        let request = Request { statistic: Statistic::Mean(name.to_owned()), ..Request::default() };
        let found = reader.crosstab(&request).unwrap();
        let figure = found.cells[0].figure.as_ref().unwrap();
        assert_eq!(figure.method, "exact", "{name}");
        assert!((figure.estimate - mean(name)).abs() < 1e-9, "{name}: {figure:?}");
    }
    let by_sex = Request { statistic: Statistic::Mean("job".to_owned()), ..by(&["sex"]) };
    let found = reader.crosstab(&by_sex).unwrap();
    for cell in &found.cells {
        let sex = cell.of[0].1.as_str().unwrap();
        let own: Vec<f64> =
            rows.iter().filter(|row| row[1] == sex).filter_map(|row| row[3].parse().ok()).collect();
        let truth = own.iter().sum::<f64>() / own.len() as f64;
        let figure = cell.figure.as_ref().unwrap();
        assert!((figure.estimate - truth).abs() < 15.0, "{cell:?} {truth}");
        let [low, high] = figure.interval;
        assert!(low < high || (figure.estimate - truth).abs() < 1e-9, "{cell:?} {truth}");
    }
    assert!(reader.regression("job ~ age + sex", &[]).unwrap().kind == "linear");
}

/// Columns for analysis are not assumed to be known: they are shuffled, used only if a question
/// names them, and not in completed tables.
#[test]
fn columns_for_analysis_are_asked_where_they_are_named() {
    let policy = with("town = { role = \"quasi-identifier\" }", "town = { role = \"other\" }");
    let reader = reader_of(released(&table(), &policy));
    let found = reader.crosstab(&by(&["town", "job"])).unwrap();
    let sum: f64 = figures(&found).iter().map(|own| own.estimate).sum();
    assert!((sum - 300.0).abs() < 20.0, "{sum}");
    let town = reader.count("town = t1", None).unwrap();
    assert!(town.figure.is_exact(), "{town:?}");
    let (text, _) = complaint(&reader.regression("job ~ town", &[]).unwrap_err());
    assert!(text.contains("not a known column"), "{text}");
    let names = reader.completed(1).unwrap();
    assert!(names[0].iter().all(|column| column.name != "town"));
    assert_eq!(reader.not_completed(), ["town"]);
}

/// The keys of a cell belong to its figure; a column with the same name gets another key.
#[test]
fn columns_may_be_named_like_keys() {
    let policy = with("sex = {", "estimate = {").replace("town = {", "\"method\" = {");
    let table = csv("age,estimate,method,job", &people(300));
    let reader = reader_of(released(&table, &policy));
    let found = reader.crosstab(&by(&["estimate", "method"])).unwrap();
    assert!(
        found.notes[0].to_string().contains("`estimate` is called `estimate_`"),
        "{:?}",
        found.notes
    );
    let cell = serde_json::to_value(&found.cells[0]).unwrap();
    assert_eq!((&cell["estimate_"], &cell["method_"]), (&"f".into(), &"t0".into()));
    assert!(cell["estimate"].is_number() && cell["method"].is_string(), "{cell}");
    assert_eq!(Cell::key("estimate_"), "estimate__");
    assert_eq!(Cell::key("age"), "age");
}

/// Bins and limits split published values: cells are bounds, means are refused.
#[test]
fn divided_conditions_have_bounds() {
    let policy = with("type = \"integer\"", "type = \"integer\", top = 50");
    let reader = reader_of(released(&table(), &policy));
    let request = Request { conditions: Some("age > 55".to_owned()), ..by(&["sex"]) };
    let found = reader.crosstab(&request).unwrap();
    assert!(found.notes[0].to_string().contains("published as 50"), "{:?}", found.notes);
    for cell in &found.cells {
        let own = |row: &&[String; 4]| row[1] == cell.of[0].1.as_str().unwrap();
        let truth = people(300).iter().filter(own).filter(|row| *row[0] > *"55").count();
        let figure = cell.figure.as_ref().unwrap();
        assert_eq!((figure.method, figure.interval[0]), ("bounds", 0.0));
        assert!(truth as f64 <= figure.interval[1]);
    }
    let mean = Request { statistic: Statistic::Mean("age".to_owned()), ..request };
    let (text, _) = complaint(&reader.crosstab(&mean).unwrap_err());
    assert!(text.contains("divides values that are published as one"), "{text}");
}
