//! Writes the checks of an audit as JUnit XML.

use openveil_io::release_dir::write::{Viewer, write_found};
use openveil_io::{Error, Location};
use openveil_reader::certify::{CertifiedRelease, Finding};
use openveil_reader::picture::escaped;
use openveil_tools::audit::AuditReport;
use std::fmt::Write;
use std::path::Path;

/// The beginning of every file that this module writes. It identifies files that may be replaced.
pub(super) const BEGINS: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"openveil audit ";

/// The name of a check, and the failure if there is one.
pub(super) type JunitCase = (String, Option<String>);

/// Returns the test case for the comparison of a release with its own manifest.
pub(super) fn case(checked: &CertifiedRelease) -> JunitCase {
    let findings: Vec<String> = checked.findings.iter().map(Finding::to_string).collect();
    let failure = (!findings.is_empty()).then(|| findings.join("; "));
    ("the files are as the manifest says".to_owned(), failure)
}

/// Returns one test case per demand and one per requirement of the policy's model. A release adds
/// two: its guarantee, and the comparison with its manifest.
pub(super) fn cases(report: &AuditReport) -> Vec<JunitCase> {
    let mut cases: Vec<JunitCase> = Vec::new();
    if let Some(is_kept) = report.keeps_promise {
        let failure = (!is_kept).then(|| "a group shows more than the manifest states".to_owned());
        cases.push(("the guarantee of the manifest".to_owned(), failure));
    }
    cases.extend(report.checked.iter().map(case));
    for demand in &report.demands {
        let failure = format!("{} is {}", demand.measure, demand.found);
        let name = format!("{} of at least {}", demand.measure, demand.least);
        cases.push((name, (!demand.satisfied).then_some(failure)));
    }
    for requirement in report.verdict.iter().flat_map(|verdict| &verdict.requirements) {
        let failure = format!(
            "fails in {} groups with {} rows",
            requirement.groups_failing, requirement.rows_failing
        );
        let failure = (!requirement.satisfied).then_some(failure);
        cases.push((requirement.requirement.clone(), failure));
    }
    cases
}

/// Writes test cases.
///
/// # Errors
/// No test case: an empty report would look like a success.
pub(super) fn write(path: &Path, table: &str, cases: Vec<JunitCase>) -> Result<(), Error> {
    if cases.is_empty() {
        return Err(Error::new(
            Location::default(),
            "there is nothing that `--junit` could report",
        )
        .help("state a requirement with `--fail-under` or `--policy`"));
    }
    write_found(path, document(table, &cases).as_bytes(), Viewer::Everybody)
}

fn document(table: &str, cases: &[JunitCase]) -> String {
    let failures = cases.iter().filter(|(_, failure)| failure.is_some()).count();
    let mut xml = format!(
        "{BEGINS}{}\" tests=\"{}\" failures=\"{failures}\">\n",
        escaped(table),
        cases.len()
    );
    for (name, failure) in cases {
        let name = escaped(name);
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
