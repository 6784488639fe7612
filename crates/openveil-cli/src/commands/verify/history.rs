//! Prints what several releases of a changing table disclose, as text.

use crate::table::{TextTable, thousands};
use openveil_tools::verify::HistoryReport;

pub(super) fn print(report: &HistoryReport) {
    let (l, releases) = (report.l, report.releases);
    let how = if report.afresh { "each made afresh" } else { "in groups that persist" };
    if report.safe {
        say!(
            "{releases} releases {how} are safe for this table: nobody's posterior is ever above 1/{l}.\n"
        )
    } else {
        say!("{releases} releases {how} disclose values: somebody's posterior is above 1/{l}.\n")
    }
    let mut table = TextTable::new(["", "count"]);
    table.row(["tables of these people", &thousands(report.tables)]);
    table.row(["sequences of releases", &thousands(report.histories)]);
    table.row(["unsafe sequences", &thousands(report.unsafe_histories)]);
    table.row(["chance that a value is certain", &report.chance_of_certainty.to_string()]);
    table.row(["highest posterior", &report.max_posterior.to_string()]);
    say_on!("{}", table.render());
}
