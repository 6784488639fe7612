//! Worlds: possible tables that are completed from the fit, published again and fitted again.
//!
//! The error of an estimate cannot be computed from the release. It can be computed for a table
//! that was completed from the fit, published by the same algorithm, and estimated the same way.
//! The mean error over worlds is subtracted from the estimate, and its spread is the standard
//! error. Source: ASSOCIATIONS.md, "Correct by worlds, and take errors from them".

use crate::evidence::{Evidence, Meaning};
use crate::fit::Fit;
use crate::learned::{by_column, slope};
use crate::people::People;
use crate::posterior::RowPosterior;
use crate::table::{Ask, CellCounts};
use openveil_core::algorithm::{Algorithm, Replay, Settings};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::model::Model;
use openveil_core::release::{Content, Style, publish_in_classes};
use openveil_core::table::View;
use rayon::prelude::*;
use std::num::NonZeroU32;
use std::sync::OnceLock;

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
        let groups = self
            .algorithm
            .partition_with(&view, &self.model, &self.settings, coins)?;
        let (content, _) = publish_in_classes(&view, &groups, self.style, self.class);
        Ok(evidence(&content, self.algorithm))
    }
}

/// The evidence of a release by an algorithm.
pub fn evidence(content: &Content, algorithm: &dyn Algorithm) -> Evidence {
    let evidence = Evidence::new(content);
    match algorithm.profile().replay {
        Replay::Columns => evidence.of_columns(),
        _ => evidence,
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
    pub(crate) fn of(evidence: Evidence, fit: &Fit) -> Self {
        let posteriors = fit.posteriors(&evidence);
        Self {
            people: fit.people.clone(),
            evidence,
            posteriors,
        }
    }

    /// Counts by cell: the means over the sets of possible people.
    pub fn counts(&self, ask: &Ask) -> CellCounts {
        let sets = self.people.iter().zip(&self.posteriors);
        let all = sets.map(|(people, posterior)| ask.of_beliefs(people, posterior, &self.evidence));
        let all: Vec<CellCounts> = all.collect();
        let mean = |of: &dyn Fn(&CellCounts) -> &Vec<f64>| {
            let cells = 0..ask.cells();
            let sum = |cell: usize| all.iter().map(|own| of(own)[cell]).sum::<f64>();
            cells.map(|cell| sum(cell) / all.len() as f64).collect()
        };
        CellCounts {
            counts: mean(&|own| &own.counts),
            variances: mean(&|own| &own.variances),
        }
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
    /// The coefficients of the fit to it.
    theta: Vec<f64>,
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
    found: OnceLock<Vec<Option<f64>>>,
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
                let own = (0..number).map(|_| SecretCoins::keyed_by(&mut coins));
                let own: Vec<SecretCoins> = own.collect();
                let world = |mut coins| {
                    let (people, values, released, again) =
                        again(&evidence, &meaning, &fit, recipe, &mut coins)?;
                    let theta = again.theta.clone();
                    let estimated = Estimated::of(released, &again);
                    Ok::<_, openveil_core::Error>(CompletedWorld {
                        people,
                        values,
                        estimated,
                        theta,
                    })
                };
                own.into_par_iter().map(world).collect::<Result<_, _>>()?
            }
        };
        Ok(Self {
            release: Estimated::of(evidence, &fit),
            fit,
            meaning,
            worlds,
            found: OnceLock::new(),
        })
    }

    /// Draws tables that the release may come from: people and their values, in the order of the
    /// release's rows. Each is drawn from the fit mirrored at a world's fit, so that the tables
    /// reflect the uncertainty of the fit. They are strengthened so that on average they show the
    /// same associations as corrected estimates. Time: a few passes over the release for each.
    pub fn completed(&self, number: usize, seed: u64) -> Vec<(People, Vec<u32>)> {
        let mut coins = SecretCoins::from_test_seed(seed);
        let factors = self.factors(&mut coins);
        let draw = |at: usize| {
            let other = if self.worlds.is_empty() {
                None
            } else {
                Some(&self.worlds[at % self.worlds.len()].theta[..])
            };
            let evidence = &self.release.evidence;
            self.fit
                .complete_beside(evidence, other, &factors, &mut coins)
        };
        (0..number).map(draw).collect()
    }

    /// For each axis, the factor by which the fit must be strengthened so that its completed tables
    /// show the associations of corrected estimates. Without it the posterior in groups is too
    /// even, because it considers each group by itself.
    fn factors(&self, coins: &mut SecretCoins) -> Vec<f64> {
        let columns = self.meaning.known.len();
        let mut factors = vec![1.0; columns];
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
            (ask, counts)
        };
        let corrected: Vec<(Ask, Vec<f64>)> = (0..columns).map(corrected).collect();
        for _ in 0..FACTOR_ROUNDS {
            let evidence = &self.release.evidence;
            let (people, drawn) = self.fit.complete_beside(evidence, None, &factors, coins);
            for (factor, (ask, corrected)) in factors.iter_mut().zip(&corrected) {
                let counts = ask.of_values(&people, &drawn, evidence);
                if let Some(slope) = slope(&counts, corrected, values) {
                    *factor = (*factor / slope.max(0.3)).clamp(0.7, MOST_FACTOR);
                }
            }
        }
        factors
    }

    /// For each known column, how much of its association with the secret the fit finds again in
    /// worlds: the slope of estimated on true deviations from independence. 1 means all of it. The
    /// value is the mean slope over worlds plus two standard errors. `None` without worlds, or if
    /// there is no association.
    pub(crate) fn found_again(&self) -> &[Option<f64>] {
        self.found.get_or_init(|| {
            let values = self.meaning.secret.values();
            let found = |column: usize| {
                let worlds = self.in_worlds(&by_column(&self.meaning, column, values));
                let worlds = worlds.iter();
                let slopes = worlds.filter_map(|(found, truth)| slope(found, truth, values));
                let slopes: Vec<f64> = slopes.collect();
                (slopes.len() > 1).then(|| at_most(&slopes))
            };
            (0..self.meaning.known.len()).map(found).collect()
        })
    }

    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        self.worlds.len()
    }

    /// For each world: the estimated counts, and the counts of its table.
    pub fn in_worlds(&self, ask: &Ask) -> Vec<(Vec<f64>, Vec<f64>)> {
        let counts = |world: &CompletedWorld| {
            let estimated = world.estimated.counts(ask).counts;
            (
                estimated,
                ask.of_values(&world.people, &world.values, &self.release.evidence),
            )
        };
        self.worlds.par_iter().map(counts).collect()
    }
}

/// The mean of some figures plus two standard errors of that mean.
fn at_most(figures: &[f64]) -> f64 {
    let number = figures.len() as f64;
    let mean = figures.iter().sum::<f64>() / number;
    let square = figures.iter().map(|own| (own - mean).powi(2)).sum::<f64>();
    mean + 2.0 * (square / (number - 1.0) / number).sqrt()
}

/// A completed table, its release, and the fit to that release.
fn again(
    evidence: &Evidence,
    meaning: &Meaning,
    fit: &Fit,
    recipe: &Recipe,
    coins: &mut SecretCoins,
) -> Result<(People, Vec<u32>, Evidence, Fit), openveil_core::Error> {
    let (people, values) = fit.complete(evidence, coins);
    let secret = meaning.secret.clone().with_codes(values.clone());
    let view = View::new(people.columns_of(meaning), secret)?;
    let released = recipe.publish(view, coins)?;
    let again = fit.again(&released, coins);
    Ok((people, values, released, again))
}

#[cfg(test)]
pub(crate) mod tests;
