//! Requested functions, instead of runs.

use super::*;
use openveil_core::algorithm::Function;
use openveil_core::exact::Rational;
use openveil_core::model::{CountBuffer, GroundDistance, Requirement, TCloseness};

/// A model that distinguishes values.
fn half() -> TCloseness {
    TCloseness { t: Rational::new(1, 2), ground: GroundDistance::Equal }
}

fn function(levels: &[(&str, u32)]) -> Function {
    Function(levels.iter().map(|&(name, level)| (name.to_owned(), level)).collect())
}

/// Returns trials with a block of eight, by functions.
fn by(functions: &[&[(&str, u32)]]) -> Trials {
    Trials {
        functions: functions.iter().map(|levels| function(levels)).collect(),
        ..Trials::default()
    }
}

fn sizes(groups: &Groups) -> Vec<usize> {
    let mut sizes: Vec<usize> = groups.iter().map(<[u32]>::len).collect();
    sizes.sort_unstable();
    sizes
}

/// Eight people of four values: by level 1 (pairs of ages), level 2 (fours), or all.
#[test]
fn the_finest_function_that_may_be_released_is() {
    let ages = [0, 1, 2, 3, 4, 5, 6, 7];
    let cuts = by(&[&[("q0", 1)], &[("q0", 2)]]);
    for (values, expected) in [
        ([1, 2, 3, 4, 1, 2, 3, 4], vec![2; 4]),
        ([1, 1, 2, 2, 3, 3, 4, 4], vec![4, 4]),
        ([1, 1, 1, 1, 2, 3, 4, 5], vec![8]),
    ] {
        let table = table(&[&ages], &values, &[]);
        let found = groups(&table, &model(2), (&cuts, BlockDisclosure::Naive), 1).unwrap();
        assert_eq!(sizes(&found), expected, "{values:?}");
    }
}

/// Functions with groups below the least size, or with too many tables, are left out; both depend
/// on sizes alone.
#[test]
fn functions_that_cannot_be_used_are_left_out() {
    let ages = [0, 0, 0, 1, 2, 2, 3, 3];
    let table = table(&[&ages], &[1, 2, 3, 4, 5, 6, 7, 8], &[]);
    // The one person of age 1 is alone.
    let alone = by(&[&[("q0", 0)], &[("q0", 1)]]);
    let found = groups(&table, &model(2), (&alone, BlockDisclosure::Safe), 1).unwrap();
    assert_eq!(sizes(&found), [4, 4]);
    let many: Vec<u32> = (0..16).collect();
    let ages: Vec<u32> = many.iter().map(|person| person / 2).collect();
    let table = super::table(&[&ages], &many.iter().map(|&p| p % 10).collect::<Vec<_>>(), &[]);
    // Eight pairs of sixteen people have 81,729,648,000 tables; two groups of eight have 12,870.
    let pairs = Trials { block: 16, ..by(&[&[("q0", 0)], &[("q0", 2)]]) };
    let found = groups(&table, &model(2), (&pairs, BlockDisclosure::Safe), 1).unwrap();
    assert_eq!(sizes(&found), [8, 8]);
}

#[test]
fn a_level_that_a_column_does_not_have_is_refused() {
    let table = table(&[&[0, 1, 2, 3]], &[1, 2, 1, 2], &[]);
    let refused = groups(&table, &model(2), (&by(&[&[("q0", 9)]]), BlockDisclosure::Safe), 1);
    let error = Error::NoSuchLevel { column: "q0".to_owned(), level: 9, highest: 4 };
    assert_eq!(refused, Err(error));
    // A column of another table divides nothing.
    let other = by(&[&[("elsewhere", 1)]]);
    let found = groups(&table, &model(2), (&other, BlockDisclosure::Safe), 1).unwrap();
    assert_eq!(found.len(), 1);
}

/// The largest blocks, of people who all differ and of two frequent values: numbers of tables and
/// their costs do not overflow, whatever the values are. Larger blocks are refused.
#[test]
fn blocks_have_as_many_people_as_can_be_counted() {
    let rows = 0..64u32;
    let ages: Vec<u32> = rows.clone().map(|row| row % 10).collect();
    let labels = (0..64).map(|value| value.to_string());
    let largest = Trials { block: Trials::MOST_PEOPLE, ..by(&[&[("q0", 1)], &[("q0", 2)]]) };
    for values in [rows.clone().collect::<Vec<u32>>(), rows.clone().map(|row| row % 2).collect()] {
        let column = Column::new("q0", ages.clone(), Domain::integers(0..10));
        let table = View::new(vec![column], Secret::new("s", values, labels.clone())).unwrap();
        for disclosure in DISCLOSURES {
            let found = groups(&table, &model(2), (&largest, disclosure), 1).unwrap();
            assert_eq!(found.check_partition(64), Ok(()));
        }
        let larger = Trials { block: Trials::MOST_PEOPLE + 1, ..largest.clone() };
        let refused = groups(&table, &model(2), (&larger, BlockDisclosure::Safe), 1);
        assert!(matches!(refused, Err(Error::BlockTooLarge { limit: 32, .. })), "{refused:?}");
        // It is also refused before any work is done.
        let settings = Settings { trials: larger, ..Settings::default() };
        assert!(Safe.check_with(&table, &model(2), &settings).is_err());
    }
}

/// A vector refers to the requested functions, even if some are left out.
#[test]
fn distances_belong_to_the_functions_asked_for() {
    let labels = [vec![0, 0, 0, 1], vec![0, 0, 1, 1]];
    let found = BlockFunctions::of_labels(&labels, 4, 2);
    assert_eq!((found.len(), found.number(0), found.number(1)), (2, 1, 2));
}

proptest! {
    /// With any functions and model, eligible tables are published in groups that satisfy it.
    #[test]
    fn every_eligible_table_is_published_by_functions(
        people in prop::collection::vec((0u32..10, 0u32..3, 0u32..8), 4..40),
        levels in prop::collection::vec((0u32..4, 0u32..4), 1..4),
        size in 2usize..12, l in 2u32..4, seed: u64, own_names: bool,
    ) {
        let column = |part: fn(&(u32, u32, u32)) -> u32| people.iter().map(part).collect::<Vec<_>>();
        let (age, zip, values) = (column(|p| p.0), column(|p| p.1), column(|p| p.2));
        let table = table(&[&age, &zip], &values, &[]);
        let model: Model = if own_names { Requirement::Closeness(half()).into() } else { model(l) };
        prop_assume!(Safe.check(&table, &model).is_ok());
        let mut trials = by(&[]);
        trials.block = size;
        trials.functions = levels.iter().map(|&(age, zip)| function(&[("q0", age), ("q1", zip)])).collect();
        for disclosure in DISCLOSURES.into_iter().chain([BlockDisclosure::JumpBy(vec![1, 2])]) {
            let groups = groups(&table, &model, (&trials, disclosure), seed).unwrap();
            prop_assert_eq!(groups.check_partition(people.len()), Ok(()));
            let criteria = model.bind(&table).unwrap();
            for rows in groups.iter() {
                let codes = rows.iter().map(|&row| values[row as usize]);
                prop_assert!(criteria.hold_on_group(&CountBuffer::default().of_codes(codes)));
            }
        }
    }
}
