use crate::coins::Abandoned;
use crate::model::{Failure, Ineligible, InvalidModel};
use crate::release::check::Violation;
use crate::table::MAX_COLUMNS;
use openveil_text::{Text, text};
use std::fmt;

/// A stratum in which no release can satisfy the model.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedStratum {
    /// The values that its people have in common, such as `sex = Female`.
    pub stratum: String,
    /// Why no release is possible.
    pub cause: Box<Error>,
    /// The largest l for which the stratum allows ratio l-diversity; `None` if it is below 2.
    pub largest_l: Option<u32>,
}

/// Why a table could not be published.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The table has no rows.
    EmptyTable,
    /// Two columns of one table differ in length.
    UnequalColumns {
        /// The column.
        column: String,
        /// Rows of the table.
        expected: usize,
        /// Rows of the column.
        found: usize,
    },
    /// A code points outside its column's domain.
    CodeOutsideDomain {
        /// The column.
        column: String,
        /// The code.
        code: u32,
        /// Number of values in the domain.
        domain: usize,
    },
    /// More rows than a row number can hold.
    TooManyRows {
        /// Rows of the table.
        rows: usize,
    },
    /// More columns than a table can have.
    TooManyColumns {
        /// Columns given.
        found: usize,
    },
    /// More quasi-identifiers than the algorithm handles.
    TooManyQuasiIdentifiers {
        /// Quasi-identifiers of the table.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// A block would have more patterns of values than can be examined.
    BlockTooLarge {
        /// People in a block.
        size: usize,
        /// The least size of groups that the model asks for, at least 2.
        least: usize,
        /// The most people that a block may have if groups have that least size.
        limit: usize,
    },
    /// A function names a level that a column does not have.
    NoSuchLevel {
        /// The column.
        column: String,
        /// The requested level.
        level: u32,
        /// The coarsest level of the column.
        highest: usize,
    },
    /// A stratum has fewer rows than each group must have.
    SmallestGroup {
        /// The requested number of rows.
        asked: u32,
        /// Rows of the smallest stratum, or of the table.
        most: usize,
        /// Whether the table has strata.
        has_strata: bool,
    },
    /// The parameter `l` is below two.
    LBelowTwo {
        /// The parameter.
        l: u32,
    },
    /// A bound on the highest ratio that is 0 or less, or 1 or more.
    RatioOutOfRange {
        /// Numerator of the bound.
        numerator: u64,
        /// Denominator of the bound.
        denominator: u64,
    },
    /// A table does not assign the multiset to the people.
    ForeignTable,
    /// A strategy that tries groupings in turn does not accept them; the reason in words.
    Plan(String),
    /// A stratum would be fixed by a column that is not a known column.
    NotAStratum {
        /// The column.
        column: String,
    },
    /// No release can satisfy the model in some strata.
    Strata {
        /// The strata that were refused.
        refused: Vec<RefusedStratum>,
        /// How many strata there are.
        strata: usize,
    },
    /// No release can satisfy the model on ties of some sizes.
    Ties {
        /// The sizes that were refused.
        refused: Vec<RefusedStratum>,
        /// How many sizes there are.
        sizes: usize,
    },
    /// No release can satisfy the model.
    Ineligible(Ineligible),
    /// A requirement with a parameter out of range, or one that does not fit the table.
    InvalidModel(InvalidModel),
    /// A privacy model without requirements.
    NothingRequired,
    /// Not even the whole table as one group satisfies the model.
    Unsatisfiable(Box<Failure>),
    /// The safe engines' guarantee needs a convex model.
    NotConvex {
        /// The model.
        model: String,
    },
    /// The algorithm is made for another privacy model.
    ModelUnsupported {
        /// The algorithm's name.
        algorithm: &'static str,
        /// The models that it supports, in words.
        made_for: &'static str,
        /// The model.
        model: String,
    },
    /// The algorithm needs monotonicity, which the model lacks.
    NotMonotone {
        /// The algorithm's name.
        algorithm: &'static str,
        /// The model.
        model: String,
    },
    /// The algorithm does not support people with several values.
    SetsUnsupported {
        /// The algorithm's name.
        algorithm: &'static str,
    },
    /// The algorithm does not support values that need no protection.
    ExemptUnsupported {
        /// The algorithm's name.
        algorithm: &'static str,
    },
    /// Enumerated coins gave up a path (never happens with real coins).
    Abandoned(Abandoned),
    /// The independent check refused a release.
    Violation(Violation),
    /// An exhaustive check would be larger than its limit.
    BeyondLimit {
        /// The things to enumerate, in words.
        what: &'static str,
        /// How many there would be, in words or digits.
        needed: String,
        /// The limit.
        limit: u64,
    },
}

