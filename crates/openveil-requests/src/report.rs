//! `report`: pages, metadata and evidence about a release.

use crate::Given;
use crate::value::given;
use openveil_io::Error;
use openveil_reader::metadata::MetadataKind;
use openveil_text::Language;
use openveil_tools::evidence::Template;
use serde::Deserialize;

/// Options of reports.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Report {
    /// Also write metadata for archives and catalogues beside the table, from the release alone.
    #[arg(long, value_name = "KINDS", value_enum, value_delimiter = ',')]
    #[serde(deserialize_with = "given::several")]
    pub metadata: Vec<MetadataName>,
    /// The layout of the evidence [default: european].
    #[arg(long, value_enum)]
    pub template: Option<Layout>,
    /// The language of the evidence [default: en].
    #[arg(long, value_enum)]
    pub language: Option<Tongue>,
}

/// The layout of an evidence page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// The questions of WP 216, for a recipient.
    European,
    /// An expert determination by HIPAA, in five parts.
    Hipaa,
    /// Secondary use of health data by the European Health Data Space.
    Ehds,
    /// The checklist of a statistics office.
    Office,
}

/// The language of an evidence page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tongue {
    /// English.
    En,
    /// German.
    De,
}

/// A standard of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetadataName {
    /// `datapackage.json`: a Data Package 2.0.
    Frictionless,
    /// `croissant.json`: Croissant 1.1.
    Croissant,
    /// `ddi.xml`: DDI Codebook 2.5.
    Ddi,
}

impl Report {
    /// Returns the layout and the language of the evidence.
    ///
    /// # Errors
    /// One of them is given, and no evidence is written.
    pub fn form(&self, has_evidence: bool) -> Result<(Template, Language), Error> {
        Given::new([
            ("template", self.template.is_some()),
            ("language", self.language.is_some()),
            ("evidence", has_evidence),
        ])
        .needs("template", "evidence")?
        .needs("language", "evidence")?;
        let template = match self.template {
            None | Some(Layout::European) => Template::European,
            Some(Layout::Hipaa) => Template::Hipaa,
            Some(Layout::Ehds) => Template::Ehds,
            Some(Layout::Office) => Template::Office,
        };
        let language = match self.language {
            None | Some(Tongue::En) => Language::English,
            Some(Tongue::De) => Language::German,
        };
        Ok((template, language))
    }

    /// Returns the kinds of metadata.
    pub fn kinds(&self) -> Vec<MetadataKind> {
        self.metadata
            .iter()
            .map(|name| match name {
                MetadataName::Frictionless => MetadataKind::Frictionless,
                MetadataName::Croissant => MetadataKind::Croissant,
                MetadataName::Ddi => MetadataKind::Ddi,
            })
            .collect()
    }
}
