//! Worlds: possible tables that are completed from the fit, published again and fitted again.
//!
//! The error of an estimate cannot be computed from the release. It can be computed for a table
//! that was completed from the fit, published by the same algorithm, and estimated the same way.
//! Worlds come from the model, so they do not show how well it fits this release. Fits that leave
//! out a part of the groups show that. Source: EXCHANGE.md, design 7.

use crate::evidence::{Evidence, Meaning, ShownCodes};
use crate::fit::{Fit, PartFit};
use crate::learned::{by_column, slope};
use crate::people::People;
use crate::posterior::RowPosterior;
use crate::table::{Ask, CellCounts};
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::model::Model;
use openveil_core::release::{Style, publish_in_classes};
use openveil_core::table::View;
use rayon::prelude::*;
use std::num::NonZeroU32;

/// The number of rounds in which the strength of completed tables is determined.
const FACTOR_ROUNDS: usize = 3;

/// The greatest factor by which an axis is strengthened.
const MOST_FACTOR: f64 = 2.0;

/// How a release was made, according to its manifest.
#[derive(Debug)]
pub struct Recipe {
    /// The algorithm.
    pub algorithm: &'static dyn Algorithm,
    /// The model that its groups satisfy.
    pub model: Model,
    /// Its parameters.
    pub settings: Settings,
    /// How known columns are published.
    pub style: Style,
    /// The fewest rows of a class, if groups are divided.
    pub class: Option<NonZeroU32>,
    /// The known columns that fix the strata.
    pub strata: Vec<String>,
}

impl Recipe {
    /// Publishes a table.
    ///
    /// # Errors
    /// The errors of the algorithm.
    pub fn publish(
        &self,
        view: View,
        coins: &mut dyn Coins,
    ) -> Result<Evidence, openveil_core::Error> {
        let view = view.with_strata(&self.strata)?;
        let groups = self.algorithm.partition_with(&view, &self.model, &self.settings, coins)?;
        let (content, _) = publish_in_classes(&view, &groups, self.style, self.class);
        Ok(Evidence::new(&content))
    }
}

/// A release, with the estimated chances of each row's values.
#[derive(Debug)]
pub struct Estimated {
    /// The release.
    pub evidence: Evidence,
    /// Possible people.
    pub people: Vec<People>,
    /// The beliefs about each set of them.
    pub posteriors: Vec<RowPosterior>,
}

impl Estimated {
    pub(crate) fn new(evidence: Evidence, fit: &Fit) -> Self {
        let posteriors = fit.posteriors(&evidence);
        Self { people: fit.people.clone(), evidence, posteriors }
    }

    /// Counts by cell: the means over the sets of possible people.
    pub fn counts(&self, ask: &Ask) -> CellCounts {
        let all: Vec<CellCounts> = self
            .people
            .iter()
            .zip(&self.posteriors)
            .map(|(people, posterior)| ask.of_beliefs(people, posterior, &self.evidence))
            .collect();
        let mean = |of: &dyn Fn(&CellCounts) -> &Vec<f64>| {
            let cells = 0..ask.cells();
            let sum = |cell: usize| all.iter().map(|own| of(own)[cell]).sum::<f64>();
            cells.map(|cell| sum(cell) / all.len() as f64).collect()
        };
        CellCounts { counts: mean(&|own| &own.counts), variances: mean(&|own| &own.variances) }
    }
}

/// A completed table, and the beliefs about its release.
#[derive(Debug)]
pub struct CompletedWorld {
    /// The people of the completed table, in the rows of the release.
    pub(crate) people: People,
    /// Their values.
    pub(crate) values: Vec<u32>,
    /// The release of that table.
    pub(crate) estimated: Estimated,
}

/// A release with its fit, and worlds for comparison.
#[derive(Debug)]
pub struct Analysis {
    /// The meaning of the columns.
    pub meaning: Meaning,
    /// The release.
    pub release: Estimated,
    /// The fit.
    pub fit: Fit,
    pub(crate) worlds: Vec<CompletedWorld>,
    /// Fits that leave out a part of the groups; none without worlds.
    pub(crate) without_some: Vec<PartFit>,
}

impl Analysis {
    /// Fits a release and the requested number of worlds.
    ///
    /// # Errors
    /// If the recipe refuses a table completed from its own release.
    pub fn new(
        evidence: Evidence,
        meaning: Meaning,
        recipe: Option<(&Recipe, usize)>,
        seed: u64,
    ) -> Result<Self, openveil_core::Error> {
        let mut coins = SecretCoins::from_test_seed(seed);
        let fit = Fit::new(&evidence, &meaning, &mut coins);
        let worlds = match recipe {
            None => Vec::new(),
            Some((recipe, number)) => {
                let own: Vec<SecretCoins> =
                    (0..number).map(|_| SecretCoins::keyed_by(&mut coins)).collect();
                own.into_par_iter()
                    .map(|mut coins| {
                        let (people, values, released, again) =
                            again(&evidence, &meaning, &fit, recipe, &mut coins)?;
                        Ok::<_, openveil_core::Error>(CompletedWorld {
                            people,
                            values,
                            estimated: Estimated::new(released, &again),
                        })
                    })
                    .collect::<Result<_, _>>()?
            }
        };
        let without_some = match recipe {
            None => Vec::new(),
            Some(_) => fit.without_some(&evidence),
        };
        Ok(Self { without_some, release: Estimated::new(evidence, &fit), fit, meaning, worlds })
    }

