//! Reads and counts files of a release as a stranger would.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub(super) type Rows = Vec<BTreeMap<String, String>>;

/// Reads a file of a release with separate code.
pub(super) fn rows(path: &Path) -> Rows {
    if path.extension().is_some_and(|ending| ending == "parquet") {
        return parquet_rows(path);
    }
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(fields);
    let header = lines.next().unwrap();
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
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
        row.get_column_iter()
            .map(|(name, field)| {
                let text = match field {
                    Field::Str(text) => text.clone(),
                    other => other.to_string(),
                };
                (name.clone(), text)
            })
            .collect()
    };
    reader.get_row_iter(None).unwrap().map(|read| row(read.unwrap())).collect()
}

/// Counts each value of a column in each group of some files.
pub(super) fn groups(folder: &Path, files: &[String], column: &str) -> Vec<BTreeMap<String, u64>> {
    let mut groups: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for file in files {
        for row in rows(&folder.join(file)) {
            let Some(value) = row.get(column) else {
                continue;
            };
            let count = row.get("count").map_or(1, |count| count.parse().unwrap());
            let group = row.get("group").cloned().unwrap_or_default();
            *groups.entry(group).or_default().entry(value.clone()).or_default() += count;
        }
    }
    groups.into_values().collect()
}

/// Returns the highest share in any group of exempt values, or of other values.
pub(super) fn highest(
    groups: &[BTreeMap<String, u64>],
    exempt: impl Fn(&str) -> bool,
) -> (u64, u64) {
    let share = |group: &BTreeMap<String, u64>| -> (u64, u64) {
        let counts = group.iter().filter(|(value, _)| exempt(value));
        (counts.map(|(_, count)| *count).max().unwrap_or(0), group.values().sum())
    };
    groups.iter().map(share).max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).unwrap_or((0, 1))
}

/// Parses `p/q` or `1`.
pub(super) fn fraction(text: &str) -> (u64, u64) {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    (numerator.parse().unwrap(), denominator.parse().unwrap())
}

pub(super) fn exceeds(a: (u64, u64), b: (u64, u64)) -> bool {
    u128::from(a.0) * u128::from(b.1) > u128::from(b.0) * u128::from(a.1)
}
