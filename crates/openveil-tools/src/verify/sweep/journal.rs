//! Record of finished enumerations, in a file.

use super::{Crossed, SweepCase};
use crate::verify::{Figures, Question};
use openveil_io::{Error, Location};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that records every finished multiset, so that an interrupted run can resume: a line with
/// the question, and a line for each multiset, in JSON.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    known: HashMap<SweepCase, Figures>,
}

const NO_JOURNAL: &str = "this is not a journal of `verify`";

/// The question of a record: figures of another question must not be used.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct JournalQuestion {
    openveil: String,
    algorithm: String,
    model: String,
    informed: Option<String>,
    cells_only: bool,
    crossed: Crossed,
}

#[derive(Serialize, Deserialize)]
struct JournalLine<C, F> {
    #[serde(flatten)]
    case: C,
    #[serde(flatten)]
    figures: F,
}

impl JournalQuestion {
    fn new(question: &Question, crossed: Crossed) -> Self {
        Self {
            openveil: env!("CARGO_PKG_VERSION").to_owned(),
            algorithm: question.algorithm.name().to_owned(),
            model: question.model.to_string(),
            informed: question.informed.map(|informed| informed.to_string()),
            cells_only: question.cells_only,
            crossed,
        }
    }
}

impl Journal {
    /// Opens the journal of a question, or begins one if the file does not exist. An incomplete
    /// last line is ignored.
    ///
    /// # Errors
    /// A file that cannot be read or written, is not a journal, or is of another question.
    pub fn open(path: &Path, question: &Question, crossed: Crossed) -> Result<Self, Error> {
        let io = |doing: &'static str| move |cause| Error::io(path, doing, &cause);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(io("open"))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io("read"))?;
        let asked = JournalQuestion::new(question, crossed);
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let known = match (whole, text.is_empty()) {
            // The first line is not ours: the file belongs to somebody else, and is not touched.
            (0, false) => Err((1, NO_JOURNAL)),
            _ => known(&text[..whole], &asked),
        };
        let known = known.map_err(|(line, problem)| {
            Error::new(Location::file(path).line(line), problem)
                .help("name a file that does not exist yet, or repeat the question that the journal was begun with")
        })?;
        file.set_len(whole as u64).map_err(io("write"))?;
        file.seek(SeekFrom::End(0)).map_err(io("write"))?;
        let mut journal = Self { path: path.to_owned(), file, known };
        if whole == 0 {
            journal.append(&asked)?;
        }
        Ok(journal)
    }

    pub(super) fn known(&self, case: &SweepCase) -> Option<&Figures> {
        self.known.get(case)
    }

    pub(super) fn note(&mut self, case: &SweepCase, figures: &Figures) -> Result<(), Error> {
        self.append(&JournalLine { case, figures })
    }

    fn append(&mut self, line: &impl Serialize) -> Result<(), Error> {
        let mut text = serde_json::to_string(line).expect("texts and numbers");
        text.push('\n');
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|cause| Error::io(&self.path, "write", &cause))
    }
}

/// Returns the figures in complete lines, or the number of an invalid line and its problem.
fn known(
    text: &str,
    asked: &JournalQuestion,
) -> Result<HashMap<SweepCase, Figures>, (u64, &'static str)> {
    let mut lines = (1..).zip(text.lines());
    if let Some((number, first)) = lines.next() {
        match serde_json::from_str::<JournalQuestion>(first) {
            Ok(other) if other == *asked => {}
            Ok(_) => return Err((number, "this journal belongs to another question")),
            Err(_) => return Err((number, NO_JOURNAL)),
        }
    }
    lines
        .map(|(number, line)| {
            let line: JournalLine<SweepCase, Figures> = serde_json::from_str(line)
                .map_err(|_| (number, "this line of the journal cannot be read"))?;
            Ok((line.case, line.figures))
        })
        .collect()
}
