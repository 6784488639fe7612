//! Prints the findings for strategies over given functions, as text.

use crate::table::{TextTable, thousands};
use openveil_tools::verify::StrategyConclusions;

pub(super) fn print(report: &StrategyConclusions) {
    let (name, model) = (report.algorithm, &report.model);
    if report.safe {
        say!(
            "The releases of `{name}` are safe for this table: everybody's posterior satisfies {model}.\n"
        );
    } else {
        say!("`{name}` discloses values: somebody's posterior violates {model}.\n");
    }
    let mut table = TextTable::new(["", "tables", "outputs", "unsafe", "highest posterior"]);
    table.row([
        "something is released".to_owned(),
        thousands(report.tables),
        thousands(report.releases),
        thousands(report.unsafe_releases),
        report.max_posterior.to_string(),
    ]);
    for (reader, silence) in [
        ("nothing, reader knows the values", &report.silence_knows_multiset),
        ("nothing, reader does not", &report.silence_not_knowing_multiset),
    ] {
        let Some(heard) = silence else { continue };
        table.row([
            reader.to_owned(),
            thousands(heard.tables),
            "1".to_owned(),
            u8::from(!heard.safe).to_string(),
            heard.max_posterior.to_string(),
        ]);
    }
    say_on!("{}", table.render());
}
