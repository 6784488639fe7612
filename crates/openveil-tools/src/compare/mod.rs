//! Compares ways of publishing a table before one of them is chosen: privacy, utility, association
//! and time side by side, over several trials.
//!
//! A choice that depends on who has which value discloses values to a reader who knows how it was
//! made. So other data are measured ([`Basis`]), or the use of true values is recorded and the
//! promise of later releases withdrawn.

mod basis;
mod figures;
pub mod plot;
mod report;
mod setting;
mod state;

pub use basis::Basis;
pub use figures::{ComparedFigure, FIGURES, Trial};
pub use report::{CSV_BEGINS, Comparison, Row};
pub use setting::{Setting, values_of_l};

use basis::ReadyBasis;
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::SecretCoins;
use openveil_core::release::Style;
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::record;
use openveil_io::{Error, Location, Seen, Sight};
use openveil_text::Text;
use setting::settings;
use state::CompareState;
use std::path::PathBuf;

/// The settings to compare, and the data to measure them on.
#[derive(Debug, Clone)]
pub struct CompareRequest {
    /// The policies, at least one.
    pub policies: Vec<Policy>,
    /// Values of `l` that replace the policies'; empty to keep them.
    pub l: Vec<u32>,
    /// Algorithms that replace the policies'; empty to keep them.
    pub algorithms: Vec<&'static dyn Algorithm>,
    /// Styles that replace the policies'; empty to keep them.
    pub styles: Vec<Style>,
    /// The data to measure on.
    pub basis: Basis,
    /// Runs of each setting, at least 1.
    pub trials: u32,
    /// Random count queries of each kind.
    pub queries: usize,
    /// The file for finished trials, to resume after an interruption.
    pub state: Option<PathBuf>,
    /// Seed of repeatable random draws, for tests.
    pub test_seed: Option<u64>,
}

/// Publishes in memory with every setting, several times, and measures the releases. It writes only
/// the state, for the owner.
///
/// # Errors
/// Bad input; settings that fit no policy; a state file that cannot be read or written.
/// A setting that the table does not allow is not an error: its row gives the reason.
pub fn run(request: &CompareRequest, observer: &dyn Observer) -> Result<Comparison, Error> {
    let settings = settings(request)?;
    let ground = ReadyBasis::new(request)?;
    let mut state = CompareState::open(request.state.as_deref())?;
    let mut rows = Vec::new();
    for (number, policy) in request.policies.iter().enumerate() {
        let own: Vec<&Setting> =
            settings.iter().filter(|setting| setting.policy == number).collect();
        observer.begin(Stage::Read, ground.policy(policy).input.source.total_bytes());
        let draws = &mut coins(request, number as u64, u64::MAX - 1);
        let (table, seen) = ground.read(policy, observer, draws)?;
        observer.begin(Stage::Compare, Some(own.len() as u64 * u64::from(request.trials)));
        let keys = own
            .iter()
            .map(|setting| ground.key(setting, request))
            .collect::<Result<Vec<String>, Error>>()?;
        let mut found: Vec<Row> = own.iter().map(|setting| Row::new(setting)).collect();
        for trial in 0..request.trials {
            // All settings of a trial use the same data, so that differences come from the
            // settings.
            let view = ground.view(&table.view, &mut coins(request, trial.into(), u64::MAX))?;
            for (number, (setting, row)) in own.iter().zip(&mut found).enumerate() {
                let key = &keys[number];
                let measured = match state.trial(key, trial) {
                    Some(known) => known,
                    None => {
                        let mut coins = coins(request, trial.into(), number as u64);
                        let tables = (&table, &view);
                        let measured = ground.trial(setting, tables, request, trial, &mut coins)?;
                        state.keep(key, trial, &measured)?;
                        measured
                    }
                };
                if let (Some(seen), true) = (&seen, measured.refused.is_some()) {
                    let refused = Seen { sight: Sight::Model, ..seen.clone() };
                    record::look_at(policy, &refused)?;
                }
                row.add(measured);
                observer.advance(1);
            }
        }
        rows.extend(found);
    }
    Ok(Comparison::new(&ground, request, rows))
}

/// Returns the coins for one purpose in one trial.
fn coins(request: &CompareRequest, trial: u64, of: u64) -> SecretCoins {
    match request.test_seed {
        None => SecretCoins::from_os(),
        Some(seed) => {
            let step = trial.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            SecretCoins::from_test_seed(seed.wrapping_add(step) ^ of.rotate_left(32))
        }
    }
}

/// Returns an error about the request.
fn refused(problem: impl Into<Text>, help: impl Into<Text>) -> Error {
    Error::new(Location::default(), problem).help(help)
}

#[cfg(test)]
mod tests;
