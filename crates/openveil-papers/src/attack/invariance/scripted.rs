//! Coins that record their outcomes, and coins with given outcomes.

use openveil_core::coins::Coins;

/// Coins that record their outcomes.
pub(super) struct Recorded<C> {
    coins: C,
    tossed: Vec<u32>,
}

impl<C: Coins> Recorded<C> {
    pub(super) fn new(coins: C) -> Self {
        Self { coins, tossed: Vec::new() }
    }

    /// Returns all outcomes so far, in order.
    pub(super) fn tossed(&self) -> &[u32] {
        &self.tossed
    }
}

impl<C: Coins> Coins for Recorded<C> {
    fn below(&mut self, n: u32) -> u32 {
        let outcome = self.coins.below(n);
        self.tossed.push(outcome);
        outcome
    }
}

/// Coins with the outcomes of a script.
pub(super) struct Scripted {
    script: std::vec::IntoIter<u32>,
    /// Whether every question so far had an answer in the script that fits it.
    fits: bool,
}

impl Scripted {
    pub(super) fn new(script: Vec<u32>) -> Self {
        Self { script: script.into_iter(), fits: true }
    }

    /// Returns whether the script was used up and fitted every question.
    pub(super) fn was_followed(&self) -> bool {
        self.fits && self.script.as_slice().is_empty()
    }
}

impl Coins for Scripted {
    fn below(&mut self, n: u32) -> u32 {
        match self.script.next() {
            Some(outcome) if outcome < n => outcome,
            _ => {
                self.fits = false;
                0
            }
        }
    }
}
