//! Checks naive, safe and k-jump over given functions, including silence.

use super::report::as_text;
use super::{Question, explain};
use crate::explain::Scene;
use openveil_core::exact::Fraction;
use openveil_io::{Error, Location};
use openveil_papers::disclosure::Functions;
use openveil_papers::disclosure::jump;
use openveil_papers::disclosure::jump::{JumpPlan, ReportLimits, Silence, Strategy};
use openveil_text::{Text, text};
use serde::Serialize;

/// Conclusions of readers from releases, and separately from silence.
#[derive(Debug, Clone, Serialize)]
pub struct StrategyConclusions {
    /// The strategy's name.
    pub algorithm: &'static str,
    /// The model with its parameters.
    pub model: String,
    /// Tables for which something is released.
    pub tables: u128,
    /// Distinguishable releases.
    pub releases: u64,
    /// Releases that disclose a value.
    pub unsafe_releases: u64,
    /// Tables that lead to an unsafe release.
    pub unsafe_tables: u128,
    /// The highest posterior of any value of any person after a release.
    #[serde(serialize_with = "as_text")]
    pub max_posterior: Fraction,
    /// Whether every release satisfies the model.
    pub safe: bool,
    /// The conclusions of a reader who knows the multiset of values, if nothing is released.
    pub silence_knows_multiset: Option<Heard>,
    /// The conclusions of a reader who does not know which value has which count, if nothing is
    /// released.
    pub silence_not_knowing_multiset: Option<Heard>,
}

/// The conclusions of one reader if nothing is released.
#[derive(Debug, Clone, Serialize)]
pub struct Heard {
    /// Tables for which nothing is released.
    pub tables: u128,
    /// The highest posterior of any value of any person.
    #[serde(serialize_with = "as_text")]
    pub max_posterior: Fraction,
    /// Whether everybody's posterior satisfies the model.
    pub safe: bool,
}

impl Heard {
    fn new(silence: &Silence) -> Self {
        Self {
            tables: silence.census.tables(),
            max_posterior: silence.census.highest_posterior(),
            safe: silence.holds,
        }
    }
}

impl Question {
    /// Follows the algorithm over given functions, the best first, for every table of a multiset:
    /// `AB|CD; ABCD`, with people named as by [`explain`](crate::explain). `jump` is the number of
    /// functions that k-jump jumps when one fails; 1 everywhere if it is empty.
    ///
    /// # Errors
    /// An algorithm that does not choose among functions; functions that are not partitions of the
    /// people; a jump vector of another length.
    pub fn of_functions(
        &self,
        values: &[String],
        functions: &str,
        jump: &[u32],
    ) -> Result<StrategyConclusions, Error> {
        let scenario = self.scenario(values, None)?;
        let plain = |cause: openveil_core::Error| explain(&scenario, cause);
        let partitions = Scene::new(values, &[])?.groupings(functions)?;
        let sequence: Vec<usize> = (0..partitions.len()).collect();
        let strategy = strategy(self.algorithm.name(), sequence.len(), jump)?;
        let rows = scenario.table().rows();
        let functions = Functions::new(rows, partitions).map_err(plain)?;
        let plan = JumpPlan::new(sequence, strategy).map_err(plain)?;
        let criteria = self.model.bind(scenario.table()).map_err(plain)?;
        let histogram = scenario.table().histogram();
        let limits = ReportLimits::default();
        let found = jump::report(&functions, histogram.counts(), &criteria, &[plan], limits)
            .map_err(plain)?;
        Ok(StrategyConclusions {
            algorithm: self.algorithm.name(),
            model: self.model.to_string(),
            tables: found.releases.cases,
            releases: found.releases.outputs,
            unsafe_releases: found.releases.unsafe_outputs,
            unsafe_tables: found.releases.unsafe_cases,
            max_posterior: found.releases.highest_posterior.clone(),
            safe: found.releases.are_safe(),
            silence_knows_multiset: found.silence_with_multiset.as_ref().map(Heard::new),
            silence_not_knowing_multiset: found.silence_without_multiset.as_ref().map(Heard::new),
        })
    }
}

fn strategy(algorithm: &str, functions: usize, jump: &[u32]) -> Result<Strategy, Error> {
    let error = |problem: Text| Error::new(Location::default(), problem);
    let strategy = match algorithm {
        "naive" => Strategy::Naive,
        "safe" => Strategy::Safe,
        "k-jump" if jump.is_empty() => Strategy::Jump(vec![1; functions]),
        "k-jump" => return Ok(Strategy::Jump(jump.to_vec())),
        other => {
            let problem = text!("`{other}` does not choose among given functions");
            return Err(
                error(problem).help(text!("`--functions` is for `naive`, `safe` and `k-jump`"))
            );
        }
    };
    if jump.is_empty() || algorithm == "k-jump" {
        Ok(strategy)
    } else {
        Err(error(text!("`--jump` is for `k-jump`")))
    }
}
