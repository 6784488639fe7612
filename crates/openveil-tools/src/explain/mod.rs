//! Demonstrates the theory: lists a reader's conclusions about a few people, with every set that
//! the papers define.
//!
//! Everything is enumerated and exact. [`verify`](openveil_papers::verify) does the computing; this
//! module gives people and values names.

mod covers;
mod picture;
mod property;
mod published;
mod scene;
mod sets;
mod strategies;
mod together;

pub use covers::{CoverSearch as CoversOutcome, CoversOfValue, CoversReport};
pub use property::{ExplainedProperty, ShareBound};
pub use scene::Scene;
pub use sets::{PaperSets, SetReport};
pub use strategies::{SecretChoice, StepReport, StrategyReport};
pub use together::{FunctionReport, Known, Together};

use openveil_core::table::Groups;
use openveil_io::Error;
use openveil_papers::disclosure::{Functions, ListedTables, Predicate};
use openveil_reader::picture::Picture;
use property::AskedProperty;
use published::ReleaseSeen;
use serde::Serialize;

/// A request for an explanation.
#[derive(Debug, Clone)]
pub struct ExplainRequest {
    /// The people and their values.
    pub scene: Scene,
    /// The property that everybody's chances must satisfy.
    pub property: ExplainedProperty,
    /// Functions, the best first: `AB|CD|EF; ABC|DEF`.
    pub functions: String,
    /// Jump vectors to follow; if empty, all.
    pub jumps: Vec<Vec<u32>>,
    /// One more grouping: does it break the covers of the functions?
    pub candidate: Option<String>,
    /// Releases by others: groups with their values, `A B: flu, cold | C D: flu, flu`, or a file
    /// with a table, if the people were read from one.
    pub published: Vec<String>,
    /// Whether to list the locally safe partitions and their safe sets.
    pub sets: bool,
    /// How many tables may be enumerated.
    pub limit: u64,
}

/// The findings.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The people.
    pub people: Vec<String>,
    /// Their values, in the same order.
    pub values: Vec<String>,
    /// The property that must hold for everybody, in words.
    pub property: String,
    /// The largest allowed share of a value; null if a model was requested.
    pub bound: Option<String>,
    /// Tables with these values.
    pub tables: u128,
    /// Each function separately, as if the algorithm were a secret.
    pub functions: Vec<FunctionReport>,
    /// All published releases combined.
    pub together: Option<Together>,
    /// The releases of algorithms that try the functions in turn.
    pub strategies: Vec<StrategyReport>,
    /// A jump vector chosen at random in secret.
    pub secret_choice: Option<SecretChoice>,
    /// A subset of the functions chosen at random in secret, which `naive` tries.
    pub secret_functions: Option<SecretChoice>,
    /// Sets of partitions.
    pub sets: Option<PaperSets>,
    /// The functions' covers, by the L-Cover paper and by the Privacy Streamliner.
    pub covers: Vec<CoversReport>,
    /// Worlds that remain possible, and worlds that are ruled out.
    #[serde(skip)]
    pub pictures: Vec<Picture>,
}

/// Computes the explanation.
///
/// Time and memory: the tables of the multiset, times functions and strategies; with `sets` also
/// times the partitions of the people.
///
/// # Errors
/// People or values that do not exist, groups that are not a partition, and more tables than the
/// limit.
pub fn explain(request: &ExplainRequest) -> Result<Explanation, Error> {
    let scene = &request.scene;
    let functions = scene.groupings(&request.functions)?;
    let published: Vec<_> = request
        .published
        .iter()
        .map(|text| ReleaseSeen::read(text, scene))
        .collect::<Result<_, Error>>()?;
    let candidate = request.candidate.as_deref().map(|text| scene.grouping(text)).transpose()?;
    let known = Functions::new(scene.people.len(), functions.iter().cloned())?;
    let space = ListedTables::new(&known, &scene.counts(), request.limit)?;
    let job = ExplanationBasis {
        request,
        functions: &functions,
        known: &known,
        space: &space,
        asked: request.property.bind(scene)?,
    };
    let tried = strategies::explain(&job)?;
    Ok(Explanation {
        people: scene.people.clone(),
        values: scene.values().map(str::to_owned).collect(),
        property: request.property.to_string(),
        bound: match &request.property {
            ExplainedProperty::Share(bound) => Some(bound.to_string()),
            ExplainedProperty::Model(_) => None,
        },
        tables: openveil_papers::disclosure::TableSpace::tables(&space),
        functions: together::each(&job)?,
        together: together::all(&job, &published)?,
        strategies: tried.reports,
        secret_choice: tried.choice,
        secret_functions: tried.of_functions,
        sets: request.sets.then(|| sets::explain(&job)).transpose()?,
        covers: covers::explain(&job, candidate.as_ref())?,
        pictures: tried.pictures,
    })
}

/// The common data of all parts of an explanation.
struct ExplanationBasis<'a> {
    request: &'a ExplainRequest,
    functions: &'a [Groups],
    known: &'a Functions,
    space: &'a ListedTables,
    asked: AskedProperty,
}

impl ExplanationBasis<'_> {
    fn scene(&self) -> &Scene {
        &self.request.scene
    }

    fn predicate(&self) -> &dyn Predicate {
        &*self.asked.predicate
    }
}

#[cfg(test)]
mod tests;
