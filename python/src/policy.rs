//! Policies, with a table instead of the file that they name.

use crate::errors::raised;
use crate::table::PythonTable;
use crate::work;
use openveil_bindings::commands::{Replaced, with};
use openveil_bindings::policy::{PolicyDocument, model_line};
use openveil_bindings::{Section, Value};
use openveil_io::Error;
use openveil_io::policy::Policy as Checked;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use std::collections::HashMap;
use std::path::PathBuf;

/// An unchecked policy, from keywords or from a dict.
#[pyclass(frozen, name = "PolicyDocument", module = "openveil._openveil")]
#[derive(Debug, Clone)]
pub(crate) struct PythonDocument {
    document: PolicyDocument,
}

#[pymethods]
impl PythonDocument {
    /// Makes a policy from keywords, without keywords that are None.
    #[staticmethod]
    fn of_keywords(keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut given = Section::default();
        for (name, value) in keywords {
            if !value.is_none() {
                given.set(name.extract::<String>()?, columns_of(&value)?);
            }
        }
        Self::made(PolicyDocument::of_arguments(given))
    }

    /// Makes a policy from the sections of a file.
    #[staticmethod]
    fn of_sections(sections: &Bound<'_, PyDict>) -> PyResult<Self> {
        Self::made(PolicyDocument::of_sections(section_of(sections)?))
    }

    /// Returns the policy as the text of a file.
    fn toml(&self) -> PyResult<String> {
        self.document.toml().map_err(|error| raised(&error))
    }

    /// Returns the policy for a table as the text of a file: missing types and orders are taken
    /// from the table.
    fn for_table(
        &self,
        types: Vec<(String, String)>,
        orders: HashMap<String, Vec<String>>,
    ) -> PyResult<String> {
        let orders: Vec<_> = orders.into_iter().collect();
        let text = self.document.for_table(&types, &orders);
        text.map_err(|error| raised(&error))
    }

    /// Whether columns without a role are dropped.
    #[getter]
    fn drops_rest(&self) -> bool {
        self.document.drops_rest()
    }
}

impl PythonDocument {
    fn made(document: Result<PolicyDocument, Error>) -> PyResult<Self> {
        let document = document.map_err(|error| raised(&error))?;
        Ok(Self { document })
    }
}

/// Returns a document of sections as TOML.
#[pyfunction]
pub(crate) fn toml(document: &Bound<'_, PyDict>) -> PyResult<String> {
    openveil_bindings::toml::text(&section_of(document)?).map_err(|error| raised(&error))
}

/// Returns a model as policies write it on one line.
#[pyfunction]
pub(crate) fn model_text(section: &Bound<'_, PyDict>) -> PyResult<String> {
    model_line(section_of(section)?.into()).map_err(|error| raised(&error))
}

/// Returns a dict as values by name, without None.
pub(crate) fn section_of(given: &Bound<'_, PyDict>) -> PyResult<Section> {
    let mut section = Section::default();
    for (name, value) in given {
        if !value.is_none() {
            section.set(name.str()?.to_string(), value_of(&value)?);
        }
    }
    Ok(section)
}

/// Returns a keyword's columns with their settings; None means no settings.
fn columns_of(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let Ok(columns) = given.cast::<PyDict>() else {
        return value_of(given);
    };
    let column = |(name, said): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let said = if said.is_none() { Section::default().into() } else { value_of(&said)? };
        Ok((name.str()?.to_string(), said))
    };
    let columns: Section = columns.iter().map(column).collect::<PyResult<_>>()?;
    Ok(columns.into())
}

/// Returns a value that a policy can hold.
fn value_of(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(truth) = given.cast::<PyBool>() {
        return Ok(truth.is_true().into());
    }
    if given.is_instance_of::<PyString>() {
        return Ok(given.extract::<String>()?.into());
    }
    if given.is_instance_of::<PyInt>() {
        return Ok(Value::Integer(given.extract()?));
    }
    if given.is_instance_of::<PyFloat>() {
        let number: f64 = given.extract()?;
        if !number.is_finite() {
            let problem = format!("{given} is not a number that a policy can contain");
            return Err(PyValueError::new_err(problem));
        }
        return Ok(Value::Number(number));
    }
    if let Ok(section) = given.cast::<PyDict>() {
        return Ok(section_of(section)?.into());
    }
    // A model becomes its section.
    if let Ok(section) = given.getattr("section") {
        return value_of(&section);
    }
    // Fractions become texts, like exact numbers in policies; decimals become numbers.
    if given.hasattr("as_tuple")? {
        let text = given.str()?.to_string();
        return Ok(match (text.parse(), text.parse()) {
            (Ok(whole), _) => Value::Integer(whole),
            (_, Ok(number)) => Value::Number(number),
            _ => text.into(),
        });
    }
    if given.hasattr("limit_denominator")? {
        return Ok(given.str()?.to_string().into());
    }
    for method in ["__fspath__", "isoformat"] {
        if given.hasattr(method)? {
            return Ok(given.call_method0(method)?.str()?.to_string().into());
        }
    }
    // A scalar of NumPy.
    if given.hasattr("item")? && given.getattr("ndim").is_ok_and(|own| own.eq(0).unwrap_or(false)) {
        return value_of(&given.call_method0("item")?);
    }
    if given.hasattr("items")? {
        let copy = given.py().get_type::<PyDict>().call1((given,))?;
        return value_of(&copy);
    }
    match given.try_iter() {
        Ok(values) => {
            let values = values.map(|value| value_of(&value?));
            Ok(Value::List(values.collect::<PyResult<_>>()?))
        }
        Err(_) => {
            let problem = format!("a policy cannot contain {}", given.repr()?);
            Err(PyTypeError::new_err(problem))
        }
    }
}

/// A checked policy.
#[pyclass(frozen, name = "Policy", module = "openveil._openveil")]
#[derive(Debug, Clone)]
pub(crate) struct PythonPolicy {
    pub(crate) checked: Checked,
}

#[pymethods]
impl PythonPolicy {
    /// Reads a policy file; relative paths in it start at its folder.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        Self::made(Checked::read(&path))
    }

    /// Reads a policy from text; `path` names it in messages.
    #[staticmethod]
    fn parse(text: &str, path: PathBuf) -> PyResult<Self> {
        Self::made(Checked::parse(text, &path))
    }

    /// The file of the table.
    #[getter]
    fn path(&self) -> PathBuf {
        self.checked.input.source.path.clone()
    }

    /// Returns the columns and types of the policy's table, or of another file read with the same
    /// settings.
    #[pyo3(signature = (input=None))]
    fn types(
        &self,
        py: Python<'_>,
        input: Option<PathBuf>,
    ) -> PyResult<Vec<(String, &'static str)>> {
        let mut source = self.checked.input.source.clone();
        if let Some(input) = input {
            source.turn_to(input);
        }
        work::brief(py, || source.types())
    }

    /// Returns the policy with another table, algorithm or output folder; rows of samples in files
    /// are left out.
    #[pyo3(signature = (*, table=None, input=None, algorithm=None, out=None, without_sample=Vec::new()))]
    fn with_(
        &self,
        table: Option<&PythonTable>,
        input: Option<PathBuf>,
        algorithm: Option<String>,
        out: Option<PathBuf>,
        without_sample: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let table = table.map(|table| table.batches.clone());
        let replaced = Replaced { table, input, algorithm, out, without_sample };
        Self::made(with(&self.checked, replaced))
    }
}

impl PythonPolicy {
    fn made(policy: Result<Checked, Error>) -> PyResult<Self> {
        let checked = policy.map_err(|error| raised(&error))?;
        Ok(Self { checked })
    }
}
