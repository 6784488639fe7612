//! Measures what an analyst and a reader learn from releases: how much of the known columns'
//! association with the secret is recovered, whether intervals hold, and how many values a reader
//! guesses after learning from the release. Each line is the mean over several releases.

use clap::Parser;
use openveil_analysis::{
    Analysis, Ask, Coefficient, Evidence, Figure, Meaning, Recipe, ResponseKind, Term,
};
use openveil_core::algorithm::Settings;
use openveil_core::coins::SecretCoins;
use openveil_core::model::{Model, l_diversity};
use openveil_core::release::{CLASS_SIZE, Style, publish, publish_in_classes};
use openveil_core::table::{Groups, View};
use openveil_io::policy::{self, Policy};
use openveil_lab::keeps::SEED;
use openveil_lab::tables;
use openveil_papers::algorithm;
use std::error::Error;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Slopes of estimated on true deviations from independence, wrong signs, relative errors, and the
/// coverage of 95 % intervals; slopes and coverage of regressions; the reader's correct guesses.
#[derive(Parser)]
struct AssociationsArguments {
    /// Tables: the tables of `figures`, or policies (FILE.toml), of which only the table is used.
    #[arg(required = true)]
    tables: Vec<String>,
    /// An algorithm, by its name in policies.
    #[arg(long, default_value = "halving")]
    algorithm: String,
    /// Ratio l-diversity.
    #[arg(long, default_value_t = 4)]
    l: u32,
    /// Another model, written as in a policy.
    #[arg(long)]
    model: Option<String>,
    /// Styles: generalize, slice, anatomy.
    #[arg(long, value_delimiter = ',', default_value = "anatomy")]
    style: Vec<String>,
    /// Number of releases to take the mean over.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Number of worlds of a fit.
    #[arg(long, default_value_t = 8)]
    worlds: usize,
    /// Also fit a regression of the secret on all known columns.
    #[arg(long)]
    regression: bool,
    /// The folder with the data that may not be redistributed.
    #[arg(long, env = "OPENVEIL_DATA", default_value = ".")]
    data: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = AssociationsArguments::parse();
    let model = match &arguments.model {
        Some(text) => policy::privacy(text)?,
        None => l_diversity(arguments.l)?,
    };
    for name in &arguments.tables {
        let view = if name.ends_with(".toml") {
            let policy = Policy::read(Path::new(name))?;
            openveil_io::load::load(&policy, &|_| {})?.view(&policy)?
        } else {
            tables::read(name, &arguments.data, SEED)?.view
        };
        for style in &arguments.style {
            let style = policy::style(style)?;
            println!("{name}: {} rows, {model}, {}", view.rows(), style.name());
            measure(&arguments, &view, &model, style)?;
        }
    }
    Ok(())
}

/// Sums over releases for one known column.
#[derive(Default, Clone)]
struct ColumnSums {
    evenly: SlopeSums,
    fitted: SlopeSums,
    corrected: SlopeSums,
    covered: f64,
}

#[derive(Default, Clone, Copy)]
struct SlopeSums {
    slope: f64,
    wrong: f64,
    cells: f64,
    error: f64,
}

