use openveil_core::table::MAX_COLUMNS;

/// Why rules, a schema or an estimate could not be processed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// More columns than a set can hold.
    #[error("{found} columns are more than the {MAX_COLUMNS} that rules can refer to; drop some")]
    TooManyColumns {
        /// Columns given.
        found: usize,
    },
    /// Two columns with the same name.
    #[error("two columns are called `{column}`")]
    DuplicateColumn {
        /// The name.
        column: String,
    },
    /// A name that no column has.
    #[error("unknown column `{column}`")]
    UnknownColumn {
        /// The name.
        column: String,
    },
    /// A rule against a reader who knows nothing.
    #[error("the rule has no column on its left side; name what the reader knows")]
    EmptyGiven,
    /// A rule that protects nothing.
    #[error("the rule protects no column")]
    EmptyProtect,
    /// A column that the reader knows and must not learn.
    #[error(
        "column number {column} appears on both sides of the rule; a reader who knows it need not infer it"
    )]
    BothSides {
        /// The column.
        column: usize,
    },
    /// A dependency with an empty side.
    #[error("a dependency needs at least one column on each side")]
    EmptyDependency,
    /// The reader's knowledge determines the protected columns.
    #[error(
        "rule number {rule} cannot be satisfied: by the known dependencies its left side determines all that it protects"
    )]
    Determined {
        /// The rule, counted from 0.
        rule: usize,
    },
    /// Known dependencies alone connect both sides of a rule.
    #[error(
        "rule number {rule} cannot be satisfied by any choice of tables: known dependencies connect its left side with all that it protects"
    )]
    LinkedByDependencies {
        /// The rule, counted from 0.
        rule: usize,
    },
    /// A table claims to protect a column that it does not have.
    #[error("the table enforces a rule on column number {column}, which is not one of its columns")]
    ForeignColumn {
        /// The column.
        column: usize,
    },
    /// A table without columns.
    #[error("the table has no columns")]
    EmptyTable,
    /// A decomposition would have produced a schema that may break a rule. It is never used.
    #[error("the decomposition is not in normal form: rule number {rule} may be violated")]
    NotNormalForm {
        /// The first rule that may be violated, counted from 0.
        rule: usize,
    },
    /// A decomposition that lost a column.
    #[error("column number {column} is in no table")]
    NotPublished {
        /// The column.
        column: usize,
    },
    /// Something grew beyond its limit.
    #[error("{what}: more than the limit of {limit}")]
    BeyondLimit {
        /// The things counted, in words.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Columns of unequal length, or fewer than named.
    #[error("column number {column} does not have {rows} rows")]
    UnequalColumns {
        /// The column.
        column: usize,
        /// Rows expected.
        rows: usize,
    },
    /// A sub-table without rows, or with weights that are not positive numbers.
    #[error("a sub-table needs rows, each with as many codes as columns and a positive weight")]
    BadMarginal,
    /// Sub-tables of different populations.
    #[error(
        "the sub-tables have different numbers of rows ({first} and {other}); are they from one release?"
    )]
    UnequalTotals {
        /// Rows of the first sub-table, rounded.
        first: u64,
        /// Rows of another sub-table, rounded.
        other: u64,
    },
    /// Sub-tables that contradict each other on the columns they share.
    #[error(
        "two sub-tables contradict each other on the columns they share; are they from one release?"
    )]
    Inconsistent,
    /// A grouping that does not fit the rows.
    #[error("the groups do not fit the rows of the table")]
    BadGroups,
    /// Anonymising a sub-table failed.
    #[error("a sub-table could not be anonymised: {0}")]
    Anonymise(String),
}
