#![doc = include_str!("proof.md")]

mod candidates;
mod decide;
mod divide;
mod order;
mod rule;
mod runs;

use crate::algorithm::cover::{MAX_QUASI_IDENTIFIERS, check_width};
use crate::disclosure::jump::PlanError;
use candidates::{BlockFunctions, FunctionSource};
use decide::{BlockDecision, BlockShape};
use divide::BlockDivision;
use openveil_core::Error;
use openveil_core::algorithm::{Algorithm, Models, Profile, Replay, Settings, Trials};
use openveil_core::coins::{Coins, Distribution, Memory, distribution};
use openveil_core::model::Criteria;
use openveil_core::table::{Groups, View};
use rule::least;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest number of contingency tables of a block that are examined.
const CLASS_LIMIT: u64 = 20_000;

/// The number of decisions that are cached: if the model distinguishes values, nearly every block
/// is a case of its own.
const REMEMBERED: usize = 256;

/// The reason why two of the strategies do not stop at a first success.
const LEFT_OUT: &str =
    "what the functions tried before rule out is left out of the disclosure sets that decide";

/// A strategy in blocks.
macro_rules! in_blocks {
    ($(#[$doc:meta])* $type:ident, $disclosure:ident, $profile:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $type;

        impl Algorithm for $type {
            fn profile(&self) -> Profile {
                $profile.for_models(Models::Any).with_exempt().with_trials()
            }

            fn check_limits(
                &self,
                view: &View,
                criteria: &Criteria,
                settings: &Settings,
            ) -> Result<(), Error> {
                let blocks = Blocks::new(criteria, &settings.trials, BlockDisclosure::$disclosure)?;
                blocks.check_trials(view)
            }

            fn groups(
                &self,
                view: &View,
                criteria: &Criteria,
                settings: &Settings,
                coins: &mut dyn Coins,
            ) -> Result<Groups, Error> {
                let trials = &settings.trials;
                let disclosure = match &trials.jump {
                    Some(distances) if BlockDisclosure::$disclosure == BlockDisclosure::Jump => {
                        BlockDisclosure::JumpBy(distances.clone())
                    }
                    _ => BlockDisclosure::$disclosure,
                };
                Blocks::new(criteria, trials, disclosure)?.partition(view, coins)
            }

            /// Reuses decisions: a decision about a multiset holds in every table.
            fn distribution_of_groups(
                &self,
                view: &View,
                criteria: &Criteria,
                path_limit: u64,
                memory: &Memory,
            ) -> Result<Distribution<Groups>, Error> {
                let trials = Trials::default();
                let decisions = memory.of(view, || Ok(Decisions::default()))?;
                let blocks = Blocks::new(criteria, &trials, BlockDisclosure::$disclosure)?.remembering(decisions);
                distribution(path_limit, |coins| Ok(blocks.partition(view, coins)?.sorted()))
            }
        }
    };
}

in_blocks!(
    /// Blocks that release what k-jump allows, with the best vector for a block or a given one.
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

/// The strategy by which a block decides which of its functions to release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockDisclosure {
    /// The first function whose permutation set satisfies the property. *Unsafe* against a reader
    /// who knows it.
    Naive,
    /// The first function whose disclosure set satisfies the property.
    Safe,
    /// k-jump with the best vector for the block's multiset of values.
    Jump,
    /// k-jump with these distances, at least 1 each, by function, the finest first; 1 for functions
    /// beyond the distances.
    JumpBy(Vec<u32>),
}

/// The functions and the shape that decide.
type DecisionCase = (Arc<BlockFunctions>, BlockShape);

/// The latest decisions for one strategy and one model bound to a histogram.
type Decisions = Mutex<HashMap<DecisionCase, Arc<BlockDecision>>>;

/// Divides people into blocks by their quasi-identifiers, and publishes for each block as fine a
/// grouping as its disclosure strategy allows.
///
/// It caches its decisions about multisets of values, so one instance may be used for many tables
/// with the same histogram.
#[derive(Debug)]
pub struct Blocks<'a> {
    criteria: &'a Criteria,
    trials: &'a Trials,
    disclosure: BlockDisclosure,
    decisions: Arc<Decisions>,
}

