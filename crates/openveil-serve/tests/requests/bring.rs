//! Tables that are brought: bad ones, and ways to read a file again.

use super::{PAGES, entered, people};

#[test]
fn bad_tables_are_said_and_break_nothing() {
    let served = entered(None);
    for (name, bytes) in [
        ("empty.csv", &b""[..]),
        ("ragged.csv", b"a,b\n1\n"),
        ("..%2F..%2Fx.parquet", b"PAR1 no parquet at all PAR1"),
        ("bomb.xlsx", b"PK\x03\x04 no workbook"),
        ("nul.csv", b"a,b\n\0,1\n"),
        ("script.csv", b"<script>alert(1)</script>,b\n<img src=x onerror=alert(1)>\n"),
    ] {
        let page = served.bring(name, bytes);
        assert!(page.contains("role=\"alert\""), "{name}: {page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{name}");
    }
    // Hostile texts in a valid table are shown as text.
    let hostile = people()
        .replace("job", "<script>alert(1)</script>")
        .replace("nurse", "<img src=x onerror=alert(1)>");
    served.bring("hostile.csv", hostile.as_bytes());
    for path in PAGES.iter().filter(|path| **path != "/progress") {
        let page = served.get(path).body;
        assert!(!page.contains("<script>alert") && !page.contains("<img src"), "{path}");
    }
}

#[test]
fn a_table_without_names_is_read_again() {
    let served = entered(None);
    served.bring("people.csv", people().replace("age,sex,job\n", "").as_bytes());
    served.post("/reread", "no-header=on");
    let page = served.settled("/");
    assert!(page.contains("60 rows") && page.contains("column 3"), "{page}");
    // A column with an uninformative name: nothing is published before its role is decided.
    let refused = served.post("/publish", "");
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("column 3"), "{}", refused.body);
    let roles = "role-0=quasi-identifier&type-0=integer&role-1=quasi-identifier&role-2=sensitive";
    served.post("/columns", &format!("version={}&{roles}", served.version()));
    served.post("/publish", "");
    let page = served.settled("/publish");
    assert!(page.contains("id=\"published\""), "{page}");
}

#[test]
fn a_file_is_read_again_with_another_delimiter_and_encoding() {
    let served = entered(None);
    // Two delimiters are possible, and one byte is a letter only in Windows' encoding.
    let rows = (0..60).map(|i| {
        format!("{},5;{};{}\n", 20 + i % 50, ["f", "m"][i % 2], ["K\u{f6}ln", "Bonn", "Ulm"][i % 3])
    });
    let table = format!("age;sex;town\n{}", rows.collect::<String>());
    let latin: Vec<u8> = table.chars().map(|c| c as u8).collect();
    served.bring("people.csv", &latin);
    let page = served.post("/reread", "delimiter=comma&encoding=windows-1252");
    assert_eq!(page.status, 303);
    let page = served.settled("/");
    assert!(page.contains("60 rows, 2 columns") || page.contains("role=\"alert\""), "{page}");
    served.post("/reread", "delimiter=semicolon&encoding=iso-8859-2");
    let page = served.settled("/");
    assert!(page.contains("60 rows, 3 columns.") && page.contains("K\u{f6}ln"), "{page}");
    let policy = served.get("/policy").body;
    assert!(policy.contains("encoding = &quot;iso-8859-2&quot;"), "{policy}");
}
