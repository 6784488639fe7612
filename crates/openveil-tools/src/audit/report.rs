//! The results of an audit, for people and for programs.

use super::cells::AlikeRows;
use super::{DisclosureReport, GroupedTable, Met, UtilityReport};
use openveil_core::exact::Rational;
use openveil_measures::audit::{Categorised, Diversity, GroupCounts, Measures, Reidentification};
use openveil_reader::certify::{CertifiedRelease, Finding};
use openveil_text::Text;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The measures of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditReport {
    /// The path of the table, or its name.
    pub table: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of groups.
    pub groups: usize,
    /// The columns whose values a group shares.
    pub grouped_by: Vec<String>,
    /// The sensitive columns; several are measured as one.
    pub sensitive: Vec<String>,
    /// The number of people, for a release with filler rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<usize>,
    /// Rows of the smallest group. With filler rows only people are counted.
    pub k: u32,
    /// The measures of the sensitive column, or of all as one; none if no column is sensitive.
    #[serde(flatten)]
    pub measures: Option<ColumnReport>,
    /// The measures of each sensitive column, if there are several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, ColumnReport>,
    /// The chances of finding people.
    pub risk: RiskReport,
    /// Disclosure risk from the known columns; none if rows do not show one person's values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<DisclosureReport>,
    /// The share of rows, or people, that are alone in their group.
    pub uniqueness: f64,
    /// Whether the table satisfies the policy's model; none without a policy.
    pub satisfied: Option<bool>,
    /// Whether a release of one table keeps the bound of its manifest, as far as groups show it.
    /// None if there is no bound, or the audit is about other columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keeps_promise: Option<bool>,
    /// The reasons.
    pub verdict: Option<AuditVerdict>,
    /// The outcomes of the demands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub demands: Vec<Met>,
    /// The utility of the release compared with the owner's table, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility: Option<UtilityReport>,
    /// Several sensitive columns that are protected by themselves have one such report each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub utility_of_each: Vec<UtilityReport>,
    /// For numbered groups, the classes of rows with equal known cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_cells: Option<ClassReport>,
    /// Classes of rows with equal cells in subsets of the known columns, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subsets: Vec<ClassReport>,
    /// Mismatches between a release and its own statements, and facts that were not checked.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub checked: Option<CertifiedRelease>,
    /// Columns of the table that the policy does not publish.
    #[serde(skip)]
    pub unpublished: Vec<String>,
    /// Whether the release protects other columns or values than the policy.
    #[serde(skip)]
    pub protects_others: bool,
    /// Notes for the owner.
    pub notes: Vec<Text>,
}

/// A check of a table: its name, and the failure if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The requirement.
    pub check: String,
    /// The reason why the table fails; none if it passes.
    pub failure: Option<String>,
}

/// Returns the comparison of a release with its own manifest as a check.
pub fn manifest_check(checked: &CertifiedRelease) -> Check {
    let findings: Vec<String> = checked.findings.iter().map(Finding::to_string).collect();
    Check {
        check: "the files are as the manifest says".to_owned(),
        failure: (!findings.is_empty()).then(|| findings.join("; ")),
    }
}

impl AuditReport {
    /// Returns a check for each demand and each requirement of the policy's model. A release adds two:
    /// its guarantee, and the comparison with its manifest.
    pub fn checks(&self) -> Vec<Check> {
        let mut checks: Vec<Check> = Vec::new();
        if let Some(is_kept) = self.keeps_promise {
            let failure =
                (!is_kept).then(|| "a group shows more than the manifest states".to_owned());
            checks.push(Check { check: "the guarantee of the manifest".to_owned(), failure });
        }
        checks.extend(self.checked.iter().map(manifest_check));
        checks.extend(self.demands.iter().map(|demand| {
            let failure = format!("{} is {}", demand.measure, demand.found);
            let check = format!("{} of at least {}", demand.measure, demand.least);
            Check { check, failure: (!demand.satisfied).then_some(failure) }
        }));
        let requirements = self.verdict.iter().flat_map(|verdict| &verdict.requirements);
        checks.extend(requirements.map(|own| {
            let failure =
                format!("fails in {} groups with {} rows", own.groups_failing, own.rows_failing);
            let failure = (!own.satisfied).then_some(failure);
            Check { check: own.requirement.clone(), failure }
        }));
        checks
    }

    /// Whether every applicable check passed: the policy's model, the release's promise, its other
    /// statements, and the demands.
    pub fn passes(&self) -> bool {
        let is_kept = self.satisfied != Some(false) && self.keeps_promise != Some(false);
        let checked = self.checked.as_ref();
        let is_consistent = checked.is_none_or(|checked| checked.findings.is_empty());
        is_kept && is_consistent && self.demands.iter().all(|demand| demand.satisfied)
    }
}

