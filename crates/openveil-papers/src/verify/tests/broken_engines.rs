//! Engines that each violate one condition of the cover algorithm, beside the same engine with the
//! condition: the checker has to tell them apart.

use super::*;
use crate::algorithm::Cover;
use crate::algorithm::cover::decompose;
use openveil_core::Error;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::{Coins, shuffle};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::table::{Groups, View};
use std::collections::BTreeMap;

/// Row numbers, which are the ranks of the only quasi-identifier.
type Rows = Vec<u32>;

/// Returns the rows of each value, ascending.
fn by_value(table: &View) -> Vec<Rows> {
    let mut rows = vec![Rows::new(); table.secret().values()];
    for (row, &value) in (0..).zip(table.secret().codes()) {
        rows[value as usize].push(row);
    }
    rows
}

/// Makes groups: group g takes the g-th row of every slot.
fn zip(slots: &[Rows]) -> Groups {
    let groups = 0..slots[0].len();
    groups.map(|group| slots.iter().map(|slot| slot[group]).collect::<Rows>()).collect()
}

/// Checks a broken engine, after which somebody's value is certain, and its sound counterpart, on
/// one multiset.
fn assert_leak(broken: &impl Mechanism, sound: &(impl Mechanism + ?Sized), scenario: &Scenario) {
    let found = verify(sound, scenario).unwrap();
    assert_eq!(found.counterexample, None);
    let found = verify(broken, scenario).unwrap();
    assert!(found.unsafe_releases > 0 && found.certain_tables > 0);
    assert_eq!(found.counterexample.unwrap().posterior, fraction(1, 1));
}

/// Takes the larger l if its groups are no wider than allowed.
fn l_by_cost(table: &View, _: &Model, coins: &mut dyn Coins) -> Result<Groups, Error> {
    let wide = Cover.partition(table, &RatioDiversity::new(3)?.into(), coins)?;
    let extent = |rows: &[u32]| rows.iter().max().unwrap() - rows.iter().min().unwrap();
    if wide.iter().map(extent).sum::<u32>() <= 5 {
        return Ok(wide);
    }
    Cover.partition(table, &RatioDiversity::new(2)?.into(), coins)
}

/// Breaks: "l, decomposition, algorithm … depend on QIs, parameters, the
/// histogram and independent coins only".
#[test]
fn choosing_l_by_the_cost_of_the_deal_leaks() {
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2);
    assert_leak(&l_by_cost, &Cover as &dyn Algorithm, &scenario);
}

/// Cuts all slots at one position: where the quasi-identifier passes the middle row in the first
/// slot (`whose` = 1), or in whichever slot passes it first (all of them).
fn cut_at_boundary(
    slots: &mut [Rows],
    whose: usize,
    coins: &mut dyn Coins,
    groups: &mut Vec<Rows>,
) {
    let size = slots[0].len();
    let mut all: Rows = slots.concat();
    all.sort_unstable();
    let middle = all[all.len() / 2];
    let boundary = |slot: &Rows| slot.iter().filter(|&&row| row < middle).count();
    let cut = slots[..whose].iter().map(boundary).min().unwrap();
    if cut == 0 || cut == size {
        slots.iter_mut().for_each(|slot| shuffle(slot, coins));
        groups.extend(zip(slots).iter().map(<[u32]>::to_vec));
        return;
    }
    let mut upper: Vec<Rows> = slots.iter_mut().map(|slot| slot.split_off(cut)).collect();
    cut_at_boundary(slots, whose, coins, groups);
    cut_at_boundary(&mut upper, whose, coins, groups);
}

/// Breaks: "'first' and 'last' mean minimum and maximum over all slots of the
/// bucket", with slots in the order of their values.
#[test]
fn the_boundary_of_the_first_slot_leaks() {
    let engine = |all: bool| {
        move |table: &View, _: &Model, coins: &mut dyn Coins| {
            let mut slots = by_value(table);
            let whose = if all { slots.len() } else { 1 };
            let mut groups = Vec::new();
            cut_at_boundary(&mut slots, whose, coins, &mut groups);
            Ok(groups.into_iter().collect::<Groups>())
        }
    };
    let scenario = scenario(&[1, 1, 1, 2, 2, 2], 2);
    assert_leak(&engine(false), &engine(true), &scenario);
}

