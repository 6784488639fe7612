//! Prints the figures of the (l, α)-diversity paper's experiments: time,
//! discernability, average group size and KL-divergence of each model for l = 2 to
//! 10, and what a similarity attack finds. The data are in the folder `OPENVEIL_DATA`.

use openveil::algorithm::baseline::minimal_generalizations;
use openveil::algorithm::{Algorithm, Cover, Halving, Incognito, Settings, TopDown};
use openveil::coins::SecretCoins;
use openveil::model::Model;
use openveil::release::{Content, Style, check, publish};
use openveil::table::{Groups, View};
use openveil::utility::{discernability, kl_divergence, normalized_average_size};
use openveil_lab::health;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Seed of the health conditions and of coins: the figures repeat themselves.
const SEED: u64 = 1;

/// The shortest of so many runs is printed.
const RUNS: usize = 3;

fn main() -> ExitCode {
    let data = std::env::var_os("OPENVEIL_DATA").map(std::path::PathBuf::from);
    let found = |data: &std::path::PathBuf| {
        data.join("adult").is_dir() && data.join("arx-hierarchies").is_dir()
    };
    let Some(data) = data.filter(found) else {
        println!(
            "Set OPENVEIL_DATA to a folder that holds adult/ (adult.data and adult.test of the \
             UCI repository) and arx-hierarchies/ (ARX's example); nothing was measured."
        );
        return ExitCode::SUCCESS;
    };
    match figures(&data) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("models: {error}");
            ExitCode::FAILURE
        }
    }
}

fn figures(data: &Path) -> Result<(), Box<dyn Error>> {
    let table = health::read(data, SEED)?;
    let everybody: Groups = std::iter::once(0..table.rows() as u32).collect();
    let (nothing, _) = publish(&table, &everybody, Style::Generalize);
    println!(
        "Adult, {} rows, 7 quasi-identifiers, 8 random health conditions in 4 categories",
        table.rows()
    );
    println!(
        "KL of a release without quasi-identifiers: {:.3}",
        kl_divergence(&table, &nothing)
    );
    println!(
        "{:<18} {:>2}  {:<9} {:>6} {:>8} {:>12} {:>7} {:>7}",
        "model", "l", "algorithm", "effort", "ms", "DM", "CAVG", "KL"
    );
    for index in 0..4 {
        for l in 2..=10 {
            let (name, model) = &health::models(l)[index];
            for (algorithm, effort) in [
                (&TopDown as &dyn Algorithm, 0),
                (&Cover, 2),
                (&Cover, 12),
                (&Halving, 0),
            ] {
                print!("{name:<18} {l:>2}  {:<9} {effort:>6}", algorithm.name());
                match run(algorithm, effort, &table, model) {
                    Ok((release, time)) => print_measures(&release, &table, l, time),
                    Err(error) => println!(" {error}"),
                }
            }
        }
    }
    lattice(&table)?;
    similarity(&table);
    Ok(())
}

/// The release of an algorithm, checked, with the time for its groups.
fn run(
    algorithm: &dyn Algorithm,
    effort: u32,
    table: &View,
    model: &Model,
) -> Result<(Content, Duration), openveil::Error> {
    let settings = Settings {
        effort,
        ..Settings::default()
    };
    let mut shortest = Duration::MAX;
    let mut groups = Groups::with_capacity(0, 0);
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut coins = SecretCoins::from_test_seed(SEED);
        groups = algorithm.partition_with(table, model, &settings, &mut coins)?;
        shortest = shortest.min(start.elapsed());
    }
    let (release, groups) = publish(table, &groups, Style::Generalize);
    check::release(&release, table, &groups, model, Style::Generalize)?;
    Ok((release, shortest))
}

fn print_measures(release: &Content, table: &View, l: u32, time: Duration) {
    println!(
        " {:>8.1} {:>12} {:>7.3} {:>7.3}",
        time.as_secs_f64() * 1_000.0,
        discernability(release),
        normalized_average_size(release.rows() as u64, release.group_count() as u64, l),
        kl_divergence(table, release)
    );
}

/// Incognito's search for 4-diverse generalisations.
fn lattice(table: &View) -> Result<(), Box<dyn Error>> {
    let (_, model) = &health::models(4)[0];
    let criteria = model.bind(table)?;
    let start = Instant::now();
    let found = minimal_generalizations(table, &criteria)?;
    println!(
        "Incognito, 4-diversity: {} minimal generalisations, {:.0} ms",
        found.len(),
        start.elapsed().as_secs_f64() * 1_000.0
    );
    Ok(())
}

/// Rows whose group has values of one category only: its category is no secret.
fn similarity(table: &View) {
    println!(
        "{:<18} {:>2}  {:<16} {:>6} {:>12}",
        "similarity attack", "l", "algorithm", "rows", "DM"
    );
    let [diverse, distinct, ..] = health::models(4);
    let [_, _, entropy, _] = health::models(3);
    let algorithms = [&Incognito as &dyn Algorithm, &TopDown, &Cover];
    let mut cells = vec![];
    for (l, (name, model)) in [(4, diverse), (4, distinct), (3, entropy)] {
        cells.extend(algorithms.map(|algorithm| (name, l, model.clone(), algorithm)));
    }
    // With categories of two values each, four different values are never of one
    // category: only below l = 3 is there anything to find.
    let [diverse, distinct, ..] = health::models(2);
    for (name, model) in [diverse, distinct] {
        cells.extend(algorithms.map(|algorithm| (name, 2, model.clone(), algorithm)));
    }
    for (name, l, model, algorithm) in cells {
        print!("{name:<18} {l:>2}  {:<16}", algorithm.name());
        match run(algorithm, Settings::default().effort, table, &model) {
            Ok((release, _)) => {
                let rows = similar_rows(&release);
                println!(" {rows:>6} {:>12}", discernability(&release));
            }
            Err(error) => println!(" {error}"),
        }
    }
}

fn similar_rows(release: &Content) -> usize {
    // Codes are positions in the list of all categories' values.
    let category = |value: u32| value / health::CATEGORIES[0].len() as u32;
    let is_similar = |values: &&[u32]| {
        let first = category(values[0]);
        values.iter().all(|&value| category(value) == first)
    };
    let groups = (0..release.group_count()).map(|group| release.values(group));
    groups.filter(is_similar).map(<[u32]>::len).sum()
}
