//! Disclosure risk by known columns, for people.

use super::text::{chances, decimal, percent};
use crate::table::{TextTable, counted};
use openveil_io::printable;
use openveil_tools::audit::{
    Contribution, DisclosureReport, IndividualReport, SpecialReport, UniquenessReport,
};

pub(super) fn print(report: &DisclosureReport) {
    say!(
        "  The known columns tell {} % of all pairs of rows apart.",
        percent(report.separation)
    );
    if let (Some(k), Some([least, most])) = (report.k_map, report.presence) {
        say!(
            "  k-map: at least {} of the population look like each row. δ-presence: somebody of the population is in the table with a chance from {} to {} %.",
            counted(k, "person").replace("persons", "people"),
            percent(least),
            percent(most)
        );
    }
    if let Some(uniqueness) = &report.population_uniqueness {
        print_uniqueness(uniqueness);
    }
    if let Some(individual) = &report.individual {
        print_individual(individual);
    }
    if let Some(special) = &report.special {
        print_special(special);
    }
}

fn print_uniqueness(report: &UniquenessReport) {
    let fraction = decimal(100.0 * report.sampling_fraction);
    let mut table = TextTable::new(["unique in the population, estimated", "share of it"]);
    let share = |share: Option<f64>| {
        share.map_or("no solution".to_owned(), |share| {
            format!("{} %", percent(share))
        })
    };
    table.row(["Pitman".to_owned(), share(report.pitman)]);
    table.row(["Zayatz".to_owned(), share(Some(report.zayatz))]);
    table.row(["slide negative binomial".to_owned(), share(report.snb)]);
    let by = format!("Dankar's rule (here: {})", report.by);
    table.row([by, share(Some(report.dankar))]);
    say!("\n{}", table.render());
    say!("  The table is taken for a simple random sample of {fraction} % of the population.");
}

fn print_individual(report: &IndividualReport) {
    let by = printable(&report.weight);
    let found = decimal(report.expected);
    let mut table = TextTable::new([
        "chance of being found, by weights",
        "highest",
        "average",
        "rows above",
    ]);
    table.row(chances("a row's person", &report.chances));
    if let Some(households) = &report.households {
        table.row(chances("somebody of the household", households));
    }
    say!("\n{}", table.render());
    say!("  Weights are of `{by}`; {found} rows are expected to be found.");
    if report.underweight > 0 {
        let rows = counted(report.underweight, "row");
        say!(
            "  {rows} look like others whose weights sum to less than their number, which counts in their place."
        );
    }
}

fn print_special(report: &SpecialReport) {
    let sizes = (1..).zip(&report.found);
    let sizes = sizes.map(|(size, found)| format!("{found} of {}", counted(size as u32, "column")));
    let rows = counted(report.rows as u128, "row");
    say!(
        "\n  SUDA2: {rows} with minimal sample uniques ({}); the highest score is {}.",
        sizes.collect::<Vec<_>>().join(", "),
        decimal(report.highest_score)
    );
    if let Some(dis) = &report.dis {
        say!(
            "  DIS-SUDA: the highest is {} %, {} % of the rows are above the threshold.",
            percent(dis.highest),
            percent(dis.records_at_risk)
        );
    }
    if report.rows == 0 {
        return;
    }
    let mut table = TextTable::new(["part in all SUDA scores", "share"]);
    for Contribution {
        column,
        value,
        share,
    } in report.columns.iter().chain(&report.values)
    {
        let name = match value {
            None => column.clone(),
            Some(value) if value.is_empty() => format!("{column} is empty"),
            Some(value) => format!("{column} = {value}"),
        };
        table.row([name, format!("{} %", percent(*share))]);
    }
    say!("\n{}", table.render());
}
