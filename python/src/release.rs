//! Releases in memory, and those that are read back.

use crate::commands::json;
use crate::errors::input;
use crate::policy::PythonPolicy;
use crate::table::PythonTable;
use crate::work;
use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray};
use openveil_io::Error;
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_io::release_dir::write::Staging;
use openveil_io::release_dir::{ReleasePlace, Texts};
use openveil_io::source::{FirstSeen, RawColumn};
use openveil_publication::{Options, Release as Made};
use openveil_reader::query::{Cell, CellsGiven, Effort, FigureEntry, Reader, Request, Statistic};
use openveil_reader::report;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Readers that are kept: each has a fit of its own.
const MOST_READERS: usize = 4;

/// The conditions of a column's bins, each with its label.
type ColumnBins = (String, Vec<(String, String)>);

/// A release: what may be published, and with it, where it was just made, what stays.
#[pyclass(frozen, name = "Release", module = "openveil._openveil")]
pub(crate) struct PythonRelease {
    pub(crate) place: ReleasePlace,
    /// The release as it was made; none of one that was read back.
    made: Option<Made>,
    manifest: String,
    /// By how much work goes into their fits, the last one asked at the end.
    readers: Mutex<Vec<(Effort, Reader)>>,
}

/// Publishes in memory, once the folder that is written to later, if any, can be.
#[pyfunction]
#[pyo3(signature = (policy, *, out=None, test_seed=None, accept_algorithm_disclosure=false, certify=false, measure=false, views=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn publish(
    py: Python<'_>,
    policy: &PythonPolicy,
    out: Option<PathBuf>,
    test_seed: Option<u64>,
    accept_algorithm_disclosure: bool,
    certify: bool,
    measure: bool,
    views: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PythonRelease> {
    let options = Options {
        test_seed,
        accept_algorithm_disclosure,
        certify,
        measure,
        no_report: false,
        memory: None,
    };
    work::run(py, progress, |watch| {
        Made::check_in_memory(&policy.checked)?;
        out.map(|out| Staging::new(&out)).transpose()?;
        let made = Made::of(&policy.checked, options, watch)?;
        let memory = made.in_memory(if views { Texts::Views } else { Texts::Plain })?;
        Ok(PythonRelease {
            manifest: json(&memory.manifest)?,
            place: ReleasePlace::Memory(Arc::new(memory)),
            made: Some(made),
            readers: Mutex::default(),
        })
    })
}

/// Returns what publishing would do, as a JSON document.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, policy: &PythonPolicy) -> PyResult<String> {
    work::run(py, None, |watch| {
        json(&openveil_publication::plan(
            &policy.checked,
            Options::default(),
            watch,
        )?)
    })
}

/// Reads a release from its folder.
#[pyfunction]
pub(crate) fn read_release(py: Python<'_>, folder: PathBuf) -> PyResult<PythonRelease> {
    work::brief(py, || {
        let place = ReleasePlace::Folder(folder);
        let read = ReleaseFolder::read(&place)?;
        Ok(PythonRelease {
            manifest: json(&read.manifest)?,
            place,
            made: None,
            readers: Mutex::default(),
        })
    })
}

#[pymethods]
impl PythonRelease {
    /// The manifest, as a JSON document.
    #[getter]
    fn manifest(&self) -> &str {
        &self.manifest
    }

    /// Returns the owner's figures as a JSON document; of a release that was just made.
    fn owner(&self, py: Python<'_>) -> PyResult<String> {
        let made = self.made()?;
        work::brief(py, || json(&made.owner()?))
    }

    /// The tables by name. Cells are texts as in files, or unpacked: bounds as two columns,
    /// sets as lists.
    #[pyo3(signature = (*, unpack=false))]
    fn tables(&self, py: Python<'_>, unpack: bool) -> PyResult<Vec<(String, PythonTable)>> {
        let table = |(name, batches)| (name, PythonTable { batches });
        if let (ReleasePlace::Memory(release), false) = (&self.place, unpack) {
            let stem = |name: &String| name.split('.').next().unwrap_or(name).to_owned();
            let tables = release.manifest.files.iter();
            let tables = tables.map(|name| table((stem(name), release.tables[name].clone())));
            return Ok(tables.collect());
        }
        let cells = if unpack {
            CellsGiven::Unpacked
        } else {
            CellsGiven::Text
        };
        let tables = self.ask(py, Effort::default(), |reader| reader.tables(cells))?;
        Ok(tables.into_iter().map(table).collect())
    }

