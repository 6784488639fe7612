//! The utility of a release for analysts, measured against the table that it was made from. For the
//! owner.

use super::AuditRequest;
use super::target::AuditTarget;
use openveil_core::model::Criteria;
use openveil_core::release::Content;
use openveil_core::table::View;
use openveil_io::policy::{Extra, Policy};
use openveil_io::release_dir::read::{Released, foreign};
use openveil_io::release_dir::write::manifest::LinkKept;
use openveil_io::{Error, Location};
use openveil_measures::utility::{
    Classifier, CountedPeople, Errors, Index, QueryKind, StrengthMeasure, Workload,
    changes_of_margins, discernability, discernability_bound, kl_divergence, links, links_of_known,
    mean_extents, normalized_average_size,
};
use openveil_reader::people;
use serde::Serialize;
use std::collections::BTreeMap;

/// Queries of each kind, and their seed.
const QUERIES: usize = 1_000;
const SEED: u64 = 0;

/// The most known columns whose pairs are measured.
const MOST_PAIRED: usize = 16;

/// The utility of a release for its reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UtilityReport {
    /// A warning against publishing these figures, or choosing by them.
    pub note: String,
    /// The sensitive column, or several as one.
    pub sensitive: String,
    /// Rows of the owner's table; the release may have left some out.
    pub rows: usize,
    /// Discernability: the sum of squared group sizes.
    pub dm: u64,
    /// A lower bound on the discernability of every release with the policy's model.
    pub dm_lower_bound: u64,
    /// Rows per group divided by the least size that the model allows.
    pub cavg: f64,
    /// Per known column, the mean share of the domain that a cell spans (normalised
    /// certainty penalty): 0 for exact values, 1 for the whole domain.
    pub certainty_penalty: BTreeMap<String, f64>,
    /// The mean of it over all known columns.
    pub ncp: f64,
    /// Kullback–Leibler divergence of a reader's estimate from the true joint distribution, in
    /// nats, on the combinations that occur; null if the estimate rules one of them out.
    pub kl: Option<f64>,
    /// The mean errors of random count queries, by what they ask about.
    pub queries: Vec<QueryReport>,
    /// By known column, the share of people whose values would have to change for its distribution
    /// to equal the table's.
    pub margins: BTreeMap<String, f64>,
    /// Cramér's V of pairs of known columns.
    pub association: Vec<LinkKept>,
    /// The measure of association with the sensitive column.
    pub sensitive_measure: String,
    /// Strengths of association with the sensitive column.
    pub sensitive_association: Vec<LinkKept>,
    /// The accuracy of predictions of the sensitive column.
    pub classifier: ClassifierReport,
}

/// The mean errors of random count queries of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryReport {
    /// How many known columns a query asks about.
    pub dimension: usize,
    /// Whether it asks about the sensitive column as well.
    pub with_sensitive: bool,
    /// The expected share of selected rows, if columns were independent and values equally
    /// frequent; null if ranges span 10 % to 50 % of each domain.
    pub selectivity: Option<f64>,
    /// Mean of |true − estimated| / max(true, 0.5 % of the rows).
    pub floored: f64,
    /// Mean of |true − estimated| / true over queries that some row meets; null if there are none.
    pub relative: Option<f64>,
}

/// The share of the table's rows whose sensitive value naive Bayes predicts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassifierReport {
    /// With training on the table itself.
    pub trained_on_table: f64,
    /// With training on the release.
    pub trained_on_release: f64,
}

/// Compares the audited release with the policy's table: once, or for each of several sensitive
/// columns that are protected by themselves.
///
/// # Errors
/// A policy with rules; a table that cannot be read or has other values than the release.
pub(super) fn measure(
    request: &AuditRequest,
    target: &AuditTarget,
    policy: &Policy,
) -> Result<Vec<UtilityReport>, Error> {
    policy.allow(Extra::AuditUtility)?;
    let people = people::loaded(policy, &|_| {})?;
    let whole = people.view(policy)?;
    let criteria = policy.privacy.model.bind_strata(&whole);
    let criteria =
        criteria.map_err(|cause| Error::new(Location::file(&policy.path), cause.in_words()))?;
    let measured = |view: &View| {
        let release = match request.table.release() {
            Some(place) => Released::read(&place, view)?.release,
            None => foreign(&target.source.read_all()?, view)?,
        };
        Ok(UtilityReport::new(view, &release, (&whole, &criteria)))
    };
    match people.by_column(&whole) {
        columns if columns.is_empty() => Ok(vec![measured(&whole)?]),
        columns => columns.iter().map(measured).collect(),
    }
}

impl UtilityReport {
    /// Measures a release of a table. `whole` has everything that the criteria are about.
    fn new(view: &View, release: &Content, (whole, criteria): (&View, &[Criteria])) -> Self {
        let least = criteria.iter().map(Criteria::least_size).max().unwrap_or(1);
        let extents = mean_extents(release, view);
        let (table, released) = (CountedPeople::Table(view), CountedPeople::Release(view, release));
        let pairs = view.known().len() <= MOST_PAIRED;
        Self {
        sensitive: view.secret().name().to_owned(),
        note: "Measured with the true values: not for publication. Choosing among releases by these figures discloses values.".to_owned(),
        rows: view.rows(),
        dm: discernability(release),
        dm_lower_bound: discernability_bound(whole, criteria),
        cavg: normalized_average_size(release.rows() as u64, release.group_count() as u64, least),
        ncp: extents.iter().map(|extent| extent.mean).sum::<f64>() / extents.len().max(1) as f64,
        certainty_penalty: extents.into_iter().map(|extent| (extent.column, extent.mean)).collect(),
        kl: Some(kl_divergence(view, release)).filter(|kl| kl.is_finite()),
        queries: queries(view, release),
        margins: view.known().iter().map(|column| column.name().to_owned()).zip(changes_of_margins(view, release)).collect(),
        association: if pairs { LinkKept::beside(&links_of_known(table), &links_of_known(released)) } else { Vec::new() },
        sensitive_measure: StrengthMeasure::new(view).name().to_owned(),
        sensitive_association: LinkKept::beside(&links(table), &links(released)),
        classifier: ClassifierReport {
            trained_on_table: Classifier::trained_on(table).accuracy(view),
            trained_on_release: Classifier::trained_on(released).accuracy(view),
        },
    }
    }
}

/// Measures queries on one to three known columns and on all of them, without and with the
/// sensitive column, and queries on two columns that select a tenth and a hundredth of the rows.
fn queries(view: &View, release: &Content) -> Vec<QueryReport> {
    let columns = view.known().len();
    let mut dimensions = vec![1, 2, 3, columns];
    dimensions.retain(|&dimension| dimension > 0 && dimension <= columns);
    dimensions.sort_unstable();
    dimensions.dedup();
    let mut wanted = Vec::new();
    for &dimension in &dimensions {
        wanted.extend([(dimension, false, None), (dimension, true, None)]);
    }
    if columns >= 2 {
        wanted.extend([(2, false, Some(0.1)), (2, false, Some(0.01))]);
    }
    let index = Index::new(release);
    wanted
        .into_iter()
        .map(|(dimension, with_sensitive, selectivity): (usize, bool, Option<f64>)| {
            let mut kind = QueryKind::of_dimension(dimension);
            if with_sensitive {
                kind = kind.with_sensitive();
            }
            if let Some(share) = selectivity {
                kind = kind.selecting(share);
            }
            let Errors { floored, relative } =
                Workload::random(view, &kind, QUERIES, SEED).errors(view, &index);
            QueryReport { dimension, with_sensitive, selectivity, floored, relative }
        })
        .collect()
}
