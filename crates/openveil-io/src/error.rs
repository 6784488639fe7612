use crate::printed::{message, printable};
use crate::prints::RowPrints;
use crate::sight::Seen;
use openveil_text::{Text, Voice, text};
use std::error::Error as Cause;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error: the problem, its place, and the remedy.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    location: Location,
    // Boxed to keep `Result` small.
    problem: Box<ErrorText>,
    help: Option<Box<Text>>,
    source: Option<Box<dyn Cause + Send + Sync>>,
}

/// The text of an error and what belongs to it.
#[derive(Debug)]
struct ErrorText {
    words: Text,
    /// Details of the problem, one line each.
    parts: Vec<Text>,
    /// Rows of the table that show the problem, counted from 0.
    rows: Vec<usize>,
    /// What it is about, if it depends on who has which value.
    seen: Option<Seen>,
}

/// The part that the user has to mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input: a table, a hierarchy, a release or an option. The default.
    Input,
    /// The policy by itself, or a policy that does not fit the table.
    Policy,
    /// A file or folder that cannot be read or written.
    Io,
    /// A valid request that no release can satisfy: the model asks too much of the table, or the
    /// algorithm would disclose people's values.
    Refused,
    /// A release that does not satisfy the guarantee that it states.
    NotKept,
}

/// The reason why a table cannot satisfy a model, for programs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the model asks more than the table allows")]
pub struct Refusal {
    /// The value that makes the model impossible, if it is a single value.
    pub value: Option<String>,
    /// The value's share of the rows.
    pub share: Option<f64>,
    /// The largest l for which ratio l-diversity is possible; none if it is below 2.
    pub largest_l: Option<u32>,
    /// The columns that fix the strata in which the model is refused; empty if the whole table is
    /// refused.
    pub strata: Vec<String>,
}

/// Bytes that should be text are not, as the cause of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not UTF-8")]
pub(crate) struct NotText;

/// A place in the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, if the problem is in one.
    pub file: Option<PathBuf>,
    /// Line in the file, counted from 1.
    pub line: Option<u64>,
    /// Name of the column.
    pub column: Option<String>,
}

impl Location {
    /// A whole file.
    pub fn file(path: &Path) -> Self {
        Self { file: Some(path.to_owned()), ..Self::default() }
    }

    /// Adds a line of the file.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Adds the name of a column.
    #[must_use]
    pub fn column(mut self, column: &str) -> Self {
        self.column = Some(column.to_owned());
        self
    }
}

impl From<openveil_core::Error> for Error {
    fn from(cause: openveil_core::Error) -> Self {
        Self::new(Location::default(), cause.in_words())
    }
}

impl Error {
    /// Makes an error of kind [`ErrorKind::Input`]; [`Self::of_kind`] changes the kind.
    pub fn new(location: Location, problem: impl Into<Text>) -> Self {
        Self {
            kind: ErrorKind::Input,
            location,
            problem: Box::new(ErrorText {
                words: problem.into(),
                parts: Vec::new(),
                rows: Vec::new(),
                seen: None,
            }),
            help: None,
            source: None,
        }
    }

    /// Adds details of the problem, one line each.
    #[must_use]
    pub fn with_parts(mut self, parts: Vec<Text>) -> Self {
        self.problem.parts = parts;
        self
    }

    /// Names the rows of the table that show the problem, counted from 0.
    #[must_use]
    pub fn with_rows(mut self, rows: Vec<usize>) -> Self {
        self.problem.rows = rows;
        self
    }

    /// Returns the rows of the table that show the problem, counted from 0; empty if they are not
    /// known.
    pub fn rows(&self) -> &[usize] {
        &self.problem.rows
    }

    /// States that the error depends on who has which value.
    #[must_use]
    pub fn of_values(mut self, seen: Seen) -> Self {
        self.problem.seen = Some(seen);
        self
    }

    /// Adds the fingerprints of the rows that it is about, if it depends on values and they are not
    /// known yet.
    #[must_use]
    pub fn with_prints(mut self, prints: &RowPrints) -> Self {
        if let Some(seen) = &mut self.problem.seen {
            seen.prints.get_or_insert_with(|| prints.clone());
        }
        self
    }

    /// Returns what the error is about, if it depends on who has which value.
    pub fn seen(&self) -> Option<&Seen> {
        self.problem.seen.as_ref()
    }

    /// A file that could not be read or written.
    pub fn io(path: &Path, doing: impl Into<Text>, cause: &io::Error) -> Self {
        let is_not_utf_8 = cause.to_string().contains("UTF-8");
        let reason = match cause.kind() {
            io::ErrorKind::NotFound => text!("there is no such file or folder"),
            io::ErrorKind::PermissionDenied => text!("permission denied"),
            io::ErrorKind::StorageFull => text!("the disk is full"),
            io::ErrorKind::InvalidData if is_not_utf_8 => text!("it is not UTF-8 text"),
            io::ErrorKind::IsADirectory => text!("it is a folder, not a file"),
            io::ErrorKind::NotADirectory => text!("a part of the path is a file, not a folder"),
            _ => without_number(&cause.to_string()).to_owned().into(),
        };
        let doing = doing.into();
        let error = Self::new(Location::file(path), text!("cannot {doing:text}: {reason:text}"))
            .of_kind(ErrorKind::Io)
            .because(copy_of(cause));
        match cause.kind() {
            io::ErrorKind::NotFound => error.help(
                "check the spelling; paths in a policy are relative to the policy's folder, other paths to the current folder",
            ),
            io::ErrorKind::InvalidData if is_not_utf_8 => {
                error.help("if it is a text file, save it as UTF-8")
            }
            _ => error,
        }
    }

