//! Tables 1 to 4 of the paper.

use super::fixtures::*;
use crate::normal_form::{Cause, RuleVerdict, check};
use crate::worlds::{Posteriors, PublicationReader, PublishedTable, candidates};
use openveil_core::exact::fraction;
use openveil_core::table::{ColumnSet, PeopleTable};

use std::collections::BTreeSet;

const LIMIT: usize = 1_000_000;

/// Tables 2(a) to 2(c), with consecutive pairs of rows as buckets. Row numbers
/// are Table 1's.
fn table_2(records: &PeopleTable) -> Vec<PublishedTable> {
    let publish = |known, secret, of: &[&[u32]]| {
        PublishedTable::bucketised(records, set(known), set(secret), &groups(of)).unwrap()
    };
    vec![
        // 37 HIV, 37 HIV | 23 alcoholism, 37 flu | 55 diabetes, 71 diabetes
        publish("age icd", "race", &[&[0, 5], &[4, 3], &[2, 1]]),
        // F HIV, M HIV | M alcoholism, F flu | F diabetes, M diabetes
        publish("gender icd", "zipcode", &[&[0, 5], &[4, 3], &[2, 1]]),
        // 111111 asian, 222222 black | 222222 white, 111111 white | 333333 white, 333333 black
        publish("hospital race", "zipcode", &[&[0, 2], &[3, 1], &[5, 4]]),
    ]
}

#[test]
fn table_2_shows_what_the_paper_prints() {
    let records = table_1();
    let multiset = |column: &str, rows: &[usize]| -> BTreeSet<&str> {
        let column_number = columns().number(column).unwrap();
        rows.iter()
            .map(|&row| records.codes(column_number)[row])
            .map(|code| text(column, code))
            .collect()
    };
    assert_eq!(multiset("race", &[0, 5]), BTreeSet::from(["asian", "white"]));
    assert_eq!(multiset("race", &[4, 3]), BTreeSet::from(["white", "black"]));
    assert_eq!(multiset("zipcode", &[0, 2]), BTreeSet::from(["71000", "73000"]));
    assert_eq!(multiset("zipcode", &[3, 1]), BTreeSet::from(["72000", "74000"]));
    assert_eq!(multiset("zipcode", &[5, 4]), BTreeSet::from(["71000", "72000"]));
}

#[test]
fn intersecting_table_2_finds_four_people() {
    let records = table_1();
    let tables = table_2(&records);
    // Hospital and race are in the same rows of Table 2(c), so they identify the rows.
    let reader = PublicationReader::new(&records, &tables, set("hospital race")).unwrap();
    // Tables as multisets of rows: on the columns of Rule 3, and on all columns.
    let (mut narrow, mut full) = (BTreeSet::new(), BTreeSet::new());
    reader
        .visit(set("zipcode"), LIMIT, &mut |world| {
            let rows = |columns: ColumnSet| {
                let row = |row| columns.iter().map(|c| world.code(c, row)).collect();
                let mut rows: Vec<Vec<u32>> = (0..6).map(row).collect();
                rows.sort();
                rows
            };
            narrow.insert(rows(set("hospital race zipcode")));
            full.insert(rows(ColumnSet::first(6)));
        })
        .unwrap();
    assert_eq!((narrow.len(), full.len()), (2, 64));
    let posteriors = Posteriors::new(&reader, set("zipcode"), LIMIT).unwrap();
    let mut certain = BTreeSet::new();
    for row in 0..6 {
        let (zipcode, chance) = posteriors.likeliest(row);
        if chance == fraction(1, 1) {
            let own = |column: usize| text(NAMES[column], records.codes(column)[row]);
            certain.insert((own(0), own(4), text("zipcode", zipcode[0])));
        }
    }
    let expected = [
        ("111111", "asian", "71000"),
        ("222222", "black", "73000"),
        ("333333", "black", "71000"),
        ("333333", "white", "72000"),
    ];
    assert_eq!(certain, BTreeSet::from(expected));
}

