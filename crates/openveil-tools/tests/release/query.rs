//! Cross-tables, regressions and completed tables of releases in memory.

mod coarse;
mod hostile;
mod unusual;

use openveil_io::progress::Nobody;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::{MemoryRelease, Texts};
use openveil_io::{Error, Policy};
use openveil_publication::{Options, Release};
use openveil_reader::query::{
    Cell, Completed, CrossTable, Effort, FigureEntry, Reader, Request, Statistic,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const COLUMNS: &str = r#"
[input]
path = "people.csv"
[columns]
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
town = { role = "quasi-identifier" }
job = { role = "sensitive" }
[privacy]
model = "l-diversity"
l = 3
smallest-group = 4
"#;

/// People whose jobs depend on their sex.
fn people(rows: usize) -> Vec<[String; 4]> {
    let mut state = 7u64;
    let mut below = |number: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % number
    };
    let jobs = ["clerk", "cook", "judge", "nurse", "smith", "tailor"];
    let row = |_| {
        let (age, sex, town) = (20 + below(40), below(2), below(3));
        let job = if below(3) == 0 { 3 * sex + below(3) } else { below(6) };
        let texts = ["f", "m"];
        [
            age.to_string(),
            texts[sex as usize].to_owned(),
            format!("t{town}"),
            jobs[job as usize].to_owned(),
        ]
    };
    (0..rows).map(row).collect()
}

fn csv(header: &str, rows: &[[String; 4]]) -> String {
    let lines = rows.iter().map(|row| row.join(",") + "\n");
    format!("{header}\n{}", lines.collect::<String>())
}

/// Returns a release of a table.
fn released(table: &str, policy: &str) -> MemoryRelease {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), table).unwrap();
    let policy = Policy::parse(policy, &folder.path().join("policy.toml")).unwrap();
    let options = Options { test_seed: Some(3), ..Options::default() };
    let release = Release::new(&policy, options, &Nobody).unwrap();
    release.in_memory(Texts::Plain).unwrap()
}

fn reader_of(release: MemoryRelease) -> Reader {
    let reader = Reader::open(ReleasePlace::Memory(Arc::new(release))).unwrap();
    reader.with_effort(Effort { worlds: 3, seed: 1 })
}

/// Returns the reader of a release of these people.
fn reader(rows: usize, style: &str) -> Reader {
    let table = csv("age,sex,town,job", &people(rows));
    reader_of(released(&table, &format!("{COLUMNS}[output]\nstyle = \"{style}\"\n")))
}

fn by(names: &[&str]) -> Request {
    Request { by: names.iter().map(|&name| name.to_owned()).collect(), ..Request::default() }
}

fn figures(table: &CrossTable) -> Vec<FigureEntry> {
    table
        .cells
        .iter()
        .map(|cell| cell.figure.clone())
        .collect::<Option<_>>()
        .expect("counts have figures")
}

fn complaint(error: &Error) -> (String, String) {
    let all = error.to_string();
    let (text, help) = all.split_once("help: ").expect("a remedy");
    (text.to_owned(), help.to_owned())
}

#[test]
fn cells_add_up_to_the_rows() {
    for style in ["anatomy", "slice", "generalize"] {
        let reader = reader(300, style);
        for names in [&["job"][..], &["sex", "job"], &["town", "sex", "job"], &["sex"]] {
            let table = reader.crosstab(&by(names)).unwrap();
            let sum: f64 = figures(&table).iter().map(|own| own.estimate).sum();
            // Each estimate is corrected separately.
            assert!((sum - 300.0).abs() < 20.0, "{style} {names:?}: {sum}");
            assert_eq!(table.rows, 300);
        }
        let jobs = figures(&reader.crosstab(&by(&["job"])).unwrap());
        assert!(jobs.iter().all(FigureEntry::is_exact), "{style}");
    }
}

