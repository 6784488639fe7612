/// Columns and rows of the input that are not in the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Columns with the role `identifier`.
    pub identifiers: Vec<String>,
    /// Those of them that some rows share: the rows may be one person's.
    pub repeated_identifiers: Vec<String>,
    /// Identifiers inside of which a sensitive column is nearly the same, each with that column.
    pub tied: Vec<(String, String)>,
    /// Columns with the role `drop`.
    pub dropped: Vec<String>,
    /// Rows of the input.
    pub input_rows: usize,
    /// Rows left out because they are in a sample.
    pub sampled: usize,
    /// Whether nothing is known of identifiers that repeat: the table is larger than memory.
    pub unread_identifiers: bool,
    /// Rows left out because a value was missing.
    pub rows: usize,
    /// Rows left out, by coins, of people with more rows than count.
    pub beyond_rows: usize,
    /// Rows of ties with more rows than count; those that count were drawn by coins.
    pub beyond_ties: usize,
    /// Columns in which the text that stands for a missing value stands beside missing ones.
    pub merged: Vec<String>,
    /// Per column, how many rows lacked a value.
    pub missing: Vec<MissingCount>,
}

/// How many rows lack a value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCount {
    /// The column.
    pub column: String,
    /// Whether it is sensitive: who is left out then depends on the secret.
    pub sensitive: bool,
    /// Rows without a value.
    pub rows: usize,
}
