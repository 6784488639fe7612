//! Measures what releases keep: any algorithm, model and style on the tables of the
//! figures. Each line is the mean over several coins.

use clap::Parser;
use openveil::algorithm::{Algorithm, Inside, Settings};
use openveil::coins::SecretCoins;
use openveil::model::{Model, l_diversity};
use openveil::release::{Content, Style, publish};
use openveil::table::View;
use openveil::utility::{Errors, Index, Kind, Workload, discernability, kl_divergence};
use openveil_io::policy;
use openveil_lab::tables::{self, Measured};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// The mean error of random count queries, by what they ask about; divergence,
/// discernability, regressions.
#[derive(Parser)]
struct Arguments {
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
    /// How often groups are matched anew.
    #[arg(long, value_delimiter = ',', default_values_t = [Settings::default().effort])]
    effort: Vec<u32>,
    /// How many coins to take the mean over.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Queries of each kind.
    #[arg(long, default_value_t = 1_000)]
    queries: usize,
    /// The folder with the data that may not be redistributed.
    #[arg(long, env = "OPENVEIL_DATA", default_value = ".")]
    data: PathBuf,
}

/// Seed of queries and of generated tables.
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let models = models(&arguments)?;
    for name in &arguments.tables {
        let table = tables::read(name, &arguments.data, SEED)?;
        let figures = Figures::of(&table, arguments.queries);
        println!("{name}: {} rows", table.view.rows());
        if let Some(fit) = table
            .regression
            .as_ref()
            .and_then(|r| r.on_table(&table.view))
        {
            println!("  slope {:.4}, R² {:.3}", fit.slopes[0], fit.r_squared);
        }
        figures.print_heading();
        for run in runs(&arguments, &models)? {
            run.print_name();
            match figures.mean(&run, arguments.seeds) {
                Ok(measures) => figures.print(&measures),
                Err(error) => println!(" {error}"),
            }
        }
    }
    Ok(())
}

/// What is published, and how.
struct Run<'a> {
    model: &'a Model,
    algorithm: &'static dyn Algorithm,
    settings: Settings,
    style: Style,
}

/// Every combination that was asked for.
fn runs<'a>(arguments: &Arguments, models: &'a [Model]) -> Result<Vec<Run<'a>>, Box<dyn Error>> {
    let mut runs = Vec::new();
    for model in models {
        for name in &arguments.algorithm {
            let algorithm = policy::algorithm(name)?;
            for &effort in &arguments.effort {
                for name in &arguments.style {
                    let style = style(name)?;
                    let settings = Settings {
                        effort,
                        keeps_marginals: style == Style::Generalize,
                        inside: Inside::Arranged,
                    };
                    runs.push(Run {
                        model,
                        algorithm,
                        settings,
                        style,
                    });
                }
            }
        }
    }
    Ok(runs)
}

impl Run<'_> {
    fn print_name(&self) {
        let (model, algorithm) = (self.model.to_string(), self.algorithm.name());
        let (effort, style) = (self.settings.effort, self.style.name());
        print!("{model:<20} {algorithm:<10} {effort:>2} {style:<10}");
    }
}

fn models(arguments: &Arguments) -> Result<Vec<Model>, Box<dyn Error>> {
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

fn style(name: &str) -> Result<Style, String> {
    let found = Style::ALL.into_iter().find(|style| style.name() == name);
    found.ok_or_else(|| format!("no style `{name}`"))
}

/// A table with its queries.
struct Figures<'a> {
    table: &'a Measured,
    /// Their names, and the true counts.
    workloads: Vec<(String, Workload, Vec<u64>)>,
}

impl<'a> Figures<'a> {
    /// Queries on each column, on pairs, on triples without and with sensitive values,
    /// and on all columns without and with them.
    fn of(table: &'a Measured, queries: usize) -> Self {
        let view = &table.view;
        let columns = view.known().iter().enumerate();
        let mut kinds: Vec<(String, Kind)> = columns
            .map(|(axis, column)| (column.name().chars().take(8).collect(), Kind::on([axis])))
            .collect();
        let all: Vec<usize> = (0..view.known().len()).collect();
        for (name, kind) in [
            ("pairs", Kind::of_dimension(2)),
            ("triples", Kind::of_dimension(3)),
            ("tri & SA", Kind::of_dimension(3).with_sensitive()),
            ("all", Kind::on(&all[..])),
            ("all & SA", Kind::on(all).with_sensitive()),
        ] {
            kinds.push((name.to_owned(), kind));
        }
        let draw = |(name, kind): (String, Kind)| {
            let workload = Workload::random(view, &kind, queries, SEED);
            let counts = workload.true_counts(view);
            (name, workload, counts)
        };
        Self {
            table,
            workloads: kinds.into_iter().map(draw).collect(),
        }
    }

    fn print_heading(&self) {
        print!(
            "{:<45} {:>8} {:>8} {:>12} {:>7}",
            "", "ms", "groups", "DM", "KL"
        );
        self.workloads
            .iter()
            .for_each(|(name, ..)| print!(" {name:>8}"));
        if self.table.regression.is_some() {
            print!(" {:>8} {:>8}", "slope", "R²");
        }
        println!();
    }

    fn print(&self, measures: &[f64]) {
        print!(
            " {:>8.1} {:>8.0} {:>12.0} {:>7.3}",
            measures[0], measures[1], measures[2], measures[3]
        );
        measures[4..]
            .iter()
            .for_each(|measure| print!(" {measure:>8.4}"));
        println!();
    }

    /// The means over coins of everything that is measured, in the heading's order.
    fn mean(&self, run: &Run<'_>, seeds: u64) -> Result<Vec<f64>, openveil::Error> {
        let mut sums: Vec<f64> = Vec::new();
        for seed in 0..seeds {
            let start = Instant::now();
            let mut coins = SecretCoins::from_test_seed(seed);
            let view = &self.table.view;
            let groups =
                run.algorithm
                    .partition_with(view, run.model, &run.settings, &mut coins)?;
            let time = start.elapsed().as_secs_f64() * 1_000.0;
            let (release, _) = publish(view, &groups, run.style);
            let measures = self.measures(view, &release, time);
            sums.resize(measures.len(), 0.0);
            sums.iter_mut()
                .zip(measures)
                .for_each(|(sum, measure)| *sum += measure);
        }
        Ok(sums.into_iter().map(|sum| sum / seeds as f64).collect())
    }

    fn measures(&self, view: &View, release: &Content, time: f64) -> Vec<f64> {
        let mut measures = vec![
            time,
            release.group_count() as f64,
            discernability(release) as f64,
            kl_divergence(view, release),
        ];
        let index = Index::of(release);
        let errors = self.workloads.iter().map(|(_, workload, counts)| {
            let estimates = workload.estimates(&index);
            Errors::of(counts, &estimates, view.rows()).floored
        });
        measures.extend(errors);
        if let Some(regression) = &self.table.regression {
            let fit = regression.on_release(release);
            let fit = fit.map_or([0.0; 2], |fit| [fit.slopes[0], fit.r_squared]);
            measures.extend(fit);
        }
        measures
    }
}
