use super::*;

/// Cells of one set are alike; cells of different sets are not.
const SETS: [&[&str]; 22] = [
    &["7", "7.0", "007", "7,0", " 7", "７", "+7", "7.", "70e-1", "0.7E1"],
    &["-7", "\u{2212}7", "-7.00"],
    &["1000", "1e3", "1 000", "1'000", "1,000.0", "1.000,00", "10E2"],
    &["1234567.5", "1,234,567.5", "1.234.567,5", "1 234 567,50"],
    &["0", "-0", "0.0", "00"],
    &["12", "12.0"],
    &["p7", "P7", " p7 ", "p\u{200b}7"],
    &["p07"],
    &["Müller", "muller", "MÜLLER", "Mu\u{308}ller"],
    &["Mueller"],
    &["strasse", "Straße", "STRASSE"],
    &["İzmir", "izmir"],
    &["new york", "New  York", "New\tYork"],
    &["newyork"],
    &[
        "2020-04-18",
        "2020-04-18 00:00:00",
        "2020-04-18T00:00:00",
        "18.04.2020",
        "18/4/2020",
        "4/18/2020",
        "2020/04/18",
    ],
    &[
        "2020-04-18T09:30:00Z",
        "2020-04-18T11:30:00+02:00",
        "2020-04-18 09:30",
        "18.04.2020 09:30:00",
    ],
    &["2020-04-18T09:30:00+02:00"],
    &["2020-04-18T09:30:01Z"],
    &["1e", "1E"],
    &["1-2-3"],
    &["E10.0", "e10.0"],
    &["E10"],
];

#[test]
fn cells_are_alike_if_they_read_alike() {
    let texts: Vec<&str> = SETS.concat();
    let mut expected = Vec::new();
    let mut first = 0;
    for set in SETS {
        let places: Vec<usize> = (first..first + set.len()).collect();
        first += set.len();
        if set.len() > 1 {
            expected.push(places);
        }
    }
    assert_eq!(sets(&texts), expected);
}

/// What can be read in two ways is alike to both, and joins them.
#[test]
fn a_cell_of_two_readings_is_alike_to_both() {
    assert_eq!(sets(&["1,234", "1234", "1.234", "1.2340"]), [[0, 1, 2, 3]]);
    assert_eq!(sets(&["03/04/2020", "2020-04-03", "5", "2020-03-04"]), [[0, 1, 3]]);
    assert!(sets(&["2020-04-03", "2020-03-04", "1234", "1.2345"]).is_empty());
    for odd in
        ["", ".", ",", "-", "e5", "1e99999999999", "12:30", "1,2,3", "9999999999-1-1", "t00:00"]
    {
        assert!(!readings(odd).is_empty(), "{odd}");
    }
}

#[test]
fn rows_of_spellings_are_counted_together() {
    let counts = |texts: &[(&'static str, usize)]| merged_counts(texts.iter().copied());
    assert_eq!(counts(&[("flu", 2), ("cold", 4), ("Flu", 3)]), Some(vec![5, 4]));
    assert_eq!(counts(&[("flu", 2), ("cold", 4)]), None);
}
