//! Records how far the model checker was taken: every safe algorithm, every kind of model, all
//! multisets of a few people, alone, in strata, with exempt values, and for informed readers.
//!
//! A reader sees who is in which group. A release of any style is a function of that and of the
//! reader's knowledge, so one enumeration covers all styles.

use openveil_core::algorithm::Algorithm;
use openveil_core::exact::Rational;
use openveil_core::model::{About, Informed};
use openveil_io::policy;
use openveil_io::progress::Nobody;
use openveil_papers::algorithm;
use openveil_tools::verify::{Crossed, Orders, Question};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Models of every kind, with parameters that a few people can satisfy, as in a policy.
const MODELS: [&str; 19] = [
    r#"model = "l-diversity", l = 2"#,
    r#"model = "l-diversity", l = 3"#,
    r#"model = "k-anonymity", k = 2"#,
    r#"model = "l-diversity", variant = "distinct", l = 2"#,
    r#"model = "l-diversity", variant = "distinct", l = 3"#,
    r#"model = "l-diversity", variant = "entropy", l = 1.8"#,
    r#"model = "l-diversity", variant = "entropy", l = 2"#,
    r#"model = "l-diversity", variant = "recursive", c = 1.5, l = 2"#,
    r#"model = "alpha-k-anonymity", alpha = 0.6, k = 2"#,
    r#"model = "p-sensitive-k-anonymity", p = 2, k = 3"#,
    r#"model = "t-closeness", distance = "equal", t = 0.4"#,
    r#"model = "t-closeness", distance = "ordered", t = 0.4"#,
    r#"model = "rho1-rho2", rho1 = "1/3", rho2 = 0.6"#,
    r#"model = "kifer", distance = "kullback-leibler", bound = 0.5"#,
    r#"model = "beta-likeness", beta = 1"#,
    r#"model = "beta-likeness", beta = 1, variant = "enhanced""#,
    r#"model = "delta-disclosure", delta = 0.7"#,
    r#"all = [{ model = "k-anonymity", k = 3 }, { model = "l-diversity", variant = "distinct", l = 2 }]"#,
    r#"all = [{ model = "k-anonymity", k = 2 }, { model = "t-closeness", distance = "equal", t = 0.5 }]"#,
];

/// The odds of readers who are informed about a person.
const ODDS: u64 = 2;

/// Up to so many people, every order of values is checked; beyond it only one, if the model does
/// not distinguish values.
const IN_EVERY_ORDER: u32 = 7;

/// How far to go.
#[derive(Debug, Clone)]
pub struct Depth {
    /// The greatest number of people.
    pub people: u32,
    /// The greatest number of people for ratio l-diversity.
    pub people_of_ratio: u32,
    /// The algorithms to check; empty for all safe ones.
    pub algorithms: Vec<String>,
    /// The file of findings; lines in it are not enumerated again.
    pub record: PathBuf,
}

/// The findings on one question over all multisets of so many people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct DepthLine {
    algorithm: String,
    /// The model, as in a policy.
    model: String,
    crossed: Crossed,
    /// Whether the readers are informed about a person.
    informed: bool,
    people: u32,
    #[serde(default, skip_serializing_if = "is_all")]
    orders: Orders,
    multisets: usize,
    tables: u64,
    releases: u64,
    unsafe_releases: u64,
    max_posterior: String,
}

fn is_all(orders: &Orders) -> bool {
    *orders == Orders::All
}

/// One question.
#[derive(Clone, Copy)]
struct DepthQuestion {
    algorithm: &'static dyn Algorithm,
    model: &'static str,
    crossed: Crossed,
    informed: bool,
}

impl DepthQuestion {
    /// Returns all questions for which the given algorithms are made.
    fn all(algorithms: &[String]) -> Vec<Self> {
        let safe = algorithm::all();
        let safe = safe.filter(|own| own.profile().is_safe());
        let is_asked = |name: &str| algorithms.is_empty() || algorithms.iter().any(|o| o == name);
        let mut all = Vec::new();
        for algorithm in safe.filter(|own| is_asked(own.name())) {
            for (model, crossed) in
                MODELS.into_iter().flat_map(|model| Crossed::ALL.map(|crossed| (model, crossed)))
            {
                let takes = !crossed.has_exempt() || algorithm.profile().takes_exempt;
                for informed in [false, true].into_iter().filter(|_| takes) {
                    all.push(Self { algorithm, model, crossed, informed });
                }
            }
        }
        all
    }

    /// Returns the approximate effort, on a scale on which one person more adds one.
    fn effort(&self, people: u32) -> u32 {
        // All orders of values are many times as many tables.
        let in_all_orders = people > IN_EVERY_ORDER && self.orders(people) == Orders::All;
        people
            + u32::from(self.crossed.has_exempt())
            + u32::from(self.informed)
            + 2 * u32::from(in_all_orders)
    }

