//! The similarity attack if it can occur: one category has most of the values, so that the
//! different values of a group may all belong to it.

use super::super::{ExperimentEffort, FigureLines, SEED, point, release};
use super::table;
use crate::health::{self, ALPHA, UNEQUAL};
use openveil_core::algorithm::Algorithm;
use openveil_core::exact::Rational;
use openveil_core::model::{DistinctDiversity, Model, Over, Requirement, Variant};
use openveil_core::release::{Content, Style};
use openveil_core::table::View;
use openveil_papers::algorithm::Cover;
use openveil_papers::algorithm::{Mondrian, TopDown};
use openveil_papers::attack::similarity;
use openveil_reader::picture::Line;
use std::error::Error;

/// Returns plain diversity, and each variant of (l, α)-diversity over values and categories.
fn models(l: u32, alpha: Rational) -> Vec<(&'static str, Model)> {
    let family = |variant, over| health::l_alpha((variant, over), l, alpha, &UNEQUAL);
    let plain = Requirement::Distinct(DistinctDiversity { l });
    vec![
        ("l-diversity", plain.into()),
        ("distinct over values", family(Variant::Distinct, Over::Values)),
        ("recursive over values", family(health::recursive(), Over::Values)),
        ("entropy over values", family(Variant::Entropy, Over::Values)),
        ("distinct over categories", family(Variant::Distinct, Over::Categories)),
        ("recursive over categories", family(health::recursive(), Over::Categories)),
        ("entropy over categories", family(Variant::Entropy, Over::Categories)),
    ]
}

fn mostly_mild(effort: &ExperimentEffort) -> Result<View, Box<dyn Error>> {
    Ok(health::with_conditions(&table(effort)?, &UNEQUAL.concat(), SEED)?)
}

/// Returns the share of rows in groups of one category, in percent.
pub(super) fn open_rows(content: &Content) -> f64 {
    let sizes = UNEQUAL.iter().zip(0u32..);
    let category_of: Vec<u32> =
        sizes.flat_map(|(values, category)| vec![category; values.len()]).collect();
    100.0 * similarity(content, &category_of).rows as f64 / content.rows() as f64
}

/// Returns discernability per row.
pub(super) fn per_row(content: &Content) -> f64 {
    openveil_measures::utility::discernability(content) as f64 / content.rows() as f64
}

/// Measures the releases of each model for which one is possible.
pub(super) fn by_l(
    effort: &ExperimentEffort,
    way: &dyn Algorithm,
    measure: fn(&Content) -> f64,
) -> FigureLines {
    let table = mostly_mild(effort)?;
    let alpha = Rational::from_integer(ALPHA);
    let names = models(2, alpha).into_iter().enumerate();
    let line = |(number, (name, _)): (usize, (&str, Model))| {
        let at = |l: u32| {
            let (_, model) = models(l, alpha).swap_remove(number);
            point(l.into(), coins(way, effort), |seed| {
                let (content, _) = release(way, (&table, &model), Style::Generalize, seed)?;
                Ok(measure(&content))
            })
        };
        Line { name: name.to_owned(), points: (2..=8).filter_map(at).collect() }
    };
    Ok(names.map(line).filter(|line| !line.points.is_empty()).collect())
}

/// Returns the share of rows open to the attack for l = 3 and an increasing weight that groups must
/// have.
pub(super) fn by_alpha(effort: &ExperimentEffort) -> FigureLines {
    let table = mostly_mild(effort)?;
    let mut lines = Vec::new();
    for way in [&TopDown as &dyn Algorithm, &Mondrian, &Cover] {
        for (over, name) in [(Over::Values, "values"), (Over::Categories, "categories")] {
            let at = |halves: u64| {
                let alpha = Rational::new(halves, 2);
                let model = health::l_alpha((Variant::Distinct, over), 3, alpha, &UNEQUAL);
                point(halves as f64 / 2.0, coins(way, effort), |seed| {
                    let (content, _) = release(way, (&table, &model), Style::Generalize, seed)?;
                    Ok(open_rows(&content))
                })
            };
            lines.push(Line {
                name: format!("{} over {name}", way.name()),
                points: (1..=8).filter_map(at).collect(),
            });
        }
    }
    Ok(lines)
}

/// Returns the number of seeds: baselines draw nothing at random, so one is enough.
fn coins(way: &dyn Algorithm, effort: &ExperimentEffort) -> u64 {
    if way.profile().is_randomized() { effort.seeds } else { 1 }
}
