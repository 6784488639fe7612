//! `inspect`: columns of a table, and a starter policy.

use crate::refused;
use openveil_io::Error;
use openveil_io::source::{self, Encoding, Source};
use openveil_text::text;
use openveil_tools::inspect::{Aim, Inspected, Preset, Said, StarterWish, inspect};
use serde::Deserialize;

/// Options of an inspection.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Inspect {
    /// Delimiter of a CSV file (`\t` for a tab) [default: guessed].
    #[arg(long, value_name = "CHARACTER")]
    pub delimiter: Option<String>,
    /// Encoding of a CSV file: `utf-8`, `windows-1252`, `utf-16`, … [default: guessed].
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,
    /// The sheet of a workbook to read [default: the first].
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Rules for columns that the starter policy drops or coarsens.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<StarterRules>,
    /// Propose style, floors and l for this aim, with the reason.
    #[arg(long, value_name = "AIM", value_enum)]
    pub aim: Option<AimName>,
    /// Trim blanks around fields.
    #[arg(long)]
    pub trim: bool,
}

/// Rules for a starter policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StarterRules {
    /// The 18 identifiers of HIPAA's Safe Harbor.
    HipaaSafeHarbor,
    /// A file that anybody may download: ages in steps of 5, years, two characters of postal codes.
    PublicFile,
    /// A file for teaching: ages in steps of 10, years, no postal codes.
    TeachingFile,
}

/// The aim of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AimName {
    /// A study of associations with the sensitive column.
    Study,
    /// Counts and cross-tables.
    Tables,
    /// A file for teaching.
    Teaching,
    /// A file that anybody may download.
    Public,
}

impl From<AimName> for Aim {
    fn from(name: AimName) -> Self {
        match name {
            AimName::Study => Self::Study,
            AimName::Tables => Self::Tables,
            AimName::Teaching => Self::Teaching,
            AimName::Public => Self::Public,
        }
    }
}

impl Inspect {
    /// Returns what the columns of a table are; `read` learns how many bytes were read.
    ///
    /// # Errors
    /// A table that cannot be read; a delimiter or an encoding that does not exist.
    pub fn run(&self, source: Source, read: &(dyn Fn(u64) + Sync)) -> Result<Inspected, Error> {
        let encoding = self.encoding.as_deref().map(Encoding::named).transpose();
        let said = Said {
            delimiter: self.delimiter.as_deref().map(delimiter).transpose()?,
            encoding: encoding.map_err(|problem| {
                refused(problem).help(
                    "usual ones are `utf-8`, `windows-1252` (Latin-1), `utf-16`, `iso-8859-2`",
                )
            })?,
            sheet: self.sheet.clone(),
        };
        let found = inspect(&Source { trim: self.trim, ..source }, &said, read)?;
        Ok(match self.aim {
            Some(aim) => found.for_aim(aim.into()),
            None => found,
        })
    }

    /// Returns the rules and the aim of the starter policy.
    pub fn wish(&self) -> StarterWish {
        StarterWish {
            preset: self.preset.map(|rules| match rules {
                StarterRules::HipaaSafeHarbor => Preset::HipaaSafeHarbor,
                StarterRules::PublicFile => Preset::PublicFile,
                StarterRules::TeachingFile => Preset::TeachingFile,
            }),
            aim: self.aim.map(Aim::from),
        }
    }
}

/// Reads the byte that separates the fields of a CSV file.
pub(crate) fn delimiter(text: &str) -> Result<u8, Error> {
    let written = if text == "\\t" { "\t" } else { text };
    source::delimiter(written).map_err(|problem| {
        refused(text!("`--delimiter {text:?}` {problem}"))
            .help("usual ones are `,`, `;`, `|` and `\\t` (a tab)")
    })
}
