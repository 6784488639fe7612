//! The exact conclusions of readers who are informed about a few people.
//!
//! A belief about one person multiplies the weight of every table by a number that depends on the
//! person's value. The beliefs within the bounds form a cone. Its extreme rays weight some set of
//! values by the odds and all others by 1. With all else fixed, anybody's posterior is a projective
//! image of that cone, so it lies in the hull of the posteriors at the extreme rays. Applied to one
//! person after the other, every posterior lies in the hull of the posteriors of *extreme* readers.
//! A convex model that holds for all of these therefore holds for all readers. There are finitely
//! many extreme readers: every choice of people, and of a set of values for each.

use super::verdict::PersonalCriteria;
use openveil_core::Error;
use openveil_core::coins::weights_overflow;
use openveil_core::exact::{Fraction, compare_products, fraction};
use openveil_core::model::{About, CountBuffer, Informed};

/// The largest number of sums of weights that are computed.
const LIMIT: u64 = 1 << 36;

/// The conclusions of the strongest informed readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InformedVerification {
    /// The readers' knowledge.
    pub informed: Informed,
    /// Number of readers that were enumerated: extreme ones, of whom all others are mixtures.
    pub readers: u64,
    /// Number of releases after which some person's posterior, for some reader, violates the model.
    pub unsafe_releases: u64,
    /// The greatest posterior of a protected value, over releases, people and readers.
    pub max_posterior: Fraction,
}

/// One release: the tables that lead to it, each with a weight.
pub(super) struct WeightedTables<'a> {
    pub(super) tables: Vec<(&'a [u32], u128)>,
}

/// All extreme readers.
pub(super) struct ExtremeReaders<'a> {
    informed: Informed,
    people: usize,
    exempt: &'a [bool],
    /// The people about whom a reader is informed, for each choice of them.
    chosen: Vec<Vec<usize>>,
}

impl<'a> ExtremeReaders<'a> {
    /// Returns the readers informed about some of so many people.
    ///
    /// # Errors
    /// [`Error::BeyondLimit`] if there are too many readers for so many releases.
    pub(super) fn new(
        informed: Informed,
        people: usize,
        exempt: &'a [bool],
        releases: usize,
    ) -> Result<Self, Error> {
        let about = match informed.about() {
            About::Few(few) => few as usize,
            About::Everybody => people,
        };
        let readers = Self { informed, people, exempt, chosen: choices(people, about.min(people)) };
        let cells = (exempt.len() as u64).checked_pow(about as u32 + 1);
        let sums = [Some(readers.count()), cells, Some((people * releases) as u64)];
        let work = sums.into_iter().try_fold(1u64, |work, factor| work.checked_mul(factor?));
        match work {
            Some(work) if work <= LIMIT => Ok(readers),
            _ => Err(Error::BeyondLimit {
                what: "weights of informed readers",
                needed: work.map_or("more than 64 bits' worth".to_owned(), |n| n.to_string()),
                limit: LIMIT,
            }),
        }
    }

    /// Returns the number of readers; it saturates.
    pub(super) fn count(&self) -> u64 {
        let about = self.chosen.first().map_or(0, Vec::len);
        let sets = 1u64.checked_shl((about * self.exempt.len()) as u32);
        sets.unwrap_or(u64::MAX).saturating_mul(self.chosen.len() as u64)
    }

    /// Returns the greatest posterior of a protected value for any reader of a release, and whether
    /// somebody's posterior violates the criteria.
    pub(super) fn verdict(
        &self,
        release: &WeightedTables<'_>,
        criteria: &PersonalCriteria,
        tally: &mut CountBuffer,
    ) -> Result<(Fraction, bool), Error> {
        let values = self.exempt.len();
        // A weight, and the total that it is part of.
        let (mut greatest, mut breaks) = ((0u128, 1u128), false);
        let mut mass = vec![0u128; self.people * values];
        for chosen in &self.chosen {
            let joint = self.joint(release, chosen)?;
            let possible = possible(&joint, chosen.len(), values);
            for sets in 0..1u64 << (chosen.len() * values) {
                // Values that a person cannot have after the release do not distinguish readers.
                if sets & !possible != 0 {
                    continue;
                }
                self.posterior(&joint, chosen.len(), sets, &mut mass)?;
                let total: u128 = mass[..values].iter().sum();
                for (person, posterior) in mass.chunks(values).enumerate() {
                    let highest = posterior
                        .iter()
                        .zip(self.exempt)
                        .filter(|(_, exempt)| !**exempt)
                        .map(|(&mass, _)| mass)
                        .max()
                        .unwrap_or(0);
                    if compare_products(&[highest, greatest.1], &[greatest.0, total]).is_gt() {
                        greatest = (highest, total);
                    }
                    breaks = breaks || !criteria.hold(person, posterior, tally);
                }
            }
        }
        Ok((fraction(greatest.0, greatest.1), breaks))
    }

