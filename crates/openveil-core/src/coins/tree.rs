//! Every sequence of coins that an algorithm may toss.

use super::distribution::{Distribution, ProbabilityBuffer, weights_overflow};
use super::{Abandoned, Coins};
use crate::Error;
use std::hash::Hash;

/// The default limit on the paths of coins that are followed for one table.
pub const PATH_LIMIT: u64 = 20_000_000;

/// Coins that follow one path of choices after another, depth first, until
/// every path has been followed once.
///
/// A path begins with the choices that [`CoinTree::advance`] left and continues with the choice 0.
/// The algorithm must toss the same coins whenever earlier tosses had the same results.
#[derive(Debug, Clone, Default)]
pub struct CoinTree {
    path: Vec<Toss>,
    /// Tosses made on the current path.
    depth: usize,
}

#[derive(Debug, Clone, Copy)]
struct Toss {
    choice: u32,
    arity: u32,
}

impl CoinTree {
    /// Coins at the beginning of the first path.
    pub fn new() -> Self {
        Self::default()
    }

    /// The reciprocal of the probability of the current path: the product of the numbers of choices
    /// along it; `None` beyond 128 bits.
    pub fn inverse_probability(&self) -> Option<u128> {
        self.path.iter().try_fold(1u128, |product, toss| product.checked_mul(toss.arity.into()))
    }

    /// Goes to the beginning of the next path; false if there is none.
    pub fn advance(&mut self) -> bool {
        self.depth = 0;
        while let Some(last) = self.path.last_mut() {
            last.choice += 1;
            if last.choice < last.arity {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

impl Coins for CoinTree {
    /// The next choice on the path.
    ///
    /// # Panics
    /// If `n` is 0, or differs from the `n` at this point when the same beginning was followed
    /// before.
    fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "a choice needs something to choose from");
        if self.depth == self.path.len() {
            self.path.push(Toss { choice: 0, arity: n });
        }
        let toss = self.path[self.depth];
        assert_eq!(toss.arity, n, "equal coins must lead to equal tosses");
        self.depth += 1;
        toss.choice
    }

    fn retry(&mut self) -> Result<(), Abandoned> {
        Err(Abandoned)
    }
}

/// The exact distribution of what `run` returns over all its coins, following
/// at most `limit` paths.
///
/// Paths that end in [`Error::Abandoned`] are left out and the others renormalised. Time: one `run`
/// for every path.
///
/// # Errors
/// Any error of `run` on any path, except [`Error::Abandoned`], which is returned only if every
/// path ends with it; [`Error::BeyondLimit`] if there are more paths or their probabilities do not
/// fit into 128 bits.
pub fn distribution<T: Ord + Hash>(
    limit: u64,
    mut run: impl FnMut(&mut dyn Coins) -> Result<T, Error>,
) -> Result<Distribution<T>, Error> {
    let mut tree = CoinTree::new();
    let mut tally = ProbabilityBuffer::default();
    for _ in 0..limit {
        match run(&mut tree) {
            Ok(outcome) => {
                let inverse = tree.inverse_probability().ok_or_else(weights_overflow)?;
                tally.add(outcome, 1, inverse)?;
            }
            Err(Error::Abandoned(_)) => {}
            Err(error) => return Err(error),
        }
        if !tree.advance() {
            return tally.finish();
        }
    }
    Err(Error::BeyondLimit {
        what: "paths of coins for one table",
        needed: format!("more than {limit}"),
        limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coins::shuffle;
    use crate::exact::fraction;

    #[test]
    fn a_shuffle_of_three_is_uniform() {
        let found = distribution(PATH_LIMIT, |coins| {
            let mut items = [0, 1, 2];
            shuffle(&mut items, coins);
            Ok(items)
        })
        .unwrap();
        assert_eq!(found.outcomes().len(), 6);
        assert!(found.outcomes().iter().all(|&(_, weight)| weight == 1));
        assert_eq!(found.total(), 6);
    }

    #[test]
    fn unequal_paths_keep_their_probabilities() {
        let found = distribution(PATH_LIMIT, |coins| {
            Ok(match coins.below(2) {
                0 => 0,
                _ => 1 + coins.below(3),
            })
        })
        .unwrap();
        assert_eq!(found.probability(&0), fraction(1, 2));
        assert_eq!(found.probability(&3), fraction(1, 6));
    }

    #[test]
    fn failed_attempts_are_left_out() {
        let until = |accepted: fn(u32) -> bool| {
            distribution(PATH_LIMIT, move |coins| {
                loop {
                    let choice = coins.below(4);
                    if accepted(choice) {
                        return Ok(choice);
                    }
                    coins.retry()?;
                }
            })
        };
        let found = until(|choice| choice != 2).unwrap();
        assert_eq!(found.outcomes(), [(0, 1), (1, 1), (3, 1)]);
        assert_eq!(until(|_| false), Err(Abandoned.into()));
    }

    #[test]
    fn limits_and_errors_are_reported() {
        let tosses = |limit| distribution(limit, |coins| Ok(coins.below(3)));
        assert!(tosses(3).is_ok());
        assert!(matches!(tosses(2), Err(Error::BeyondLimit { limit: 2, .. })));
        let failing = distribution(PATH_LIMIT, |coins| match coins.below(3) {
            2 => Err(Error::EmptyTable),
            choice => Ok(choice),
        });
        assert_eq!(failing, Err(Error::EmptyTable));
        let deep = distribution(PATH_LIMIT, |coins| {
            (0..5).for_each(|_| _ = coins.below(u32::MAX));
            Ok(())
        });
        assert_eq!(deep, Err(weights_overflow()));
    }

    #[test]
    #[should_panic(expected = "equal coins must lead to equal tosses")]
    fn other_secrets_are_noticed() {
        let mut runs = 1;
        let _ = distribution(PATH_LIMIT, |coins| {
            runs += 1;
            Ok(coins.below(runs))
        });
    }
}
