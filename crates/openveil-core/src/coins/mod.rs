//! Coins: the only secret of a release.
//!
//! Algorithms take their randomness as `&mut dyn Coins`. A real release uses
//! [`SecretCoins::from_os`]; tests may seed them; the adversary enumerates them ([`CoinTree`]). The
//! results over all coins are a [`Distribution`].

mod distribution;
mod links;
mod memory;
mod tree;

pub use distribution::Distribution;
pub use distribution::{least_common_multiple, weights_overflow};
pub use links::{JOINABLE_ROWS, Links, join_links};
pub use memory::Memory;
pub use tree::{CoinTree, PATH_LIMIT, distribution};

use rand::rngs::{StdRng, SysRng};
use rand::{RngExt, SeedableRng};

/// A source of independent uniform choices.
pub trait Coins {
    /// A uniform choice from `0..n`. `n` must be at least 1.
    fn below(&mut self, n: u32) -> u32;

    /// Asks for another attempt after one that failed for reasons that depend
    /// on coins and the public histogram alone.
    ///
    /// # Errors
    /// Enumerating coins return [`Abandoned`]: the path is left out and the others are
    /// renormalised, which is equivalent to retrying.
    fn retry(&mut self) -> Result<(), Abandoned> {
        Ok(())
    }
}

/// A path of enumerated coins ended in a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the enumerated coins led to a failed attempt, which real coins would repeat")]
pub struct Abandoned;

/// Puts `items` into a uniformly random order (Fisher–Yates), in O(n).
pub fn shuffle<T>(items: &mut [T], coins: &mut (impl Coins + ?Sized)) {
    for i in (1..items.len()).rev() {
        let j = coins.below(i as u32 + 1) as usize;
        items.swap(i, j);
    }
}

/// Draws `count` items and moves them to the front, like the first places of a shuffle: every
/// choice and order is equally likely. O(count).
///
/// # Panics
/// If there are fewer items.
pub fn draw<T>(items: &mut [T], count: usize, coins: &mut (impl Coins + ?Sized)) {
    for place in 0..count {
        let chosen = place + coins.below((items.len() - place) as u32) as usize;
        items.swap(place, chosen);
    }
}

/// Coins from a cryptographically secure generator.
///
/// The generator is ChaCha, keyed with 256 bits; its state is discarded after the release.
pub struct SecretCoins {
    generator: StdRng,
}

impl SecretCoins {
    /// Returns coins keyed by the operating system. Use no others for publication.
    ///
    /// # Panics
    /// If the operating system has no entropy source at all.
    pub fn from_os() -> Self {
        let generator = StdRng::try_from_rng(&mut SysRng)
            .expect("the operating system's random number generator answers");
        Self { generator }
    }

    /// Returns separate coins for a part of the work, keyed with 256 bits of other coins. Parts
    /// that run in parallel then get the same draws in any order of threads.
    pub fn keyed_by(coins: &mut (impl Coins + ?Sized)) -> Self {
        CoinKey::drawn(coins).coins()
    }

    /// Returns reproducible coins, for tests and experiments only.
    pub fn from_test_seed(seed: u64) -> Self {
        Self { generator: StdRng::seed_from_u64(seed) }
    }
}

/// A key of 256 bits. It must stay as secret as its coins, which give the same draws each time they
/// are made from it.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct CoinKey([u8; 32]);

impl CoinKey {
    /// A key drawn by other coins.
    pub fn drawn(coins: &mut (impl Coins + ?Sized)) -> Self {
        let mut key = [0; 32];
        for pair in key.chunks_exact_mut(2) {
            pair.copy_from_slice(&(coins.below(1 << 16) as u16).to_le_bytes());
        }
        Self(key)
    }

    /// Returns the key with 256 bits that nobody else knows, such as a keyed hash.
    pub fn of_secret(bits: [u8; 32]) -> Self {
        Self(bits)
    }

    /// Returns its coins, from the first draw on.
    pub fn coins(&self) -> SecretCoins {
        SecretCoins { generator: StdRng::from_seed(self.0) }
    }
}

impl std::fmt::Debug for CoinKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("CoinKey")
    }
}

impl Coins for SecretCoins {
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        self.generator.random_range(0..n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_the_system_does_not() {
        let draw = |mut coins: SecretCoins| -> Vec<u32> {
            (0..16).map(|_| coins.below(u32::MAX)).collect()
        };
        let seeded = || draw(SecretCoins::from_test_seed(7));
        assert_eq!(seeded(), seeded());
        assert_ne!(draw(SecretCoins::from_os()), draw(SecretCoins::from_os()));
    }

    #[test]
    fn keyed_coins_differ_and_repeat_themselves() {
        let draw = |seed: u64| {
            let mut parent = SecretCoins::from_test_seed(seed);
            let mut parts = [(); 2].map(|()| SecretCoins::keyed_by(&mut parent));
            [0, 1].map(|part| parts[part].below(u32::MAX))
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_ne!(draw(1)[0], draw(1)[1]);
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        shuffle(&mut items, &mut SecretCoins::from_test_seed(1));
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