    /// The public page, as HTML: a function of the release.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        work::brief(py, || Ok(report::public(self.place.clone())?.html))
    }

    /// How many rows meet conditions, as a JSON document.
    #[pyo3(signature = (conditions, policy=None, *, worlds=Effort::WORLDS, seed=1))]
    fn count(
        &self,
        py: Python<'_>,
        conditions: &str,
        policy: Option<&PythonPolicy>,
        worlds: usize,
        seed: u64,
    ) -> PyResult<String> {
        self.ask(py, Effort { worlds, seed }, |reader| {
            let policy = policy.map(|policy| &policy.checked);
            json(&reader.count(conditions, policy)?)
        })
    }

    /// A cross-table, and its notes. `by` are its columns, `statistic` a column for its means,
    /// or for a quantile; columns with `bins` have the labels of these.
    #[pyo3(signature = (by, conditions=None, statistic=None, bins=Vec::new(), *, worlds=Effort::WORLDS, seed=1))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn crosstab(
        &self,
        py: Python<'_>,
        by: Vec<String>,
        conditions: Option<&str>,
        statistic: Option<(String, Option<f64>)>,
        bins: Vec<ColumnBins>,
        worlds: usize,
        seed: u64,
    ) -> PyResult<(PythonTable, Vec<String>)> {
        let statistic = match statistic {
            None => Statistic::Count,
            Some((column, None)) => Statistic::Mean(column),
            Some((column, Some(share))) => Statistic::Quantile(column, share),
        };
        let is_cut = |name: &String| bins.iter().any(|(own, _)| own == name);
        let mut columns: Vec<RawColumn> = by.iter().map(RawColumn::named).collect();
        let (mut figures, mut notes) = (Vec::new(), Vec::new());
        let types = self.ask(py, Effort { worlds, seed }, |reader| {
            for (labels, cut) in combinations(&bins) {
                let all = conditions.iter().map(|own| (*own).to_owned()).chain(cut);
                let all: Vec<String> = all.collect();
                let request = Request {
                    by: by.iter().filter(|name| !is_cut(name)).cloned().collect(),
                    conditions: (!all.is_empty()).then(|| all.join(" and ")),
                    statistic: statistic.clone(),
                };
                let made = reader.crosstab(&request)?;
                for Cell { of, figure } in made.cells {
                    let cut = bins.iter().zip(&labels);
                    let cut = cut.map(|((name, _), &label)| (name, label.to_owned()));
                    let shown = of.iter().map(|(name, value)| (name, text(value)));
                    for (name, text) in shown.chain(cut) {
                        let own = columns.iter_mut().find(|column| column.name == *name);
                        own.into_iter().for_each(|column| push(column, &text));
                    }
                    figures.push(figure);
                }
                for note in made.notes {
                    if !notes.contains(&note) {
                        notes.push(note);
                    }
                }
            }
            Ok(types_of(reader, &columns))
        })?;
        // What is cut shows intervals.
        let names = columns.iter().map(|column| &column.name);
        let types = types
            .into_iter()
            .zip(names)
            .map(|(own, name)| own.filter(|_| !is_cut(name)));
        let types: Vec<Option<String>> = types.collect();
        Ok((
            PythonTable::of_text(&columns, &types, figure_columns(&figures))?,
            notes,
        ))
    }

    /// A regression by its formula, as a JSON document.
    #[pyo3(signature = (formula, *, worlds=Effort::WORLDS, seed=1))]
    fn regression(
        &self,
        py: Python<'_>,
        formula: &str,
        worlds: usize,
        seed: u64,
    ) -> PyResult<String> {
        self.ask(py, Effort { worlds, seed }, |reader| {
            json(&reader.regression(formula)?)
        })
    }

    /// For each row the values that it may have: the columns, `row` and `weight`.
    #[pyo3(signature = (*, worlds=Effort::WORLDS, seed=1))]
    fn weights(&self, py: Python<'_>, worlds: usize, seed: u64) -> PyResult<PythonTable> {
        let (made, types) = self.ask(py, Effort { worlds, seed }, |reader| {
            let made = reader.weights()?;
            let types = types_of(reader, &made.columns);
            Ok((made, types))
        })?;
        let rows = made.rows.iter().map(|&row| i64::from(row));
        let beside: Vec<(&str, ArrayRef)> = vec![
            ("row", Arc::new(rows.collect::<Int64Array>())),
            ("weight", Arc::new(Float64Array::from(made.weights))),
        ];
        PythonTable::of_text(&made.columns, &types, beside)
    }

    /// Tables that the release may be of.
    #[pyo3(signature = (number, *, worlds=Effort::WORLDS, seed=1))]
    fn completed(
        &self,
        py: Python<'_>,
        number: usize,
        worlds: usize,
        seed: u64,
    ) -> PyResult<Vec<PythonTable>> {
        let (made, types) = self.ask(py, Effort { worlds, seed }, |reader| {
            let made = reader.completed(number)?;
            let types = made.first().map(|table| types_of(reader, table));
            Ok((made, types.unwrap_or_default()))
        })?;
        made.iter()
            .map(|columns| PythonTable::of_text(columns, &types, Vec::new()))
            .collect()
    }

    /// Draws synthetic rows from what the release says.
    #[pyo3(signature = (rows, seed=None))]
    fn sample(&self, py: Python<'_>, rows: usize, seed: Option<u64>) -> PyResult<PythonTable> {
        let (drawn, types) = self.ask(py, Effort::default(), |reader| {
            Ok((reader.sample(rows, seed)?, reader.types()))
        })?;
        PythonTable::of_text(&drawn, &types, Vec::new())
    }

    /// Writes `release/` and `owner/` into a folder; says whether an earlier release was
    /// replaced.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<bool> {
        let made = self.made()?;
        let published = work::brief(py, || made.write(&folder))?;
        Ok(published.written.replaced)
    }
}

