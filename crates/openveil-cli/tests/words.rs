//! An oracle for words: small tables are published under every model, algorithm and
//! style, with and without exempt values, alone and by rules, as CSV and Parquet; a
//! stranger reads the folders, recounts what they show, and holds it against what
//! manifest and sentence promise.
//!
//! `OPENVEIL_BIN` names another program to be held to its words.

use openveil::algorithm;
use openveil::model::Requirement;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A model in policies, one for each in the library's list.
fn sample(model: &str, variant: Option<&str>) -> String {
    let parameters = match (model, variant.unwrap_or_default()) {
        ("l-diversity", "ratio" | "distinct") => "l = 2",
        ("l-diversity", "entropy") => "l = 1.5",
        ("l-diversity", "recursive") => "c = 2, l = 2",
        ("k-anonymity", _) => "k = 3",
        ("alpha-k-anonymity", _) => "alpha = 0.6, k = 2",
        ("p-sensitive-k-anonymity", _) => "p = 2, k = 3",
        ("t-closeness", _) => "t = 0.4, distance = \"equal\"",
        ("rho1-rho2", _) => "rho1 = 0.2, rho2 = 0.8",
        ("kifer", _) => "distance = \"total-variation\", bound = 0.4",
        ("beta-likeness", _) => "beta = 5",
        ("delta-disclosure", _) => "delta = 3",
        ("l-alpha-diversity", _) => {
            "l = 2, alpha = 0.5, categories = [[\"a\", \"b\"], [\"c\", \"none\"]]"
        }
        other => panic!("no sample of {other:?}: a new model needs its place here"),
    };
    let variant = variant.map_or(String::new(), |variant| {
        format!("variant = \"{variant}\", ")
    });
    format!("model = \"{model}\", {variant}{parameters}")
}

/// Everything that words depend on.
#[derive(Debug, Clone)]
struct Case {
    model: String,
    algorithm: &'static str,
    style: &'static str,
    exempt: bool,
    rules: bool,
    strata: bool,
    format: &'static str,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for &(model, variant) in Requirement::ALL {
            for algorithm in algorithm::ALL {
                // Three styles; strata in one format: files do not know of them.
                for bits in 0..36 {
                    let is = |bit: u32| (bits / 3) >> bit & 1 == 1;
                    let strata = bits / 3 >= 8;
                    cases.push(Self {
                        model: sample(model, variant),
                        algorithm: algorithm.name(),
                        style: ["generalize", "slice", "anatomy"][bits % 3],
                        exempt: is(0),
                        rules: is(1),
                        strata,
                        format: if !strata && is(2) { "parquet" } else { "csv" },
                    });
                }
            }
        }
        cases
    }

    fn policy(&self) -> String {
        let exempt = if self.exempt {
            ", exempt = [\"none\"]"
        } else {
            ""
        };
        let strata = if self.strata {
            "strata = [\"sex\"]\n"
        } else {
            ""
        };
        let (known, secret, zip, what) = if self.rules {
            let rules = format!(
                "[[rules]]\ngiven = [\"age\", \"sex\"]\nprotect = \"job\"\n{strata}{}\n[[rules]]\ngiven = \"sex\"\nprotect = \"zip\"\nmodel = \"t-closeness\"\nt = 0.4\ndistance = \"equal\"\n",
                self.model
                    .replace(", ", "\n")
                    .replace("\"a\"\n", "\"a\", ")
                    .replace("\"c\"\n", "\"c\", ")
                    .replace("]\n[", "], [")
            );
            ("attribute", "attribute", "attribute", rules)
        } else {
            let privacy = format!("[privacy]\n{strata}all = [{{ {} }}]\n", self.model);
            ("quasi-identifier", "sensitive", "drop", privacy)
        };
        // With bounds, ages that are published as ranges are two columns.
        let cells = match (self.style, self.exempt) {
            ("generalize", true) => ", cells = \"bounds\"",
            _ => "",
        };
        let weight = if self.rules { "drop" } else { "other" };
        format!(
            "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"{known}\", type = \"integer\"{cells} }}\nweight = {{ role = \"{weight}\", type = \"number\" }}\nsex = {{ role = \"{known}\" }}\njob = {{ role = \"{secret}\"{exempt} }}\nzip = {{ role = \"{zip}\" }}\n{what}[algorithm]\nname = \"{}\"\n[output]\nstyle = \"{}\"\nformat = \"{}\"\n",
            self.algorithm, self.style, self.format
        )
    }
}

