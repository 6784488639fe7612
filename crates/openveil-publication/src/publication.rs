//! Publishing from code: a table, a model, a checked release.

use crate::asked::Options;
use crate::release::Release;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use openveil_core::algorithm::{Algorithm, Inside, Trials};
use openveil_core::model::Model;
use openveil_core::release::Style;
use openveil_io::policy::ReadRows;
use openveil_io::policy::{
    ColumnPolicy, Compression, InputPolicy, MethodPolicy, Missing, OutputFormat, OutputPolicy,
    Policy, PrivacyPolicy, PublicationKind, Role, ValueType,
};
use openveil_io::progress::{Nobody, Observer};
use openveil_io::source::{Batches, Format, Source};
use openveil_io::spelling::or_meant;
use openveil_io::{Error, Location};
use openveil_papers::algorithm::Auto;
use openveil_text::text;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table, in a file or in memory, and the settings of its columns. Columns that are not named are not published.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let people = folder.path().join("people.csv");
/// # std::fs::write(&people, "age,job\n31,nurse\n34,clerk\n").unwrap();
/// use openveil_io::ValueType::Integer;
/// use openveil_publication::Table;
///
/// let table = Table::read_csv(&people)?.known("age", Integer)?.secret("job")?;
/// assert!(table.known("agge", Integer).is_err());
/// # Ok::<(), openveil_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    source: Source,
    header: Vec<String>,
    columns: BTreeMap<String, ColumnPolicy>,
    missing: Missing,
    rows_are_people: bool,
}

impl Table {
    /// Opens a CSV file (also `.gz` and `.zst`). Reads only its header until it is published.
    ///
    /// # Errors
    /// A file that cannot be read or has no header.
    pub fn read_csv(path: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::read(Format::Csv, path.into())
    }

    /// Opens a Parquet file.
    ///
    /// # Errors
    /// As for [`Table::read_csv`].
    pub fn read_parquet(path: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::read(Format::Parquet, path.into())
    }

