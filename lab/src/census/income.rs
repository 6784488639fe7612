//! Incomes of the people of the census.

use super::people::{BAND_YEARS, CensusRow, hump};
use super::{AGES, BLOCK, EDUCATIONS, GENDERS, INCOMES, stream};
use crate::alias::Alias;
use rayon::prelude::*;

/// Separates the random numbers of incomes from those of people, so that the people are equal with
/// and without incomes.
const OWN_COINS: u64 = 0x696e_636f_6d65_0000;

/// Returns the class of income of each person, 0 the lowest. Equal seeds give equal incomes.
/// O(people), in parallel.
pub(super) fn incomes(people: &[CensusRow], seed: u64) -> Vec<u32> {
    let bands = (AGES.end() - AGES.start() + 1).div_ceil(BAND_YEARS);
    let classes: Vec<Alias> = (0..bands)
        .flat_map(|band| (0..GENDERS).map(move |gender| (band, gender)))
        .flat_map(|(band, gender)| (0..EDUCATIONS).map(move |level| (band, gender, level)))
        .map(|(band, gender, level)| Alias::new(&weights(band, gender, level)))
        .collect();
    let of_block = |(block, people): (usize, &[CensusRow])| {
        let mut generator = stream(seed ^ OWN_COINS, block as u64);
        let draw = |person: &CensusRow| {
            let band = u32::from(person.age) / BAND_YEARS;
            let like = band * GENDERS + u32::from(person.gender);
            let like = like * EDUCATIONS + u32::from(person.education);
            classes[like as usize].draw(&mut generator)
        };
        people.iter().map(draw).collect::<Vec<u32>>()
    };
    people.par_chunks(BLOCK).enumerate().flat_map_iter(of_block).collect()
}

/// Returns the weights of incomes: a hump that rises with education and until the fifties, and is
/// lower for the first gender; a few people have any income.
fn weights(band: u32, gender: u32, level: u32) -> Vec<f64> {
    let learned = f64::from(level) / f64::from(EDUCATIONS - 1);
    let career = hump(f64::from(band), 3.5, 2.5);
    let gap = if gender == 0 { -5.0 } else { 0.0 };
    let centre = 9.0 + 22.0 * learned + 11.0 * career + gap;
    let weight = |class| hump(f64::from(class), centre, 9.0) + 0.04;
    (0..INCOMES).map(weight).collect()
}
