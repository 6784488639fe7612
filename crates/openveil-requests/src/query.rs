//! `query`, `fit` and `complete`: figures and tables from a release.

use crate::value::{self, given};
use crate::{Given, refuse_empty, refused, within};
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_reader::query::{
    self, Answer, CrossTable, Effort, Reader, Regression, Request as Counts, RoundedTable,
    Rounding, Statistic,
};
use openveil_text::text;
use serde::Deserialize;

/// How much work goes into a fit.
#[derive(Debug, Clone, Copy, Default, clap::Args, Deserialize)]
#[serde(default)]
pub struct FitWork {
    /// Number of completed tables that are published and fitted again, to estimate bias and errors;
    /// 0 for none [default: 8].
    #[arg(long, value_name = "N", value_parser = value::whole::<u32>)]
    pub worlds: Option<u32>,
    /// Seed of random draws: the same seed gives the same figures [default: 1].
    #[arg(long, value_name = "N", value_parser = value::whole::<u64>)]
    pub seed: Option<u64>,
}

impl FitWork {
    /// Returns the effort of a fit.
    ///
    /// # Errors
    /// More worlds than are made.
    pub fn effort(&self) -> Result<Effort, Error> {
        let usual = Effort::default();
        let worlds = self.worlds.unwrap_or(usual.worlds as u32);
        within("worlds", worlds, 0..=Effort::MOST_WORLDS as u32)?;
        Ok(Effort { worlds: worlds as usize, seed: self.seed.unwrap_or(usual.seed) })
    }
}

/// Options of counts, cross-tables, means and quantiles.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default)]
pub struct Query {
    /// Count rows that meet these conditions: `age>=30 and race in (black, white)`. Operators: = !=
    /// < <= > >= in. Put texts with blanks or signs in quotes.
    #[arg(long = "where", id = "where", value_name = "CONDITIONS")]
    #[serde(rename = "where")]
    pub conditions: Option<String>,
    /// Cross-tabulate these columns, known or secret, with a count and its interval in each cell.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[serde(deserialize_with = "given::texts")]
    pub by: Vec<String>,
    /// The mean of this numeric column, in each cell of `--by`.
    #[arg(long, value_name = "COLUMN")]
    pub mean: Option<String>,
    /// A quantile of a numeric column, in each cell of `--by`: `income` for the median, or
    /// `income=0.9`.
    #[arg(long, value_name = "COLUMN[=SHARE]")]
    pub quantile: Option<String>,
    /// A numeric column that says how many people of a population a row stands for: counts, means and
    /// quantiles with these weights.
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// For tables in print: suppress counts below this number. Totals are sums of the printed
    /// counts.
    #[arg(long, value_name = "NUMBER", value_parser = value::whole::<u64>)]
    pub min: Option<u64>,
    /// For tables in print: round counts to multiples of this number.
    #[arg(long, value_name = "NUMBER", value_parser = value::whole::<u64>)]
    pub round: Option<u64>,
    /// The work of the fit.
    #[command(flatten)]
    #[serde(flatten)]
    pub work: FitWork,
}

/// The answer to a query.
#[derive(Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Answered {
    /// A count.
    Count(Answer),
    /// Figures by the values of columns.
    Table(CrossTable),
    /// Counts for print.
    Rounded(RoundedTable),
}

/// The number of synthetic rows and the file that contains them.
#[derive(Debug, serde::Serialize)]
pub struct Sampled {
    /// Rows.
    pub rows: usize,
    /// The file.
    pub out: std::path::PathBuf,
}