fn measure(
    arguments: &AssociationsArguments,
    view: &View,
    model: &Model,
    style: Style,
) -> Result<(), Box<dyn Error>> {
    let settings = Settings { keeps_marginals: style == Style::Generalize, ..Settings::default() };
    let named = algorithm::named(&arguments.algorithm).ok_or("no such algorithm")?;
    let engine = named.chosen(&[(view, model)], &settings)?.unwrap_or(named);
    let recipe = Recipe {
        class: NonZeroU32::new(CLASS_SIZE.max(model.least_class())),
        algorithm: engine,
        model: model.clone(),
        settings,
        style,
        strata: Vec::new(),
    };
    let tables: Vec<(Ask, Vec<f64>)> =
        (0..view.known().len()).map(|column| truth(view, column)).collect();
    let mut columns = vec![ColumnSums::default(); view.known().len()];
    let (mut guessed, mut seconds, mut own) = (0.0, 0.0, None);
    let each = 1.0 / arguments.seeds as f64;
    for seed in 0..arguments.seeds {
        let mut coins = SecretCoins::from_test_seed(100 + seed);
        let groups = engine.partition_with(view, model, &recipe.settings, &mut coins)?;
        let (content, groups) = publish_in_classes(view, &groups, style, recipe.class);
        let start = std::time::Instant::now();
        let evidence = openveil_analysis::Evidence::new(&content);
        let meaning = Meaning::new(view.known(), view.secret());
        let analysis = Analysis::new(evidence, meaning, Some((&recipe, arguments.worlds)), seed)?;
        seconds += each * start.elapsed().as_secs_f64();
        guessed += each * analysis.fit.guessed(&analysis.release.evidence, view, &groups);
        for (column, (ask, truth)) in columns.iter_mut().zip(&tables) {
            let values = view.secret().values();
            let figures = analysis.counts(ask);
            let estimates: Vec<f64> = figures.iter().map(|figure| figure.estimate).collect();
            column.evenly.add(slope(&evenly(&analysis, ask), truth, values), each);
            column.fitted.add(slope(&analysis.release.counts(ask).counts, truth, values), each);
            column.corrected.add(slope(&estimates, truth, values), each);
            column.covered += each * coverage(&figures, truth);
        }
        if arguments.regression {
            regress(&analysis, view, &mut own)?;
        }
    }
    println!(
        "  a reader who knows everybody's group guesses {guessed:.3} right; fit and worlds take {seconds:.1} s"
    );
    println!("  column            evenly    wrong | fitted | corrected  wrong    error  coverage");
    for (column, found) in view.known().iter().zip(&columns) {
        println!(
            "  {:16} {:6.2} {:7.1}/{:<3.0} | {:5.2} | {:8.3} {:7.1} {:8.3} {:8.3}",
            column.name(),
            found.evenly.slope,
            found.evenly.wrong,
            found.evenly.cells,
            found.fitted.slope,
            found.corrected.slope,
            found.corrected.wrong,
            found.corrected.error,
            found.covered
        );
    }
    Ok(())
}

/// Returns a table of a known column (numbers in five parts) and the secret, with its true counts.
fn truth(view: &View, column: usize) -> (Ask, Vec<f64>) {
    let (known, values) = (&view.known()[column], view.secret().values());
    let codes = known.domain().len();
    let is_number = known.domain().is_ordered() && known.domain().label(0).parse::<f64>().is_ok();
    let parts = if is_number { codes.min(5) } else { codes };
    let part = |code: usize| (code * parts / codes) as u32;
    let ask = Ask {
        known: vec![(column, (0..codes).map(|code| Some(part(code))).collect())],
        parts: vec![parts as u32],
        secret: (0..values as u32).map(Some).collect(),
        secret_parts: values as u32,
    };
    let mut counts = vec![0.0; ask.cells()];
    for (&code, &value) in known.codes().iter().zip(view.secret().codes()) {
        counts[part(code as usize) as usize * values + value as usize] += 1.0;
    }
    (ask, counts)
}

/// Returns the counts with the values of each group spread evenly over its rows.
fn evenly(analysis: &Analysis, ask: &Ask) -> Vec<f64> {
    let release = &analysis.release;
    let (column, parts) = &ask.known[0];
    let values = ask.secret_parts as usize;
    let mut counts = vec![0.0; ask.cells()];
    for group in 0..release.evidence.groups() {
        let rows = release.evidence.rows_of(group);
        let each = 1.0 / rows.len() as f64;
        for row in rows.clone() {
            let part = parts[release.people[0].codes(*column)[row] as usize].unwrap_or(0);
            for &value in &release.evidence.values()[rows.clone()] {
                counts[part as usize * values + value as usize] += each;
            }
        }
    }
    counts
}

