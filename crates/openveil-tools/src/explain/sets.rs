//! Sets of partitions: the ones that are safe separately, and the ones that are safe even if the
//! set is known.

use super::ExplanationBasis;
use openveil_core::table::Groups;
use openveil_io::Error;
use openveil_papers::verify::safe_sets::{
    DisclosureSet, SUBSET_LIMIT, Strength, is_globally_safe, is_strongly_globally_safe,
    locally_safe_set, maximal_safe_sets,
};
use serde::Serialize;

/// The sets of the L-Cover and the Privacy Streamliner papers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperSets {
    /// All partitions that are safe for the table (LSS).
    pub locally_safe: SetReport,
    /// The functions that were given, as a set of partitions.
    pub given: Option<SetReport>,
    /// The maximal globally safe sets (GSS); null if the LSS has more than twelve partitions.
    pub globally_safe: Option<Vec<Vec<String>>>,
    /// The maximal strongly globally safe sets (SGSS).
    pub strongly_globally_safe: Option<Vec<Vec<String>>>,
}

/// A set of partitions, and what knowing it discloses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetReport {
    /// Its partitions.
    pub partitions: Vec<String>,
    /// Tables for which all of them are safe: the disclosure set.
    pub tables: usize,
    /// The greatest chance of any value of any person in it.
    pub highest: String,
    /// Whether the set may be known to the reader.
    pub globally_safe: bool,
    /// Whether, in addition, one of its partitions may be released.
    pub strongly_globally_safe: bool,
}

pub(super) fn explain(job: &ExplanationBasis<'_>) -> Result<PaperSets, Error> {
    let (scene, property) = (job.scene(), job.predicate());
    let local = locally_safe_set(&scene.table, property)?;
    let maximal = |strength| -> Result<Option<Vec<Vec<String>>>, Error> {
        if local.len() > SUBSET_LIMIT {
            return Ok(None);
        }
        let found = maximal_safe_sets(&scene.table, property, strength)?;
        Ok(Some(
            found
                .into_iter()
                .map(|set: Vec<Groups>| set.iter().map(|own| scene.name(own)).collect())
                .collect(),
        ))
    };
    let given = (!job.functions.is_empty()).then_some(job.functions);
    Ok(PaperSets {
        given: given.map(|set| report(job, set)).transpose()?,
        globally_safe: maximal(Strength::Global)?,
        strongly_globally_safe: maximal(Strength::StronglyGlobal)?,
        locally_safe: report(job, &local)?,
    })
}

fn report(job: &ExplanationBasis<'_>, set: &[Groups]) -> Result<SetReport, Error> {
    let (scene, property) = (job.scene(), job.predicate());
    let known = DisclosureSet::new(&scene.table, set, property)?;
    Ok(SetReport {
        partitions: set.iter().map(|own| scene.name(own)).collect(),
        tables: known.tables().len(),
        highest: known.highest_ratio().to_string(),
        globally_safe: is_globally_safe(&scene.table, set, property)?,
        strongly_globally_safe: is_strongly_globally_safe(&scene.table, set, property)?,
    })
}
