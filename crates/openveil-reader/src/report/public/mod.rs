//! The public page.

mod columns;
mod glance;
mod questions;

pub(in crate::report) use columns::rounded;

use super::Page;
use super::facts::{self, GroupFacts};
use super::page::{Pictures, counted, frame, table};
use super::words::{self, thousands};
use crate::query::{ColumnDistribution, Reader};
use maud::{Markup, html};
use openveil_analysis::Verdict;
use openveil_core::exact::Rational;
use openveil_io::policy::Role;
use openveil_io::release_dir::FileHash;
use openveil_io::release_dir::read::{ReleaseFolder, ReleasedTable};
use openveil_io::release_dir::write::manifest::is_within;
use openveil_io::{Error, Location};
use openveil_text::text;

/// The public page of a release, whose distributions are known.
pub(super) fn page(
    reader: &Reader,
    distributions: &[ColumnDistribution],
    files: &[FileHash],
) -> Result<Page, Error> {
    let folder = reader.release();
    let public = PublicFacts {
        folder,
        groups: folder.tables.iter().map(|table| facts::groups(folder, table)).collect(),
        distributions,
        files,
    };
    public.keeps_its_promise()?;
    let mut pictures = Pictures::default();
    let body = html! {
        (public.head())
        (public.glance())
        div.annexes {
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
        }
    };
    Ok(Page { html: frame("Report on the release", "en", &body), pictures: pictures.0 })
}

