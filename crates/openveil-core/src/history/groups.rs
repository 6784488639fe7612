//! Forms groups of the people who are present, from their slots.

use super::{Book, Slot};
use crate::Error;
use crate::algorithm::{Settings, cover};
use crate::coins::{Coins, SecretCoins, shuffle};
use crate::table::{Groups, View};
use rayon::prelude::*;

/// Signatures of more groups than this are worked on in parallel, each with its own coins.
const SHARED_WORK: usize = 256;

impl Book {
    /// The values of a group's signature that none of its people has, judged by their slots. They
    /// are published as filler rows.
    ///
    /// # Panics
    /// If the group has no people.
    pub fn missing(&self, slots: &[Slot]) -> Vec<u32> {
        let taken: Vec<u32> = slots.iter().map(|&slot| self.value_of(slot)).collect();
        let signature = &self.signatures[self.signature_of(slots[0])];
        let missing = signature.iter().filter(|value| !taken.contains(value));
        missing.copied().collect()
    }

    /// Groups the rows of a table, each of which is a person with a slot. A group has people of
    /// different slots of one signature, from all or some of its slots. The grouping does not
    /// depend on who has which value, only on which rows share a slot and which slots share a
    /// signature.
    ///
    /// O(n log n), like [`cover`](fn@cover::cover).
    ///
    /// # Errors
    /// [`Error::TooManyQuasiIdentifiers`].
    ///
    /// # Panics
    /// If there is not one slot per row.
    pub fn groups(
        &self,
        table: &View,
        slots: &[Slot],
        settings: &Settings,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        assert_eq!(slots.len(), table.rows(), "one slot per row");
        let mut people: Vec<Vec<u32>> = vec![Vec::new(); self.slots() as usize];
        for (row, slot) in (0..).zip(slots) {
            people[slot.0 as usize].push(row);
        }
        let mut large = Vec::new();
        let mut all = Groups::with_capacity(table.rows(), table.rows());
        for (signature, &first) in self.signatures.iter().zip(&self.first) {
            let first = first as usize;
            let slots = &mut people[first..first + signature.len()];
            let low = slots.iter().map(Vec::len).min().unwrap_or(0);
            let mut full = Vec::with_capacity(slots.len());
            for slot in &mut *slots {
                if slot.len() > low {
                    shuffle(slot, coins);
                }
                full.push(slot.drain(..low).collect());
            }
            match low {
                0 => {}
                1..=SHARED_WORK => {
                    all.append(cover::arranged_afresh(table, full, settings, coins)?);
                }
                _ => large.push((full, SecretCoins::keyed_by(coins))),
            }
            all.append(ragged(table, slots, settings, coins)?);
        }
        let arranged = large
            .into_par_iter()
            .map(|(full, mut own)| cover::arranged_afresh(table, full, settings, &mut own));
        for groups in arranged.collect::<Result<Vec<_>, Error>>()? {
            all.append(groups);
        }
        Ok(all)
    }
}

/// Groups with at most one person of every slot, as many groups as the fullest slot has people.
///
/// One of the fullest slots, drawn by coins, has a person in every group. The other slots are
/// filled up with copies of some of these people, drawn by coins, and arranged; then the copies are
/// removed.
fn ragged(
    table: &View,
    slots: &[Vec<u32>],
    settings: &Settings,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let count = slots.iter().map(Vec::len).max().unwrap_or(0);
    if count == 0 {
        return Ok(Groups::with_capacity(0, 0));
    }
    let fullest: Vec<&Vec<u32>> = slots.iter().filter(|slot| slot.len() == count).collect();
    let seeds = fullest[coins.below(fullest.len() as u32) as usize];
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    let mut copies = Vec::new();
    for slot in slots.iter().filter(|slot| !slot.is_empty()) {
        let start = rows.len() as u32;
        rows.extend_from_slice(slot);
        columns.push((start..rows.len() as u32).collect::<Vec<u32>>());
    }
    let people = rows.len() as u32;
    for column in &mut columns {
        let missing = count - column.len();
        if missing > 0 {
            let mut again = seeds.clone();
            shuffle(&mut again, coins);
            copies.extend_from_slice(&again[..missing]);
            let end = people + copies.len() as u32;
            column.extend(end - missing as u32..end);
        }
    }
    rows.extend(copies);
    let groups = cover::arranged_afresh(&table.of_rows(&rows)?, columns, settings, coins)?;
    let real = |group: &[u32]| -> Vec<u32> {
        let real = group.iter().filter(|&&position| position < people);
        real.map(|&position| rows[position as usize]).collect()
    };
    Ok(groups.iter().map(real).collect())
}
