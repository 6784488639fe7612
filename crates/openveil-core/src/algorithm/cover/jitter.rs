//! *Jitter*: people are arranged by blurred positions, so that a person's place in a group says
//! less about how the group came about (`proof.md`).

use crate::algorithm::Jitter;
use crate::coins::Coins;
use crate::exact::{Fraction, fraction};
use crate::table::{Column, Groups, View};
use num_traits::One;
use std::collections::HashSet;

/// The most steps of the noise's scale: wider columns are blurred in coarser steps.
const MOST_STEPS: u128 = 16;

/// The scale of the noise is counted in this many parts of a step.
const PARTS: u32 = 16;

/// Odds beyond e to this power are no useful bound.
const MOST_LOGARITHM: f64 = 50.0;

/// Pairs are compared in groups of up to this many people. In larger groups the cells are compared.
const PAIRED: usize = 64;

/// The noise on one column: k steps up or down with a probability proportional to θ^|k|, for θ =
/// scale / (scale + 16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Noise {
    /// Codes per step.
    step: u32,
    /// In parts of a step.
    scale: u32,
}

impl Noise {
    /// Half the jitter's share of the standard deviation of a column's codes; `None` on a constant
    /// column. Computed in integers, so that nothing depends on the order of rows.
    fn of(column: &Column, jitter: Jitter) -> Option<Self> {
        let codes = column.codes().iter().map(|&code| u128::from(code));
        let (mut sum, mut squares) = (0u128, 0u128);
        for code in codes {
            sum += code;
            squares += code * code;
        }
        let rows = column.codes().len() as u128;
        let variance = (rows * squares).saturating_sub(sum * sum);
        let wanted = u128::from(PARTS * jitter.hundredths());
        let parts = variance.saturating_mul(wanted * wanted).isqrt();
        let parts = parts.div_ceil(200 * rows);
        if parts == 0 {
            return None;
        }
        let step = parts.div_ceil(MOST_STEPS * u128::from(PARTS));
        Some(Self {
            step: u32::try_from(step).unwrap_or(u32::MAX),
            scale: u32::try_from(parts.div_ceil(step)).expect("at most 256"),
        })
    }

    /// The blurred place of a code. Each end of the domain stands for all places beyond it.
    fn blurred(self, code: u32, last: u32, coins: &mut dyn Coins) -> u32 {
        let (place, last) = (code / self.step, last / self.step);
        // 8 / (scale + 8) = (1 − θ) / (1 + θ)
        if coins.below(self.scale + PARTS / 2) < PARTS / 2 {
            return place * self.step;
        }
        let mut steps = 1;
        while steps < last && coins.below(self.scale + PARTS) < self.scale {
            steps += 1;
        }
        let moved = match coins.below(2) {
            0 => place.saturating_sub(steps),
            _ => place.saturating_add(steps).min(last),
        };
        moved * self.step
    }

    /// How many steps apart two codes are.
    fn apart(self, a: u32, b: u32) -> u32 {
        (a / self.step).abs_diff(b / self.step)
    }
}

/// Returns the table with everybody's blurred positions in place of the known columns. Tosses
/// O(rows · columns · scale) coins on average; the scale is at most 16.
pub fn blurred(table: &View, jitter: Jitter, coins: &mut dyn Coins) -> View {
    let columns = table.known().iter().map(|column| {
        let Some(noise) = Noise::of(column, jitter) else {
            return column.clone();
        };
        let last = column.domain().len() as u32 - 1;
        let codes = column.codes().iter();
        let codes = codes
            .map(|&code| noise.blurred(code, last, coins))
            .collect();
        column.clone().with_codes(codes)
    });
    let columns = columns.collect();
    let blurred = table.clone().with_known(columns);
    blurred.expect("the same rows, with codes of the same domains")
}

