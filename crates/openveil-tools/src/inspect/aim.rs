//! Proposals by aim: the purpose of a release decides its style, its floors and its l.

use super::choice::with_slack;
use super::presets::Preset;
use crate::compare::{self, Basis, CompareRequest, Row};
use openveil_core::release::Style;
use openveil_io::Error;
use openveil_io::policy::{Policy, Role};
use openveil_io::progress::Observer;
use std::fmt::Write;
use std::path::Path;

/// The aim of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// A study of how the sensitive column depends on others.
    Study,
    /// Counts and cross-tables.
    Tables,
    /// A file for teaching.
    Teaching,
    /// A file for public download.
    Public,
}

/// Runs of each setting on a sample.
const TRIALS: u32 = 3;

/// Count queries of each kind.
const QUERIES: usize = 200;

/// Characters of a line of comments.
const WIDTH: usize = 100;

impl Aim {
    /// Returns the preset for this aim.
    pub fn preset(self) -> Option<Preset> {
        match self {
            Self::Study | Self::Tables => None,
            Self::Teaching => Some(Preset::TeachingFile),
            Self::Public => Some(Preset::PublicFile),
        }
    }

    /// Returns the style for this aim.
    pub fn style(self) -> Style {
        match self {
            Self::Study => Style::Anatomy,
            Self::Tables | Self::Teaching => Style::Slice,
            Self::Public => Style::Generalize,
        }
    }

    /// Returns the l for this aim; `usual` is the default and `largest` the largest possible.
    pub(super) fn l(self, usual: u32, largest: u32) -> u32 {
        match self {
            // Associations weaken as groups grow.
            Self::Study => usual.min(3),
            Self::Tables | Self::Teaching | Self::Public => with_slack(largest, 5),
        }
    }

    /// Returns the proposal and its reason, in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Study => {
                "For a study of associations. Style `anatomy`: known columns stay exact in whole rows and only the link to the sensitive column is hidden, so that `openveil fit` finds most of the associations in the table. A small l, because associations fade as groups grow. People can be found by their known columns: if being in the table is itself a secret, use `generalize` with floors instead."
            }
            Self::Tables => {
                "For counts and cross-tables. Style `slice`: every column keeps its exact values, shuffled within groups. Counts of one column are exact, counts of two columns are estimated, and no row shows one person's values. A large l, up to 5, because counts suffer little from it."
            }
            Self::Teaching => {
                "For teaching. Style `slice`: rows look like people, but their values are recombined within groups. Ages in steps of 10, years, no postal codes (preset `teaching-file`); a large l, up to 5."
            }
            Self::Public => {
                "For a file that anybody may download. Style `generalize`: all rows of a group show the same ranges, so that nobody is alone in them. Ages in steps of 5, years, two characters of postal codes (preset `public-file`); a large l, up to 5. Analysts lose most with this style."
            }
        }
    }
}

/// Returns the proposal as comments of a policy: the reason, and the measured costs or how to
/// measure them.
pub(super) fn comment(aim: Aim, costs: Option<&str>) -> String {
    let mut text = wrapped(aim.reason());
    match costs {
        Some(costs) => text.push_str(costs),
        None => text.push_str(&wrapped("The cost is not known yet. `openveil inspect TABLE --aim … --sample FILE` measures it on rows that are then left out; `openveil compare POLICY --sample FILE` measures more of it.")),
    }
    text
}

/// Measures the costs of all styles on a sample of the table, which is left out later. Returns
/// comments for the policy with this text, which will be stored at `path`.
///
/// # Errors
/// A sample that cannot be drawn or written.
pub fn costs(
    text: &str,
    path: &Path,
    (file, rows): (&Path, Option<usize>),
    observer: &dyn Observer,
) -> Result<String, Error> {
    let request = CompareRequest {
        policies: vec![trial(text, path)?],
        l: (2..=5).collect(),
        algorithms: Vec::new(),
        styles: vec![Style::Anatomy, Style::Slice, Style::Generalize],
        basis: Basis::Sample { file: file.to_owned(), rows },
        trials: TRIALS,
        queries: QUERIES,
        state: None,
        test_seed: None,
    };
    let found = compare::run(&request, observer)?;
    let mut text = wrapped(&format!(
        "The cost, measured on a sample whose rows must not be published (publish with `--without-sample {}`). lost: share of associations with the sensitive column that a fit does not recover. off: mean relative error of counts by one known column and the sensitive one. guessed: share of people whose value a fit guesses right for a reader who knows everybody's group.",
        file.display()
    ));
    text.push_str("#   style        l    lost     off  guessed\n");
    for row in &found.rows {
        text.push_str(&line(row));
    }
    Ok(text)
}

fn line(row: &Row) -> String {
    let l = row.l.map_or("-".to_owned(), |l| l.to_string());
    let [lost, off, guessed] = ["association", "one-value", "learned"].map(|name| {
        let median = row.medians.get(name);
        median.map_or("-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
    });
    match &row.refused {
        Some(_) => format!("#   {:<11} {l:>2}  not possible\n", row.style),
        None => format!("#   {:<11} {l:>2} {lost:>7} {off:>7} {guessed:>8}\n", row.style),
    }
}

/// Wraps words into lines of comments.
fn wrapped(words: &str) -> String {
    let (mut text, mut column) = (String::from("#"), 1);
    for word in words.split(' ') {
        let length = word.chars().count();
        if column + 1 + length > WIDTH {
            text.push_str("\n#");
            column = 1;
        }
        let _ = write!(text, " {word}");
        column += 1 + length;
    }
    text.push('\n');
    text
}

/// Returns a policy for trying, from a text that will be stored at `path`. It leaves out undecided
/// columns and takes rows as people; the owner has to decide both.
///
/// # Errors
/// A text that is not a policy.
pub(super) fn trial(text: &str, path: &Path) -> Result<Policy, Error> {
    let undecided = format!("role = \"{}\"", Role::Undecided.name());
    let text = text.replace(&undecided, &format!("role = \"{}\"", Role::Drop.name()));
    let mut policy = Policy::parse(&text, path)?;
    policy.input.rows_are_people = true;
    Ok(policy)
}
