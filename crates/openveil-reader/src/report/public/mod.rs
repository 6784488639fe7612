//! The public page.

mod columns;
mod glance;
mod questions;

pub(in crate::report) use columns::{association_title, rounded, strengths};

use super::Page;
use super::facts::{self, GroupFacts};
use super::page::{Pictures, frame, said, table};
use super::words::{
    self, COLUMNS, FILLERS, FURTHER, GROUPS, PEOPLE, ROWS, TABLES, counted_in, number, whole_share,
};
use crate::query::{ColumnDistribution, Reader};
use maud::{Markup, html};
use openveil_analysis::Verdict;
use openveil_core::exact::Rational;
use openveil_io::policy::Role;
use openveil_io::release_dir::FileHash;
use openveil_io::release_dir::read::{ReleaseFolder, ReleasedTable};
use openveil_io::release_dir::write::manifest::{LearnedEntry, is_within};
use openveil_io::{Error, Location};
use openveil_text::{Language, Text, text};

/// The public page of a release in the language that is spoken, whose distributions are known.
pub(super) fn page(
    reader: &Reader,
    distributions: &[ColumnDistribution],
    files: &[FileHash],
    language: Language,
) -> Result<Page, Error> {
    let folder = reader.release();
    let public = PublicFacts {
        folder,
        groups: folder.tables.iter().map(|table| facts::groups(folder, table)).collect(),
        distributions,
        files,
        language,
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
            (public.parameters())
        }
    };
    Ok(Page { html: frame(text!("Report on the release"), language, &body), pictures: pictures.0 })
}

fn row_count(rows: usize) -> Text {
    counted_in(rows as u128, ROWS)
}

