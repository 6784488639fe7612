//! Everything that a release discloses about known columns: the other files show no more than its
//! cells, and pages state what a stranger counts in the cells.

use super::support::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Kinds of known columns: the type, and the forms of its hierarchy.
const KINDS: [(&str, &[&str]); 4] = [
    ("integer", &["", "{ intervals = [5000] }", "\"tree.csv\""]),
    ("number", &["", "{ intervals = [5000] }"]),
    ("date", &["", "{ dates = [\"month\", \"year\"] }"]),
    ("text", &["", "{ prefixes = [3] }", "\"tree.csv\""]),
];

/// Returns the value of a person in the known column. All values differ; a shift moves every third
/// one between its neighbours.
fn value(kind: &str, person: usize, shift: usize) -> String {
    let shift = shift * usize::from(person % 3 == 1);
    match kind {
        "integer" => (70_000 + 1_700 * person + shift).to_string(),
        "number" => format!("{}.25", 70_000 + 1_700 * person + shift),
        "date" => format!("20{:02}-{:02}-{:02}", 23 + person / 12, 1 + person % 12, 11 + person),
        _ => format!("x{}{:03}", person / 9, 700 + person),
    }
}

/// People who share groups of three; the tree lists more values than there are people.
fn folder_of(
    kind: &str,
    hierarchy: &str,
    ancestor: bool,
    shift: usize,
    output: &str,
) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let people = 0..18;
    let row =
        |person: usize| format!("{},{}\n", value(kind, person, shift), ["a", "b", "c"][person % 3]);
    let table: String = people.map(row).collect();
    fs::write(folder.path().join("t.csv"), format!("known,secret\n{table}")).unwrap();
    // The tree lists people's values and others.
    let listed: BTreeMap<String, usize> = (0..18)
        .flat_map(|person| [0, 1].map(|shift| (person, value(kind, person, shift))))
        .map(|(person, value)| (value, person))
        .collect();
    let lines = listed.iter().map(|(value, person)| format!("{value};part{};*\n", person / 6));
    fs::write(folder.path().join("tree.csv"), lines.collect::<String>()).unwrap();
    let hierarchy = match hierarchy {
        "" => String::new(),
        tree if !ancestor => format!(", hierarchy = {tree}"),
        tree => format!(", hierarchy = {tree}, lowest-common-ancestor = true"),
    };
    let policy = format!(
        "[input]\npath = \"t.csv\"\n[columns]\nknown = {{ role = \"quasi-identifier\", type = \"{kind}\"{hierarchy} }}\nsecret = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[output]\n{output}\n{COVER}"
    );
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

/// Publishes with a test seed and pictures.
fn publish(folder: &Path) {
    let seeded = ["publish", "policy.toml", "--test-seed", "3", "--plots", "plots"];
    let output = openveil(folder, &seeded);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Returns the texts of the known column's cells.
fn cells(folder: &Path) -> Vec<String> {
    let release = fs::read_to_string(folder.join("out/release/release.csv")).unwrap();
    let cell = |line: &str| match line.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap().to_owned(),
        None => line.split(',').next().unwrap().to_owned(),
    };
    release.lines().skip(1).map(cell).collect()
}

/// Checks every kind of known column, with every hierarchy and style.
fn every_release(check: impl Fn((&str, &str), &str, &Path, &[String])) {
    for (kind, hierarchies) in KINDS {
        for hierarchy in hierarchies {
            for ancestor in [false, true] {
                for style in ["generalize", "slice", "anatomy"] {
                    // Only generalised ranges have a common ancestor.
                    if ancestor && style != "generalize" {
                        continue;
                    }
                    let output = format!("style = \"{style}\"");
                    let folder = folder_of(kind, hierarchy, ancestor, 0, &output);
                    publish(folder.path());
                    let cells = cells(folder.path());
                    let column = (kind, *hierarchy);
                    check(column, style, folder.path(), &cells);
                }
            }
        }
    }
}

