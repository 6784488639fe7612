//! Readers who tell the people of a group apart: what a release adds to their belief.
//!
//! Such a reader has a belief P(value | person) for each person, independent from person to person.
//! The groups' values alone lead to the *product posterior*: the belief, given the values that the
//! people of a group have together. A reader who also knows the algorithm may conclude more. How
//! much more is the *gap*. It is 0 wherever exchanging the values of two people of a group leaves
//! the chance of the release as it was.

use super::enumerate::{AllReleases, TableChance};
use super::mechanism::{Borrowed, Mechanism};
use super::report::{Observation, SeenGroup};
use super::scenario::Scenario;
use openveil_core::Error;
use std::collections::HashMap;

/// What releases tell readers who tell people of a group apart, over all tables of a multiset and
/// all coins. Chances are those of tables that are equally likely before the belief.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Exchanges {
    /// Exchanges of two people of a group with different values, over all releases and the tables
    /// that lead to them …
    pub pairs: u64,
    /// … and how many of these leave the chance of the release exactly as it was.
    pub unchanged: u64,
    /// The same where the release says that no cut above any group was refused.
    pub unrefused: [u64; 2],
    /// The chance that a release has more than one group.
    pub cut: f64,
    /// The chance that some people are in groups above which something was refused; 1 if the
    /// algorithm does not say it.
    pub refused: f64,
    /// The greatest difference between the posterior and the product posterior of a person's value,
    /// on average over people, releases and beliefs.
    pub mean_gap: f64,
    /// The greatest of these differences.
    pub greatest_gap: f64,
    /// The greatest of them where no cut was refused.
    pub unrefused_gap: f64,
    /// By how much the share of people whose value is guessed right grows.
    pub gain: f64,
}

/// The directions that beliefs are enumerated for, in the log-odds of a value: the first value, all
/// values in their order, every other value. All grow with a person's number.
const DIRECTIONS: [fn(f64, u32) -> f64; 3] = [
    |_, value| f64::from(u32::from(value == 0)),
    |most, value| f64::from(value) / most,
    |_, value| f64::from(value % 2),
];

/// Enumerates every table of a scenario, all coins of an algorithm, and readers to whom one value of
/// the last person is likelier than of the first by `odds`. Time and memory as for
/// [`verify`](super::verify), and O(tables · people²) for each release.
///
/// # Errors
/// As for [`verify`](super::verify).
pub fn exchanges(
    mechanism: &(impl Mechanism + ?Sized),
    scenario: &Scenario,
    odds: f64,
) -> Result<Exchanges, Error> {
    let all = AllReleases::gather(&Borrowed(mechanism), scenario)?;
    let people = scenario.table().rows();
    let values = scenario.table().secret().values();
    let most = f64::from(values as u32 - 1).max(1.0);
    let place = |person: usize| person as f64 / (people - 1).max(1) as f64;
    let beliefs = DIRECTIONS.map(|direction| {
        (0..people)
            .map(|person: usize| {
                (0..values as u32)
                    .map(|value| odds.powf(place(person) * direction(most, value)))
                    .collect()
            })
            .collect::<Belief>()
    });
    let mut found = Exchanges::default();
    let mut whole = [0.0; DIRECTIONS.len()];
    let mut sums = Sums::default();
    for (seen, tables) in all.with_tables() {
        let Observation::Membership(groups, unrefused) = seen else {
            continue;
        };
        let is_unrefused = *unrefused as usize == people;
        let chance: f64 = tables.iter().map(|own| own.weight as f64).sum();
        sums.all += chance;
        sums.cut += if groups.len() > 1 { chance } else { 0.0 };
        sums.refused += if is_unrefused { 0.0 } else { chance };
        let [pairs, unchanged] = exchanged(groups, &tables);
        found.pairs += pairs;
        found.unchanged += unchanged;
        if is_unrefused {
            found.unrefused[0] += pairs;
            found.unrefused[1] += unchanged;
        }
        for (belief, whole) in beliefs.iter().zip(&mut whole) {
            let (chance, posterior) = posterior(belief, &tables);
            *whole += chance;
            for group in groups {
                let product = product(belief, group);
                for (person, product) in group.people.iter().zip(product) {
                    let own = &posterior[*person as usize];
                    let gap = own
                        .iter()
                        .zip(&product)
                        .map(|(own, other)| (own - other).abs())
                        .fold(0.0, f64::max);
                    let guess = greatest(&product);
                    sums.gaps += chance * gap;
                    sums.gain += chance * (own[greatest(own)] - own[guess]);
                    found.greatest_gap = found.greatest_gap.max(gap);
                    if is_unrefused {
                        found.unrefused_gap = found.unrefused_gap.max(gap);
                    }
                }
            }
        }
    }
    let asked = whole.iter().sum::<f64>() * people as f64;
    found.cut = sums.cut / sums.all;
    found.refused = sums.refused / sums.all;
    found.mean_gap = sums.gaps / asked;
    found.gain = sums.gain / asked;
    Ok(found)
}

