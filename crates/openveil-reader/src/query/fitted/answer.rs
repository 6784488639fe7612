//! Counts of rows that meet conditions, with intervals.

use super::Fitted;
use crate::query::matcher::Matcher;
use openveil_analysis::{Ask, Figure, Method, Verdict, bounds};
use openveil_text::{Text, text};
use serde::Serialize;
use std::collections::HashMap;

/// A figure in its written form: an estimate, its 95 % interval, and the method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureEntry {
    /// The estimate.
    pub estimate: f64,
    /// The interval that contains the figure of the owner's table in about 95 of 100 releases; by
    /// `bounds`, always.
    pub interval: [f64; 2],
    /// `exact`, `fit-and-worlds`, `fit`, or `bounds` (certain bounds, in which no estimate is
    /// better than another).
    pub method: &'static str,
    /// The standard deviation over the random assignments of a group's values to its people; not by
    /// `bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deal_error: Option<f64>,
}

impl FigureEntry {
    /// Returns certain bounds, with an estimate in between.
    pub(in crate::query) fn bounded(estimate: f64, [least, greatest]: [f64; 2]) -> Self {
        // Rounding may put the least slightly above the greatest.
        let greatest = greatest.max(least);
        let method = if greatest - least < 1e-9 { Method::Exact.name() } else { "bounds" };
        Self {
            estimate: estimate.clamp(least, greatest),
            interval: [least, greatest],
            method,
            deal_error: None,
        }
    }

    /// Whether the figure comes from a fit with worlds.
    pub(in crate::query) fn is_by_worlds(&self) -> bool {
        self.method == Method::Worlds.name()
    }

    /// Whether the release shows the figure.
    pub fn is_exact(&self) -> bool {
        self.method == Method::Exact.name()
    }
}

impl From<Figure> for FigureEntry {
    fn from(figure: Figure) -> Self {
        Self {
            estimate: figure.estimate,
            interval: figure.interval,
            method: figure.method.name(),
            deal_error: Some(figure.deal_error),
        }
    }
}

/// The check of a known column in its written form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckEntry {
    /// The column.
    pub column: String,
    /// `usable`, `with care` or `do not cross`.
    pub verdict: &'static str,
    /// The share of the column's association with the secret that error does not explain.
    pub certain: f64,
    /// The share of the association that is found where the truth is known.
    pub found: f64,
    /// The share that the release's report states, if it states one: it may be less where the model
    /// refused cuts because of this association.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported: Option<f64>,
}

impl CheckEntry {
    /// Returns a note on the columns that are not usable; none if all are.
    pub(in crate::query) fn note(checks: &[Self]) -> Option<Text> {
        checks.iter().any(|own| own.verdict != Verdict::Usable.name()).then(|| {
            let own =
                checks.iter().map(|own| text!("{}: {:text}", own.column, Text::from(own.verdict)));
            text!(
                "how far the release shows the dependence of the secret on each column: {:text}",
                Text::listed(own, &text!("; "))
            )
        })
    }
}

/// Returns a note on why figures are bounds.
pub(in crate::query) fn without(why: &Text) -> Text {
    text!("no fit: {why:text}; the interval is certain")
}

/// Conditions as parts of an [`Ask`]: for each code or value, the share that meets them.
pub(super) struct Shares {
    known: Vec<(usize, Vec<f64>)>,
    secret: Vec<f64>,
}

impl Shares {
    pub(super) fn new(fitted: &Fitted, matchers: &HashMap<String, Matcher<'_>>) -> Self {
        let coded = &fitted.coded;
        let known = coded.meaning.known.iter().enumerate().filter_map(|(number, column)| {
            let matcher = matchers.get(column.name())?;
            let shares = column.domain().labels().map(|label| matcher.share_of_value(label));
            Some((number, shares.collect()))
        });
        let secret = coded.parts.iter().map(|parts| {
            coded
                .secrets
                .iter()
                .zip(parts)
                .map(|(name, part)| matchers.get(name).map_or(1.0, |own| own.share_of_value(part)))
                .product()
        });
        Self { known: known.collect(), secret: secret.collect() }
    }

    /// Returns the ask that counts the shares for which `counts` is true.
    pub(super) fn ask(&self, counts: &dyn Fn(f64) -> bool) -> Ask {
        let part =
            |shares: &Vec<f64>| shares.iter().map(|&share| counts(share).then_some(0)).collect();
        Ask {
            known: self.known.iter().map(|(column, shares)| (*column, part(shares))).collect(),
            parts: vec![1; self.known.len()],
            secret: part(&self.secret),
            secret_parts: 1,
        }
    }

    /// Whether each code or value meets the conditions completely or not at all.
    pub(super) fn are_whole(&self) -> bool {
        self.known
            .iter()
            .flat_map(|(_, shares)| shares)
            .chain(&self.secret)
            .all(|&share| share == 0.0 || share == 1.0)
    }
}

impl Fitted {
    /// Estimates how many rows meet conditions on columns of this table. `evenly` is the estimate
    /// by even spread, used if there is no fit. Adds a note on why there is none.
    pub(in crate::query) fn count(
        &self,
        matchers: &HashMap<String, Matcher<'_>>,
        evenly: f64,
        is_divided: bool,
    ) -> (FigureEntry, Option<Text>) {
        let (bounds, shares) = self.bounds(matchers, is_divided);
        if is_divided || !shares.are_whole() || bounds[1] - bounds[0] < 1e-9 {
            return (FigureEntry::bounded(evenly, bounds), None);
        }
        match self.analysis() {
            Ok(analysis) => (analysis.counts(&shares.ask(&|share| share > 0.0))[0].into(), None),
            Err(why) => (FigureEntry::bounded(evenly, bounds), Some(why.clone())),
        }
    }

    /// Returns the least and the greatest count that the release allows. A condition that splits a
    /// published value may hold for all of its rows or for none.
    pub(in crate::query) fn certain(
        &self,
        matchers: &HashMap<String, Matcher<'_>>,
        is_divided: bool,
    ) -> [f64; 2] {
        self.bounds(matchers, is_divided).0
    }

    fn bounds(
        &self,
        matchers: &HashMap<String, Matcher<'_>>,
        is_divided: bool,
    ) -> ([f64; 2], Shares) {
        let shares = Shares::new(self, matchers);
        let evidence = &self.coded.evidence;
        let greatest = bounds(evidence, &shares.ask(&|share| share > 0.0))[0].1;
        let least = if is_divided {
            0.0
        } else {
            bounds(evidence, &shares.ask(&|share| share >= 1.0))[0].0
        };
        ([least, greatest], shares)
    }
}
