//! Columns that are sliced, typed, or bounds of others.

use super::*;

const SLICED: &str = r#"
[input]
path = "t.csv"
missing = "keep"
[columns]
age = { role = "quasi-identifier", type = "integer" }
born = { role = "quasi-identifier", type = "date" }
job = { role = "sensitive" }
ill = { role = "sensitive" }
pay = { role = "other", type = "number" }
[algorithm]
name = "cover"
[privacy]
model = "l-diversity"
l = 2
combine = ["job", "ill"]
[output]
style = "slice"
"#;

/// A release of columns that identify each original row.
fn sliced(output: &str, seed: u64) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("age,born,job,ill,pay\n");
    for row in 0..400 {
        let (job, ill) = (["a", "b"][row % 2], ["x", "y", "z"][row % 3]);
        let pay = if row % 50 == 7 { String::new() } else { format!("{}.25", row * 7) };
        let born = format!("19{:02}-0{}-11", row % 80 + 10, row % 9 + 1);
        text.push_str(&format!("{row},{born},{job},{ill},{pay}\n"));
    }
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let text = format!("{SLICED}{output}\n");
    let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
    let options = Options { test_seed: Some(seed), ..Options::default() };
    publish::run(&policy, options, &Nobody).unwrap();
    let release = folder.path().join("out/release");
    (folder, release)
}

/// Returns the fields of each row of a file, by column.
fn rows(table: &RawTable) -> Vec<HashMap<String, String>> {
    let columns = texts(table);
    let row =
        |at: usize| columns.iter().map(move |(name, cells)| (name.clone(), cells[at].clone()));
    (0..table.rows).map(|at| row(at).collect()).collect()
}

#[test]
fn slices_are_shuffled_column_by_column() {
    let (_folder, release) = sliced("", 1);
    let table = read(release.join("release.csv"));
    let rows = rows(&table);
    let number = |row: &HashMap<String, String>| row["age"].parse::<usize>().unwrap();
    // Whether a row has the cells that its age had in the table.
    let born = |row: &&HashMap<String, String>| {
        let at = number(row);
        row["born"] == format!("19{:02}-0{}-11", at % 80 + 10, at % 9 + 1)
    };
    let ill = |row: &&HashMap<String, String>| {
        let at = number(row);
        row["job"] == ["a", "b"][at % 2] && row["ill"] == ["x", "y", "z"][at % 3]
    };
    let pay = |row: &&HashMap<String, String>| row["pay"] == format!("{}.25", number(row) * 7);
    let intact = [rows.iter().filter(born).count(), rows.iter().filter(pay).count()];
    assert!(intact.iter().all(|&intact| (100..300).contains(&intact)), "{intact:?}");
    assert!((100..300).contains(&rows.iter().filter(ill).count()));
    // Their order is random, too: each of two rows in a group is first equally often.
    let mut first = [0, 0];
    let mut groups: HashMap<&String, Vec<&HashMap<String, String>>> = HashMap::new();
    rows.iter().for_each(|row| groups.entry(&row["group"]).or_default().push(row));
    for group in groups.values().filter(|group| group.len() == 2) {
        first[usize::from(number(group[0]) < number(group[1]))] += 1;
        // Combinations stay together, because they are protected as one.
        assert!(group[0]["job"] != group[1]["job"] || group[0]["ill"] != group[1]["ill"]);
    }
    assert!(first.iter().all(|&first| first > 50), "{first:?}");
    let combination = |row: &HashMap<String, String>| (row["job"].clone(), row["ill"].clone());
    let mut counts: HashMap<(String, String), usize> = HashMap::new();
    rows.iter().for_each(|row| *counts.entry(combination(row)).or_default() += 1);
    assert!(counts.values().all(|&count| (66..=67).contains(&count)), "{counts:?}");
}

#[test]
fn a_seed_repeats_the_order_and_another_does_not() {
    let file = |seed: u64| fs::read(sliced("", seed).1.join("release.csv")).unwrap();
    assert_eq!(file(1), file(1));
    assert_ne!(file(1), file(2));
}

/// Numbers are numbers, dates are dates, and missing values are null.
#[test]
fn parquet_has_types() {
    use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    let fields = |path: &Path| {
        let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let field = |column: &::parquet::schema::types::ColumnDescPtr| {
            let text = column.logical_type_ref() == Some(&LogicalType::String);
            let date = column.logical_type_ref() == Some(&LogicalType::Date);
            let optional = column.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
            (column.path().string(), column.physical_type(), text, date, optional)
        };
        schema.columns().iter().map(field).collect::<Vec<_>>()
    };
    let named = |name: &str, physical, text, date, optional| {
        (name.to_owned(), physical, text, date, optional)
    };
    let (_folder, release) = sliced("format = \"parquet\"", 1);
    let expected = [
        named("age", Physical::INT64, false, false, false),
        named("born", Physical::INT32, false, true, false),
        named("job", Physical::BYTE_ARRAY, true, false, false),
        named("ill", Physical::BYTE_ARRAY, true, false, false),
        named("pay", Physical::DOUBLE, false, false, true),
        named("group", Physical::INT64, false, false, false),
    ];
    assert_eq!(fields(&release.join("release.parquet")), expected);
    let table = read(release.join("release.parquet"));
    let missing = column(&table, "pay").iter().filter(|pay| pay.is_empty()).count();
    assert_eq!(missing, 8);
    let mut ages: Vec<i64> = column(&table, "age").iter().map(|age| age.parse().unwrap()).collect();
    ages.sort_unstable();
    assert_eq!(ages, (0..400).collect::<Vec<i64>>());
    // Bounds are of the column's type, sets are lists.
    let bounds = POLICY
        .replace("[privacy]", "[output]\nformat = \"parquet\"\ncells = \"bounds\"\n[privacy]");
    let (folder, published) = publish(&bounds);
    published.unwrap();
    let release = folder.path().join("out/release");
    let expected = [
        named("age_min", Physical::INT64, false, false, false),
        named("age_max", Physical::INT64, false, false, false),
        named("a,b.list.element", Physical::BYTE_ARRAY, true, false, false),
        named("ill", Physical::BYTE_ARRAY, true, false, false),
        named("group", Physical::INT64, false, false, false),
    ];
    assert_eq!(fields(&release.join("release.parquet")), expected);
}

/// The columns of bounds are added by the release.
#[test]
fn a_column_must_not_be_called_like_a_bound() {
    let policy = POLICY.replace("role = \"identifier\"", "role = \"quasi-identifier\"");
    let policy = policy.replace("name =", "age_max =");
    let policy = policy.replace("type = \"integer\"", "type = \"integer\", cells = \"bounds\"");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.csv"), "age,\"a,b\",ill,age_max\n1,x,flu,a\n2,y,cold,b\n")
        .unwrap();
    let policy = Policy::parse(&policy, &folder.path().join("policy.toml")).unwrap();
    let refused = publish::run(&policy, Options::default(), &Nobody).unwrap_err().to_string();
    assert!(
        refused.contains("column `age_max`: has the same name as a column that the release adds"),
        "{refused}"
    );
}
