//! Plots of l against each error, one line per way of publishing.

use super::{ComparedFigure, Comparison, Row};
use openveil_reader::picture::{Line, Lines, Picture, Point};
use std::collections::BTreeMap;

/// Returns a plot for each measured error. Empty if no setting has an l.
pub fn plots(comparison: &Comparison) -> Vec<Picture> {
    comparison
        .figures
        .iter()
        .filter(|figure| figure.is_error)
        .filter_map(|figure| {
            let lines = lines(comparison, figure);
            Some(Picture {
                name: figure.name.to_owned(),
                svg: lines.svg()?,
                title: lines.title,
                bars: None,
            })
        })
        .collect()
}

/// Returns a line for each way of publishing, with a median for each l.
fn lines(comparison: &Comparison, figure: &ComparedFigure) -> Lines {
    let mut series: BTreeMap<String, BTreeMap<u32, f64>> = BTreeMap::new();
    let point = |row: &Row| Some((row.l?, *row.medians.get(figure.name)?));
    for row in &comparison.rows {
        if let Some((l, value)) = point(row) {
            series.entry(row.series()).or_default().insert(l, value);
        }
    }
    Lines {
        title: format!("{}: {}", figure.name, figure.meaning),
        across: "l".to_owned(),
        lines: series
            .into_iter()
            .map(|(name, points): (String, BTreeMap<u32, f64>)| Line {
                name,
                points: points
                    .into_iter()
                    .map(|(l, value)| Point::new(f64::from(l), value))
                    .collect(),
            })
            .collect(),
    }
}
