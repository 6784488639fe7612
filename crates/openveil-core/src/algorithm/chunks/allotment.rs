//! How many rows go to each place; coins decide which rows.

use crate::coins::Coins;

/// How many rows of each *lot* go to each of several places. Coins decide which rows: every choice
/// is equally likely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allotment {
    /// Where each lot's shares end.
    ends: Vec<usize>,
    shares: Vec<LotShare>,
}

/// Some rows of a lot that go to one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LotShare {
    /// The place.
    pub to: u32,
    /// Rows of the lot that go there.
    pub rows: u32,
}

impl Allotment {
    /// Builds an allotment from the shares of each lot, in the order of the lots. Shares without
    /// rows are left out.
    pub fn new(lots: impl IntoIterator<Item = Vec<LotShare>>) -> Self {
        let (mut ends, mut shares) = (Vec::new(), Vec::new());
        for lot in lots {
            shares.extend(lot.into_iter().filter(|share| share.rows > 0));
            ends.push(shares.len());
        }
        Self { ends, shares }
    }

    /// Number of lots.
    pub fn lots(&self) -> usize {
        self.ends.len()
    }

    /// The shares of a lot: where its rows go. No place occurs twice, and every share has rows.
    ///
    /// # Panics
    /// If there is no such lot.
    pub fn shares(&self, lot: usize) -> &[LotShare] {
        &self.shares[self.range(lot)]
    }

    fn range(&self, lot: usize) -> std::ops::Range<usize> {
        let start = if lot == 0 { 0 } else { self.ends[lot - 1] };
        start..self.ends[lot]
    }
}

/// Draws places, without replacement, for rows that come one after the other. Whatever their order,
/// every choice of rows for every place is equally likely.
#[derive(Debug, Clone)]
pub struct Urns {
    allotment: Allotment,
    /// Rows of each lot that have no place yet.
    left: Vec<u32>,
}

impl Urns {
    /// Full urns, one for each lot.
    pub fn new(allotment: &Allotment) -> Self {
        let lots = 0..allotment.lots();
        Self {
            left: lots
                .map(|lot| allotment.shares(lot).iter().map(|share| share.rows).sum())
                .collect(),
            allotment: allotment.clone(),
        }
    }

    /// Draws the place of the next row of a lot; `None` if all its places are taken. Tosses a coin
    /// only if there is a choice. O(places of the lot).
    ///
    /// # Panics
    /// If there is no such lot.
    #[inline]
    pub fn draw(&mut self, lot: usize, coins: &mut dyn Coins) -> Option<u32> {
        let range = self.allotment.range(lot);
        let shares = &mut self.allotment.shares[range];
        let left = &mut self.left[lot];
        if *left == 0 {
            return None;
        }
        if let [only] = shares {
            *left -= 1;
            return Some(only.to);
        }
        let is_decided = shares.iter().any(|share| share.rows == *left);
        let mut drawn = if is_decided { 0 } else { coins.below(*left) };
        *left -= 1;
        for share in shares {
            if drawn < share.rows {
                share.rows -= 1;
                return Some(share.to);
            }
            drawn -= share.rows;
        }
        unreachable!("an urn holds as many places as it says")
    }

    /// Whether every row has its place.
    pub fn are_empty(&self) -> bool {
        self.left.iter().all(|&left| left == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coins::{SecretCoins, distribution};
    use crate::exact::fraction;

    fn allotment() -> Allotment {
        let share = |to, rows| LotShare { to, rows };
        Allotment::new([vec![share(3, 2), share(5, 0), share(1, 2)], vec![share(7, 1)]])
    }

    #[test]
    fn every_choice_of_rows_is_equally_likely() {
        let drawn = distribution(1_000, |coins| {
            let mut urns = Urns::new(&allotment());
            Ok([(); 4].map(|()| urns.draw(0, coins).unwrap()))
        })
        .unwrap();
        assert_eq!(drawn.outcomes().len(), 6);
        for (choice, _) in drawn.outcomes() {
            assert_eq!(drawn.probability(choice), fraction(1, 6));
        }
    }

    #[test]
    fn an_empty_urn_gives_nothing() {
        let mut urns = Urns::new(&allotment());
        let coins = &mut SecretCoins::from_test_seed(1);
        assert_eq!(urns.draw(1, coins), Some(7));
        assert_eq!(urns.draw(1, coins), None);
        assert!(!urns.are_empty());
        assert!((0..4).all(|_| urns.draw(0, coins).is_some()));
        assert!(urns.are_empty());
    }
}
