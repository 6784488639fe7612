//! `verify`: whether an algorithm discloses values, by enumeration.

use crate::value::{self, Fraction, Layout, given};
use crate::{Given, refuse_empty, refused, within};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use openveil_core::exact::number;
use openveil_core::model::{About, Informed, RatioDiversity};
use openveil_io::Error;
use openveil_io::policy;
use openveil_io::progress::Observer;
use openveil_text::{Text, text};
use openveil_tools::verify::{
    self, Crossed, HistoryReport, Journal, Question, SizeReport, StrategyConclusions, VerifyReport,
};
use serde::Deserialize;
use std::path::PathBuf;

/// Options of an enumeration.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Verify {
    /// The algorithm to check.
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<String>,
    /// The sensitive values of all people: 1,1,2,2,3,3
    #[arg(long, value_delimiter = ',', value_name = "VALUES")]
    #[serde(deserialize_with = "given::values")]
    pub sensitive: Vec<String>,
    /// Check every multiset of up to N people that the model allows, instead of one.
    #[arg(long, value_name = "N", value_parser = value::whole::<u32>)]
    pub rows_up_to: Option<u32>,
    /// With `--rows-up-to`: combine every multiset with every division into two strata, with each
    /// of its values as exempt, or with both.
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = crossed(),
        default_value = Crossed::default().name(),
        hide_default_value = true
    )]
    #[serde(deserialize_with = "given::crossed")]
    pub crossed_with: Crossed,
    /// With `--rows-up-to`: record finished multisets in FILE, and continue from the ones recorded
    /// there.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Check ratio l-diversity with this parameter.
    #[arg(long, value_name = "L", value_parser = value::whole::<u32>)]
    pub l: Option<u32>,
    /// Check another privacy model, written as in a policy: 'model = "l-diversity",
    /// variant = "entropy", l = 3'.
    #[arg(long, value_name = "MODEL")]
    pub privacy: Option<String>,
    /// Quasi-identifiers by person, as whole numbers whose order counts, with columns separated by
    /// `;`: 0,0,1,1;5,6,5,6. Without it, people differ in one column.
    #[arg(long, value_name = "LAYOUT")]
    pub qi: Option<Layout>,
    /// Publish in strata of people who agree on these columns of the layout (`q1`, `q2`, …). The
    /// reader knows how many people of each stratum have each value.
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    #[serde(deserialize_with = "given::texts")]
    pub strata: Vec<String>,
    /// For `naive`, `safe` and `k-jump`: choose among these functions, the best first, instead of
    /// dividing people into blocks. Runs without a release are reported as well. Example: "AB|CD;
    /// ABCD" is pairs, then everybody.
    #[arg(long, value_name = "FUNCTIONS")]
    pub functions: Option<String>,
    /// For `k-jump` with `--functions`: the number of functions to jump when one fails, by function
    /// [default: 1 for each].
    #[arg(long, value_delimiter = ',', value_name = "VECTOR", value_parser = value::whole::<u32>)]
    #[serde(deserialize_with = "given::several")]
    pub jump: Vec<u32>,
    /// Check readers who are informed about some people: their beliefs about them differ from those
    /// about everybody else by at most these odds (3, 1.5, 4/3). The algorithm satisfies the model
    /// for them.
    #[arg(long, value_name = "ODDS")]
    pub odds: Option<Fraction>,
    /// With `--odds`: the number of people about whom readers are informed [default: 1].
    #[arg(long, value_name = "N", value_parser = value::whole::<u32>)]
    pub informed: Option<u32>,
    /// With `--odds`: let the algorithm satisfy the model for uninformed readers only, to see what
    /// informed ones learn.
    #[arg(long)]
    pub not_kept_for_informed: bool,
    /// Also report what a release adds to the belief of a reader to whom some values are likelier
    /// for some people of a group than for others, by at most these odds (above 1).
    #[arg(long, value_name = "ODDS")]
    pub direction: Option<Fraction>,
    /// Check several releases of a table that changes, with slots that persist (`cover`). Example:
    /// "1,1,2,3; +1,2 -0; ^0" lists the values of four people; then two more come and person 0
    /// leaves; then person 0 comes back.
    #[arg(long, value_name = "RELEASES")]
    pub history: Option<String>,
    /// With `--history`: make every release independently, to see what this discloses.
    #[arg(long)]
    pub afresh: bool,
    /// Assume that the reader sees only the released cells, not who is in which group.
    #[arg(long)]
    pub cells_only: bool,
    /// The largest number of tables to enumerate.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = value::whole::<u64>)]
    pub limit: u64,
}