/// The measures of one sensitive column, or of several as one. Each is the worst
/// over all groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnReport {
    /// Different values in the table.
    pub values: usize,
    /// The fewest different values.
    pub l_distinct: u32,
    /// The least e^entropy.
    pub l_entropy: f64,
    /// 1 / the highest share of a value.
    pub l_ratio: f64,
    /// `l_ratio` as a fraction.
    pub l_ratio_exact: String,
    /// For each requested l the infimum of c, which itself does not pass; null if no c is enough.
    pub recursive: BTreeMap<u32, Option<f64>>,
    /// The highest share of a value.
    pub alpha: f64,
    /// `alpha` as a fraction.
    pub alpha_exact: String,
    /// t with all values equally far apart.
    pub t_equal: f64,
    /// t in the order of the values; null if they have none.
    pub t_ordered: Option<f64>,
    /// t in the values' tree; null without one.
    pub t_hierarchical: Option<f64>,
    /// The least β of basic β-likeness.
    pub beta_basic: f64,
    /// The least β of enhanced β-likeness; null if no β is enough.
    pub beta_enhanced: Option<f64>,
    /// The infimum of δ; null if a value is absent from a group.
    pub delta: Option<f64>,
    /// (l, α)-diversity; null without categories.
    pub l_alpha: Option<LAlphaReport>,
    /// Rows in groups whose values are all of one category; null without categories.
    pub similarity_rows: Option<u64>,
    /// The measures that are null because they are infinite.
    pub infinite: Vec<String>,
    /// The values that need no protection; l, `recursive` and `alpha` are measured without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exempt: Option<ExemptReport>,
}

/// Rows that are alike in some columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassReport {
    /// The columns.
    pub columns: Vec<String>,
    /// The number of different combinations of cells.
    pub groups: usize,
    /// The fewest rows that a row may be confused with: rows with equal cells, and with wildcards
    /// all rows that match.
    pub k: u32,
    /// The share of rows that match no other row.
    pub uniqueness: f64,
    /// The share of all pairs of rows that the columns distinguish; none with wildcards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separation: Option<f64>,
    /// How many numbered groups have rows with different cells, if groups are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixed_groups: Option<usize>,
}

/// Values that need no protection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExemptReport {
    /// The values.
    pub values: Vec<String>,
    /// Groups in which every row has one of these values.
    pub groups: usize,
    /// Their rows.
    pub rows: usize,
}

/// The parameters at which the variants of (l, α)-diversity hold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LAlphaReport {
    /// The least total weight of a group.
    pub alpha: f64,
    /// The l of the distinct variant: different values.
    pub distinct: u32,
    /// The l of the distinct variant with categories instead of values.
    pub distinct_categories: u32,
    /// The l of the entropy variant, over categories.
    pub entropy: f64,
    /// For each requested l the infimum of c of the recursive variant, over categories.
    pub recursive: BTreeMap<u32, Option<f64>>,
}

/// The chances of finding people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RiskReport {
    /// The chance above which a row is at risk.
    pub threshold: f64,
    /// The chances of a reader who knows that a person is in the table.
    pub prosecutor: FoundChances,
    /// The chances of a reader who does not know it; null without a population.
    pub journalist: Option<FoundChances>,
    /// The share of all rows that are found on average.
    pub marketer: f64,
}

/// Chances of being found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundChances {
    /// The highest.
    pub highest: f64,
    /// The mean over all rows.
    pub average: f64,
    /// The share of the rows above the threshold.
    pub records_at_risk: f64,
}

/// Whether the table satisfies a policy's model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditVerdict {
    /// The model.
    pub model: String,
    /// Whether every group satisfies it, decided exactly.
    pub satisfied: bool,
    /// Its requirements.
    pub requirements: Vec<RequirementReport>,
}

/// Whether every group satisfies one requirement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RequirementReport {
    /// The requirement with its parameters.
    pub requirement: String,
    /// Whether it holds on every group.
    pub satisfied: bool,
    /// Groups that break it.
    pub groups_failing: usize,
    /// Rows of these groups.
    pub rows_failing: u64,
    /// The group that exceeds the bound most.
    pub worst: Option<FailedGroup>,
}

/// A group that breaks a requirement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedGroup {
    /// The cells that the rows of the group share.
    pub group: String,
    /// Number of rows.
    pub rows: u32,
    /// The value that causes the failure, if it is a single one.
    pub value: Option<String>,
    /// The measure that fails.
    pub measure: &'static str,
    /// The measured value; null if it is infinite.
    pub found: Option<f64>,
    /// The value that would have satisfied the requirement.
    pub bound: Option<f64>,
}