/// 18 people; `none` is as frequent as all others together, and follows the age.
fn people() -> String {
    let jobs = [
        "none", "none", "none", "none", "none", "a", "b", "c", "none",
    ];
    let mut text = "age,sex,job,zip,weight\n".to_owned();
    for row in 0..18 {
        let job = if row < 9 {
            jobs[row]
        } else {
            ["a", "b", "c", "a", "b", "c", "none", "none", "none"][row - 9]
        };
        let (sex, zip) = (["f", "m"][row % 2], ["x", "y", "z"][row % 3]);
        text += &format!("{},{sex},{job},{zip},{}.5\n", 20 + row, row * 7 % 11);
    }
    text
}

fn program() -> PathBuf {
    std::env::var_os("OPENVEIL_BIN").map_or(env!("CARGO_BIN_EXE_openveil").into(), PathBuf::from)
}

fn publish(folder: &Path, policy: &str, table: &str) -> Output {
    fs::write(folder.join("t.csv"), table).unwrap();
    fs::write(folder.join("p.toml"), policy).unwrap();
    Command::new(program())
        .args([
            "publish",
            "p.toml",
            "--test-seed",
            "7",
            "--i-accept-algorithm-disclosure",
        ])
        .current_dir(folder)
        .output()
        .unwrap()
}

type Rows = Vec<BTreeMap<String, String>>;

/// A file of a release, by nobody's reader but this one.
fn rows(path: &Path) -> Rows {
    if path.extension().is_some_and(|ending| ending == "parquet") {
        return parquet_rows(path);
    }
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(fields);
    let header = lines.next().unwrap();
    lines
        .map(|line| header.iter().cloned().zip(line).collect())
        .collect()
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

fn parquet_rows(path: &Path) -> Rows {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let row = |row: parquet::record::Row| {
        let cells = row.get_column_iter().map(|(name, field)| {
            let text = match field {
                Field::Str(text) => text.clone(),
                other => other.to_string(),
            };
            (name.clone(), text)
        });
        cells.collect()
    };
    reader
        .get_row_iter(None)
        .unwrap()
        .map(|read| row(read.unwrap()))
        .collect()
}

/// How often each value of a column stands in each group of some files.
fn groups(folder: &Path, files: &[String], column: &str) -> Vec<BTreeMap<String, u64>> {
    let mut groups: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for file in files {
        for row in rows(&folder.join(file)) {
            let Some(value) = row.get(column) else {
                continue;
            };
            let count = row.get("count").map_or(1, |count| count.parse().unwrap());
            let group = row.get("group").cloned().unwrap_or_default();
            *groups
                .entry(group)
                .or_default()
                .entry(value.clone())
                .or_default() += count;
        }
    }
    groups.into_values().collect()
}

/// The highest share in any group of the values that are (not) exempt.
fn highest(groups: &[BTreeMap<String, u64>], exempt: impl Fn(&str) -> bool) -> (u64, u64) {
    let share = |group: &BTreeMap<String, u64>| -> (u64, u64) {
        let counts = group.iter().filter(|(value, _)| exempt(value));
        (
            counts.map(|(_, count)| *count).max().unwrap_or(0),
            group.values().sum(),
        )
    };
    let shares = groups.iter().map(share);
    shares
        .max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)))
        .unwrap_or((0, 1))
}

/// `p/q` or `1`.
fn fraction(text: &str) -> (u64, u64) {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    (numerator.parse().unwrap(), denominator.parse().unwrap())
}