/// Returns an upper bound on the factor by which the groups of a release are likelier than if two
/// people of one group had exchanged their places in it: the product of (1/θ)² for each step
/// between the two on each column. `None` if it is too large to be of use.
///
/// A function of the groups and of quasi-identifiers. O(rows · largest group · columns), and
/// O(rows · columns) for groups of more than 64.
pub fn greatest_odds(table: &View, groups: &Groups, jitter: Jitter) -> Option<Fraction> {
    let mut noise_of_row: Vec<u32> = vec![0; table.rows()];
    let mut noises: Vec<Vec<Option<Noise>>> = Vec::new();
    for stratum in table.strata() {
        let part = stratum.view(table);
        let columns = part.known().iter();
        for position in 0..part.rows() as u32 {
            noise_of_row[stratum.row(position) as usize] = noises.len() as u32;
        }
        noises.push(columns.map(|column| Noise::of(column, jitter)).collect());
    }
    let mut seen: HashSet<(u32, Vec<u32>)> = HashSet::new();
    for group in groups.iter() {
        let number = noise_of_row[group[0] as usize];
        let noises = &noises[number as usize];
        let steps = |a: &dyn Fn(&Column) -> u32, b: &dyn Fn(&Column) -> u32| {
            let columns = table.known().iter().zip(noises);
            let steps = columns
                .map(|(column, noise)| noise.map_or(0, |noise| noise.apart(a(column), b(column))));
            steps.collect::<Vec<u32>>()
        };
        if group.len() > PAIRED {
            let codes = |column: &Column| {
                group
                    .iter()
                    .map(|&row| column.codes()[row as usize])
                    .collect::<Vec<u32>>()
            };
            let low = |column: &Column| codes(column).into_iter().min().expect("people");
            let high = |column: &Column| codes(column).into_iter().max().expect("people");
            seen.insert((number, steps(&low, &high)));
            continue;
        }
        for (at, &a) in group.iter().enumerate() {
            for &b in &group[at + 1..] {
                let of = |row: u32| move |column: &Column| column.codes()[row as usize];
                seen.insert((number, steps(&of(a), &of(b))));
            }
        }
    }
    let odds = seen.iter().map(|(number, steps)| {
        let noises = &noises[*number as usize];
        odds(noises, steps)
    });
    let odds: Option<Vec<Fraction>> = odds.collect();
    odds?.into_iter().max().or_else(|| Some(Fraction::one()))
}

