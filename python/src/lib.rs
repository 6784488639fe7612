//! The native part of the Python package `openveil`: tables come in and go out as Arrow streams,
//! everything else as JSON documents. Users see the modules in `python/openveil/`.

mod capsule;
mod cluster;
mod commands;
mod errors;
mod policy;
mod release;
mod table;
mod work;

use pyo3::prelude::*;

/// The native part of `openveil`.
#[pymodule]
fn _openveil(module: &Bound<'_, PyModule>) -> PyResult<()> {
    openveil_bindings::speak(openveil_bindings::Package::Python);
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<cluster::PythonCluster>()?;
    module.add_class::<cluster::PythonParts>()?;
    module.add_class::<table::PythonTable>()?;
    module.add_class::<policy::PythonDocument>()?;
    module.add_class::<policy::PythonPolicy>()?;
    module.add_class::<release::PythonRelease>()?;
    module.add_function(wrap_pyfunction!(policy::model_text, module)?)?;
    module.add_function(wrap_pyfunction!(policy::toml, module)?)?;
    module.add_function(wrap_pyfunction!(release::publish, module)?)?;
    module.add_function(wrap_pyfunction!(release::plan, module)?)?;
    module.add_function(wrap_pyfunction!(release::read_release, module)?)?;
    module.add_function(wrap_pyfunction!(commands::options, module)?)?;
    module.add_function(wrap_pyfunction!(commands::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(commands::audit, module)?)?;
    module.add_function(wrap_pyfunction!(commands::check, module)?)?;
    module.add_function(wrap_pyfunction!(commands::verify, module)?)?;
    module.add_function(wrap_pyfunction!(commands::explain, module)?)?;
    module.add_function(wrap_pyfunction!(commands::compare, module)?)?;
    module.add_function(wrap_pyfunction!(commands::attack, module)?)?;
    module.add_function(wrap_pyfunction!(commands::report, module)?)?;
    module.add_function(wrap_pyfunction!(commands::check_schema, module)?)?;
    module.add_function(wrap_pyfunction!(commands::risk, module)?)?;
    module.add_function(wrap_pyfunction!(commands::main, module)?)?;
    module.add_function(wrap_pyfunction!(work::set_threads, module)?)
}
