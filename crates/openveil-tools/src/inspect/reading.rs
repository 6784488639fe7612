//! Guesses the form of a file from its beginning.

use openveil_io::source::{
    Encoding, Format, Source, delimiter_of_text, is_escaped_by_backslash, shown_delimiter,
};
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use std::path::Path;

/// The user's statements about the form of the table, which are not guessed.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// The delimiter of fields.
    pub delimiter: Option<u8>,
    /// The encoding of texts; the inner option is none for UTF-8.
    pub encoding: Option<Option<Encoding>>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
}

/// Refuses pipes: inspecting reads a file several times, and a pipe can be read only once.
fn refuse_pipes(source: &Source) -> Result<(), Error> {
    let is_file = |file: &Path| {
        let metadata = std::fs::metadata(file);
        metadata.map_or(true, |metadata| metadata.is_file() || metadata.is_dir())
    };
    if source.is_stdin() {
        return Ok(());
    }
    match source.files()?.iter().find(|file| !is_file(file)) {
        None => Ok(()),
        Some(pipe) => Err(Error::new(Location::file(pipe), "is not a file that can be read twice")
            .help("use `-`, and pipe the table into standard input")),
    }
}

/// Returns notes on options that have no effect for a file.
fn idle(source: &Source, said: &Said) -> Vec<Text> {
    let (is_text, is_workbook) = (source.is_text(), source.is_all(Format::Excel));
    let said = [
        ("sheet", said.sheet.is_some() && !is_workbook, "a workbook"),
        ("delimiter", said.delimiter.is_some() && !is_text, "CSV"),
        ("encoding", said.encoding.is_some() && !is_text, "CSV"),
    ];
    said.into_iter()
        .filter(|(_, is_idle, _)| *is_idle)
        .map(|(option, _, what)| text!("the file is not {what}: `--{option}` has no effect"))
        .collect()
}

/// Returns the source with the guesses about it, and notes.
///
/// # Errors
/// A file that cannot be read.
pub fn settled(source: Source, said: &Said) -> Result<(Source, Vec<Text>), Error> {
    let (mut source, mut notes) = (source, Vec::new());
    refuse_pipes(&source)?;
    source.keep_stream()?;
    source.sheet = said.sheet.clone();
    let workbooks = source.workbooks()?;
    notes.extend(idle(&source, said));
    if let ([only], None) = (&workbooks[..], &said.sheet)
        && let [first, .., _] = &only.names[..]
    {
        notes.push(text!(
            "the workbook has the sheets {}; the first, `{first}`, was read (choose another with `--sheet`)",
            only.names.join(", ")
        ));
    }
    notes.extend(workbooks.into_iter().flat_map(|own| own.notes).map(Text::from));
    source.delimiter = said.delimiter.unwrap_or(source.delimiter);
    source.encoding = said.encoding.flatten();
    // Standard input can be read only once.
    if source.is_stdin() || !source.is_text() {
        return Ok((source, notes));
    }
    let Some(file) = source.files()?.into_iter().next() else {
        return Ok((source, notes));
    };
    if said.encoding.is_none() {
        source.encoding = source.guessed_encoding()?;
        if let Some(encoding) = source.encoding {
            notes.push(text!(
                "the file is not UTF-8; read as {} (choose another with `--encoding`)",
                encoding.name()
            ));
        }
    }
    let head = source.head(&file, source.encoding)?;
    let text = String::from_utf8_lossy(&head);
    if said.delimiter.is_none() {
        if let Some(delimiter) = delimiter_of_text(&text) {
            source.delimiter = delimiter;
        }
        if source.delimiter != b',' {
            notes.push(text!("fields are separated by `{}`", shown_delimiter(source.delimiter)));
        }
    }
    if is_escaped_by_backslash(&text, source.delimiter) {
        source.escape = Some(b'\\');
        notes.push(text!("a backslash escapes quotation marks inside of values"));
    }
    Ok((source, notes))
}
