//! Writes the checks of an audit as JUnit XML.

use openveil_io::release_dir::write::{Viewer, write_found};
use openveil_io::{Error, Location};
use openveil_reader::picture::escaped;
use openveil_tools::audit::Check;
use std::fmt::Write;
use std::path::Path;

/// The beginning of every file that this module writes. It identifies files that may be replaced.
pub(super) const BEGINS: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"openveil audit ";

/// Writes checks as test cases.
///
/// # Errors
/// No check: an empty report would look like a success.
pub(super) fn write(path: &Path, table: &str, checks: &[Check]) -> Result<(), Error> {
    if checks.is_empty() {
        return Err(Error::new(
            Location::default(),
            "there is nothing that `--junit` could report",
        )
        .help("state a requirement with `--fail-under` or `--policy`"));
    }
    write_found(path, document(table, checks).as_bytes(), Viewer::Everybody)
}

fn document(table: &str, checks: &[Check]) -> String {
    let failures = checks.iter().filter(|own| own.failure.is_some()).count();
    let mut xml = format!(
        "{BEGINS}{}\" tests=\"{}\" failures=\"{failures}\">\n",
        escaped(table),
        checks.len()
    );
    for Check { check, failure } in checks {
        let name = escaped(check);
        let written = match failure {
            None => writeln!(xml, "  <testcase name=\"{name}\"/>"),
            Some(words) => writeln!(
                xml,
                "  <testcase name=\"{name}\"><failure message=\"{}\"/></testcase>",
                escaped(words)
            ),
        };
        written.expect("writing to a text does not fail");
    }
    xml.push_str("</testsuite>\n");
    xml
}