impl AuditReport {
    /// Assembles a report. All sensitive columns as one come last in `measured`.
    pub(super) fn new(
        table: &Path,
        grouped: &GroupedTable,
        mut measured: Vec<(Vec<String>, ColumnReport)>,
        findings: Findings,
    ) -> Option<Self> {
        let Findings { sizes, are_people, risk, disclosure, verdict, notes } = findings;
        let (sensitive, measures) = measured.pop().unzip();
        let each = measured.into_iter().map(|(mut names, report)| (names.remove(0), report));
        Some(Self {
            table: table.display().to_string(),
            rows: grouped.raw.rows,
            groups: sizes.rows.len(),
            grouped_by: grouped.key_names(),
            sensitive: sensitive.unwrap_or_default(),
            people: are_people.then(|| sizes.rows.iter().map(|&people| people as usize).sum()),
            k: sizes.alike.iter().copied().filter(|&rows| rows > 0).min()?,
            measures,
            columns: each.collect(),
            risk,
            disclosure,
            uniqueness: sizes.uniqueness(),
            satisfied: verdict.as_ref().map(|verdict| verdict.satisfied),
            keeps_promise: None,
            verdict,
            demands: Vec::new(),
            utility: None,
            utility_of_each: Vec::new(),
            by_cells: None,
            subsets: Vec::new(),
            checked: None,
            unpublished: Vec::new(),
            protects_others: false,
            notes,
        })
    }
}

/// The findings about all sensitive columns as one.
pub(super) struct Findings {
    /// Rows of each group; in a history, people.
    pub(super) sizes: AlikeRows,
    /// Whether there are filler rows, which are not counted.
    pub(super) are_people: bool,
    pub(super) risk: RiskReport,
    pub(super) disclosure: Option<DisclosureReport>,
    pub(super) verdict: Option<AuditVerdict>,
    pub(super) notes: Vec<Text>,
}

impl ColumnReport {
    pub(super) fn new(
        counts: &GroupCounts,
        measures: Measures,
        exempt: Option<ExemptReport>,
    ) -> Self {
        let Measures { diversity, closeness, likeness, categorised } = &measures;
        let (beta_enhanced, delta) = (likeness.beta_enhanced(), likeness.delta());
        Self {
            values: counts.whole().iter().filter(|&&count| count > 0).count(),
            l_distinct: diversity.distinct,
            l_entropy: diversity.entropy,
            l_ratio: approximate(diversity.ratio()),
            l_ratio_exact: diversity.ratio().to_string(),
            recursive: recursive(diversity),
            alpha: approximate(diversity.highest_share),
            alpha_exact: diversity.ratio().recip().to_string(),
            t_equal: closeness.equal,
            t_ordered: closeness.ordered,
            t_hierarchical: closeness.hierarchical,
            beta_basic: likeness.beta_basic,
            beta_enhanced,
            delta,
            l_alpha: categorised.as_ref().map(|kinds| LAlphaReport::new(diversity, kinds)),
            similarity_rows: categorised.as_ref().map(|kinds| kinds.similar_rows),
            infinite: infinite(&measures),
            exempt,
        }
    }
}

impl LAlphaReport {
    fn new(values: &Diversity, kinds: &Categorised) -> Self {
        Self {
            alpha: kinds.least_weight,
            distinct: values.distinct,
            distinct_categories: kinds.diversity.distinct,
            entropy: kinds.diversity.entropy,
            recursive: recursive(&kinds.diversity),
        }
    }
}

impl RiskReport {
    pub(super) fn new(
        threshold: f64,
        prosecutor: Reidentification,
        journalist: Option<Reidentification>,
    ) -> Self {
        Self {
            threshold,
            prosecutor: chances(prosecutor),
            journalist: journalist.map(chances),
            marketer: prosecutor.average,
        }
    }
}

/// Returns chances of being found, for a report.
pub(super) fn chances(risk: Reidentification) -> FoundChances {
    FoundChances { highest: risk.highest, average: risk.average, records_at_risk: risk.at_risk }
}

/// The measures that are infinite, by key.
fn infinite(measures: &Measures) -> Vec<String> {
    let mut infinite = Vec::new();
    let recursive = |prefix: &str, diversity: &Diversity| -> Vec<String> {
        diversity
            .recursive
            .iter()
            .filter(|(_, c)| c.is_none())
            .map(|(l, _)| format!("{prefix}recursive.{l}"))
            .collect()
    };
    infinite.extend(recursive("", &measures.diversity));
    let likeness = &measures.likeness;
    if likeness.beta_enhanced().is_none() {
        infinite.push("beta_enhanced".to_owned());
    }
    if likeness.delta().is_none() {
        infinite.push("delta".to_owned());
    }
    if let Some(kinds) = &measures.categorised {
        infinite.extend(recursive("l_alpha.", &kinds.diversity));
    }
    infinite
}

fn recursive(diversity: &Diversity) -> BTreeMap<u32, Option<f64>> {
    diversity.recursive.iter().map(|&(l, c)| (l, c.map(approximate))).collect()
}

fn approximate(fraction: Rational) -> f64 {
    *fraction.numer() as f64 / *fraction.denom() as f64
}
