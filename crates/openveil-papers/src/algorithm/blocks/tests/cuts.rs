//! Tests of where cuts put people.

use super::order::CuttingOrder;
use super::*;
use crate::verify::Mechanism;
use openveil_core::coins::{PATH_LIMIT, distribution};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::release::{Content, Style, publish};
use openveil_core::table::Worlds;

fn columns(codes: &[&[u32]]) -> Vec<Column> {
    table(codes, &vec![0; codes[0].len()], &[]).known().to_vec()
}

#[test]
fn cuts_take_off_what_can_be_halved_on() {
    let cut = |people, block| {
        let cut = BlockCut::new(people, block);
        (cut.at, cut.even)
    };
    assert_eq!(cut(16, 8), (8, true));
    assert_eq!(cut(64, 8), (32, true));
    assert_eq!(cut(24, 8), (8, false));
    assert_eq!(cut(31, 8), (8, false));
    assert_eq!(cut(10, 8), (5, true));
    assert_eq!(cut(15, 8), (7, false));
    assert_eq!(cut(1_000_000, 8), (1 << 19 >> 1, false));
    for people in 9..5_000 {
        let BlockCut { at, even } = BlockCut::new(people, 8);
        assert!(4 * at > people && 2 * at <= people && even == (2 * at == people));
        assert!(people < 16 || at % 8 == 0 && (at / 8).is_power_of_two());
    }
}

/// Everybody is in the first part of an uneven cut with the same chance, whoever they are, and
/// whether or not they look alike.
#[test]
fn an_uneven_cut_treats_everybody_alike() {
    for codes in [[0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 2, 2], [3; 7]] {
        let columns = columns(&[&codes]);
        let order = CuttingOrder::new(&columns);
        for at in 1..=3 {
            let firsts = distribution(PATH_LIMIT, |coins| {
                let mut people = order.people::<2>(7);
                order.cut_anywhere(&mut people, at, coins);
                let mut rows: Vec<u32> = people.iter().map(|person| person.row).collect();
                rows[..at].sort_unstable();
                let first = rows[..at].to_vec();
                rows.sort_unstable();
                assert_eq!(rows, [0, 1, 2, 3, 4, 5, 6]);
                Ok(first)
            })
            .unwrap();
            for row in 0..7 {
                let weight = firsts
                    .outcomes()
                    .iter()
                    .filter(|(rows, _)| rows.contains(&row))
                    .map(|(_, weight)| weight)
                    .sum();
                assert_eq!(fraction(weight, firsts.total()), fraction(at as u128, 7));
            }
        }
    }
}

/// The run continues from the last person to the first, and nobody else is in it.
#[test]
fn an_uneven_cut_is_a_run() {
    let columns = columns(&[&[4, 0, 3, 1, 2]]);
    let order = CuttingOrder::new(&columns);
    let firsts = distribution(PATH_LIMIT, |coins| {
        let mut people = order.people::<2>(5);
        order.cut_anywhere(&mut people, 2, coins);
        let mut ages: Vec<u32> = people[..2]
            .iter()
            .map(|person| person.row)
            .map(|row| columns[0].codes()[row as usize])
            .collect();
        ages.sort_unstable();
        Ok(ages)
    });
    let firsts: Vec<Vec<u32>> = firsts.unwrap().outcomes().iter().map(|o| o.0.clone()).collect();
    assert_eq!(firsts, [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]]);
}

proptest! {
    /// An even cut takes the lower half along the widest column; coins are used only for people who
    /// look like people of the other half.
    #[test]
    fn an_even_cut_takes_the_lower_half(
        people in prop::collection::vec((0u32..10, 0u32..5), 2..40), seed: u64,
    ) {
        let (age, zip): (Vec<u32>, Vec<u32>) = people.iter().copied().unzip();
        let columns = columns(&[&age, &zip]);
        let order = CuttingOrder::new(&columns);
        let spread = |codes: &[u32]| codes.iter().max().unwrap() - codes.iter().min().unwrap();
        let widest = if spread(&age) >= spread(&zip) { &age } else { &zip };
        let mut cut = order.people::<2>(people.len());
        let at = people.len() / 2;
        order.cut(&mut cut, at, &mut SecretCoins::from_test_seed(seed));
        let code = |place: usize| widest[cut[place].row as usize];
        let lower = (0..at).map(code).max().unwrap_or(0);
        let upper = (at..people.len()).map(code).min().unwrap();
        prop_assert!(lower <= upper);
    }
}

/// Returns the probability of each release.
fn released(table: &View) -> HashMap<Content, Fraction> {
    let (criteria, trials) = (model(2).bind(table).unwrap(), by_size(2));
    let blocks = Blocks::new(&criteria, &trials, BlockDisclosure::Jump).unwrap();
    let mechanism = |table: &View, _: &Model, coins: &mut dyn Coins| blocks.partition(table, coins);
    let groups = mechanism.distribution(table, &model(2), PATH_LIMIT, &Memory::default()).unwrap();
    let mut found: HashMap<Content, Fraction> = HashMap::new();
    for (partition, weight) in groups.outcomes() {
        let release = publish(table, partition, Style::Anatomy).0;
        *found.entry(release).or_default() += fraction(*weight, groups.total());
    }
    found
}

/// Rows often arrive sorted by the sensitive value: the file's order must not matter, not even
/// among people who look alike.
#[test]
fn the_order_of_rows_does_not_matter() {
    let people = [(0, 3, 0), (0, 3, 1), (2, 2, 0), (2, 2, 2), (0, 3, 4), (5, 1, 3)];
    let in_order = |order: &[u32]| {
        let column = |value: fn((u32, u32, u32)) -> u32| {
            order.iter().map(|&row| value(people[row as usize])).collect::<Vec<u32>>()
        };
        table(&[&column(|p| p.0), &column(|p| p.1)], &column(|p| p.2), &[])
    };
    let expected = released(&in_order(&[0, 1, 2, 3, 4, 5]));
    assert!(expected.len() > 1);
    let mut orders = Worlds::new(&[0, 1, 2, 3, 4, 5]);
    while let Some(order) = orders.next_world() {
        assert_eq!(released(&in_order(order)), expected, "{order:?}");
    }
}