/// Returns all files of a release and its pictures, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = ["out/release", "plots"]
        .map(|part| fs::read_dir(folder.join(part)).unwrap())
        .into_iter()
        .flatten()
        .map(|file| file.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

/// Two tables whose people differ only in what the cells hide have equal releases.
#[test]
fn files_beside_the_table_tell_nothing_of_known_columns_that_it_hides() {
    let mut compared = 0;
    for format in ["csv", "parquet"] {
        for (kind, hierarchies) in KINDS {
            for hierarchy in hierarchies {
                for ancestor in [false, true] {
                    let output = format!("format = \"{format}\"");
                    let [one, other] = [0, 1].map(|shift| {
                        let folder = folder_of(kind, hierarchy, ancestor, shift, &output);
                        publish(folder.path());
                        files(folder.path())
                    });
                    let table = format!("release.{format}");
                    if one[&table] != other[&table] {
                        continue;
                    }
                    compared += 1;
                    for (name, content) in &one {
                        let is_same = other.get(name) == Some(content);
                        assert!(is_same, "{name} tells of {kind} {hierarchy} {ancestor} {format}");
                    }
                }
            }
        }
    }
    assert!(compared >= 16, "{compared} releases hide values");
}

/// Returns the values that a cell may stand for, each equally likely.
fn stands_for(cell: &str) -> Vec<i64> {
    let inside = |open, close| cell.strip_prefix(open)?.strip_suffix(close);
    if let Some(members) = inside('{', '}') {
        return members.split('|').flat_map(stands_for).collect();
    }
    match inside('[', ']').and_then(|ends| ends.split_once(", ")) {
        Some((low, high)) => (low.parse().unwrap()..=high.parse().unwrap()).collect(),
        None => vec![cell.parse().expect(cell)],
    }
}

/// Returns the rows of a table on the page, by its caption.
fn rows_of(page: &str, caption: &str) -> Vec<(String, f64)> {
    let start = page.find(&format!("<caption>{caption}")).expect(caption);
    let body = page[start..].split("</table>").next().unwrap();
    let cell = |part: &str| part.split('<').next().unwrap().replace(',', "");
    let row = |row: &str| {
        let mut cells = row.split("<td").skip(1).map(|own| own.split_once('>').unwrap().1);
        let (name, rows) = (cells.next().unwrap(), cells.next().unwrap());
        (cell(name), cell(rows).parse().unwrap())
    };
    body.split("<tr>").filter(|own| own.contains("<td")).map(row).collect()
}

/// Whether a number is in a part of a distribution.
fn is_in(part: &str, number: i64) -> bool {
    let ends: Vec<i64> = part.split(' ').filter_map(|word| word.parse().ok()).collect();
    match &ends[..] {
        [high] if part.starts_with("below") => number < *high,
        [low] if part.ends_with("above") => number >= *low,
        [only] => number == *only,
        [low, high] => (*low..=*high).contains(&number),
        _ => false,
    }
}

#[test]
fn the_page_says_of_every_column_what_its_cells_show() {
    every_release(|(kind, hierarchy), style, folder, cells| {
        let case = format!("{kind} {hierarchy} {style}");
        let page = fs::read_to_string(folder.join("out/release/report.html")).unwrap();
        let rows = rows_of(&page, "known: rows per value, as the release shows them");
        let missing = rows.iter().any(|(name, _)| name == "(missing)");
        assert!(!missing, "{case}: nothing is missing");
        let all: f64 = rows.iter().map(|(_, rows)| rows).sum();
        // The rows of each part are rounded.
        assert!((all - 18.0).abs() <= rows.len() as f64 / 2.0, "{case}: {rows:?}");
        let is_single = |cell: &String| (0..18).any(|person| value(kind, person, 0) == *cell);
        let are_exact = page.contains("<td>counts by known</td><td>exact");
        assert_eq!(are_exact, cells.iter().all(is_single), "{case}");
        let has_labels_of_a_file = hierarchy.ends_with("csv\"");
        if kind != "integer" || has_labels_of_a_file {
            return;
        }
        for (part, shown) in &rows {
            let share = |cell: &String| {
                let values = stands_for(cell);
                let inside = values.iter().filter(|&&number| is_in(part, number)).count();
                inside as f64 / values.len() as f64
            };
            let counted: f64 = cells.iter().map(share).sum();
            assert!(
                (counted - shown).abs() <= 0.501,
                "{case}: {part} has {counted} rows, not {shown}"
            );
        }
    });
}

/// Writes a table with a known column for each of these names, and a policy.
fn columns_named(folder: &Path, names: &[&str]) {
    let row = |person: usize| {
        let known = (0..names.len()).map(|number| (20 + (person + number) % 9).to_string());
        let job = ["clerk", "nurse\u{1b}[31m", "judge"][person % 3].to_owned();
        known.chain([job]).collect::<Vec<String>>().join(",")
    };
    let rows: Vec<String> = (0..30).map(row).collect();
    let table = format!("{},secret\n{}\n", names.join(","), rows.join("\n"));
    fs::write(folder.join("t.csv"), table).unwrap();
    let known = names.iter().map(|name| {
        format!("\"{name}\" = {{ role = \"quasi-identifier\", type = \"integer\" }}\n")
    });
    let policy = format!(
        "[input]\npath = \"t.csv\"\n[columns]\n{}secret = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n",
        known.collect::<String>()
    );
    fs::write(folder.join("policy.toml"), policy).unwrap();
}

#[test]
fn every_column_has_a_picture_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(300);
    let longer = format!("{long}y");
    columns_named(folder.path(), &["a/b", "a-b", "A-b", &long, &longer]);
    publish(folder.path());
    let drawn = names(&folder.path().join("plots"));
    let columns = drawn.iter().filter(|name| name.starts_with("column-") && name.ends_with(".svg"));
    assert_eq!(columns.count(), 6, "{drawn:?}");
}

#[test]
fn pages_have_no_characters_that_a_terminal_obeys() {
    let folder = tempfile::tempdir().unwrap();
    columns_named(folder.path(), &["age"]);
    publish(folder.path());
    for page in ["out/release/report.html", "out/owner/report.html"] {
        let page = fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(!page.contains('\u{1b}') && page.contains("nurse\\u{1b}[31m"));
    }
}

/// No published table leads to the column, whose histogram satisfies the rule.
#[test]
fn without_groups_there_is_no_algorithm() {
    let folder = folder();
    let policy = "[input]\npath = \"people.csv\"\n[columns]\nname = { role = \"identifier\" }\nage = { role = \"attribute\", type = \"integer\" }\nsex = { role = \"drop\" }\njob = { role = \"attribute\" }\n[algorithm]\ndecomposition = \"single-attribute\"\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[[rules]]\ngiven = [\"age\"]\nprotect = \"job\"\n";
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let output = openveil(folder.path(), &["publish", "policy.toml", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let manifest = &json(&output.stdout)["manifest"];
    let guarded = manifest["tables"].as_array().unwrap().iter();
    assert_eq!(guarded.filter(|table| table["groups"] != 0).count(), 0, "{manifest}");
    assert_eq!(manifest["algorithm"], "none");
}
