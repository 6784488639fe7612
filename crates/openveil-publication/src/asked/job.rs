//! The job of a run, made once from its policy.

use super::Options;
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::SecretCoins;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::release_dir::record;

/// A policy that is being run, with the user's options and the decisions made so far.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// The policy as the owner wrote it.
    pub(crate) policy: Policy,
    /// The user's options beside the policy.
    pub(crate) options: Options,
    /// The algorithm; once the table was read, the engine that it chose.
    pub(crate) algorithm: &'static dyn Algorithm,
    /// The algorithm that chose the engine, if one did.
    pub(crate) chosen_by: Option<&'static str>,
    /// How groups are arranged.
    pub(crate) settings: Settings,
}

/// A part of the work that has its own coins, so that the coins of one part disclose nothing about
/// another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoinsOf {
    /// The groups of a table, by its number.
    Groups(usize),
    /// The order of sliced columns, by the table's number and the number of tables.
    Slices { table: usize, tables: usize },
    /// Slots of a history, which persist.
    History,
    /// The rows that represent a person who has several.
    Persons,
    /// The rows of a large tie that are published.
    Ties,
    /// A sample of the known columns of a table that does not fit into memory.
    Sample,
}

impl CoinsOf {
    /// Returns the number of the part. It derives the part's coins from a test seed, and must not
    /// change.
    fn number(self) -> u64 {
        match self {
            Self::Groups(table) => table as u64,
            Self::Slices { table, tables } => (tables + table) as u64,
            Self::History => 1_000,
            Self::Persons => 1_001,
            Self::Ties => 1_003,
            Self::Sample => 2_000,
        }
    }
}

impl Job {
    /// Makes the job of a policy, without checking that it can be run.
    pub(crate) fn new(policy: &Policy, options: Options) -> Self {
        Self {
            policy: policy.clone(),
            options,
            algorithm: policy.method.algorithm,
            chosen_by: None,
            settings: policy.settings(),
        }
    }

    /// Returns the job with an engine in place of the algorithm that chose it.
    pub(crate) fn with_engine(self, chosen: Option<&'static dyn Algorithm>) -> Self {
        match chosen {
            None => self,
            Some(engine) => {
                Self { algorithm: engine, chosen_by: Some(self.algorithm.name()), ..self }
            }
        }
    }

    /// Returns the coins of a part of the work.
    pub(crate) fn coins(&self, part: CoinsOf) -> SecretCoins {
        match self.options.test_seed {
            None => SecretCoins::from_os(),
            Some(seed) => {
                // Far apart, so that the parts of one seed do not coincide with those of the next
                // seed.
                let step = part.number().wrapping_mul(0x9e37_79b9_7f4a_7c15);
                SecretCoins::from_test_seed(seed.wrapping_add(step))
            }
        }
    }

    /// Returns the coins that choose among a person's rows. They are equal in every run, because a
    /// refusal depends on their choice.
    ///
    /// # Errors
    /// A key that cannot be read or stored.
    pub(crate) fn coins_of_draw(&self) -> Result<SecretCoins, Error> {
        match (self.policy.draws(), self.options.test_seed) {
            (true, None) => Ok(record::draw_key(&self.policy)?.coins()),
            _ => Ok(self.coins(CoinsOf::Persons)),
        }
    }
}
