//! Measures how strongly known columns are associated with the sensitive column, and with each
//! other.

use super::contingency::{CodeRuns, Contingency, CountedPeople};
use openveil_core::table::View;
use rayon::prelude::*;

/// The most classes of a single column, and of each column of a pair.
const CLASSES: usize = 64;
const CLASSES_OF_PAIRS: usize = 16;

/// The measure of strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrengthMeasure {
    /// Cramér's V, see [`Contingency::cramers_v`].
    CramersV,
    /// The correlation ratio, see [`Contingency::correlation_ratio`].
    CorrelationRatio,
}

impl StrengthMeasure {
    /// The measure for links with a view's sensitive column: the correlation ratio if its values
    /// have an order, otherwise Cramér's V.
    pub fn new(view: &View) -> Self {
        if view.secret().is_ordered() { Self::CorrelationRatio } else { Self::CramersV }
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::CramersV => "cramers-v",
            Self::CorrelationRatio => "correlation-ratio",
        }
    }
}

/// The strength of the association of one or two known columns with the sensitive column, or of two
/// known columns with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredLink {
    /// The known columns.
    pub columns: Vec<String>,
    /// 0 if there is no association; 1 if the known columns determine the other.
    pub strength: f64,
}

/// Measures the association of every known column with the sensitive one, in the table's order, by
/// the measure that suits the sensitive values ([`StrengthMeasure::new`]). The correlation ratio
/// uses the values as numbers, or else their places in the order.
///
/// Domains are divided into at most 64 classes of neighbouring codes. The result for a release may
/// be published; the result for a table must stay with the owner. Costs as much as
/// [`Contingency::new`] for each column.
pub fn links(counted: CountedPeople<'_>) -> Vec<MeasuredLink> {
    let (CountedPeople::Table(view) | CountedPeople::Release(view, _)) = counted;
    let axes = (0..view.known().len()).map(|axis| vec![axis]);
    links_of(counted, axes.collect(), CLASSES)
}

/// Like [`links`], but for every pair of known columns, with 16 classes each.
pub fn links_of_pairs(counted: CountedPeople<'_>) -> Vec<MeasuredLink> {
    let (CountedPeople::Table(view) | CountedPeople::Release(view, _)) = counted;
    let axes = pairs(view.known().len()).into_iter().map(Vec::from);
    links_of(counted, axes.collect(), CLASSES_OF_PAIRS)
}

fn links_of(
    counted: CountedPeople<'_>,
    combinations: Vec<Vec<usize>>,
    classes: usize,
) -> Vec<MeasuredLink> {
    let (CountedPeople::Table(view) | CountedPeople::Release(view, _)) = counted;
    let numbers = numbers_of_classes(view);
    combinations
        .into_par_iter()
        .map(|axes: Vec<usize>| {
            let table = Contingency::new(counted, &axes, classes, CLASSES);
            MeasuredLink {
                columns: axes.iter().map(|&axis| view.known()[axis].name().to_owned()).collect(),
                strength: match &numbers {
                    Some(numbers) => table.correlation_ratio(numbers),
                    None => table.cramers_v(),
                },
            }
        })
        .collect()
}

/// Like [`links`], but Cramér's V of every pair of known columns with each other.
pub fn links_of_known(counted: CountedPeople<'_>) -> Vec<MeasuredLink> {
    let (CountedPeople::Table(view) | CountedPeople::Release(view, _)) = counted;
    pairs(view.known().len())
        .into_par_iter()
        .map(|pair: [usize; 2]| {
            let second = view.known()[pair[1]].domain().len();
            let second = CodeRuns::new(second, CLASSES_OF_PAIRS).count();
            let table = Contingency::new(counted, &pair, CLASSES_OF_PAIRS, 1).by_second(second);
            MeasuredLink {
                columns: pair.map(|axis| view.known()[axis].name().to_owned()).to_vec(),
                strength: table.cramers_v(),
            }
        })
        .collect()
}

/// For each known column, the share of people whose value would have to change to turn the
/// release's distribution into the table's (total variation distance), 0 to 1. Not for publication.
pub fn changes_of_margins(view: &View, release: &openveil_core::release::Content) -> Vec<f64> {
    let margin = |counted, axis| Contingency::new(counted, &[axis], CLASSES, 1);
    (0..view.known().len())
        .map(|axis| {
            let released = margin(CountedPeople::Release(view, release), axis);
            margin(CountedPeople::Table(view), axis).distance(&released)
        })
        .collect()
}

/// All pairs of `columns` columns.
fn pairs(columns: usize) -> Vec<[usize; 2]> {
    (0..columns).flat_map(|a| (a + 1..columns).map(move |b| [a, b])).collect()
}

/// The number of each sensitive value, by code: the value itself, or its place in the order. `None`
/// if values have no order.
pub(super) fn numbers(view: &View) -> Option<Vec<f64>> {
    if !view.secret().is_ordered() {
        return None;
    }
    let labels = view.secret().labels();
    let number = |label: &String| label.parse().ok().filter(|number: &f64| number.is_finite());
    let own: Option<Vec<f64>> = labels.iter().map(number).collect();
    Some(own.unwrap_or_else(|| (0..labels.len()).map(|place| place as f64).collect()))
}

/// The mean number of each class of sensitive values, if they have an order.
///
/// The histogram is public, because any release discloses it.
fn numbers_of_classes(view: &View) -> Option<Vec<f64>> {
    let all = numbers(view)?;
    let classes = CodeRuns::new(all.len(), CLASSES);
    let (mut sums, mut rows) = (vec![0.0; classes.count()], vec![0.0; classes.count()]);
    for ((code, number), &count) in (0..).zip(all).zip(view.histogram().counts()) {
        let class = classes.of_code(code);
        sums[class] += number * f64::from(count);
        rows[class] += f64::from(count);
    }
    Some(
        sums.iter()
            .zip(rows)
            .map(|(sum, rows)| if rows > 0.0 { sum / rows } else { 0.0 })
            .collect(),
    )
}

#[cfg(test)]
mod tests;