/// A release, and the counts from its files.
struct PublicFacts<'a> {
    folder: &'a ReleaseFolder,
    /// One for each table; none for a table without groups.
    groups: Vec<Option<GroupFacts>>,
    distributions: &'a [ColumnDistribution],
    files: &'a [FileHash],
    language: Language,
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
    fn of_table(&self, table: &ReleasedTable) -> Text {
        if self.is_single() { Text::default() } else { text!(" of {}", table.entry.name) }
    }

    fn head(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let (rows, columns) =
            (row_count(manifest.rows), counted_in(manifest.columns.len() as u128, COLUMNS));
        let mut sentences = vec![match manifest.tables.len() {
            0 => text!("The published data have {rows:text} and {columns:text}."),
            several => {
                let tables = counted_in(several as u128, TABLES);
                text!("The published data have {rows:text} and {columns:text} in {tables:text}.")
            }
        }];
        for (table, groups) in self.guarded() {
            sentences.extend(self.group_sentences(table, groups));
        }
        if let Some(history) = &manifest.history {
            let people = counted_in(history.people as u128, PEOPLE);
            sentences.push(text!(
                "This is release {} of the history {} and covers {people:text}.",
                history.release,
                history.id
            ));
            if history.fakes.rows > 0 {
                let groups = counted_in(history.fakes.groups.len() as u128, GROUPS);
                let rows = counted_in(history.fakes.rows as u128, FILLERS);
                sentences.push(text!("In {groups:text}, the release contains {rows:text}, which cannot be told apart from the rows of real people."));
            }
        }
        html! {
            h1 { (text!("Report on the release")) }
            @if !manifest.fit_for_publication {
                p.warning { (text!("Not fit for publication. The notes on the guarantee say why.")) }
            }
            p { @for sentence in sentences { (sentence) " " } }
            p { (text!("A quasi-identifier is a column that others may know about a person, such as age. A sensitive column holds what nobody may learn about a person, such as a diagnosis. A reader is anyone who has the release. All figures on this page were computed from the published files, so every reader can repeat them.")) }
        }
    }

    /// Says how large the groups of a table are, and whether they show whose value is whose.
    fn group_sentences(&self, table: &ReleasedTable, groups: &GroupFacts) -> Vec<Text> {
        let count = |groups: usize| counted_in(groups as u128, GROUPS);
        let (of, made) = (self.of_table(table), count(table.entry.groups));
        let most = row_count(groups.most);
        let mut sentences = vec![if groups.least == groups.most {
            text!("The rows{of:text} form {made:text} of {most:text}.")
        } else {
            let least = number(groups.least);
            text!("The rows{of:text} form {made:text} of {least:text} to {most:text}.")
        }];
        if groups.uniform > 0 {
            let groups = count(groups.uniform);
            sentences.push(text!("In {groups:text}, all rows have the same protected value."));
        }
        if groups.uniform_exempt > 0 {
            let groups = count(groups.uniform_exempt);
            sentences.push(text!(
                "In {groups:text}, all rows have the same value, which is not protected."
            ));
        }
        if groups.uniform == 0 {
            sentences
                .push(text!("The release does not say who in a group has which protected value."));
        }
        sentences
    }

    fn promise(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let guarantee = &manifest.guarantee;
        let reader = match guarantee.adversary.as_str() {
            "knows-algorithm" => text!(
                "a reader who knows the program, its parameters and its source code, but not its random draws"
            ),
            _ => text!("a reader who sees the release and does not run the program again"),
        };
        let rules: Vec<Vec<Text>> = manifest
            .rules
            .iter()
            .map(|rule| {
                let chance =
                    rule.max_posterior.clone().map_or_else(|| text!("below 1"), Text::from);
                let known =
                    [rule.given.join(", "), rule.protect.join(", "), rule.model.to_string()];
                known.map(Text::from).into_iter().chain([chance]).collect()
            })
            .collect();
        let head = [
            text!("a reader who knows"),
            text!("must not learn"),
            text!("privacy model"),
            text!("highest chance"),
        ];
        html! {
            h2 { (text!("The guarantee, word for word")) }
            (self.statement(&guarantee.statement, guarantee.statement_de.as_deref()))
            dl {
                dt { (text!("Holds against")) } dd { (reader) }
                dt { (text!("Highest chance of a correct guess")) }
                dd { @match guarantee.max_posterior.as_deref() {
                    Some("1") => (text!("no limit below 1")),
                    Some(bound) => (bound),
                    None => (text!("below 1, without a fixed limit")),
                } }
                @for promise in &guarantee.readers {
                    dt { (words::reader(&promise.reader)) }
                    dd { (self.statement(&promise.statement, promise.statement_de.as_deref())) }
                }
                @if !guarantee.protects.is_empty() {
                    dt { (text!("Protects")) } dd { (guarantee.protects.join("; ")) }
                }
            }
            @if !rules.is_empty() { (table(text!("Rules that the release satisfies"), &head, &rules, &[])) }
            @if !manifest.notes.is_empty() {
                h3 { (text!("Notes, in the words of the release")) }
                (as_published(&manifest.notes))
            }
            h3 { (text!("Not covered")) }
            ul { @for words in words::not_promised(manifest, self.folder.style) { li { (words) } } }
        }
    }

    /// Quotes the words of a promise, which are English and binding, below those of the page's
    /// language.
    fn statement(&self, words: &str, german: Option<&str>) -> Markup {
        html! {
            @if self.language == Language::German {
                @if let Some(german) = german { p { (german.trim_end_matches('.')) "." } }
                p { "Maßgeblich ist der englische Wortlaut:" }
            }
            blockquote lang="en" { (words) }
        }
    }

    fn example(&self) -> Markup {
        let Some((table_of, groups)) = self.guarded().next() else {
            return html! {};
        };
        let example = &groups.example;
        let left = example.rows - example.shown.len();
        let values: Vec<Vec<Text>> = example
            .values
            .iter()
            .map(|(value, rows, exempt)| {
                let value =
                    if *exempt { text!("{value} (not protected)") } else { value.clone().into() };
                vec![value, number(rows)]
            })
            .take(20)
            .collect();
        let protects = self.protected_names(table_of);
        let (group, of, rows) =
            (number(example.number), self.of_table(table_of), row_count(example.rows));
        let seen = match example.values.len() {
            1 => text!(
                "Group {group:text}{of:text} is of medium size. A reader who knows that a person is in this group of {rows:text} sees that all of its rows have the same value of {protects}."
            ),
            several => text!(
                "Group {group:text}{of:text} is of medium size. A reader who knows that a person is in this group of {rows:text} sees {:text} different values of {protects}, but not which of them belongs to the person.",
                number(several)
            ),
        };
        html! {
            h2 { (text!("Example of a group")) }
            p { (seen) }
            (table(text!("Rows of the group"), &example.columns, &example.shown, &[]))
            @if left > 0 { p { (text!("The table leaves out {:text}.", counted_in(left as u128, FURTHER))) } }
            (table(text!("Sensitive values of the group"), &[protects.into(), text!("rows")], &values, &[1]))
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
        let learned = &self.folder.manifest.utility.learned;
        html! {
            h2 { (text!("Learning from the release")) }
            @if learned.is_empty() {
                p { (said(text!("Not measured. The release is too large, has too few groups or has no quasi-identifiers. Run `openveil query` and `openveil attack` to measure it."))) }
            }
            @for learned in learned { (learned_of(learned)) }
        }
    }

    fn omitted(&self) -> Markup {
        let omitted = &self.folder.manifest.omitted;
        html! {
            h2 { (text!("Left out")) }
            @if omitted.identifiers.is_empty() && omitted.dropped.is_empty() && omitted.rows == 0 {
                p { (text!("All columns and rows of the table were published.")) }
            }
            @if !omitted.identifiers.is_empty() { p { (text!("Columns that identify people: {}.", omitted.identifiers.join(", "))) } }
            @if !omitted.dropped.is_empty() { p { (text!("Columns that are not needed: {}.", omitted.dropped.join(", "))) } }
            @if omitted.rows > 0 {
                p { (text!("{:text}, with these reasons in the words of the release:", row_count(omitted.rows))) }
                (as_published(&omitted.reasons))
            }
        }
    }

    fn parameters(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let hashes: Vec<Vec<String>> =
            self.files.iter().map(|file| vec![file.name.clone(), file.sha256.clone()]).collect();
        let algorithm = match &manifest.chosen_by {
            _ if self.guarded().next().is_none() => text!("none, because no table needed groups"),
            Some(chooser) => {
                text!("{}, chosen by {chooser} from public facts", manifest.algorithm)
            }
            None => manifest.algorithm.clone().into(),
        };
        html! {
            h2 { (text!("Parameters")) }
            dl {
                dt { (text!("Privacy model")) } dd { (manifest.model) }
                dt { (text!("Algorithm")) } dd { (algorithm) }
                dt { (text!("Style")) } dd { (manifest.style) }
                @if let Some(strata) = &manifest.strata { dt { (text!("Strata")) } dd { (strata.columns.join(", ")) } }
                @if let Some(decomposition) = &manifest.decomposition { dt { (text!("Decomposition")) } dd { (decomposition) } }
                dt { (text!("Program")) } dd { "openveil " (manifest.openveil) }
            }
            @if !hashes.is_empty() {
                (table(text!("Files and their SHA-256"), &[text!("file"), text!("hash")], &hashes, &[]))
            }
        }
    }
}

