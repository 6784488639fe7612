//! The table of the (l, α)-diversity paper's experiments: Adult's 45,222 complete
//! rows, seven quasi-identifiers with the hierarchies of ARX, and a random column
//! "Health Condition".

use openveil_core::exact::Rational;
use openveil_core::model::{
    CategoryWeights, DistinctDiversity, LAlphaDiversity, Model, Over, Requirement, Variant,
};
use openveil_core::table::{Secret, View};
use openveil_io::load::load;
use openveil_io::policy::Policy;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Health conditions by category, the most sensitive first (Table 4).
pub const CATEGORIES: [[&str; 2]; 4] =
    [["HIV", "Cancer"], ["Phthisis", "Hepatitis"], ["Obesity", "Asthma"], ["Flu", "Indigestion"]];

/// Categories of unequal size: ten of sixteen conditions are mild. Arbitrarily many different
/// values may then belong to one category.
pub const UNEQUAL: [&[&str]; 4] = [
    &["HIV", "Cancer"],
    &["Phthisis", "Hepatitis"],
    &["Obesity", "Asthma"],
    &[
        "Flu",
        "Indigestion",
        "Cold",
        "Cough",
        "Headache",
        "Migraine",
        "Allergy",
        "Backache",
        "Insomnia",
        "Sprain",
    ],
];

/// The quasi-identifiers of Table 9.
const COLUMNS: [&str; 7] =
    ["age", "workclass", "education", "native-country", "marital-status", "race", "sex"];

/// A country of the data that is missing in ARX's hierarchy.
const MISSING_COUNTRY: &str = "Holand-Netherlands;Europe;*\n";

/// The least total weight of a group.
pub const ALPHA: u64 = 2;

/// The factor by which weights grow from category to category.
const BETA: u32 = 2;

/// Reads the table from a folder with `adult/` (of the UCI repository) and `arx-hierarchies/`.
/// Equal seeds give equal health conditions.
///
/// # Errors
/// Data that cannot be read.
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
    Ok(with_conditions(&table, &CATEGORIES.concat(), seed)?)
}

/// Returns the table with other health conditions, all equally frequent. Equal seeds give equal
/// conditions.
///
/// # Errors
/// An empty list of conditions.
pub fn with_conditions(
    table: &View,
    conditions: &[&str],
    seed: u64,
) -> Result<View, openveil_core::Error> {
    let mut generator = StdRng::seed_from_u64(seed);
    let values = conditions.len() as u32;
    let codes = (0..table.rows()).map(|_| generator.random_range(0..values));
    let labels = conditions.iter().copied();
    table.with_secret(Secret::new("health-condition", codes.collect(), labels))
}

/// Writes ARX's hierarchy of countries into a folder, with the country that it lacks.
pub(crate) fn all_countries(data: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let known = data.join("arx-hierarchies/adult_hierarchy_native-country.csv");
    let known = std::fs::read_to_string(known)?;
    let path = folder.join("native-country.csv");
    std::fs::write(&path, known.trim_end().to_owned() + "\n" + MISSING_COUNTRY)?;
    Ok(path)
}

/// Returns a policy over the columns of Adult, some of which are given.
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

/// Returns (l, α)-diversity with the weights of the measures, over given categories.
pub fn l_alpha(
    (variant, over): (Variant, Over),
    l: u32,
    alpha: Rational,
    categories: &[&[&str]],
) -> Model {
    let labels = |values: &&[&str]| values.iter().map(|&value| value.to_owned()).collect();
    Model::from(Requirement::LAlpha(LAlphaDiversity {
        variant,
        l,
        alpha,
        weights: CategoryWeights::Sensitivity { beta: BETA },
        categories: categories.iter().map(labels).collect(),
        over,
    }))
}

/// Returns recursive diversity with the c of the paper.
pub fn recursive() -> Variant {
    Variant::Recursive { c: Rational::from_integer(3) }
}

/// Returns the four models that the paper compares, with their names.
pub fn models(l: u32) -> [(&'static str, Model); 4] {
    let categories = CATEGORIES.each_ref().map(|values| &values[..]);
    let alpha = Rational::from_integer(ALPHA);
    let family = |variant, over| l_alpha((variant, over), l, alpha, &categories);
    [
        ("l-diversity", Requirement::Distinct(DistinctDiversity { l }).into()),
        ("distinct (l,2)", family(Variant::Distinct, Over::Values)),
        ("entropy (l,2)", family(Variant::Entropy, Over::Categories)),
        ("recursive (3,l,2)", family(recursive(), Over::Categories)),
    ]
}
