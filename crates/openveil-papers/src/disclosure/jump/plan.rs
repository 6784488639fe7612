//! Plans: which functions are evaluated in which order, and what happens if one fails.

use super::super::Functions;
use openveil_core::Error;

/// The largest number of steps of a plan.
pub const MAX_STEPS: usize = 32;

/// The rule by which an algorithm decides which function to release. A function whose groups may
/// not be published fails, whatever the conclusions from it are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Release the first function whose permutation set satisfies the property. This is the usual
    /// algorithm, and *unsafe* against a reader who knows it.
    Naive,
    /// Release the first function whose disclosure set satisfies the property.
    Safe,
    /// Release the first function reached whose permutation set and disclosure set satisfy the
    /// property. If only the latter fails, jump as many steps as this list states for the step, at
    /// least 1.
    Jump(
        /// A distance per step of the plan.
        Vec<u32>,
    ),
}

/// An algorithm: functions in the order of evaluation, usually with the best utility first, and a
/// strategy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JumpPlan {
    sequence: Vec<usize>,
    strategy: Strategy,
}

/// The reason why a plan cannot be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A jump vector has too many or too few distances.
    #[error("the jump vector has {found} distances where the plan has {expected} steps")]
    JumpCount {
        /// Number of steps of the plan.
        expected: usize,
        /// Number of distances given.
        found: usize,
    },
    /// A jump of 0 would never end.
    #[error("the jump from step {step} has the distance 0; it must be at least 1")]
    ZeroJump {
        /// The step, counted from 1.
        step: usize,
    },
    /// A step names a function that does not exist.
    #[error("a step evaluates function number {function}, but there are only {functions}")]
    NoSuchFunction {
        /// The function, counted from 0.
        function: usize,
        /// Number of functions.
        functions: usize,
    },
    /// There is no plan to choose from.
    #[error("there is no plan to choose from")]
    NoPlan,
}

impl From<PlanError> for Error {
    fn from(cause: PlanError) -> Self {
        Self::Plan(cause.to_string())
    }
}

impl JumpPlan {
    /// Makes the plan that evaluates the functions `sequence[0]`, `sequence[1]`, … by a strategy. A
    /// function may occur again: its disclosure set depends on the steps before.
    ///
    /// # Errors
    /// [`Error::Plan`] if a jump vector does not fit the sequence;
    /// [`Error::BeyondLimit`] beyond [`MAX_STEPS`].
    pub fn new(sequence: Vec<usize>, strategy: Strategy) -> Result<Self, Error> {
        if sequence.len() > MAX_STEPS {
            return Err(Error::BeyondLimit {
                what: "steps of a plan",
                needed: sequence.len().to_string(),
                limit: MAX_STEPS as u64,
            });
        }
        if let Strategy::Jump(distances) = &strategy {
            let (expected, found) = (sequence.len(), distances.len());
            if expected != found {
                return Err(PlanError::JumpCount { expected, found }.into());
            }
            if let Some(index) = distances.iter().position(|&distance| distance == 0) {
                return Err(PlanError::ZeroJump { step: index + 1 }.into());
            }
        }
        Ok(Self { sequence, strategy })
    }

    /// Returns the functions in the order of evaluation.
    pub fn sequence(&self) -> &[usize] {
        &self.sequence
    }

    /// Returns the strategy.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Returns all k-jump algorithms over a sequence of n ≥ 1 functions that can differ: k\[i\] = 1
    /// … n−i+1 (one step further is past the end), and k\[1\] = 1, which is irrelevant. There are
    /// (n−1)! plans, in lexicographic order (the k-jump paper, section 4.2).
    ///
    /// # Errors
    /// [`Error::BeyondLimit`] if there are more than `limit`.
    pub fn all_jumps(sequence: &[usize], limit: u64) -> Result<Vec<Self>, Error> {
        let steps = sequence.len() as u64;
        let count = (1..steps).try_fold(1u64, u64::checked_mul);
        if count.is_none_or(|count| count > limit) {
            return Err(Error::BeyondLimit {
                what: "jump vectors",
                needed: format!("({steps} - 1)!"),
                limit,
            });
        }
        let mut vectors = vec![Vec::new()];
        for step in 0..sequence.len() as u32 {
            let most = match step {
                0 => 1,
                _ => sequence.len() as u32 - step,
            };
            vectors = vectors
                .iter()
                .flat_map(|vector| {
                    (1..=most).map(move |distance| [&vector[..], &[distance]].concat())
                })
                .collect();
        }
        vectors
            .into_iter()
            .map(|vector| Self::new(sequence.to_vec(), Strategy::Jump(vector)))
            .collect()
    }

    /// Returns the naive strategy over every non-empty subset of a sequence, in the sequence's
    /// order: the algorithms among which a secret choice among unsafe algorithms is made (the
    /// k-jump paper, section 7). There are 2ⁿ − 1 plans.
    ///
    /// # Errors
    /// [`Error::BeyondLimit`] if there are more than `limit`.
    pub fn naive_subsets(sequence: &[usize], limit: u64) -> Result<Vec<Self>, Error> {
        if sequence.len() >= 64 || (1u64 << sequence.len()) - 1 > limit {
            return Err(Error::BeyondLimit {
                what: "subsets of functions",
                needed: format!("2^{} - 1", sequence.len()),
                limit,
            });
        }
        (1u64..1 << sequence.len())
            .map(|subset| {
                let chosen = sequence
                    .iter()
                    .enumerate()
                    .filter(|(step, _)| subset >> step & 1 == 1)
                    .map(|(_, &function)| function)
                    .collect();
                Self::new(chosen, Strategy::Naive)
            })
            .collect()
    }

    /// Checks that every step's function exists.
    pub(super) fn check(&self, functions: &Functions) -> Result<(), PlanError> {
        let functions = functions.partitions().len();
        match self.sequence.iter().find(|&&function| function >= functions) {
            Some(&function) => Err(PlanError::NoSuchFunction { function, functions }),
            None => Ok(()),
        }
    }
}
