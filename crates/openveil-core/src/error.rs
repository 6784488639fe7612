use crate::coins::Abandoned;
use crate::model::{Failure, Ineligible, InvalidModel};
use crate::release::check::Violation;

/// A stratum in which no release can satisfy the model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{stratum}: {cause}")]
pub struct RefusedStratum {
    /// The values that its people have in common, such as `sex = Female`.
    pub stratum: String,
    /// Why no release is possible.
    pub cause: Box<Error>,
    /// The largest l for which the stratum allows ratio l-diversity; `None` if it is below 2.
    pub largest_l: Option<u32>,
}

/// Why a table could not be published.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table has no rows.
    #[error("the table has no rows; there is nothing to publish")]
    EmptyTable,
    /// Two columns of one table differ in length.
    #[error("column `{column}` has {found} rows where the table has {expected}")]
    UnequalColumns {
        /// The column.
        column: String,
        /// Rows of the table.
        expected: usize,
        /// Rows of the column.
        found: usize,
    },
    /// A code points outside its column's domain.
    #[error("column `{column}` contains the code {code}, but its domain has {domain} values")]
    CodeOutsideDomain {
        /// The column.
        column: String,
        /// The code.
        code: u32,
        /// Number of values in the domain.
        domain: usize,
    },
    /// More rows than a row number can hold.
    #[error("{rows} rows are more than the {} that one table can have", u32::MAX)]
    TooManyRows {
        /// Rows of the table.
        rows: usize,
    },
    /// More columns than a table can have.
    #[error(
        "{found} columns are more than the {} that one table can have; drop some",
        crate::table::MAX_COLUMNS
    )]
    TooManyColumns {
        /// Columns given.
        found: usize,
    },
    /// More quasi-identifiers than the algorithm handles.
    #[error(
        "{found} quasi-identifiers are more than the {limit} that can be arranged; give some of them the role `drop`"
    )]
    TooManyQuasiIdentifiers {
        /// Quasi-identifiers of the table.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// A block would have more patterns of values than can be examined.
    #[error(
        "blocks of {size} people have too many patterns of values to be examined in groups of at least {least}; choose blocks of at most {limit}"
    )]
    BlockTooLarge {
        /// People in a block.
        size: usize,
        /// The least size of groups that the model asks for, at least 2.
        least: usize,
        /// The most people that a block may have if groups have that least size.
        limit: usize,
    },
    /// A function names a level that a column does not have.
    #[error("`{column}` has no level {level}: its levels are 0 (the values) to {highest}")]
    NoSuchLevel {
        /// The column.
        column: String,
        /// The requested level.
        level: u32,
        /// The coarsest level of the column.
        highest: usize,
    },
    /// A stratum has fewer rows than each group must have.
    #[error(
        "groups of at least {asked} rows are not possible: {} {most} rows",
        if *has_strata { "the smallest stratum has" } else { "the table has" }
    )]
    SmallestGroup {
        /// The requested number of rows.
        asked: u32,
        /// Rows of the smallest stratum, or of the table.
        most: usize,
        /// Whether the table has strata.
        has_strata: bool,
    },
    /// The parameter `l` is below two.
    #[error(
        "l = {l} protects nobody: with one value per group every value is certain; choose l of at least 2"
    )]
    LBelowTwo {
        /// The parameter.
        l: u32,
    },
    /// A bound on the highest ratio that is 0 or less, or 1 or more.
    #[error("the highest ratio {numerator}/{denominator} must be above 0 and below 1")]
    RatioOutOfRange {
        /// Numerator of the bound.
        numerator: u64,
        /// Denominator of the bound.
        denominator: u64,
    },
    /// A table does not assign the multiset to the people.
    #[error("the values are not an assignment of the multiset to the people")]
    ForeignTable,
    /// A strategy that tries groupings in turn does not accept them; the reason in words.
    #[error("{0}")]
    Plan(String),
    /// A stratum would be fixed by a column that is not a known column.
    #[error("`{column}` is not a known column, and only known columns can fix strata")]
    NotAStratum {
        /// The column.
        column: String,
    },
    /// No release can satisfy the model in some strata.
    #[error(
        "{} of {strata} strata cannot be published: {}",
        refused.len(),
        refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    Strata {
        /// The strata that were refused.
        refused: Vec<RefusedStratum>,
        /// How many strata there are.
        strata: usize,
    },
    /// No release can satisfy the model on ties of some sizes.
    #[error(
        "{} of {sizes} sizes of ties cannot be published: {}",
        refused.len(),
        refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    Ties {
        /// The sizes that were refused.
        refused: Vec<RefusedStratum>,
        /// How many sizes there are.
        sizes: usize,
    },
    /// No release can satisfy the model.
    #[error(transparent)]
    Ineligible(#[from] Ineligible),
    /// A requirement with a parameter out of range, or one that does not fit the table.
    #[error(transparent)]
    InvalidModel(#[from] InvalidModel),
    /// A privacy model without requirements.
    #[error("the privacy model requires nothing")]
    NothingRequired,
    /// Not even the whole table as one group satisfies the model.
    #[error("no release can satisfy the model, because the whole table does not: {0}")]
    Unsatisfiable(Box<Failure>),
    /// The safe engines' guarantee needs a convex model.
    #[error(
        "no engine can guarantee {model}: mixtures of distributions that satisfy it may not satisfy it; use another model"
    )]
    NotConvex {
        /// The model.
        model: String,
    },
    /// The algorithm is made for another privacy model.
    #[error("`{algorithm}` works with {made_for} and cannot publish {model}; use `cover`")]
    ModelUnsupported {
        /// The algorithm's name.
        algorithm: &'static str,
        /// The models that it supports, in words.
        made_for: &'static str,
        /// The model.
        model: String,
    },
    /// The algorithm needs monotonicity, which the model lacks.
    #[error(
        "`{algorithm}` needs a model that holds on every union of groups on which it holds, and {model} does not; use `top-down` or `mondrian`"
    )]
    NotMonotone {
        /// The algorithm's name.
        algorithm: &'static str,
        /// The model.
        model: String,
    },
    /// The algorithm does not support values that need no protection.
    #[error("`{algorithm}` cannot leave values unprotected; remove `exempt` or use `cover`")]
    ExemptUnsupported {
        /// The algorithm's name.
        algorithm: &'static str,
    },
    /// Enumerated coins gave up a path (never happens with real coins).
    #[error(transparent)]
    Abandoned(#[from] Abandoned),
    /// The independent check refused a release.
    #[error("the independent check rejected the release, and it was not written: {0}")]
    Violation(#[from] Violation),
    /// An exhaustive check would be larger than its limit.
    #[error(
        "{what}: {needed} is beyond the limit of {limit}; choose a smaller table or raise the limit"
    )]
    BeyondLimit {
        /// The things to enumerate, in words.
        what: &'static str,
        /// How many there would be, in words or digits.
        needed: String,
        /// The limit.
        limit: u64,
    },
}
