//! A generated census in the shape of the census in the Privacy Streamliner paper: age (79 values),
//! gender (2), education (17), birthplace (57), and occupation (50, sensitive) or, instead of it,
//! income (50 classes). It has any number of rows.
//!
//! No one in it exists. Education depends on age and birthplace, and occupation on education, age
//! and gender. Four people in five were born in one place. No occupation has more than 9 % of the
//! rows, so a table of some size is eligible up to l = 10. Income depends on education, age and
//! gender, and is eligible up to the same l.

mod csv;
mod income;
mod people;

pub use csv::write_csv;
pub use people::CensusRow;

use openveil_core::table::{Column, Domain, Secret, View};
use people::CensusDistributions;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rayon::prelude::*;

/// The youngest and the oldest age.
pub const AGES: std::ops::RangeInclusive<u32> = 17..=95;
/// Number of genders.
pub const GENDERS: u32 = 2;
/// Number of levels of education, the lowest first.
pub const EDUCATIONS: u32 = 17;
/// Number of birthplaces, the most frequent first.
pub const BIRTHPLACES: u32 = 57;
/// Number of occupations.
pub const OCCUPATIONS: u32 = 50;

/// Number of classes of income, the lowest first.
pub const INCOMES: u32 = 50;

/// The number of people drawn from one stream of random numbers, so that blocks are independent of
/// each other and of their number.
const BLOCK: usize = 1 << 16;

/// Returns `rows` people as a table of codes. Equal seeds give equal people, and a smaller table is
/// the beginning of a larger one.
///
/// O(rows), in parallel.
///
/// # Panics
/// If `rows` is 0 or more than a table can hold.
pub fn census(rows: usize, seed: u64) -> View {
    table(rows, seed, None)
}

/// Like [`census()`], but with 30 people of the first gender to 70 of the second.
///
/// # Panics
/// As for [`census()`].
pub fn skewed(rows: usize, seed: u64) -> View {
    table(rows, seed, Some(30))
}

/// Returns the people of [`skewed()`] with their income as the sensitive column.
///
/// # Panics
/// As for [`census()`].
pub fn skewed_incomes(rows: usize, seed: u64) -> View {
    let people = people(rows, seed, Some(30));
    let labels = (0..INCOMES as u8).map(|code| csv::label("inc", code));
    let incomes = Secret::new("income", income::incomes(&people, seed), labels);
    view(&people, incomes)
}

fn table(rows: usize, seed: u64, first_gender: Option<u32>) -> View {
    let people = people(rows, seed, first_gender);
    let occupations = Secret::new(
        "occupation",
        codes(&people, |person| person.occupation),
        (0..OCCUPATIONS as u8).map(|code| csv::label("occ", code)),
    );
    view(&people, occupations)
}

fn people(rows: usize, seed: u64, first_gender: Option<u32>) -> Vec<CensusRow> {
    blocks(0, rows, seed, first_gender).flat_map_iter(|people| people).collect()
}

fn codes(people: &[CensusRow], of: fn(&CensusRow) -> u8) -> Vec<u32> {
    people.iter().map(|person| u32::from(of(person))).collect()
}

/// Returns a view of the people's quasi-identifiers and a sensitive column.
fn view(people: &[CensusRow], secret: Secret) -> View {
    let column = |of: fn(&CensusRow) -> u8| codes(people, of);
    let quasi_identifiers = vec![
        Column::new("age", column(|person| person.age), Domain::integers(AGES.map(i64::from))),
        Column::new(
            "gender",
            column(|person| person.gender),
            Domain::unordered((0..GENDERS as u8).map(csv::gender)),
        ),
        Column::new(
            "education",
            column(|person| person.education),
            Domain::ordered((0..EDUCATIONS as u8).map(|code| csv::label("edu", code))),
        ),
        Column::new(
            "birthplace",
            column(|person| person.birthplace),
            Domain::unordered((0..BIRTHPLACES as u8).map(|code| csv::label("bp", code))),
        ),
    ];
    View::new(quasi_identifiers, secret).expect("the codes lie in their domains")
}

/// Returns the blocks of people from a block number on, `rows` people in all.
fn blocks(
    first: usize,
    rows: usize,
    seed: u64,
    first_gender: Option<u32>,
) -> impl IndexedParallelIterator<Item = Vec<CensusRow>> {
    let population = CensusDistributions::new(first_gender);
    (0..rows.div_ceil(BLOCK)).into_par_iter().map(move |block| {
        let mut generator = stream(seed, (first + block) as u64);
        let people = BLOCK.min(rows - block * BLOCK);
        (0..people).map(|_| population.draw(&mut generator)).collect()
    })
}

/// Returns the generator of a block.
fn stream(seed: u64, block: u64) -> StdRng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&block.to_le_bytes());
    StdRng::from_seed(key)
}

#[cfg(test)]
mod tests;
