//! Pictures of groups and columns, and the questions they can answer.

use super::PublicFacts;
use crate::picture::percent;
use crate::picture::{Bars, Series};
use crate::query::ColumnDistribution;
use crate::report::page::{Pictures, table};
use crate::report::words::{self, thousands};
use maud::{Markup, html};
use openveil_io::release_dir::write::manifest::{Association, CellKind};

impl PublicFacts<'_> {
    pub(super) fn sizes(&self, pictures: &mut Pictures) -> Markup {
        html! {
            @if self.guarded().next().is_some() { h2 { "Group sizes" } }
            @for (table, groups) in self.guarded() {
                (pictures.bars(&format!("group-sizes-{}", table.entry.name), "rows of a group", &Bars {
                    title: format!("Groups{} by size", self.of_table(table)),
                    names: groups.sizes.iter().map(|(name, _)| name.clone()).collect(),
                    series: vec![whole("groups", groups.sizes.iter().map(|(_, count)| *count))],
                    most: None,
                }))
                (pictures.bars(&format!("highest-shares-{}", table.entry.name), "share", &Bars {
                    title: format!("Groups{} by the share of their most frequent protected value", self.of_table(table)),
                    names: (0..groups.shares.len()).map(|tenth| format!("up to {} %", 10 * (tenth + 1))).collect(),
                    series: vec![whole("groups", groups.shares.iter().copied())],
                    most: None,
                }))
            }
        }
    }

    pub(super) fn columns(&self, pictures: &mut Pictures) -> Markup {
        let manifest = &self.folder.manifest;
        html! {
            h2 { "Columns" }
            @for column in &manifest.columns {
                @let kind = column.cell_kind(self.folder.style);
                h3 { (column.name) }
                p {
                    "Role: " (words::role(&column.role)) ". Type: " (column.value_type.as_deref().unwrap_or("text")) ". Published as: " (words::cells(kind)) "."
                    @if let Some(extent) = manifest.utility.mean_extent.get(&column.name).filter(|extent| **extent > 0.0) {
                        " On average, a cell spans " (percent(*extent)) " of the values of the column."
                    }
                    @if let Some(floor) = &column.floor { " Values are published as " (floor.in_words()) "." }
                    @if let Some(limits) = self.limits(&column.name) { " In this column, " (limits) "." }
                }
                @if let Some(found) = self.distributions.iter().find(|d| d.column == column.name) {
                    (pictures.bars(&format!("column-{}", column.name), &column.name, &Bars {
                        title: format!("{}: rows per value, as the release shows them", column.name),
                        names: found.names.clone(),
                        series: vec![rounded("rows", &found.rows)],
                        most: None,
                    }))
                }
            }
        }
    }

    /// Describes which values the limits of a column stand for, if it has any.
    fn limits(&self, name: &str) -> Option<String> {
        let column = self.folder.manifest.columns.iter().find(|column| column.name == name)?;
        let top = column.top.as_ref().map(|top| format!("{top} means {top} or more"));
        let said: Vec<String> = column
            .bottom
            .as_ref()
            .map(|least| match &column.floor {
                Some(_) => format!("{least} means any value below the next multiple"),
                None => format!("{least} means {least} or less"),
            })
            .into_iter()
            .chain(top)
            .collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    pub(super) fn association(&self, pictures: &mut Pictures) -> Markup {
        let shown = &self.folder.manifest.utility.association;
        html! {
            @if !shown.is_empty() {
                h2 { "Associations with sensitive columns" }
                p { "The figures show how strong an association is in the release, from 0 (none) to 1 (the strongest possible). Grouping weakens associations. Their strength in the original table is not published." }
                @for (number, shown) in shown.iter().enumerate() { (association(pictures, number, shown)) }
            }
        }
    }

    pub(super) fn analyses(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let fakes = manifest.history.as_ref().map_or(0, |history| history.fakes.rows);
        let mut rows: Vec<Vec<String>> = Vec::new();
        for found in self.distributions {
            let exact = match fakes {
                0 => "exact".to_owned(),
                1 => "exact except for 1 filler row".to_owned(),
                rows => format!("exact except for {} filler rows", thousands(rows)),
            };
            let (what, answer) = match typical_error(found) {
                _ if self.folder.tables.iter().any(|table| table.is_secret(&found.column)) => {
                    ("frequencies of", exact)
                }
                0.0 if found.is_coarse => (
                    "counts by the categories above of",
                    format!("{exact}; a cell with several values does not say which one applies"),
                ),
                0.0 => ("counts by", exact),
                error => (
                    "counts by",
                    format!("within {} if values are spread evenly within cells", percent(error)),
                ),
            };
            let answer = match self.limits(&found.column) {
                Some(limits) => format!("{answer}; {limits}"),
                None => answer,
            };
            rows.push(vec![format!("{what} {}", found.column), answer]);
        }
        for shown in &manifest.utility.association {
            for (column, strength) in &shown.strength {
                let what = format!("association of {column} with {}", shown.sensitive);
                rows.push(vec![
                    what,
                    format!("{strength:.2} of 1 in the files ({}), weakened by grouping; openveil query corrects this", shown.measure),
                ]);
            }
        }
        html! {
            h2 { "Accuracy of analyses" }
            p { "An error is two standard deviations of a typical count. It assumes that a value is equally likely to be anywhere in its cell. Errors can be many times larger where values cluster within cells, for example for a rare value between two frequent ones. Use " code { "openveil query" } " for an estimate of any count and its error." }
            (table("Questions and their accuracy", &["question", "accuracy"], &rows, &[]))
        }
    }

    pub(super) fn cells(&self) -> Markup {
        let mut kinds: Vec<CellKind> = Vec::new();
        for column in &self.folder.manifest.columns {
            let kind = column.cell_kind(self.folder.style);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        html! {
            h2 { "How to read the files" }
            dl {
                @for kind in kinds { dt { (kind.name()) } dd { (words::cells(kind)) "." } }
                @for column in &self.folder.manifest.columns {
                    @if let Some(limits) = self.limits(&column.name) { dt { (column.name) } dd { (limits) "." } }
                }
                @for column in self.folder.manifest.columns.iter().filter(|column| column.sets) {
                    dt { (column.name) } dd { "a set of values of one person; " code { "{a|b}" } " means that the person has both a and b." }
                }
                dt { "group" } dd { "the number of the row's group; the numbering depends only on published values." }
                dt { "(missing)" } dd { "the value is missing." }
            }
        }
    }
}

fn association(pictures: &mut Pictures, number: usize, shown: &Association) -> Markup {
    pictures.bars(
        &format!("association-{}", number + 1),
        "column",
        &Bars {
            title: format!("Association of columns with {} ({})", shown.sensitive, shown.measure),
            names: shown.strength.keys().cloned().collect(),
            series: vec![Series {
                name: "strength".to_owned(),
                values: shown.strength.values().copied().collect(),
                texts: shown.strength.values().map(|strength| format!("{strength:.3}")).collect(),
            }],
            most: Some(1.0),
        },
    )
}

/// Returns two standard deviations of the median count, divided by that count; empty parts are
/// ignored.
fn typical_error(found: &ColumnDistribution) -> f64 {
    let mut errors: Vec<f64> = found
        .rows
        .iter()
        .zip(&found.deviations)
        .filter(|(rows, _)| **rows > 0.0)
        .map(|(rows, deviation)| 2.0 * deviation / rows)
        .collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(0.0)
}

/// A series of whole counts.
fn whole(name: &str, values: impl Iterator<Item = usize> + Clone) -> Series {
    Series {
        name: name.to_owned(),
        values: values.clone().map(|value| value as f64).collect(),
        texts: values.map(thousands).collect(),
    }
}

/// A series of estimated counts, rounded.
pub(in crate::report) fn rounded(name: &str, values: &[f64]) -> Series {
    Series {
        name: name.to_owned(),
        values: values.to_vec(),
        texts: values.iter().map(|value| thousands(value.round() as usize)).collect(),
    }
}
