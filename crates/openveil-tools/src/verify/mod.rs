//! The text interface of the model checker: parses values, layouts and functions, and returns
//! reports.

mod history;
mod report;
mod scenario;
mod strategy;
mod sweep;

pub use history::{HistoryReport, history};
pub use report::{Example, Figures, VerifyReport};
pub(crate) use scenario::people_with;
pub use strategy::{Heard, StrategyConclusions};
pub use sweep::{Crossed, Journal, Orders, SizeReport, SweepCase};

use openveil_core::algorithm::Algorithm;
use openveil_core::model::{Ineligible, Informed, Model};
use openveil_io::{Error, Location};
use openveil_papers::verify::{Scenario, exchanges, verify};
use openveil_text::text;

/// The question, without the people.
#[derive(Debug, Clone)]
pub struct Question {
    /// The algorithm to check.
    pub algorithm: &'static dyn Algorithm,
    /// The model that it has to satisfy.
    pub model: Model,
    /// Whether the reader sees only the released cells, not who is in which group.
    pub cells_only: bool,
    /// Columns that define strata; `q1` is the first.
    pub strata: Vec<String>,
    /// Readers who are informed about some people. They are checked even if the model does not
    /// cover them.
    pub informed: Option<Informed>,
    /// The odds of readers who tell people of a group apart, if they are asked about.
    pub direction: Option<f64>,
    /// How many tables may be enumerated.
    pub limit: u64,
}

impl Question {
    /// Checks all tables of one multiset of values. `layout` has the
    /// quasi-identifiers by person, columns separated by `;`; without it people
    /// differ in one column.
    ///
    /// # Errors
    /// Values or a layout that do not form a table; a model that no release can satisfy; more
    /// tables than the limit.
    pub fn of_values(
        &self,
        values: &[String],
        layout: Option<&str>,
    ) -> Result<VerifyReport, Error> {
        let scenario = self.scenario(values, layout)?;
        let found = verify(self.algorithm, &scenario).map_err(|cause| explain(&scenario, cause))?;
        let told = self
            .direction
            .map(|odds| exchanges(self.algorithm, &scenario, odds))
            .transpose()
            .map_err(|cause| explain(&scenario, cause))?;
        let report = VerifyReport::new(self.algorithm, &scenario, &found);
        Ok(VerifyReport { exchanges: told, ..report })
    }
}

/// Describes the problem with the values as they were written.
fn explain(scenario: &Scenario, cause: openveil_core::Error) -> Error {
    match cause {
        openveil_core::Error::Ineligible(Ineligible::TooFrequent { l, value, count, rows }) => {
            let label = scenario.table().secret().label(value);
            Error::new(
                Location::default(),
                text!("the value {label} appears in {count} of {rows} rows, more than 1/{l} of them: no release can satisfy the guarantee"),
            )
            .help("choose a smaller l or other values")
        }
        openveil_core::Error::BeyondLimit { .. } => {
            Error::from(cause).help(text!("`--limit N` raises the number of tables"))
        }
        other => other.into(),
    }
}
