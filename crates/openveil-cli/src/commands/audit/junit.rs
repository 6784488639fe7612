//! What an audit checked, as JUnit XML.

use crate::commands::write_found;
use openveil_io::Error;
use openveil_io::audit::Report;
use openveil_io::picture::escaped;
use std::fmt::Write;
use std::path::Path;

/// Writes one test case per demand, and one per requirement of the policy's model.
pub(super) fn write(path: &Path, report: &Report) -> Result<(), Error> {
    let mut cases: Vec<(String, Option<String>)> = Vec::new();
    for demand in &report.demands {
        let failure = format!("{} is {}", demand.measure, demand.found);
        let name = format!("{} of at least {}", demand.measure, demand.least);
        cases.push((name, (!demand.satisfied).then_some(failure)));
    }
    for requirement in report
        .verdict
        .iter()
        .flat_map(|verdict| &verdict.requirements)
    {
        let failure = format!(
            "fails in {} groups with {} rows",
            requirement.groups_failing, requirement.rows_failing
        );
        let failure = (!requirement.satisfied).then_some(failure);
        cases.push((requirement.requirement.clone(), failure));
    }
    write_found(path, &document(&report.table, &cases))
}

fn document(table: &str, cases: &[(String, Option<String>)]) -> String {
    let failures = cases
        .iter()
        .filter(|(_, failure)| failure.is_some())
        .count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"openveil audit {}\" tests=\"{}\" failures=\"{failures}\">\n",
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
