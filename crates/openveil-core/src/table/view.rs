use super::strata::{self, StrataCounts};
use super::{Column, Histogram, Secret, Stratum, check_codes, check_rows};
use crate::Error;

/// A table divided by one reader's knowledge: ordered columns that the reader knows of everybody,
/// and the secret.
///
/// Algorithms anonymise views. One column can be known in one view of a
/// [`PeopleTable`](super::PeopleTable) and secret in another; views share its codes.
#[derive(Debug, Clone)]
pub struct View {
    known: Vec<Column>,
    other: Vec<Column>,
    secret: Secret,
    /// Positions of the known columns that fix the strata.
    strata: Vec<usize>,
    /// The numbers of rows of a view without rows: see [`View::counted`].
    counts: Option<StrataCounts>,
}

impl View {
    /// Builds a view from columns and checks that they fit together. O(n · columns).
    ///
    /// # Errors
    /// [`Error::EmptyTable`], [`Error::TooManyRows`], [`Error::UnequalColumns`]
    /// or [`Error::CodeOutsideDomain`].
    pub fn new(known: Vec<Column>, secret: Secret) -> Result<Self, Error> {
        let rows = secret.codes().len();
        check_rows(rows)?;
        check_codes(secret.name(), secret.codes(), rows, secret.values())?;
        for column in &known {
            check_codes(column.name(), column.codes(), rows, column.domain().len())?;
        }
        Ok(Self::of_table(known, secret))
    }

    /// A view of a table's columns, which were checked when the table was made.
    pub(super) fn of_table(known: Vec<Column>, secret: Secret) -> Self {
        Self { known, other: Vec::new(), strata: Vec::new(), counts: None, secret }
    }

    /// Returns a view without rows, for a table stored elsewhere. It takes the columns that fix the
    /// strata and, per stratum, their codes and the histogram of the secret; without strata, one
    /// histogram and no codes. It suffices for everything that is decided before the deal: rows,
    /// histograms, strata, models, layouts. O(strata · log strata).
    ///
    /// # Errors
    /// [`Error::EmptyTable`], [`Error::TooManyRows`], or [`Error::NotAStratum`].
    ///
    /// # Panics
    /// If a stratum has no rows, or not one code for each of the columns, or counts values that the
    /// secret does not have.
    pub fn counted<N: AsRef<str>>(
        self,
        columns: impl IntoIterator<Item = N>,
        counts: Vec<(Vec<u32>, Histogram)>,
    ) -> Result<Self, Error> {
        let rows = counts.iter().map(|(_, histogram)| u64::from(histogram.rows()));
        check_rows(usize::try_from(rows.sum::<u64>()).unwrap_or(usize::MAX))?;
        let view = self.with_strata(columns)?;
        assert!(
            counts.iter().all(|(codes, histogram)| {
                codes.len() == view.strata.len()
                    && histogram.rows() > 0
                    && histogram.counts().len() == view.secret.values()
            }),
            "counts of other strata"
        );
        let counts = StrataCounts::new(&view, counts);
        Ok(Self { counts: Some(counts), ..view })
    }

    /// Adds columns for analysis, which are neither secret nor declared as known. They are
    /// published by value and do not affect the groups. O(n · columns).
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_other(mut self, columns: Vec<Column>) -> Result<Self, Error> {
        for column in &columns {
            check_codes(column.name(), column.codes(), self.rows(), column.domain().len())?;
        }
        self.other = columns;
        Ok(self)
    }

    /// Returns some rows, in the order given and with the same domains, as one stratum. O(rows ·
    /// columns).
    ///
    /// # Errors
    /// [`Error::EmptyTable`] without rows.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn of_rows(&self, rows: &[u32]) -> Result<Self, Error> {
        check_rows(rows.len())?;
        let chosen = |codes: &[u32]| rows.iter().map(|&row| codes[row as usize]).collect();
        let part = |columns: &[Column]| -> Vec<Column> {
            columns.iter().map(|column| column.clone().with_codes(chosen(column.codes()))).collect()
        };
        Ok(Self {
            known: part(&self.known),
            other: part(&self.other),
            secret: self.secret.clone().with_codes(chosen(self.secret.codes())),
            strata: Vec::new(),
            counts: None,
        })
    }

    /// Returns this table in strata: people who are alike on these known columns are a stratum,
    /// which is anonymised by itself. The histogram of each stratum is public.
    ///
    /// # Errors
    /// [`Error::NotAStratum`] names a column that is not known.
    pub fn with_strata<N: AsRef<str>>(
        mut self,
        columns: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        let mut strata: Vec<usize> = columns
            .into_iter()
            .map(|name: N| {
                self.known
                    .iter()
                    .position(|column| column.name() == name.as_ref())
                    .ok_or_else(|| Error::NotAStratum { column: name.as_ref().to_owned() })
            })
            .collect::<Result<_, _>>()?;
        strata.sort_unstable();
        strata.dedup();
        self.strata = strata;
        Ok(self)
    }

    /// The known columns that fix the strata, in their order; empty if the whole table is one
    /// stratum.
    pub fn strata_columns(&self) -> impl ExactSizeIterator<Item = &Column> {
        self.strata.iter().map(|&position| &self.known[position])
    }

    /// The strata in the order of their labels, which does not depend on the order of rows; without
    /// strata, the whole table. O(n · columns + strata · log strata).
    pub fn strata(&self) -> Vec<Stratum> {
        match &self.counts {
            None => strata::strata_of(self),
            Some(counts) => counts.strata(),
        }
    }

    /// One stratum of a view without rows.
    pub(super) fn of_counts(&self, counts: StrataCounts) -> Self {
        Self { strata: Vec::new(), counts: Some(counts), ..self.clone() }
    }

    /// Number of rows: people in the table.
    pub fn rows(&self) -> usize {
        match &self.counts {
            None => self.secret.codes().len(),
            Some(counts) => counts.rows(),
        }
    }

    /// The columns that the reader knows for everybody: the quasi-identifiers.
    pub fn known(&self) -> &[Column] {
        &self.known
    }

    /// Columns for analysis, which algorithms do not use. All proofs also cover a reader who knows
    /// them.
    pub fn other(&self) -> &[Column] {
        &self.other
    }

    /// The secret.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Returns these people with other values: `codes[row]` is a position in the same
    /// domain.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_secret_codes(&self, codes: Vec<u32>) -> Result<Self, Error> {
        self.with_secret(self.secret.clone().with_codes(codes))
    }

    /// Returns these people with another secret.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_secret(&self, secret: Secret) -> Result<Self, Error> {
        check_codes(secret.name(), secret.codes(), self.rows(), secret.values())?;
        Ok(Self { secret, ..self.clone() })
    }

    /// Returns this table with other values exempt: `exempt[value]`.
    ///
    /// # Panics
    /// If `exempt` does not have one entry per value.
    #[must_use]
    pub fn with_exempt(mut self, exempt: Vec<bool>) -> Self {
        self.secret = self.secret.with_exempt(exempt);
        self
    }

    /// Returns these people with other known columns.
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_known(self, known: Vec<Column>) -> Result<Self, Error> {
        Self::new(known, self.secret)?.with_other(self.other)
    }

    /// How many rows carry each secret value: public knowledge.
    pub fn histogram(&self) -> Histogram {
        match &self.counts {
            None => Histogram::new(self.secret.codes(), self.secret.values()),
            Some(counts) => counts.histogram(self.secret.values()),
        }
    }
}
