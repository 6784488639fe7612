use super::*;

/// A workbook made by XlsxWriter: dates, formulas, truth values, lines with nothing but a format.
const WORKBOOK: &[u8] = include_bytes!("people.xlsx");

#[test]
fn sheets_are_read_as_they_are_meant() {
    let (_folder, path) = file("t.xlsx", WORKBOOK);
    let table = read(&Source::new(&path)).unwrap();
    let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    assert_eq!(names, ["name", "age", "born", "seen", "size", "married"]);
    let expected = [
        ["Zoë", "31", "1990-03-14", "2021-05-06T07:08:00", "1.75", "true"],
        [" Ann", "32", "", "", "2", "false"],
    ];
    assert_eq!(cells(&table), expected);
    assert_eq!(table.place_of(&table.columns[0], 1).line, Some(3));
    let sheet =
        |name: &str| Source { sheet: Some(name.to_owned()), trim: true, ..Source::new(&path) };
    assert_eq!(read(&sheet("people")).unwrap().columns[0].values.get(1), "Ann");
    assert_eq!(
        sheet("people").workbooks().unwrap()[0].names,
        ["people", "faulty", "empty", "nameless"]
    );
    for (name, what) in [
        ("peopel", "has no sheet `peopel`\n  help: did you mean `people`?"),
        ("faulty", "line 2, column `b`: the cell holds the error #DIV/0!"),
        ("empty", "the table has no rows"),
        ("nameless", "line 1: column 2 of the sheet has no name"),
    ] {
        let refused = read(&sheet(name)).unwrap_err().to_string();
        assert!(refused.contains(what), "{refused}");
    }
    let (_folder, cut) = file("cut.xlsx", &WORKBOOK[..WORKBOOK.len() / 2]);
    let refused = read(&Source::new(cut)).unwrap_err().to_string();
    assert!(refused.contains("is not a readable workbook"), "{refused}");
}
