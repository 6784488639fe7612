//! The table of the (l, α)-diversity paper's experiments: Adult's 45,222 complete
//! rows, seven quasi-identifiers with the hierarchies of ARX, and a random column
//! "Health Condition".

use openveil::exact::Rational;
use openveil::model::{
    DistinctDiversity, LAlphaDiversity, Model, Over, Requirement, Variant, Weights,
};
use openveil::table::{Secret, View};
use openveil_io::load::load;
use openveil_io::policy::Policy;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Health conditions by category, the most sensitive first (Table 4).
pub const CATEGORIES: [[&str; 2]; 4] = [
    ["HIV", "Cancer"],
    ["Phthisis", "Hepatitis"],
    ["Obesity", "Asthma"],
    ["Flu", "Indigestion"],
];

/// The quasi-identifiers of Table 9.
const COLUMNS: [&str; 7] = [
    "age",
    "workclass",
    "education",
    "native-country",
    "marital-status",
    "race",
    "sex",
];

/// A country of the data that ARX's hierarchy does not have.
const MISSING_COUNTRY: &str = "Holand-Netherlands;Europe;*\n";

/// The least total weight of a group.
const ALPHA: u64 = 2;

/// How fast weights grow from category to category.
const BETA: u32 = 2;

/// Reads the table from a folder with `adult/` (of the UCI repository) and
/// `arx-hierarchies/`. The same seed gives the same health conditions.
///
/// # Errors
/// Whatever keeps the data from being read.
pub fn read(data: &Path, seed: u64) -> Result<View, Box<dyn Error>> {
    let trees = data.join("arx-hierarchies");
    let scratch = tempfile::tempdir()?;
    let countries = all_countries(data, scratch.path())?;
    let columns = COLUMNS.map(|column| {
        let path = match column {
            "native-country" => countries.clone(),
            _ => trees.join(format!("adult_hierarchy_{column}.csv")),
        };
        let kind = if column == "age" { "integer" } else { "text" };
        let path = path.display();
        format!(
            "{column} = {{ role = 'quasi-identifier', type = '{kind}', hierarchy = '{path}' }}\n"
        )
    });
    let policy = policy(data, &columns.concat());
    let policy = Policy::parse(&policy, &scratch.path().join("policy.toml"))?;
    let table = load(&policy, &|_| {})?.view(&policy)?;
    let mut generator = StdRng::seed_from_u64(seed);
    let conditions = CATEGORIES.concat();
    let values = conditions.len() as u32;
    let codes = (0..table.rows()).map(|_| generator.random_range(0..values));
    let health = Secret::new("health-condition", codes.collect(), conditions);
    Ok(View::new(table.known().to_vec(), health)?)
}

/// Writes ARX's hierarchy of countries into a folder, with the one that it lacks.
pub(crate) fn all_countries(data: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let known = data.join("arx-hierarchies/adult_hierarchy_native-country.csv");
    let known = std::fs::read_to_string(known)?;
    let path = folder.join("native-country.csv");
    std::fs::write(&path, known.trim_end().to_owned() + "\n" + MISSING_COUNTRY)?;
    Ok(path)
}

/// A policy over the columns of Adult, of which some are given.
fn policy(data: &Path, columns: &str) -> String {
    format!(
        r#"
[input]
path = '{}/adult/adult.*'
format = "csv"
trim = true
missing = "drop-rows"
missing_values = ["?"]
names = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
    "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss",
    "hours-per-week", "native-country", "salary"]
[privacy]
model = "l-diversity"
l = 2
[columns]
occupation = {{ role = "sensitive" }}
fnlwgt = {{ role = "drop" }}
education-num = {{ role = "drop" }}
relationship = {{ role = "drop" }}
capital-gain = {{ role = "drop" }}
capital-loss = {{ role = "drop" }}
hours-per-week = {{ role = "drop" }}
salary = {{ role = "drop" }}
{columns}"#,
        data.display()
    )
}

/// The four models that the paper compares, with their names.
pub fn models(l: u32) -> [(&'static str, Model); 4] {
    let family = |variant, over| {
        Model::from(Requirement::LAlpha(LAlphaDiversity {
            variant,
            l,
            alpha: Rational::from_integer(ALPHA),
            weights: Weights::Sensitivity { beta: BETA },
            categories: CATEGORIES
                .map(|values| values.map(str::to_owned).to_vec())
                .to_vec(),
            over,
        }))
    };
    let c = Rational::from_integer(3);
    [
        (
            "l-diversity",
            Requirement::Distinct(DistinctDiversity { l }).into(),
        ),
        ("distinct (l,2)", family(Variant::Distinct, Over::Values)),
        ("entropy (l,2)", family(Variant::Entropy, Over::Categories)),
        (
            "recursive (3,l,2)",
            family(Variant::Recursive { c }, Over::Categories),
        ),
    ]
}