    /// Draws tables that the release may come from: people and their values, in the order of the
    /// release's rows. Each is drawn from the fit plus a random error as large as the jackknife
    /// finds. Where the release shows cells, tables are strengthened so that on average they show
    /// the same associations as corrected estimates. Time: a few passes over the release for each.
    pub fn completed(&self, number: usize, seed: u64) -> Vec<(People, Vec<u32>)> {
        let mut coins = SecretCoins::from_test_seed(seed);
        let factors = self.factors(&mut coins);
        let evidence = &self.release.evidence;
        (0..number)
            .map(|_| {
                let theta = self.fit.disturbed(&self.without_some, &mut coins);
                self.fit.complete(evidence, &theta, &factors, &mut coins)
            })
            .collect()
    }

    /// Whether a column shows cells, so that its codes were drawn by the fit.
    pub(crate) fn shows_cells(&self, column: usize) -> bool {
        matches!(self.release.evidence.known()[column], ShownCodes::Cells { .. })
    }

    /// For each axis, the factor by which the fit must be strengthened so that its completed tables
    /// show the associations of corrected estimates: 1 if these are not corrected.
    fn factors(&self, coins: &mut SecretCoins) -> Vec<f64> {
        let mut factors = vec![1.0; self.meaning.known.len()];
        if self.worlds.len() < 2 {
            return factors;
        }
        let values = self.meaning.secret.values();
        let corrected = |column: usize| {
            let ask = by_column(&self.meaning, column, values);
            let mut counts = self.release.counts(&ask).counts;
            let worlds = self.in_worlds(&ask);
            for (estimated, truth) in &worlds {
                for ((own, estimated), truth) in counts.iter_mut().zip(estimated).zip(truth) {
                    *own -= (estimated - truth) / worlds.len() as f64;
                }
            }
            (column, ask, counts)
        };
        let corrected: Vec<(usize, Ask, Vec<f64>)> =
            (0..factors.len()).filter(|&column| self.shows_cells(column)).map(corrected).collect();
        if corrected.is_empty() {
            return factors;
        }
        for _ in 0..FACTOR_ROUNDS {
            let evidence = &self.release.evidence;
            let (people, drawn) = self.fit.complete(evidence, &self.fit.theta, &factors, coins);
            for (column, ask, corrected) in &corrected {
                let counts = ask.of_values(&people, &drawn, evidence);
                if let Some(slope) = slope(&counts, corrected, values) {
                    let factor = &mut factors[*column];
                    *factor = (*factor / slope.max(0.3)).clamp(0.7, MOST_FACTOR);
                }
            }
        }
        factors
    }

    /// For each part of the groups that is left out: the estimated counts.
    pub(crate) fn counts_without_some(&self, ask: &Ask) -> Vec<Vec<f64>> {
        self.without_some
            .par_iter()
            .map(|part| {
                let release = &self.release;
                ask.of_beliefs(&release.people[0], &part.posterior, &release.evidence).counts
            })
            .collect()
    }

    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        self.worlds.len()
    }

    /// For each world: the estimated counts, and the counts of its table.
    pub fn in_worlds(&self, ask: &Ask) -> Vec<(Vec<f64>, Vec<f64>)> {
        self.worlds
            .par_iter()
            .map(|world| {
                let estimated = world.estimated.counts(ask).counts;
                (estimated, ask.of_values(&world.people, &world.values, &self.release.evidence))
            })
            .collect()
    }
}

/// A completed table, its release, and the fit to that release.
fn again(
    evidence: &Evidence,
    meaning: &Meaning,
    fit: &Fit,
    recipe: &Recipe,
    coins: &mut SecretCoins,
) -> Result<(People, Vec<u32>, Evidence, Fit), openveil_core::Error> {
    let factors = vec![1.0; meaning.known.len()];
    let (people, values) = fit.complete(evidence, &fit.theta, &factors, coins);
    let secret = meaning.secret.clone().with_codes(values.clone());
    let view = View::new(people.columns_of(meaning), secret)?;
    let released = recipe.publish(view, coins)?;
    let again = fit.again(&released, coins);
    Ok((people, values, released, again))
}

#[cfg(test)]
pub(crate) mod tests;
