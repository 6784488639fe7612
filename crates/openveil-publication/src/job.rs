//! The job of a run, made of its policy once.

use super::Options;
use super::refusal::refuse;
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::SecretCoins;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::release_dir::record;

/// A policy that is carried out, with the user's choices and what was decided.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// The policy as the owner wrote it.
    pub(crate) policy: Policy,
    /// The choices of the user beside it.
    pub(crate) options: Options,
    /// The algorithm; once the table was read, the engine that it chose for it.
    pub(crate) algorithm: &'static dyn Algorithm,
    /// The algorithm that chose the engine, if one did.
    pub(crate) chosen_by: Option<&'static str>,
    /// How groups are arranged.
    pub(crate) settings: Settings,
}

/// A part of the work, which has coins of its own: those of one part say nothing about another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoinsOf {
    /// The groups of a table, by its number.
    Groups(usize),
    /// The order of sliced columns: a table's number, after so many tables.
    Slices { table: usize, tables: usize },
    /// Slots of a history, which last.
    History,
    /// The rows that speak for a person who has several.
    Persons,
    /// The composition of a table that lies on several machines.
    Composition,
    /// The rows that are published of a large tie.
    Ties,
    /// A sample of the known columns of a table that does not fit into memory.
    Sample,
}

impl CoinsOf {
    /// The number of the part: it decides what a test seed comes to, and does not change.
    fn number(self) -> u64 {
        match self {
            Self::Groups(table) => table as u64,
            Self::Slices { table, tables } => (tables + table) as u64,
            Self::History => 1_000,
            Self::Persons => 1_001,
            Self::Composition => 1_002,
            Self::Ties => 1_003,
            Self::Sample => 2_000,
        }
    }
}

impl Job {
    /// Makes the job of a policy, whether or not it can be done.
    pub(crate) fn new(policy: &Policy, options: Options) -> Self {
        Self {
            policy: policy.clone(),
            options,
            algorithm: policy.algorithm,
            chosen_by: None,
            settings: policy.settings(),
        }
    }

    /// Makes the job of a policy that can be carried out.
    ///
    /// # Errors
    /// What cannot be done, or needs consent.
    pub(crate) fn of(policy: &Policy, options: Options) -> Result<Self, Error> {
        let job = Self::new(policy, options);
        job.check()?;
        Ok(job)
    }

    /// Checks that it can be done: before anything is read, and once an engine was chosen.
    ///
    /// # Errors
    /// What cannot be done, or needs consent.
    pub(crate) fn check(&self) -> Result<(), Error> {
        refuse(self)
    }

    /// The job with an engine in the place of the algorithm that chose it.
    pub(crate) fn with_engine(self, chosen: Option<&'static dyn Algorithm>) -> Self {
        match chosen {
            None => self,
            Some(engine) => Self {
                algorithm: engine,
                chosen_by: Some(self.algorithm.name()),
                ..self
            },
        }
    }

    /// The coins of a part of the work.
    pub(crate) fn coins(&self, part: CoinsOf) -> SecretCoins {
        match self.options.test_seed {
            None => SecretCoins::from_os(),
            Some(seed) => {
                // Far apart, so that the parts of one seed are not those of the next.
                let step = part.number().wrapping_mul(0x9e37_79b9_7f4a_7c15);
                SecretCoins::from_test_seed(seed.wrapping_add(step))
            }
        }
    }

    /// The coins that choose among a person's rows: the same at every run, for a refusal depends on
    /// what they choose.
    ///
    /// # Errors
    /// A key that cannot be read or kept.
    pub(crate) fn coins_of_draw(&self) -> Result<SecretCoins, Error> {
        match (self.policy.draws(), self.options.test_seed) {
            (true, None) => Ok(record::draw_key(&self.policy)?.coins()),
            _ => Ok(self.coins(CoinsOf::Persons)),
        }
    }
}
