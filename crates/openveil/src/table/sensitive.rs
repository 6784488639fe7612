use crate::hierarchy::Hierarchy;

/// The column that stays secret: codes into a list of values.
///
/// Several columns may be protected as one; a value is then a combination with
/// one part per column, and what is promised bounds the combination.
#[derive(Debug, Clone)]
pub struct Sensitive {
    columns: Vec<String>,
    codes: Vec<u32>,
    values: Vec<Box<[Box<str>]>>,
    exempt: Vec<bool>,
    hierarchy: Option<Hierarchy>,
    name: String,
}

impl Sensitive {
    /// One column; `codes[row]` is a position in `values`.
    pub fn new<L: Into<Box<str>>>(
        column: impl Into<String>,
        codes: Vec<u32>,
        values: impl IntoIterator<Item = L>,
    ) -> Self {
        let values = values.into_iter().map(|value| vec![value.into()]);
        Self::combined(vec![column.into()], codes, values)
    }

    /// Several columns protected as one: every value has a part per column.
    pub fn combined<L: Into<Box<str>>>(
        columns: Vec<String>,
        codes: Vec<u32>,
        values: impl IntoIterator<Item = Vec<L>>,
    ) -> Self {
        let values: Vec<Box<[Box<str>]>> = values
            .into_iter()
            .map(|parts| parts.into_iter().map(Into::into).collect())
            .collect();
        Self {
            name: columns.join(" + "),
            exempt: vec![false; values.len()],
            hierarchy: None,
            columns,
            codes,
            values,
        }
    }

    /// Says which values need no protection: `exempt[value]`.
    ///
    /// # Panics
    /// If `exempt` does not have one entry per value.
    #[must_use]
    pub fn with_exempt(mut self, exempt: Vec<bool>) -> Self {
        assert_eq!(exempt.len(), self.values.len(), "one flag per value");
        self.exempt = exempt;
        self
    }

    /// Says how values are related: a tree over their labels.
    #[must_use]
    pub fn with_hierarchy(mut self, hierarchy: Hierarchy) -> Self {
        self.hierarchy = Some(hierarchy);
        self
    }

    /// How values are related, if anything was said about it. It has nothing to do
    /// with how they are published.
    pub fn hierarchy(&self) -> Option<&Hierarchy> {
        self.hierarchy.as_ref()
    }

    /// The same values, held by other people: `codes[row]` is a position in them.
    #[must_use]
    pub fn with_codes(mut self, codes: Vec<u32>) -> Self {
        self.codes = codes;
        self
    }

    /// The columns protected together, usually one.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The column's name; several are joined by ` + `.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One code per row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Number of values in the domain.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// The parts of a value, one per column.
    pub fn parts(&self, code: u32) -> &[Box<str>] {
        &self.values[code as usize]
    }

    /// A value as text; parts are joined by ` + `.
    pub fn label(&self, code: u32) -> String {
        self.parts(code).join(" + ")
    }

    /// Which values need no protection.
    pub fn exempt(&self) -> &[bool] {
        &self.exempt
    }
}
