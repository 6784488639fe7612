//! Checks all multisets up to a number of people.

mod cases;
mod journal;

pub use cases::{Crossed, Orders, SweepCase};
pub use journal::Journal;

use super::report::Figures;
use super::{Question, explain};
use openveil_io::progress::{Observer, Stage};
use openveil_io::{Error, Location};
use openveil_papers::verify::{Scenario, verify};
use openveil_text::text;
use serde::Serialize;

/// Findings over all multisets of one size.
#[derive(Debug, Clone, Serialize)]
pub struct SizeReport {
    /// Number of people.
    pub rows: u32,
    /// Multisets that the model allows, counted once for each setting.
    pub multisets: usize,
    /// The sums of their figures.
    #[serde(flatten)]
    pub figures: Figures,
}

impl Question {
    /// Checks all multisets of up to `rows` people that the model allows; sizes of
    /// which it allows none are left out. Multisets in the journal are not enumerated again.
    ///
    /// # Errors
    /// More tables than the limit; a model that allows no multiset of so few people; a
    /// journal that cannot be written.
    pub fn of_multisets(
        &self,
        rows: u32,
        crossed: Crossed,
        mut journal: Option<&mut Journal>,
        observer: &dyn Observer,
    ) -> Result<Vec<SizeReport>, Error> {
        let sizes: Vec<SizeReport> = (1..=rows)
            .map(|rows| self.of_size(rows, crossed, Orders::All, journal.as_deref_mut(), observer))
            .collect::<Result<Vec<Option<SizeReport>>, Error>>()?
            .into_iter()
            .flatten()
            .collect();
        if sizes.is_empty() {
            let name = self.algorithm.name();
            let problem = text!(
                "`{name}` with {} allows no multiset of up to {rows} people{}",
                self.model,
                crossed.in_words()
            );
            let help = "choose more people or weaker parameters";
            return Err(Error::new(Location::default(), problem).help(help));
        }
        Ok(sizes)
    }

    /// Checks all multisets of so many people that the model allows; none if it allows none.
    ///
    /// # Errors
    /// As [`Self::of_multisets`], except that a model may allow none.
    pub fn of_size(
        &self,
        rows: u32,
        crossed: Crossed,
        orders: Orders,
        mut journal: Option<&mut Journal>,
        observer: &dyn Observer,
    ) -> Result<Option<SizeReport>, Error> {
        let all = crossed
            .cases(rows, orders)
            .into_iter()
            .map(|case: SweepCase| Ok((self.scenario_of(&case)?, case)))
            .collect::<Result<Vec<(Scenario, SweepCase)>, Error>>()?;
        let allowed =
            |scenario: &Scenario| self.algorithm.check(scenario.table(), &self.model).is_ok();
        let cases: Vec<_> = all.into_iter().filter(|(own, _)| allowed(own)).collect();
        observer.begin(Stage::Enumerate, Some(cases.len() as u64));
        let mut total: Option<Figures> = None;
        for (scenario, case) in &cases {
            let known = journal.as_ref().and_then(|journal| journal.known(case));
            let figures = match known {
                Some(figures) => figures.clone(),
                None => {
                    let found = verify(self.algorithm, scenario)
                        .map_err(|cause| explain(scenario, cause))?;
                    let figures = Figures::new(&found);
                    if let Some(journal) = journal.as_deref_mut() {
                        journal.note(case, &figures)?;
                    }
                    figures
                }
            };
            observer.advance(1);
            total = Some(match total {
                Some(total) => total.and(figures),
                None => figures,
            });
        }
        Ok(total.map(|figures| SizeReport { rows, multisets: cases.len(), figures }))
    }

    fn scenario_of(&self, case: &SweepCase) -> Result<Scenario, Error> {
        let scenario = self.scenario(&case.values(), None)?;
        let scenario = match case.strata() {
            None => scenario,
            Some(strata) => {
                let ranks: Vec<u32> = (0..strata.len() as u32).collect();
                let scenario = scenario.with_numbers(&[&ranks, &strata])?;
                scenario.with_strata(["q2"])?
            }
        };
        Ok(match case.exempt(scenario.table().secret().values()) {
            None => scenario,
            Some(exempt) => scenario.with_exempt(exempt),
        })
    }
}
