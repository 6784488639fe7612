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
            h2 { "Three questions of the European data protection authorities" }
            p { "Opinion 05/2014 on anonymisation techniques (WP 216) asks three questions about every release." }
            h3 { "Singling out: can a person's row be told apart from all others?" }
            @for (table, groups) in self.guarded() { p { (self.singling_out(table, groups)) } }
            @for table in self.folder.tables.iter().filter(|table| table.groups.is_none()) {
                p { (self.singled_out_of_open(table)) }
            }
            h3 { "Linkability: can rows about the same person in two files be linked?" }
            @for (table, groups) in self.guarded() {
                p {
                    "Another file about the same people can be linked to groups" (self.of_table(table)) " by the quasi-identifiers. Each group has at least "
                    (counted(groups.least, "row")) ", and its protected values belong to the group as a whole. "
                    (filler_rows(groups))
                    "Two releases about the same people can narrow this down; this page covers one release."
                }
            }
            @for table in self.folder.tables.iter().filter(|table| table.groups.is_none()) {
                p { "The rows of " (table.entry.name) " are exact. Another file with " (table.entry.columns.join(", ")) " can be linked to them row by row. Only columns that two tables share link them to the other tables." }
            }
            h3 { "Inference: can a person's sensitive value be inferred?" }
            p { "The guarantee above answers this question, within its limits." }
            @for (table, groups) in self.guarded() {
                p {
                    "The highest share of a protected value in a group" (self.of_table(table)) ", counted in the files, is "
                    (groups.highest.0) " of " (counted(groups.highest.1, "row")) " ("
                    (percent(groups.highest.0 as f64 / groups.highest.1 as f64))
                    "). In the whole table, the most frequent protected value has a share of " (percent(groups.commonest)) "."
                }
            }
        }
    }

    fn singling_out(&self, table: &ReleasedTable, groups: &GroupFacts) -> String {
        let unique = facts::unique_rows(self.folder, table);
        let kinds: Vec<CellKind> = self.known_kinds(table);
        let of = self.of_table(table);
        match unique {
            Some(unique) => format!(
                "The quasi-identifiers{of} are published row by row with exact values. {} of {} have a combination that no other row has. Such a row shows that a person with these values is in the table, which the guarantee assumes to be known. The protected values belong to groups of at least {}.",
                thousands(unique),
                counted(table.main.rows, "row"),
                counted(groups.least, "row"),
            ),
            None if kinds.iter().all(|kind| kind.is_range()) && groups.fewest < groups.least => {
                format!(
                    "Every row{of} has the same quasi-identifiers as at least {}. {}",
                    counted(groups.least.saturating_sub(1), "other"),
                    filler_rows(groups),
                )
            }
            None if kinds.iter().all(|kind| kind.is_range()) => format!(
                "Not by quasi-identifiers: every row{of} has the same quasi-identifiers as at least {}.",
                counted(groups.least.saturating_sub(1), "other"),
            ),
            None if groups.least == 1 => format!(
                "Some rows{of} are alone in their group. Nothing is exchanged there, so these rows are unchanged."
            ),
            None => format!(
                "No row{of} belongs to one person: values are exchanged within groups of at least {}, column by column. A rare value of a quasi-identifier still shows that someone has it.",
                counted(groups.least, "row"),
            ),
        }
    }

    fn known_kinds(&self, table: &ReleasedTable) -> Vec<CellKind> {
        self.folder
            .manifest
            .columns
            .iter()
            .filter(|column| {
                table.entry.columns.contains(&column.name)
                    && !table.is_secret(&column.name)
                    && column.role != Role::Sensitive.name()
            })
            .map(|column| column.cell_kind(self.folder.style))
            .collect()
    }

    fn singled_out_of_open(&self, table: &ReleasedTable) -> String {
        let columns = table.entry.columns.join(", ");
        format!(
            "The rows of {} ({columns}) are published unchanged, in random order. A row may belong to a single person. Only the columns that it shares with other tables link it to them.",
            table.entry.name
        )
    }
}

/// Says how many people a group has, if some rows are filler rows.
fn filler_rows(groups: &GroupFacts) -> String {
    match groups.fewest {
        fewest if fewest >= groups.least => String::new(),
        1 => "In some groups, all rows but one are filler rows (`history.fakes` in manifest.json). The quasi-identifiers there belong to one person. ".to_owned(),
        fewest => format!("Some rows are filler rows. A group with real people has at least {fewest} of them. "),
    }
}
