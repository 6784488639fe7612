//! `generate ROWS SEED > file.csv`: writes the made-up census as CSV.

use openveil_bench::census::write_csv;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let numbers = (
        arguments.next().and_then(|rows| rows.parse().ok()),
        arguments.next().and_then(|seed| seed.parse().ok()),
    );
    let (Some(rows), Some(seed), None) = (numbers.0, numbers.1, arguments.next()) else {
        eprintln!("usage: generate ROWS SEED > file.csv");
        return ExitCode::from(2);
    };
    match write_csv(rows, seed, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("generate: {error}");
            ExitCode::FAILURE
        }
    }
}