impl RefusedStratum {
    fn in_words(&self) -> Text {
        text!("{}: {:text}", self.stratum, self.cause.in_words())
    }
}

impl Error {
    /// The problem in words.
    pub fn in_words(&self) -> Text {
        match self {
            Self::EmptyTable => text!("the table has no rows; there is nothing to publish"),
            Self::UnequalColumns { column, expected, found } => {
                text!("column `{column}` has {found} rows where the table has {expected}")
            }
            Self::CodeOutsideDomain { column, code, domain } => text!(
                "column `{column}` contains the code {code}, but its domain has {domain} values"
            ),
            Self::TooManyRows { rows } => {
                text!("{rows} rows are more than the {} that one table can have", u32::MAX)
            }
            Self::TooManyColumns { found } => text!(
                "{found} columns are more than the {} that one table can have; drop some",
                MAX_COLUMNS
            ),
            Self::TooManyQuasiIdentifiers { found, limit } => text!(
                "{found} quasi-identifiers are more than the {limit} that can be arranged; give some of them the role `drop`"
            ),
            Self::BlockTooLarge { size, least, limit } => text!(
                "blocks of {size} people have too many patterns of values to be examined in groups of at least {least}; choose blocks of at most {limit}"
            ),
            Self::NoSuchLevel { column, level, highest } => {
                text!("`{column}` has no level {level}: its levels are 0 (the values) to {highest}")
            }
            Self::SmallestGroup { asked, most, has_strata: true } => text!(
                "groups of at least {asked} rows are not possible: the smallest stratum has {most} rows"
            ),
            Self::SmallestGroup { asked, most, has_strata: false } => {
                text!("groups of at least {asked} rows are not possible: the table has {most} rows")
            }
            Self::LBelowTwo { l } => text!(
                "l = {l} protects nobody: with one value per group every value is certain; choose l of at least 2"
            ),
            Self::RatioOutOfRange { numerator, denominator } => {
                text!("the highest ratio {numerator}/{denominator} must be above 0 and below 1")
            }
            Self::ForeignTable => {
                text!("the values are not an assignment of the multiset to the people")
            }
            Self::Plan(why) => why.clone().into(),
            Self::NotAStratum { column } => {
                text!("`{column}` is not a known column, and only known columns can fix strata")
            }
            Self::Strata { refused, strata } => text!(
                "{} of {strata} strata cannot be published: {:text}",
                refused.len(),
                listed(refused)
            ),
            Self::Ties { refused, sizes } => text!(
                "{} of {sizes} sizes of ties cannot be published: {:text}",
                refused.len(),
                listed(refused)
            ),
            Self::Ineligible(cause) => cause.in_words(),
            Self::InvalidModel(cause) => cause.in_words(),
            Self::NothingRequired => text!("the privacy model requires nothing"),
            Self::Unsatisfiable(failure) => text!(
                "no release can satisfy the model, because the whole table does not: {:text}",
                failure.in_words()
            ),
            Self::NotConvex { model } => text!(
                "no engine can guarantee {model}: mixtures of distributions that satisfy it may not satisfy it; use another model"
            ),
            Self::ModelUnsupported { algorithm, made_for, model } => {
                text!("`{algorithm}` works with {made_for} and cannot publish {model}; use `cover`")
            }
            Self::NotMonotone { algorithm, model } => text!(
                "`{algorithm}` needs a model that holds on every union of groups on which it holds, and {model} does not; use `top-down` or `mondrian`"
            ),
            Self::SetsUnsupported { algorithm } => text!(
                "`{algorithm}` protects one value of a person, and here people have several; use `halving` or `cover`"
            ),
            Self::ExemptUnsupported { algorithm } => text!(
                "`{algorithm}` cannot leave values unprotected; remove `exempt` or use `cover`"
            ),
            Self::Abandoned(cause) => cause.to_string().into(),
            Self::Violation(violation) => text!(
                "the independent check rejected the release, and it was not written: {violation}"
            ),
            Self::BeyondLimit { what, needed, limit } => text!(
                "{what}: {needed} is beyond the limit of {limit}; choose a smaller table or raise the limit"
            ),
        }
    }
}

fn listed(refused: &[RefusedStratum]) -> Text {
    Text::listed(refused.iter().map(RefusedStratum::in_words), &text!("; "))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_words().fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<Ineligible> for Error {
    fn from(cause: Ineligible) -> Self {
        Self::Ineligible(cause)
    }
}

impl From<InvalidModel> for Error {
    fn from(cause: InvalidModel) -> Self {
        Self::InvalidModel(cause)
    }
}

impl From<Abandoned> for Error {
    fn from(cause: Abandoned) -> Self {
        Self::Abandoned(cause)
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}
