//! Measures what several releases of one table disclose together if they are made independently of
//! each other, by `cover` and by `halving`.

use clap::Parser;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::coins::SecretCoins;
use openveil_core::model::l_diversity;
use openveil_core::release::{Style, publish};
use openveil_core::table::{Groups, View};
use openveil_lab::tables;
use openveil_papers::algorithm::Cover;
use openveil_papers::attack::beliefs::PersonBeliefs;
use openveil_papers::attack::composition::{Exchanges, intersection};
use std::error::Error;
use std::path::PathBuf;

/// People for whom only one value is left, by the number of releases, for a reader who knows all
/// groups.
#[derive(Parser)]
struct ReleasesArguments {
    /// The table, by its name in `figures`.
    #[arg(default_value = "adult-4")]
    table: String,
    /// Ratio l-diversity.
    #[arg(long, default_value_t = 4)]
    l: u32,
    /// Number of releases.
    #[arg(long, default_value_t = 10)]
    releases: u64,
    /// The folder with the data that may not be redistributed.
    #[arg(long, env = "OPENVEIL_DATA", default_value = ".")]
    data: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = ReleasesArguments::parse();
    let table = tables::read(&arguments.table, &arguments.data, 1)?.view;
    let ways: [(&str, GroupMaker); 2] = [("cover", by_cover), ("halving", by_halving)];
    for (name, way) in ways {
        println!("{name}\nreleases  certain  at most  mean highest  values left");
        let mut exchanges = Exchanges::new(&table).ok_or("too many people and values")?;
        let mut beliefs = Vec::new();
        for release in 1..=arguments.releases {
            let groups = way(&table, arguments.l, &mut SecretCoins::from_test_seed(release))?;
            exchanges.add(&groups);
            let (content, membership) = publish(&table, &groups, Style::Anatomy);
            beliefs.push(PersonBeliefs::of_members(&content, &membership));
            let found = intersection(&beliefs, table.secret(), 1.0);
            let share = |people: usize| 100.0 * people as f64 / table.rows() as f64;
            println!(
                "{release:>8}  {:>5.1} %  {:>5.1} %  {:>12.2}  {:>11.2}",
                share(found.certain.len()),
                share(exchanges.stuck().len()),
                found.mean_highest,
                found.mean_values
            );
        }
    }
    Ok(())
}

/// Makes the groups of one release.
type GroupMaker = fn(&View, u32, &mut SecretCoins) -> Result<Groups, Box<dyn Error>>;

fn by_cover(table: &View, l: u32, coins: &mut SecretCoins) -> Result<Groups, Box<dyn Error>> {
    Ok(Cover.partition(table, &l_diversity(l)?, coins)?)
}

fn by_halving(table: &View, l: u32, coins: &mut SecretCoins) -> Result<Groups, Box<dyn Error>> {
    Ok(Halving.partition(table, &l_diversity(l)?, coins)?)
}
