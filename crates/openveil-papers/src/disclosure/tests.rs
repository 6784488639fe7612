//! Compares the two engines with each other and with known numbers.

use super::*;
use openveil_core::Error;
use openveil_core::exact::fraction;
use openveil_core::table::Groups;
use proptest::prelude::*;

fn functions(people: usize, partitions: &[&[&[u32]]]) -> Functions {
    let groups =
        partitions.iter().map(|groups| groups.iter().map(|group| group.iter().copied()).collect());
    Functions::new(people, groups).unwrap()
}

fn assert_same(left: &Census, right: &Census, people: usize) {
    assert_eq!(left.tables(), right.tables());
    for person in 0..people {
        assert_eq!(left.counts(person), right.counts(person));
    }
}

/// Returns counts per value and up to three partitions of as many people.
fn publications() -> impl Strategy<Value = (Functions, Vec<u32>)> {
    let counts = prop::collection::vec(0u32..4, 1..5);
    let counts =
        counts.prop_filter("2 to 7 people", |counts| (2..8).contains(&counts.iter().sum::<u32>()));
    counts.prop_flat_map(|counts| {
        let people = counts.iter().sum::<u32>() as usize;
        let labels = prop::collection::vec(0u32..3, people);
        let partitions = prop::collection::vec(labels, 0..4);
        partitions.prop_map(move |partitions| {
            let groups = partitions.iter().map(|of| Groups::from_labels(of, 3));
            (Functions::new(people, groups).unwrap(), counts.clone())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counting_agrees_with_listing((functions, counts) in publications()) {
        let people = functions.people();
        let tables = ListedTables::new(&functions, &counts, 10_000).unwrap();
        let classes = ContingencyTables::new(&functions, &counts, 10_000).unwrap();
        prop_assert_eq!(tables.tables(), classes.tables());
        let mut members = vec![0; classes.classes()];
        for table in 0..tables.classes() {
            let class = classes.class_of(&tables.example(table)).unwrap();
            members[class] += 1;
        }
        let multiplicities = (0..classes.classes()).map(|class| classes.multiplicity(class));
        prop_assert_eq!(members, multiplicities.collect::<Vec<u128>>());
        for class in 0..classes.classes() {
            let example = classes.example(class);
            prop_assert_eq!(classes.class_of(&example), Ok(class));
            let table = tables.class_of(&example).unwrap();
            for function in 0..functions.partitions().len() {
                let counted = classes.permutation_set(function, class);
                assert_same(&counted, &tables.permutation_set(function, table), people);
                // The count by classes agrees with the closed form.
                let all = classes.generalizations(function);
                let alike = |other| all.generalisation(other) == all.generalisation(class);
                assert_same(&counted, &classes.disclosure_set(alike), people);
            }
        }
    }

    #[test]
    fn any_set_of_classes_is_counted_alike((functions, counts) in publications(), salt: u64) {
        let tables = ListedTables::new(&functions, &counts, 10_000).unwrap();
        let classes = ContingencyTables::new(&functions, &counts, 10_000).unwrap();
        let kept = |class: usize| salt >> (class % 64) & 1 == 1;
        let listed = tables.disclosure_set(|table| {
            kept(classes.class_of(&tables.example(table)).unwrap())
        });
        assert_same(&classes.disclosure_set(kept), &listed, functions.people());
    }
}

/// Alice, Bob, Clark, Diana, Ellen and Fen; flu, tracheitis, cancer, pneumonia,
/// gastritis; generalisations (A) and (B): Tables 1 and 2 of the L-Cover paper.
#[test]
fn a_refusal_gives_clark_and_diana_away() {
    let functions = functions(6, &[&[&[0, 1], &[2, 3], &[4, 5]], &[&[0, 1, 2], &[3, 4, 5]]]);
    let half = RatioBound::new(1, 2).unwrap();
    let space = ContingencyTables::new(&functions, &[1, 1, 2, 1, 1], 1_000).unwrap();
    let class = space.class_of(&[0, 1, 2, 2, 3, 4]).unwrap();
    let refused = |class| !space.permutation_set(0, class).satisfies(&half);
    assert!(refused(class));

    let by_itself = space.permutation_set(1, class);
    assert_eq!(by_itself.tables(), 36);
    assert_eq!(by_itself.highest_posterior(), fraction(1, 3));
    assert!(by_itself.satisfies(&half));

    let all = space.generalizations(1);
    let known = space.disclosure_set(|other| {
        all.generalisation(other) == all.generalisation(class) && refused(other)
    });
    assert_eq!(known.tables(), 4);
    assert_eq!(known.counts(2), [0, 0, 4, 0, 0]);
    assert_eq!(known.counts(3), [0, 0, 4, 0, 0]);
    assert_eq!(known.posterior(0)[..2], [fraction(1, 2), fraction(1, 2)]);
    assert!(!known.satisfies(&half));
}

#[test]
fn hundreds_of_thousands_of_tables_are_a_few_hundred_classes() {
    let quarters: &[&[u32]] = &[&[0, 1, 2, 3], &[4, 5, 6, 7], &[8, 9, 10, 11]];
    let coarse: &[&[u32]] = &[&[0, 1, 2, 3], &[4, 5, 6, 7, 8, 9, 10, 11]];
    let functions = functions(12, &[quarters, coarse]);
    let space = ContingencyTables::new(&functions, &[3; 4], 1_000).unwrap();
    assert_eq!(space.tables(), 369_600);
    assert_eq!(space.classes(), 415);
    assert_eq!(space.generalizations(0).len(), 415);
    assert_eq!(space.generalizations(1).len(), 31);
}

#[test]
fn exact_counts_go_far_beyond_what_can_be_listed() {
    // Two cells of 30: 60! / 15!⁴ tables, more than 2¹⁰⁰.
    let halves: Vec<u32> = (0..60).map(|person| person / 30).collect();
    let functions = Functions::new(60, [Groups::from_labels(&halves, 2)]).unwrap();
    let space = ContingencyTables::new(&functions, &[15; 4], 10_000).unwrap();
    assert_eq!(space.tables(), openveil_core::table::Worlds::new(&multiset(15)).count().unwrap());
    assert!(space.tables() > 1 << 100);
    let everything = space.disclosure_set(|_| true);
    assert_eq!(everything.posterior(7), vec![fraction(1, 4); 4]);
    assert!(matches!(
        ListedTables::new(&functions, &[15; 4], 10_000),
        Err(Error::BeyondLimit { limit: 10_000, .. })
    ));
}

#[test]
fn values_that_do_not_occur_cost_nothing() {
    let functions = functions(4, &[&[&[0, 1], &[2], &[3]], &[&[0], &[1, 2], &[3]]]);
    let mut counts = vec![0; 300];
    (counts[7], counts[299]) = (2, 2);
    let wide = ContingencyTables::new(&functions, &counts, 100).unwrap();
    let narrow = ContingencyTables::new(&functions, &[2, 2], 100).unwrap();
    assert_eq!((wide.classes(), wide.tables()), (6, 6));
    for function in 0..2 {
        let [wide, narrow] = [&wide, &narrow].map(|space| space.generalizations(function).len());
        assert_eq!((wide, narrow), (4, 4));
    }
}

fn multiset(each: u32) -> Vec<u32> {
    (0..4 * each).map(|person| person % 4).collect()
}

#[test]
fn limits_are_kept_at_the_last_one() {
    let functions = functions(4, &[&[&[0, 1], &[2, 3]]]);
    for counts in [[2, 2, 0], [1, 1, 2]] {
        let tables = ListedTables::new(&functions, &counts, 100).unwrap();
        let count = tables.classes() as u64;
        assert!(ListedTables::new(&functions, &counts, count).is_ok());
        assert!(matches!(
            ListedTables::new(&functions, &counts, count - 1),
            Err(Error::BeyondLimit { what: "tables to be listed", .. })
        ));
        let count = ContingencyTables::new(&functions, &counts, 100).unwrap().classes() as u64;
        assert!(ContingencyTables::new(&functions, &counts, count).is_ok());
        assert!(matches!(
            ContingencyTables::new(&functions, &counts, count - 1),
            Err(Error::BeyondLimit { what: "contingency tables to be listed", .. })
        ));
    }
}

#[test]
fn what_is_no_assignment_is_refused() {
    let functions = functions(4, &[&[&[0, 1], &[2, 3]]]);
    let tables = ListedTables::new(&functions, &[2, 2], 100).unwrap();
    let classes = ContingencyTables::new(&functions, &[2, 2], 100).unwrap();
    for table in [&[0, 0, 1][..], &[0, 0, 0, 1], &[0, 0, 1, 2], &[0, 0, 1, 1, 1], &[1, 1, 1, 1]] {
        assert_eq!(tables.class_of(table), Err(Error::ForeignTable));
        assert_eq!(classes.class_of(table), Err(Error::ForeignTable));
    }
    assert!(matches!(ContingencyTables::new(&functions, &[2, 1], 100), Err(Error::ForeignTable)));
    assert!(matches!(ListedTables::new(&functions, &[2, 1], 100), Err(Error::ForeignTable)));
    let nobody = Functions::new(0, []).unwrap();
    assert!(matches!(ContingencyTables::new(&nobody, &[], 100), Err(Error::EmptyTable)));
}
