//! Finds which classes look alike under a function.

use super::compositions::Compositions;
use super::functions::Functions;
use super::space::Generalizations;
use openveil_core::Error;
use openveil_core::table::Groups;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Numbers the distinct generalisations of all classes.
///
/// The counts of all groups are the digits of one number in a mixed radix. It is linear in the
/// cells' counts, so every composition contributes one summand.
pub(super) fn generalize_all(
    functions: &Functions,
    groups: &Groups,
    cells: &[&Compositions],
    classes: &[u16],
    multiset: &[u32],
) -> Result<Generalizations, Error> {
    let places = places(functions, groups, multiset)?;
    let summands: Vec<Vec<u128>> = cells
        .iter()
        .zip(&places)
        .map(|(cell, places)| {
            (0..cell.len())
                .map(|index| {
                    cell.counts(index)
                        .iter()
                        .zip(places)
                        .map(|(&c, place)| u128::from(c) * place)
                        .sum()
                })
                .collect()
        })
        .collect();
    let mut numbers: HashMap<u128, u32, BuildHasherDefault<Mixer>> = HashMap::default();
    let of = classes
        .chunks_exact(cells.len())
        .map(|class| {
            let key: u128 =
                class.iter().zip(&summands).map(|(&index, cell)| cell[index as usize]).sum();
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        })
        .collect();
    Ok(Generalizations::new(of, numbers.len()))
}

/// Returns the place value of every value's digit, by cell; cells of one group share them.
///
/// The last value follows from a group's size, and the last group from the multiset, so neither
/// needs digits.
fn places(
    functions: &Functions,
    groups: &Groups,
    multiset: &[u32],
) -> Result<Vec<Vec<u128>>, Error> {
    let mut places = vec![vec![0; multiset.len()]; functions.cells()];
    let mut next = Some(1u128);
    for people in groups.iter().take(groups.len().saturating_sub(1)) {
        let mut of_group = vec![0; multiset.len()];
        for (place, &most) in of_group.iter_mut().zip(&multiset[..multiset.len() - 1]) {
            *place = next.ok_or_else(|| beyond_128_bits("bits of a generalisation"))?;
            let digits = u128::from(most).min(people.len() as u128) + 1;
            next = place.checked_mul(digits);
        }
        for &person in people {
            let cell = functions.cell_of()[person as usize] as usize;
            places[cell].clone_from(&of_group);
        }
    }
    Ok(places)
}

/// A hasher for keys that this module makes itself. It need not resist attacks, and is used for
/// millions of look-ups.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u128(byte.into()));
    }

    fn write_u128(&mut self, key: u128) {
        // The fractional bits of the golden ratio; the product is folded so that its high bits
        // affect the low ones.
        const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15;
        for half in [key as u64, (key >> 64) as u64] {
            let product = u128::from(self.0 ^ half) * GOLDEN;
            self.0 = (product as u64) ^ ((product >> 64) as u64);
        }
    }
}

/// Returns the error for exact numbers that need more than 128 bits.
pub(super) fn beyond_128_bits(what: &'static str) -> Error {
    Error::BeyondLimit { what, needed: "more than 128".to_owned(), limit: 128 }
}
