//! Sliced columns: for each column by itself, coins put the values of each class, or of each group,
//! into the order of the file.

use super::lists::Within;
use super::text::TextColumns;
use openveil_core::coins::{Coins, SecretCoins, shuffle};
use std::ops::Range;

/// Consecutive classes of whole groups that are written in one piece, with the coins for their
/// slices.
pub(super) struct SlicedClasses {
    pub(super) classes: Range<usize>,
    coins: Option<SecretCoins>,
}

impl SlicedClasses {
    /// The approximate number of rows of a stretch; equal for every format, so that all formats
    /// show the same order.
    const ROWS: usize = 1 << 15;

    /// Divides columns into stretches. Every stretch has its own coins, so that the order does not
    /// depend on threads.
    pub(super) fn all(columns: &TextColumns<'_>, coins: &mut dyn Coins) -> Vec<Self> {
        let mut stretch = |classes| Self {
            classes,
            coins: (!columns.slices.0.is_empty()).then(|| SecretCoins::keyed_by(coins)),
        };
        columns.stretches(Self::ROWS).into_iter().map(&mut stretch).collect()
    }

    /// Returns the shuffled codes of each slice, for the rows of the stretch in the order of the
    /// file. Call it only once: it uses up the coins.
    pub(super) fn dealt(&mut self, columns: &TextColumns<'_>) -> Vec<Vec<u32>> {
        let Some(mut coins) = self.coins.take() else {
            return Vec::new();
        };
        let rows = columns.rows_of(&self.classes);
        let mut deal = |&(codes, within): &(&[u32], Within)| {
            let mut codes = codes[rows.clone()].to_vec();
            for part in columns.parts(within, &self.classes) {
                shuffle(&mut codes[part.start - rows.start..part.end - rows.start], &mut coins);
            }
            codes
        };
        columns.slices.0.iter().map(&mut deal).collect()
    }

    /// Like [`Self::dealt`], but for consecutive stretches.
    pub(super) fn dealt_all(stretches: &mut [Self], columns: &TextColumns<'_>) -> Vec<Vec<u32>> {
        stretches
            .iter_mut()
            .map(|stretch| stretch.dealt(columns))
            .reduce(|mut all: Vec<Vec<u32>>, part: Vec<Vec<u32>>| {
                all.iter_mut().zip(part).for_each(|(all, part)| all.extend(part));
                all
            })
            .unwrap_or_default()
    }
}
