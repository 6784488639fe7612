//! The public page.

mod columns;
mod questions;

pub(in crate::report) use columns::rounded;

use super::Page;
use super::facts::{self, GroupFacts};
use super::page::{Pictures, counted, frame, table};
use super::words::{self, thousands};
use crate::query::{ColumnDistribution, Reader};
use maud::{Markup, html};
use openveil_core::exact::Rational;
use openveil_io::policy::Role;
use openveil_io::release_dir::FileHash;
use openveil_io::release_dir::read::{ReleaseFolder, ReleasedTable};
use openveil_io::release_dir::write::manifest::{LearnedColumn, is_within};
use openveil_io::{Error, Location};

/// The public page of a release, whose distributions are known.
pub(super) fn page(
    reader: &Reader,
    distributions: &[ColumnDistribution],
    files: &[FileHash],
) -> Result<Page, Error> {
    let folder = reader.release();
    let public = PublicFacts {
        folder,
        groups: folder
            .tables
            .iter()
            .map(|table| facts::groups(folder, table))
            .collect(),
        distributions,
        files,
    };
    public.keeps_its_promise()?;
    let mut pictures = Pictures::default();
    let body = html! {
        (public.head())
        (public.promise())
        (public.example())
        (public.questions())
        (public.sizes(&mut pictures))
        (public.columns(&mut pictures))
        (public.omitted())
        (public.learned())
        (public.association(&mut pictures))
        (public.analyses())
        (public.cells())
        (public.parameters())
    };
    Ok(Page {
        html: frame("Report on a release", "en", &body),
        pictures: pictures.0,
    })
}

/// A release, and the counts from its files.
struct PublicFacts<'a> {
    folder: &'a ReleaseFolder,
    /// One for each table; none for a table without groups.
    groups: Vec<Option<GroupFacts>>,
    distributions: &'a [ColumnDistribution],
    files: &'a [FileHash],
}