/// Breaks: "keeps equal-valued slots apart". Two slots of an exempt value are sorted as one; their
/// rows then lie closer together than the rows of the protected value.
#[test]
fn merging_slots_of_equal_value_leaks() {
    let engine = |merged: bool| {
        move |table: &View, _: &Model, coins: &mut dyn Coins| {
            let [mut exempt, protected] = by_value(table).try_into().unwrap();
            if merged {
                let pairs = exempt.chunks(2).zip(&protected);
                return Ok(pairs.map(|(two, &one)| [two[0], two[1], one]).collect());
            }
            shuffle(&mut exempt, coins);
            let mut slots = [exempt[..2].to_vec(), exempt[2..].to_vec(), protected];
            slots.iter_mut().for_each(|slot| slot.sort_unstable());
            Ok(zip(&slots))
        }
    };
    let scenario = scenario(&[0, 0, 0, 0, 1, 1], 3).with_exempt(vec![true, false]);
    assert_leak(&engine(true), &engine(false), &scenario);
}

/// Breaks: "never moves a row to another slot or bucket". The remaining rows join the nearest
/// group, instead of one drawn by coins.
#[test]
fn left_overs_in_the_nearest_group_leak() {
    let engine = |nearest: bool| {
        move |table: &View, _: &Model, coins: &mut dyn Coins| {
            let [mut first, second, left] = by_value(table).try_into().unwrap();
            shuffle(&mut first, coins);
            let mut pairs: Vec<Rows> = zip(&[first, second]).iter().map(<[u32]>::to_vec).collect();
            let distance = |pair: &Rows| pair.iter().map(|row| row.abs_diff(left[0])).min();
            let joined = if nearest {
                (0..2).min_by_key(|&pair| distance(&pairs[pair])).unwrap()
            } else {
                coins.below(2) as usize
            };
            pairs[joined].push(left[0]);
            Ok(pairs.into_iter().collect::<Groups>())
        }
    };
    let scenario = scenario(&[1, 1, 2, 2, 3], 2);
    assert_leak(&engine(true), &engine(false), &scenario);
}

/// Breaks: "arrange gets slots and rows in an order set by coins, never file order". The assignment
/// itself takes rows in file order.
#[test]
fn dealing_in_file_order_leaks() {
    let engine = |shuffled: bool| {
        move |table: &View, model: &Model, coins: &mut dyn Coins| {
            let mut rows = by_value(table);
            if shuffled {
                rows.iter_mut().for_each(|rows| shuffle(rows, coins));
            }
            let mut next: Vec<_> = rows.into_iter().map(Vec::into_iter).collect();
            let exempt = table.secret().exempt();
            let mut groups = Groups::with_capacity(table.rows(), 0);
            let found = decompose(&table.histogram(), exempt, None, model.ratio().unwrap())?;
            let line: Vec<u32> = found
                .line()
                .flat_map(|(value, count)| vec![value; count as usize])
                .by_ref()
                .collect();
            for unit in found.units() {
                for group in 0..unit.groups {
                    let places = unit.columns.iter().map(|start| line[(start + group) as usize]);
                    groups.push(places.map(|value| next[value as usize].next().unwrap()));
                }
            }
            Ok(groups)
        }
    };
    let scenario = scenario(&[1, 1, 2, 2, 3, 3], 2);
    assert_leak(&engine(false), &engine(true), &scenario);
}

/// Returns the greatest posterior for a reader who sees the groups *in their order*, which the
/// model checker's readers do not. It enumerates all tables and all coins itself.
fn worst_in_order(
    engine: impl Fn(&View, &mut dyn Coins) -> Vec<Rows>,
    scenario: &Scenario,
) -> Fraction {
    // Release -> (weight, weight by person and value).
    type Visibility = BTreeMap<Vec<(Rows, Vec<u32>)>, (Fraction, BTreeMap<(usize, u32), Fraction>)>;
    let mut seen = Visibility::new();
    let mut worlds = scenario.worlds();
    while let Some(world) = worlds.next_world() {
        let table = scenario.world(world).unwrap();
        let releases = distribution(PATH_LIMIT, |coins| Ok(engine(&table, coins))).unwrap();
        for (groups, weight) in releases.outcomes() {
            let released = groups.iter().map(|group| {
                let mut people = group.clone();
                people.sort_unstable();
                let mut values: Vec<u32> = group.iter().map(|&row| world[row as usize]).collect();
                values.sort_unstable();
                (people, values)
            });
            let share = fraction(*weight, releases.total());
            let (total, known) = seen.entry(released.collect()).or_default();
            *total += &share;
            for (person, &value) in world.iter().enumerate() {
                *known.entry((person, value)).or_default() += &share;
            }
        }
    }
    let posteriors =
        seen.values().flat_map(|(total, known)| known.values().map(move |w| w / total));
    posteriors.max().unwrap()
}