    /// Takes a table in memory: Arrow's batches of one schema. They are not copied.
    ///
    /// # Errors
    /// Batches of different schemas; two columns of one name.
    ///
    /// ```
    /// use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
    /// use openveil_core::model::l_diversity;
    /// use openveil_io::ValueType::Integer;
    /// use openveil_publication::{Publication, Table};
    /// use std::sync::Arc;
    ///
    /// let ages: ArrayRef = Arc::new((20..59).collect::<Int32Array>());
    /// let jobs = (0..39).map(|i| Some(["nurse", "clerk", "judge"][i % 3]));
    /// let jobs: ArrayRef = Arc::new(jobs.collect::<StringArray>());
    /// let batch = RecordBatch::try_from_iter([("age", ages), ("job", jobs)])?;
    ///
    /// let table = Table::from_batches(batch.schema(), vec![batch])?;
    /// let table = table.known("age", Integer)?.secret("job")?;
    /// let release = Publication::new(&table, l_diversity(3)?).run()?;
    /// assert_eq!(release.manifest().rows, 39);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_batches(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self, Error> {
        Self::of_source(Source::of_memory("table", Batches::new(schema, batches)?))
    }

    /// Takes a table in memory: rows of texts, with the names of their columns. An empty text is a
    /// missing value.
    ///
    /// # Errors
    /// A row with more or fewer texts than there are columns; two columns of one name.
    ///
    /// ```
    /// use openveil_io::ValueType::Integer;
    /// use openveil_publication::Table;
    ///
    /// let rows = [["31", "nurse"], ["34", "clerk"]];
    /// let table = Table::from_rows(["age", "job"], rows)?.known("age", Integer)?.secret("job")?;
    /// assert!(Table::from_rows(["age", "job"], [["31"]]).is_err());
    /// # Ok::<(), openveil_io::Error>(())
    /// ```
    pub fn from_rows<N, R>(
        names: impl IntoIterator<Item = N>,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, Error>
    where
        N: Into<String>,
        R: IntoIterator<Item: AsRef<str>>,
    {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut columns: Vec<StringBuilder> = names.iter().map(|_| StringBuilder::new()).collect();
        for (at, row) in rows.into_iter().enumerate() {
            let mut texts = row.into_iter();
            for column in &mut columns {
                let text = texts.next().ok_or_else(|| ragged(at))?;
                column.append_value(text);
            }
            if texts.next().is_some() {
                return Err(ragged(at));
            }
        }
        let fields: Vec<Field> =
            names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let columns = columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), columns.collect())
            .map_err(|cause| Error::new(Location::default(), cause.to_string()))?;
        Self::from_batches(schema, vec![batch])
    }

    fn read(format: Format, path: PathBuf) -> Result<Self, Error> {
        Self::of_source(Source { format: Some(format), ..Source::new(path) })
    }

    fn of_source(source: Source) -> Result<Self, Error> {
        let header = source.header()?;
        let dropped = header.iter().map(|name| {
            let column = ColumnPolicy::new(Role::Drop, ValueType::Text);
            (name.clone(), column)
        });
        Ok(Self {
            columns: dropped.collect(),
            source,
            header,
            missing: Missing::Error,
            rows_are_people: false,
        })
    }

    /// Adds a column that others know of everybody: a quasi-identifier.
    ///
    /// # Errors
    /// A column that the table does not have.
    pub fn known(self, name: &str, value_type: ValueType) -> Result<Self, Error> {
        self.column(name, ColumnPolicy::new(Role::QuasiIdentifier, value_type))
    }

    /// Adds a column of text that stays secret.
    ///
    /// # Errors
    /// As for [`Table::known`].
    pub fn secret(self, name: &str) -> Result<Self, Error> {
        self.column(name, ColumnPolicy::new(Role::Sensitive, ValueType::Text))
    }

    /// Adds a column for analysis, which is neither secret nor known to others.
    ///
    /// # Errors
    /// As for [`Table::known`].
    pub fn other(self, name: &str, value_type: ValueType) -> Result<Self, Error> {
        self.column(name, ColumnPolicy::new(Role::Other, value_type))
    }

    /// Adds a column with all settings that a policy can have for it.
    ///
    /// # Errors
    /// As for [`Table::known`].
    pub fn column(mut self, name: &str, column: ColumnPolicy) -> Result<Self, Error> {
        if !self.columns.contains_key(name) {
            let place = Location::file(&self.source.path);
            let error = Error::new(place, text!("has no column `{name}`"));
            let known = self.header.iter().map(String::as_str);
            return Err(or_meant(error, name, known, || {
                format!("it has {}", self.header.join(", "))
            }));
        }
        self.columns.insert(name.to_owned(), column);
        Ok(self)
    }

    /// States that every row is a different person, although an identifier repeats. The manifest
    /// then states that the guarantee covers rows.
    #[must_use]
    pub fn rows_are_people(mut self) -> Self {
        self.rows_are_people = true;
        self
    }

    /// Sets the treatment of rows with a missing value; by default they are an error.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }
}

fn ragged(row: usize) -> Error {
    let problem = text!("row {} has another number of texts than there are columns", row + 1);
    Error::new(Location::default(), problem).help("give each row a text for every column")
}

/// A table and its publication settings: a policy, made in code.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let people = folder.path().join("people.csv");
/// # let rows: String = (0..39).map(|i| format!("{},{}\n", 20 + i, ["nurse", "clerk", "judge"][i % 3])).collect();
/// # std::fs::write(&people, format!("age,job\n{rows}")).unwrap();
/// # let out = folder.path().join("out");
/// use openveil_io::ValueType::Integer;
/// use openveil_papers::algorithm::Cover;
/// use openveil_publication::{Publication, Table};
/// use openveil_core::model::l_diversity;
///
/// let table = Table::read_csv(&people)?.known("age", Integer)?.secret("job")?;
/// let publication = Publication::new(&table, l_diversity(3)?).algorithm(Cover);
/// let release = publication.run()?; // checked
/// println!("{}", release.guarantee());
/// release.write(&out)?;
/// assert!(out.join("release/release.csv").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Publication {
    policy: Policy,
    options: Options,
}