/// Compares estimated deviations from independence with true ones. Signs are compared if shares
/// deviate by more than two points among at least 30 people.
fn slope(estimated: &[f64], truth: &[f64], values: usize) -> SlopeSums {
    let total: f64 = truth.iter().sum();
    let mut shares = vec![0.0; values];
    for row in truth.chunks_exact(values) {
        shares.iter_mut().zip(row).for_each(|(share, own)| *share += own / total);
    }
    let (mut product, mut square, mut off, mut found) = (0.0, 0.0, 0.0, SlopeSums::default());
    for (estimated, truth) in estimated.chunks_exact(values).zip(truth.chunks_exact(values)) {
        let people: f64 = truth.iter().sum();
        let all: f64 = estimated.iter().map(|own| own.max(0.0)).sum();
        if people == 0.0 || all == 0.0 {
            continue;
        }
        for ((estimated, truth), share) in estimated.iter().zip(truth).zip(&shares) {
            let (own, real) = (estimated.max(0.0) / all - share, truth / people - share);
            product += people * own * real;
            square += people * real * real;
            off += people * (own - real).powi(2);
            if real.abs() > 0.02 && people >= 30.0 {
                found.cells += 1.0;
                found.wrong += f64::from(u8::from((own > 0.0) != (real > 0.0)));
            }
        }
    }
    found.slope = product / square;
    found.error = (off / square).sqrt();
    found
}

impl SlopeSums {
    fn add(&mut self, own: Self, each: f64) {
        self.slope += each * own.slope;
        self.wrong += each * own.wrong;
        self.cells += each * own.cells;
        self.error += each * own.error;
    }
}

/// Returns the share of intervals that contain the true count, among counts of at least 20.
fn coverage(figures: &[Figure], truth: &[f64]) -> f64 {
    let counts = figures.iter().zip(truth).filter(|(_, truth)| **truth >= 20.0);
    let (mut all, mut covered) = (0.0, 0.0);
    for (figure, truth) in counts {
        let [low, high] = figure.interval;
        all += 1.0;
        covered += f64::from(u8::from(low <= *truth && *truth <= high));
    }
    covered / f64::max(all, 1.0)
}

/// Compares a regression on all known columns with the regression of the table. Leaves out
/// coefficients that are uncertain in the table itself (standard errors above 0.5 in a logit).
fn regress(
    analysis: &Analysis,
    view: &View,
    own: &mut Option<Vec<Coefficient>>,
) -> Result<(), Box<dyn Error>> {
    let kind = match analysis.meaning.secret_numbers {
        Some(_) => ResponseKind::Linear,
        None => ResponseKind::Logit,
    };
    let terms: Vec<Term> = (0..view.known().len()).map(|column| vec![column]).collect();
    if own.is_none() {
        // Groups of one person reproduce the table itself.
        let single: Groups = (0..view.rows() as u32).map(|row| [row]).collect();
        let (content, _) = publish(view, &single, Style::Anatomy);
        let meaning = Meaning::new(view.known(), view.secret());
        let table = Analysis::new(Evidence::new(&content), meaning, None, 1)?;
        *own = Some(table.regression(kind, &terms, &table.references(""))?.coefficients);
    }
    let truth = own.as_deref().unwrap_or_default();
    let (mut product, mut square, mut overlap, mut covered, mut all) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let found = analysis.regression(kind, &terms, &analysis.references(""))?.coefficients;
    for (found, truth) in found.iter().zip(truth) {
        let (error, real) = (truth.figure.error, truth.figure.estimate);
        if truth.of.is_empty() || kind == ResponseKind::Logit && error > 0.5 {
            continue;
        }
        let (low, high) = (real - 1.96 * error, real + 1.96 * error);
        let [from, to] = found.figure.interval;
        let both = (high.min(to) - low.max(from)).max(0.0);
        product += found.figure.estimate * real / error.powi(2);
        square += (real / error).powi(2);
        overlap += 0.5 * (both / (high - low) + both / (to - from));
        covered += f64::from(u8::from(from <= real && real <= to));
        all += 1.0;
    }
    println!(
        "  regression: {all} coefficients, slope {:.3}, overlap of intervals {:.3}, coverage {:.3}",
        product / square,
        overlap / all,
        covered / all
    );
    Ok(())
}
