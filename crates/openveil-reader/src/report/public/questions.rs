//! Three questions of the European regulators, answered for a release.

use super::PublicFacts;
use crate::picture::percent;
use crate::report::facts::{self, GroupFacts};
use crate::report::page::counted;
use crate::report::words::thousands;
use maud::{Markup, html};
use openveil_io::policy::Role;
use openveil_io::release_dir::read::ReleasedTable;
use openveil_io::release_dir::write::manifest::CellKind;

impl PublicFacts<'_> {
    /// The three questions of Opinion 05/2014 of the European data protection authorities.
    pub(super) fn questions(&self) -> Markup {
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
                    (nobodys_rows(groups))
                    "Two releases of the same people would narrow that down; this page is about one."
                }
            }
            @for table in self.folder.tables.iter().filter(|table| table.groups.is_none()) {
                p { "The rows of " (table.entry.name) " are exact: another file with " (table.entry.columns.join(", ")) " can be linked to them row by row. To the other tables, they are linked by the columns that both have, and by nothing else." }
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

    fn singling_out(&self, table: &ReleasedTable, groups: &GroupFacts) -> String {
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
            None if kinds.iter().all(|kind| kind.is_range()) && groups.fewest < groups.least => {
                format!(
                    "Every row{of} reads like at least {} in all known columns. {}",
                    counted(groups.least.saturating_sub(1), "other"),
                    nobodys_rows(groups),
                )
            }
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
            "The rows of {} ({columns}) are published as they are, in a random order: a row may be one person's alone. Only the columns that it shares with other tables join it to them.",
            table.entry.name
        )
    }
}

/// Says how many people a group has, if some rows are filler rows.
fn nobodys_rows(groups: &GroupFacts) -> String {
    match groups.fewest {
        fewest if fewest >= groups.least => String::new(),
        1 => "In some groups all rows but one are nobody's (`history.fakes` in manifest.json): what is known there is one person's. ".to_owned(),
        fewest => format!("Some rows are nobody's: a group that has anybody has {fewest} people at least. "),
    }
}
