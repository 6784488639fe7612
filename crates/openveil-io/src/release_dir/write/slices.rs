//! Sliced columns: for each column by itself, coins put the values of each group into the order of
//! the file.

use super::text::TextColumns;
use openveil_core::coins::{Coins, SecretCoins, shuffle};
use std::ops::Range;

/// Lists of one code per row. Within a group, each list is shuffled by itself: coins decide which
/// row shows which code.
#[derive(Default)]
pub(super) struct Slices<'a>(Vec<&'a [u32]>);

impl<'a> Slices<'a> {
    /// Adds a list and returns its number.
    pub(super) fn add(&mut self, codes: &'a [u32]) -> usize {
        self.0.push(codes);
        self.0.len() - 1
    }
}

/// Consecutive groups that are written in one piece, with the coins for their slices.
pub(super) struct SlicedGroups {
    pub(super) groups: Range<usize>,
    coins: Option<SecretCoins>,
}

impl SlicedGroups {
    /// The approximate number of rows of a stretch; equal for every format, so that all formats
    /// show the same order.
    const ROWS: usize = 1 << 15;

    /// Divides columns into stretches. Every stretch has its own coins, so that the order does not
    /// depend on threads.
    pub(super) fn all(columns: &TextColumns<'_>, coins: &mut dyn Coins) -> Vec<Self> {
        let mut stretch = |groups| Self {
            groups,
            coins: (!columns.slices.0.is_empty()).then(|| SecretCoins::keyed_by(coins)),
        };
        let stretches = columns.stretches(Self::ROWS).into_iter();
        stretches.map(&mut stretch).collect()
    }

    /// Returns the shuffled codes of each slice, for the rows of the stretch in the order of the
    /// file. Call it only once: it uses up the coins.
    pub(super) fn dealt(&mut self, columns: &TextColumns<'_>) -> Vec<Vec<u32>> {
        let Some(mut coins) = self.coins.take() else {
            return Vec::new();
        };
        let rows = columns.rows_of(&self.groups);
        let mut deal = |codes: &&[u32]| {
            let mut codes = codes[rows.clone()].to_vec();
            for group in self.groups.clone() {
                let part = columns.group_rows(group);
                shuffle(
                    &mut codes[part.start - rows.start..part.end - rows.start],
                    &mut coins,
                );
            }
            codes
        };
        columns.slices.0.iter().map(&mut deal).collect()
    }

    /// Like [`Self::dealt`], but for consecutive stretches.
    pub(super) fn dealt_all(stretches: &mut [Self], columns: &TextColumns<'_>) -> Vec<Vec<u32>> {
        let parts = stretches.iter_mut().map(|stretch| stretch.dealt(columns));
        let join = |mut all: Vec<Vec<u32>>, part: Vec<Vec<u32>>| {
            all.iter_mut()
                .zip(part)
                .for_each(|(all, part)| all.extend(part));
            all
        };
        parts.reduce(join).unwrap_or_default()
    }
}