impl Query {
    /// Returns the answer. `open` reads the release, after the query was checked; `policy` names the
    /// owner's table, whose count is then also in the answer.
    ///
    /// # Errors
    /// Options that exclude each other, conditions that are not valid, a release that cannot be
    /// read.
    pub fn run(
        &self,
        open: impl FnOnce(Effort) -> Result<Reader, Error>,
        policy: Option<&Policy>,
    ) -> Result<Answered, Error> {
        self.check(policy.is_some())?;
        let effort = self.work.effort()?;
        if self.by.is_empty()
            && self.mean.is_none()
            && self.quantile.is_none()
            && self.weight.is_none()
        {
            let conditions = self.conditions.as_deref().unwrap_or_default();
            // Report a syntax error before the release is read, which may take long.
            query::parse(conditions)?;
            return Ok(Answered::Count(open(effort)?.count(conditions, policy)?));
        }
        refuse_empty("by", &self.by)?;
        let request = Counts {
            statistic: self.statistic()?,
            conditions: self.conditions.clone(),
            weight: self.weight.clone(),
            by: self.by.clone(),
        };
        let table = open(effort)?.crosstab(&request)?;
        Ok(match (self.min, self.round) {
            (None, None) => Answered::Table(table),
            (least, base) => {
                let rounding = Rounding { least: least.unwrap_or(0), base: base.unwrap_or(1) };
                Answered::Rounded(RoundedTable::new(&table, rounding))
            }
        })
    }

    fn check(&self, has_policy: bool) -> Result<(), Error> {
        let given = Given::new([
            ("where", self.conditions.is_some()),
            ("by", !self.by.is_empty()),
            ("mean", self.mean.is_some()),
            ("quantile", self.quantile.is_some()),
            ("weight", self.weight.is_some()),
            ("min", self.min.is_some()),
            ("round", self.round.is_some()),
            ("policy", has_policy),
        ])
        .excludes("mean", &["quantile", "policy"])?
        .excludes("quantile", &["policy"])?
        .excludes("weight", &["policy", "min", "round"])?
        .excludes("min", &["mean", "quantile"])?
        .excludes("round", &["mean", "quantile"])?
        .excludes("policy", &["by"])?
        .needs("policy", "where")?
        .needs("min", "by")?
        .needs("round", "by")?;
        within("round", self.round.unwrap_or(1), 1..=1_000_000)?;
        if !["where", "by", "mean", "quantile", "weight"].iter().any(|own| given.is_given(own)) {
            return Err(refused("nothing is asked").help(text!(
                "count rows with `--where CONDITIONS`, or make a table with `--by COLUMNS`"
            )));
        }
        Ok(())
    }

    fn statistic(&self) -> Result<Statistic, Error> {
        if let Some(column) = &self.mean {
            return Ok(Statistic::Mean(column.clone()));
        }
        let Some(text) = &self.quantile else {
            return Ok(Statistic::Count);
        };
        let Some((column, share)) = text.rsplit_once('=') else {
            return Ok(Statistic::Quantile(text.clone(), 0.5));
        };
        let share = share.trim().parse().map_err(|_| {
            refused(text!("`--quantile {text}`: `{share}` is not a number"))
                .help("write a share from 0 to 1, such as `income=0.9`")
        })?;
        Ok(Statistic::Quantile(column.trim().to_owned(), share))
    }
}

/// Options of a regression.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default)]
pub struct Fit {
    /// The value of a column that its other values are compared with; may be given several times
    /// [default: the first value that is not missing].
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = value::reference)]
    #[serde(deserialize_with = "given::references")]
    pub reference: Vec<(String, String)>,
    /// The work of the fit.
    #[command(flatten)]
    #[serde(flatten)]
    pub work: FitWork,
}

impl Fit {
    /// Returns the regression of a formula.
    ///
    /// # Errors
    /// As [`Reader::regression`]; a release that cannot be read.
    pub fn run(
        &self,
        formula: &str,
        open: impl FnOnce(Effort) -> Result<Reader, Error>,
    ) -> Result<Regression, Error> {
        open(self.work.effort()?)?.regression(formula, &self.reference)
    }
}

/// Options of completed tables.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default)]
pub struct Complete {
    /// Number of tables.
    #[arg(short = 'm', long, value_name = "N", default_value_t = 20, value_parser = value::whole::<u32>)]
    pub tables: u32,
    /// The work of the fit.
    #[command(flatten)]
    #[serde(flatten)]
    pub work: FitWork,
}

impl Complete {
    /// Returns the number of tables.
    ///
    /// # Errors
    /// None, or too many.
    pub fn number(&self) -> Result<usize, Error> {
        within("tables", self.tables, 1..=1000)?;
        Ok(self.tables as usize)
    }
}