/// A cell equals a count under the same conditions.
#[test]
fn a_cell_is_a_count() {
    for style in ["anatomy", "generalize"] {
        let reader = reader(300, style);
        let mut compared = 0;
        for limit in [None, Some("age >= 30 and town != t1")] {
            let table = reader
                .crosstab(&Request { conditions: limit.map(str::to_owned), ..by(&["sex", "job"]) });
            for cell in table.unwrap().cells {
                let all: Vec<String> = cell
                    .of
                    .iter()
                    .map(|(name, value)| format!("{name} = {}", value.as_str().expect("a text")))
                    .chain(limit.map(str::to_owned))
                    .collect();
                let answer = reader.count(&all.join(" and "), None).unwrap();
                let (one, other) = (answer.figure, cell.figure.unwrap());
                assert_eq!(one.method, other.method, "{all:?}");
                assert!((one.estimate - other.estimate).abs() < 1e-6, "{all:?}");
                let ends = one.interval.iter().zip(other.interval);
                assert!(ends.into_iter().all(|(a, b)| (a - b).abs() < 1e-6), "{all:?}");
                compared += 1;
            }
        }
        assert_eq!(compared, 24, "{style}");
    }
}

/// Known columns are published exactly, so answers about them are exact and true.
#[test]
fn known_columns_of_whole_rows_are_exact() {
    let reader = reader(300, "anatomy");
    let people = people(300);
    let mut counts: BTreeMap<[&str; 2], (f64, f64, Vec<u32>)> = BTreeMap::new();
    for [age, sex, town, _] in &people {
        let age: u32 = age.parse().unwrap();
        let own = counts.entry([sex, town]).or_default();
        own.0 += 1.0;
        own.1 += f64::from(age);
        own.2.push(age);
    }
    let ask = |statistic: Statistic| {
        let request = Request { statistic, ..by(&["sex", "town"]) };
        reader.crosstab(&request).unwrap()
    };
    let age = || "age".to_owned();
    let tables =
        [ask(Statistic::Count), ask(Statistic::Mean(age())), ask(Statistic::Quantile(age(), 0.5))];
    for (number, (key, (rows, sum, mut ages))) in counts.into_iter().enumerate() {
        ages.sort_unstable();
        let median = f64::from(ages[ages.len().div_ceil(2) - 1]);
        for (table, truth) in tables.iter().zip([rows, sum / rows, median]) {
            let cell = &table.cells[number];
            let of: Vec<&str> = cell.of.iter().map(|(_, value)| value.as_str().unwrap()).collect();
            assert_eq!(of, key);
            let figure = cell.figure.as_ref().unwrap();
            assert_eq!(figure.method, "exact", "{key:?} {}", table.statistic);
            assert!((figure.estimate - truth).abs() < 1e-9, "{key:?} {}", table.statistic);
        }
    }
}

/// Weighted figures of columns that the release shows are those of the table.
#[test]
fn weights_count_people_of_a_population() {
    let reader = reader(300, "anatomy");
    let people = people(300);
    let ages_of = |sex: &str| -> Vec<f64> {
        people
            .iter()
            .filter(|row| sex.is_empty() || row[1] == sex)
            .map(|row| row[0].parse().unwrap())
            .collect()
    };
    let ages = ages_of("f");
    let total: f64 = ages.iter().sum();
    let squares: f64 = ages.iter().map(|age| age * age).sum();
    for (statistic, truth, name) in [
        (Statistic::Count, total, "count, weighted by age"),
        (Statistic::Mean("age".into()), squares / total, "mean of age, weighted by age"),
    ] {
        let request = Request { statistic, weight: Some("age".into()), ..by(&["sex"]) };
        let table = reader.crosstab(&request).unwrap();
        assert_eq!(table.statistic, name);
        let figure = &figures(&table)[0];
        assert!(figure.is_exact(), "{figure:?}");
        assert!((figure.estimate - truth).abs() < 1e-6, "{figure:?}");
    }
    let of_jobs = Request { weight: Some("age".into()), ..by(&["job"]) };
    let found: f64 =
        figures(&reader.crosstab(&of_jobs).unwrap()).iter().map(|figure| figure.estimate).sum();
    assert!((found / ages_of("").iter().sum::<f64>() - 1.0).abs() < 0.05);
}