fn exceeds(a: (u64, u64), b: (u64, u64)) -> bool {
    u128::from(a.0) * u128::from(b.1) > u128::from(b.0) * u128::from(a.1)
}

/// What is wrong with the promise made of one protected column.
fn wrong(
    bound: &Value,
    exempt: &Value,
    sentence: &str,
    column: &str,
    groups: &[BTreeMap<String, u64>],
    case: &Case,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let named: Vec<&str> = exempt
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let expected: &[&str] = if case.exempt && column == "job" {
        &["none"]
    } else {
        &[]
    };
    if named != expected {
        wrong.push(format!(
            "the model of `{column}` exempts {named:?}, the policy {expected:?}"
        ));
    }
    let is_exempt = |value: &str| expected.contains(&value);
    let protected = highest(groups, |value| !is_exempt(value));
    let certain = protected.0 == protected.1 && protected.0 > 0;
    if !expected.is_empty() && !sentence.contains("exempt: who has it may become certain") {
        wrong.push("the sentence does not say that exempt values may become certain".to_owned());
    }
    match bound.as_str().map(fraction) {
        Some(bound) if exceeds(protected, bound) => {
            wrong.push(format!(
                "a value of `{column}` has {protected:?} of a group, {bound:?} is promised"
            ));
        }
        Some((1, 1)) => {
            if !sentence.contains("does not keep anybody's") {
                wrong.push("the sentence does not say that values may become certain".to_owned());
            }
        }
        Some(_) => {
            if !sentence.contains(&format!("above {}", bound.as_str().unwrap_or_default()))
                && !sentence.contains(" %")
            {
                wrong.push("the sentence has another number than the manifest".to_owned());
            }
        }
        None if certain => wrong.push(format!(
            "a value of `{column}` is certain, and no bound is given"
        )),
        None => {
            if !sentence.contains("no bound is promised") {
                wrong.push("the sentence promises more than no bound".to_owned());
            }
        }
    }
    let says = sentence.contains("people of equal `sex` are a stratum");
    if says != (case.strata && column == "job") {
        wrong.push("the sentence is wrong about strata".to_owned());
    }
    wrong.extend(wrong_words(sentence, groups, is_exempt));
    wrong
}

