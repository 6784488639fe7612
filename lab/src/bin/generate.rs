//! `generate ROWS SEED [texas] > file.csv`: writes the generated census, or the generated hospital
//! stays, as CSV.

use openveil_lab::census::write_csv;
use openveil_lab::rules::texas;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let numbers = (
        arguments.next().and_then(|rows| rows.parse().ok()),
        arguments.next().and_then(|seed| seed.parse().ok()),
    );
    let table = arguments.next();
    let known = matches!(table.as_deref(), None | Some("texas"));
    let (Some(rows), Some(seed), true, None) = (numbers.0, numbers.1, known, arguments.next())
    else {
        eprintln!("usage: generate ROWS SEED [texas] > file.csv");
        return ExitCode::from(2);
    };
    let mut out = std::io::stdout().lock();
    let written = match table {
        None => write_csv(rows, seed, &mut out),
        Some(_) => texas::write_csv(rows, seed, &mut out),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("generate: {error}");
            ExitCode::FAILURE
        }
    }
}
