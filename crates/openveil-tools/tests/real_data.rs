//! Publishes real data that may not be redistributed, from the folder `OPENVEIL_DATA`. Without it
//! these tests are skipped: the summary counts them as ignored, with the reason.

use openveil_io::policy::Policy;
use openveil_io::progress::Nobody;
use openveil_io::source::{RawTable, Source};
use openveil_publication as publish;
use openveil_publication::{Options, Published};
use openveil_reader::attack;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A folder of the data.
fn data(folder: &str) -> PathBuf {
    std::env::var_os("OPENVEIL_DATA")
        .map(|data| Path::new(&data).join(folder))
        .filter(|folder| folder.is_dir())
        .unwrap_or_else(|| panic!("OPENVEIL_DATA does not name a folder that holds `{folder}/`"))
}

fn publish(policy: &str, out: &Path) -> Published {
    let policy = Policy::parse(policy, &out.join("policy.toml")).unwrap();
    publish::run(&policy, Options::default(), &Nobody).unwrap()
}

fn read(path: &Path) -> RawTable {
    let source = Source::new(path);
    source.read_all().unwrap()
}

/// Counts every group of a written release: rows, and the most frequent value.
fn worst_share(release: &RawTable, sensitive: &str) -> (usize, f64) {
    let column = |name: &str| release.columns.iter().find(|column| column.name == name).unwrap();
    let mut groups: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
    // The anatomy style counts equal values of a group in one line.
    let count = release.columns.iter().find(|column| column.name == "count");
    let rows = column("group").codes.iter().zip(&column(sensitive).codes);
    for (line, (&group, &value)) in rows.enumerate() {
        let count = count.map_or(1, |own| own.values.get(own.codes[line]).parse().unwrap());
        *groups.entry(group).or_default().entry(value).or_default() += count;
    }
    let share = |counts: &HashMap<u32, u32>| {
        f64::from(*counts.values().max().unwrap()) / f64::from(counts.values().sum::<u32>())
    };
    (groups.len(), groups.values().map(share).fold(0.0, f64::max))
}

fn adult(data: &Path, l: u32) -> String {
    format!(
        r#"
[input]
path = "{}/adult.*"
format = "csv"
trim = true
missing = "drop-rows"
missing_values = ["?"]
names = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
    "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss",
    "hours-per-week", "native-country", "salary"]
[columns]
age = {{ role = "quasi-identifier", type = "integer" }}
sex = {{ role = "quasi-identifier" }}
education = {{ role = "quasi-identifier" }}
native-country = {{ role = "quasi-identifier" }}
occupation = {{ role = "sensitive" }}
workclass = {{ role = "drop" }}
fnlwgt = {{ role = "drop" }}
education-num = {{ role = "drop" }}
marital-status = {{ role = "drop" }}
relationship = {{ role = "drop" }}
race = {{ role = "drop" }}
capital-gain = {{ role = "drop" }}
capital-loss = {{ role = "drop" }}
hours-per-week = {{ role = "drop" }}
salary = {{ role = "drop" }}
[privacy]
model = "l-diversity"
l = {l}
"#,
        data.display()
    )
}

#[test]
#[cfg_attr(not(openveil_data), ignore = "needs data in the folder OPENVEIL_DATA")]
fn adult_is_published_at_optimal_discernability() {
    let data = data("adult");
    for (l, optimal) in [(4, 180_898), (6, 271_332), (7, 316_570)] {
        let out = tempfile::tempdir().unwrap();
        let cover = "[algorithm]\nname = \"cover\"\n";
        let published = publish(&format!("{}{cover}", adult(&data, l)), out.path());
        let manifest = &published.manifest;
        assert_eq!(manifest.rows, 45_222);
        assert_eq!((manifest.utility.dm, manifest.utility.dm_optimal), (optimal, Some(optimal)));
        let release = read(&published.written.release.join("release.csv"));
        let (groups, worst) = worst_share(&release, "occupation");
        assert_eq!((release.rows, groups), (45_222, manifest.groups));
        assert!(worst <= 1.0 / f64::from(l), "a share of {worst} with l = {l}");
    }
}

