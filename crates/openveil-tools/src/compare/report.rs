//! The report of a comparison.

use super::basis::ReadyBasis;
use super::{CompareRequest, ComparedFigure, FIGURES, Setting, Trial};
use openveil_io::release_dir::write::quoted;
use openveil_text::Text;
use serde::Serialize;
use std::collections::BTreeMap;

/// The beginning of the header of a comparison's CSV.
pub const CSV_BEGINS: &str = "basis,policy";

/// The results of a comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The measured data: `shuffled`, `other-table`, `sample` or `true-values`.
    pub basis: &'static str,
    /// An explanation of the consequences.
    pub note: Text,
    /// Figures that are not meaningful on this basis, and were not measured.
    pub without_meaning: Vec<&'static str>,
    /// The figures that were measured.
    pub figures: Vec<ComparedFigure>,
    /// One per setting, in the order of the request.
    pub rows: Vec<Row>,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The policy's file name without its ending.
    pub policy: String,
    /// The privacy model in words.
    pub model: String,
    /// Its l, if it has one and it is a whole number.
    pub l: Option<u32>,
    /// The algorithm's name.
    pub algorithm: String,
    /// The style's name.
    pub style: String,
    /// The columns that define strata.
    pub strata: Vec<String>,
    /// The reason, if nothing was published.
    pub refused: Option<Text>,
    /// The reader against whom releases are protected.
    pub adversary: String,
    /// The highest chance of guessing a protected value, over all trials; none if no bound is
    /// promised.
    pub max_posterior: Option<String>,
    /// The medians of all trials, by name.
    pub medians: BTreeMap<String, f64>,
    /// All trials.
    pub trials: Vec<Trial>,
}

impl Comparison {
    pub(super) fn new(ground: &ReadyBasis, request: &CompareRequest, rows: Vec<Row>) -> Self {
        let has_meaning =
            |figure: &&ComparedFigure| request.basis.has_values() || !figure.reads_values;
        let (figures, without): (Vec<&ComparedFigure>, Vec<&ComparedFigure>) =
            FIGURES.iter().partition(|figure| has_meaning(figure));
        Self {
            basis: ground.basis.name(),
            note: ground.in_words(),
            without_meaning: without.iter().map(|figure| figure.name).collect(),
            figures: figures.into_iter().copied().collect(),
            rows,
        }
    }

    /// Returns a CSV with a header and a line per trial.
    pub fn csv(&self) -> String {
        let mut names: Vec<&str> = CSV_BEGINS.split(',').collect();
        names.extend([
            "model",
            "l",
            "algorithm",
            "style",
            "strata",
            "adversary",
            "max_posterior",
            "refused",
            "trial",
        ]);
        names.extend(self.figures.iter().map(|figure| figure.name));
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
            for (number, trial) in row.trials.iter().enumerate() {
                let mut fields = vec![
                    self.basis.to_owned(),
                    row.policy.clone(),
                    row.model.clone(),
                    row.l.map_or_else(String::new, |l| l.to_string()),
                    row.algorithm.clone(),
                    row.style.clone(),
                    row.strata.join(" "),
                    trial.adversary.clone(),
                    trial.max_posterior.clone().unwrap_or_default(),
                    trial.refused.as_ref().map(Text::to_string).unwrap_or_default(),
                    (number + 1).to_string(),
                ];
                let measured = self.figures.iter().map(|figure| trial.figures.get(figure.name));
                fields.extend(measured.map(|value| value.map_or_else(String::new, f64::to_string)));
                let fields: Vec<_> = fields.iter().map(|field| quoted(field, ',')).collect();
                text += &(fields.join(",") + "\n");
            }
        }
        text
    }
}

impl Row {
    pub(super) fn new(setting: &Setting) -> Self {
        Self {
            policy: setting.policy_name(),
            model: setting.made.privacy.model.to_string(),
            l: setting.l,
            algorithm: setting.algorithm().to_owned(),
            style: setting.style().name().to_owned(),
            strata: setting.made.privacy.strata.clone(),
            refused: None,
            adversary: setting.made.method.algorithm.profile().adversary.name().to_owned(),
            max_posterior: None,
            medians: BTreeMap::new(),
            trials: Vec::new(),
        }
    }

    /// Adds a trial, and updates medians and the highest posterior.
    pub(super) fn add(&mut self, trial: Trial) {
        let is_first = self.trials.is_empty();
        if trial.refused.is_some() {
            self.refused.clone_from(&trial.refused);
        } else if is_first {
            self.max_posterior.clone_from(&trial.max_posterior);
        } else {
            self.max_posterior = weaker(self.max_posterior.take(), trial.max_posterior.clone());
        }
        self.trials.push(trial);
        let names: Vec<String> =
            self.trials.iter().flat_map(|trial| trial.figures.keys()).cloned().collect();
        for name in names {
            let values = self.trials.iter().filter_map(|trial| trial.figures.get(&name));
            if let Some(median) = median(values.copied().collect()) {
                self.medians.insert(name, median);
            }
        }
    }

    /// Returns the name of its line in a plot.
    pub fn series(&self) -> String {
        let strata = match &self.strata[..] {
            [] => String::new(),
            columns => format!(", by {}", columns.join(", ")),
        };
        format!("{} · {} · {}{strata}", self.policy, self.algorithm, self.style)
    }
}

/// Returns the weaker of two promises: no bound is the weakest.
fn weaker(one: Option<String>, other: Option<String>) -> Option<String> {
    let (one, other) = (one?, other?);
    let value = |text: &str| {
        let (above, below) = text.split_once('/').unwrap_or((text, "1"));
        above.parse::<f64>().unwrap_or(f64::NAN) / below.parse::<f64>().unwrap_or(f64::NAN)
    };
    Some(if value(&other) > value(&one) { other } else { one })
}

/// Returns the median: the middle value, or the mean of the two middle values.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}
