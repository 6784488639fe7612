//! The tables that figures are measured on, by name, each loaded by a policy.

use crate::{census, health, linked, wages};
use openveil_core::table::View;
use openveil_io::load::load;
use openveil_io::policy::Policy;
use openveil_measures::utility::{LeastSquares, Regressor};
use std::error::Error;
use std::path::Path;

/// The names of all tables.
pub const NAMES: [&str; 12] = [
    "adult-4",
    "adult-7",
    "adult-7-sets",
    "adult-7-trees",
    "wages",
    "wages-deciles",
    "census",
    "census-skewed",
    "gss",
    "gss-income",
    "gss-income-exact",
    "diabetes",
];

/// The number of rows of the generated census.
const CENSUS_ROWS: usize = 60_000;

/// A table, and the regression to fit to it.
#[derive(Debug)]
pub struct RegressedTable {
    /// The table.
    pub view: View,
    /// The regression, if the sensitive column is a number.
    pub regression: Option<LeastSquares>,
}

/// Reads or generates a table; `linked:` followed by a [`linked::LinkedShape`] generates one of
/// that shape. `data` is the folder of files that may not be redistributed; `seed` is for generated
/// tables.
///
/// # Errors
/// An unknown table; data that cannot be read.
pub fn read(name: &str, data: &Path, seed: u64) -> Result<RegressedTable, Box<dyn Error>> {
    let view = match name {
        "adult-4" => from_policy(&adult(data, "adult.*", &FOUR))?,
        "adult-7" => from_policy(&adult(data, "adult.data", &SEVEN))?,
        "adult-7-sets" => {
            let sets = SEVEN.map(|(name, _)| (name, ""));
            from_policy(&adult(data, "adult.data", &sets))?
        }
        "adult-7-trees" => {
            let scratch = tempfile::tempdir()?;
            let countries = health::all_countries(data, scratch.path())?;
            from_policy(&adult(data, "adult.data", &with_trees(data, &countries)))?
        }
        "census" => census::census(CENSUS_ROWS, seed),
        "census-skewed" => census::skewed(CENSUS_ROWS, seed),
        "gss" => from_policy(&gss())?,
        "gss-income" => from_policy(&gss_income(data, "type = 'number', quantiles = 50"))?,
        "gss-income-exact" => from_policy(&gss_income(data, ""))?,
        "diabetes" => from_policy(&diabetes(data))?,
        "wages" | "wages-deciles" => return wages(name == "wages-deciles", seed),
        other if other.starts_with("linked:") => {
            linked::linked(other["linked:".len()..].parse()?, seed)
        }
        other => return Err(format!("no table `{other}`; known: {}", NAMES.join(", ")).into()),
    };
    Ok(RegressedTable { view, regression: None })
}

fn from_policy(text: &str) -> Result<View, Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let policy = Policy::parse(text, &scratch.path().join("policy.toml"))?;
    Ok(load(&policy, &|_| {})?.view(&policy)?)
}

const KNOWN: &str = "role = 'quasi-identifier'";

/// The quasi-identifiers of the Privacy Streamliner paper, with education in its order.
const FOUR: [(&str, &str); 4] = [
    ("age", "type = 'integer'"),
    ("sex", ""),
    (
        "education",
        "order = ['Preschool', '1st-4th', '5th-6th', '7th-8th', '9th', '10th', '11th', '12th', 'HS-grad', 'Some-college', 'Assoc-voc', 'Assoc-acdm', 'Bachelors', 'Masters', 'Prof-school', 'Doctorate']",
    ),
    ("native-country", ""),
];

/// The quasi-identifiers of ARX's examples, without relations between values.
const SEVEN: [(&str, &str); 7] = [
    ("age", "type = 'integer'"),
    ("workclass", ""),
    ("education", ""),
    ("marital-status", ""),
    ("race", ""),
    ("sex", ""),
    ("native-country", ""),
];

/// Like [`SEVEN`], but with ARX's hierarchies.
fn with_trees(data: &Path, countries: &Path) -> Vec<(&'static str, String)> {
    let tree = |&(name, rest): &(&'static str, &str)| {
        let path = match name {
            "native-country" => countries.to_owned(),
            _ => data.join(format!("arx-hierarchies/adult_hierarchy_{name}.csv")),
        };
        let comma = if rest.is_empty() { "" } else { ", " };
        (name, format!("{rest}{comma}hierarchy = '{}'", path.display()))
    };
    SEVEN.iter().map(tree).collect()
}

fn adult(data: &Path, file: &str, known: &[(&str, impl AsRef<str>)]) -> String {
    let mut columns = String::new();
    for name in ADULT {
        let described = known.iter().find(|(known, _)| *known == name);
        columns += &match described {
            Some((_, rest)) if rest.as_ref().is_empty() => format!("{name} = {{ {KNOWN} }}\n"),
            Some((_, rest)) => format!("{name} = {{ {KNOWN}, {} }}\n", rest.as_ref()),
            None if name == "occupation" => format!("{name} = {{ role = 'sensitive' }}\n"),
            None => format!("{name} = {{ role = 'drop' }}\n"),
        };
    }
    let path = data.join("adult").join(file);
    format!(
        "[input]\npath = '{}'\nformat = 'csv'\ntrim = true\nmissing = 'drop-rows'\nmissing_values = ['?']\nnames = {ADULT:?}\n{PRIVACY}[columns]\n{columns}",
        path.display()
    )
}