/// A test is made of a known and a secret column, and finds the dependence of jobs on sex.
#[test]
fn independence_is_tested() {
    let reader = reader(900, "anatomy");
    let of = |names: &[&str]| reader.crosstab(&by(names)).unwrap().independence;
    let (sex, town) = (of(&["sex", "job"]).unwrap(), of(&["job", "town"]).unwrap());
    assert!(sex.p < 0.01 && sex.chi2 > 2.0 * sex.freedom, "{sex:?}");
    assert!(town.p > 0.01 && town.p <= 1.0, "{town:?}");
    assert_eq!(of(&["sex", "town"]), None);
    assert_eq!(of(&["age", "job"]), None); // fewer than five people per cell
    assert_eq!(of(&["sex", "town", "job"]), None);
}

/// Few groups are not fitted: counts are bounds that hold, and everything else is refused.
#[test]
fn few_groups_have_bounds_and_a_note() {
    let reader = reader(30, "anatomy");
    let answer = reader.count("sex = f and job = nurse", None).unwrap();
    assert_eq!(answer.figure.method, "bounds");
    assert!(answer.notes[0].to_string().contains("groups, but a fit needs 16"), "{answer:?}");
    let table = reader.crosstab(&by(&["sex", "job"])).unwrap();
    assert!(table.notes[0].to_string().contains("groups, but a fit needs 16"), "{table:?}");
    let truth = |sex: &str, job: &str| {
        let people = people(30);
        people.iter().filter(|row| row[1] == sex && row[3] == job).count() as f64
    };
    for cell in &table.cells {
        let of: Vec<&str> = cell.of.iter().map(|(_, value)| value.as_str().unwrap()).collect();
        let [low, high] = cell.figure.as_ref().unwrap().interval;
        assert!((low..=high).contains(&truth(of[0], of[1])), "{cell:?}");
        let method = cell.figure.as_ref().unwrap().method;
        assert!(method == "bounds" || method == "exact" && low == high);
    }
    let (text, _) = complaint(&reader.regression("job ~ sex", &[]).unwrap_err());
    assert!(text.contains("no regression: the release has"), "{text}");
    complaint(&reader.completed(2).unwrap_err());
    complaint(&reader.weights().unwrap_err());
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_remedy() {
    let reader = reader(300, "anatomy");
    let request = |names: &[&str], statistic: Statistic| Request { statistic, ..by(names) };
    for (own, expected) in [
        (by(&["sexx"]), "no column `sexx`"),
        (by(&["sex", "sex"]), "`sex` is named twice"),
        (request(&["sex"], Statistic::Mean("job".into())), "`job` is not numeric"),
        (request(&["sex"], Statistic::Mean("town".into())), "`town` is not numeric"),
        (
            Request { weight: Some("town".into()), ..by(&["sex"]) },
            "`town` is not numeric, so it has no mean or quantile and is no weight",
        ),
        (request(&[], Statistic::Quantile("age".into(), 1.5)), "1.5 is not a share"),
    ] {
        let (text, _) = complaint(&reader.crosstab(&own).unwrap_err());
        assert!(text.contains(expected), "{text}");
    }
    for (formula, expected) in [
        ("job", "has no `~`"),
        ("job ~ a ~ b", "has no `~`, or several"),
        ("age ~ sex", "explains `age`; only `job` can be explained"),
        ("job ~ sexx", "names `sexx`, which is not a known column"),
        ("job ~ job", "names `job`, which is not a known column"),
        ("job ~ C(age)", "contains `C(age)`, which is not understood"),
        ("job ~ age + log(age)", "contains `log(age)`"),
        ("job ~ sex - 1", "has the part `sex - 1`"),
        ("job ~ sex +", "lacks a column beside an operator"),
        ("job ~", "lacks a column beside an operator"),
        ("job ~ sex town", "has the part `sex town`"),
        ("job ~ `sex", "never closed"),
        ("job ~ age:sex*town", "has the part"),
        ("job ~ sex*town*age", "coefficients are more than the"),
    ] {
        match reader.regression(formula, &[]) {
            Err(error) => {
                let (text, _) = complaint(&error);
                assert!(text.contains(expected), "{formula}: {text}");
            }
            Ok(_) => assert!(formula.contains("town*age"), "{formula}"),
        }
    }
    let many = reader_of(released(
        &csv("age,sex,town,job", &people(240)),
        &COLUMNS.replace("\"quasi-identifier\", type = \"integer\"", "\"quasi-identifier\""),
    ));
    let (text, help) = complaint(&many.regression("job ~ .", &[]).unwrap_err());
    assert!(text.contains("coefficients are more than the"), "{text}");
    assert!(help.contains("fewer"), "{help}");
}

/// Values are compared with the one that is asked for; none that rows lack, and none of numbers.
#[test]
fn references_are_values_that_rows_have() {
    let reader = reader(600, "anatomy");
    let asked = |column: &str, value: &str| {
        reader.regression("job ~ sex + town", &[(column.to_owned(), value.to_owned())])
    };
    let plain = reader.regression("job ~ sex + town", &[]).unwrap();
    let turned = asked("sex", "m").unwrap();
    assert_eq!(turned.levels[0].values, ["m", "f"]);
    for (one, other) in plain.coefficients.iter().zip(&turned.coefficients) {
        if one.term == "sex=m" {
            assert_eq!((one.value.as_ref(), other.term.as_str()), (other.value.as_ref(), "sex=f"));
            let sum = one.figure.estimate + other.figure.estimate;
            assert!(sum.abs() < 1e-3, "{sum}");
        }
    }
    let other = plain.coefficients[0].value.clone().unwrap();
    let seen = asked("job", &other).unwrap();
    assert_eq!(seen.baseline.as_ref(), Some(&other));
    let checked: Vec<&str> = seen.check.iter().map(|own| own.column.as_str()).collect();
    assert_eq!(checked, ["sex", "town"]);
    for (column, value, expected) in [
        ("sex", "x", "no row of the release has the value `x` of `sex`"),
        ("job", "x", "no row of the release has the value `x` of `job`"),
        ("age", "30", "`age` is numeric"),
        ("sexx", "m", "there is no column `sexx`"),
    ] {
        let (text, _) = complaint(&asked(column, value).unwrap_err());
        assert!(text.contains(expected), "{text}");
    }
}

/// Products include all their parts, and a quoted text is a name.
#[test]
fn formulas_name_their_terms() {
    let reader = reader(600, "anatomy");
    let terms = |formula: &str| -> Vec<String> {
        let found = reader.regression(formula, &[]).unwrap();
        assert_eq!((found.kind, found.rows), ("multinomial-logit", 600));
        let first = found.coefficients[0].value.clone();
        let own = found.coefficients.into_iter().filter(|own| own.value == first);
        own.map(|own| own.term).collect()
    };
    let plain = ["(Intercept)", "age", "sex=m", "town=t1", "town=t2"];
    assert_eq!(terms("job ~ ."), plain);
    let turned = ["(Intercept)", "town=t1", "town=t2", "age", "sex=m"];
    assert_eq!(terms("'job' ~ `town` + age + \"sex\" + 1"), turned);
    let pairs = ["(Intercept)", "age", "sex=m", "age:sex=m"];
    assert_eq!(terms("job ~ age*sex"), pairs);
    assert_eq!(terms("job ~ sex:age"), ["(Intercept)", "age:sex=m"]);
}

/// Completed tables have the release's columns, and weights of a row add up to 1.
#[test]
fn completed_tables_and_weights_are_of_the_release() {
    for style in ["anatomy", "slice"] {
        let reader = reader(300, style);
        let tables = reader.completed(2).unwrap();
        let texts = |table: &Completed, name: &str| -> Vec<String> {
            let column = table.iter().find(|column| column.name == name).unwrap();
            let mut own: Vec<String> =
                column.codes.iter().map(|&code| column.values.get(code).to_owned()).collect();
            own.sort();
            own
        };
        for (at, name) in ["age", "sex", "town", "job"].into_iter().enumerate() {
            let mut truth: Vec<String> = people(300).iter().map(|row| row[at].clone()).collect();
            truth.sort();
            assert_eq!(texts(&tables[0], name), truth, "{style} {name}");
        }
        assert_ne!(tables[0][3].codes, tables[1][3].codes);
        let weights = reader.weights().unwrap();
        let mut sums = vec![0.0; 300];
        weights
            .rows
            .iter()
            .zip(&weights.weights)
            .for_each(|(&row, weight)| sums[row as usize] += weight);
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5));
        assert_eq!(weights.columns[0].codes.len(), weights.rows.len());
    }
}
