//! Workbooks: Excel's (.xlsx, .xlsb, .xls) and OpenDocument's (.ods).

use super::shown::SheetForm;
use super::{BytesRead, Dictionary, FirstSeen, Sink, Source, blanks, untrusted};
use crate::spelling::or_meant;
use crate::{Error, Location};
use calamine::{
    Cell, Data, DataRef, ExcelDateTime, Range, Reader, SheetVisible, Sheets,
    open_workbook_auto_from_rs,
};
use openveil_text::text;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// The extensions of workbooks.
pub(super) const ENDINGS: [&str; 5] = ["xlsx", "xlsm", "xlsb", "xls", "ods"];

/// A workbook in memory.
type Workbook = Sheets<Cursor<Arc<[u8]>>>;

/// The sheets of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetsOfFile {
    /// The visible sheets, to choose from.
    pub names: Vec<String>,
    /// Notes about the chosen sheet that its values do not show: merged cells, hidden rows and
    /// columns.
    pub notes: Vec<String>,
}

/// Reads one sheet; its first line that is not empty is the header.
pub(super) fn read(
    source: &Source,
    file: &Path,
    sink: &mut Sink<'_>,
    progress: BytesRead<'_>,
) -> Result<(), Error> {
    let (mut workbook, bytes) = open(file)?;
    let name = sheet(source, file, &workbook)?;
    let range = untrusted::guarded(|| cells(file, &mut workbook, &name), || damaged(file))?;
    let form = form_of(file, &workbook, &bytes, &name, false)?;
    progress(bytes.len() as u64);
    let first_line = u64::from(range.start().map_or(0, |(row, _)| row)) + 1;
    let mut rows = range.rows();
    let wanted = match &source.names {
        Some(names) => sink.header(names)?,
        None => {
            let head = rows.next().unwrap_or_default();
            sink.header(&header(source, file, first_line, head)?)?
        }
    };
    let first_line = first_line + u64::from(source.names.is_none());
    let rows = rows_of(source, &range);
    if rows == 0 {
        return Err(without_rows(source, file, &name, &workbook));
    }
    store(source, sink, &wanted, first_line, &range, rows, &form)
}

/// Returns the sheets of a workbook, and notes about the one that the source means.
pub(super) fn sheets(source: &Source, file: &Path) -> Result<SheetsOfFile, Error> {
    let (workbook, bytes) = open(file)?;
    let name = sheet(source, file, &workbook)?;
    let notes = form_of(file, &workbook, &bytes, &name, true)?.notes();
    Ok(SheetsOfFile { names: visible(&workbook).collect(), notes })
}

fn visible(workbook: &Workbook) -> impl Iterator<Item = String> {
    workbook
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.visible == SheetVisible::Visible)
        .map(|sheet| sheet.name.clone())
}

/// Opens a workbook; returns its bytes, too, for what the reader of workbooks leaves out.
fn open(file: &Path) -> Result<(Workbook, Arc<[u8]>), Error> {
    let read = std::fs::read(file).map_err(|cause| Error::io(file, "open the file", &cause));
    let bytes: Arc<[u8]> = read?.into();
    untrusted::check_archive(file, &bytes)?;
    Ok((
        untrusted::guarded(
            || {
                open_workbook_auto_from_rs(Cursor::new(bytes.clone()))
                    .map_err(|cause| malformed(file, &cause))
            },
            || damaged(file),
        )?,
        bytes,
    ))
}

/// Returns the form of a sheet; those of other workbooks than .xlsx are not known.
fn form_of(
    file: &Path,
    workbook: &Workbook,
    bytes: &[u8],
    name: &str,
    with_notes: bool,
) -> Result<SheetForm, Error> {
    match workbook {
        Sheets::Xlsx(_) => {
            untrusted::guarded(|| Ok(SheetForm::read(bytes, name, with_notes)), || damaged(file))
        }
        _ => Ok(SheetForm::default()),
    }
}

