//! `audit`: what a table discloses.

use crate::value::{self, given};
use crate::{Given, positive, refused, within};
use openveil_core::model::CategoryWeights;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_text::text;
use openveil_tools::audit::{
    AuditRequest, Audited, Demand, DisclosureRequest, ForColumn, Population,
};
use serde::Deserialize;

/// Options of measures of a table.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// Quasi-identifiers. Rows that agree on them form a group [default: the policy's, or all other
    /// columns].
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(deserialize_with = "given::texts")]
    pub qi: Vec<String>,
    /// Sensitive columns [default: the policy's].
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(deserialize_with = "given::texts")]
    pub sensitive: Vec<String>,
    /// The column with the group numbers [default: `group`, if there is one].
    #[arg(long, value_name = "COLUMN")]
    pub group: Option<String>,
    /// Let a suppressed cell (`*`, `NA`, or empty) match every value. The k of a row is then the
    /// number of rows that match it.
    #[arg(long)]
    pub wildcard: bool,
    /// With `--wildcard`: the texts of suppressed cells, for example `*,-9` [default: `*`, `NA` and
    /// empty ones].
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    #[serde(deserialize_with = "given::texts")]
    pub suppressed: Vec<String>,
    /// Also measure every subset of up to this many known columns: the smallest group, and the
    /// share of rows that are alone.
    #[arg(long, value_name = "NUMBER", value_parser = value::whole::<u64>)]
    pub subsets: Option<u64>,
    /// The values of l for which recursive (c, l)-diversity is measured.
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        default_value = "2,3,4",
        value_parser = value::whole::<u32>
    )]
    #[serde(deserialize_with = "given::several")]
    pub l: Vec<u32>,
    /// A file with the categories of a sensitive column: lines `value;category`, most sensitive
    /// category first.
    #[arg(long, value_name = "[COLUMN=]FILE", value_parser = value::for_column)]
    #[serde(deserialize_with = "given::files")]
    pub categories: Vec<ForColumn>,
    /// The weights of categories in (l, α)-diversity.
    #[arg(long, value_enum, default_value_t = Scheme::Uniform)]
    pub weights: Scheme,
    /// The exponent of the sensitivity weights.
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = value::whole::<u32>)]
    pub beta: u32,
    /// A file with the hierarchy of a sensitive column: lines `value;level1;…;*`, for the
    /// hierarchical distance.
    #[arg(long, value_name = "[COLUMN=]FILE", value_parser = value::for_column)]
    #[serde(deserialize_with = "given::files")]
    pub hierarchy: Vec<ForColumn>,
    /// A file with the values of a sensitive column in order, one per line, lowest first.
    #[arg(long, value_name = "[COLUMN=]FILE", value_parser = value::for_column)]
    #[serde(deserialize_with = "given::files")]
    pub order: Vec<ForColumn>,
    /// The population of which the table is a sample: a number of people, or a file with a table of
    /// them.
    #[arg(long, value_name = "FILE|NUMBER", value_parser = value::population)]
    #[serde(deserialize_with = "given::population")]
    pub population: Option<Population>,
    /// The sampling fraction (table / population), for estimates of population uniqueness [default:
    /// from `--population`].
    #[arg(long, value_name = "SHARE", value_parser = value::real)]
    pub sampling_fraction: Option<f64>,
    /// A column with survey weights. Measures the re-identification risk of each row.
    #[arg(long, value_name = "COLUMN")]
    pub survey_weight: Option<String>,
    /// A column with the household of each row. With `--survey-weight`, also measures the risk that
    /// somebody of the household is found.
    #[arg(long, value_name = "COLUMN")]
    pub household: Option<String>,
    /// Search for rows that few known columns single out (SUDA2), in sets of up to this many
    /// columns.
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "3", value_parser = value::whole::<u64>)]
    pub suda: Option<u64>,
    /// The chance of being found above which a row counts as at risk.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.2, value_parser = value::real)]
    pub risk_threshold: f64,
    /// The least values of measures, such as `l_ratio=4,k=5`. The command exits with code 1 if one of
    /// them is not reached.
    #[arg(long, value_name = "MEASURE=NUMBER", value_delimiter = ',')]
    #[serde(deserialize_with = "given::demands")]
    pub fail_under: Vec<Demand>,
    /// Also measure the utility of the release against the policy's table, for the owner only.
    #[arg(long)]
    pub measure: bool,
    /// Delimiter of a CSV file (`\t` for a tab) [default: the policy's, or a comma; a release names
    /// its own].
    #[arg(long, value_name = "CHARACTER")]
    pub delimiter: Option<String>,
    /// Trim blanks around fields.
    #[arg(long)]
    pub trim: bool,
}

/// The weights of categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Equal steps between categories.
    Uniform,
    /// Steps of 1/(i−1)^β: the most sensitive categories have the lowest weight.
    Sensitivity,
}

impl Audit {
    /// Returns the request for a table, with the policy that it is measured by. `rows` asks for the
    /// risks of each row.
    ///
    /// # Errors
    /// A number outside of its range, an option without the one that it belongs to.
    pub fn request(
        self,
        table: impl Into<Audited>,
        policy: Option<Policy>,
        rows: bool,
    ) -> Result<AuditRequest, Error> {
        self.check(policy.is_some())?;
        Ok(AuditRequest {
            table: table.into(),
            delimiter: self.delimiter.as_deref().map(crate::inspect::delimiter).transpose()?,
            trim: self.trim,
            policy,
            group: self.group,
            quasi_identifiers: self.qi,
            sensitive: self.sensitive,
            wildcard: self.wildcard,
            suppressed: self.suppressed,
            subsets: self.subsets.map(|most| most as usize),
            l: self.l,
            categories: self.categories,
            weights: match self.weights {
                Scheme::Uniform => CategoryWeights::Uniform,
                Scheme::Sensitivity => CategoryWeights::Sensitivity { beta: self.beta },
            },
            hierarchies: self.hierarchy,
            orders: self.order,
            population: self.population,
            disclosure: DisclosureRequest {
                sampling_fraction: self.sampling_fraction,
                weight: self.survey_weight,
                household: self.household,
                special: self.suda.map(|most| most as usize),
                rows,
            },
            risk_threshold: self.risk_threshold,
            demands: self.fail_under,
            measure: self.measure,
        })
    }

    fn check(&self, has_policy: bool) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&self.risk_threshold) {
            let problem = text!("--risk-threshold {} is not a probability", self.risk_threshold);
            return Err(refused(problem).help("choose a number from 0 to 1"));
        }
        if let Some(share) = self.sampling_fraction
            && !(share > 0.0 && share <= 1.0)
        {
            let problem = text!("--sampling-fraction {share} is not a share of a population");
            return Err(refused(problem).help("choose a number above 0, up to 1 for all of it"));
        }
        self.l.iter().try_for_each(|&l| positive("l", l))?;
        positive("subsets", self.subsets.unwrap_or(1))?;
        positive("suda", self.suda.unwrap_or(1))?;
        within("beta", self.beta, 1..=64)?;
        Given::new([
            ("household", self.household.is_some()),
            ("survey-weight", self.survey_weight.is_some()),
            ("measure", self.measure),
            ("wildcard", self.wildcard),
            ("suppressed", !self.suppressed.is_empty()),
            ("policy", has_policy),
        ])
        .needs("household", "survey-weight")?
        .needs("suppressed", "wildcard")?
        .needs("measure", "policy")?;
        Ok(())
    }
}
