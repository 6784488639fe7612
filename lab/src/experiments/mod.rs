//! Repeats the papers' evaluations: each figure as a picture, as data, and in words.

mod k_jump;
mod l_alpha;
mod l_cover;
mod page;
mod streamliner;
mod versatile;

pub use page::{write_figure, write_page};

use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::coins::SecretCoins;
use openveil_core::model::Model;
use openveil_core::release::{Content, Style, check, publish};
use openveil_core::table::View;
use openveil_reader::picture::{Line, Point};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The seed of generated tables and queries.
const SEED: u64 = 1;

/// The amount of measuring.
#[derive(Debug, Clone)]
pub struct ExperimentEffort {
    /// The folder with the data that may not be redistributed.
    pub data: Option<PathBuf>,
    /// Number of rows of generated tables.
    pub rows: usize,
    /// Number of seeds for each measure.
    pub seeds: u64,
    /// Number of rule sets of a point, for Adult.
    pub sets: u64,
}

/// The measures of a figure: a line for each way.
pub type FigureLines = Result<Vec<Line>, Box<dyn Error>>;

/// A paper whose figures are rebuilt.
pub struct Paper {
    /// Its name on the command line, and the name of its page.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Common description of the measures.
    pub about: &'static str,
    /// Its figures.
    pub figures: &'static [Rebuilt],
}

/// A figure, and how it is rebuilt.
pub struct Rebuilt {
    /// Its number in the paper.
    pub number: &'static str,
    /// Its content.
    pub title: &'static str,
    /// Text below the axis.
    pub across: &'static str,
    /// Findings of the paper.
    pub reported: &'static str,
    /// Whether the findings agree here, and if not, why.
    pub verdict: &'static str,
    /// Measures it.
    pub measure: fn(&ExperimentEffort) -> FigureLines,
}

/// All papers with figures of measures.
pub const PAPERS: [&Paper; 5] =
    [&streamliner::PAPER, &l_cover::PAPER, &k_jump::PAPER, &l_alpha::PAPER, &versatile::PAPER];

/// Returns the folder with the data that may not be redistributed.
fn folder(effort: &ExperimentEffort) -> Result<&Path, Box<dyn Error>> {
    let folder = effort.data.as_deref();
    folder.ok_or_else(|| {
        "needs real data: set OPENVEIL_DATA to a folder with adult/, gss/, diabetes/ and arx-hierarchies/"
            .into()
    })
}

/// Returns a checked release of a table, and the milliseconds that its groups took.
fn release(
    algorithm: &dyn Algorithm,
    (table, model): (&View, &Model),
    style: Style,
    seed: u64,
) -> Result<(Content, f64), openveil_core::Error> {
    let settings = Settings { keeps_marginals: style == Style::Generalize, ..Settings::default() };
    let start = Instant::now();
    let mut coins = SecretCoins::from_test_seed(seed);
    let groups = algorithm.partition_with(table, model, &settings, &mut coins)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1_000.0;
    let (content, membership) = publish(table, &groups, style);
    check::release(&content, table, &membership, model, style)?;
    Ok((content, milliseconds))
}

/// Returns the point of measures with several seeds; none if one could not be measured.
fn point(
    at: f64,
    seeds: u64,
    measure: impl Fn(u64) -> Result<f64, openveil_core::Error>,
) -> Option<Point> {
    let found: Result<Vec<f64>, openveil_core::Error> = (0..seeds.max(1)).map(measure).collect();
    mean(at, &found.ok()?)
}

/// Returns the mean of several measures and their spread; none if there are no measures.
fn mean(at: f64, measures: &[f64]) -> Option<Point> {
    let least = measures.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = measures.iter().copied().fold(0.0, f64::max);
    (!measures.is_empty()).then(|| Point {
        at,
        value: measures.iter().sum::<f64>() / measures.len() as f64,
        spread: [least, greatest],
    })
}