/// Returns the cells of a sheet. The cells are counted before the rectangle around them is
/// allocated.
fn cells(file: &Path, workbook: &mut Workbook, name: &str) -> Result<Range<Data>, Error> {
    let failed = |cause: calamine::Error| malformed(file, &cause);
    let cells = match workbook {
        Sheets::Xlsx(book) => {
            let reader = book.worksheet_cells_reader(name).map_err(calamine::Error::from);
            reader.and_then(|mut reader| filled(|| reader.next_cell()))
        }
        Sheets::Xlsb(book) => {
            let reader = book.worksheet_cells_reader(name).map_err(calamine::Error::from);
            reader.and_then(|mut reader| filled(|| reader.next_cell()))
        }
        // A sheet of .xls has at most 65,536 rows of 256 cells; a sheet of .ods can only be read
        // whole.
        Sheets::Xls(_) | Sheets::Ods(_) => return workbook.worksheet_range(name).map_err(failed),
    };
    let cells = cells.map_err(failed)?;
    let extent = |position: fn((u32, u32)) -> u32| {
        cells
            .iter()
            .map(|cell| position(cell.get_position()))
            .fold(None, |bounds: Option<(u32, u32)>, at| {
                Some(bounds.map_or((at, at), |(low, high)| (low.min(at), high.max(at))))
            })
            .map_or(0, |(low, high)| u64::from(high - low) + 1)
    };
    let area = extent(|(row, _)| row).saturating_mul(extent(|(_, column)| column));
    if area > SPARSE * cells.len() as u64 + SMALL {
        let problem =
            text!("has {} cells in a rectangle of {area}, so it is not a table", cells.len());
        return Err(Error::new(Location::file(file), problem)
            .help("look for a cell far away from the others, and delete its row or column"));
    }
    Ok(Range::from_sparse(cells))
}

/// A sheet is refused as no table if its rectangle has more places than this …
const SMALL: u64 = 1 << 24;

/// … plus so many for each cell.
const SPARSE: u64 = 64;

/// Returns the cells that are not empty, in order.
fn filled<'a, E: Into<calamine::Error>>(
    mut next: impl FnMut() -> Result<Option<Cell<DataRef<'a>>>, E>,
) -> Result<Vec<Cell<Data>>, calamine::Error> {
    let mut cells = Vec::new();
    while let Some(cell) = next().map_err(E::into)? {
        if !matches!(cell.get_value(), DataRef::Empty) {
            let value = Data::from(cell.get_value().clone());
            cells.push(Cell::new(cell.get_position(), value));
        }
    }
    Ok(cells)
}

fn damaged(file: &Path) -> Error {
    Error::new(Location::file(file), "is not a readable workbook: it is damaged")
        .help("save it again in the program that made it, or export its sheet as CSV (UTF-8)")
}

fn malformed(file: &Path, cause: &calamine::Error) -> Error {
    let text = cause.to_string();
    let protected = text.to_lowercase().contains("password");
    let problem = if protected {
        text!("is a workbook with a password")
    } else {
        text!("is not a readable workbook")
    };
    Error::new(Location::file(file), problem)
        .help("open it in the program that made it, and save its sheet as .xlsx without a password or as CSV (UTF-8)")
}

fn sheet(source: &Source, file: &Path, workbook: &Workbook) -> Result<String, Error> {
    let names = workbook.sheet_names();
    let absent = |problem: String| Error::new(Location::file(file), problem);
    let Some(wanted) = &source.sheet else {
        return visible(workbook)
            .next()
            .or(names.first().cloned())
            .ok_or_else(|| absent("is a workbook without sheets".to_owned()));
    };
    if names.contains(wanted) {
        return Ok(wanted.clone());
    }
    let error = absent(format!("has no sheet `{wanted}`"));
    Err(or_meant(error, wanted, names.iter().map(String::as_str), || {
        format!("it has {}", names.join(", "))
    }))
}

fn header(source: &Source, file: &Path, line: u64, cells: &[Data]) -> Result<Vec<String>, Error> {
    let mut names = Vec::with_capacity(cells.len());
    for (place, cell) in cells.iter().enumerate() {
        let mut name = String::new();
        push(cell, &mut name);
        if source.trim {
            name = blanks::trim_text(&name).to_owned();
        }
        if name.is_empty() {
            let problem = text!("column {} of the sheet has no name", place + 1);
            return Err(Error::new(Location::file(file).line(line), problem)
                .help("write a name into the first line of the table, or delete the column; if the first line is a title, remove it"));
        }
        names.push(name);
    }
    Ok(names)
}

/// Returns the number of rows of a sheet below its header.
fn rows_of(source: &Source, range: &Range<Data>) -> usize {
    let skip = usize::from(source.names.is_none());
    // Sheets often end in lines that have a format and no content.
    let empty = range
        .rows()
        .rev()
        .take_while(|row| row.iter().all(|cell| matches!(cell, Data::Empty)))
        .count();
    range.height().saturating_sub(skip + empty)
}