/// Words of models that can be recounted.
fn wrong_words(
    sentence: &str,
    groups: &[BTreeMap<String, u64>],
    is_exempt: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let number_after = |words: &str| -> Option<u64> {
        let (_, after) = sentence.split_once(words)?;
        after
            .split(|c: char| !c.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    };
    let fewer = |k: u64| groups.iter().any(|group| group.values().sum::<u64>() < k);
    if number_after("every group has at least ").is_some_and(fewer) {
        wrong.push("a group has fewer people than said".to_owned());
    }
    if sentence.contains("values remain possible for everybody") {
        let l = number_after("at least ").unwrap();
        let few = |group: &&BTreeMap<String, u64>| (group.len() as u64) < l;
        for group in groups.iter().filter(few) {
            let excused = sentence.contains("or none but exempt ones")
                && group.keys().all(|value| is_exempt(value));
            if !excused {
                wrong.push(format!("a group of {group:?} beside `at least {l} values`"));
            }
        }
    }
    wrong
}

/// What is wrong with what a case publishes; none if it is refused.
fn findings(case: &Case) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let output = publish(folder.path(), &case.policy(), &people());
    match output.status.code() {
        Some(0) => {}
        Some(2) => return None,
        code => {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            return Some(vec![format!("exit code {code:?}: {message}")]);
        }
    }
    let release = folder.path().join("out/release");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(release.join("manifest.json")).unwrap()).unwrap();
    let sentence = manifest["guarantee"]["statement"].as_str().unwrap();
    let strings = |value: &Value| -> Vec<String> {
        let list = value.as_array().unwrap().iter();
        list.map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let mut found = Vec::new();
    if case.rules {
        for rule in manifest["rules"].as_array().unwrap() {
            let column = strings(&rule["protect"]).remove(0);
            let guardian = manifest["tables"].as_array().unwrap().iter();
            let guardian = guardian.clone().find(|table| table["name"] == rule["by"]);
            let shown = match guardian {
                Some(table) => groups(&release, &strings(&table["files"]), &column),
                // Nothing leads there: the histogram, which the input gives as well.
                None => {
                    fs::write(folder.path().join("one.csv"), people()).unwrap();
                    let all = groups(folder.path(), &["one.csv".to_owned()], &column);
                    let is_exempt = |value: &str| case.exempt && value == "none";
                    let most = highest(&all, |value| !is_exempt(value));
                    let bound = rule["max_posterior"].as_str().map(fraction);
                    if bound.is_none_or(|bound| exceeds(bound, most) || exceeds(most, bound)) {
                        found.push(format!(
                            "`{column}` is out of reach: {most:?}, promised {bound:?}"
                        ));
                    }
                    all
                }
            };
            found.extend(wrong(
                &rule["max_posterior"],
                &rule["model"]["exempt"],
                &part(sentence, &column),
                &column,
                &shown,
                case,
            ));
        }
    } else {
        let shown = groups(&release, &strings(&manifest["files"]), "job");
        let bound = &manifest["guarantee"]["max_posterior"];
        found.extend(wrong(
            bound,
            &manifest["model"]["exempt"],
            sentence,
            "job",
            &shown,
            case,
        ));
        let protects = strings(&manifest["guarantee"]["protects"]);
        if bound.as_str() == Some("1") && !protects.is_empty() {
            found.push(format!(
                "{protects:?} is called protected and may become certain"
            ));
        }
    }
    found.extend(wrong_columns(&release, &manifest, case));
    let safe = algorithm::named(case.algorithm)
        .unwrap()
        .profile()
        .is_safe();
    let adversary = if safe {
        "knows-algorithm"
    } else {
        "sees-release"
    };
    if manifest["guarantee"]["adversary"] != adversary {
        found.push(format!("the adversary is not {adversary}"));
    }
    Some(found)
}