/// Breaks: "groups are sorted by released content before they are numbered". Coins make pairs,
/// numbered by their rows in the first slot.
#[test]
fn numbering_groups_in_the_order_of_a_slot_leaks() {
    let pairs = |table: &View, coins: &mut dyn Coins| -> Vec<Rows> {
        let mut slots = by_value(table);
        shuffle(&mut slots[1], coins);
        zip(&slots).iter().map(<[u32]>::to_vec).collect()
    };
    let by_content = move |table: &View, coins: &mut dyn Coins| {
        let mut groups = pairs(table, coins);
        groups.sort_by_key(|group| group.iter().min().copied());
        groups
    };
    let scenario = scenario(&[1, 1, 1, 2, 2, 2], 2);
    assert_eq!(worst_in_order(by_content, &scenario), fraction(1, 2));
    assert_eq!(worst_in_order(pairs, &scenario), fraction(1, 1));
}

/// Makes groups of one row from each of some columns, with the rows of each value in random order:
/// a column takes the next rows of its values.
fn dealt(table: &View, columns: &[&[(u32, usize)]], coins: &mut dyn Coins) -> Vec<Rows> {
    let mut rows = by_value(table);
    rows.iter_mut().for_each(|rows| shuffle(rows, coins));
    let mut next: Vec<_> = rows.into_iter().map(Vec::into_iter).collect();
    let column = |parts: &&[(u32, usize)]| {
        parts
            .iter()
            .flat_map(|&(value, count)| next[value as usize].by_ref().take(count).collect::<Rows>())
            .collect()
    };
    columns.iter().map(column).collect()
}

/// Breaks: "within a unit no protected value lies in two columns". There are two controls. In one,
/// the value is in two columns of a unit that is not cut, with other values beside it. In the
/// other, it fills one column and a part of another.
#[test]
fn a_value_in_two_columns_of_a_unit_leaks() {
    let engine = |columns: &'static [&'static [(u32, usize)]]| {
        move |table: &View, _: &Model, coins: &mut dyn Coins| {
            let mut columns = dealt(table, columns, coins);
            columns.iter_mut().for_each(|column| column.sort_unstable());
            Ok(zip(&columns))
        }
    };
    let sound = engine(&[&[(0, 2), (1, 1)], &[(2, 2), (3, 1)]]);
    let straddling = engine(&[&[(2, 2), (0, 1)], &[(0, 1), (1, 1), (3, 1)]]);
    assert_leak(&straddling, &sound, &scenario(&[1, 1, 2, 3, 3, 4], 2));
    let sound = engine(&[&[(0, 3)], &[(1, 2), (2, 1)]]);
    let filling = engine(&[&[(0, 2), (1, 1)], &[(0, 1), (1, 1), (2, 1)]]);
    assert_leak(&filling, &sound, &scenario(&[1, 1, 1, 2, 2, 3], 2));
}

/// Breaks: "columns are arranged without regard to the order of values in them". Group g takes the
/// g-th row of the first column, value after value, and the nearest row of each other column.
#[test]
fn columns_that_are_not_shuffled_across_values_leak() {
    let engine = |shuffled: bool| {
        move |table: &View, _: &Model, coins: &mut dyn Coins| {
            let mut columns = dealt(table, &[&[(0, 2), (1, 1)], &[(2, 2), (3, 1)]], coins);
            // Which column is taken as the first discloses nothing by itself.
            shuffle(&mut columns, coins);
            if shuffled {
                columns.iter_mut().for_each(|column| shuffle(column, coins));
            }
            let [first, mut second] = columns.try_into().unwrap();
            Ok(first
                .into_iter()
                .map(|row| {
                    let nearest = (0..second.len()).min_by_key(|&at| second[at].abs_diff(row));
                    vec![row, second.remove(nearest.expect("as many"))]
                })
                .collect::<Groups>())
        }
    };
    let scenario = scenario(&[1, 1, 2, 3, 3, 4], 2);
    let found = verify(&engine(true), &scenario).unwrap();
    assert_eq!(found.counterexample, None);
    let found = verify(&engine(false), &scenario).unwrap();
    assert!(found.unsafe_releases > 0, "{found:?}");
}
