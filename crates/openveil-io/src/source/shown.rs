//! Reads the form of a sheet of an Excel workbook: leading zeros, merged cells, hidden rows and
//! columns. The reader of workbooks leaves them out.

use quick_xml::events::{BytesStart, Event};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Cursor, Read, Seek};
use zip::ZipArchive;

/// The form of a sheet.
#[derive(Debug, Default)]
pub(super) struct SheetForm {
    /// The number of digits that cells show, by row and column from 0, if their format is `00000`
    /// or the like.
    pub(super) digits: HashMap<(u32, u32), usize>,
    /// Ranges of merged cells, as the sheet names them.
    pub(super) merged: Vec<String>,
    /// The number of hidden rows.
    pub(super) hidden_rows: usize,
    /// Whether columns are hidden.
    pub(super) has_hidden_columns: bool,
}

impl SheetForm {
    /// Reads the form of the sheet with a name from a workbook of type .xlsx. A part that is missing
    /// or damaged has no form: the cells are read elsewhere, and refused there. Without
    /// `with_notes`, only digits are looked for, which most workbooks leave alone.
    pub(super) fn read(bytes: &[u8], sheet: &str, with_notes: bool) -> Self {
        let form = || {
            let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
            let digits = digits_of_styles(&mut archive).unwrap_or_default();
            if digits.is_empty() && !with_notes {
                return None;
            }
            let path = path_of(&mut archive, sheet)?;
            Self::of_sheet(part(&mut archive, &path)?, &digits)
        };
        form().unwrap_or_default()
    }

    fn of_sheet(part: impl BufRead, digits: &HashMap<usize, usize>) -> Option<Self> {
        let mut form = Self::default();
        each_tag(part, |tag| {
            match tag.local_name().as_ref() {
                "c" => {
                    let style = attribute(tag, "s").and_then(|style| style.parse().ok());
                    if let Some(&width) = style.and_then(|style: usize| digits.get(&style))
                        && let Some(place) = attribute(tag, "r").and_then(|place| position(&place))
                    {
                        form.digits.insert(place, width);
                    }
                }
                "row" if is_hidden(tag) => form.hidden_rows += 1,
                "col" if is_hidden(tag) => form.has_hidden_columns = true,
                "mergeCell" => form.merged.extend(attribute(tag, "ref")),
                _ => {}
            }
            Some(())
        })?;
        Some(form)
    }

    /// Returns what the owner has to know of the sheet, because reading does not show it.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let [first, ..] = &self.merged[..] {
            let others = match self.merged.len() {
                1 => String::new(),
                number => format!(" and {} more ranges", number - 1),
            };
            notes.push(format!(
                "cells of the sheet are merged ({first}{others}): only the first cell of a range has its value, and the others are read as missing"
            ));
        }
        if self.hidden_rows > 0 {
            let number = self.hidden_rows;
            notes.push(format!("{number} rows of the sheet are hidden; they are read, too"));
        }
        if self.has_hidden_columns {
            notes.push("columns of the sheet are hidden; they are read, too".to_owned());
        }
        notes
    }
}

fn part<'a, R: Read + Seek>(
    archive: &'a mut ZipArchive<R>,
    path: &str,
) -> Option<impl BufRead + use<'a, R>> {
    Some(BufReader::new(archive.by_name(path).ok()?))
}

/// Calls `take` for each tag that opens, until it returns none.
fn each_tag(part: impl BufRead, mut take: impl FnMut(&BytesStart<'_>) -> Option<()>) -> Option<()> {
    let mut reader = quick_xml::Reader::from_reader(part);
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(tag) | Event::Empty(tag) => take(&tag)?,
            Event::Eof => return Some(()),
            _ => {}
        }
        buffer.clear();
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|own| own.key.as_ref() == name)?;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

fn is_hidden(tag: &BytesStart<'_>) -> bool {
    attribute(tag, "hidden").is_some_and(|own| own == "1" || own == "true")
}