/// Whether the columns of the files are those that the manifest describes, with the cells
/// that it says, and whether a reader is told what exact values mean.
fn wrong_columns(release: &Path, manifest: &Value, case: &Case) -> Vec<String> {
    let strings = |value: &Value| -> Vec<String> {
        let list = value.as_array().into_iter().flatten();
        list.map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let described = manifest["columns"].as_array().unwrap();
    let mut names: Vec<String> = vec!["group".to_owned(), "count".to_owned()];
    for column in described {
        match strings(&column["names"]) {
            own if own.is_empty() => names.push(column["name"].as_str().unwrap().to_owned()),
            own => names.extend(own),
        }
    }
    let mut found = Vec::new();
    let files: Vec<Rows> = strings(&manifest["files"])
        .iter()
        .map(|file| rows(&release.join(file)))
        .collect();
    for name in files.iter().flatten().flat_map(BTreeMap::keys) {
        if !names.contains(name) {
            found.push(format!("`{name}` stands in a file and not in the manifest"));
        }
    }
    let mut exact = false;
    for column in described {
        let (name, cells) = (
            column["name"].as_str().unwrap(),
            column["cells"].as_str().unwrap(),
        );
        let is_known = column["role"] == "quasi-identifier";
        exact |= is_known && ["value", "sliced"].contains(&cells);
        let own = strings(&column["names"]);
        let shown = own.first().map_or(name, String::as_str);
        let of_groups = files
            .iter()
            .flatten()
            .filter(|row| row.contains_key("group"));
        let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in of_groups {
            if let Some(cell) = row.get(shown) {
                seen.entry(&row["group"]).or_default().push(cell);
            }
        }
        let is_range = !["value", "sliced", "counted"].contains(&cells);
        let differ = |cells: &Vec<&str>| cells.iter().any(|cell| *cell != cells[0]);
        if is_range && !case.rules && seen.values().any(differ) {
            found.push(format!("the cells of `{name}` differ in a group"));
        }
        // What is exact is the table's, value by value.
        if ["value", "sliced"].contains(&cells) && !case.rules {
            let mut shown: Vec<&str> = seen.into_values().flatten().collect();
            let text = people();
            let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
            let header = lines.next().unwrap();
            let at = header.iter().position(|column| *column == name).unwrap();
            let mut own: Vec<&str> = lines.map(|line| line[at]).collect();
            shown.sort_unstable();
            own.sort_unstable();
            if shown != own {
                found.push(format!("`{name}` does not show the values of the table"));
            }
        }
    }
    let notes = strings(&manifest["notes"]).join("\n");
    if exact && !notes.contains("they count as known and are not hidden") {
        found.push("nobody is told that exact values hide nothing".to_owned());
    }
    let sliced = described
        .iter()
        .any(|column| column["role"] != "sensitive" && column["cells"] == "sliced");
    if sliced && !case.rules && !notes.contains("no person's row") {
        found.push("nobody is told that rows are no persons'".to_owned());
    }
    let other = described.iter().any(|column| column["role"] == "other");
    if other != notes.contains("They are not protected") {
        found.push("nobody is told that columns for analysis are not protected".to_owned());
    }
    found
}

/// The sentence about one column.
fn part(sentence: &str, column: &str) -> String {
    let about = |part: &&str| part.contains(&format!("`{column}`"));
    let parts: Vec<&str> = sentence.split(". ").filter(about).collect();
    parts.join(". ")
}

#[test]
fn no_word_is_wider_than_what_the_files_show() {
    let cases = Case::all();
    let found: Vec<(&Case, Option<Vec<String>>)> = cases
        .par_iter()
        .map(|case| (case, findings(case)))
        .collect();
    let published = found.iter().filter(|(_, found)| found.is_some()).count();
    let wrong = found.iter().filter_map(|(case, found)| {
        let found = found.as_ref().filter(|found| !found.is_empty())?;
        Some(format!("{case:?}:\n  {}", found.join("\n  ")))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(
        wrong.is_empty(),
        "{} of {published} releases promise more than they keep:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // Every model and every algorithm has its say.
    for &(model, variant) in Requirement::ALL {
        let own = sample(model, variant);
        assert!(
            found
                .iter()
                .any(|(case, found)| case.model == own && found.is_some()),
            "{own}"
        );
    }
    for algorithm in algorithm::ALL {
        let own = algorithm.name();
        assert!(
            found
                .iter()
                .any(|(case, found)| case.algorithm == own && found.is_some()),
            "{own}"
        );
    }
}

/// A combination's columns are not protected one by one, and what is said of them is not
/// less than what groups show.
#[test]
fn what_is_said_of_the_parts_of_a_combination_is_true() {
    for algorithm in ["cover", "halving"] {
        let folder = tempfile::tempdir().unwrap();
        let rows = (0..9).map(|i| {
            format!(
                "{i},{},{}\n",
                ["1", "2", "3"][i % 3],
                ["k", "m", "n"][i / 3]
            )
        });
        let table = format!("age,a,b\n{}", rows.collect::<String>());
        let policy = format!(
            "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\na = {{ role = \"sensitive\" }}\nb = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\ncombine = [\"a\", \"b\"]\n[algorithm]\nname = \"{algorithm}\"\n"
        );
        assert!(publish(folder.path(), &policy, &table).status.success());
        let release = folder.path().join("out/release");
        let manifest: Value =
            serde_json::from_str(&fs::read_to_string(release.join("manifest.json")).unwrap())
                .unwrap();
        for column in ["a", "b"] {
            let shown = highest(
                &groups(&release, &["release.csv".to_owned()], column),
                |_| true,
            );
            let notes = manifest["notes"].as_array().unwrap().iter();
            let said = notes
                .filter_map(Value::as_str)
                .find(|note| note.contains(&format!("`{column}` by itself")));
            let said = said.expect("the parts are spoken of");
            assert!(said.contains("nothing is promised"), "{said}");
            let makes = said.split("makes ").nth(1).expect("a share is named");
            let share = fraction(makes.split(' ').next().unwrap());
            assert!(!exceeds(shown, share), "{said}: {shown:?}");
        }
    }
}

/// The least sum of squared group sizes over all partitions whose groups a model accepts.
fn least_dm(counts: &[u32], accepts: &dyn Fn(&[u32]) -> bool) -> Option<u64> {
    fn place(
        row: usize,
        values: &[u32],
        groups: &mut Vec<Vec<u32>>,
        best: &mut Option<u64>,
        accepts: &dyn Fn(&[u32]) -> bool,
    ) {
        if row == values.len() {
            if groups.iter().all(|group| accepts(group)) {
                let dm = groups.iter().map(|group| (group.len() as u64).pow(2)).sum();
                *best = Some(best.map_or(dm, |best| best.min(dm)));
            }
            return;
        }
        for group in 0..=groups.len() {
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(values[row]);
            place(row + 1, values, groups, best, accepts);
            groups[group].pop();
            if groups[group].is_empty() {
                groups.pop();
            }
        }
    }
    let values = (0..).zip(counts);
    let values: Vec<u32> = values
        .flat_map(|(value, &n)| std::iter::repeat_n(value, n as usize))
        .collect();
    let mut best = None;
    place(0, &values, &mut Vec::new(), &mut best, accepts);
    best
}

/// What is called the least discernability is it, and what is called a bound is one.
#[test]
fn an_optimum_is_one() {
    use openveil::model::{CountBuffer, Model};
    use openveil::table::{Secret, View};
    let models = [
        "model = \"alpha-k-anonymity\", alpha = \"2/3\", k = 1",
        "model = \"l-diversity\", variant = \"recursive\", c = 1, l = 2",
        "model = \"t-closeness\", t = 0.3, distance = \"equal\"",
        "model = \"l-diversity\", l = 2",
        "model = \"l-diversity\", variant = \"distinct\", l = 2",
    ];
    for counts in [[2, 2, 1], [3, 2, 1], [2, 2, 2]] {
        for model in models {
            let folder = tempfile::tempdir().unwrap();
            let values = (0..)
                .zip(counts)
                .flat_map(|(value, n)| std::iter::repeat_n(value, n));
            let values: Vec<u32> = values.collect();
            let rows = values
                .iter()
                .enumerate()
                .map(|(i, value)| format!("{i},{value}\n"));
            let table = format!("age,s\n{}", rows.collect::<String>());
            let policy = format!(
                "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\ns = {{ role = \"sensitive\" }}\n[privacy]\nall = [{{ {model} }}]\n"
            );
            if !publish(folder.path(), &policy, &table).status.success() {
                continue;
            }
            let manifest = folder.path().join("out/release/manifest.json");
            let manifest: Value =
                serde_json::from_str(&fs::read_to_string(manifest).unwrap()).unwrap();
            let model: Model = openveil_io::policy::privacy(model).unwrap();
            let view = View::new(Vec::new(), Secret::new("s", values, ["0", "1", "2"])).unwrap();
            let criteria = model.bind(&view).unwrap();
            let accepts = |group: &[u32]| {
                criteria.hold_on_group(&CountBuffer::default().of_codes(group.iter().copied()))
            };
            let least = least_dm(&counts.map(|n| n as u32), &accepts).unwrap();
            let utility = &manifest["utility"];
            if let Some(optimal) = utility["dm_optimal"].as_u64() {
                assert_eq!(optimal, least, "{counts:?} {model}");
            }
            if let Some(bound) = utility["dm_lower_bound"].as_u64() {
                assert!(bound <= least, "{counts:?} {model}");
            }
        }
    }
}