/// Attacks a release of Adult with l = 4 by re-running: returns people attacked and people exposed.
/// (`docs/theory/attack.md` has the figures of a larger sample.)
fn rerun_on_adult(data: &Path, algorithm: &str, sample: usize) -> (usize, usize) {
    let out = tempfile::tempdir().unwrap();
    let policy = format!("{}[algorithm]\nname = {algorithm:?}\n", adult(data, 4));
    let policy = Policy::parse(&policy, &out.path().join("policy.toml")).unwrap();
    let consent = Options { accept_algorithm_disclosure: true, ..Options::default() };
    publish::run(&policy, consent, &Nobody).unwrap();
    let options = attack::AttackOptions {
        sample,
        seed: 0,
        categories: None,
        correlations: false,
        independent: 0,
        public: None,
        ties: None,
        owner: false,
    };
    let report = attack::run(&policy, &[out.path().join("out").into()], &options, &Nobody).unwrap();
    (report.rerun.sampled, report.rerun.exposed)
}

#[test]
#[cfg_attr(not(openveil_data), ignore = "needs data in the folder OPENVEIL_DATA")]
fn rerunning_gda_on_adult_exposes_nearly_everybody_and_cover_nobody() {
    let data = data("adult");
    let (sampled, exposed) = rerun_on_adult(&data, "gda", 8);
    eprintln!("adult, gda, l = 4: {exposed} of {sampled} people exposed");
    assert!(sampled == 8 && exposed >= 6, "{exposed} of {sampled}");
    assert_eq!(rerun_on_adult(&data, "cover", 4), (4, 0));
}

#[test]
#[cfg_attr(not(openveil_data), ignore = "needs data in the folder OPENVEIL_DATA")]
fn diagnoses_of_stays_are_published() {
    let data = data("diabetes");
    let file = data.join("diabetic_data.csv.gz");
    // A row is a stay, and patients may have several: the promise is about stays.
    let published = ["race", "gender", "age", "admission_type_id", "discharge_disposition_id"];
    let mut columns = String::from("diag_1 = { role = \"sensitive\", prefix = 3 }\n");
    for column in &read(&file).columns {
        let role = match published.contains(&column.name.as_str()) {
            true => "quasi-identifier",
            false if column.name == "diag_1" => continue,
            false if column.name.ends_with("_nbr") || column.name == "encounter_id" => "identifier",
            false => "drop",
        };
        columns.push_str(&format!("\"{}\" = {{ role = \"{role}\" }}\n", column.name));
    }
    let policy = format!(
        "[input]\npath = \"{}\"\nmissing = \"drop-rows\"\nmissing_values = [\"?\"]\nrows-are-people = true
[columns]\n{columns}[privacy]\nmodel = \"l-diversity\"\nl = 8\n",
        file.display()
    );
    let out = tempfile::tempdir().unwrap();
    let published = publish(&policy, out.path());
    let manifest = &published.manifest;
    assert!(manifest.utility.smallest_group >= 25);
    assert_eq!(manifest.rows + manifest.omitted.rows, 101_766);
    assert_eq!(manifest.omitted.reasons.len(), 2, "race and the diagnosis can be missing");
    let release = read(&published.written.release.join("release.csv"));
    let (groups, worst) = worst_share(&release, "diag_1");
    assert_eq!(groups, manifest.groups);
    assert!(worst <= 1.0 / 8.0);
    eprintln!("diabetes: {:?} {:?}", manifest.utility, published.owner.timings_ms);
}

#[test]
fn the_bundled_example_is_published() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/census");
    let mut policy = Policy::read(&folder.join("policy.toml")).unwrap();
    let out = tempfile::tempdir().unwrap();
    policy.output.dir = out.path().to_owned();
    let published = publish::run(&policy, Options::default(), &Nobody).unwrap();
    assert_eq!(published.manifest.rows, 57_848);
    let release = read(&published.written.release.join("release-values.csv"));
    let (groups, worst) = worst_share(&release, "occrecode");
    assert_eq!(groups, published.manifest.groups);
    assert!(worst <= 1.0 / 3.0);
}
