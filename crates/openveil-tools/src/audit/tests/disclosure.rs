//! Risk from known columns alone.

use super::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;

fn known(files: &Files, table: &str, columns: &[&str]) -> AuditRequest {
    AuditRequest {
        quasi_identifiers: columns.iter().map(|name| (*name).to_owned()).collect(),
        ..AuditRequest::new(files.path(table))
    }
}

#[test]
fn a_table_has_a_risk_whatever_is_sensitive() {
    let files = Files::new(&[("t.csv", "a,b\n1,x\n1,x\n2,y\n")]);
    let report = measured(&known(&files, "t.csv", &["a", "b"]));
    assert!(report.measures.is_none() && report.sensitive.is_empty());
    assert_eq!((report.k, report.uniqueness), (1, 1.0 / 3.0));
    let disclosure = report.disclosure.as_ref().unwrap();
    assert_eq!((disclosure.distinction, disclosure.separation), (2.0 / 3.0, 2.0 / 3.0));
    assert_eq!(disclosure.population_uniqueness, None);
    let json = serde_json::to_value(&report).unwrap();
    assert!(json.get("l_distinct").is_none() && json["disclosure"]["separation"].is_number());
    assert!(refused(&AuditRequest::new(files.path("t.csv"))).contains("--qi"));
}

/// People of a population by their known values, counted one by one.
#[test]
fn k_map_and_presence_are_those_of_the_definition() {
    let mut coins = StdRng::seed_from_u64(1);
    let mut lacking = 0;
    for _ in 0..500 {
        let mut draw = |most: usize| -> Vec<[u32; 2]> {
            let rows = coins.random_range(1..=most);
            (0..rows).map(|_| [coins.random_range(0..3), coins.random_range(0..2)]).collect()
        };
        let (table, others) = (draw(8), draw(20));
        let people: Vec<[u32; 2]> = match coins.random_range(0..4) {
            0 => others,
            _ => table.iter().chain(&others).copied().collect(),
        };
        let text = |rows: &[[u32; 2]]| {
            let lines = rows.iter().map(|[a, b]| format!("{a},{b}\n"));
            "a,b\n".to_owned() + &lines.collect::<String>()
        };
        let files = Files::new(&[("t.csv", &text(&table)), ("p.csv", &text(&people))]);
        let mut request = known(&files, "t.csv", &["a", "b"]);
        request.population = Some(Population::Table(files.path("p.csv")));
        let report = measured(&request);
        let count = |rows: &[[u32; 2]], own: &[u32; 2]| {
            rows.iter().filter(|row| *row == own).count().max(usize::from(rows.is_empty()))
        };
        let all = |own: &[u32; 2]| count(&people, own).max(count(&table, own));
        let k = table.iter().map(all).min().unwrap() as u64;
        let everybody: Vec<[u32; 2]> = table.iter().chain(&people).copied().collect();
        let presence = everybody
            .iter()
            .map(|own| count(&table, own) as f64 / all(own) as f64)
            .fold([1.0, 0.0], |[low, high]: [f64; 2], share| [low.min(share), high.max(share)]);
        assert_eq!(report.disclosure.as_ref().unwrap().k_map, Some(k), "{table:?} {people:?}");
        assert_eq!(
            report.disclosure.as_ref().unwrap().presence,
            Some(presence),
            "{table:?} {people:?}"
        );
        let is_lacking = table.iter().any(|own| count(&people, own) < count(&table, own));
        assert_eq!(
            report.notes.iter().any(|note| note.to_string().contains("fewer people")),
            is_lacking
        );
        lacking += usize::from(is_lacking);
    }
    assert!(lacking > 50, "{lacking}");
}

/// The example of Capobianchi, Polettini and Lucarelli (sdcMicro's `francdat`).
const FRANCDAT: &str = "id,k1,k2,k3,k4,w\n1,1,2,5,1,18\n1,1,2,1,1,45.5\n2,1,2,1,1,39\n2,3,3,1,5,17
3,4,3,1,4,541\n3,4,3,1,1,8\n4,6,2,1,5,5\n4,1,2,5,1,92\n";

#[test]
fn weights_and_households_are_read() {
    let files = Files::new(&[("t.csv", FRANCDAT)]);
    let mut request = known(&files, "t.csv", &["k1", "k2", "k3", "k4"]);
    request.disclosure = DisclosureRequest {
        weight: Some("w".to_owned()),
        household: Some("id".to_owned()),
        special: Some(4),
        rows: true,
        sampling_fraction: Some(0.1),
    };
    let report = measured(&request);
    let risks: Vec<f64> = report
        .disclosure
        .as_ref()
        .unwrap()
        .rows
        .iter()
        .map(|row| row.individual.unwrap())
        .collect();
    let printed = [
        0.017_144_26,
        0.022_042_33,
        0.022_042_33,
        0.177_075_83,
        0.011_654_48,
        0.297_063_08,
        0.402_359_48,
        0.017_144_26,
    ];
    let pairs = risks.iter().zip(printed);
    assert!(pairs.into_iter().all(|(own, printed)| (own - printed).abs() < 5e-9), "{risks:?}");
    let individual = report.disclosure.clone().unwrap().individual.unwrap();
    assert!((individual.expected - printed.iter().sum::<f64>()).abs() < 1e-7);
    assert_eq!((individual.people, individual.underweight), (765.5, 0));
    let own = report.disclosure.as_ref().unwrap().rows[0];
    let both = 1.0 - (1.0 - risks[0]) * (1.0 - risks[1]);
    assert!((own.household.unwrap() - both).abs() < 1e-12);
    assert_eq!(
        report.disclosure.as_ref().unwrap().rows.iter().map(|row| row.alike).collect::<Vec<_>>(),
        [2, 2, 2, 1, 1, 1, 1, 2]
    );
    let special = report.disclosure.clone().unwrap().special.unwrap();
    assert_eq!(special.rows, 4);
    assert!(special.dis.is_some() && special.columns[0].share >= special.columns[3].share);
    assert!(serde_json::to_value(&individual).unwrap()["records_at_risk"].is_number());
}

