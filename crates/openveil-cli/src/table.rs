//! Formats aligned tables and labelled texts for the terminal.

use openveil_io::printable;
use openveil_reader::report::ShownTable;
pub(crate) use openveil_reader::report::{counted, thousands};
use openveil_text::Text;
use std::fmt::Write;

/// A table with a header. Columns of numbers are aligned to the right, other columns to the left.
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(crate) fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        Self { rows: vec![shown(header)] }
    }

    /// Returns a table of these rows. The first is the header.
    pub(crate) fn from_rows(rows: &ShownTable) -> Self {
        Self { rows: rows.iter().map(|row| shown(row.iter().map(Text::to_string))).collect() }
    }

    pub(crate) fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(shown(cells));
    }

    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
        let width = |column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let numeric = |column| cells(column).skip(1).all(|cell| is_numeric(cell));
        let mut text = String::new();
        let layout: Vec<(usize, bool)> = (0..columns).map(|c| (width(c), numeric(c))).collect();
        for (number, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (cell, &(width, numeric)) in row.iter().zip(&layout) {
                if numeric {
                    write!(line, "  {cell:>width$}")
                } else {
                    write!(line, "  {cell:<width$}")
                }
                .expect("writing to a string does not fail");
            }
            text.push_str(line.trim_end());
            text.push('\n');
            if number == 0 {
                let rule: Vec<String> =
                    layout.iter().map(|&(width, _)| "-".repeat(width)).collect();
                text.push_str(&format!("  {}\n", rule.join("  ")));
            }
        }
        text
    }
}

/// Escapes the control characters of cells, because names and values come from files.
fn shown<S: Into<String>>(cells: impl IntoIterator<Item = S>) -> Vec<String> {
    cells.into_iter().map(Into::into).map(|cell| printable(&cell).into_owned()).collect()
}

fn is_numeric(cell: &str) -> bool {
    cell.chars().all(|c| c.is_ascii_digit() || ",.%-+/ ∞".contains(c))
}

/// Returns a text beside its label, wrapped and indented. Escapes control characters, because the
/// text may come from a file.
pub(crate) fn entry(label: &str, text: &str) -> String {
    const LABEL: usize = 12;
    const WIDTH: usize = 96;
    let mut lines = String::new();
    let mut line = format!("  {label:<LABEL$}");
    if label.chars().count() >= LABEL {
        line.push_str("  ");
    }
    let empty = line.chars().count();
    for word in printable(text).split(' ') {
        let length = line.chars().count();
        if length > empty && length + 1 + word.chars().count() > WIDTH {
            lines.push_str(line.trim_end());
            lines.push('\n');
            line = " ".repeat(empty);
        } else if length > empty {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push_str(line.trim_end());
    lines
}

/// Formats a share from 0 to 1 as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_stay_beside_their_label() {
        let text = entry("label", &"word ".repeat(40));
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.chars().count() <= 96));
        assert!(
            text.starts_with("  label       word")
                && text.lines().nth(1).unwrap().starts_with("              word")
        );
        assert!(entry("a longer label", "word").starts_with("  a longer label  word"));
        assert_eq!(
            (counted(1u32, "row"), counted(2_000u32, "row")),
            ("1 row".into(), "2,000 rows".into())
        );
    }

    #[test]
    fn numbers_are_grouped_and_columns_aligned() {
        assert_eq!(thousands(1_234_567u64), "1,234,567");
        assert_eq!(thousands(12u64), "12");
        let mut table = TextTable::new(["name", "rows"]);
        table.row(["a", "1,000"]);
        table.row(["long", "7"]);
        assert_eq!(table.render(), "  name   rows\n  ----  -----\n  a     1,000\n  long      7\n");
    }
}
