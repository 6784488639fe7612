//! The Adult data of the UCI repository: 45,222 complete rows, of which the
//! figures use age, sex, education, native country and occupation.

use openveil::table::{Column, Domain, Secret, View};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Columns of the file.
const COLUMNS: usize = 15;
const AGE: usize = 0;
const EDUCATION: usize = 3;
const EDUCATION_LEVEL: usize = 4;
const OCCUPATION: usize = 6;
const SEX: usize = 9;
const NATIVE_COUNTRY: usize = 13;

/// What keeps the data from being read.
#[derive(Debug)]
pub enum AdultError {
    /// A file cannot be read.
    File {
        /// Its path.
        path: std::path::PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A row does not look like one of Adult's.
    Row {
        /// The row.
        row: String,
    },
    /// The rows are no table: there are none.
    Table(openveil::Error),
}

impl std::fmt::Display for AdultError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Row { row } => write!(f, "not a row of Adult: {row}"),
            Self::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AdultError {}

/// Reads `adult.data` and `adult.test` of a folder and leaves out rows with a
/// missing value. Quasi-identifiers: age, sex (weight `sex_weight`), education
/// in its order, native country; sensitive: occupation.
///
/// # Errors
/// [`AdultError`].
pub fn read(folder: &Path, sex_weight: u32) -> Result<View, AdultError> {
    let mut text = String::new();
    for name in ["adult.data", "adult.test"] {
        let path = folder.join(name);
        match std::fs::read_to_string(&path) {
            Ok(part) => text.push_str(&part),
            Err(source) => return Err(AdultError::File { path, source }),
        }
        text.push('\n');
    }
    let rows = complete_rows(&text)?;
    table(&rows, sex_weight)
}

/// Rows without `?`. The file of tests may begin with a remark (`|1x3 …`).
fn complete_rows(text: &str) -> Result<Vec<Vec<&str>>, AdultError> {
    let lines = text.lines().map(str::trim);
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('|'));
    let mut complete = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split(',').map(str::trim).collect();
        let numbers = [AGE, EDUCATION_LEVEL].map(|column| cells.get(column).map(|c| number(c)));
        if cells.len() != COLUMNS || numbers.contains(&Some(None)) {
            return Err(AdultError::Row { row: row.into() });
        }
        if !cells.contains(&"?") {
            complete.push(cells);
        }
    }
    Ok(complete)
}

fn number(cell: &str) -> Option<i64> {
    cell.parse().ok()
}

fn table(rows: &[Vec<&str>], sex_weight: u32) -> Result<View, AdultError> {
    let age = |row: &Vec<&str>| (number(row[AGE]), row[AGE].to_owned());
    let education = |row: &Vec<&str>| (number(row[EDUCATION_LEVEL]), row[EDUCATION].to_owned());
    let text = |column: usize| move |row: &Vec<&str>| (None, row[column].to_owned());
    let (ages, age_labels) = codes(rows, age);
    let (sexes, sex_labels) = codes(rows, text(SEX));
    let (educations, education_labels) = codes(rows, education);
    let (countries, country_labels) = codes(rows, text(NATIVE_COUNTRY));
    let (occupations, occupation_labels) = codes(rows, text(OCCUPATION));
    let columns = vec![
        Column::new("age", ages, Domain::ordered(age_labels)),
        Column::new("sex", sexes, Domain::unordered(sex_labels)).with_weight(sex_weight),
        Column::new("education", educations, Domain::ordered(education_labels)),
        Column::new(
            "native-country",
            countries,
            Domain::unordered(country_labels),
        ),
    ];
    let occupations = Secret::new("occupation", occupations, occupation_labels);
    View::new(columns, occupations).map_err(AdultError::Table)
}

/// Numbers the values that occur, in ascending order of number, then text.
fn codes(
    rows: &[Vec<&str>],
    value: impl Fn(&Vec<&str>) -> (Option<i64>, String),
) -> (Vec<u32>, Vec<String>) {
    let values: BTreeSet<(Option<i64>, String)> = rows.iter().map(&value).collect();
    let labels = values.iter().map(|(_, label)| label.clone()).collect();
    let code_of: BTreeMap<_, u32> = values.into_iter().zip(0..).collect();
    (
        rows.iter().map(|row| code_of[&value(row)]).collect(),
        labels,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "|1x3 Cross validator\n\
        39, Private, 1, Bachelors, 13, a, Sales, b, White, Male, 0, 0, 40, United-States, <=50K\n\
        9, Private, 1, 11th, 7, a, Tech-support, b, White, Female, 0, 0, 40, Cuba, <=50K.\n\
        \n\
        50, ?, 1, 11th, 7, a, Sales, b, White, Male, 0, 0, 40, United-States, <=50K\n";

    #[test]
    fn rows_are_complete_and_numbers_in_order() {
        let table = table(&complete_rows(TEXT).unwrap(), 1).unwrap();
        assert_eq!(table.rows(), 2);
        let labels = |axis: usize| -> Vec<&str> { table.known()[axis].domain().labels().collect() };
        assert_eq!(labels(0), ["9", "39"]);
        assert_eq!(labels(2), ["11th", "Bachelors"]);
        assert_eq!(table.known()[0].codes(), [1, 0]);
        assert_eq!(
            table.secret().label(table.secret().codes()[1]),
            "Tech-support"
        );
    }

    #[test]
    fn other_files_are_refused() {
        assert!(matches!(complete_rows("a, b"), Err(AdultError::Row { .. })));
        let header = "age, b, c, d, 1, f, g, h, i, j, k, l, m, n, o";
        assert!(matches!(complete_rows(header), Err(AdultError::Row { .. })));
    }
}
