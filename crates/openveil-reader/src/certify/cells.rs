//! Checks cells: equal within a group if ranges are shown, and of the column's type.

use super::columns::{are_leaves_known, parts};
use super::{Finding, RunningCheck};
use openveil_core::table::Groups;
use openveil_io::release_dir::read::{GroupedRows, ReleasedTable};
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry};
use openveil_io::source::{RawColumn, RawTable};

impl RunningCheck<'_> {
    /// Checks the cells of a table.
    pub(super) fn cells(&mut self, table: &ReleasedTable) {
        let strata = table.entry.strata.as_ref();
        for (raw, column) in table.columns() {
            let kind = self.kind(&column.name);
            let is_range = kind.is_some_and(CellKind::is_range) && !table.is_secret(&column.name);
            let is_constant =
                is_range || strata.is_some_and(|strata| strata.columns.contains(&column.name));
            if let Some(groups) = &table.groups
                && is_constant
                && table.is_main(raw)
            {
                if is_range {
                    self.is_constant(
                        raw,
                        column,
                        (groups.classes(), &|class| groups.group_of(class)),
                    );
                } else {
                    self.is_constant(raw, column, (&groups.rows, &|group| group));
                }
            }
            // With rules, the kind of a column applies to the table in which it is known.
            self.is_typed(raw, column, kind.is_none_or(CellKind::is_range));
            if let Some(groups) = table.groups.as_ref().filter(|_| is_range && table.is_main(raw)) {
                self.is_set(raw, column, groups);
            }
        }
    }

    fn entry(&self, name: &str) -> Option<&ColumnEntry> {
        self.manifest.columns.iter().find(|entry| entry.name == name)
    }

    /// A set has each member once, and no more than its class has rows.
    fn is_set(&mut self, raw: &RawTable, column: &RawColumn, groups: &GroupedRows) {
        let Some(entry) = self.entry(&column.name) else {
            return;
        };
        let is_impossible = |rows: &&[u32]| {
            let text = column.values.get(column.codes[rows[0] as usize]);
            let mut members = parts(entry, text);
            let all = members.len();
            members.sort_unstable();
            members.dedup();
            members.len() < all || all > rows.len()
        };
        let Some(class) = groups.classes().iter().position(|rows| is_impossible(&rows)) else {
            return;
        };
        let group = groups.group_of(class);
        // Values of other columns may contain bars, which would split them here.
        let has_bars = !is_ruled(entry) && !are_leaves_known(entry);
        let problem = "the set has more members than rows that show it, or one of them twice";
        if has_bars {
            self.leaves(format!(
                "`{}` of group {}: {problem}, unless values have bars in them",
                column.name,
                group + 1
            ))
        } else {
            self.find(Finding {
                group: Some(group + 1),
                ..of_column(raw, column, problem.to_owned())
            })
        }
    }

    /// The kind of a column's cells, by the manifest.
    pub(super) fn kind(&self, name: &str) -> Option<CellKind> {
        let entry = self.entry(name)?;
        Some(entry.cell_kind(self.reader.release().style))
    }

    /// Checks that rows which are shown alike show one cell; also says which group they are in.
    fn is_constant(
        &mut self,
        raw: &RawTable,
        column: &RawColumn,
        (alike, group_of): (&Groups, &dyn Fn(usize) -> usize),
    ) {
        let mut differing = alike.iter().enumerate().filter_map(|(group, rows)| {
            let code = |row: u32| column.codes[row as usize];
            rows.iter().find(|&&row| code(row) != code(rows[0])).map(|&row| (group_of(group), row))
        });
        let Some((group, row)) = differing.next() else {
            return;
        };
        let more = match differing.count() {
            0 => String::new(),
            more => format!("; so do those of {more} more"),
        };
        self.find(Finding {
            group: Some(group + 1),
            row: Some(row as usize + 1),
            ..of_column(raw, column, format!("the rows of the group show different cells{more}"))
        });
    }

    /// Checks that numbers, days and ordered texts are valid, and that intervals end after they
    /// begin.
    fn is_typed(&mut self, raw: &RawTable, column: &RawColumn, is_range: bool) {
        let Some(entry) = self.entry(&column.name) else {
            return;
        };
        // Labels of a tree have no type, unless a rule made them.
        let is_label = matches!(entry.cells, Some(CellKind::Label | CellKind::Labels));
        if is_label && !is_ruled(entry) {
            return;
        }
        let takes = |text: &str| self.reader.takes(&entry.name, text, is_range);
        let row = (0..)
            .zip(column.values.iter())
            .find(|(_, text)| !parts(entry, text).into_iter().all(takes))
            .and_then(|(code, _)| column.codes.iter().position(|own| *own == code));
        if let Some(row) = row {
            let problem = "the cell does not fit the column's type or order";
            self.find(Finding { row: Some(row + 1), ..of_column(raw, column, problem.to_owned()) });
        }
    }
}

/// Whether a rule made the labels of a column, from numbers or days.
fn is_ruled(entry: &ColumnEntry) -> bool {
    matches!(entry.rule.as_deref(), Some("intervals" | "dates"))
}

fn of_column(raw: &RawTable, column: &RawColumn, problem: String) -> Finding {
    let name = raw.files.first().and_then(|file| file.file_name());
    Finding {
        file: name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        column: Some(column.name.clone()),
        group: None,
        row: None,
        problem: problem.into(),
    }
}