#[test]
fn ruling_out_alone_finds_one_of_them() {
    let records = table_1();
    let tables = table_2(&records);
    let zipcode = columns().number("zipcode").unwrap();
    let left = |row: usize| {
        let code = |column: usize| records.codes(column)[row];
        candidates(&tables, set("hospital race"), code, zipcode).unwrap()
    };
    // The zip code of the asian in hospital 111111 follows without other people. For the other
    // three it follows only because other values are used up.
    assert_eq!(left(0), BTreeSet::from([records.codes(zipcode)[0]]));
    assert!((1..6).all(|row| left(row).contains(&records.codes(zipcode)[row])));
    let open = [PublishedTable::open(&records, set("age race")).unwrap()];
    assert_eq!(candidates(&open, set("hospital"), |_| 0, zipcode), None);
}

#[test]
fn each_part_of_table_2_alone_is_safe() {
    let records = table_1();
    let rules = rules();
    for (table, rule) in table_2(&records).into_iter().zip(rules) {
        let alone = [table];
        let reader = PublicationReader::new(&records, &alone, rule.given()).unwrap();
        let posteriors = Posteriors::new(&reader, rule.protect(), LIMIT).unwrap();
        assert!(posteriors.highest() <= fraction(1, 2));
    }
}

#[test]
fn intersecting_table_3_finds_nobody() {
    let records = table_1();
    // Printed: asian, white | white, black | black and white, which is missing in print.
    let pairs = groups(&[&[0, 1], &[3, 4], &[2, 5]]);
    let tables = [
        PublishedTable::open(&records, set("hospital age gender icd")).unwrap(),
        PublishedTable::bucketised(&records, set("race"), set("zipcode"), &pairs).unwrap(),
    ];
    for rule in rules() {
        let reader = PublicationReader::new(&records, &tables, rule.given()).unwrap();
        let posteriors = Posteriors::new(&reader, rule.protect(), LIMIT).unwrap();
        assert!(posteriors.worlds() > 1);
        assert!(posteriors.highest() <= fraction(1, 2), "{rule:?}");
    }
}

#[test]
fn table_3_is_in_normal_form() {
    let report = check(&table_3(), &rules(), &[]);
    assert!(report.normal_form());
    let unreachable = |name| RuleVerdict::Unreachable { columns: set(name) };
    let expected = [unreachable("race"), unreachable("zipcode"), RuleVerdict::Guarded { table: 1 }];
    assert_eq!(report.verdicts(), expected);
    assert_eq!(report.guarded_by(1), [2]);
}

#[test]
fn table_4_guards_rule_1_only() {
    let report = check(&table_4(), &rules(), &[]);
    assert!(!report.normal_form());
    assert_eq!(report.verdicts()[0], RuleVerdict::Guarded { table: 2 });
    for index in [1, 2] {
        let RuleVerdict::Leaks(leak) = &report.verdicts()[index] else {
            panic!("rule {} has no guardian", index + 1);
        };
        // Zip codes are guarded in the second table, and published with ages in the fourth.
        assert_eq!(leak.cause, Cause::WayAround { table: 1 });
        let path = leak.path.columns();
        assert!(rules()[index].given().contains(path[0]));
        assert_eq!(path.last(), set("zipcode").least().as_ref());
    }
    assert!(report.require().is_err());
}

#[test]
fn the_texas_rules_have_their_graph() {
    // Rules I to III of the introduction.
    let texas = [
        rule("hospital gender -> zipcode"),
        rule("icd -> gender"),
        rule("icd -> zipcode"),
        rule("hospital -> race"),
    ];
    let schema = crate::decompose::uad(ColumnSet::first(6), &texas, &[]).unwrap();
    let report = check(&schema, &texas, &[]);
    assert!(report.normal_form());
    // Zip codes are guarded against hospitals and genders; race and diagnoses are in separate
    // tables.
    let tables: Vec<_> =
        schema.tables().iter().map(|table| (table.columns(), table.protects())).collect();
    let expected =
        [(set("hospital age gender zipcode"), set("zipcode")), (set("race icd"), ColumnSet::EMPTY)];
    assert_eq!(tables, expected);
}

#[test]
fn a_single_rule_needs_a_single_table() {
    let one = [rule("age icd -> race")];
    let schema = crate::decompose::uad(ColumnSet::first(6), &one, &[]).unwrap();
    assert_eq!(schema.tables().len(), 1);
    assert_eq!(schema.tables()[0].protects(), set("race"));
}
