//! `report`: pages, metadata and evidence about a release.

use crate::Given;
use crate::value::given;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::progress::Observer;
use openveil_io::release_dir::write::{Viewer, check_found, write_found};
use openveil_reader::metadata::{self, MetadataKind};
use openveil_reader::query::Reader;
use openveil_reader::report::{self, WrittenPages};
use openveil_text::Language;
use openveil_tools::evidence::{self, Template};
use serde::Deserialize;
use std::path::{Path, PathBuf};

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
    /// The language of the pages and the evidence [default: en].
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

/// The language of a page.
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

/// The files that a report wrote.
#[derive(Debug)]
pub struct WrittenReport {
    /// The pages of the release, and the findings of attacks.
    pub pages: WrittenPages,
    /// Files with metadata.
    pub metadata: Vec<PathBuf>,
}

/// The beginning of an evidence page, and of every other HTML page that this program writes.
const PAGE: &str = "<!DOCTYPE html>";

impl Report {
    /// Writes the pages of a release again, its metadata, and a page of evidence to `evidence`.
    /// Attacks the release if the policy is given; `read` are files that must not be overwritten.
    ///
    /// # Errors
    /// As [`report::write_again`] and [`evidence::html`]; a file that this program did not write.
    pub fn run(
        &self,
        folder: &Path,
        policy: Option<&Policy>,
        (evidence, read): (Option<&Path>, &[PathBuf]),
        observer: &dyn Observer,
    ) -> Result<WrittenReport, Error> {
        let (template, language) = self.form(evidence.is_some())?;
        if let Some(path) = evidence {
            check_found(path, PAGE, read)?;
        }
        let pages = report::write_again(folder, policy, language, observer)?;
        let metadata = match (&self.kinds()[..], pages.release.parent()) {
            ([], _) | (_, None) => Vec::new(),
            (kinds, Some(release)) => metadata::write(&Reader::open(release)?, kinds)?,
        };
        if let Some(path) = evidence {
            let form = (template, language);
            let page = evidence::html(folder, policy, pages.attacked.as_ref(), form)?;
            write_found(path, page.as_bytes(), Viewer::Owner)?;
        }
        Ok(WrittenReport { pages, metadata })
    }

    /// Returns the layout of the evidence, and the language of all pages.
    ///
    /// # Errors
    /// A layout is given, and no evidence is written.
    fn form(&self, has_evidence: bool) -> Result<(Template, Language), Error> {
        Given::new([("template", self.template.is_some()), ("evidence", has_evidence)])
            .needs("template", "evidence")?;
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
    fn kinds(&self) -> Vec<MetadataKind> {
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

impl WrittenReport {
    /// Returns the paths as a document. They are converted lossily, as in printed text: paths that
    /// are not UTF-8 have no JSON form.
    pub fn document(&self, evidence: Option<&Path>) -> serde_json::Value {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let mut paths = serde_json::json!({
            "release": shown(&self.pages.release),
            "owner": self.pages.owner.as_deref().map(shown),
        });
        if !self.metadata.is_empty() {
            let metadata: Vec<String> = self.metadata.iter().map(|path| shown(path)).collect();
            paths["metadata"] = metadata.into();
        }
        if let Some(path) = evidence {
            paths["evidence"] = shown(path).into();
        }
        paths
    }
}