impl Publication {
    /// Makes a publication of a table by the default algorithm, generalised, as CSV.
    pub fn new(table: &Table, model: Model) -> Self {
        let secret = |column: &(&String, &ColumnPolicy)| column.1.role == Role::Sensitive;
        let secret: Vec<String> =
            table.columns.iter().filter(secret).map(|(name, _)| name.clone()).collect();
        let policy = Policy {
            // The policy has no file; relative paths start at the folder that the program runs in.
            path: PathBuf::new(),
            input: InputPolicy {
                source: table.source.clone(),
                part: ReadRows::default(),
                missing: table.missing,
                missing_values: Vec::new(),
                person: None,
                rows_are_people: table.rows_are_people,
            },
            columns: table.columns.clone(),
            kind: PublicationKind::Single,
            privacy: PrivacyPolicy {
                model,
                combine: if secret.len() > 1 { secret } else { Vec::new() },
                strata: Vec::new(),
                measures: false,
                public: None,
            },
            method: MethodPolicy {
                algorithm: &Auto,
                smallest_group: None,
                inside: Inside::default(),
                trials: Trials::default(),
            },
            output: OutputPolicy {
                style: Style::Generalize,
                class: None,
                dir: PathBuf::from("out"),
                records: PathBuf::from("out/owner"),
                format: OutputFormat {
                    format: Format::Csv,
                    compression: Compression::Plain,
                    delimiter: b',',
                    spreadsheet_safe: true,
                },
            },
            purpose: None,
        };
        Self { policy, options: Options::default() }
    }

    /// Makes a publication from a policy file.
    ///
    /// # Errors
    /// As for [`Policy::read`].
    pub fn of_policy(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { policy: Policy::read(path.as_ref())?, options: Options::default() })
    }

    /// Sets the algorithm.
    #[must_use]
    pub fn algorithm(mut self, algorithm: impl Into<&'static dyn Algorithm>) -> Self {
        self.policy.method.algorithm = algorithm.into();
        self
    }

    /// Sets the fewest rows of a group, for `halving` and `auto`; by default
    /// [`Settings::smallest_group`](openveil_core::algorithm::Settings::smallest_group) decides.
    #[must_use]
    pub fn smallest_group(mut self, rows: NonZeroU32) -> Self {
        self.policy.method.smallest_group = Some(rows);
        self
    }

    /// Sets the trials of `k-jump`, `safe` and `naive`; other algorithms refuse them.
    #[must_use]
    pub fn trials(mut self, trials: Trials) -> Self {
        self.policy.method.trials = trials;
        self
    }

    /// Sets how people of a stratum are put into groups. The readers against whom the model holds
    /// are part of the model ([`Model::against`]).
    #[must_use]
    pub fn inside(mut self, inside: Inside) -> Self {
        self.policy.method.inside = inside;
        self
    }

    /// Sets how quasi-identifiers are published.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.policy.output.style = style;
        self
    }

    /// Publishes in strata of people who are alike on these known columns. Each stratum satisfies
    /// the model by itself, and its histogram is public.
    #[must_use]
    pub fn strata<V: Into<String>>(mut self, columns: impl IntoIterator<Item = V>) -> Self {
        self.policy.privacy.strata = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how tables are written.
    #[must_use]
    pub fn output(mut self, output: OutputFormat) -> Self {
        self.policy.output.format = output;
        self
    }

    /// Sets the options beside the policy, such as a seed for tests.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Returns the policy, to change its other settings.
    pub fn policy_mut(&mut self) -> &mut Policy {
        &mut self.policy
    }

    /// Reads, anonymises and checks; writes nothing.
    ///
    /// # Errors
    /// Bad input, a table that cannot be published, a failed check.
    pub fn run(&self) -> Result<Release, Error> {
        self.run_watched(&Nobody)
    }

    /// Like [`Publication::run`], but reports progress to an observer.
    ///
    /// # Errors
    /// As for [`Publication::run`].
    pub fn run_watched(&self, observer: &dyn Observer) -> Result<Release, Error> {
        Release::new(&self.policy, self.options, observer)
    }
}
