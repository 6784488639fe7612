//! Rows that share their value, and a reader who knows which: every multiset of up to seven rows in
//! ties of one to three rows, all assignments, all coins.

use super::*;
use crate::algorithm::{Cover, RdaSecondStage};
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Halving, Settings};
use openveil_core::exact::{Fraction, fraction};
use openveil_core::model::{Counts, DistinctDiversity, Model, Requirement};
use openveil_core::table::{Column, Domain, Groups, Secret, View, histograms};
use openveil_core::ties::Ties;
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;

const LIMIT: u64 = 2_000_000;

/// A release as its reader sees it: the rows and the values of each group.
type Seen = Vec<(Vec<u32>, Vec<u32>)>;

/// Returns all distinct orders of some values.
fn orders(values: &[u32]) -> BTreeSet<Vec<u32>> {
    if values.is_empty() {
        return BTreeSet::from([Vec::new()]);
    }
    let with_first = |first: usize| {
        let mut others = values.to_vec();
        let own = others.remove(first);
        orders(&others).into_iter().map(move |mut order| {
            order.insert(0, own);
            order
        })
    };
    (0..values.len()).flat_map(with_first).collect()
}

/// Ties in classes: for sizes 1, 2, 3, the values of their ties.
struct Classes([Vec<u32>; 3]);

impl Classes {
    /// Returns the tie of each row.
    fn ties(&self) -> Ties {
        let sizes = (1..).zip(&self.0).flat_map(|(size, own)| vec![size; own.len()]);
        let rows = (0u32..).zip(sizes).flat_map(|(tie, size)| vec![tie; size]);
        Ties::new(rows.collect())
    }

    /// Returns all assignments in which every class keeps its values: by tie.
    fn worlds(&self) -> Vec<Vec<u32>> {
        let [one, two, three] = self.0.each_ref().map(|values| orders(values));
        let mut worlds = Vec::new();
        for a in &one {
            for b in &two {
                worlds.extend(three.iter().map(|c| [&a[..], b, c].concat()));
            }
        }
        worlds
    }
}

fn view(ties: &Ties, world: &[u32]) -> View {
    let values = ties.of_row().iter().map(|&tie| world[tie as usize]);
    let n = ties.of_row().len() as u32;
    let codes: Vec<u32> = (0..n).map(|row| row * 3 % n).collect();
    let known = Column::new("q", codes, Domain::integers(0..i64::from(n)));
    let secret = Secret::new("s", values.collect(), ["a", "b", "c", "d", "e", "f", "g"]);
    View::new(vec![known], secret).unwrap()
}

/// Returns the posteriors of a reader who knows the ties, by observation: for every tie, the
/// probabilities of possible values.
fn posteriors(
    classes: &Classes,
    publish: impl Fn(&View, &Ties, &mut dyn Coins) -> Result<Groups, Error>,
) -> Result<HashMap<Seen, Vec<HashMap<u32, Fraction>>>, Error> {
    let ties = classes.ties();
    let mut weights: HashMap<Seen, Vec<HashMap<u32, Fraction>>> = HashMap::new();
    for world in classes.worlds() {
        let view = view(&ties, &world);
        let made = distribution(LIMIT, |coins| Ok(publish(&view, &ties, coins)?.sorted()))?;
        for (groups, weight) in made.outcomes() {
            let seen = groups.iter().map(|rows| {
                let mut values: Vec<u32> =
                    rows.iter().map(|&row| view.secret().codes()[row as usize]).collect();
                values.sort_unstable();
                (rows.to_vec(), values)
            });
            let own =
                weights.entry(seen.collect()).or_insert_with(|| vec![HashMap::new(); world.len()]);
            for (chances, &value) in own.iter_mut().zip(&world) {
                let zero = || fraction(0, 1);
                *chances.entry(value).or_insert_with(zero) += fraction(*weight, made.total());
            }
        }
    }
    for chances in weights.values_mut().flatten() {
        let all: Fraction = chances.values().cloned().sum();
        chances.values_mut().for_each(|own| *own = &*own / &all);
    }
    Ok(weights)
}

/// Returns every family of classes with at most so many rows.
fn families(most: u32) -> Vec<Classes> {
    let mut all = Vec::new();
    let values = |counts: &[u32]| -> Vec<u32> {
        (0u32..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]).collect()
    };
    for ones in 0..=most {
        for twos in 0..=(most - ones) / 2 {
            for threes in 0..=(most - ones - 2 * twos) / 3 {
                for one in histograms(ones) {
                    for two in histograms(twos) {
                        let three = histograms(threes);
                        let three = three.iter();
                        all.extend(
                            three.map(|three| Classes([values(&one), values(&two), values(three)])),
                        );
                    }
                }
            }
        }
    }
    all.retain(|classes| classes.0.iter().any(|values| !values.is_empty()));
    all
}

#[test]
fn the_model_holds_on_every_ties_posterior_in_every_small_table() {
    let (mut checked, mut finer) = (0, 0);
    for model in [
        Model::from(RatioDiversity::new(2).unwrap()),
        Model::from(RatioDiversity::new(3).unwrap()),
        Model::from(Requirement::Distinct(DistinctDiversity { l: 2 })),
    ] {
        let engines: [(&dyn Algorithm, u32); 2] = [(&Halving, 7), (&RdaSecondStage, 6)];
        for (engine, classes) in engines
            .into_iter()
            .flat_map(|(engine, most)| families(most).into_iter().map(move |own| (engine, own)))
        {
            let settings =
                Settings { smallest_group: Some(NonZeroU32::MIN), ..Settings::default() };
            let publish = |view: &View, ties: &Ties, coins: &mut dyn Coins| {
                ties.tables(view).groups(&model, engine, &settings, coins)
            };
            let Ok(found) = posteriors(&classes, publish) else {
                continue; // some size allows no release
            };
            let ties = classes.ties();
            let criteria = model.bind(&view(&ties, &classes.worlds()[0])).unwrap();
            for (seen, chances) in found {
                for chances in chances {
                    let weights: Vec<(u32, u128)> = scaled(&chances);
                    let counts = Counts::new(&weights);
                    assert!(criteria.hold_on_posterior(&counts), "{model} {seen:?}");
                }
                let sizes = classes.0.iter().filter(|values| !values.is_empty());
                finer += u32::from(seen.len() > sizes.count());
            }
            checked += 1;
        }
    }
    assert!(checked > 100 && finer > 100, "{checked} {finer}");
}

/// Returns probabilities as whole numbers in the same proportions, values ascending.
fn scaled(chances: &HashMap<u32, Fraction>) -> Vec<(u32, u128)> {
    let all: u128 = chances
        .values()
        .map(|chance| u128::try_from(chance.denom().clone()).expect("small numbers"))
        .product();
    let mut weights: Vec<(u32, u128)> = chances
        .iter()
        .map(|(&value, chance)| {
            let weight = chance * fraction(all, 1);
            (value, u128::try_from(weight.to_integer()).expect("small numbers"))
        })
        .collect();
    weights.sort_unstable();
    weights
}

/// The control: assigning rows one by one, although they are tied, makes values certain.
#[test]
fn rows_dealt_one_by_one_give_ties_away() {
    let model = Model::from(RatioDiversity::new(2).unwrap());
    let classes = Classes([Vec::new(), vec![0, 1, 2], Vec::new()]);
    let publish =
        |view: &View, _: &Ties, coins: &mut dyn Coins| Cover.partition(view, &model, coins);
    let found = posteriors(&classes, publish).unwrap();
    let certain = |chances: &HashMap<u32, Fraction>| chances.len() == 1;
    assert!(found.values().flatten().any(certain));
}