/// Returns the part of the archive that holds a sheet.
fn path_of<R: Read + Seek>(archive: &mut ZipArchive<R>, sheet: &str) -> Option<String> {
    let mut id = None;
    each_tag(part(archive, "xl/workbook.xml")?, |tag| {
        if tag.local_name().as_ref() == "sheet"
            && attribute(tag, "name").is_some_and(|own| own == sheet)
        {
            id = attribute(tag, "r:id");
        }
        Some(())
    })?;
    let id = id?;
    let mut path = None;
    each_tag(part(archive, "xl/_rels/workbook.xml.rels")?, |tag| {
        if attribute(tag, "Id").is_some_and(|own| own == id) {
            path = attribute(tag, "Target");
        }
        Some(())
    })?;
    let path = path?;
    Some(path.strip_prefix('/').map_or_else(|| format!("xl/{path}"), str::to_owned))
}

/// Returns the number of digits that each style of cells shows, for formats of zeros only.
fn digits_of_styles<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Option<HashMap<usize, usize>> {
    let mut formats: HashMap<String, usize> = HashMap::new();
    let mut styles = HashMap::new();
    let (mut place, mut is_of_cells) = (0, false);
    let mut seen = HashSet::new();
    each_tag(part(archive, "xl/styles.xml")?, |tag| {
        match tag.local_name().as_ref() {
            "numFmt" => {
                let code = attribute(tag, "formatCode")?;
                let is_of_zeros = code.len() > 1 && code.bytes().all(|sign| sign == b'0');
                if is_of_zeros && seen.insert(code.clone()) {
                    formats.insert(attribute(tag, "numFmtId")?, code.len());
                }
            }
            "cellStyleXfs" => is_of_cells = false,
            "cellXfs" => is_of_cells = true,
            "cellStyles" => is_of_cells = false,
            "xf" if is_of_cells => {
                let format = attribute(tag, "numFmtId");
                if let Some(&digits) = format.and_then(|format| formats.get(&format)) {
                    styles.insert(place, digits);
                }
                place += 1;
            }
            _ => {}
        }
        Some(())
    })?;
    Some(styles)
}

/// Returns the row and the column, from 0, of a place such as `AB12`.
fn position(place: &str) -> Option<(u32, u32)> {
    let at = place.find(|sign: char| sign.is_ascii_digit())?;
    let (letters, digits) = place.split_at(at);
    let column = letters.bytes().try_fold(0u32, |column, letter| {
        let own = u32::from(letter.checked_sub(b'A')?) + 1;
        column.checked_mul(26)?.checked_add(own)
    });
    Some((digits.parse::<u32>().ok()?.checked_sub(1)?, column?.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_rows_and_columns() {
        assert_eq!(position("A1"), Some((0, 0)));
        assert_eq!(position("AB12"), Some((11, 27)));
        for wrong in ["", "A", "12", "A0", "a1"] {
            assert!(position(wrong).is_none_or(|at| at.1 > 0), "{wrong}");
        }
    }

    #[test]
    fn the_form_of_a_sheet_is_read_from_its_part() {
        let sheet = r#"<worksheet><cols><col min="2" max="2" hidden="1"/></cols><sheetData>
            <row r="1" hidden="1"><c r="A1" s="2"><v>7</v></c><c r="B1"><v>7</v></c></row>
            </sheetData><mergeCells><mergeCell ref="A2:A5"/></mergeCells></worksheet>"#;
        let form = SheetForm::of_sheet(sheet.as_bytes(), &HashMap::from([(2, 5)])).unwrap();
        assert_eq!(form.digits, HashMap::from([((0, 0), 5)]));
        assert_eq!((form.hidden_rows, form.has_hidden_columns), (1, true));
        assert_eq!(form.notes().len(), 3);
        assert!(SheetForm::read(b"no archive", "s", true).digits.is_empty());
    }
}
