//! A few people, and what readers conclude.

use super::support::*;
use std::fs;

#[test]
fn tables_documents_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let table =
        "name,illness\nAnn,flu\nBob,cold\nCid,cancer\nDee,cancer\nEve,headache\nFay,toothache\n";
    fs::write(folder.path().join("people.csv"), table).unwrap();
    let arguments = [
        "explain",
        "people.csv",
        "--sensitive",
        "illness",
        "--person",
        "name",
        "--functions",
        "Ann Bob|Cid Dee|Eve Fay; Ann Bob Cid|Dee Eve Fay",
        "--plots",
        "plots",
        "--json",
    ];
    let output = openveil(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = json(&output.stdout);
    assert_eq!(found["strategies"][0]["posteriors"]["Cid"]["cancer"], "1");
    assert_eq!(found["strategies"][0]["path"][1]["permutation_set"], 36);
    let svg = fs::read_to_string(folder.path().join("plots/worlds-naive.svg")).unwrap();
    assert!(svg.contains("4 of 36 tables are left"), "{svg}");
}

#[test]
fn bad_input_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["--sensitive", "a,b", "--functions", "AX"][..], "no one is called `AX`"),
        (&["--sensitive", "a,b", "--bound", "3"], "is not a share between 0 and 1"),
        (&["people.csv", "--sensitive", "a"], "people.csv"),
        (&["--sensitive", "a,b", "--privacy", "model = \"secrecy\""], "unknown value `secrecy`"),
        (
            &["--sensitive", "a,b", "--l", "2", "--privacy", "model = \"k-anonymity\", k = 2"],
            "cannot be given together",
        ),
        (
            &["--sensitive", "a,b", "--functions", "AB", "--jump", "x"],
            "not a list of whole numbers",
        ),
        (&["--sensitive", "a,b", "--functions", "AB", "--jump", "0"], "distance 0"),
    ] {
        let message = complaint(folder.path(), &[&["explain"], arguments].concat());
        assert!(message.contains(expected), "{message}");
    }
}
