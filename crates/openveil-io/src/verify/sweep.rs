//! All multisets up to a number of people.

use super::report::Figures;
use super::{Question, explain};
use crate::Error;
use openveil::verify::{Scenario, histograms, verify};
use serde::Serialize;

/// What was found over all multisets of one size.
#[derive(Debug, Clone, Serialize)]
pub struct SizeReport {
    /// Number of people.
    pub rows: u32,
    /// Multisets that the model allows.
    pub multisets: usize,
    /// The figures of all of them together.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Somebody who watches the walk through all multisets.
pub trait Observer {
    /// The multisets of so many people begin.
    fn begin(&self, rows: u32, multisets: u64);
    /// One more of them was enumerated.
    fn advance(&self);
}

/// An observer who looks away.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Observer for Nobody {
    fn begin(&self, _: u32, _: u64) {}
    fn advance(&self) {}
}

impl Question {
    /// Checks all multisets of up to `rows` people that the model allows; sizes of
    /// which it allows none are left out.
    ///
    /// # Errors
    /// More tables than the limit.
    pub fn of_multisets(
        &self,
        rows: u32,
        observer: &dyn Observer,
    ) -> Result<Vec<SizeReport>, Error> {
        let sizes = (1..=rows).map(|rows| self.of_size(rows, observer));
        let sizes: Vec<Option<SizeReport>> = sizes.collect::<Result<_, Error>>()?;
        Ok(sizes.into_iter().flatten().collect())
    }

    fn of_size(&self, rows: u32, observer: &dyn Observer) -> Result<Option<SizeReport>, Error> {
        let scenario_of = |counts: Vec<u32>| {
            let values: Vec<String> = (1u32..)
                .zip(counts)
                .flat_map(|(value, count)| vec![value.to_string(); count as usize])
                .collect();
            self.scenario(&values, None)
        };
        let all = histograms(rows).into_iter().map(scenario_of);
        let all = all.collect::<Result<Vec<Scenario>, Error>>()?;
        let allowed =
            |scenario: &Scenario| self.algorithm.check(scenario.table(), &self.model).is_ok();
        let multisets: Vec<Scenario> = all.into_iter().filter(allowed).collect();
        observer.begin(rows, multisets.len() as u64);
        let mut total: Option<Figures> = None;
        for scenario in &multisets {
            let found = verify(self.algorithm, scenario);
            let figures = Figures::of(&found.map_err(|cause| explain(scenario, cause))?);
            observer.advance();
            total = Some(match total {
                Some(total) => total.and(figures),
                None => figures,
            });
        }
        Ok(total.map(|figures| SizeReport {
            rows,
            multisets: multisets.len(),
            figures,
        }))
    }
}
