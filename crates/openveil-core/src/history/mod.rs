#![doc = include_str!("proof.md")]

mod admit;
mod groups;

pub use admit::Admission;

use crate::coins::{Coins, shuffle};
use crate::model::RatioDiversity;

/// A slot of a signature: a person's permanent place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// All signatures that were ever used, with a number for each of their slots.
///
/// Values are codes chosen by the caller. They must mean the same in all releases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    signatures: Vec<Vec<u32>>,
    /// The number of groups that each signature was ever given people for.
    groups: Vec<u32>,
    /// The number of each signature's first slot.
    first: Vec<u32>,
}

impl Book {
    /// Builds a book of signatures. Each is an ascending list of different values, with the number
    /// of groups that it was ever given people for.
    ///
    /// # Errors
    /// A text, if a signature is empty, not ascending, or occurs twice.
    pub fn of(signatures: Vec<(Vec<u32>, u32)>) -> Result<Self, String> {
        let mut book = Self::default();
        for (signature, groups) in signatures {
            let ascends = signature.windows(2).all(|pair| pair[0] < pair[1]);
            if signature.is_empty() || !ascends || book.signatures.contains(&signature) {
                return Err(format!("{signature:?} is not a valid new signature"));
            }
            let number = book.push(signature);
            book.groups[number] = groups;
        }
        Ok(book)
    }

    /// The signatures, in the order in which they were added.
    pub fn signatures(&self) -> &[Vec<u32>] {
        &self.signatures
    }

    /// The signatures with their groups, in the form that [`Book::of`] takes.
    pub fn entries(&self) -> Vec<(Vec<u32>, u32)> {
        let signatures = self.signatures.iter().cloned();
        signatures.zip(self.groups.iter().copied()).collect()
    }

    /// The number of slots of all signatures.
    pub fn slots(&self) -> u32 {
        let last = self.first.last().zip(self.signatures.last());
        last.map_or(0, |(first, values)| first + values.len() as u32)
    }

    /// The signature of a slot. O(log signatures).
    ///
    /// # Panics
    /// If there is no such slot.
    pub fn signature_of(&self, slot: Slot) -> usize {
        assert!(slot.0 < self.slots(), "a slot of this book");
        self.first.partition_point(|&first| first <= slot.0) - 1
    }

    /// The value of a slot.
    ///
    /// # Panics
    /// If there is no such slot.
    pub fn value_of(&self, slot: Slot) -> u32 {
        let signature = self.signature_of(slot);
        self.signatures[signature][(slot.0 - self.first[signature]) as usize]
    }

    /// Gives a cohort its permanent slots; `values` holds its people's values. Within the groups of
    /// the admission, people of a value are dealt uniformly. O(people + slots).
    ///
    /// # Panics
    /// If the admission is not for this book and these values.
    pub fn enter(
        &mut self,
        admission: &Admission,
        values: &[u32],
        coins: &mut dyn Coins,
    ) -> Vec<Slot> {
        let mut places: Vec<Vec<(u32, u32)>> = Vec::new();
        for (signature, groups) in admission.groups() {
            let number = match self.signatures.iter().position(|known| known == signature) {
                Some(number) => number,
                None => self.push(signature.clone()),
            };
            self.groups[number] += groups;
            for (place, &value) in signature.iter().enumerate() {
                if places.len() <= value as usize {
                    places.resize(value as usize + 1, Vec::new());
                }
                places[value as usize].push((self.first[number] + place as u32, groups));
            }
        }
        let mut people = vec![Vec::new(); places.len()];
        for (person, &value) in values.iter().enumerate() {
            people[value as usize].push(person);
        }
        let mut slots = vec![Slot(u32::MAX); values.len()];
        for (people, places) in people.iter_mut().zip(places) {
            if places.len() > 1 {
                shuffle(people, coins);
            }
            let dealt = places
                .into_iter()
                .flat_map(|(slot, groups)| std::iter::repeat_n(Slot(slot), groups as usize));
            let mut count = 0;
            for (&mut person, slot) in people.iter_mut().zip(dealt) {
                slots[person] = slot;
                count += 1;
            }
            assert_eq!(
                count,
                people.len(),
                "the admission has a place for everybody"
            );
        }
        slots
    }

    fn push(&mut self, signature: Vec<u32>) -> usize {
        self.first.push(self.slots());
        self.signatures.push(signature);
        self.groups.push(0);
        self.signatures.len() - 1
    }
}

/// Whether people without a slot are held back until the next release: fewer than l of them never
/// allow a release. This depends on their number only. Holding people back for any other reason
/// would disclose that their values allow no release.
pub fn waits(is_first: bool, arrivals: usize, ratio: RatioDiversity) -> bool {
    !is_first && arrivals < ratio.l() as usize
}

#[cfg(test)]
mod tests;
