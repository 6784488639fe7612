//! Conditions on groups: no strategy releases a group that may not be published.

use super::super::Strategy;
use super::*;
use crate::disclosure::{ListedTables, Predicate};
use proptest::prelude::*;

/// No share above a half in posteriors; groups need a number of rows, and a number of rows with
/// value 0.
struct Conditions {
    size: u128,
    zeros: u128,
}

impl Predicate for Conditions {
    fn holds(&self, counts: &[u128]) -> bool {
        half().holds(counts)
    }

    fn admits_group(&self, counts: &[u128]) -> bool {
        counts.iter().sum::<u128>() >= self.size && counts[0] >= self.zeros
    }
}

fn plans(functions: &Functions) -> [JumpPlan; 3] {
    let ones = vec![1; functions.partitions().len()];
    [Strategy::Naive, Strategy::Safe, Strategy::Jump(ones)].map(|s| plan(functions, s))
}

#[test]
fn singletons_stay_unpublished() {
    let functions = functions(4, &[&[&[0], &[1], &[2], &[3]], &[&[0, 1], &[2, 3]]]);
    let space = ContingencyTables::new(&functions, &[1, 1, 1, 1], LIMIT).unwrap();
    let k = Conditions { size: 2, zeros: 0 };
    // Here p holds on any posterior, so only the conditions on groups decide.
    struct SizeOnly(Conditions);
    impl Predicate for SizeOnly {
        fn holds(&self, _: &[u128]) -> bool {
            true
        }
        fn admits_group(&self, counts: &[u128]) -> bool {
            self.0.admits_group(counts)
        }
    }
    let k = SizeOnly(k);
    for plan in plans(&functions) {
        let found = evaluate(&space, &k, &plan).unwrap();
        assert_eq!(found.released_tables(&space), [0, 24, 0], "{plan:?}");
        let reader = PlanReader::new(&space, &k, &[plan]).unwrap();
        assert!(reader.releases(&k).are_safe());
    }
    // A reader's verdict does not rely on the strategy.
    let free = |_: &[u128]| true;
    let careless = plan(&functions, Strategy::Naive);
    let reader = PlanReader::new(&space, &free, &[careless]).unwrap();
    assert_eq!(reader.releases(&k).unsafe_cases, 24);
}

proptest! {
    /// Checks group by group, on either engine.
    #[test]
    fn all_released_groups_are_admitted(
        labels in prop::collection::vec(prop::collection::vec(0u32..3, 6), 1..4),
        counts in prop::sample::select(vec![vec![2, 2, 2], vec![3, 2, 1], vec![2, 1, 1, 1, 1]]),
        (size, zeros) in (1u128..4, 0u128..2),
    ) {
        let groups = labels.iter().map(|labels| {
            let of = |label| (0..6).filter(move |&person| labels[person as usize] == label);
            (0..3).filter(|&label| labels.contains(&label)).map(of).collect::<Groups>()
        });
        let functions = Functions::new(6, groups).unwrap();
        let conditions = Conditions { size, zeros };
        let classes = ContingencyTables::new(&functions, &counts, LIMIT).unwrap();
        let tables = ListedTables::new(&functions, &counts, LIMIT).unwrap();
        for plan in plans(&functions) {
            let found = evaluate(&classes, &conditions, &plan).unwrap();
            let listed = evaluate(&tables, &conditions, &plan).unwrap();
            prop_assert_eq!(found.released_tables(&classes), listed.released_tables(&tables));
            for table in 0..tables.classes() {
                let values = tables.example(table);
                let Some(function) = listed.released_function(table) else { continue };
                for people in functions.partitions()[function].iter() {
                    let is_zero = |&&person: &&u32| values[person as usize] == 0;
                    let held = people.iter().filter(is_zero).count() as u128;
                    prop_assert!(people.len() as u128 >= size && held >= zeros);
                }
            }
        }
    }
}