fn without_rows(source: &Source, file: &Path, name: &str, workbook: &Workbook) -> Error {
    let others: Vec<String> = visible(workbook).filter(|other| other != name).collect();
    let error = Error::new(
        Location::file(file),
        text!("the table has no rows: the sheet `{name}` was read"),
    );
    match (&source.sheet, &others[..]) {
        (None, [_, ..]) => error.help(text!(
            "name another sheet as `sheet` (`inspect`: `--sheet`): there are {}",
            others.join(", ")
        )),
        _ => error.help("a table needs a line with names and at least one row under it"),
    }
}

fn store(
    source: &Source,
    sink: &mut Sink<'_>,
    wanted: &[bool],
    first_line: u64,
    range: &Range<Data>,
    rows: usize,
    form: &SheetForm,
) -> Result<(), Error> {
    let skip = usize::from(source.names.is_none());
    if range.width() != wanted.len() {
        let problem = text!("has {} columns where {} are named", range.width(), wanted.len());
        return Err(Error::new(Location::file(sink.file), problem));
    }
    let first_column = range.start().map_or(0, |(_, column)| column);
    let (file, file_number) = (sink.file, sink.index as u32);
    for (position, column) in sink.columns.iter_mut().enumerate().filter(|(i, _)| wanted[*i]) {
        column.codes.reserve(rows);
        let mut text = String::new();
        for (number, row) in range.rows().skip(skip).take(rows).enumerate() {
            let line = first_line + number as u64;
            if let Data::Error(error) = &row[position] {
                let place = Location::file(file).line(line).column(&column.name);
                return Err(Error::new(place, text!("the cell holds the error {error}"))
                    .help("correct the formula, or empty the cell"));
            }
            text.clear();
            push(&row[position], &mut text);
            let place = (line as u32 - 1, first_column + position as u32);
            if let Some(&digits) = form.digits.get(&place)
                && text.bytes().all(|byte| byte.is_ascii_digit())
            {
                text.insert_str(0, &"0".repeat(digits.saturating_sub(text.len())));
            }
            let value = if source.trim { blanks::trim_text(&text) } else { &text };
            let code = Dictionary::intern(&mut column.values, value.as_bytes(), || FirstSeen {
                file: file_number,
                line,
            });
            column.codes.push(code.expect("texts are UTF-8"));
        }
    }
    Ok(())
}

/// Appends the content of a cell as other files write it: whole numbers without a point, days and
/// times in ISO 8601.
fn push(cell: &Data, text: &mut String) {
    use std::fmt::Write;
    let written = match cell {
        Data::Empty | Data::Error(_) => Ok(()),
        Data::String(words) | Data::DateTimeIso(words) | Data::DurationIso(words) => {
            text.push_str(words);
            Ok(())
        }
        Data::Int(number) => write!(text, "{number}"),
        Data::Float(number) => write!(text, "{number}"),
        Data::Bool(truth) => write!(text, "{truth}"),
        // A value below the first day is a time of day without a date.
        Data::DateTime(time) if time.is_datetime() && time.as_f64() < 1.0 => {
            let (.., hour, minute, second, _) = time.to_ymd_hms_milli();
            write!(text, "{hour:02}:{minute:02}:{second:02}")
        }
        Data::DateTime(time) if time.is_datetime() => push_time(time, text),
        Data::DateTime(duration) => write!(text, "{}", duration.as_f64()),
    };
    written.expect("writing to a string does not fail");
}

fn push_time(time: &ExcelDateTime, text: &mut String) -> std::fmt::Result {
    use std::fmt::Write;
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    write!(text, "{year:04}-{month:02}-{day:02}")?;
    match (hour, minute, second) {
        (0, 0, 0) => Ok(()),
        _ => write!(text, "T{hour:02}:{minute:02}:{second:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::ExcelDateTimeType;

    #[test]
    fn days_and_times_are_what_cells_show() {
        let shown = |days: f64, kind| {
            let mut text = String::new();
            let time = ExcelDateTime::new(days, kind, false);
            push(&Data::DateTime(time), &mut text);
            text
        };
        let at = |days| shown(days, ExcelDateTimeType::DateTime);
        assert_eq!(at(45_000.0), "2023-03-15");
        assert_eq!(at(45_000.75), "2023-03-15T18:00:00");
        assert_eq!(at(21.5 / 24.0), "21:30:00");
        assert_eq!(at(0.0), "00:00:00");
        assert_eq!(shown(1.5, ExcelDateTimeType::TimeDelta), "1.5");
    }
}