    /// Returns, for every combination of values of the chosen people, the weight of the tables that
    /// have it, by person and value.
    fn joint(
        &self,
        release: &WeightedTables<'_>,
        chosen: &[usize],
    ) -> Result<Vec<Vec<u128>>, Error> {
        let values = self.exempt.len();
        let mut joint = vec![Vec::new(); values.pow(chosen.len() as u32)];
        for &(table, weight) in &release.tables {
            let own = chosen.iter().fold(0, |cell, &person| cell * values + table[person] as usize);
            let mass = &mut joint[own];
            mass.resize(self.people * values, 0u128);
            for (person, &value) in table.iter().enumerate() {
                let place = &mut mass[person * values + value as usize];
                *place = place.checked_add(weight).ok_or_else(weights_overflow)?;
            }
        }
        Ok(joint)
    }

    /// Computes weights by person and value, for the reader with these sets; `sets` are
    /// concatenated.
    fn posterior(
        &self,
        joint: &[Vec<u128>],
        chosen: usize,
        sets: u64,
        posterior: &mut [u128],
    ) -> Result<(), Error> {
        let values = self.exempt.len();
        let (up, down) =
            (u128::from(*self.informed.odds().numer()), u128::from(*self.informed.odds().denom()));
        posterior.fill(0);
        for (cell, mass) in joint.iter().enumerate().filter(|(_, mass)| !mass.is_empty()) {
            let mut factor = 1u128;
            let (mut rest, mut sets) = (cell, sets);
            for _ in 0..chosen {
                let is_likelier = sets >> (rest % values) & 1 == 1;
                factor = factor.saturating_mul(if is_likelier { up } else { down });
                (rest, sets) = (rest / values, sets >> values);
            }
            for (place, &weight) in posterior.iter_mut().zip(mass) {
                let more = weight.checked_mul(factor).ok_or_else(weights_overflow)?;
                *place = place.checked_add(more).ok_or_else(weights_overflow)?;
            }
        }
        Ok(())
    }
}

/// Returns the values that each of the chosen people has in some table, as concatenated sets.
fn possible(joint: &[Vec<u128>], chosen: usize, values: usize) -> u64 {
    let mut possible = 0;
    for (cell, _) in joint.iter().enumerate().filter(|(_, mass)| !mass.is_empty()) {
        let mut rest = cell;
        for place in 0..chosen {
            possible |= 1 << (place * values + rest % values);
            rest /= values;
        }
    }
    possible
}

/// Returns all sets of so many of `people`.
fn choices(people: usize, about: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..about {
        all = all
            .iter()
            .flat_map(|chosen| {
                let first = chosen.last().map_or(0, |&last| last + 1);
                let chosen = chosen.clone();
                (first..people).map(move |next| [&chosen[..], &[next]].concat())
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_all_sets() {
        assert_eq!(choices(4, 2).len(), 6);
        assert_eq!(choices(3, 3), [[0, 1, 2]]);
        assert_eq!(choices(5, 0), [Vec::<usize>::new()]);
    }
    /// Two people, of three values each: the first has 0 or 2, the second 1.
    #[test]
    fn possible_values_are_those_of_some_table() {
        let mut joint = vec![Vec::new(); 9];
        // The last of the chosen changes fastest.
        joint[1] = vec![1];
        joint[2 * 3 + 1] = vec![1];
        assert_eq!(possible(&joint, 2, 3), 0b101_010);
        assert_eq!(possible(&joint[..3], 1, 3), 0b010);
    }
}