#[test]
fn wrong_weights_are_named() {
    for wrong in ["0", "-2", "x", "", "inf"] {
        let files = Files::new(&[("t.csv", &format!("a,w\n1,2\n2,{wrong}\n"))]);
        let mut request = known(&files, "t.csv", &["a"]);
        request.disclosure.weight = Some("w".to_owned());
        let error = refused(&request);
        assert!(
            error.contains("is not a weight") && error.contains("line 3, column `w`"),
            "{error}"
        );
    }
    let files = Files::new(&[("t.csv", "a,w\n1,2\n1,0.5\n2,0.25\n")]);
    let mut request = known(&files, "t.csv", &["a"]);
    request.disclosure.weight = Some("w".to_owned());
    let individual = measured(&request).disclosure.unwrap().individual.unwrap();
    assert_eq!((individual.underweight, individual.chances.highest), (1, 1.0));
    request.disclosure.weight = Some("v".to_owned());
    assert!(refused(&request).contains("no column `v`"));
}

#[test]
fn fractions_come_from_one_place() {
    let files = Files::new(&[("t.csv", "a\n1\n2\n2\n")]);
    let mut request = known(&files, "t.csv", &["a"]);
    request.population = Some(Population::People(30));
    let found = measured(&request).disclosure.unwrap().population_uniqueness.unwrap();
    assert_eq!(found.sampling_fraction, 0.1);
    request.disclosure.sampling_fraction = Some(0.5);
    assert!(refused(&request).contains("has its population given twice"));
    request.population = None;
    let found = measured(&request).disclosure.unwrap().population_uniqueness.unwrap();
    assert_eq!((found.sampling_fraction, found.by), (0.5, "zayatz"));
}

#[test]
fn sets_of_columns_are_limited() {
    let names: Vec<String> = (0..40).map(|at| format!("c{at}")).collect();
    let rows: HashMap<usize, String> =
        (0..2).map(|row| (row, vec![row.to_string(); 40].join(","))).collect();
    let text = format!("{}\n{}\n{}\n", names.join(","), rows[&0], rows[&1]);
    let files = Files::new(&[("t.csv", &text)]);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut request = known(&files, "t.csv", &names);
    request.disclosure.special = Some(4);
    assert!(refused(&request).contains("has 102090 sets of up to 4 of its 40 known columns"));
    request.disclosure.special = Some(1);
    assert_eq!(measured(&request).disclosure.unwrap().special.unwrap().found, [80]);
}

/// Rows without a household do not form one, and known columns are not measured if rows do not show
/// one person's values.
#[test]
fn households_are_named_and_silence_has_its_reason() {
    let files = Files::new(&[("t.csv", "a,w,h\n1,2,x\n2,2,x\n3,2,\n4,2,\n")]);
    let mut request = known(&files, "t.csv", &["a"]);
    request.disclosure.weight = Some("w".to_owned());
    request.disclosure.household = Some("h".to_owned());
    request.disclosure.rows = true;
    let report = measured(&request).disclosure.unwrap();
    let risk =
        |row: usize| (report.rows[row].individual.unwrap(), report.rows[row].household.unwrap());
    assert_eq!(risk(2).0, risk(2).1);
    assert!(risk(0).1 > risk(0).0);
    request.wildcard = true;
    assert!(refused(&request).contains("`--wildcard`"));
    request.disclosure = DisclosureRequest::default();
    assert_eq!(measured(&request).disclosure, None);
    let files = anatomy("group,job,count\n1,a,1\n1,b,1\n1,c,1\n2,a,1\n2,b,1\n", |_| {});
    let mut request = AuditRequest::new(files.path("out"));
    assert_eq!(measured(&request).disclosure, None);
    request.disclosure.sampling_fraction = Some(0.1);
    assert!(refused(&request).contains("has no known columns"));
}

/// Blank known cells of another program's table may be suppressed: the audit says how it counts them.
#[test]
fn suppressed_cells_are_said() {
    let files = Files::new(&[("t.csv", "a,b\nx,1\nx,2\n,1\n*,1\n"), ("u.csv", "a,b\nx,1\nx,2\n")]);
    let said = |request: &AuditRequest| {
        measured(request).notes.iter().any(|note| note.to_string().contains("`a`"))
    };
    let mut request = known(&files, "t.csv", &["a", "b"]);
    assert!(said(&request));
    request.wildcard = true;
    assert!(!said(&request));
    assert!(!said(&known(&files, "u.csv", &["a", "b"])));
}