impl PythonRelease {
    fn made(&self) -> PyResult<&Made> {
        let read_back = || input("this release was read back: its owner's part is not here".into());
        self.made.as_ref().ok_or_else(read_back)
    }

    /// Asks a reader of the release, which is made when it is first asked.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        effort: Effort,
        work: impl FnOnce(&Reader) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        if effort.worlds > Effort::MOST_WORLDS {
            return Err(input(format!(
                "{} worlds are more than {}",
                effort.worlds,
                Effort::MOST_WORLDS
            )));
        }
        // One question at a time: a thread of the pool that waits for a fit may begin another
        // question, which would then wait for that fit on the same thread. So the lock is taken
        // before the pool is.
        let mut readers = self
            .readers
            .lock_py_attached(py)
            .unwrap_or_else(PoisonError::into_inner);
        let readers = &mut *readers;
        work::run(py, None, |_| {
            let own = match readers.iter().position(|(own, _)| *own == effort) {
                Some(at) => readers.remove(at),
                None => (
                    effort,
                    Reader::open(self.place.clone())?.with_effort(effort),
                ),
            };
            if readers.len() == MOST_READERS {
                readers.remove(0);
            }
            let answer = work(&own.1);
            readers.push(own);
            answer
        })
    }
}

/// Returns the types of columns of a release, by their names.
fn types_of(reader: &Reader, columns: &[RawColumn]) -> Vec<Option<String>> {
    let all = &reader.release().manifest.columns;
    let of = |column: &RawColumn| {
        let entry = all.iter().find(|entry| entry.name == column.name)?;
        entry.value_type.clone()
    };
    columns.iter().map(of).collect()
}

/// All combinations of bins: their labels, and their conditions.
fn combinations(bins: &[ColumnBins]) -> Vec<(Vec<&str>, Vec<String>)> {
    let mut all = vec![(Vec::new(), Vec::new())];
    for (_, own) in bins {
        let with = |(labels, conditions): &(Vec<_>, Vec<_>)| {
            let (labels, conditions) = (labels.clone(), conditions.clone());
            let each = own.iter().map(move |(label, condition)| {
                let labels = labels.iter().copied().chain([label.as_str()]);
                let conditions = conditions.iter().cloned().chain([condition.clone()]);
                (labels.collect(), conditions.collect())
            });
            each.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// A value without quotes.
fn text(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Adds a value to a column.
fn push(column: &mut RawColumn, text: &str) {
    let nowhere = || FirstSeen { file: 0, line: 0 };
    let code = column.values.intern(text.as_bytes(), nowhere);
    column.codes.push(code.expect("texts are UTF-8"));
}

/// Figures as columns; empty where nobody is.
fn figure_columns(figures: &[Option<FigureEntry>]) -> Vec<(&'static str, ArrayRef)> {
    let numbers = |of: &dyn Fn(&FigureEntry) -> Option<f64>| -> ArrayRef {
        let own = figures.iter().map(|figure| figure.as_ref().and_then(of));
        Arc::new(own.collect::<Float64Array>())
    };
    let methods = figures
        .iter()
        .map(|figure| figure.as_ref().map(|own| own.method));
    vec![
        ("estimate", numbers(&|own| Some(own.estimate))),
        ("low", numbers(&|own| Some(own.interval[0]))),
        ("high", numbers(&|own| Some(own.interval[1]))),
        ("method", Arc::new(methods.collect::<StringArray>())),
        ("deal_error", numbers(&|own| own.deal_error)),
    ]
}