impl<'a> Blocks<'a> {
    /// Makes blocks for a model. If groups need at least as many people as a block has, a block is
    /// one group.
    ///
    /// # Errors
    /// [`Error::Plan`] if a distance of [`BlockDisclosure::JumpBy`] is 0; [`Error::BeyondLimit`] for
    /// more than [`Trials::MOST_FUNCTIONS`] functions.
    pub fn new(
        criteria: &'a Criteria,
        trials: &'a Trials,
        disclosure: BlockDisclosure,
    ) -> Result<Self, Error> {
        if let BlockDisclosure::JumpBy(distances) = &disclosure
            && let Some(index) = distances.iter().position(|&distance| distance == 0)
        {
            return Err(PlanError::ZeroJump { step: index + 1 }.into());
        }
        if trials.functions.len() > Trials::MOST_FUNCTIONS {
            return Err(Error::BeyondLimit {
                what: "functions to try",
                needed: trials.functions.len().to_string(),
                limit: Trials::MOST_FUNCTIONS as u64,
            });
        }
        Ok(Self { criteria, trials, disclosure, decisions: Arc::default() })
    }

    /// Shares decisions with other instances of the same strategy and model.
    fn remembering(self, decisions: Arc<Decisions>) -> Self {
        Self { decisions, ..self }
    }

    /// Checks, without using coins, that a table can be published: [`Blocks::partition`] then
    /// succeeds, whatever its rows are. O(n).
    ///
    /// # Errors
    /// [`Error::Ineligible`] or [`Error::Unsatisfiable`] if no release satisfies the model;
    /// [`Error::BlockTooLarge`] if a block has too many patterns to be examined, which depends on
    /// its size and the model alone; [`Error::TooManyQuasiIdentifiers`] beyond
    /// [`MAX_QUASI_IDENTIFIERS`]; [`Error::NoSuchLevel`] for an unknown level of a function.
    pub fn check(&self, table: &View) -> Result<(), Error> {
        self.check_trials(table)?;
        self.criteria.check_eligible(table)
    }

    /// Checks everything that does not depend on values.
    fn check_trials(&self, table: &View) -> Result<(), Error> {
        check_width(table)?;
        self.check_size()?;
        FunctionSource::new(&self.trials.functions, table.known()).map(drop)
    }

    /// Checks the size of blocks, which decides the number of runs; other functions that are too
    /// many to be examined are left out.
    fn check_size(&self) -> Result<(), Error> {
        let (least, size) = (least(self.criteria), self.trials.block);
        let limit = Trials::MOST_PEOPLE;
        if size > limit {
            return Err(Error::BlockTooLarge { size, least, limit });
        }
        if !self.trials.functions.is_empty() {
            return Ok(());
        }
        let fits =
            |people| BlockFunctions::runs(people, least).most_classes(people) <= CLASS_LIMIT.into();
        // With fewer people than twice the least size, there is one function, and nothing to
        // examine.
        match (2 * least..=size).find(|&people| !fits(people)) {
            None => Ok(()),
            Some(people) => Err(Error::BlockTooLarge { size, least, limit: people - 1 }),
        }
    }

    /// Divides the rows of a table into groups.
    ///
    /// O(n log n · columns) time in the rows, as long as multisets of values recur among the
    /// blocks, and 24 bytes of memory per row with up to four quasi-identifiers. For every new
    /// multiset, a block's patterns are examined.
    ///
    /// # Errors
    /// As for [`Blocks::check`].
    pub fn partition(&self, table: &View, coins: &mut dyn Coins) -> Result<Groups, Error> {
        self.check(table)?;
        // Codes are stored with the row number, padded to a few fixed widths.
        match table.known().len() {
            0..=2 => BlockDivision::of::<2>(table, self, coins),
            3..=4 => BlockDivision::of::<4>(table, self, coins),
            5..=8 => BlockDivision::of::<8>(table, self, coins),
            _ => BlockDivision::of::<MAX_QUASI_IDENTIFIERS>(table, self, coins),
        }
    }

    /// Returns the decision for blocks of a shape.
    fn decision(
        &self,
        candidates: &Arc<BlockFunctions>,
        shape: BlockShape,
    ) -> Result<Arc<BlockDecision>, Error> {
        let key = (Arc::clone(candidates), shape);
        let lock = || self.decisions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decision) = lock().get(&key) {
            return Ok(Arc::clone(decision));
        }
        // Computed without the lock: at worst, two threads do the same work.
        let decision = BlockDecision::new(&self.disclosure, candidates, &key.1, self.criteria)?;
        let decision = Arc::new(decision);
        let mut known = lock();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key, Arc::clone(&decision));
        Ok(decision)
    }
}

#[cfg(test)]
mod tests;
