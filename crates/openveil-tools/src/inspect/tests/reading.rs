//! Tests the form of files, the types of columns, and notes.

use super::*;

fn joined(notes: &[Text]) -> String {
    let notes: Vec<String> = notes.iter().map(Text::to_string).collect();
    notes.join("\n")
}

/// Values that change the type of a column, blanks that are cut off, missing values.
#[test]
fn what_looks_like_a_slip_is_said() {
    let rows = |row: usize| match row {
        70 => "n.k.,2020-02-30, a,?,V57\n".to_owned(),
        _ => format!("{},2020-01-{:02}, b,x,{}.5\n", row % 50, row % 28 + 1, row % 40),
    };
    let text: String = (0..200).map(rows).collect();
    let found = inspected(&format!("age,day,word,job,code\n{text}"));
    let notes = joined(&found.notes);
    for words in [
        "nearly all values of `age` are whole numbers, but it is read as text because of `n.k.`",
        "nearly all values of `day` are dates",
        "line 72",
        "read as missing values: `?`",
        "values start or end with blanks in `word`; `--trim`",
    ] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    // In other countries' formats, too.
    let rows = |row: usize| match row {
        70 => "unbekannt;unbekannt\n".to_owned(),
        _ => format!("{:02}.05.2020;{},{}\n", row % 28 + 1, row % 40, row % 10),
    };
    let text: String = (0..200).map(rows).collect();
    let notes = inspected(&format!("tag;wert\n{text}"))
        .notes
        .iter()
        .map(|note| note.to_string())
        .collect::<Vec<_>>()
        .join("\n");
    for words in ["values of `tag` are dates", "values of `wert` are numbers"] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    // Several values that are not numbers are codes.
    let codes = |row: usize| match row % 10 {
        0 => format!("V{row}\n"),
        _ => format!("{row}\n"),
    };
    let text: String = (0..200).map(codes).collect();
    let notes = inspected(&format!("code,sex\n{}", text.replace('\n', ",f\n"))).notes;
    assert!(notes.iter().all(|note| !note.to_string().contains("nearly all")), "{notes:?}");
}

/// A count is published exactly only if it has few values and is not a secret.
#[test]
fn numbers_of_many_are_identifiers() {
    let row = |row: usize| {
        let (insured, ward) = (7 * row % 871, row % 6);
        format!("K{insured},{ward},{},{ward},{}\n", row % 26, 20 + row % 50)
    };
    let text: String = (0..1_000).map(row).collect();
    let header = "insurance id,arm_id,discharge_disposition_id,hospital_id,age\n";
    let found = inspected(&format!("{header}{text}"));
    let roles: Vec<&str> = found.columns.iter().map(|c| c.guessed_role).collect();
    assert_eq!(roles, ["identifier", "other", "sensitive", "quasi-identifier", "quasi-identifier"]);
}

/// Numbers of households in seven languages, by name and because they repeat. A fact about a
/// household is not such a number.
#[test]
fn households_and_units_of_samples_are_recognised() {
    let names = [
        "hhid",
        "HH_ID",
        "famid",
        "Haushaltsnummer",
        "num_menage",
        "hogar_id",
        "id_famiglia",
        "agregado",
        "gezin_nr",
        "hhsize",
        "psu",
        "cluster_id",
        "klumpen",
        "age",
        "faith",
    ];
    let row = |row: usize| {
        let house = row / 3;
        let number = 1_000 + 7 * house;
        let mut cells = vec![number.to_string(); 9];
        let unit = (house / 15).to_string();
        let faith = ["a", "b", "c", "d"][house * 5 % 4].to_owned();
        cells.extend([
            "3".to_owned(),
            unit.clone(),
            unit.clone(),
            unit,
            (20 + row * 7 % 50).to_string(),
            faith,
        ]);
        cells.join(",") + "\n"
    };
    let text: String = (0..600).map(row).collect();
    let found = inspected(&format!("{}\n{text}", names.join(",")));
    let role = |name: &str| found.columns.iter().find(|own| own.name == name).unwrap().guessed_role;
    for name in &names[..9] {
        assert_eq!(role(name), "identifier", "{name}");
    }
    for name in ["psu", "cluster_id", "klumpen"] {
        assert_eq!(role(name), "other", "{name}");
    }
    assert_eq!(role("faith"), "sensitive");
    let note = found.notes.iter().find(|note| note.to_string().contains("`hhid`")).unwrap();
    assert!(note.to_string().contains("[ties] id = \"hhid\""), "{note}");
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.to_string().contains("nearly always have the same value of `faith`"))
    );
}

