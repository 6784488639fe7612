//! The public page.

use super::Page;
use super::facts::{self, Groups};
use super::files::FileHash;
use super::page::{Pictures, counted, file_part, frame, table};
use super::words::{self, percent, thousands};
use crate::picture::{Bars, Series};
use crate::policy::Role;
use crate::query::{Distribution, Reader};
use crate::release_dir::read::{ReleaseFolder, ReleasedTable};
use crate::release_dir::write::manifest::{Association, CellKind};
use crate::{Error, Location};
use maud::{Markup, html};
use openveil::exact::{Rational, number};

/// The public page of a release.
pub(super) fn page(reader: &Reader, files: &[FileHash]) -> Result<Page, Error> {
    let folder = reader.release();
    let public = Public {
        folder,
        groups: folder
            .tables
            .iter()
            .map(|table| facts::groups(folder, table))
            .collect(),
        distributions: reader.distributions(),
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
        (public.association(&mut pictures))
        (public.analyses())
        (public.cells())
        (public.parameters())
    };
    Ok(Page {
        html: frame("Report on a release", &body),
        pictures: pictures.0,
    })
}

/// A release, and what was counted in it.
struct Public<'a> {
    folder: &'a ReleaseFolder,
    /// One for each table; none for those without groups.
    groups: Vec<Option<Groups>>,
    distributions: Vec<Distribution>,
    files: &'a [FileHash],
}

