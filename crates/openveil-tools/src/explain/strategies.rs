//! Algorithms that try functions in turn, and the conclusions of a reader who knows them.

use super::picture::worlds;
use super::{ExplanationBasis, Known};
use openveil_io::Error;
use openveil_papers::disclosure::TableSpace;
use openveil_papers::disclosure::jump::{
    EvaluatedSet, Evaluation, JumpPlan, Output, PlanReader, Strategy,
};
use openveil_reader::picture::Picture;
use serde::Serialize;

/// The most jump vectors that are followed by default: the number for five functions.
const MOST_VECTORS: u64 = 24;

/// The most subsets of functions: the number for five functions.
const MOST_SUBSETS: u64 = 31;

/// The steps of an algorithm on the table, and what they disclose.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrategyReport {
    /// `naive`, `safe`, or `k-jump` with its vector.
    pub strategy: String,
    /// The functions that were examined, in this order.
    pub path: Vec<StepReport>,
    /// The groups that are released; null if nothing is.
    pub released: Option<String>,
    /// The conclusions of a reader who knows the algorithm.
    #[serde(flatten)]
    pub known: Known,
    /// The tables of the multiset for which nothing is released.
    pub silent_tables: u128,
    /// Tables whose release discloses a value.
    pub unsafe_tables: u128,
}

/// A function that the algorithm examined.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepReport {
    /// The function, counted from 1.
    pub function: usize,
    /// The permutation set: tables that its release alone leaves possible.
    pub permutation_set: u128,
    /// Whether the bound holds on them.
    pub permutations_within: bool,
    /// The disclosure set: tables that remain possible to a reader who knows that the function was
    /// reached; null if it was not examined.
    pub disclosure_set: Option<u128>,
    /// Whether the bound holds on them.
    pub disclosures_within: Option<bool>,
}

/// One of several algorithms, chosen at random.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SecretChoice {
    /// The number of algorithms to choose from.
    pub strategies: usize,
    /// Pairs of a table and an algorithm with a release.
    pub cases: u128,
    /// Cases whose release discloses a value.
    pub unsafe_cases: u128,
    /// The greatest chance after any release.
    pub highest: String,
    /// The greatest chance after a release of this table; null if none is possible.
    pub highest_here: Option<String>,
}

/// The findings about all algorithms.
#[derive(Debug, Default)]
pub(super) struct StrategyFindings {
    pub(super) reports: Vec<StrategyReport>,
    pub(super) choice: Option<SecretChoice>,
    pub(super) of_functions: Option<SecretChoice>,
    pub(super) pictures: Vec<Picture>,
}

/// Follows naive, safe, and k-jump with the requested vectors, or with all of them.
pub(super) fn explain(job: &ExplanationBasis<'_>) -> Result<StrategyFindings, Error> {
    let sequence: Vec<usize> = (0..job.functions.len()).collect();
    if sequence.is_empty() {
        return Ok(StrategyFindings::default());
    }
    let plan = |strategy| JumpPlan::new(sequence.clone(), strategy).map_err(Error::from);
    let jumps = match &job.request.jumps[..] {
        [] => JumpPlan::all_jumps(&sequence, MOST_VECTORS).unwrap_or_default(),
        given => given
            .iter()
            .map(|vector| plan(Strategy::Jump(vector.clone())))
            .collect::<Result<_, Error>>()?,
    };
    let others = [plan(Strategy::Naive)?, plan(Strategy::Safe)?];
    let (mut reports, mut pictures) = (Vec::new(), Vec::new());
    for plan in others.iter().chain(&jumps) {
        let (report, picture) = followed(job, plan)?;
        reports.push(report);
        pictures.extend(picture);
    }
    let subsets = JumpPlan::naive_subsets(&sequence, MOST_SUBSETS).unwrap_or_default();
    let [choice, of_functions] = [&jumps, &subsets].map(|plans| secret_choice(job, plans));
    Ok(StrategyFindings { reports, choice: choice?, of_functions: of_functions?, pictures })
}

/// Returns what a reader concludes who knows that one of several algorithms was drawn in secret.
fn secret_choice(
    job: &ExplanationBasis<'_>,
    plans: &[JumpPlan],
) -> Result<Option<SecretChoice>, Error> {
    if plans.len() < 2 {
        return Ok(None);
    }
    let reader = PlanReader::new(job.space, job.predicate(), plans)?;
    let found = reader.releases(job.predicate());
    let own = job.space.class_of(&job.scene().table)?;
    let released = (0..plans.len()).map(|plan| reader.output(plan, own));
    let here = released
        .filter(|output| *output != Output::Nothing)
        .map(|output| reader.conclusion(output).highest_posterior());
    Ok(Some(SecretChoice {
        strategies: plans.len(),
        cases: found.cases,
        unsafe_cases: found.unsafe_cases,
        highest: found.highest_posterior.to_string(),
        highest_here: here.max().map(|highest| highest.to_string()),
    }))
}

fn followed(
    job: &ExplanationBasis<'_>,
    plan: &JumpPlan,
) -> Result<(StrategyReport, Option<Picture>), Error> {
    let scene = job.scene();
    let own = job.space.class_of(&scene.table)?;
    let reader = PlanReader::new(job.space, job.predicate(), std::slice::from_ref(plan))?;
    let evaluation = &reader.evaluations()[0];
    let output = reader.output(0, own);
    let strategy = name(plan.strategy());
    let found = reader.releases(job.predicate());
    let released = evaluation.released_function(own);
    let picture = released.map(|function| {
        let all = job.space.generalizations(function);
        let alike = all.classes(all.generalisation(own)).iter().map(|&class| class as usize);
        let left = |class: &usize| reader.output(0, *class) == output;
        let worlds_of = alike.map(|class| (job.space.example(class), left(&class)));
        worlds(scene, &job.functions[function], &strategy, worlds_of.collect())
    });
    let report = StrategyReport {
        path: path(job, evaluation, own),
        released: released.map(|function| scene.name(&job.functions[function])),
        known: Known::new(&reader.conclusion(output), job),
        silent_tables: reader.conclusion(Output::Nothing).tables(),
        unsafe_tables: found.unsafe_cases,
        strategy,
    };
    Ok((report, picture))
}

fn name(strategy: &Strategy) -> String {
    match strategy {
        Strategy::Naive => "naive".to_owned(),
        Strategy::Safe => "safe".to_owned(),
        Strategy::Jump(vector) => {
            let distances: Vec<String> = vector.iter().map(u32::to_string).collect();
            format!("k-jump ({})", distances.join(", "))
        }
    }
}

fn path(job: &ExplanationBasis<'_>, evaluation: &Evaluation, own: usize) -> Vec<StepReport> {
    let mut path: Vec<StepReport> = Vec::new();
    for step in evaluation.outcome(own).path {
        let function = step.step + 1;
        // `safe` examines disclosure sets only.
        if path.last().is_none_or(|last| last.function != function) {
            let per = job.space.permutation_set(step.step, own);
            path.push(StepReport {
                function,
                permutation_set: per.tables(),
                permutations_within: per.satisfies(job.predicate())
                    && job.space.admits_groups(step.step, own, job.predicate()),
                disclosure_set: None,
                disclosures_within: None,
            });
        }
        if let (EvaluatedSet::Disclosures, Some(last)) = (step.stage, path.last_mut()) {
            let set = evaluation.disclosure_set(job.space, step.step, own);
            last.disclosure_set = Some(set.tables());
            last.disclosures_within = Some(set.satisfies(job.predicate()));
        }
    }
    path
}
