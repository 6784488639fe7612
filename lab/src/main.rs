//! Rebuilds the figures of the documentation.

use clap::{Parser, Subcommand};
use openveil_lab::board::{self, BOARDS, BoardRecord, Setup, rewrite};
use openveil_lab::depth::{self, Depth};
use openveil_lab::experiments::{ExperimentEffort, PAPERS, write_figure, write_page};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
struct LabArguments {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    /// Rebuilds the figures of a paper: pictures, data and a page.
    Figures(FiguresCommand),
    /// Measures the tables of the README and of docs, and writes them into the pages.
    Bench(Bench),
    /// Runs the model checker on all multisets of a few people, and writes the page.
    Enumerate(Enumerate),
}

#[derive(clap::Args)]
struct Enumerate {
    /// The greatest number of people.
    #[arg(long, default_value_t = 8)]
    people: u32,
    /// The greatest number of people for ratio l-diversity.
    #[arg(long, default_value_t = 9)]
    people_of_ratio: u32,
    /// Some of the algorithms; all safe ones if none is given.
    #[arg(long)]
    algorithm: Vec<String>,
    /// Enumerate nothing: rewrite the page from the record.
    #[arg(long)]
    page: bool,
    /// The record to continue.
    #[arg(long, default_value = "target/enumerated.jsonl")]
    record: PathBuf,
    /// The path of the page.
    #[arg(long, default_value = "docs/theory")]
    out: PathBuf,
}

#[derive(clap::Args)]
struct Bench {
    /// Some of the tables, by name; all of them if none is given.
    boards: Vec<String>,
    /// Measure nothing: rewrite the tables from the record beside the pages.
    #[arg(long)]
    page: bool,
    /// Write nothing: fail if something takes 15 % more of polars' time than before.
    #[arg(long, conflicts_with = "page")]
    check: bool,
    /// The repository of these pages and this record.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// The folder with the data that may not be redistributed.
    #[arg(long, env = "OPENVEIL_DATA")]
    data: Option<PathBuf>,
}

#[derive(clap::Args)]
struct FiguresCommand {
    /// The paper: streamliner, l-cover, k-jump, l-alpha, versatile.
    paper: String,
    /// Figures, by their numbers; all of them if none is given.
    figures: Vec<String>,
    /// Measure nothing: rewrite the page from the data beside it.
    #[arg(long)]
    page: bool,
    /// The folder of the page.
    #[arg(long, default_value = "lab/figures")]
    out: PathBuf,
    /// Number of rows of generated tables.
    #[arg(long, default_value_t = 600_000)]
    rows: usize,
    /// Number of seeds for each measure.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Number of rule sets for each point of Adult; larger tables have a tenth of them.
    #[arg(long, default_value_t = 50)]
    sets: u64,
    /// The folder with the data that may not be redistributed.
    #[arg(long, env = "OPENVEIL_DATA")]
    data: Option<PathBuf>,
}

fn main() -> ExitCode {
    let done = match LabArguments::parse().command {
        LabCommand::Figures(arguments) => figures(&arguments),
        LabCommand::Bench(arguments) => bench(&arguments),
        LabCommand::Enumerate(arguments) => enumerate(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn enumerate(arguments: Enumerate) -> Result<(), Box<dyn Error>> {
    let depth = Depth {
        people: arguments.people,
        people_of_ratio: arguments.people_of_ratio,
        algorithms: arguments.algorithm,
        record: arguments.record,
    };
    if !arguments.page {
        depth::enumerate(&depth)?;
    }
    Ok(std::fs::write(arguments.out.join("enumerated.csv"), depth::table(&depth.record)?)?)
}

fn bench(arguments: &Bench) -> Result<(), Box<dyn Error>> {
    let names = BOARDS.map(|board| board.name);
    if let Some(other) = arguments.boards.iter().find(|own| !names.contains(&own.as_str())) {
        return Err(format!("no table `{other}`; there are {}", names.join(", ")).into());
    }
    let mut record = BoardRecord::read(&arguments.root)?;
    let setup = Setup { data: arguments.data.clone() };
    let mut fallen_back = Vec::new();
    let is_asked =
        |name: &str| arguments.boards.is_empty() || arguments.boards.iter().any(|own| own == name);
    for board in BOARDS.into_iter().filter(|board| !arguments.page && is_asked(board.name)) {
        eprintln!("{}", board.name);
        match (board.measure)(&setup)? {
            Some(rows) if arguments.check => {
                fallen_back.extend(board::fallen_back(record.rows(board), &rows));
            }
            Some(rows) => record.set(board, rows),
            None => eprintln!(
                "  left as it was: OPENVEIL_DATA, polars or the command `openveil` beside this one is missing"
            ),
        }
        if !arguments.check {
            record.write(&arguments.root)?;
        }
    }
    if arguments.check {
        return match &fallen_back[..] {
            [] => Ok(()),
            lines => Err(lines.join("\n").into()),
        };
    }
    rewrite(&arguments.root, &record)
}

fn figures(arguments: &FiguresCommand) -> Result<(), Box<dyn Error>> {
    let paper = PAPERS.into_iter().find(|paper| paper.name == arguments.paper);
    let names = || PAPERS.map(|paper| paper.name).join(", ");
    let paper =
        paper.ok_or_else(|| format!("no paper `{}`; there are {}", arguments.paper, names()))?;
    if arguments.page {
        return Ok(write_page(&arguments.out, paper)?);
    }
    let effort = ExperimentEffort {
        data: arguments.data.clone(),
        rows: arguments.rows,
        seeds: arguments.seeds,
        sets: arguments.sets,
    };
    let asked = &arguments.figures;
    let is_asked = |number: &str| asked.is_empty() || asked.iter().any(|own| own == number);
    let asked: Vec<_> = paper.figures.iter().filter(|own| is_asked(own.number)).collect();
    if asked.is_empty() {
        let numbers: Vec<&str> = paper.figures.iter().map(|own| own.number).collect();
        return Err(format!("no such figure; there are {}", numbers.join("; ")).into());
    }
    for figure in asked {
        eprintln!("figure {}: {}", figure.number, figure.title);
        let lines = match (figure.measure)(&effort) {
            // The other figures can be measured without the data.
            Err(missing) if effort.data.is_none() => {
                eprintln!("skipped: {missing}");
                continue;
            }
            measured => measured?,
        };
        write_figure(&arguments.out, paper, figure, lines)?;
        write_page(&arguments.out, paper)?;
    }
    Ok(())
}
