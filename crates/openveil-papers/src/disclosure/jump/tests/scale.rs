//! Multisets with too many tables to list, or to list quickly.

use super::*;
use crate::disclosure::ListedTables;

/// Returns partitions by positions of people in a row.
fn in_line(people: u32, partitions: &[fn(u32) -> u32]) -> Functions {
    let groups = partitions
        .iter()
        .map(|of| (0..people).map(of).collect())
        .map(|of: Vec<u32>| Groups::from_labels(&of, 3));
    Functions::new(people as usize, groups).unwrap()
}

#[test]
fn twelve_people_are_followed_alike_by_both_engines() {
    let functions = in_line(12, &[|p| p / 4, |p| p / 8, |_| 0]);
    let classes = ContingencyTables::new(&functions, &[3; 4], LIMIT).unwrap();
    let tables = ListedTables::new(&functions, &[3; 4], 369_600).unwrap();
    let third = RatioBound::new(1, 3).unwrap();
    for strategy in [Strategy::Naive, Strategy::Jump(vec![1, 2, 1])] {
        let plan = plan(&functions, strategy);
        let counted = evaluate(&classes, &third, &plan).unwrap();
        let listed = evaluate(&tables, &third, &plan).unwrap();
        assert_eq!(counted.released_tables(&classes), listed.released_tables(&tables));
        for table in (0..tables.classes()).step_by(997) {
            let class = classes.class_of(&tables.example(table)).unwrap();
            assert_eq!(counted.outcome(class), listed.outcome(table));
        }
    }
}

/// 24! / 6!⁴ tables: six cells of four people, six people for each value.
#[test]
fn twenty_four_people_are_followed() {
    let functions = in_line(24, &[|p| p / 8, |p| (p + 4) % 24 / 8, |p| p / 12]);
    assert_eq!(functions.cells(), 6);
    let space = ContingencyTables::new(&functions, &[6; 4], 10_000_000).unwrap();
    assert_eq!(space.classes(), 7_100_821);
    let found = evaluate(&space, &half(), &jump(&functions, &[1, 2, 1])).unwrap();
    let tables = found.released_tables(&space);
    assert_eq!(tables.iter().sum::<u128>(), 2_308_743_493_056);
    // An independent count: no value occurs more than four times in a group of eight.
    assert_eq!(tables[0], 2_130_565_080_000);
}