/// If neither name nor values are informative, the owner has to decide, and nothing is published before;
/// a measurement may be a secret, and is left out.
#[test]
fn a_column_that_says_nothing_is_not_published() {
    let row = |row: usize| {
        format!(
            "{},{},{},{},{}\n",
            row % 7,
            row * 37 % 90,
            row % 3,
            20 + row % 50,
            ["x", "y", "z", "v"][row % 4]
        )
    };
    let text: String = (0..400).map(row).collect();
    let found = inspected(&format!("q7_a,v012,xk,age,illness\n{text}"));
    let roles: Vec<&str> = found.columns.iter().map(|own| own.guessed_role).collect();
    // One of five columns is asked about: the one with the fewest values.
    assert_eq!(roles, ["sensitive", "sensitive", "undecided", "quasi-identifier", "sensitive"]);
    let (_, policy) = starter(&format!("q7_a,v012,xk,age,illness\n{text}"), None);
    assert!(policy.contains("\"v012\" = { role = \"drop\""), "{policy}");
    let years = |of: &dyn Fn(usize) -> String| {
        let rows: String = (0..300).map(|row| format!("{},{}\n", of(row), row % 5)).collect();
        inspected(&format!("grade,s\n{rows}")).columns[0].guessed_role
    };
    assert_eq!(years(&|row| (1 + row % 12).to_string()), "quasi-identifier");
    assert_eq!(years(&|row| ["A", "B-", "C", "D"][row % 4].to_owned()), "sensitive");
}

#[test]
fn places_are_safe_harbors_in_other_languages_too() {
    let names = "Postleitzahl,Post Code,Gemeinde,Strasse,ville,IBAN,Hauptdiagnose";
    let row = |row: usize| {
        let place = row % 9;
        format!("p{place},c{place},g{place},s{place},v{place},DE{row},d{}\n", row % 5)
    };
    let text: String = (0..200).map(row).collect();
    let found = inspected(&format!("{names}\n{text}"));
    for column in &found.columns[..5] {
        let harbor = column.safe_harbor.unwrap_or("none");
        assert!(harbor.starts_with("B:"), "{}: {harbor}", column.name);
    }
    assert!(found.columns[5].safe_harbor.unwrap().starts_with("J:"));
    assert_eq!(found.columns[6].guessed_role, "sensitive");
}

#[test]
fn how_a_file_is_written_is_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let look = |bytes: &[u8], said: &Said| {
        std::fs::write(&path, bytes).unwrap();
        inspect(&Source::new(&path), said, &|_| {})
    };
    for (text, delimiter) in [
        ("age;sex\n31;f\n", ';'),
        ("age;size\n31;1,75\n", ';'),
        ("age\tsex\n31\tf\n", '\t'),
        ("age|sex\n31|f\n", '|'),
        ("age,sex\n31,f\n", ','),
    ] {
        let found = look(text.as_bytes(), &Said::default()).unwrap().inspection;
        assert_eq!((found.delimiter, found.columns.len()), (delimiter, 2), "{text:?}");
    }
    let comma = Said { delimiter: Some(b','), ..Said::default() };
    let message = look(b"age;sex\n31;f\n", &comma).unwrap_err().to_string();
    assert!(
        message.contains("t.csv: has one column only, `age;sex`")
            && message.contains("`--delimiter ';'`"),
        "{message}"
    );
    let latin = look(b"stra\xdfe,age\nK\xf6ln,31\n", &Said::default()).unwrap().inspection;
    assert_eq!(latin.encoding.as_deref(), Some("windows-1252"));
    assert_eq!(latin.columns[0].name, "straße");
    assert!(latin.notes[0].to_string().contains("is not UTF-8"), "{:?}", latin.notes);
    let wide: Vec<u8> = "\u{feff}a;b\n1;2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let found = look(&wide, &Said::default()).unwrap().inspection;
    assert_eq!(found.columns.iter().map(|c| &*c.name).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn columns_that_cannot_be_read_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    openveil_io::source::testing::odd_parquet(&path, [i32::MAX, 0], ["a", "b"]);
    let source = Source::new(&path);
    let looked = inspect(&source, &Said::default(), &|_| {}).unwrap();
    let found = looked.inspection.clone();
    let columns = found.columns.iter();
    let types: Vec<(&str, &str)> = columns.map(|c| (&*c.name, c.value_type)).collect();
    let expected = [
        ("word", "text"),
        ("born", "text"),
        ("seen", "integer"),
        ("stamp", "date"),
        ("visits", "unusable"),
    ];
    assert_eq!(types, expected);
    assert_eq!((found.rows, found.columns[4].guessed_role), (2, "drop"));
    assert!(
        found.notes.iter().any(|note| note.to_string().contains("`visits` is nested")),
        "{:?}",
        found.notes
    );
}

