//! The record of measures, stored beside the pages, and the tables that are made from it.

use super::{BOARDS, Board, BoardCell, CellFormat};
use openveil_reader::report::thousands;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// The path of the record, relative to the root of the repository.
const FILE: &str = "lab/figures/boards.json";

/// The pages with tables of boards.
const PAGES: [&str; 2] = ["docs/developer/benchmarks.md", "lab/figures/boards.md"];

/// The texts before a table, with the board's name between them, and the text after it.
const BEGIN: &str = "<!-- figures: ";
const END: &str = "<!-- /figures -->";

/// The last measures of all boards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardRecord {
    boards: BTreeMap<String, Vec<Vec<BoardCell>>>,
}

impl BoardRecord {
    /// Reads the record of a repository; empty if it has none.
    ///
    /// # Errors
    /// A file that is no record.
    pub fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        match fs::read_to_string(root.join(FILE)) {
            Ok(text) => Ok(serde_json::from_str(&text)?),
            Err(_) => Ok(Self::default()),
        }
    }

    /// Replaces the measures of a board.
    pub fn set(&mut self, board: &Board, rows: Vec<Vec<BoardCell>>) {
        self.boards.insert(board.name.to_owned(), rows);
    }

    /// Returns the last measures of a board; empty if it was never measured.
    pub fn rows(&self, board: &Board) -> &[Vec<BoardCell>] {
        self.boards.get(board.name).map_or(&[], Vec::as_slice)
    }

    /// Writes the record.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write(&self, root: &Path) -> Result<(), Box<dyn Error>> {
        // One line per row, so that changes are readable.
        let mut text = String::from("{\n  \"boards\": {");
        for (number, (name, rows)) in self.boards.iter().enumerate() {
            let rows: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
            text += if number > 0 { ",\n" } else { "\n" };
            text += &format!("    \"{name}\": [\n      {}\n    ]", rows?.join(",\n      "));
        }
        text += "\n  }\n}\n";
        Ok(fs::write(root.join(FILE), text)?)
    }

    /// Returns the table of a board; none if it was never measured.
    fn table(&self, board: &Board) -> Option<String> {
        let rows = self.boards.get(board.name)?;
        let headings = board.columns.iter().map(|(heading, _)| *heading);
        let mut text = format!("| {} |\n|", headings.collect::<Vec<_>>().join(" | "));
        for (_, written) in board.columns {
            text += if *written == CellFormat::Text { " --- |" } else { " ---: |" };
        }
        for row in rows {
            let cells: Vec<String> =
                row.iter().zip(board.columns).map(|(cell, (_, how))| shown(cell, *how)).collect();
            text += &format!("\n| {} |", cells.join(" | "));
        }
        Some(text)
    }

    /// Returns a page with the tables of this record.
    ///
    /// # Errors
    /// A table of an unknown board, or a table without an end.
    fn page(&self, text: &str) -> Result<String, Box<dyn Error>> {
        let mut parts = text.split(BEGIN);
        let mut page = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once(" -->").ok_or("a table without a name")?;
            let (_, rest) = rest.split_once(END).ok_or_else(|| format!("`{name}` does not end"))?;
            let board = BOARDS.into_iter().find(|board| board.name == name);
            let board = board.ok_or_else(|| format!("no board `{name}`"))?;
            let table = self.table(board).unwrap_or_default();
            page += &format!("{BEGIN}{name} -->\n\n{table}\n\n{END}{rest}");
        }
        Ok(page)
    }
}

/// Rewrites the tables of all pages.
///
/// # Errors
/// A page that cannot be read or written, or that has a table of an unknown board.
pub fn rewrite(root: &Path, record: &BoardRecord) -> Result<(), Box<dyn Error>> {
    for page in PAGES {
        let path = root.join(page);
        let text = fs::read_to_string(&path)?;
        fs::write(&path, record.page(&text)?)?;
    }
    Ok(())
}

fn shown(cell: &BoardCell, written: CellFormat) -> String {
    match (cell, written) {
        (BoardCell::Text(text), _) => text.clone(),
        (BoardCell::Number(number), CellFormat::Digits(digits)) => format!("{number:.digits$}"),
        (BoardCell::Number(number), CellFormat::Whole) => thousands(format!("{number:.0}")),
        (BoardCell::Number(number), CellFormat::Text) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No figure of these tables is typed by hand, and every board is on a page.
    #[test]
    fn pages_are_those_of_the_record() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let record = BoardRecord::read(&root).unwrap();
        let mut all = String::new();
        for page in PAGES {
            let text = fs::read_to_string(root.join(page)).unwrap();
            assert_eq!(record.page(&text).unwrap(), text, "{page}");
            all += &text;
        }
        for board in BOARDS {
            let rows = &record.boards[board.name];
            assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == board.columns.len()));
            assert!(all.contains(&format!("{BEGIN}{} -->", board.name)), "{}", board.name);
        }
        assert_eq!(record.boards.len(), BOARDS.len());
    }

    #[test]
    fn cells_are_rounded_where_they_are_shown() {
        let written = |number: f64, how| shown(&BoardCell::Number(number), how);
        assert_eq!(written(1234567.8, CellFormat::Whole), "1,234,568");
        assert_eq!(written(42.0, CellFormat::Whole), "42");
        assert_eq!(written(0.12345, CellFormat::Digits(2)), "0.12");
        assert_eq!(shown(&"cover".into(), CellFormat::Whole), "cover");
    }

    #[test]
    fn a_page_without_an_end_or_a_board_is_refused() {
        let record = BoardRecord::default();
        assert!(record.page("<!-- figures: adult -->").is_err());
        assert!(record.page("<!-- figures: nothing --><!-- /figures -->").is_err());
        assert_eq!(record.page("words").unwrap(), "words");
    }
}
