//! Six people A to F with flu, cold, cancer, cancer, headache and toothache;
//! g₁ = AB|CD|EF, g₂ = ABC|DEF, g₃ = all six; no value above 1/2.

use super::*;
use openveil_core::exact::fraction;

const FLU: usize = 0;
const CANCER: usize = 2;
const COUNTS: [u32; 5] = [1, 1, 2, 1, 1];
const TABLE: [u32; 6] = [0, 1, 2, 2, 3, 4];

fn six() -> Functions {
    functions(6, &[&[&[0, 1], &[2, 3], &[4, 5]], &[&[0, 1, 2], &[3, 4, 5]], &[&[0, 1, 2, 3, 4, 5]]])
}

/// Returns the functions, all tables, and the class of the example's table.
fn people() -> (Functions, ContingencyTables, usize) {
    let functions = six();
    let space = ContingencyTables::new(&functions, &COUNTS, LIMIT).unwrap();
    let class = space.class_of(&TABLE).unwrap();
    (functions, space, class)
}

#[test]
fn naive_gives_two_people_away() {
    let (functions, space, class) = people();
    let plans = [plan(&functions, Strategy::Naive)];
    let reader = PlanReader::new(&space, &half(), &plans).unwrap();
    let found = &reader.evaluations()[0];
    assert_eq!(found.released(class), Some(1));
    assert_eq!(path(&found.outcome(class)), "1/0 2/0");
    assert_eq!(space.permutation_set(1, class).tables(), 36);

    let known = reader.conclusion(reader.output(0, class));
    assert_eq!(known, found.disclosure_set(&space, 1, class));
    assert_eq!(known.tables(), 4);
    for person in [2, 3] {
        assert_eq!(known.posterior(person)[CANCER], fraction(1, 1));
    }
    assert_eq!(known.posterior(0)[FLU], fraction(1, 2));

    let releases = reader.releases(&half());
    assert!(!releases.are_safe());
    assert_eq!(releases.highest_posterior, fraction(1, 1));
    let (output, highest) = releases.worst.unwrap();
    assert_eq!(highest, fraction(1, 1));
    assert_eq!(reader.conclusion(output).highest_posterior(), highest);
}

#[test]
fn safe_sees_it_and_releases_everybody_together() {
    let (functions, space, class) = people();
    let found = evaluate(&space, &half(), &plan(&functions, Strategy::Safe)).unwrap();
    assert_eq!(found.disclosure_set(&space, 1, class).tables(), 4);
    assert_eq!(found.released(class), Some(2));
    assert_eq!(path(&found.outcome(class)), "1/1 2/1 3/1");
}

#[test]
fn jumps_of_one_release_the_last_function() {
    let (functions, space, class) = people();
    let found = evaluate(&space, &half(), &jump(&functions, &[1, 1, 1])).unwrap();
    assert_eq!(found.released(class), Some(2));
    assert_eq!(path(&found.outcome(class)), "1/0 2/0 2/1 3/0 3/1");
    assert_eq!(found.disclosure_set(&space, 1, class).tables(), 4);
}

#[test]
fn a_longer_jump_releases_nothing_and_silence_tells() {
    let (functions, space, class) = people();
    let plans = [jump(&functions, &[1, 2, 1])];
    let reader = PlanReader::new(&space, &half(), &plans).unwrap();
    let found = &reader.evaluations()[0];
    assert_eq!(found.released(class), None);
    assert_eq!(reader.output(0, class), Output::Nothing);
    assert_eq!(path(&found.outcome(class)), "1/0 2/0 2/1");
    for class in 0..space.classes() {
        let table = space.example(class);
        let both = [table[2], table[3]] == [CANCER as u32; 2];
        assert_eq!(found.released(class).is_none(), both);
    }
    assert_eq!(found.released_tables(&space).last(), Some(&24));

    let limits = ReportLimits::default();
    let found = report(&functions, &COUNTS, &half(), &plans, limits).unwrap();
    assert!(found.releases.are_safe());
    assert_eq!(found.releases.cases, 360 - 24);
    // A reader who knows the multiset is certain about two people.
    let known = found.silence_with_multiset.unwrap();
    assert!(!known.holds);
    assert_eq!(known.census.tables(), 24);
    assert_eq!(known.census.posterior(2)[CANCER], fraction(1, 1));
    // A reader who does not know which of the five values occurs twice learns nothing.
    let unknown = found.silence_without_multiset.unwrap();
    assert!(unknown.holds);
    assert_eq!(unknown.census.tables(), 5 * 24);
    for person in 0..6 {
        assert_eq!(unknown.census.posterior(person), vec![fraction(1, 5); 5]);
    }
}

#[test]
fn a_property_that_names_values_breaks_the_symmetry_of_silence() {
    // Only the first value needs protection.
    let first = |counts: &[u128]| 2 * counts[0] <= counts.iter().sum();
    let functions = functions(2, &[&[&[0], &[1]]]);
    let plans = [plan(&functions, Strategy::Naive)];
    let limits = ReportLimits::default();
    let found = report(&functions, &[1, 1, 0], &first, &plans, limits).unwrap();
    let known = found.silence_with_multiset.unwrap();
    assert!(known.holds);
    assert_eq!(known.census.counts(0), [1, 1, 0]);
    let unknown = found.silence_without_multiset.unwrap();
    assert!(unknown.holds);
    assert_eq!(unknown.census.counts(0), [2, 1, 1]);
}

#[test]
fn where_something_is_always_released_there_is_no_silence() {
    let functions = six();
    let plans = [plan(&functions, Strategy::Safe)];
    let limits = ReportLimits::default();
    let found = report(&functions, &COUNTS, &half(), &plans, limits).unwrap();
    assert_eq!(found.releases.cases, 360);
    assert_eq!(found.silence_with_multiset, None);
    assert_eq!(found.silence_without_multiset, None);
}

#[test]
fn a_report_keeps_its_limits() {
    let functions = six();
    let plans = [jump(&functions, &[1, 2, 1])];
    // Four cells (AB, C, D, EF), five renamings: which value occurs twice.
    let classes = ContingencyTables::new(&functions, &COUNTS, LIMIT).unwrap().classes() as u64;
    let limited = |classes, renamings| {
        let limits = ReportLimits { classes, renamings };
        report(&functions, &COUNTS, &half(), &plans, limits)
    };
    assert!(limited(classes, 5).is_ok());
    for (classes, renamings) in [(classes - 1, 5), (classes, 4)] {
        let found = limited(classes, renamings);
        assert!(matches!(found, Err(openveil_core::Error::BeyondLimit { .. })));
    }
}