fn crossed() -> impl TypedValueParser<Value = Crossed> {
    let named = |name: String| Crossed::ALL.into_iter().find(|own| own.name() == name);
    PossibleValuesParser::new(Crossed::ALL.map(Crossed::name))
        .map(move |name| named(name).expect("one of the possible values"))
}

/// The findings of an enumeration.
#[derive(Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Found {
    /// About one multiset of values.
    Values(Box<VerifyReport>),
    /// About every multiset, by the number of people.
    Sizes(SizesFound),
    /// About functions to choose from.
    Functions(StrategyConclusions),
    /// About several releases.
    History(HistoryReport),
}

/// The findings about every multiset. As JSON, the list.
#[derive(Debug, serde::Serialize)]
#[serde(transparent)]
pub struct SizesFound {
    /// The algorithm and the model.
    #[serde(skip)]
    pub question: Question,
    /// The findings, one for each number of people.
    pub sizes: Vec<SizeReport>,
}

impl Found {
    /// Returns whether nobody's value is disclosed.
    pub fn is_safe(&self) -> bool {
        match self {
            Self::Values(report) => report.safe,
            Self::Sizes(found) => found.sizes.iter().all(|size| size.figures.is_safe()),
            Self::Functions(report) => report.safe,
            Self::History(report) => report.safe,
        }
    }
}

impl Verify {
    /// Enumerates the tables; `observer` learns how far it is.
    ///
    /// # Errors
    /// A question that cannot be enumerated; options that exclude each other.
    pub fn run(&self, observer: &dyn Observer) -> Result<Found, Error> {
        self.check()?;
        if let Some(history) = &self.history {
            return self.of_history(history).map(Found::History);
        }
        let question = self.question()?;
        if let Some(rows) = self.rows_up_to {
            let mut journal = self
                .resume
                .as_deref()
                .map(|path| Journal::open(path, &question, self.crossed_with))
                .transpose()?;
            let sizes =
                question.of_multisets(rows, self.crossed_with, journal.as_mut(), observer)?;
            return Ok(Found::Sizes(SizesFound { question, sizes }));
        }
        if let Some(functions) = &self.functions {
            let found = question.of_functions(&self.sensitive, functions, &self.jump)?;
            return Ok(Found::Functions(found));
        }
        let layout = self.qi.as_ref().map(|layout| &*layout.0);
        Ok(Found::Values(Box::new(question.of_values(&self.sensitive, layout)?)))
    }

    /// Returns the question, without the people.
    ///
    /// # Errors
    /// An algorithm or a model that does not exist, odds that are no numbers.
    pub fn question(&self) -> Result<Question, Error> {
        let algorithm = policy::algorithm(self.named()?)?;
        let model = match (&self.privacy, self.l) {
            (Some(parameters), _) => policy::privacy(parameters)?,
            (None, l) => RatioDiversity::new(l.unwrap_or(0))
                .map_err(|cause| refused(cause.in_words()))?
                .into(),
        };
        let informed = self.informed()?;
        let kept = informed.filter(|_| !self.not_kept_for_informed);
        Ok(Question {
            algorithm,
            model: model.against(kept),
            informed,
            cells_only: self.cells_only,
            strata: self.strata.clone(),
            direction: self.direction()?,
            limit: self.limit,
        })
    }

    fn named(&self) -> Result<&str, Error> {
        self.algorithm.as_deref().ok_or_else(|| {
            refused(text!("`--algorithm` is missing"))
                .help(text!("name an algorithm: `--algorithm halving`"))
        })
    }

