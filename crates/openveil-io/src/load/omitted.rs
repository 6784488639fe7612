/// Columns and rows of the input that are not in the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Columns with the role `identifier`.
    pub identifiers: Vec<String>,
    /// The identifiers that some rows share: these rows may belong to one person.
    pub repeated_identifiers: Vec<String>,
    /// Identifiers whose rows nearly always agree on a sensitive column, each with that column.
    pub tied: Vec<(String, String)>,
    /// Columns with the role `drop`.
    pub dropped: Vec<String>,
    /// Rows of the input.
    pub input_rows: usize,
    /// Rows left out because a sample holds them.
    pub sampled: usize,
    /// Whether repeated identifiers were not looked for, because the table is larger than memory.
    pub unread_identifiers: bool,
    /// Rows left out because a value was missing.
    pub rows: usize,
    /// Rows beyond the limit of rows per person, left out at random.
    pub beyond_rows: usize,
    /// Rows beyond the limit of rows per tie; the rows that count were drawn at random.
    pub beyond_ties: usize,
    /// Columns that hold both missing values and the text that stands for a missing value.
    pub merged: Vec<String>,
    /// Per column, how many rows lacked a value.
    pub missing: Vec<MissingCount>,
}

/// How many rows lack a value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCount {
    /// The column.
    pub column: String,
    /// Whether it is sensitive: if so, the sensitive value decides who is left out.
    pub sensitive: bool,
    /// Rows without a value.
    pub rows: usize,
}