impl PublicFacts<'_> {
    fn guarded(&self) -> impl Iterator<Item = (&ReleasedTable, &GroupFacts)> {
        let tables = self.folder.tables.iter().zip(&self.groups);
        tables.filter_map(|(table, groups)| Some((table, groups.as_ref()?)))
    }

    /// Checks that no group shows more than the manifest promises, so that a modified release is
    /// not described.
    fn keeps_its_promise(&self) -> Result<(), Error> {
        let manifest = &self.folder.manifest;
        for (table, groups) in self.guarded() {
            let of_rules = manifest
                .rules
                .iter()
                .filter(|rule| rule.by == table.entry.name);
            let of_rules = of_rules.map(|rule| rule.max_posterior.as_deref());
            let single = self
                .is_single()
                .then_some(manifest.guarantee.max_posterior.as_deref());
            for bound in of_rules.chain(single).flatten() {
                let (found, rows) = groups.highest;
                if is_within(Some(bound), Rational::new(found as u64, rows as u64)) != Some(false) {
                    continue;
                }
                let place = Location::file(&table.main.files[0]);
                let problem = format!(
                    "shows a protected value in {found} of {rows} rows of a group, where the manifest promises {bound} at most"
                );
                return Err(Error::new(place, problem)
                    .help("table and manifest are not of one release, or were changed: ask who published them"));
            }
        }
        Ok(())
    }

    fn is_single(&self) -> bool {
        self.folder.manifest.tables.is_empty()
    }

    /// ` of table-2`, if there are several tables.
    fn of(&self, table: &ReleasedTable) -> String {
        if self.is_single() {
            String::new()
        } else {
            format!(" of {}", table.entry.name)
        }
    }

    fn head(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let columns = counted(manifest.columns.len(), "column");
        let tables = match manifest.tables.len() {
            0 => String::new(),
            several => format!(" in {}", counted(several, "table")),
        };
        html! {
            h1 { "What was published, and what it promises" }
            @if !manifest.fit_for_publication {
                p.warning { "Not fit for publication: the notes on the promise say why." }
            }
            p {
                "A table of " (counted(manifest.rows, "row")) " with " (columns) (tables) ". "
                @for (table, groups) in self.guarded() {
                    "The rows" (self.of(table)) " stand in " (counted(table.entry.groups, "group")) " of "
                    @if groups.least == groups.most { (counted(groups.least, "row")) }
                    @else { (thousands(groups.least)) " to " (counted(groups.most, "row")) }
                    @if groups.uniform > 0 { "; in " (thousands(groups.uniform)) " of them all rows have the same protected value" }
                    @if groups.uniform_exempt > 0 { "; in " (thousands(groups.uniform_exempt)) " of them all rows have the same value, one that is not protected" }
                    @if groups.uniform > 0 { ". " }
                    @else if groups.uniform_exempt > 0 { ". The release does not say who in a group has which of its protected values. " }
                    @else { ": the release does not say who in a group has which of its protected values. " }
                }
                @if let Some(history) = &manifest.history {
                    "It is release " (history.release) " of the history " (history.id) ", of " (counted(history.people, "person"))
                    @if history.fakes.rows > 0 { "; " (counted(history.fakes.rows, "row")) " in " (counted(history.fakes.groups.len(), "group")) " are nobody's, and nobody can say which" }
                    ". "
                }
                "Everything on this page was computed from the published files; whoever has them can do the same."
            }
        }
    }

    fn promise(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let reader = match manifest.guarantee.adversary.as_str() {
            "knows-algorithm" => {
                "a reader who knows the program, its parameters and its source code, but not the coins that it tossed"
            }
            _ => "a reader who sees the release and does not run the program again",
        };
        let rules = manifest.rules.iter().map(|rule| {
            let chance = rule
                .max_posterior
                .clone()
                .unwrap_or_else(|| "below 1".to_owned());
            vec![
                rule.given.join(", "),
                rule.protect.join(", "),
                rule.model.to_string(),
                chance,
            ]
        });
        let rules: Vec<Vec<String>> = rules.collect();
        html! {
            h2 { "The promise" }
            blockquote { (manifest.guarantee.statement) }
            dl {
                dt { "Against whom" } dd { (reader) }
                dt { "The highest chance of a guess" }
                dd { @match manifest.guarantee.max_posterior.as_deref() {
                    Some("1") => "none is promised to be below 1",
                    Some(bound) => (bound),
                    None => "below 1, without a bound",
                } }
                @for promise in &manifest.guarantee.readers {
                    dt { (words::reader(&promise.reader)) } dd { (promise.statement) "." }
                }
                @if !manifest.guarantee.protects.is_empty() {
                    dt { "What it is about" } dd { (manifest.guarantee.protects.join("; ")) }
                }
            }
            @if !rules.is_empty() {
                (table("The rules that are kept", &["who knows", "must not learn", "model", "highest chance"], &rules, &[]))
            }
            @if !manifest.notes.is_empty() {
                h3 { "What belongs to it" }
                ul { @for note in &manifest.notes { li { (note) } } }
            }
            h3 { "What is not promised" }
            ul { @for words in words::not_promised(manifest, self.folder.style) { li { (words) } } }
        }
    }

    fn example(&self) -> Markup {
        let Some((table_of, groups)) = self.guarded().next() else {
            return html! {};
        };
        let example = &groups.example;
        let head: Vec<&str> = example.columns.iter().map(String::as_str).collect();
        let left = example.rows - example.shown.len();
        let values = example.values.iter().map(|(value, rows, exempt)| {
            let note = if *exempt { " (not protected)" } else { "" };
            vec![format!("{value}{note}"), thousands(*rows)]
        });
        let values: Vec<Vec<String>> = values.take(20).collect();
        let protects = self.protected_names(table_of);
        html! {
            h2 { "A group, looked at" }
            p {
                "This is group " (thousands(example.number)) (self.of(table_of)) ", which is of middle size. Somebody who knows that a person is one of its "
                (counted(example.rows, "row"))
                @match example.values.len() {
                    1 => { " finds that all of them have the same value of " (protects) "." }
                    several => { " finds " (thousands(several)) " different values of " (protects) " in it, and not which of them is that person's." }
                }
            }
            (table("Rows of the group", &head, &example.shown, &[]))
            @if left > 0 { p { "and " (counted(left, "more row")) "." } }
            (table("Its values", &[protects.as_str(), "rows"], &values, &[1]))
        }
    }

    fn protected_names(&self, table: &ReleasedTable) -> String {
        let manifest = &self.folder.manifest;
        match &table.entry.enforces {
            Some(enforced) => enforced.protect.join(" + "),
            None => {
                let secret = manifest.columns.iter();
                let secret = secret.filter(|column| column.role == Role::Sensitive.name());
                secret
                    .map(|column| column.name.clone())
                    .collect::<Vec<_>>()
                    .join(" + ")
            }
        }
    }

    /// Shows what analysts can learn about columns, and readers about people.
    fn learned(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let row = |column: &LearnedColumn| {
            let strongest = column
                .strongest
                .as_ref()
                .map_or(String::new(), |strongest| {
                    let often = if strongest.difference < 0.0 {
                        "less"
                    } else {
                        "more"
                    };
                    let points = 100.0 * strongest.difference.abs();
                    format!(
                        "{}: {often} often {} (by {points:.0} points)",
                        strongest.known, strongest.sensitive
                    )
                });
            let advice = if column.is_usable() {
                "usable"
            } else {
                "do not cross"
            };
            vec![
                column.column.clone(),
                percent(column.recovered),
                strongest,
                advice.to_owned(),
            ]
        };
        html! {
            h2 { "What can be learned from it" }
            @if manifest.utility.learned.is_empty() {
                p { "Not measured: the release is too large, or has too few groups or no known columns. " code { "openveil query" } " and " code { "openveil attack" } " measure it." }
            }
            @for learned in &manifest.utility.learned {
                p {
                    "About people: the promise is about a reader who has no reason to think a value likelier for one person than for another. "
                    "A reader can get such reasons from the release itself, by learning how " (learned.sensitive) " goes with the known columns. "
                    "That reader gives the likeliest value of a person a chance of " (percent(learned.believed)) " on average"
                    @if let Some(share) = learned.above_bound { ", believes a protected value with more than the promised chance of " (percent(share)) " of the people" }
                    ", and is nearly certain (above 90 %) of " (percent(learned.nearly_certain)) " of them."
                }
                @let rows: Vec<Vec<String>> = learned.columns.iter().map(row).collect();
                (table(&format!("About columns: how each goes with {}", learned.sensitive), &["column", "not chance", "strongest", "advice"], &rows, &[1]))
                p { "Ask for cross-tables, regressions and completed tables with " code { "openveil query --by" } ", " code { "openveil fit" } " and " code { "openveil complete" } ": each figure has an interval. Counting rows of the file as they stand dilutes associations." }
            }
        }
    }

    fn omitted(&self) -> Markup {
        let omitted = &self.folder.manifest.omitted;
        html! {
            h2 { "What was left out" }
            @if omitted.identifiers.is_empty() && omitted.dropped.is_empty() && omitted.rows == 0 {
                p { "Nothing: all columns and rows of the table were published." }
            }
            @if !omitted.identifiers.is_empty() { p { "Columns that name people: " (omitted.identifiers.join(", ")) "." } }
            @if !omitted.dropped.is_empty() { p { "Columns that were not wanted: " (omitted.dropped.join(", ")) "." } }
            @if omitted.rows > 0 {
                p { (counted(omitted.rows, "row")) ":" }
                ul { @for reason in &omitted.reasons { li { (reason) } } }
            }
        }
    }

    fn parameters(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let hashes = self
            .files
            .iter()
            .map(|file| vec![file.name.clone(), file.sha256.clone()]);
        let hashes: Vec<Vec<String>> = hashes.collect();
        html! {
            h2 { "Parameters" }
            dl {
                dt { "Privacy model" } dd { (manifest.model) }
                dt { "Algorithm" }
                dd { @if self.guarded().next().is_none() { "none: no table needed groups" } @else { (manifest.algorithm) } @if let Some(chosen_by) = &manifest.chosen_by { ", chosen by " (chosen_by) " from public facts" } }
                dt { "Style" } dd { (manifest.style) }
                @if let Some(strata) = &manifest.strata { dt { "Strata" } dd { (strata.columns.join(", ")) } }
                @if let Some(decomposition) = &manifest.decomposition { dt { "Decomposition" } dd { (decomposition) } }
                dt { "Program" } dd { "openveil " (manifest.openveil) }
            }
            @if !hashes.is_empty() {
                (table("The files, and their SHA-256", &["file", "hash"], &hashes, &[]))
            }
        }
    }
}