    /// Sets the kind of the problem.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Keeps the error that led to this one as its source.
    #[must_use]
    pub fn because(mut self, cause: impl Cause + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(cause));
        self
    }

    /// Says what the user can do.
    #[must_use]
    pub fn help(mut self, help: impl Into<Text>) -> Self {
        self.help = Some(Box::new(help.into()));
        self
    }

    /// Appends a sentence to the help.
    #[must_use]
    pub fn and_help(mut self, more: &'static str) -> Self {
        self.help = Some(Box::new(match self.help {
            None => more.into(),
            Some(help) => {
                let separator = if help.ends_sentence() { " " } else { ". " };
                help.and(separator).and(more)
            }
        }));
        self
    }

    /// Sets the file in which the problem lies.
    #[must_use]
    pub fn at(mut self, file: &Path) -> Self {
        self.location.file = Some(file.to_owned());
        self
    }

    /// Replaces the location.
    #[must_use]
    pub fn at_place(mut self, location: Location) -> Self {
        self.location = location;
        self
    }

    /// Returns what is wrong, without the place and the help.
    pub fn problem(&self) -> &Text {
        &self.problem.words
    }

    /// Replaces the wording of the problem.
    #[must_use]
    pub fn with_problem(mut self, problem: impl Into<Text>) -> Self {
        self.problem.words = problem.into();
        self
    }

    /// Returns the reason why the table cannot satisfy the model, if that is the problem.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.source.as_deref()?.downcast_ref()
    }

    /// Whether a column that should hold text holds other bytes.
    pub fn is_about_text(&self) -> bool {
        self.source.as_deref().is_some_and(|source| source.is::<NotText>())
    }

    /// Returns the kind of the problem.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the location of the problem.
    pub fn location(&self) -> &Location {
        &self.location
    }
}

/// Returns the system's message without the trailing `(os error 5)`.
fn without_number(reason: &str) -> &str {
    reason.split_once(" (os error ").map_or(reason, |(words, _)| words)
}

/// Returns an error with the same number, or with the same kind and message: `io::Error` is not
/// `Clone`.
fn copy_of(cause: &io::Error) -> io::Error {
    match cause.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(cause.kind(), cause.to_string()),
    }
}

impl Location {
    /// Returns it in words.
    fn text(&self) -> Text {
        let file = self
            .file
            .as_deref()
            .map(|file| printable(&file.display().to_string()).into_owned().into());
        let line = self.line.map(|line| text!("line {line}"));
        let column = self.column.as_deref().map(|column| text!("column `{}`", printable(column)));
        let parts = file.into_iter().chain(line).chain(column);
        parts.reduce(|place, part| place.and(", ").and(part)).unwrap_or_default()
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Error {
    /// Returns the whole message in the words of a front: the place, the problem, and the remedy.
    pub fn say(&self, voice: Voice) -> String {
        let column = self.location.column.as_deref();
        // Packages call the policy that they make of arguments so, and nobody sees its lines.
        let is_made = self.location.file.as_deref() == Some(Path::new("policy"));
        let line = self.location.line.filter(|_| !(voice.has_arguments() && is_made));
        let place = Location { line, ..self.location.clone() };
        let mut said = if place == Location::default() {
            String::new()
        } else {
            place.text().say(voice, None) + ": "
        };
        said.push_str(&message(&self.problem.words.say(voice, column)));
        for part in &self.problem.parts {
            said.extend(["\n    ", &message(&part.say(voice, column))]);
        }
        if let Some(help) = &self.help {
            let mark = text!("help: ").say(voice, None);
            said.extend(["\n  ", &mark, &message(&help.say(voice, column))]);
        }
        said
    }
}

/// In the words of the command and of policy files.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(Voice::Command))
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_speaks_in_plain_words_and_stays_the_source() {
        let path = Path::new("t.csv/manifest.json");
        let of = |number| Error::io(path, "read", &io::Error::from_raw_os_error(number));
        for (number, words) in [
            (20, "cannot read: a part of the path is a file, not a folder"),
            (21, "cannot read: it is a folder, not a file"),
            (5, "cannot read: Input/output error"),
        ] {
            let error = of(number);
            assert_eq!(error.problem().to_string(), words);
            assert_eq!(error.kind(), ErrorKind::Io);
            let source = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
            assert_eq!(source.and_then(io::Error::raw_os_error), Some(number));
        }
        let plain = Error::new(Location::file(path), "is empty");
        assert_eq!(plain.kind(), ErrorKind::Input);
        assert!(plain.source().is_none());
    }
}