    fn check(&self) -> Result<(), Error> {
        self.named()?;
        let given = Given::new([
            ("sensitive", !self.sensitive.is_empty()),
            ("rows-up-to", self.rows_up_to.is_some()),
            ("crossed-with", self.crossed_with != Crossed::default()),
            ("resume", self.resume.is_some()),
            ("l", self.l.is_some()),
            ("privacy", self.privacy.is_some()),
            ("qi", self.qi.is_some()),
            ("strata", !self.strata.is_empty()),
            ("functions", self.functions.is_some()),
            ("jump", !self.jump.is_empty()),
            ("odds", self.odds.is_some()),
            ("informed", self.informed.is_some()),
            ("not-kept-for-informed", self.not_kept_for_informed),
            ("direction", self.direction.is_some()),
            ("history", self.history.is_some()),
            ("afresh", self.afresh),
            ("cells-only", self.cells_only),
        ])
        .excludes("rows-up-to", &["sensitive", "qi"])?
        .excludes("l", &["privacy"])?
        .excludes("strata", &["functions"])?
        .excludes("functions", &["rows-up-to", "qi", "cells-only"])?
        .excludes("odds", &["functions"])?
        .excludes("direction", &["rows-up-to", "functions", "history", "cells-only"])?
        .excludes(
            "history",
            &[
                "sensitive",
                "rows-up-to",
                "qi",
                "strata",
                "functions",
                "odds",
                "privacy",
                "cells-only",
            ],
        )?
        .needs("crossed-with", "rows-up-to")?
        .needs("resume", "rows-up-to")?
        .needs("strata", "qi")?
        .needs("jump", "functions")?
        .needs("informed", "odds")?
        .needs("not-kept-for-informed", "odds")?
        .needs("afresh", "history")?;
        if !["sensitive", "rows-up-to", "history"].iter().any(|own| given.is_given(own)) {
            return Err(refused(text!("`--sensitive` is missing"))
                .help(text!("name the value of each person: `--sensitive 1,1,2,2,3,3`")));
        }
        if !["l", "privacy"].iter().any(|own| given.is_given(own)) {
            return Err(refused(text!("`--l` is missing")).help(text!("write for example `--l 2`")));
        }
        within("rows-up-to", self.rows_up_to.unwrap_or(1), 1..=12)?;
        within("informed", self.informed.unwrap_or(1), 1..=8)?;
        refuse_empty("sensitive", &self.sensitive)
    }

    /// Returns what several releases disclose. Works for `cover` only, because no other algorithm has
    /// slots that persist.
    fn of_history(&self, history: &str) -> Result<HistoryReport, Error> {
        let algorithm = policy::algorithm(self.named()?)?;
        if !algorithm.profile().takes_inside {
            let problem = text!("`{}` has no slots that persist", algorithm.name());
            return Err(refused(problem).help(text!("use `--algorithm cover`")));
        }
        verify::history(history, self.l.unwrap_or(0), self.afresh, self.limit)
    }

    /// Returns the odds of `--direction`.
    fn direction(&self) -> Result<Option<f64>, Error> {
        let Some(odds) = &self.direction else {
            return Ok(None);
        };
        match odds.0.parse() {
            Ok(read) if (1.0..=1e6).contains(&read) => Ok(Some(read)),
            _ => {
                let problem = text!("`--direction {odds}` is not a number from 1 to 1,000,000");
                Err(refused(problem).help(text!("write for example `--direction 1.5`")))
            }
        }
    }

    /// Returns the informed readers of `--odds`, who are checked in addition to uninformed ones.
    fn informed(&self) -> Result<Option<Informed>, Error> {
        let Some(odds) = &self.odds else {
            return Ok(None);
        };
        let misread = |problem: Text| {
            refused(problem).help(text!("write for example `--odds 3 --informed 1`"))
        };
        let read = number::parse(&odds.0)
            .ok_or_else(|| misread(text!("`--odds {odds}` is not a number")))?;
        let informed = Informed::new(read, About::Few(self.informed.unwrap_or(1)));
        informed.map(Some).map_err(|problem| misread(problem.into()))
    }
}
