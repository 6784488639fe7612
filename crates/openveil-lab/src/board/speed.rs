//! Whole processes, from a file to a release.

use super::{Board, BoardCell, BoardRows, CellFormat, Setup};
use crate::census;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(super) const WHOLE_PROCESS: Board = Board {
    name: "whole-process",
    columns: &[
        ("rows", CellFormat::Whole),
        ("`effort`", CellFormat::Text),
        ("anonymise (s)", CellFormat::Digits(2)),
        ("whole process (s)", CellFormat::Digits(1)),
        ("peak memory (MiB)", CellFormat::Whole),
    ],
    measure: whole_process,
};

/// Rows and efforts.
const RUNS: [(usize, u32); 3] = [(600_000, 0), (600_000, 2), (10_000_000, 2)];

/// Number of runs of which the median is shown.
const TIMES: usize = 3;

/// A run's seconds for the groups and for everything, and its memory.
type TimedRun = [f64; 3];

fn whole_process(_setup: &Setup) -> BoardRows {
    let Some(program) = program() else {
        return Ok(None);
    };
    let scratch = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for (people, effort) in RUNS {
        let input = scratch.path().join(format!("{people}.csv"));
        if !input.exists() {
            census::write_csv(
                people,
                crate::keeps::SEED,
                &mut BufWriter::new(File::create(&input)?),
            )?;
        }
        let mut runs = (0..TIMES)
            .map(|_| run(&program, scratch.path(), &input, effort))
            .collect::<Result<Vec<TimedRun>, _>>()?;
        let median = [0, 1, 2].map(|part| {
            runs.sort_by(|a, b| a[part].total_cmp(&b[part]));
            runs[TIMES / 2][part]
        });
        let effort = BoardCell::Text(effort.to_string());
        let [groups, whole, memory] = median.map(BoardCell::Number);
        rows.push(vec![
            BoardCell::Number(people as f64),
            effort,
            groups,
            whole,
            memory,
        ]);
    }
    Ok(Some(rows))
}

/// The command, built beside this program.
fn program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let beside = own.with_file_name(format!("openveil{}", std::env::consts::EXE_SUFFIX));
    beside.is_file().then_some(beside)
}

fn run(
    program: &Path,
    folder: &Path,
    input: &Path,
    effort: u32,
) -> Result<TimedRun, Box<dyn Error>> {
    let policy = folder.join("policy.toml");
    fs::write(&policy, policy_of(input, effort))?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["publish", "--no-report", "--test-seed", "1", "--out"])
        .arg(folder.join("out"))
        .arg(&policy)
        .stdout(Stdio::null())
        .spawn()?;
    let mut memory = 0.0;
    let status = loop {
        memory = f64::max(memory, peak(child.id()).unwrap_or(0.0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let whole = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("publishing {} failed: {status}", input.display()).into());
    }
    let owner = fs::read_to_string(folder.join("out/owner/owner.json"))?;
    let owner: serde_json::Value = serde_json::from_str(&owner)?;
    let groups = owner["timings_ms"]["anonymize"]
        .as_f64()
        .ok_or("no time was written")?;
    Ok([groups / 1e3, whole, memory])
}

/// The greatest memory of a process so far, in MiB, where the system tells.
fn peak(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn policy_of(input: &Path, effort: u32) -> String {
    format!(
        "[input]\npath = '{}'\n[columns]\nage = {{ role = 'quasi-identifier', type = 'integer' }}\n\
         gender = {{ role = 'quasi-identifier' }}\neducation = {{ role = 'quasi-identifier' }}\n\
         birthplace = {{ role = 'quasi-identifier' }}\noccupation = {{ role = 'sensitive' }}\n\
         [privacy]\nmodel = 'l-diversity'\nl = 8\n[algorithm]\nname = 'cover'\neffort = {effort}\n",
        input.display()
    )
}
