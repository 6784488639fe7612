//! Three questions of the European regulators, answered for a release.

use super::{PublicFacts, row_count};
use crate::report::facts::{self, GroupFacts};
use crate::report::words::{counted_in, number, share};
use maud::{Markup, html};
use openveil_io::policy::Role;
use openveil_io::release_dir::read::ReleasedTable;
use openveil_io::release_dir::write::manifest::CellKind;
use openveil_text::{Text, text};

/// Words for other rows, of [`counted_in`].
const OTHERS: [&str; 2] = ["1 other", "{0:text} others"];

impl PublicFacts<'_> {
    /// The three questions of Opinion 05/2014 of the European data protection authorities.
    pub(super) fn questions(&self) -> Markup {
        let open = || self.folder.tables.iter().filter(|table| table.groups.is_none());
        html! {
            h2 { (text!("Three questions of the European data protection authorities")) }
            p { (text!("Opinion 05/2014 on anonymisation techniques (WP 216) asks three questions about every release.")) }
            h3 { (text!("Singling out: can a person's row be told apart from all others?")) }
            @for (table, groups) in self.guarded() { p { (self.singling_out(table, groups)) } }
            @for table in open() {
                p { (text!("The rows of {} ({}) are published unchanged, in random order. A row may belong to a single person. Only the columns that it shares with other tables link it to them.", table.entry.name, table.entry.columns.join(", "))) }
            }
            h3 { (text!("Linkability: can rows about the same person in two files be linked?")) }
            @for (table, groups) in self.guarded() {
                p {
                    (text!("Another file about the same people can be linked to groups{:text} by the quasi-identifiers. Each group has at least {:text}, and its protected values belong to the group as a whole.", self.of_table(table), row_count(groups.least)))
                    (filler_rows(groups))
                    " " (text!("Two releases about the same people can narrow this down; this page covers one release."))
                }
            }
            @for table in open() {
                p { (text!("The rows of {} are exact. Another file with {} can be linked to them row by row. Only columns that two tables share link them to the other tables.", table.entry.name, table.entry.columns.join(", "))) }
            }
            h3 { (text!("Inference: can a person's sensitive value be inferred?")) }
            p { (text!("The guarantee above answers this question, within its limits.")) }
            @for (table, groups) in self.guarded() {
                @let (highest, size) = groups.highest;
                p { (text!("The highest share of a protected value in a group{:text}, counted in the files, is {:text} of {:text} ({:text}). In the whole table, the most frequent protected value has a share of {:text}.", self.of_table(table), number(highest), row_count(size), share(highest as f64 / size as f64), share(groups.commonest))) }
            }
        }
    }

    fn singling_out(&self, table: &ReleasedTable, groups: &GroupFacts) -> Text {
        let unique = facts::unique_rows(self.folder, table);
        let of = self.of_table(table);
        let least = row_count(groups.least);
        if let Some(unique) = unique {
            let (unique, rows) = (number(unique), row_count(table.main.rows));
            return text!(
                "The quasi-identifiers{of:text} are published row by row with exact values. {unique:text} of {rows:text} have a combination that no other row has. Such a row shows that a person with these values is in the table, which the guarantee assumes to be known. The protected values belong to groups of at least {least:text}."
            );
        }
        if self.known_kinds(table).iter().all(|kind| kind.is_range()) {
            let others = counted_in(groups.least.saturating_sub(1) as u128, OTHERS);
            return if groups.fewest < groups.least {
                text!(
                    "Every row{of:text} has the same quasi-identifiers as at least {others:text}."
                )
                .and(filler_rows(groups))
            } else {
                text!(
                    "Not by quasi-identifiers: every row{of:text} has the same quasi-identifiers as at least {others:text}."
                )
            };
        }
        if groups.least == 1 {
            return text!(
                "Some rows{of:text} are alone in their group. Nothing is exchanged there, so these rows are unchanged."
            );
        }
        text!(
            "No row{of:text} belongs to one person: values are exchanged within groups of at least {least:text}, column by column. A rare value of a quasi-identifier still shows that someone has it."
        )
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
}

/// Says how many people a group has, if some rows are filler rows.
fn filler_rows(groups: &GroupFacts) -> Text {
    match groups.fewest {
        fewest if fewest >= groups.least => Text::default(),
        1 => text!(
            " In some groups, all rows but one are filler rows. The quasi-identifiers there belong to one person."
        ),
        fewest => text!(
            " Some rows are filler rows. A group with real people has at least {fewest} of them."
        ),
    }
}
