#![doc = include_str!("proof.md")]

mod decide;
mod divide;
mod order;
mod rule;
mod runs;

use crate::Error;
use crate::algorithm::cover::{MAX_QUASI_IDENTIFIERS, check_width};
use crate::algorithm::{Algorithm, Profile, Replay, Settings, ratio};
use crate::coins::Coins;
use crate::model::{Criteria, RatioDiversity};
use crate::table::{Groups, View};
use crate::verify::jump::PlanError;
use decide::{Decision, Shape};
use divide::Division;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// People in a block unless told otherwise.
pub const BLOCK_SIZE: usize = 8;

/// The most contingency tables of one block that are examined.
const CLASS_LIMIT: u64 = 20_000;

/// Why two of the strategies do not stop at a first success.
const LEFT_OUT: &str =
    "what the functions tried before rule out is left out of the disclosure sets that decide";

/// A strategy in blocks of [`BLOCK_SIZE`] people.
macro_rules! in_blocks {
    ($(#[$doc:meta])* $type:ident, $disclosure:ident, $profile:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $type;

        impl Algorithm for $type {
            fn profile(&self) -> Profile {
                $profile.with_exempt()
            }

            fn check_limits(&self, view: &View, criteria: &Criteria) -> Result<(), Error> {
                Blocks::new(BLOCK_SIZE, Disclosure::$disclosure)?
                    .check(view, ratio(self, criteria)?)
            }

            fn groups(
                &self,
                view: &View,
                criteria: &Criteria,
                _settings: &Settings,
                coins: &mut dyn Coins,
            ) -> Result<Groups, Error> {
                let blocks = Blocks::new(BLOCK_SIZE, Disclosure::$disclosure)?;
                blocks.partition(view, ratio(self, criteria)?, coins)
            }
        }
    };
}

in_blocks!(
    /// Blocks that release what k-jump allows, with the vector that suits a block best.
    KJump, Jump, Profile::safe("k-jump", LEFT_OUT).keeping_model()
);

in_blocks!(
    /// Blocks that release the first grouping with a safe disclosure set.
    Safe, Safe, Profile::safe("safe", LEFT_OUT).keeping_model()
);

in_blocks!(
    /// Blocks that release the first grouping that looks safe. Unsafe.
    Naive, Naive, Profile::disclosing("naive").replayed(Replay::SameCoins)
);

/// How a block decides which of its functions to release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disclosure {
    /// The first whose permutation set has the property. *Unsafe* against a
    /// reader who knows it.
    Naive,
    /// The first whose disclosure set has the property.
    Safe,
    /// k-jump with the vector that suits the block's multiset of values best.
    Jump,
    /// k-jump with these distances, at least 1 each: by function, the finest
    /// first; 1 where there are more functions than distances.
    JumpBy(Vec<u32>),
}

/// Divides people into blocks by their quasi-identifiers, and publishes of each
/// block as fine a grouping as its disclosure strategy allows.
///
/// Remembers what it decided for a multiset of values, so one may be used for
/// many tables.
#[derive(Debug)]
pub struct Blocks {
    size: usize,
    disclosure: Disclosure,
    decisions: Decisions,
}

impl Blocks {
    /// Blocks of at most `size` people; with l above `size`, of l people.
    ///
    /// # Errors
    /// [`Error::Plan`] if a distance of [`Disclosure::JumpBy`] is 0.
    pub fn new(size: usize, disclosure: Disclosure) -> Result<Self, Error> {
        if let Disclosure::JumpBy(distances) = &disclosure
            && let Some(index) = distances.iter().position(|&distance| distance == 0)
        {
            return Err(PlanError::ZeroJump { step: index + 1 }.into());
        }
        Ok(Self {
            size,
            disclosure,
            decisions: Decisions::default(),
        })
    }

    /// Checks, without tossing a coin, that a table can be published: whatever
    /// its rows, [`Blocks::partition`] then succeeds. O(n).
    ///
    /// # Errors
    /// [`Error::Ineligible`] if no release satisfies the model;
    /// [`Error::BlockTooLarge`] if the patterns of a block are too many to be
    /// examined, which depends on its size and l alone;
    /// [`Error::TooManyQuasiIdentifiers`] beyond [`MAX_QUASI_IDENTIFIERS`].
    pub fn check(&self, table: &View, model: RatioDiversity) -> Result<(), Error> {
        check_width(table)?;
        let least = model.l() as usize;
        let size = self.size_with(model.l());
        let fits = |people| {
            let classes = runs::most_classes(people, least);
            classes.is_some_and(|classes| classes <= CLASS_LIMIT.into())
        };
        // Below 2l people there is one function, and nothing to examine.
        if let Some(people) = (2 * least..=size).find(|&people| !fits(people)) {
            return Err(Error::BlockTooLarge {
                size: self.size,
                l: model.l(),
                limit: people - 1,
            });
        }
        Ok(model.check_eligible(&table.histogram(), table.secret().exempt())?)
    }

    /// Cuts the rows of a table into groups.
    ///
    /// O(n log n · columns) time in the rows, as long as multisets of values
    /// recur among the blocks, and 24 bytes of memory per row with up to four
    /// quasi-identifiers; for every
    /// new multiset a block's patterns are examined.
    ///
    /// # Errors
    /// As [`Blocks::check`].
    pub fn partition(
        &self,
        table: &View,
        model: RatioDiversity,
        coins: &mut dyn Coins,
    ) -> Result<Groups, Error> {
        self.check(table, model)?;
        // Codes are carried with the row number, padded to a few fixed widths.
        match table.known().len() {
            0..=2 => Division::of::<2>(table, model, self, coins),
            3..=4 => Division::of::<4>(table, model, self, coins),
            5..=8 => Division::of::<8>(table, model, self, coins),
            _ => Division::of::<MAX_QUASI_IDENTIFIERS>(table, model, self, coins),
        }
    }

    /// The size of a block under a model: fewer than l people cannot be published.
    fn size_with(&self, l: u32) -> usize {
        self.size.max(l as usize)
    }
}

/// What was decided so far, by shape and l.
#[derive(Debug, Default)]
struct Decisions {
    known: Mutex<HashMap<(Shape, u32), Arc<Decision>>>,
}

impl Decisions {
    fn of(&self, disclosure: &Disclosure, shape: Shape, l: u32) -> Result<Arc<Decision>, Error> {
        let key = (shape, l);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decision) = lock().get(&key) {
            return Ok(Arc::clone(decision));
        }
        // Examined without the lock: two threads at most do the same work twice.
        let decision = Arc::new(Decision::new(disclosure, &key.0, l)?);
        lock().insert(key, Arc::clone(&decision));
        Ok(decision)
    }
}

#[cfg(test)]
mod tests;