#[test]
fn timestamps_are_dates_whatever_their_zone() {
    let found = inspected("t\n2017-01-01T06:00:42Z\n2017-01-01T06:00:42+01:00\n2017-01-02\n");
    assert_eq!(found.columns[0].value_type, "date");
}

/// 6,900 is a number between 6 and 7 or nearly seven thousand.
#[test]
fn what_may_be_thousands_is_said() {
    let row = |row: usize| format!("{},{},x\n", 20 + row % 40, row % 9);
    let table = |wage: &str| {
        let rows = (0..100).map(|at| format!("\"{wage}\",{}", row(at)));
        format!("wage,age,job,word\n{}", rows.collect::<String>())
    };
    for (wage, read) in [("16,900", "decimals"), ("1,006,900", "text"), ("16.900", "decimals")] {
        let notes = joined(&inspected(&table(wage)).notes);
        let said = format!("such as `{wage}`, but are read as {read}");
        assert!(
            notes.contains("values of `wage` could be whole") && notes.contains(&said),
            "{notes}"
        );
    }
    for wage in ["6,9", "0,900", "6900", "6.9001"] {
        let notes = joined(&inspected(&table(wage)).notes);
        assert!(!notes.contains("could be whole"), "{notes}");
    }
}

/// Empty rows would count as people.
#[test]
fn empty_rows_are_counted() {
    let table = |empty: usize| format!("age,job\n1,a\n2,b\n{}", ",\n".repeat(empty));
    for (empty, said) in [(0, ""), (1, "one row is empty"), (2, "2 rows are empty")] {
        let notes = joined(&inspected(&table(empty)).notes);
        assert!(notes.starts_with(said), "{notes}");
        assert_eq!(notes.contains("as a person: remove"), empty > 0, "{notes}");
    }
}

/// Options for another kind of file are not silently ignored.
#[test]
fn what_means_nothing_for_a_file_is_said() {
    let said = Said { sheet: Some("1".to_owned()), ..Said::default() };
    let notes = looked_at("age,job\n1,a\n2,b\n", &said).notes;
    assert_eq!(notes[0].to_string(), "the file is not a workbook: `--sheet` has no effect");
}

/// Repeated identifiers may belong to people; names shared by hundreds of rows do not.
#[test]
fn who_may_have_several_rows_is_said() {
    let table = |people: usize| {
        let rows = (0..400).map(|row| format!("N{},{},{}\n", row % people, row % 7, row % 5));
        format!("nachname,age,job\n{}", rows.collect::<String>())
    };
    for (people, said) in [(150, true), (4, true), (3, false), (400, false)] {
        let notes = joined(&inspected(&table(people)).notes);
        assert_eq!(notes.contains("[persons] id = \"nachname\""), said, "{people}: {notes}");
    }
}

/// `pid` is a person's number if its values are unique, and a party if many rows share them.
#[test]
fn numbers_of_people_are_told_from_parties() {
    let role = |people: usize| {
        let rows = (0..200).map(|row| format!("p{},{},{}\n", row % people, row % 7, row % 5));
        let table = format!("pid,age,job\n{}", rows.collect::<String>());
        inspected(&table).columns[0].guessed_role
    };
    assert_eq!((role(200), role(6)), ("identifier", "sensitive"));
}

/// A question about several rows depends on known columns only: nobody would record that it left out
/// an answer which the values do not allow.
#[test]
fn answers_about_several_rows_do_not_depend_on_secrets() {
    let question = |illness: &dyn Fn(usize) -> usize, age: &dyn Fn(usize) -> usize| {
        let row = |row: usize| format!("p{},{},i{}\n", row / 2, 20 + age(row), illness(row) % 5);
        let rows: String = (0..400).map(row).collect();
        let text = starter(&format!("patient_id,age,illness\n{rows}"), None).1;
        text[text.find("# DECIDE").unwrap()..text.find("# Roles").unwrap()].to_owned()
    };
    let same = question(&|row| row / 2, &|row| row / 2 % 7);
    assert!(same.contains("write [persons] with id = \"patient_id\"; columns"), "{same}");
    assert!(same.contains("write [ties] with id = \"patient_id\"."), "{same}");
    assert_eq!(question(&|row| row + row / 2, &|row| row / 2 % 7), same);
    let varying = question(&|row| row / 2, &|row| row % 7);
    assert!(varying.contains("and varying = \"draw\" (one of"), "{varying}");
}