/// The odds of this many steps on each column.
fn odds(noises: &[Option<Noise>], steps: &[u32]) -> Option<Fraction> {
    let mut logarithm = 0.0;
    let mut product = Fraction::one();
    for (noise, &steps) in noises.iter().zip(steps) {
        let Some(noise) = noise else { continue };
        let one = f64::from(noise.scale + PARTS) / f64::from(noise.scale);
        logarithm += 2.0 * f64::from(steps) * one.ln();
        if logarithm > MOST_LOGARITHM {
            return None;
        }
        let one = fraction((noise.scale + PARTS).into(), noise.scale.into());
        product *= num_traits::pow(one, 2 * steps as usize);
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::cover::cover;
    use crate::algorithm::{Inside, Settings};
    use crate::coins::distribution;
    use crate::model::l_diversity;
    use crate::table::{Domain, Secret, Worlds};
    use num_traits::Zero;
    use std::collections::BTreeMap;

    const LAST: u32 = 3;

    /// The chances of every place, over all coins.
    fn chances(noise: Noise, code: u32) -> Vec<Fraction> {
        let blurred = |coins: &mut dyn Coins| Ok(noise.blurred(code, LAST, coins));
        let found = distribution(10_000_000, blurred).unwrap();
        (0..=LAST).map(|place| found.probability(&place)).collect()
    }

    fn power(base: &Fraction, exponent: u32) -> Fraction {
        num_traits::pow(base.clone(), exponent as usize)
    }

    #[test]
    fn noise_falls_by_the_same_part_with_every_step() {
        let noise = Noise { step: 1, scale: 4 };
        let one = fraction(20, 4);
        let all: Vec<Vec<Fraction>> = (0..=LAST).map(|code| chances(noise, code)).collect();
        for (x, of_x) in (0u32..).zip(&all) {
            assert_eq!(of_x.iter().sum::<Fraction>(), Fraction::one());
            for (y, of_y) in (0u32..).zip(&all) {
                let most = power(&one, x.abs_diff(y));
                let mut pairs = of_x.iter().zip(of_y);
                assert!(pairs.all(|(a, b)| *a <= b * &most), "{x} {y}");
            }
        }
        // (1 − θ) / (1 + θ) for no step, and θ of it for one.
        assert_eq!(all[1][1], fraction(2, 3));
        assert_eq!(all[1][2], fraction(2, 15));
    }

    #[test]
    fn wide_columns_are_blurred_in_coarse_steps() {
        let codes = (0..1_000).map(|row| row * 10).collect();
        let column = Column::new("wage", codes, Domain::integers(0..10_000));
        let noise = Noise::of(&column, Jitter::of_hundredths(50).unwrap()).unwrap();
        // A fourth of a standard deviation of 2,887.
        assert_eq!(noise.step, 46);
        assert_eq!(noise.scale, 252);
        let constant = Column::new("sex", vec![1; 5], Domain::integers(0..2));
        assert_eq!(
            Noise::of(&constant, Jitter::of_hundredths(50).unwrap()),
            None
        );
    }

    fn four(values: &[u32]) -> View {
        let column = Column::new("rank", (0..=LAST).collect(), Domain::integers(0..4));
        View::new(
            vec![column],
            Secret::new("ill", values.to_vec(), ["a", "b"]),
        )
        .unwrap()
    }

    /// The chance of every grouping of a table, over all noise and all coins.
    fn groupings(table: &View, noise: Option<Noise>) -> BTreeMap<Vec<Vec<u32>>, Fraction> {
        let criteria = l_diversity(2).unwrap().bind(table).unwrap();
        let codes = table.known()[0].codes();
        let of_code = |&code: &u32| match noise {
            Some(noise) => chances(noise, code),
            None => (0..=LAST)
                .map(|place| fraction(u128::from(place == code), 1))
                .collect(),
        };
        let noisy: Vec<Vec<Fraction>> = codes.iter().map(of_code).collect();
        let mut found: BTreeMap<Vec<Vec<u32>>, Fraction> = BTreeMap::new();
        for number in 0..4u32.pow(4) {
            let places: Vec<u32> = (0..4).map(|row| number / 4u32.pow(row) % 4).collect();
            let weights = places.iter().zip(&noisy);
            let weight: Fraction = weights
                .map(|(&place, of)| of[place as usize].clone())
                .product();
            if weight.is_zero() {
                continue;
            }
            let column = table.known()[0].clone().with_codes(places);
            let moved = table.clone().with_known(vec![column]).unwrap();
            let settings = Settings::default();
            let all = distribution(1_000_000, |coins| {
                Ok(cover(&moved, &criteria, &settings, coins)?.sorted())
            });
            let all = all.unwrap();
            for (groups, count) in all.outcomes() {
                let groups: Vec<Vec<u32>> = groups.iter().map(<[u32]>::to_vec).collect();
                let chance = &weight * fraction(*count, all.total());
                *found.entry(groups).or_insert_with(Fraction::zero) += chance;
            }
        }
        found
    }

    /// READERS, A7: over every table of four people, all noise and all coins. Returns the bound
    /// times the least chance that two people of a group leave to their exchange.
    fn least_left(noise: Option<Noise>) -> Fraction {
        let bound = Noise { step: 1, scale: 4 };
        let mut worlds = Worlds::of(&[0, 0, 1, 1]);
        let mut least: Option<Fraction> = None;
        while let Some(world) = worlds.next_world() {
            let table = four(world);
            let here = groupings(&table, noise);
            for (x, y) in (0..4).flat_map(|x| (0..x).map(move |y| (x, y))) {
                let mut exchanged = world.to_vec();
                exchanged.swap(x, y);
                if exchanged == world {
                    continue;
                }
                let there = groupings(&four(&exchanged), noise);
                let most = odds(&[Some(bound)], &[x.abs_diff(y) as u32]).unwrap();
                let together = here.iter().filter(|(groups, _)| {
                    let mut groups = groups.iter();
                    groups.any(|group| group.contains(&(x as u32)) && group.contains(&(y as u32)))
                });
                for (groups, chance) in together {
                    let other = there.get(groups).cloned().unwrap_or_else(Fraction::zero);
                    let left = other * &most / chance;
                    least = Some(least.map_or(left.clone(), |least| least.min(left)));
                }
            }
        }
        least.unwrap()
    }

    #[test]
    fn exchanges_inside_a_group_stay_possible() {
        let least = least_left(Some(Noise { step: 1, scale: 4 }));
        assert!(least >= Fraction::one(), "{least}");
        // Without noise, the groups can disclose who has which value.
        assert!(least_left(None) < Fraction::one());
    }

    #[test]
    fn the_greatest_odds_are_those_of_the_most_distant_pair() {
        let table = four(&[0, 1, 0, 1]);
        let jitter = Jitter::of_hundredths(200).unwrap();
        let noise = Noise::of(&table.known()[0], jitter).unwrap();
        let groups = |groups: [[u32; 2]; 2]| groups.into_iter().collect::<Groups>();
        let near = greatest_odds(&table, &groups([[0, 1], [2, 3]]), jitter).unwrap();
        let far = greatest_odds(&table, &groups([[0, 3], [1, 2]]), jitter).unwrap();
        assert_eq!(near, odds(&[Some(noise)], &[1]).unwrap());
        assert_eq!(far, odds(&[Some(noise)], &[3]).unwrap());
        assert!(near < far);
        // So little noise that the bound is of no use.
        let little = Noise { step: 1, scale: 1 };
        assert_eq!(odds(&[Some(little)], &[20]), None);
    }

    /// Coarse steps act on places of several codes as fine steps act on codes.
    #[test]
    fn coarse_steps_fall_as_fine_ones_do() {
        let (fine, coarse) = (Noise { step: 1, scale: 4 }, Noise { step: 3, scale: 4 });
        for code in 0..12 {
            let blurred = |coins: &mut dyn Coins| Ok(coarse.blurred(code, 11, coins));
            let found = distribution(10_000_000, blurred).unwrap();
            for (place, chance) in (0..).zip(chances(fine, code / 3)) {
                assert_eq!(found.probability(&(3 * place)), chance, "{code} to {place}");
            }
        }
        assert_eq!(
            (coarse.apart(2, 10), coarse.apart(10, 2), coarse.apart(3, 5)),
            (3, 3, 0)
        );
    }

    #[test]
    fn odds_multiply_over_steps_and_columns() {
        let (little, much) = (Noise { step: 1, scale: 4 }, Noise { step: 5, scale: 16 });
        let noises = [Some(little), None, Some(much)];
        // 20/4 for each step, twice; 32/16 likewise.
        assert_eq!(odds(&noises, &[1, 9, 2]), Some(fraction(25 * 16, 1)));
        assert_eq!(odds(&noises, &[0, 9, 0]), Some(Fraction::one()));
        // 2 · 15 · ln 5 = 48.3 is below the limit of 50; one more step is above it.
        assert_eq!(odds(&noises, &[15, 0, 0]), Some(power(&fraction(5, 1), 30)));
        assert_eq!(odds(&noises, &[16, 0, 0]), None);
        assert_eq!(odds(&noises, &[15, 0, 2]), None);
    }

    /// Large groups are compared by their cell, whose extremes may come from different people.
    #[test]
    fn large_groups_have_the_odds_of_their_cells() {
        let jitter = Jitter::of_hundredths(1_000).unwrap();
        // Three people, each with the greatest code of one of three columns: no pair has all three.
        let rows = PAIRED + 1;
        let codes = |greatest: usize| {
            (0..rows)
                .map(|row| u32::from(row == greatest) * 2)
                .collect()
        };
        let known = (1..4).map(|greatest| {
            Column::new(
                format!("c{greatest}"),
                codes(greatest),
                Domain::integers(0..3),
            )
        });
        let ills = (0..rows as u32).map(|row| row % 2).collect();
        let table = View::new(known.collect(), Secret::new("ill", ills, ["a", "b"])).unwrap();
        let noises: Vec<Option<Noise>> = table
            .known()
            .iter()
            .map(|own| Noise::of(own, jitter))
            .collect();
        let of = |people: u32| {
            let others = (people..rows as u32).map(|row| vec![row]);
            let groups = std::iter::once((0..people).collect::<Vec<u32>>()).chain(others);
            greatest_odds(&table, &groups.collect(), jitter)
        };
        assert_eq!(of(PAIRED as u32), odds(&noises, &[2, 2, 0]));
        assert_eq!(of(PAIRED as u32 + 1), odds(&noises, &[2, 2, 2]));
    }

    #[test]
    fn groups_of_blurred_people_keep_the_model() {
        let values: Vec<u32> = (0..60).map(|row| row / 3 % 2).collect();
        let column = Column::new("age", (0..60).collect(), Domain::integers(0..60));
        let table = View::new(vec![column], Secret::new("ill", values, ["a", "b"])).unwrap();
        let model = l_diversity(2).unwrap();
        let settings = Settings {
            inside: Inside::Jittered(Jitter::of_hundredths(100).unwrap()),
            ..Settings::default()
        };
        let groups = |seed| {
            let mut coins = crate::coins::SecretCoins::from_test_seed(seed);
            cover(&table, &model.bind(&table).unwrap(), &settings, &mut coins).unwrap()
        };
        let spread = |groups: &Groups| -> u32 {
            groups
                .iter()
                .map(|g| g.iter().max().unwrap() - g.iter().min().unwrap())
                .sum()
        };
        let value = |row: u32| table.secret().codes()[row as usize];
        let is_pair = |group: &[u32]| group.len() == 2 && value(group[0]) != value(group[1]);
        assert!(groups(1).iter().all(is_pair));
        let exact = Settings::default();
        let mut coins = crate::coins::SecretCoins::from_test_seed(1);
        let plain = cover(&table, &model.bind(&table).unwrap(), &exact, &mut coins).unwrap();
        assert!(spread(&groups(1)) > spread(&plain));
    }
}