/// Lists statements in the manifest's words, which are English.
fn as_published(statements: &[String]) -> Markup {
    html! { ul lang="en" { @for own in statements { li { (said(own)) } } } }
}

/// Shows how well a reader who learns from the release guesses, and how each column goes with the
/// sensitive one.
fn learned_of(learned: &LearnedEntry) -> Markup {
    let sensitive = &learned.sensitive;
    let rows: Vec<Vec<Text>> = learned
        .columns
        .iter()
        .map(|column| {
            let strongest = column.strongest.as_ref().map_or_else(Text::default, |own| {
                let points = Text::number(format!("{:.0}", 100.0 * own.difference.abs()));
                if own.difference < 0.0 {
                    text!(
                        "{}: less often {} (by {points:text} percentage points)",
                        own.known,
                        own.sensitive
                    )
                } else {
                    text!(
                        "{}: more often {} (by {points:text} percentage points)",
                        own.known,
                        own.sensitive
                    )
                }
            });
            let advice = Verdict::of(column.recovered).name();
            vec![
                column.column.clone().into(),
                whole_share(column.recovered),
                strongest,
                advice.into(),
            ]
        })
        .collect();
    let head = [
        text!("column"),
        text!("share not due to chance"),
        text!("strongest deviation"),
        text!("cross-tables"),
    ];
    html! {
        p {
            (text!("About people: the guarantee covers a reader who has no reason to think a value likelier for one person than for another. The release itself can give such reasons, because it shows how {sensitive} is related to the quasi-identifiers. A reader who learns this guesses {:text}.", learned.hits()))
            @if let Some(share) = learned.above_bound { " " (text!("For {:text} of the people, this reader gives a protected value more than the guaranteed chance.", whole_share(share))) }
            " " (text!("For {:text} of the people, the reader is nearly certain (above 90 %).", whole_share(learned.nearly_certain)))
        }
        (table(text!("About columns: how each is related to {sensitive}"), &head, &rows, &[1]))
        p { (said(text!("Use `openveil query --by` for cross-tables, `openveil fit` for regressions and `openveil complete` for completed tables. Each figure has an interval. Do not count the rows of the file directly: this makes associations look weaker than they are."))) }
    }
}
