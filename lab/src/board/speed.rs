//! Times whole processes, from a file to a release, and polars on the same file in the same run.

use super::{Board, BoardCell, BoardRows, CellFormat, Setup};
use crate::census;
use serde_json::Value;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(super) const SPEED: Board = Board {
    name: "speed",
    columns: &[
        ("rows", CellFormat::Whole),
        ("work", CellFormat::Text),
        ("read", CellFormat::Digits(2)),
        ("anonymise", CellFormat::Digits(2)),
        ("release", CellFormat::Digits(2)),
        ("check", CellFormat::Digits(2)),
        ("write", CellFormat::Digits(2)),
        ("report", CellFormat::Digits(2)),
        ("whole (s)", CellFormat::Digits(2)),
        ("× polars", CellFormat::Digits(1)),
        ("peak memory (MiB)", CellFormat::Whole),
    ],
    measure,
};

/// The stages that have a column, with their names in `owner.json`.
const STAGES: [&str; 6] = ["read", "anonymize", "release", "verify", "write", "report"];

/// The column that gives the time as a multiple of polars' time.
const BESIDE_POLARS: usize = 9;

/// The factor by which a ratio may grow before it counts as a regression.
const MOST_GROWTH: f64 = 1.15;

/// The number of runs; the one with the median time is shown.
const TIMES: usize = 5;

/// A piece of work that is timed.
struct Work {
    rows: usize,
    name: &'static str,
    model: &'static str,
    algorithm: &'static str,
    is_described: bool,
}

const HALVING: Work = Work {
    rows: 600_000,
    name: "`halving`, reports",
    model: "l = 4",
    algorithm: "name = 'halving'",
    is_described: true,
};

const WORKS: [Work; 4] = [
    HALVING,
    Work { name: "`halving`", is_described: false, ..HALVING },
    Work { rows: 8_000_000, name: "`halving`", is_described: false, ..HALVING },
    Work {
        rows: 8_000_000,
        name: "`cover`",
        algorithm: "name = 'cover'",
        is_described: false,
        ..HALVING
    },
];

/// Reads and writes a file; prints the seconds that this takes, without starting Python.
const POLARS: &str = "
import sys, time, polars
start = time.perf_counter()
polars.read_csv(sys.argv[1]).write_csv(sys.argv[2])
print(time.perf_counter() - start)
";

/// The times of a run (the stages, then the total), and its memory in MiB.
struct Run {
    stages: [f64; STAGES.len()],
    whole: f64,
    memory: f64,
}

fn measure(_setup: &Setup) -> BoardRows {
    let Some(program) = program() else {
        return Ok(None);
    };
    let scratch = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for work in &WORKS {
        let input = scratch.path().join(format!("{}.csv", work.rows));
        if !input.exists() {
            census::write_csv(
                work.rows,
                crate::keeps::SEED,
                &mut BufWriter::new(File::create(&input)?),
            )?;
        }
        // The two alternate, so that a busy minute affects both.
        let (mut runs, mut of_polars) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            runs.push(run(&program, scratch.path(), &input, work)?);
            let Some(seconds) = polars(scratch.path(), &input) else {
                return Ok(None);
            };
            of_polars.push(seconds);
        }
        runs.sort_by(|a, b| a.whole.total_cmp(&b.whole));
        of_polars.sort_by(f64::total_cmp);
        let run = &runs[TIMES / 2];
        let mut row = vec![(work.rows as f64).into(), work.name.into()];
        row.extend(run.stages.map(BoardCell::Number));
        let ratio = run.whole / of_polars[TIMES / 2];
        row.extend([run.whole, ratio, run.memory].map(BoardCell::Number));
        rows.push(row);
    }
    Ok(Some(rows))
}

/// Names, one per line, the works whose multiple of polars' time grew by more than runs differ.
pub fn fallen_back(before: &[Vec<BoardCell>], after: &[Vec<BoardCell>]) -> Vec<String> {
    let ratio = |row: &[BoardCell]| match row.get(BESIDE_POLARS) {
        Some(BoardCell::Number(ratio)) => *ratio,
        _ => f64::INFINITY,
    };
    let lines = after.iter().filter_map(|row| {
        let known = before.iter().find(|known| known[..2] == row[..2])?;
        let (old, new) = (ratio(known), ratio(row));
        let line = format!("{:?}: {new:.1} times polars, {old:.1} before", &row[..2]);
        (new > old * MOST_GROWTH).then_some(line)
    });
    lines.collect()
}

/// Returns the command, built beside this program.
fn program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let beside = own.with_file_name(format!("openveil{}", std::env::consts::EXE_SUFFIX));
    beside.is_file().then_some(beside)
}

/// Returns the seconds of polars, if the Python of `OPENVEIL_PYTHON` has it.
fn polars(folder: &Path, input: &Path) -> Option<f64> {
    let python = std::env::var_os("OPENVEIL_PYTHON").unwrap_or_else(|| "python3".into());
    let run = Command::new(python)
        .args(["-c", POLARS])
        .args([input, &folder.join("polars.csv")])
        .stderr(Stdio::null())
        .output();
    String::from_utf8(run.ok()?.stdout).ok()?.trim().parse().ok()
}

fn run(program: &Path, folder: &Path, input: &Path, work: &Work) -> Result<Run, Box<dyn Error>> {
    let policy = folder.join("policy.toml");
    fs::write(&policy, policy_of(input, work))?;
    let out = folder.join("out");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["publish", "--test-seed", "1"])
        .args((!work.is_described).then_some("--no-report"))
        .arg("--out")
        .args([&out, &policy])
        .stdout(Stdio::null())
        .spawn()?;
    let mut memory = 0.0;
    let status = loop {
        memory = f64::max(memory, peak(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let whole = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("publishing {} failed: {status}", input.display()).into());
    }
    let owner: Value = serde_json::from_str(&fs::read_to_string(out.join("owner/owner.json"))?)?;
    let stage = |name| owner["timings_ms"][name].as_f64().unwrap_or(0.0) / 1e3;
    Ok(Run { stages: STAGES.map(stage), whole, memory })
}

/// Returns the greatest memory of a process so far, in MiB, if the system reports it.
fn peak(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()?;
    Some(kilobytes / 1024.0)
}

fn policy_of(input: &Path, work: &Work) -> String {
    format!(
        "[input]\npath = '{}'\n[columns]\nage = {{ role = 'quasi-identifier', type = 'integer' }}\n\
         gender = {{ role = 'quasi-identifier' }}\neducation = {{ role = 'quasi-identifier' }}\n\
         birthplace = {{ role = 'quasi-identifier' }}\noccupation = {{ role = 'sensitive' }}\n\
         [privacy]\nmodel = 'l-diversity'\n{}\n[algorithm]\n{}\n",
        input.display(),
        work.model,
        work.algorithm
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_beside_polars_is_named() {
        let row = |rows: f64, ratio: f64| {
            let mut row = vec![BoardCell::Number(rows), "`cover`".into()];
            row.extend([1.0; BESIDE_POLARS - 2].map(BoardCell::Number));
            row.push(ratio.into());
            row
        };
        assert_eq!(SPEED.columns[BESIDE_POLARS].0, "× polars");
        let before = [row(8.0, 4.0), row(9.0, 4.0)];
        let after = [row(8.0, 4.5), row(9.0, 4.7), row(10.0, 9.0)];
        let found = fallen_back(&before, &after);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("4.7 times polars, 4.0 before"), "{found:?}");
    }
}