/// A sentence whose names, in backquotes, are set apart.
fn named(sentence: &str) -> Markup {
    html! {
        @for (place, part) in sentence.split('`').enumerate() {
            @if place % 2 == 1 { em { (part) } } @else { (part) }
        }
    }
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
        self.folder
            .tables
            .iter()
            .zip(&self.groups)
            .filter_map(|(table, groups)| Some((table, groups.as_ref()?)))
    }

    /// Checks that no group shows more than the manifest promises, so that a modified release is
    /// not described.
    fn keeps_its_promise(&self) -> Result<(), Error> {
        let manifest = &self.folder.manifest;
        for (table, groups) in self.guarded() {
            let of_rules = manifest
                .rules
                .iter()
                .filter(|rule| rule.by == table.entry.name)
                .map(|rule| rule.max_posterior.as_deref());
            let single = self.is_single().then_some(manifest.guarantee.max_posterior.as_deref());
            for bound in of_rules.chain(single).flatten() {
                let (found, rows) = groups.highest;
                if is_within(Some(bound), Rational::new(found as u64, rows as u64)) != Some(false) {
                    continue;
                }
                let place = Location::file(&table.main.files[0]);
                let problem = text!(
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
    fn of_table(&self, table: &ReleasedTable) -> String {
        if self.is_single() { String::new() } else { format!(" of {}", table.entry.name) }
    }

    fn head(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let columns = counted(manifest.columns.len(), "column");
        let tables = match manifest.tables.len() {
            0 => String::new(),
            several => format!(" in {}", counted(several, "table")),
        };
        html! {
            h1 { "Report on the release" }
            @if !manifest.fit_for_publication {
                p.warning { "Not fit for publication. The notes on the guarantee say why." }
            }
            p {
                "The published data have " (counted(manifest.rows, "row")) " and " (columns) (tables) ". "
                @for (table, groups) in self.guarded() {
                    "The rows" (self.of_table(table)) " form " (counted(table.entry.groups, "group")) " of "
                    @if groups.least == groups.most { (counted(groups.least, "row")) }
                    @else { (thousands(groups.least)) " to " (counted(groups.most, "row")) }
                    ". "
                    @if groups.uniform > 0 { "In " (counted(groups.uniform, "group")) ", all rows have the same protected value. " }
                    @if groups.uniform_exempt > 0 { "In " (counted(groups.uniform_exempt, "group")) ", all rows have the same value, which is not protected. " }
                    @if groups.uniform == 0 { "The release does not say who in a group has which protected value. " }
                }
                @if let Some(history) = &manifest.history {
                    "This is release " (history.release) " of the history " (history.id) " and covers " (thousands(history.people)) @if history.people == 1 { " person. " } @else { " people. " }
                    @if history.fakes.rows > 0 {
                        "In " (counted(history.fakes.groups.len(), "group")) ", the release contains " (counted(history.fakes.rows, "filler row"))
                        ", which cannot be told apart from the rows of real people. "
                    }
                }
            }
            p {
                "A " em { "quasi-identifier" } " is a column that others may know about a person, such as age. A "
                em { "sensitive" } " column holds what nobody may learn about a person, such as a diagnosis. A " em { "reader" }
                " is anyone who has the release. All figures on this page were computed from the published files, so every reader can repeat them."
            }
        }
    }

    fn promise(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let reader = match manifest.guarantee.adversary.as_str() {
            "knows-algorithm" => {
                "a reader who knows the program, its parameters and its source code, but not its random draws"
            }
            _ => "a reader who sees the release and does not run the program again",
        };
        let rules: Vec<Vec<String>> = manifest
            .rules
            .iter()
            .map(|rule| {
                let chance = rule.max_posterior.clone().unwrap_or_else(|| "below 1".to_owned());
                vec![rule.given.join(", "), rule.protect.join(", "), rule.model.to_string(), chance]
            })
            .collect();
        html! {
            h2 { "The guarantee, word for word" }
            blockquote { (manifest.guarantee.statement) }
            dl {
                dt { "Holds against" } dd { (reader) }
                dt { "Highest chance of a correct guess" }
                dd { @match manifest.guarantee.max_posterior.as_deref() {
                    Some("1") => "no limit below 1",
                    Some(bound) => (bound),
                    None => "below 1, without a fixed limit",
                } }
                @for promise in &manifest.guarantee.readers {
                    dt { (words::reader(&promise.reader)) } dd { (promise.statement) "." }
                }
                @if !manifest.guarantee.protects.is_empty() {
                    dt { "Protects" } dd { (manifest.guarantee.protects.join("; ")) }
                }
            }
            @if !rules.is_empty() {
                (table("Rules that the release satisfies", &["a reader who knows", "must not learn", "privacy model", "highest chance"], &rules, &[]))
            }
            @if !manifest.notes.is_empty() {
                h3 { "Notes" }
                ul { @for note in &manifest.notes { li { (named(note)) } } }
            }
            h3 { "Not covered" }
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
        let values: Vec<Vec<String>> = example
            .values
            .iter()
            .map(|(value, rows, exempt)| {
                let note = if *exempt { " (not protected)" } else { "" };
                vec![format!("{value}{note}"), thousands(*rows)]
            })
            .take(20)
            .collect();
        let protects = self.protected_names(table_of);
        html! {
            h2 { "Example of a group" }
            p {
                "Group " (thousands(example.number)) (self.of_table(table_of)) " is of medium size. A reader who knows that a person is in this group of "
                (counted(example.rows, "row"))
                @match example.values.len() {
                    1 => { " sees that all of its rows have the same value of " (protects) "." }
                    several => { " sees " (thousands(several)) " different values of " (protects) ", but not which of them belongs to the person." }
                }
            }
            (table("Rows of the group", &head, &example.shown, &[]))
            @if left > 0 { p { "The table leaves out " (counted(left, "further row")) "." } }
            (table("Sensitive values of the group", &[protects.as_str(), "rows"], &values, &[1]))
        }
    }

    fn protected_names(&self, table: &ReleasedTable) -> String {
        let manifest = &self.folder.manifest;
        match &table.entry.enforces {
            Some(enforced) => enforced.protect.join(" + "),
            None => manifest
                .columns
                .iter()
                .filter(|column| column.role == Role::Sensitive.name())
                .map(|column| column.name.clone())
                .collect::<Vec<_>>()
                .join(" + "),
        }
    }

    /// Shows what analysts can learn about columns, and readers about people.
    fn learned(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        html! {
            h2 { "Learning from the release" }
            @if manifest.utility.learned.is_empty() {
                p { "Not measured. The release is too large, has too few groups or has no quasi-identifiers. Run " code { "openveil query" } " and " code { "openveil attack" } " to measure it." }
            }
            @for learned in &manifest.utility.learned {
                p {
                    "About people: the guarantee covers a reader who has no reason to think a value likelier for one person than for another. "
                    "The release itself can give such reasons, because it shows how " (learned.sensitive) " is related to the quasi-identifiers. "
                    "A reader who learns this guesses " (learned.hits()) ". "
                    @if let Some(share) = learned.above_bound { "For " (percent(share)) " of the people, this reader gives a protected value more than the guaranteed chance. " }
                    "For " (percent(learned.nearly_certain)) " of the people, the reader is nearly certain (above 90 %)."
                }
                @let rows: Vec<Vec<String>> = learned.columns.iter().map(|column| {
            let strongest = column.strongest.as_ref().map_or(String::new(), |strongest| {
                let often = if strongest.difference < 0.0 { "less" } else { "more" };
                let points = 100.0 * strongest.difference.abs();
                format!(
                    "{}: {often} often {} (by {points:.0} percentage points)",
                    strongest.known, strongest.sensitive
                )
            });
            let advice = Verdict::of(column.recovered).name();
            vec![column.column.clone(), percent(column.recovered), strongest, advice.to_owned()]
        }).collect();
                (table(&format!("About columns: how each is related to {}", learned.sensitive), &["column", "share not due to chance", "strongest deviation", "cross-tables"], &rows, &[1]))
                p { "Use " code { "openveil query --by" } " for cross-tables, " code { "openveil fit" } " for regressions and " code { "openveil complete" } " for completed tables. Each figure has an interval. Do not count the rows of the file directly: this makes associations look weaker than they are." }
            }
        }
    }

    fn omitted(&self) -> Markup {
        let omitted = &self.folder.manifest.omitted;
        html! {
            h2 { "Left out" }
            @if omitted.identifiers.is_empty() && omitted.dropped.is_empty() && omitted.rows == 0 {
                p { "All columns and rows of the table were published." }
            }
            @if !omitted.identifiers.is_empty() { p { "Columns that identify people: " (omitted.identifiers.join(", ")) "." } }
            @if !omitted.dropped.is_empty() { p { "Columns that are not needed: " (omitted.dropped.join(", ")) "." } }
            @if omitted.rows > 0 {
                p { (counted(omitted.rows, "row")) ", because:" }
                ul { @for reason in &omitted.reasons { li { (reason) } } }
            }
        }
    }

    fn parameters(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let hashes: Vec<Vec<String>> =
            self.files.iter().map(|file| vec![file.name.clone(), file.sha256.clone()]).collect();
        html! {
            h2 { "Parameters" }
            dl {
                dt { "Privacy model" } dd { (manifest.model) }
                dt { "Algorithm" }
                dd { @if self.guarded().next().is_none() { "none, because no table needed groups" } @else { (manifest.algorithm) } @if let Some(chosen_by) = &manifest.chosen_by { ", chosen by " (chosen_by) " from public facts" } }
                dt { "Style" } dd { (manifest.style) }
                @if let Some(strata) = &manifest.strata { dt { "Strata" } dd { (strata.columns.join(", ")) } }
                @if let Some(decomposition) = &manifest.decomposition { dt { "Decomposition" } dd { (decomposition) } }
                dt { "Program" } dd { "openveil " (manifest.openveil) }
            }
            @if !hashes.is_empty() {
                (table("Files and their SHA-256", &["file", "hash"], &hashes, &[]))
            }
        }
    }
}
