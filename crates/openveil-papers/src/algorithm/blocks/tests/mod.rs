mod cuts;
mod decisions;
mod functions;

use super::divide::BlockCut;
use super::*;
use openveil_core::coins::SecretCoins;
use openveil_core::model::{Model, l_diversity};
use openveil_core::table::{Column, Domain, Secret};
use proptest::prelude::*;

const DISCLOSURES: [BlockDisclosure; 3] =
    [BlockDisclosure::Naive, BlockDisclosure::Safe, BlockDisclosure::Jump];

fn model(l: u32) -> Model {
    l_diversity(l).unwrap()
}

/// Returns trials with blocks of so many people, by runs.
fn by_size(size: usize) -> Trials {
    Trials { block: size, ..Trials::default() }
}

/// Returns the groups of a table, with coins of a seed.
fn groups(
    table: &View,
    model: &Model,
    (trials, disclosure): (&Trials, BlockDisclosure),
    seed: u64,
) -> Result<Groups, Error> {
    let criteria = model.bind(table)?;
    let blocks = Blocks::new(&criteria, trials, disclosure)?;
    blocks.partition(table, &mut SecretCoins::from_test_seed(seed))
}

/// Returns people with codes below 10 in every quasi-identifier and values below 10.
fn table(columns: &[&[u32]], values: &[u32], exempt: &[u32]) -> View {
    let columns = columns.iter().enumerate().map(|(index, codes)| {
        let name = format!("q{index}");
        Column::new(name, codes.to_vec(), Domain::integers(0..10))
    });
    let labels = (0..10).map(|value| value.to_string());
    let flags = (0..10).map(|value| exempt.contains(&value)).collect();
    let sensitive = Secret::new("s", values.to_vec(), labels).with_exempt(flags);
    View::new(columns.collect(), sensitive).unwrap()
}

/// Returns whether a group has each protected value in at most one of l rows.
fn is_diverse(table: &View, rows: &[u32], l: usize) -> bool {
    let (codes, exempt) = (table.secret().codes(), table.secret().exempt());
    rows.len() >= l
        && rows.iter().all(|&row| {
            let own = codes[row as usize];
            let same = rows.iter().filter(|&&other| codes[other as usize] == own);
            exempt[own as usize] || same.count() * l <= rows.len()
        })
}

proptest! {
    /// Every eligible table is published, in diverse groups.
    #[test]
    fn every_eligible_table_is_published(
        people in prop::collection::vec((0u32..10, 0u32..3, 0u32..8), 2..70),
        columns in 0usize..3, l in 2u32..5, size in 1usize..9, exempt: bool, seed: u64,
    ) {
        let column = |part: fn(&(u32, u32, u32)) -> u32| people.iter().map(part).collect::<Vec<_>>();
        let (age, zip, values) = (column(|p| p.0), column(|p| p.1), column(|p| p.2));
        let exempt: &[u32] = if exempt { &[0] } else { &[] };
        let table = table(&[&age[..], &zip][..columns], &values, exempt);
        prop_assume!(Safe.check(&table, &model(l)).is_ok());
        for disclosure in DISCLOSURES.into_iter().chain([BlockDisclosure::JumpBy(vec![1, 2])]) {
            let groups = groups(&table, &model(l), (&by_size(size), disclosure), seed).unwrap();
            prop_assert_eq!(groups.check_partition(people.len()), Ok(()));
            prop_assert!(groups.iter().all(|rows| is_diverse(&table, rows, l as usize)));
        }
    }
}

/// All values differ: every block is published in pairs.
#[test]
fn groups_are_as_fine_and_as_close_as_values_allow() {
    let rows = 0..64u32;
    let ages: Vec<u32> = rows.clone().map(|row| row / 8).collect();
    let values: Vec<u32> = rows.map(|row| row % 8).collect();
    let table = table(&[&ages], &values, &[]);
    for disclosure in DISCLOSURES {
        let trials = Trials::default();
        let groups = groups(&table, &model(2), (&trials, disclosure), 1).unwrap();
        assert_eq!(groups.len(), 32);
        let close = |rows: &[u32]| rows.len() == 2 && rows[0] / 8 == rows[1] / 8;
        assert!(groups.iter().all(close));
    }
}

/// Two people of four share a value; halves that hold both are refused.
#[test]
fn a_refused_cut_leaves_one_group() {
    let ages = [0, 1, 2, 3];
    for (values, expected) in [([1, 1, 2, 3], 1), ([1, 2, 1, 3], 2)] {
        let table = table(&[&ages], &values, &[]);
        let found = groups(&table, &model(2), (&by_size(2), BlockDisclosure::Safe), 1).unwrap();
        assert_eq!(found.len(), expected);
    }
}

#[test]
fn what_cannot_be_examined_is_refused_whatever_the_values() {
    let check = |size: usize, l: u32, table: &View| {
        let (criteria, trials) = (model(l).bind(table).unwrap(), by_size(size));
        let blocks = Blocks::new(&criteria, &trials, BlockDisclosure::Jump).unwrap();
        blocks.check(table)
    };
    for values in [[1; 4], [1, 1, 2, 2], [1, 2, 3, 4]] {
        let table = table(&[&[0, 1, 2, 3]], &values, &[]);
        let (size, least, limit) = (12, 2, 9);
        let refused = Err(Error::BlockTooLarge { size, least, limit });
        assert_eq!(check(12, 2, &table), refused);
    }
    let table = table(&[&[0, 1, 2, 3]], &[1, 2, 3, 4], &[]);
    assert_eq!(check(9, 2, &table), Ok(()));
    // With fewer functions, larger blocks are possible.
    let six = [0, 1, 2, 3, 4, 5];
    let six = super::tests::table(&[&six], &six, &[]);
    assert_eq!(check(12, 6, &six), Ok(()));
    assert!(matches!(check(8, 5, &table), Err(Error::Ineligible(_))));
    let (criteria, trials) = (model(2).bind(&table).unwrap(), Trials::default());
    let vector = BlockDisclosure::JumpBy(vec![1, 0]);
    let refused = Blocks::new(&criteria, &trials, vector).map(|_| ());
    assert_eq!(refused, Err(PlanError::ZeroJump { step: 2 }.into()));
}
