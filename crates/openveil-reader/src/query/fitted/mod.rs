//! One table of a release in codes, with the fit of its secret on its known columns.
//!
//! A fit takes seconds where a count takes milliseconds, so it is made when it is first needed and
//! kept.

mod answer;
mod completed;
mod crosstab;
mod evidence;
mod formula;
mod recipe;
mod secret;

pub(super) use answer::without;
pub use answer::{CheckEntry, FigureEntry};
pub use completed::{Completed, Metadata, Weights};
pub(super) use crosstab::Made;
pub use crosstab::{Cell, CrossTable, IndependenceEntry, Request, Statistic};
pub(super) use formula::response;
pub use formula::{CoefficientEntry, LevelsEntry, Regression};
pub(super) use secret::SecretColumns;

use super::tables::TextTables;
use evidence::CodedTable;
use openveil_analysis::{Analysis, Evidence, Recipe, Verdict};
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The most entries in a fit's table of chances: rows times values of their groups.
const MOST_CHANCES: usize = 1 << 29;

/// How much work goes into a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Completed tables that are published and fitted again, for bias and errors.
    pub worlds: usize,
    /// Seed of random draws: the same release and seed give the same figures.
    pub seed: u64,
}

impl Effort {
    /// Default number of worlds.
    pub const WORLDS: usize = 8;
    /// The most worlds.
    pub const MOST_WORLDS: usize = 1_000;
}

impl Default for Effort {
    fn default() -> Self {
        Self { worlds: Self::WORLDS, seed: 1 }
    }
}

/// A table of a release in codes, and its fit.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) coded: CodedTable,
    /// The share of each column's association that the report states.
    reported: HashMap<String, f64>,
    /// How to publish a completed table again, or why that is not known.
    recipe: Result<Recipe, Text>,
    /// Whether groups were matched by likeness, so that no model says how values came into them.
    is_matched: bool,
    /// The algorithm, if the manifest lacks its parameters although it should have them.
    lacks_parameters: Option<String>,
    effort: Effort,
    analysis: OnceLock<Result<Analysis, Text>>,
}

impl Fitted {
    /// Returns the table of this number in codes; none if it has no groups.
    pub(super) fn new(
        tables: &TextTables,
        number: usize,
        with_others: bool,
        only: Option<&str>,
        effort: Effort,
    ) -> Option<Self> {
        let coded = CodedTable::new(tables, number, with_others, only)?;
        let recipe = recipe::read(tables.folder(), only);
        let lacks = recipe::lacks_parameters(tables.folder());
        let lacks_parameters = lacks.then(|| tables.manifest().algorithm.clone());
        let manifest = tables.manifest();
        let secrets = coded.secrets.join(" + ");
        let learned = manifest.utility.learned.iter().filter(|own| own.sensitive == secrets);
        let columns = learned.flat_map(|own| &own.columns);
        Some(Self {
            is_matched: manifest.is_matched(),
            reported: columns.map(|own| (own.column.clone(), own.recovered)).collect(),
            coded,
            recipe,
            lacks_parameters,
            effort,
            analysis: OnceLock::new(),
        })
    }

    /// Checks that worlds can be made, if any are requested.
    ///
    /// # Errors
    /// A manifest that lacks the parameters of its algorithm.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.lacks_parameters {
            Some(name) if self.effort.worlds > 0 => Err(refused(
                text!(
                    "the manifest does not give the parameters of `{name}`, so that estimates cannot be corrected"
                ),
                text!(
                    "ask for the fit alone with `--worlds 0`, or use the manifest as this version published it"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The fit.
    ///
    /// # Errors
    /// The reason in words, if there is no fit.
    pub(super) fn analysis(&self) -> Result<&Analysis, &Text> {
        let analysis = self.analysis.get_or_init(|| self.fit(&[]));
        analysis.as_ref()
    }

    /// Fits the release, with these pairs of known columns.
    fn fit(&self, pairs: &[(usize, usize)]) -> Result<Analysis, Text> {
        let evidence = &self.coded.evidence;
        if self.coded.meaning.known.is_empty() {
            return Err(text!("the release shows no known column"));
        }
        if self.is_matched {
            return Err(text!(
                "`cover` matched people who are alike, so its groups show associations halved or turned: counts with certain bounds are possible, estimates by a model are not"
            ));
        }
        let (groups, least) = (evidence.groups(), Evidence::LEAST_GROUPS);
        if groups < least {
            return Err(text!("the release has {groups} groups, but a fit needs {least}"));
        }
        let chances = (0..groups).map(|group| {
            let rows = evidence.rows_of(group);
            let values = evidence.values()[rows.clone()].chunk_by(|a, b| a == b).count();
            rows.len().saturating_mul(values)
        });
        if chances.fold(0, usize::saturating_add) > MOST_CHANCES {
            return Err(text!("the groups are too large to be fitted"));
        }
        let of = |recipe| {
            let mut meaning = self.coded.meaning.clone();
            meaning.pairs = pairs.to_vec();
            Analysis::new(evidence.clone(), meaning, recipe, self.effort.seed)
        };
        let worlds = match self.effort.worlds {
            0 => None,
            worlds => self.recipe.as_ref().ok().map(|recipe| (recipe, worlds)),
        };
        // If the algorithm refuses a completed table, the fit is used without worlds.
        let analysis = of(worlds).or_else(|_| of(None));
        analysis.map_err(|cause| cause.in_words())
    }

    /// Checks how far figures of the secret by these known columns can be used.
    pub(super) fn checks(
        &self,
        analysis: &Analysis,
        columns: impl Iterator<Item = usize>,
    ) -> Vec<CheckEntry> {
        columns
            .filter_map(|column: usize| {
                let found = analysis.check(column)?;
                let column = self.coded.meaning.known[column].name().to_owned();
                let reported = self.reported.get(&column).copied();
                let least = found.certain.min(found.found).min(reported.unwrap_or(1.0));
                Some(CheckEntry {
                    verdict: Verdict::of(least).name(),
                    certain: found.certain,
                    found: found.found,
                    reported,
                    column,
                })
            })
            .collect()
    }

    /// Returns notes on figures by this fit; `intervals` describes the intervals without worlds.
    pub(super) fn notes(&self, analysis: &Analysis, intervals: Text) -> Vec<Text> {
        let mut notes = Vec::new();
        if analysis.worlds() < 2 {
            let uncorrected = text!("{intervals:text}, and estimates are not corrected for bias");
            notes.push(match &self.recipe {
                Err(why) => text!("{why:text}; {uncorrected:text}"),
                Ok(_) => uncorrected,
            });
        }
        if !analysis.fit.converged {
            notes.push(text!("the fit did not converge"));
        }
        notes
    }
}

/// Returns the error for something that cannot be answered: the problem, and what to do.
pub(super) fn refused(problem: impl Into<Text>, help: impl Into<Text>) -> Error {
    Error::new(Location::default(), problem).help(help)
}