/// For each person, the chance of each value.
type Belief = Vec<Vec<f64>>;

/// Sums, weighted by chances.
#[derive(Default)]
struct Sums {
    all: f64,
    cut: f64,
    refused: f64,
    gaps: f64,
    gain: f64,
}

/// The first of the greatest.
fn greatest(chances: &[f64]) -> usize {
    (1..chances.len()).fold(
        0,
        |best: usize, at: usize| {
            if chances[at] > chances[best] { at } else { best }
        },
    )
}

/// Counts exchanges of two people of a group, and those that leave the chance as it was.
fn exchanged(groups: &[SeenGroup], tables: &[TableChance<'_>]) -> [u64; 2] {
    let weights: HashMap<&[u32], u128> =
        tables.iter().map(|own| (own.values, own.weight)).collect();
    let mut found = [0, 0];
    for own in tables {
        let mut exchanged = own.values.to_vec();
        for group in groups {
            for (number, &one) in group.people.iter().enumerate() {
                for &other in &group.people[number + 1..] {
                    let (one, other) = (one as usize, other as usize);
                    if exchanged[one] == exchanged[other] {
                        continue;
                    }
                    exchanged.swap(one, other);
                    found[0] += 1;
                    found[1] += u64::from(weights.get(&exchanged[..]) == Some(&own.weight));
                    exchanged.swap(one, other);
                }
            }
        }
    }
    found
}

/// The chance of a release to a reader, and that reader's posterior by person.
fn posterior(belief: &Belief, tables: &[TableChance<'_>]) -> (f64, Belief) {
    let mut posterior: Belief = belief.iter().map(|own| vec![0.0; own.len()]).collect();
    let mut whole = 0.0;
    for own in tables {
        let chance: f64 =
            own.values.iter().zip(belief).map(|(&value, own)| own[value as usize]).product();
        let chance = chance * own.weight as f64;
        whole += chance;
        posterior
            .iter_mut()
            .zip(own.values)
            .for_each(|(person, &value)| person[value as usize] += chance);
    }
    posterior.iter_mut().flatten().for_each(|cell| *cell /= whole);
    (whole, posterior)
}

/// The product posterior of the people of a group, over all ways to hand out its values.
fn product(belief: &Belief, group: &SeenGroup) -> Belief {
    let values = belief[0].len();
    let mut handing = Handing {
        belief,
        group,
        left: vec![0; values],
        handed: Vec::new(),
        whole: 0.0,
        sums: vec![vec![0.0; values]; group.people.len()],
    };
    group.values.iter().for_each(|&value| handing.left[value as usize] += 1);
    handing.hand_out(1.0);
    let Handing { whole, mut sums, .. } = handing;
    sums.iter_mut().flatten().for_each(|cell| *cell /= whole);
    sums
}

/// Hands out the values of a group, person after person.
struct Handing<'a> {
    belief: &'a Belief,
    group: &'a SeenGroup,
    left: Vec<u32>,
    handed: Vec<usize>,
    whole: f64,
    sums: Belief,
}

impl Handing<'_> {
    fn hand_out(&mut self, chance: f64) {
        let Some(&person) = self.group.people.get(self.handed.len()) else {
            self.whole += chance;
            for (own, &value) in self.sums.iter_mut().zip(&self.handed) {
                own[value] += chance;
            }
            return;
        };
        for value in 0..self.left.len() {
            if self.left[value] == 0 {
                continue;
            }
            self.left[value] -= 1;
            self.handed.push(value);
            self.hand_out(chance * self.belief[person as usize][value]);
            self.handed.pop();
            self.left[value] += 1;
        }
    }
}