/// The columns of Adult.
const ADULT: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary",
];

/// Any model: figures set their own.
const PRIVACY: &str = "[privacy]\nmodel = 'l-diversity'\nl = 2\n";

/// Returns the policy of the bundled table of the General Social Survey.
fn gss() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/census/census.csv");
    format!(
        r#"[input]
path = '{}'
missing = 'drop-rows'
{PRIVACY}[columns]
year = {{ {KNOWN}, type = 'integer' }}
age = {{ {KNOWN}, type = 'integer' }}
gender = {{ {KNOWN} }}
educcat = {{ {KNOWN}, {EDUCATIONS} }}
maritalcat = {{ {KNOWN} }}
occrecode = {{ role = 'sensitive' }}
"#,
        path.display()
    )
}

/// Levels of education of the General Social Survey, the lowest first.
const EDUCATIONS: &str =
    "order = ['Less Than High School', 'High School', 'Junior College', 'Bachelor', 'Graduate']";

/// Returns the policy of the General Social Survey with real incomes; `secret` says how to read
/// them.
fn gss_income(data: &Path, secret: &str) -> String {
    let path = data.join("gss").join("gss_wages.csv");
    let comma = if secret.is_empty() { "" } else { ", " };
    format!(
        r#"[input]
path = '{}'
missing = 'drop-rows'
{PRIVACY}[columns]
age = {{ {KNOWN}, type = 'number' }}
gender = {{ {KNOWN} }}
educcat = {{ {KNOWN}, {EDUCATIONS} }}
maritalcat = {{ {KNOWN} }}
realrinc = {{ role = 'sensitive'{comma}{secret} }}
year = {{ role = 'drop' }}
occ10 = {{ role = 'drop' }}
occrecode = {{ role = 'drop' }}
prestg10 = {{ role = 'drop' }}
childs = {{ role = 'drop' }}
wrkstat = {{ role = 'drop' }}
"#,
        path.display()
    )
}

fn diabetes(data: &Path) -> String {
    let known = ["race", "gender", "age", "admission_type_id", "discharge_disposition_id"];
    let mut columns = "diag_1 = { role = 'sensitive', prefix = 3 }\n".to_owned();
    known.iter().for_each(|name| columns += &format!("{name} = {{ {KNOWN} }}\n"));
    for name in DIABETES_DROPPED.split(' ') {
        columns += &format!("{name} = {{ role = 'drop' }}\n");
    }
    let path = data.join("diabetes").join("diabetic_data.csv.gz");
    format!(
        "[input]\npath = '{}'\nmissing = 'drop-rows'\nmissing_values = ['?']\n{PRIVACY}[columns]\n{columns}",
        path.display()
    )
}

const DIABETES_DROPPED: &str = "encounter_id patient_nbr weight admission_source_id time_in_hospital payer_code medical_specialty num_lab_procedures num_procedures num_medications number_outpatient number_emergency number_inpatient diag_2 diag_3 number_diagnoses max_glu_serum A1Cresult metformin repaglinide nateglinide chlorpropamide glimepiride acetohexamide glipizide glyburide tolbutamide pioglitazone rosiglitazone acarbose miglitol troglitazone tolazamide examide citoglipton insulin glyburide-metformin glipizide-metformin glimepiride-pioglitazone metformin-rosiglitazone metformin-pioglitazone change diabetesMed readmitted";

/// Returns generated wages, and the regression for the return to a year of education: of the
/// logarithm of exact wages, or of the number of the decile.
fn wages(deciles: bool, seed: u64) -> Result<RegressedTable, Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let path = scratch.path().join("wages.csv");
    std::fs::write(&path, wages::csv(wages::ROWS, seed))?;
    let secret = if deciles { "type = 'integer', quantiles = 10" } else { "type = 'integer'" };
    let view = from_policy(&format!(
        r#"[input]
path = '{}'
{PRIVACY}[columns]
education = {{ {KNOWN}, type = 'integer' }}
age = {{ {KNOWN}, type = 'integer' }}
sex = {{ {KNOWN} }}
region = {{ {KNOWN} }}
wage = {{ role = 'sensitive', {secret} }}
"#,
        path.display()
    ))?;
    let numbers = |axis: usize| -> Vec<f64> {
        view.known()[axis]
            .domain()
            .labels()
            .zip(0..)
            .map(|(label, code)| label.parse().unwrap_or(f64::from(code)))
            .collect()
    };
    let regressor = |axis| Regressor { axis, numbers: numbers(axis) };
    let labels = view.secret().labels();
    let response = labels.iter().zip(0..).map(|(label, code)| match label.parse::<f64>() {
        Ok(wage) => wage.ln(),
        Err(_) => f64::from(code),
    });
    let axis = |name: &str| view.known().iter().position(|column| column.name() == name);
    let axes: Vec<usize> = ["education", "age", "sex"].into_iter().filter_map(axis).collect();
    let regression = LeastSquares {
        regressors: axes.into_iter().map(regressor).collect(),
        response: response.collect(),
    };
    Ok(RegressedTable { view, regression: Some(regression) })
}
