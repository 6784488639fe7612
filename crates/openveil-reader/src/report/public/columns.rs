//! Pictures of groups and columns, and the questions they can answer.

use super::PublicFacts;
use crate::picture::{Bars, Series};
use crate::query::ColumnDistribution;
use crate::report::page::{Pictures, said, table};
use crate::report::words::{self, number, share};
use maud::{Markup, html};
use openveil_io::release_dir::write::manifest::Association;
use openveil_text::{Text, text};

impl PublicFacts<'_> {
    pub(super) fn sizes(&self, pictures: &mut Pictures) -> Markup {
        html! {
            @if self.guarded().next().is_some() { h2 { (text!("Group sizes")) } }
            @for (table, groups) in self.guarded() {
                (pictures.bars(&format!("group-sizes-{}", table.entry.name), text!("rows of a group"), &Bars {
                    title: text!("Groups{:text} by size", self.of_table(table)).to_string(),
                    names: groups.sizes.iter().map(|(name, _)| name.to_string()).collect(),
                    series: vec![whole(&text!("groups"), groups.sizes.iter().map(|(_, count)| *count))],
                    most: None,
                }))
                (pictures.bars(&format!("highest-shares-{}", table.entry.name), text!("share"), &Bars {
                    title: text!("Groups{:text} by the share of their most frequent protected value", self.of_table(table)).to_string(),
                    names: (1..=groups.shares.len()).map(|tenth| text!("up to {} %", 10 * tenth).to_string()).collect(),
                    series: vec![whole(&text!("groups"), groups.shares.iter().copied())],
                    most: None,
                }))
            }
        }
    }

    pub(super) fn columns(&self, pictures: &mut Pictures) -> Markup {
        let manifest = &self.folder.manifest;
        html! {
            h2 { (text!("Columns")) }
            @for column in &manifest.columns {
                @let kind = column.cell_kind(self.folder.style);
                @let (role, kind_of) = (words::role(&column.role), words::value_type(column.value_type.as_deref()));
                h3 { (column.name) }
                p {
                    (text!("Role: {role:text}. Type: {kind_of:text}. Published as: {:text}.", words::cells(kind)))
                    @if let Some(extent) = manifest.utility.mean_extent.get(&column.name).filter(|extent| **extent > 0.0) {
                        " " (text!("On average, a cell spans {:text} of the values of the column.", share(*extent)))
                    }
                    @if let Some(floor) = &column.floor { " " (text!("Values are published as {:text}.", floor.in_words())) }
                    @if let Some(limits) = self.limits(&column.name) { " " (text!("In this column, {limits:text}.")) }
                    @if column.sets { " " (said(text!("A cell is a set of values of one person; {} means that the person has both a and b.", "`{a|b}`"))) }
                }
                @if let Some(found) = self.distributions.iter().find(|d| d.column == column.name) {
                    (pictures.bars(&format!("column-{}", column.name), &column.name, &Bars {
                        title: text!("{}: rows per value, as the release shows them", column.name).to_string(),
                        names: found.names.clone(),
                        series: vec![rounded(&text!("rows"), &found.rows)],
                        most: None,
                    }))
                }
            }
            p { (said(text!("The column {} holds the number of the row's group; the numbering depends only on published values. Missing values are written as {}.", "`group`", "`(missing)`"))) }
        }
    }

    /// Describes which values the limits of a column stand for, if it has any.
    fn limits(&self, name: &str) -> Option<Text> {
        let column = self.folder.manifest.columns.iter().find(|column| column.name == name)?;
        let bottom = column.bottom.as_ref().map(|least| match &column.floor {
            Some(_) => text!("{least} means any value below the next multiple"),
            None => text!("{least} means {least} or less"),
        });
        let top = column.top.as_ref().map(|top| text!("{top} means {top} or more"));
        let said = Text::listed(bottom.into_iter().chain(top), &", ".to_owned().into());
        (!said.is_empty()).then_some(said)
    }

    pub(super) fn association(&self, pictures: &mut Pictures) -> Markup {
        let shown = &self.folder.manifest.utility.association;
        html! {
            @if !shown.is_empty() {
                h2 { (text!("Associations with sensitive columns")) }
                p { (text!("The figures show how strong an association is in the release, from 0 (none) to 1 (the strongest possible). Grouping weakens associations. Their strength in the original table is not published.")) }
                @for (number, shown) in shown.iter().enumerate() { (association(pictures, number, shown)) }
            }
        }
    }

    pub(super) fn analyses(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let fakes = manifest.history.as_ref().map_or(0, |history| history.fakes.rows);
        let exact = match fakes {
            0 => text!("exact"),
            1 => text!("exact except for 1 filler row"),
            rows => text!("exact except for {:text} filler rows", number(rows)),
        };
        let mut rows: Vec<Vec<Text>> = Vec::new();
        for found in self.distributions {
            let column = &found.column;
            let (question, answer) = match typical_error(found) {
                _ if self.folder.tables.iter().any(|table| table.is_secret(column)) => {
                    (text!("frequencies of {column}"), exact.clone())
                }
                0.0 if found.is_coarse => (
                    text!("counts by the categories above of {column}"),
                    text!(
                        "{exact:text}; a cell with several values does not say which one applies"
                    ),
                ),
                0.0 => (text!("counts by {column}"), exact.clone()),
                error => (
                    text!("counts by {column}"),
                    text!("within {:text} if values are spread evenly within cells", share(error)),
                ),
            };
            let answer = match self.limits(column) {
                Some(limits) => text!("{answer:text}; {limits:text}"),
                None => answer,
            };
            rows.push(vec![question, answer]);
        }
        for shown in &manifest.utility.association {
            for (column, strength) in &shown.strength {
                let strength = Text::number(format!("{strength:.2}"));
                rows.push(vec![
                    text!("association of {column} with {}", shown.sensitive),
                    text!(
                        "{strength:text} of 1 in the files ({:text}), weakened by grouping; openveil query corrects this",
                        measure(&shown.measure)
                    ),
                ]);
            }
        }
        html! {
            h2 { (text!("Accuracy of analyses")) }
            p { (said(text!("An error is two standard deviations of a typical count. It assumes that a value is equally likely to be anywhere in its cell. Errors can be many times larger where values cluster within cells, for example for a rare value between two frequent ones. Use `openveil query` for an estimate of any count and its error."))) }
            (table(text!("Questions and their accuracy"), &[text!("question"), text!("accuracy")], &rows, &[]))
        }
    }
}

