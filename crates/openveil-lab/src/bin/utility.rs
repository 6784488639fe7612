//! Prints the figures of the documentation: discernability and mean query error
//! of each algorithm on the Adult data, found in the folder `OPENVEIL_DATA`.

use openveil::algorithm::{Algorithm, Cover, Gda, Rda};
use openveil::coins::SecretCoins;
use openveil::model::{Criteria, Model, RatioDiversity};
use openveil::release::{Content, Style, Tally, publish};
use openveil::table::View;
use openveil::utility::{Kind, Summary, Workload};
use openveil_lab::adult;
use std::path::Path;
use std::process::ExitCode;

/// The weight of sex that the paper gives to GDA, beside 1 for the others.
const GDA_SEX_WEIGHT: u32 = 10_000;

/// Random queries of each kind.
const QUERIES: usize = 1_000;

/// Seed of queries and coins: the figures repeat themselves.
const SEED: u64 = 1;

/// Heading, quasi-identifiers, and whether the sensitive value is asked for.
const KINDS: [(&str, &[usize], bool); 5] = [
    ("age", &[0], false),
    ("sex", &[1], false),
    ("age & sex", &[0, 1], false),
    ("all QIs", &[0, 1, 2, 3], false),
    ("all & SA", &[0, 1, 2, 3], true),
];

fn main() -> ExitCode {
    let Some(data) = std::env::var_os("OPENVEIL_DATA").filter(|data| !data.is_empty()) else {
        println!(
            "Set OPENVEIL_DATA to a folder that holds adult/adult.data and adult/adult.test \
             of the UCI repository; nothing was measured."
        );
        return ExitCode::SUCCESS;
    };
    match figures(&Path::new(&data).join("adult")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("utility: {error}");
            ExitCode::FAILURE
        }
    }
}

fn figures(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let even = adult::read(folder, 1)?;
    let weighted = adult::read(folder, GDA_SEX_WEIGHT)?;
    println!(
        "Adult, {} rows, {QUERIES} queries of each kind",
        even.rows()
    );
    print!(
        "{:>2}  {:<9} {:>9} {:>9}",
        "l", "algorithm", "DM", "optimal"
    );
    KINDS.iter().for_each(|(kind, ..)| print!(" {kind:>9}"));
    println!();
    let workloads = KINDS.map(|(_, axes, with_sensitive)| {
        let kind = match with_sensitive {
            true => Kind::on(axes).with_sensitive(),
            false => Kind::on(axes),
        };
        Workload::random(&even, &kind, QUERIES, SEED)
    });
    for l in [4, 6, 7] {
        let model = Model::from(RatioDiversity::new(l)?);
        for (algorithm, table) in [
            (&Rda as &dyn Algorithm, &even),
            (&Gda, &weighted),
            (&Cover, &even),
        ] {
            print!("{l:>2}  {:<9}", algorithm.name());
            let mut coins = SecretCoins::from_test_seed(SEED);
            match algorithm.partition(table, &model, &mut coins) {
                Ok(groups) => {
                    let (release, _) = publish(table, &groups, Style::Generalize);
                    print_measures(&release, table, &model.bind_strata(table)?, &workloads);
                }
                Err(error) => println!(" {error}"),
            }
        }
    }
    Ok(())
}

fn print_measures(release: &Content, table: &View, criteria: &[Criteria], workloads: &[Workload]) {
    let summary = Summary::of(&Tally::of(release, table), table, criteria);
    print!(" {:>9} {:>9}", summary.dm, summary.dm_lower_bound);
    for workload in workloads {
        print!(" {:>9.3}", workload.mean_error(table, release));
    }
    println!();
}
