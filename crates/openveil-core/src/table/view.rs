use super::strata::{self, StrataCounts};
use super::{Column, Histogram, Secret, Stratum, check_codes, check_rows};
use crate::Error;

/// A table as one reader's knowledge divides it: columns that the reader knows of
/// everybody, in an order, and what must stay secret.
///
/// This is what algorithms anonymise. One column can be known in one view of a
/// [`PeopleTable`](super::PeopleTable) and secret in another; views share its codes.
#[derive(Debug, Clone)]
pub struct View {
    known: Vec<Column>,
    other: Vec<Column>,
    secret: Secret,
    /// Positions of the known columns that fix the strata.
    strata: Vec<usize>,
    /// For a view without rows, how many its table has: see [`View::counted`].
    counts: Option<StrataCounts>,
}

impl View {
    /// Puts columns together and checks that they fit, in O(n · columns).
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

    /// Columns of a table, which were checked when it was made.
    pub(super) fn of_table(known: Vec<Column>, secret: Secret) -> Self {
        Self {
            known,
            other: Vec::new(),
            strata: Vec::new(),
            counts: None,
            secret,
        }
    }

    /// Returns these columns without rows: of a table that lies elsewhere, with the columns that
    /// fix its strata and, per stratum, their codes and the histogram of the secret; without
    /// strata, one histogram and no codes. It answers all that is decided before the deal:
    /// rows, histograms, strata, models, layouts. O(strata · log strata).
    ///
    /// # Errors
    /// [`Error::EmptyTable`], [`Error::TooManyRows`], or [`Error::NotAStratum`].
    ///
    /// # Panics
    /// If a stratum has no rows, or not one code for each of the columns, or counts other
    /// values than the secret has.
    pub fn counted<N: AsRef<str>>(
        self,
        columns: impl IntoIterator<Item = N>,
        counts: Vec<(Vec<u32>, Histogram)>,
    ) -> Result<Self, Error> {
        let rows = counts
            .iter()
            .map(|(_, histogram)| u64::from(histogram.rows()));
        check_rows(usize::try_from(rows.sum::<u64>()).unwrap_or(usize::MAX))?;
        let view = self.with_strata(columns)?;
        let fits = |(codes, histogram): &(Vec<u32>, Histogram)| {
            codes.len() == view.strata.len()
                && histogram.rows() > 0
                && histogram.counts().len() == view.secret.values()
        };
        assert!(counts.iter().all(fits), "counts of other strata");
        let counts = StrataCounts::new(&view, counts);
        Ok(Self {
            counts: Some(counts),
            ..view
        })
    }

    /// Adds columns for analysis: neither secret nor, as far as anybody says, known.
    /// They are published by value and steer nothing. O(n · columns).
    ///
    /// # Errors
    /// [`Error::UnequalColumns`] or [`Error::CodeOutsideDomain`].
    pub fn with_other(mut self, columns: Vec<Column>) -> Result<Self, Error> {
        for column in &columns {
            check_codes(
                column.name(),
                column.codes(),
                self.rows(),
                column.domain().len(),
            )?;
        }
        self.other = columns;
        Ok(self)
    }

    /// Some rows, in the order given, with the same domains; as one stratum.
    /// O(rows · columns).
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
            let columns = columns.iter();
            let part = columns.map(|column| column.clone().with_codes(chosen(column.codes())));
            part.collect()
        };
        Ok(Self {
            known: part(&self.known),
            other: part(&self.other),
            secret: self.secret.clone().with_codes(chosen(self.secret.codes())),
            strata: Vec::new(),
            counts: None,
        })
    }

    /// Returns this table in strata: people who are alike on these known columns are a
    /// stratum, anonymised by itself. How many of its people have each secret value is
    /// public.
    ///
    /// # Errors
    /// [`Error::NotAStratum`] names a column that is not known.
    pub fn with_strata<N: AsRef<str>>(
        mut self,
        columns: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        let position = |name: N| {
            let mut known = self.known.iter();
            let found = known.position(|column| column.name() == name.as_ref());
            found.ok_or_else(|| Error::NotAStratum {
                column: name.as_ref().to_owned(),
            })
        };
        let mut strata: Vec<usize> = columns
            .into_iter()
            .map(position)
            .collect::<Result<_, _>>()?;
        strata.sort_unstable();
        strata.dedup();
        self.strata = strata;
        Ok(self)
    }

    /// The known columns that fix the strata, in their order; none if the whole table
    /// is one.
    pub fn strata_columns(&self) -> impl ExactSizeIterator<Item = &Column> {
        self.strata.iter().map(|&position| &self.known[position])
    }

    /// The strata in the order of their labels, which owes nothing to the order of rows;
    /// without strata, the whole table. O(n · columns + strata · log strata).
    pub fn strata(&self) -> Vec<Stratum> {
        match &self.counts {
            None => strata::of(self),
            Some(counts) => counts.strata(),
        }
    }

    /// One stratum of a view without rows.
    pub(super) fn of_counts(&self, counts: StrataCounts) -> Self {
        Self {
            strata: Vec::new(),
            counts: Some(counts),
            ..self.clone()
        }
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

    /// Columns for analysis, which algorithms do not look at. All that is proved holds
    /// for a reader who knows them.
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
        Ok(Self {
            secret,
            ..self.clone()
        })
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
            None => Histogram::of(self.secret.codes(), self.secret.values()),
            Some(counts) => counts.histogram(self.secret.values()),
        }
    }
}