/// A measure of association, as a manifest names it.
fn measure(name: &str) -> Text {
    match name {
        "correlation-ratio" => text!("the correlation ratio"),
        _ => text!("Cramér's V"),
    }
}

/// The title of a picture of associations.
pub(in crate::report) fn association_title(sensitive: &str, name: &str) -> Text {
    text!("Association of columns with {sensitive} ({:text})", measure(name))
}

fn association(pictures: &mut Pictures, number: usize, shown: &Association) -> Markup {
    pictures.bars(
        &format!("association-{}", number + 1),
        text!("column"),
        &Bars {
            title: association_title(&shown.sensitive, &shown.measure).to_string(),
            names: shown.strength.keys().cloned().collect(),
            series: vec![strengths(&text!("strength"), shown.strength.values().copied().collect())],
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
fn whole(name: &Text, values: impl Iterator<Item = usize> + Clone) -> Series {
    Series {
        name: name.to_string(),
        values: values.clone().map(|value| value as f64).collect(),
        texts: values.map(|value| number(value).to_string()).collect(),
    }
}

/// A series of estimated counts, rounded.
pub(in crate::report) fn rounded(name: &Text, values: &[f64]) -> Series {
    Series {
        name: name.to_string(),
        values: values.to_vec(),
        texts: values.iter().map(|value| number(value.round() as usize).to_string()).collect(),
    }
}

/// A series of strengths of associations, from 0 to 1.
pub(in crate::report) fn strengths(name: &Text, values: Vec<f64>) -> Series {
    Series {
        name: name.to_string(),
        texts: values.iter().map(|own| Text::number(format!("{own:.3}")).to_string()).collect(),
        values,
    }
}