    /// Returns which orders of values are checked.
    fn orders(&self, people: u32) -> Orders {
        let tells_values_apart = self.model.contains(r#"distance = "ordered""#);
        if people > IN_EVERY_ORDER && !tells_values_apart { Orders::One } else { Orders::All }
    }

    fn is(&self, line: &DepthLine, people: u32) -> bool {
        (line.algorithm.as_str(), line.model.as_str()) == (self.algorithm.name(), self.model)
            && (line.crossed, line.informed) == (self.crossed, self.informed)
            && line.people == people
    }

    fn line(&self, people: u32) -> Result<DepthLine, Box<dyn Error>> {
        let informed = Informed::new(Rational::from_integer(ODDS), About::Few(1))?;
        let informed = self.informed.then_some(informed);
        let question = Question {
            algorithm: self.algorithm,
            model: policy::privacy(self.model)?.against(informed),
            cells_only: false,
            strata: Vec::new(),
            informed,
            direction: None,
            limit: 1_000_000,
        };
        let orders = self.orders(people);
        let found = question.of_size(people, self.crossed, orders, None, &Nobody)?;
        let figures = found.as_ref().map(|size| &size.figures);
        let of = |figure: fn(&openveil_tools::verify::Figures) -> u64| figures.map_or(0, figure);
        let informed = figures.and_then(|figures| figures.informed.as_ref());
        let greatest = informed
            .map(|informed| &informed.max_posterior)
            .or(figures.map(|figures| &figures.max_posterior));
        Ok(DepthLine {
            algorithm: self.algorithm.name().to_owned(),
            model: self.model.to_owned(),
            crossed: self.crossed,
            informed: self.informed,
            people,
            orders,
            multisets: found.as_ref().map_or(0, |size| size.multisets),
            tables: of(|figures| figures.tables),
            releases: of(|figures| figures.releases),
            unsafe_releases: of(|figures| figures.unsafe_releases)
                + informed.map_or(0, |informed| informed.unsafe_releases),
            max_posterior: greatest.map_or(String::new(), ToString::to_string),
        })
    }
}

/// Enumerates everything that the record does not have yet, the least effort first, and appends
/// each line when it is finished.
///
/// # Errors
/// A record that cannot be read or written; a question that cannot be asked; a release that
/// discloses a value.
pub fn enumerate(depth: &Depth) -> Result<(), Box<dyn Error>> {
    let lines = read(&depth.record)?;
    let mut all = Vec::new();
    for asked in DepthQuestion::all(&depth.algorithms) {
        let is_ratio = policy::privacy(asked.model)?.ratio().is_some();
        let most = if is_ratio && asked.crossed == Crossed::Nothing && !asked.informed {
            depth.people_of_ratio
        } else {
            depth.people
        };
        let people = (2..=most).filter(|&people| !lines.iter().any(|own| asked.is(own, people)));
        all.extend(people.map(|people| (people, asked)));
    }
    all.sort_by_key(|(people, asked)| asked.effort(*people));
    for (people, asked) in all {
        let start = Instant::now();
        let line = asked.line(people)?;
        eprintln!(
            "{people} people, {}, {}{}{}: {} tables, {:.1} s",
            line.algorithm,
            line.model,
            line.crossed.in_words(),
            if line.informed { ", informed" } else { "" },
            line.tables,
            start.elapsed().as_secs_f64()
        );
        append(&depth.record, &line)?;
        if line.unsafe_releases > 0 {
            return Err(format!("somebody is given away: {line:?}").into());
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<DepthLine>, Box<dyn Error>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn append(path: &Path, line: &DepthLine) -> Result<(), Box<dyn Error>> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    Ok(file.write_all(text.as_bytes())?)
}

/// All lines of one algorithm and one crossed setting.
#[derive(Default)]
struct DepthRow {
    /// By model: the greatest number of people with values in every order, and in any order,
    /// whether or not a multiset is allowed.
    people: BTreeMap<String, [u32; 2]>,
    /// The number of allowed multisets, by model.
    models: BTreeMap<String, u128>,
    multisets: u128,
    tables: u128,
    releases: u128,
    unsafe_releases: u128,
}

impl DepthRow {
    fn add(&mut self, line: DepthLine) {
        let [all, any] = self.people.entry(line.model.clone()).or_default();
        *any = line.people.max(*any);
        if line.orders == Orders::All {
            *all = line.people.max(*all);
        }
        *self.models.entry(line.model).or_default() += line.multisets as u128;
        self.multisets += line.multisets as u128;
        self.tables += u128::from(line.tables);
        self.releases += u128::from(line.releases);
        self.unsafe_releases += u128::from(line.unsafe_releases);
    }

    /// Returns the models that the algorithm supports: they allow some multiset.
    fn taken(&self) -> impl Iterator<Item = &String> {
        self.models.iter().filter(|(_, multisets)| **multisets > 0).map(|(model, _)| model)
    }

    /// Returns the greatest number of people, in every order (0) or in any (1); two numbers if
    /// models differ.
    fn most(&self, orders: usize) -> String {
        let people = || self.taken().map(|model| self.people[model][orders]);
        match (people().min(), people().max()) {
            (Some(least), Some(greatest)) if least < greatest => format!("{least} to {greatest}"),
            (least, _) => least.map_or(String::new(), |least| least.to_string()),
        }
    }
}

/// Returns a record as CSV: a line for each algorithm and what it was crossed with.
///
/// # Errors
/// A record that cannot be read.
pub fn table(record: &Path) -> Result<String, Box<dyn Error>> {
    let mut rows: BTreeMap<(String, Crossed, bool), DepthRow> = BTreeMap::new();
    for line in read(record)? {
        let key = (line.algorithm.clone(), line.crossed, line.informed);
        rows.entry(key).or_default().add(line);
    }
    let mut table = String::from(HEAD);
    for ((algorithm, crossed, informed), row) in rows {
        let how = match (crossed.in_words().trim(), informed) {
            ("", false) => "alone".to_owned(),
            ("", true) => "informed readers".to_owned(),
            (words, false) => words.to_owned(),
            (words, true) => format!("{words}, informed readers"),
        };
        writeln!(
            table,
            "{algorithm},{},{},{},{},{},{},{},{}",
            // Semicolons, so that no cell needs quotes.
            how.replace(", ", "; "),
            row.taken().count(),
            row.most(1),
            row.most(0),
            row.multisets,
            row.tables,
            row.releases,
            row.unsafe_releases
        )?;
    }
    Ok(table)
}

const HEAD: &str = "algorithm,crossed with,models,up to,in every order,multisets,tables,releases,unsafe releases\n";

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_reader::report::thousands;

    #[test]
    fn a_record_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let depth = |people| Depth {
            people,
            people_of_ratio: people,
            algorithms: vec!["cover".to_owned()],
            record: folder.path().join("record.jsonl"),
        };
        enumerate(&depth(3)).unwrap();
        let first = fs::read_to_string(&depth(3).record).unwrap();
        enumerate(&depth(4)).unwrap();
        let second = fs::read_to_string(&depth(4).record).unwrap();
        assert!(second.starts_with(&first) && second.len() > first.len());
        enumerate(&depth(4)).unwrap();
        assert_eq!(fs::read_to_string(&depth(4).record).unwrap(), second);
        // Every kind of model is allowed by some table of four people, except the one that needs
        // six.
        let table = table(&depth(4).record).unwrap();
        assert!(table.contains("\ncover,alone,"), "{table}");
        assert!(read(&depth(4).record).unwrap().iter().all(|l| l.unsafe_releases == 0));
    }

    /// The cells of the committed table.
    fn cells(table: &str) -> Vec<Vec<&str>> {
        table.lines().skip(1).map(|line| line.split(',').collect()).collect()
    }

    /// The last four columns, summed by algorithm, as rows in Markdown.
    fn sums(rows: &[Vec<&str>]) -> String {
        let mut sums: BTreeMap<&str, [u128; 4]> = BTreeMap::new();
        for row in rows {
            let sum = sums.entry(row[0]).or_default();
            for (sum, cell) in sum.iter_mut().zip(&row[5..]) {
                *sum += cell.parse::<u128>().unwrap();
            }
        }
        sums.iter()
            .map(|(algorithm, sum)| {
                let cells = sum.map(thousands).join(" | ");
                format!("| `{algorithm}` | {cells} |\n")
            })
            .collect()
    }

    /// The committed table has every safe algorithm, each for at least six people, and no unsafe
    /// release. The page shows its sums.
    #[test]
    fn the_committed_table_has_nothing_unsafe() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/theory");
        let table = fs::read_to_string(folder.join("enumerated.csv")).unwrap();
        assert!(table.starts_with(HEAD));
        let rows = cells(&table);
        for asked in DepthQuestion::all(&[]) {
            let name = asked.algorithm.name();
            assert!(rows.iter().any(|row| row[0] == name), "{name}");
        }
        for row in &rows {
            let people = row[3].split(' ').next().unwrap();
            assert!(people.parse::<u32>().unwrap() >= 6, "{row:?}");
            assert_eq!(row[8], "0", "{row:?}");
        }
        let page = fs::read_to_string(folder.join("small-tables.md")).unwrap();
        let sums = sums(&rows);
        assert!(page.contains(&sums), "small-tables.md has to show:\n{sums}");
    }
}
