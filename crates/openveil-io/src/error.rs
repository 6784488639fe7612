use std::fmt;
use std::path::{Path, PathBuf};

/// What went wrong, where, and what to do about it.
#[derive(Debug)]
pub struct Error {
    place: Location,
    problem: String,
    help: Option<String>,
}

/// Where in the input something stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, if the trouble is in one.
    pub file: Option<PathBuf>,
    /// Line in the file, counted from 1.
    pub line: Option<u64>,
    /// Name of the column.
    pub column: Option<String>,
}

impl Location {
    /// A whole file.
    pub fn file(path: &Path) -> Self {
        Self {
            file: Some(path.to_owned()),
            ..Self::default()
        }
    }

    /// The same file, at a line.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The same place, in a column.
    #[must_use]
    pub fn column(mut self, column: &str) -> Self {
        self.column = Some(column.to_owned());
        self
    }
}

impl Error {
    /// A problem at a place.
    pub fn new(place: Location, problem: impl Into<String>) -> Self {
        Self {
            place,
            problem: problem.into(),
            help: None,
        }
    }

    /// A file that could not be read or written.
    pub fn io(path: &Path, doing: &str, cause: &std::io::Error) -> Self {
        let reason = match cause.kind() {
            std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            std::io::ErrorKind::StorageFull => {
                "the disk is full; nothing was left behind".to_owned()
            }
            _ => cause.to_string(),
        };
        Self::new(Location::file(path), format!("cannot {doing}: {reason}"))
    }

    /// Says what the user can do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the file in which the problem stands.
    #[must_use]
    pub fn at(mut self, file: &Path) -> Self {
        self.place.file = Some(file.to_owned());
        self
    }

    /// Says anew where the problem stands.
    #[must_use]
    pub fn at_place(mut self, place: Location) -> Self {
        self.place = place;
        self
    }

    /// What is wrong, without the place and the help.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The same error with another wording.
    #[must_use]
    pub fn with_problem(mut self, problem: String) -> Self {
        self.problem = problem;
        self
    }

    /// Where the problem is.
    pub fn place(&self) -> &Location {
        &self.place
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(f, "{}", file.display())?;
            separator = ", ";
        }
        if let Some(line) = self.line {
            write!(f, "{separator}line {line}")?;
            separator = ", ";
        }
        if let Some(column) = &self.column {
            write!(f, "{separator}column `{column}`")?;
        }
        Ok(())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place != Location::default() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.problem)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
