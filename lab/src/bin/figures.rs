//! Measures the usefulness of releases: any algorithm, model and style on the tables of the
//! figures. Each line is the mean over several seeds.

use clap::Parser;
use openveil_core::model::{Model, l_diversity};
use openveil_core::table::View;
use openveil_io::policy;
use openveil_lab::keeps::{KeptMeans, QueriedTable, ReleaseParameters, SEED};
use openveil_lab::tables::{self, RegressedTable};
use openveil_measures::utility::QueryKind;
use std::error::Error;
use std::path::PathBuf;

/// The mean error of random count queries, by the columns that they use; divergence,
/// discernability, regressions.
#[derive(Parser)]
struct FiguresArguments {
    /// Tables: adult-4, adult-7, adult-7-sets, adult-7-trees, wages, wages-deciles,
    /// census, census-skewed, gss, gss-income, gss-income-exact, diabetes, linked:ROWS,COLUMNS,VALUES,SKEW,LINK.
    #[arg(required = true)]
    tables: Vec<String>,
    /// Algorithms, by their names in policies.
    #[arg(long, value_delimiter = ',', default_value = "cover")]
    algorithm: Vec<String>,
    /// Ratio l-diversity.
    #[arg(long, value_delimiter = ',')]
    l: Vec<u32>,
    /// Another model, written as in a policy: 'model = "l-diversity", variant =
    /// "entropy", l = 4'. May be given several times.
    #[arg(long)]
    model: Vec<String>,
    /// Styles: generalize, slice, anatomy.
    #[arg(long, value_delimiter = ',', default_value = "generalize")]
    style: Vec<String>,
    /// Number of seeds to take the mean over.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Number of queries of each kind.
    #[arg(long, default_value_t = 1_000)]
    queries: usize,
    /// The folder with the data that may not be redistributed.
    #[arg(long, env = "OPENVEIL_DATA", default_value = ".")]
    data: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = FiguresArguments::parse();
    let models = models(&arguments)?;
    for name in &arguments.tables {
        let table = tables::read(name, &arguments.data, SEED)?;
        println!("{name}: {} rows", table.view.rows());
        let regression = table.regression.as_ref();
        if let Some(fit) = regression.and_then(|own| own.on_table(&table.view)) {
            println!("  slope {:.4}, R² {:.3}", fit.slopes[0], fit.r_squared);
        }
        let (names, kinds) = kinds(&table.view);
        let asked = QueriedTable::new(&table, &kinds, arguments.queries);
        print_heading(&names, &table);
        for way in ways(&arguments, &models)? {
            print_row(way, asked.kept(way, arguments.seeds), &table);
        }
    }
    Ok(())
}

/// Returns every requested combination.
fn ways<'a>(
    arguments: &FiguresArguments,
    models: &'a [Model],
) -> Result<Vec<ReleaseParameters<'a>>, Box<dyn Error>> {
    let mut ways = Vec::new();
    for model in models {
        for name in &arguments.algorithm {
            for style in &arguments.style {
                ways.push(ReleaseParameters {
                    style: policy::style(style)?,
                    ..ReleaseParameters::new(policy::algorithm(name)?, model)
                });
            }
        }
    }
    Ok(ways)
}

fn models(arguments: &FiguresArguments) -> Result<Vec<Model>, Box<dyn Error>> {
    let mut models = Vec::new();
    for &l in &arguments.l {
        models.push(l_diversity(l)?);
    }
    for text in &arguments.model {
        models.push(policy::privacy(text)?);
    }
    if models.is_empty() {
        models.push(l_diversity(4)?);
    }
    Ok(models)
}

/// Returns the kinds of queries with their names: on each column, on pairs, on triples without and
/// with sensitive values, and on all columns without and with them.
fn kinds(view: &View) -> (Vec<String>, Vec<QueryKind>) {
    let own = view
        .known()
        .iter()
        .enumerate()
        .map(|(axis, column)| (column.name().chars().take(8).collect(), QueryKind::on([axis])));
    let all: Vec<usize> = (0..view.known().len()).collect();
    let several = [
        ("pairs", QueryKind::of_dimension(2)),
        ("triples", QueryKind::of_dimension(3)),
        ("tri & SA", QueryKind::of_dimension(3).with_sensitive()),
        ("all", QueryKind::on(&all[..])),
        ("all & SA", QueryKind::on(all).with_sensitive()),
    ];
    own.chain(several.map(|(name, kind)| (name.to_owned(), kind))).unzip()
}

fn print_heading(names: &[String], table: &RegressedTable) {
    print!("{:<42} {:>8} {:>8} {:>12} {:>7}", "", "ms", "groups", "DM", "KL");
    names.iter().for_each(|name| print!(" {name:>8}"));
    if table.regression.is_some() {
        print!(" {:>8} {:>8}", "slope", "R²");
    }
    println!();
}

fn print_row(
    way: ReleaseParameters<'_>,
    kept: Result<KeptMeans, openveil_core::Error>,
    table: &RegressedTable,
) {
    let (model, algorithm) = (way.model.to_string(), way.algorithm.name());
    print!("{model:<20} {algorithm:<10} {:<10}", way.style.name());
    let kept = match kept {
        Ok(kept) => kept,
        Err(error) => return println!(" {error}"),
    };
    print!(" {:>8.1} {:>8.0} {:>12.0} {:>7.3}", kept.milliseconds, kept.groups, kept.dm, kept.kl);
    let regression = table.regression.iter().flat_map(|_| kept.regression);
    kept.errors.into_iter().chain(regression).for_each(|measure| print!(" {measure:>8.4}"));
    println!();
}
