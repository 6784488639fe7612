use super::documents::columns;
use super::promise::guarantee;
use super::refusal::{explain, refuse_unsafe};
use super::{Observer, Options, Stage, rules};
use crate::Error;
use crate::load;
use crate::policy::Policy;
use crate::release_dir::write;
use crate::release_dir::write::manifest::{
    ColumnEntry, Guarantee, OmittedEntry, RuleEntry, TableEntry,
};
use openveil::algorithm::Algorithm;
use openveil::model::RatioDiversity;

/// What would happen, from policy, quasi-identifiers and histogram alone.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Plan {
    /// Rows that would be released.
    pub rows: usize,
    /// The algorithm's name.
    pub algorithm: String,
    /// The promise.
    pub guarantee: Guarantee,
    /// Groups and their sizes, where the algorithm fixes them beforehand.
    pub groups: Option<u32>,
    /// The least discernability that any release with this model can have, as far
    /// as is known.
    pub dm_optimal: u64,
    /// The largest l that the table allows.
    pub largest_l: Option<u32>,
    /// The published columns and what they are.
    pub columns: Vec<ColumnEntry>,
    /// With rules: the tables that would be published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableEntry>,
    /// With rules: what keeps each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleEntry>,
    /// What would be left out.
    pub omitted: OmittedEntry,
    /// Things about the input that the owner should know.
    pub warnings: Vec<String>,
    /// Where the release would go.
    pub out: std::path::PathBuf,
}

/// Says what [`run`](super::run) would do, without tossing a coin or writing a file.
///
/// # Errors
/// Whatever [`run`](super::run) would refuse before anonymising.
pub fn plan(policy: &Policy, options: Options, observer: &dyn Observer) -> Result<Plan, Error> {
    refuse_unsafe(policy, options)?;
    write::check_folder(&policy.out)?;
    if let Some(rules) = &policy.rules {
        return rules::plan(policy, rules, options, observer);
    }
    observer.begin(Stage::Read, policy.source.total_bytes());
    let loaded = load::load(policy, &|bytes| observer.advance(bytes))?;
    let table = &loaded.view(policy)?;
    let (histogram, exempt) = (table.histogram(), table.secret().exempt());
    policy
        .algorithm
        .check(table, &policy.model)
        .map_err(|cause| explain(policy, table, cause))?;
    let criteria = policy.model.bind(table);
    let criteria = criteria.map_err(|cause| explain(policy, table, cause))?;
    let ratio = policy.model.ratio();
    Ok(Plan {
        rows: table.rows(),
        algorithm: policy.algorithm.name().to_owned(),
        guarantee: guarantee(policy, table, None),
        groups: ratio
            .filter(|_| policy.algorithm == Algorithm::Cover)
            .map(|ratio| table.rows() as u32 / ratio.l()),
        dm_optimal: openveil::utility::optimal_discernability(
            table.rows() as u32,
            criteria.least_size(),
        ),
        largest_l: ratio.and_then(|_| RatioDiversity::largest_l(&histogram, exempt)),
        columns: columns(policy, &loaded, table, None),
        tables: Vec::new(),
        rules: Vec::new(),
        omitted: OmittedEntry::of(&loaded.omitted),
        warnings: loaded.warnings.clone(),
        out: policy.out.clone(),
    })
}
