//! The Adult and the diabetes data, coarsened as in the paper on several rules.

use super::Dataset;
use openveil_core::table::PeopleTable;
use openveil_io::source::{RawColumn, Source};
use openveil_papers::attack::sample;
use std::collections::BTreeMap;
use std::io::{self, Error, ErrorKind};
use std::path::Path;

/// Returns Adult, `rows` rows drawn by `seed` from those without missing values: age (6 values),
/// country (2), education (7), marital state (7), occupation (3), income (2), sex (2).
///
/// # Errors
/// Files that cannot be read or are not Adult's.
pub fn adult(folder: &Path, rows: usize, seed: u64) -> io::Result<Dataset> {
    adult_columns(folder, rows, seed, &[])
}

/// Like [`adult`], but with three further columns that determine some of the others: education (16
/// values), occupation (14) and country (41) as they are in the files.
///
/// # Errors
/// As for [`adult`].
pub fn adult_in_detail(folder: &Path, rows: usize, seed: u64) -> io::Result<Dataset> {
    let details = [("education_level", 3), ("occupation_kind", 6), ("country_name", 13)];
    adult_columns(folder, rows, seed, &details)
}

/// Returns Adult's seven coarse columns, and other columns of its files by name and position.
fn adult_columns(
    folder: &Path,
    rows: usize,
    seed: u64,
    details: &[(&str, usize)],
) -> io::Result<Dataset> {
    let mut text = String::new();
    for name in ["adult.data", "adult.test"] {
        text.push_str(&std::fs::read_to_string(folder.join(name))?);
        text.push('\n');
    }
    let cells = text
        .lines()
        .filter(|line| !line.starts_with('|'))
        .map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    let all: Vec<Vec<String>> = cells
        .filter(|cells| cells.len() == 15 && !cells.contains(&"?"))
        .map(|cells| {
            let own = details.iter().map(|&(_, place)| cells[place].to_owned());
            coarse(&cells).into_iter().chain(own).collect()
        })
        .collect();
    let chosen = sample(all.len(), rows, seed);
    let names = ["age", "country", "education", "marital_status", "occupation", "income", "sex"];
    let names: Vec<&str> = names.into_iter().chain(details.iter().map(|&(name, _)| name)).collect();
    let column = |column: usize| -> Vec<&str> {
        chosen.iter().map(|&row| &*all[row as usize][column]).collect()
    };
    dataset(&names, (0..names.len()).map(column))
}

fn coarse(cells: &[&str]) -> [String; 7] {
    let age: u32 = cells[0].parse().unwrap_or(0);
    let ages = ["17-24", "25-34", "35-44", "45-54", "55-64", "64-90"];
    let decade = [25, 35, 45, 55, 65].iter().filter(|&&from| age >= from).count();
    let country = if cells[13] == "United-States" { "US" } else { "other" };
    let education = match cells[3] {
        "Preschool" => "preschool",
        "1st-4th" | "5th-6th" | "7th-8th" => "elementary",
        "9th" | "10th" | "11th" | "12th" | "HS-grad" => "secondary",
        "Some-college" => "some-college",
        "Assoc-voc" | "Assoc-acdm" => "associate",
        "Bachelors" => "university",
        _ => "post-graduate",
    };
    let occupation = match cells[6] {
        "Exec-managerial" | "Prof-specialty" | "Adm-clerical" | "Sales" | "Tech-support" => "white",
        "Craft-repair" | "Machine-op-inspct" | "Transport-moving" | "Handlers-cleaners"
        | "Farming-fishing" => "blue",
        _ => "other",
    };
    let income = cells[14].trim_end_matches('.');
    [ages[decade], country, education, cells[5], occupation, income, cells[9]].map(str::to_owned)
}

/// Returns the diabetes data: ten columns of hospital stays, with three diagnoses. Reads
/// `diabetic_data.csv.gz` of a folder, or the unpacked `diabetic_data.csv`.
///
/// # Errors
/// A folder with neither file; a file that cannot be read or lacks a column.
pub fn diabetes(folder: &Path) -> io::Result<Dataset> {
    const NAMES: [&str; 10] = [
        "race",
        "gender",
        "age",
        "discharge_disposition_id",
        "admission_source_id",
        "time_in_hospital",
        "medical_specialty",
        "diag_1",
        "diag_2",
        "diag_3",
    ];
    let files = ["diabetic_data.csv.gz", "diabetic_data.csv"].map(|name| folder.join(name));
    let file = files.iter().find(|file| file.is_file()).ok_or_else(|| {
        let [packed, unpacked] = files.each_ref().map(|file| file.display());
        Error::new(ErrorKind::NotFound, format!("there is neither {packed} nor {unpacked}"))
    })?;
    let wanted =
        |names: &[String]| Ok(names.iter().map(|name| NAMES.contains(&name.as_str())).collect());
    let table = Source::new(file).read(&wanted, &|_| {});
    let table = table.map_err(|cause| Error::new(ErrorKind::InvalidData, cause))?;
    let columns = NAMES.map(|name| table.columns.iter().find(|column| column.name == name));
    if let Some(lacking) = columns.iter().position(Option::is_none) {
        let problem = format!("{} has no column `{}`", file.display(), NAMES[lacking]);
        return Err(Error::new(ErrorKind::InvalidData, problem));
    }
    dataset(&NAMES, columns.into_iter().flatten().map(texts))
}

fn texts(column: &RawColumn) -> Vec<&str> {
    column.codes.iter().map(|&code| column.values.get(code)).collect()
}

/// Numbers the values of every column in ascending order.
fn dataset<'a>(names: &[&str], columns: impl Iterator<Item = Vec<&'a str>>) -> io::Result<Dataset> {
    let (mut coded, mut domains) = (Vec::new(), Vec::new());
    for column in columns {
        let mut codes: BTreeMap<&str, u32> = column.iter().map(|text| (*text, 0)).collect();
        codes.values_mut().zip(0..).for_each(|(code, next)| *code = next);
        domains.push(codes.len() as u32);
        coded.push(column.iter().map(|text| codes[text]).collect());
    }
    let invalid = |cause| Error::new(ErrorKind::InvalidData, format!("{cause}"));
    Ok(Dataset {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        domains,
        records: PeopleTable::of_codes(coded).map_err(invalid)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const HEADER: &str = "id,race,gender,age,discharge_disposition_id,admission_source_id,time_in_hospital,medical_specialty,diag_1,diag_2,diag_3\n";

    #[test]
    fn diabetes_is_read_packed_or_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let missing = diabetes(folder.path()).unwrap_err().to_string();
        assert!(missing.contains("diabetic_data.csv.gz nor "), "{missing}");
        let text = format!(
            "{HEADER}1,b,f,[0-10),1,7,3,\"Surgery, heart\",250,?,1\n2,a,f,[0-10),1,7,3,?,8,?,1\n"
        );
        let unpacked = folder.path().join("diabetic_data.csv");
        fs::write(&unpacked, text).unwrap();
        let of_text = diabetes(folder.path()).unwrap();
        assert_eq!((of_text.records.rows(), of_text.domains[0]), (2, 2));
        let packed = std::process::Command::new("gzip").arg(&unpacked).status();
        assert!(packed.unwrap().success() && !unpacked.exists());
        let of_gzip = diabetes(folder.path()).unwrap();
        assert_eq!(of_gzip.domains, of_text.domains);
        assert_eq!(of_gzip.records.codes(0), of_text.records.codes(0));
    }
}