impl Public<'_> {
    fn guarded(&self) -> impl Iterator<Item = (&ReleasedTable, &Groups)> {
        let tables = self.folder.tables.iter().zip(&self.groups);
        tables.filter_map(|(table, groups)| Some((table, groups.as_ref()?)))
    }

    /// No group shows more than the manifest promises: one that was changed is not described.
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
                let Some(promised) = number::parse(bound) else {
                    continue;
                };
                if Rational::new(found as u64, rows as u64) <= promised {
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

    /// ` of table-2`, where there are several.
    fn of(&self, table: &ReleasedTable) -> String {
        match self.is_single() {
            true => String::new(),
            false => format!(" of {}", table.entry.name),
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
                    @if groups.uniform == 0 { ": the release does not say who in a group has which of its protected values. " }
                    @else { "; in " (thousands(groups.uniform)) " of them all rows have the same protected value. " }
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
        let values = example
            .values
            .iter()
            .map(|(value, rows)| vec![value.clone(), thousands(*rows)]);
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
            (table("Its protected values", &[protects.as_str(), "rows"], &values, &[1]))
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

    /// The three questions of Opinion 05/2014 of the European data protection authorities.
    fn questions(&self) -> Markup {
        html! {
            h2 { "Three questions of the European regulators" }
            p { "Opinion 05/2014 on anonymisation techniques (WP 216) asks three things of every release." }
            h3 { "Singling out: can somebody's row be told from all others?" }
            @for (table, groups) in self.guarded() { p { (self.singling_out(table, groups)) } }
            @for table in self.folder.tables.iter().filter(|table| table.groups.is_none()) {
                p { (self.singled_out_of_open(table)) }
            }
            h3 { "Linkability: can rows about somebody in two files be put together?" }
            @for (table, groups) in self.guarded() {
                p {
                    "By known columns, another file about the same people can be linked to groups" (self.of(table)) ": to "
                    (counted(groups.least, "row")) " at least, whose protected values stand beside all of them together. "
                    "Two releases of the same people would narrow that down; this page is about one."
                }
            }
            @for table in self.folder.tables.iter().filter(|table| table.groups.is_none()) {
                p { "The rows of " (table.entry.name) " are exact: another file with " (table.entry.columns.join(", ")) " can be linked to them row by row, and no key links them to the other tables." }
            }
            h3 { "Inference: can somebody's protected value be concluded?" }
            p { "The promise above is the answer, as far as there is one." }
            @for (table, groups) in self.guarded() {
                p {
                    "Counted in the files" (self.of(table)) ": no protected value makes up more than "
                    (groups.highest.0) " of " (counted(groups.highest.1, "row")) " in any group ("
                    (percent(groups.highest.0 as f64 / groups.highest.1 as f64))
                    "). In the whole table, the most frequent one makes up " (percent(groups.commonest)) "."
                }
            }
        }
    }

    fn singling_out(&self, table: &ReleasedTable, groups: &Groups) -> String {
        let unique = facts::unique_rows(self.folder, table);
        let kinds: Vec<CellKind> = self.known_kinds(table);
        let of = self.of(table);
        match unique {
            Some(unique) => format!(
                "Known columns stand in whole rows{of}, as they are: {} of {} have known values that no other row has. Such a row shows that a person with these values is in the table, which counts as known; what is protected belongs to a group of at least {}.",
                thousands(unique),
                counted(table.main.rows, "row"),
                counted(groups.least, "row"),
            ),
            None if kinds.iter().all(|kind| kind.is_range()) => format!(
                "Not by known columns: every row{of} reads like at least {} in all of them.",
                counted(groups.least.saturating_sub(1), "other"),
            ),
            None if groups.least == 1 => format!(
                "Some rows{of} stand alone in their group, where nothing is exchanged: they are as they were."
            ),
            None => format!(
                "No row{of} is a person's: values are exchanged inside of groups of at least {}, column by column. A rare value of a known column still shows that somebody has it.",
                counted(groups.least, "row"),
            ),
        }
    }

    fn known_kinds(&self, table: &ReleasedTable) -> Vec<CellKind> {
        let columns = self.folder.manifest.columns.iter();
        let own = columns.filter(|column| {
            table.entry.columns.contains(&column.name)
                && !table.is_secret(&column.name)
                && column.role != Role::Sensitive.name()
        });
        own.map(|column| column.cell_kind(self.folder.style))
            .collect()
    }

    fn singled_out_of_open(&self, table: &ReleasedTable) -> String {
        let columns = table.entry.columns.join(", ");
        format!(
            "The rows of {} ({columns}) are published as they are, in a random order: a row may be one person's alone. Nothing in the other files is joined to it by a key.",
            table.entry.name
        )
    }

    fn sizes(&self, pictures: &mut Pictures) -> Markup {
        html! {
            @if self.guarded().next().is_some() { h2 { "How large the groups are" } }
            @for (table, groups) in self.guarded() {
                (pictures.bars(&format!("group-sizes-{}", table.entry.name), "rows of a group", &Bars {
                    title: format!("Groups{} by size", self.of(table)),
                    names: groups.sizes.iter().map(|(name, _)| name.clone()).collect(),
                    series: vec![whole("groups", groups.sizes.iter().map(|(_, count)| *count))],
                    most: None,
                }))
                (pictures.bars(&format!("highest-shares-{}", table.entry.name), "share", &Bars {
                    title: format!("Groups{} by the share of their most frequent protected value", self.of(table)),
                    names: (0..groups.shares.len()).map(|tenth| format!("up to {} %", 10 * (tenth + 1))).collect(),
                    series: vec![whole("groups", groups.shares.iter().copied())],
                    most: None,
                }))
            }
        }
    }

    fn columns(&self, pictures: &mut Pictures) -> Markup {
        let manifest = &self.folder.manifest;
        html! {
            h2 { "Every column" }
            @for column in &manifest.columns {
                @let kind = column.cell_kind(self.folder.style);
                h3 { (column.name) }
                p {
                    (words::role(&column.role)) "; " (column.value_type.as_deref().unwrap_or("text")) "; published as: " (words::cells(kind)) "."
                    @if let Some(extent) = manifest.utility.mean_extent.get(&column.name) {
                        " On average, a cell spans " (percent(*extent)) " of all values."
                    }
                    @if let Some(limits) = self.limits(&column.name) { " In this column, " (limits) "." }
                }
                @if let Some(found) = self.distributions.iter().find(|d| d.column == column.name) {
                    (pictures.bars(&format!("column-{}", file_part(&column.name)), &column.name, &Bars {
                        title: format!("{}: rows, as the release shows them", column.name),
                        names: found.names.clone(),
                        series: vec![rounded("rows", &found.rows)],
                        most: None,
                    }))
                }
            }
        }
    }

    /// What numbers of a column stand for that has limits.
    fn limits(&self, name: &str) -> Option<String> {
        let mut columns = self.folder.manifest.columns.iter();
        let column = columns.find(|column| column.name == name)?;
        let top = column
            .top
            .as_ref()
            .map(|top| format!("{top} stands for all from {top} on"));
        let bottom = column
            .bottom
            .as_ref()
            .map(|least| format!("{least} stands for all up to {least}"));
        let said: Vec<String> = bottom.into_iter().chain(top).collect();
        (!said.is_empty()).then(|| said.join(", "))
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

    fn association(&self, pictures: &mut Pictures) -> Markup {
        let shown = &self.folder.manifest.utility.association;
        html! {
            @if !shown.is_empty() {
                h2 { "How columns go with what is protected" }
                p { "What the release still shows: 0 where it shows no link, 1 for the closest there can be. Grouping weakens links; how strong they were before is not public." }
                @for (number, shown) in shown.iter().enumerate() { (association(pictures, number, shown)) }
            }
        }
    }

    fn analyses(&self) -> Markup {
        let manifest = &self.folder.manifest;
        let secret = |name: &str| self.folder.tables.iter().any(|table| table.is_secret(name));
        let mut rows: Vec<Vec<String>> = Vec::new();
        for found in &self.distributions {
            let (what, answer) = match typical_error(found) {
                _ if secret(&found.column) => ("frequencies of", "exact".to_owned()),
                0.0 => ("counts by", "exact".to_owned()),
                error => (
                    "counts by",
                    format!("usually within {} of the count", percent(error)),
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
                let what = format!("how {column} goes with {}", shown.sensitive);
                rows.push(vec![
                    what,
                    format!("{strength:.2} of 1 is still shown ({})", shown.measure),
                ]);
            }
        }
        html! {
            h2 { "Which analyses survive" }
            p { "Errors are two standard deviations of a typical count, if a row is as likely to be anywhere in what its cell covers; where values cluster inside of cells, they are larger. `openveil query` gives an estimate and its error for any count." }
            (table("What can be asked, and how well it is answered", &["question", "answer"], &rows, &[]))
        }
    }

    fn cells(&self) -> Markup {
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
                dt { "group" } dd { "the number of the row's group; groups are numbered by what is published of them." }
                dt { "(missing)" } dd { "no value was known." }
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

fn association(pictures: &mut Pictures, number: usize, shown: &Association) -> Markup {
    pictures.bars(
        &format!("association-{}", number + 1),
        "column",
        &Bars {
            title: format!(
                "How columns go with {} ({})",
                shown.sensitive, shown.measure
            ),
            names: shown.strength.keys().cloned().collect(),
            series: vec![Series {
                name: "strength".to_owned(),
                values: shown.strength.values().copied().collect(),
                texts: shown
                    .strength
                    .values()
                    .map(|strength| format!("{strength:.3}"))
                    .collect(),
            }],
            most: Some(1.0),
        },
    )
}

/// Two standard deviations of the count in the middle, over that count; empty parts have
/// no errors.
fn typical_error(found: &Distribution) -> f64 {
    let parts = found.rows.iter().zip(&found.deviations);
    let mut errors: Vec<f64> = parts
        .filter(|(rows, _)| **rows > 0.0)
        .map(|(rows, deviation)| 2.0 * deviation / rows)
        .collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied().unwrap_or(0.0)
}

/// Counts that are whole.
fn whole(name: &str, values: impl Iterator<Item = usize> + Clone) -> Series {
    Series {
        name: name.to_owned(),
        values: values.clone().map(|value| value as f64).collect(),
        texts: values.map(thousands).collect(),
    }
}

/// Estimated counts, as whole numbers.
pub(super) fn rounded(name: &str, values: &[f64]) -> Series {
    Series {
        name: name.to_owned(),
        values: values.to_vec(),
        texts: values
            .iter()
            .map(|value| thousands(value.round() as usize))
            .collect(),
    }
}
