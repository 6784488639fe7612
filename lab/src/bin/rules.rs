//! `rules DATA SWEEP [SETS] [ROWS] [SECONDS]`: the figures of the paper on several
//! rules at once. DATA: `adult`, `texas`, `diabetes`; SWEEP: `c`, `qd`, `p`, `lhs`,
//! `l`. SETS rule sets per figure (5; the paper has 50), ROWS rows (10,000 of Adult,
//! all otherwise), SECONDS for the solver of multi-SA (60).

use openveil_lab::rules::measure::quality;
use openveil_lab::rules::ways::PublishingWay;
use openveil_lab::rules::{Dataset, data, rules_of_curve, texas};
use openveil_rules::Rule;
use openveil_rules::estimate::OwnerQueries;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The number of queries per rule set.
const QUERIES: usize = 1_000;

/// Parameters of the figures; each figure varies one of them.
#[derive(Clone, Copy)]
struct FigureSetting {
    c: usize,
    lhs: usize,
    l: u32,
    dimension: usize,
    p: f64,
}

/// The request of the command line.
struct RulesRequest {
    data: Dataset,
    ways: Vec<PublishingWay>,
    start: FigureSetting,
    sets: u64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, otherwise: usize| match arguments.get(place) {
        None => Some(otherwise),
        Some(text) => text.parse().ok(),
    };
    let (Some(name), Some(sweep)) = (arguments.first(), arguments.get(1)) else {
        eprintln!("usage: rules adult|texas|diabetes c|qd|p|lhs|l [SETS] [ROWS] [SECONDS]");
        return ExitCode::from(2);
    };
    let (Some(sets), Some(rows), Some(seconds)) = (number(2, 5), number(3, 0), number(4, 60))
    else {
        eprintln!("rules: SETS, ROWS and SECONDS are whole numbers");
        return ExitCode::from(2);
    };
    let job = match job(name, rows, seconds as u64, sets as u64) {
        Ok(Some(job)) => job,
        Ok(None) => {
            println!("Set OPENVEIL_DATA to a folder that holds {name}/; nothing was measured.");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("rules: {error}");
            return ExitCode::FAILURE;
        }
    };
    match job.sweep(sweep) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rules: {error}");
            ExitCode::FAILURE
        }
    }
}

fn folder() -> Option<PathBuf> {
    std::env::var_os("OPENVEIL_DATA").filter(|data| !data.is_empty()).map(PathBuf::from)
}

fn job(name: &str, rows: usize, seconds: u64, sets: u64) -> std::io::Result<Option<RulesRequest>> {
    let or = |otherwise: usize| if rows == 0 { otherwise } else { rows };
    let large = FigureSetting { c: 5, lhs: 3, l: 10, dimension: 4, p: 0.4 };
    let small = FigureSetting { l: 2, dimension: 3, ..large };
    let (data, ways, start) = match (name, folder()) {
        ("texas", _) => {
            let data = texas::texas(or(texas::ROWS), 1);
            (data, vec![PublishingWay::Single, PublishingWay::Uad], large)
        }
        (_, None) => return Ok(None),
        ("adult", Some(folder)) => {
            let data = data::adult(&folder.join("adult"), or(10_000), 1)?;
            let solver = PublishingWay::MultiSa(Duration::from_secs(seconds));
            let safe = [
                PublishingWay::Single,
                solver,
                PublishingWay::Uad,
                PublishingWay::Gd,
                PublishingWay::Search,
            ];
            (data, [&safe[..], &[PublishingWay::GdTrue, PublishingWay::SearchTrue]].concat(), small)
        }
        ("diabetes", Some(folder)) => {
            let start = FigureSetting { l: 5, ..large };
            let data = data::diabetes(&folder.join("diabetes"))?;
            (data, vec![PublishingWay::Single, PublishingWay::Uad], start)
        }
        _ => {
            return Err(std::io::Error::other(format!("there are no data called {name}")));
        }
    };
    Ok(Some(RulesRequest { data, ways, start, sets }))
}

impl RulesRequest {
    fn sweep(&self, over: &str) -> Result<(), String> {
        let start = self.start;
        let settings: Vec<(String, FigureSetting)> = match over {
            "c" => (1..=9).map(|c| (format!("{c}"), FigureSetting { c, ..start })).collect(),
            "qd" => (2..=10)
                .map(|dimension| (format!("{dimension}"), FigureSetting { dimension, ..start }))
                .collect(),
            "p" => (3..=7)
                .map(|tenths| f64::from(tenths) / 10.0)
                .map(|p| (format!("{p}"), FigureSetting { p, ..start }))
                .collect(),
            "lhs" => {
                (1..=9).map(|lhs| (format!("{lhs}"), FigureSetting { lhs, ..start })).collect()
            }
            "l" => [5, 10, 15, 20].map(|l| (format!("{l}"), FigureSetting { l, ..start })).to_vec(),
            other => return Err(format!("there is no sweep over {other}")),
        };
        println!(
            "{} rows, {} rule sets each, {QUERIES} queries; * looks at true columns; t: time ran out",
            self.data.records.rows(),
            self.sets
        );
        print!("{over:>4}");
        for way in &self.ways {
            print!("  {:>9} {:>8} {:>7}", format!("{} KL", way.name()), "error", "s");
        }
        println!();
        let curve: Vec<u32> = settings.iter().map(|(_, setting)| setting.l).collect();
        for (value, setting) in settings {
            let seeds = 100..100 + self.sets;
            let rules = rules_of_curve(&self.data, setting.c, setting.lhs, &curve, seeds);
            // Beyond the l for which the rules were drawn, some of them cannot be satisfied.
            let rules = rules.filter(|(largest, _)| setting.l <= *largest);
            print!("{value:>4}");
            for &way in &self.ways {
                match &rules {
                    Some((_, sets)) => print!("  {}", self.cell(way, setting, sets)?),
                    None => print!("  {:>9} {:>8} {:>7}", "-", "-", "-"),
                }
            }
            println!();
        }
        Ok(())
    }

    /// Returns means over the rule sets: divergence, relative error, seconds.
    fn cell(
        &self,
        way: PublishingWay,
        setting: FigureSetting,
        sets: &[Vec<Rule>],
    ) -> Result<String, String> {
        let (mut kl, mut error, mut seconds, mut timed_out) = (0.0, 0.0, 0.0, false);
        for (rules, set) in sets.iter().zip(0..) {
            let began = Instant::now();
            let published = way.estimate(&self.data, rules, setting.l, set);
            seconds += began.elapsed().as_secs_f64();
            let (estimate, late) = published.map_err(|cause| cause.to_string())?;
            let (dimension, p) = (setting.dimension, setting.p);
            let workload = OwnerQueries::random(
                &self.data.records,
                &self.data.domains,
                (dimension, p),
                QUERIES,
                set,
            );
            let found = quality(&self.data, &estimate, &workload);
            let found = found.map_err(|cause| cause.to_string())?;
            (kl, error) = (kl + found.0, error + found.1);
            timed_out |= late;
        }
        let sets = sets.len() as f64;
        let mark = if timed_out { "t" } else { "" };
        let (kl, error, seconds) = (kl / sets, error / sets, seconds / sets);
        Ok(format!("{:>9} {error:>8.4} {seconds:>7.2}", format!("{kl:.4}{mark}")))
    }
}
