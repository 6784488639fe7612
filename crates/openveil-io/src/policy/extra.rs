//! The one table of which extras can be combined with which kind of publication. Refusals,
//! documentation, `--help` and the test of every cell read it.

use super::{Alike, KindName, Policy, ReadRows, Role};
use crate::{Error, ErrorKind, Location};
use openveil_core::model::About;
use openveil_text::{Text, text};

/// An extra that cannot be combined with every kind of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Strata by columns of the table.
    Strata,
    /// Several sensitive columns as one.
    Combine,
    /// Spellings of one value that are merged.
    Merge,
    /// Sensitive values that the program coarsens.
    Coarsening,
    /// Readers with inside knowledge about one person.
    Informed,
    /// Readers with inside knowledge about everybody.
    InformedOfAll,
    /// Readers with inside knowledge about people with episodes.
    InformedOfEpisodes,
    /// A model other than ratio l-diversity.
    OtherModel,
    /// A column that states that every row is a different person.
    Person,
    /// A sample that is measured or left out.
    Sample,
    /// Columns for analysis.
    OtherColumns,
    /// The l-cover of the table.
    Certificate,
    /// Errors of queries, measured with the true values.
    Measure,
    /// A table that is published chunk by chunk, or by a cluster.
    Chunks,
    /// A table on standard output.
    Stream,
    /// `openveil compare`.
    Compare,
    /// `openveil attack`.
    Attack,
    /// `openveil attack` with pictures.
    AttackPictures,
    /// `openveil query --policy`.
    TrueCounts,
    /// `openveil audit --policy`.
    AuditModel,
    /// `openveil audit --policy --utility`.
    AuditUtility,
}

/// A problem, and its remedy.
type Words = (Text, Text);

impl Extra {
    /// All extras, in the order in which they are checked.
    pub const ALL: [Self; 21] = [
        Self::Strata,
        Self::Combine,
        Self::Merge,
        Self::Coarsening,
        Self::Informed,
        Self::InformedOfAll,
        Self::InformedOfEpisodes,
        Self::Person,
        Self::Sample,
        Self::OtherColumns,
        Self::OtherModel,
        Self::Certificate,
        Self::Measure,
        Self::Chunks,
        Self::Stream,
        Self::Compare,
        Self::Attack,
        Self::AttackPictures,
        Self::TrueCounts,
        Self::AuditModel,
        Self::AuditUtility,
    ];

    /// Returns the name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strata => "`strata`",
            Self::Combine => "`combine`",
            Self::Merge => "`merge`",
            Self::Coarsening => "`prefix`, `bins`, `quantiles`",
            Self::Informed => "`odds`",
            Self::InformedOfAll => "`odds` about everybody",
            Self::InformedOfEpisodes => "`odds` with `episode`",
            Self::Person => "`person` under [input]",
            Self::Sample => "`--without-sample`",
            Self::OtherColumns => "columns with the role `other`",
            Self::OtherModel => "models other than ratio l-diversity",
            Self::Certificate => "`--certify`",
            Self::Measure => "`--measure` of ranges",
            Self::Chunks => "tables larger than memory, Spark",
            Self::Stream => "`--stdout`",
            Self::Compare => "`compare`",
            Self::Attack => "`attack`",
            Self::AttackPictures => "`attack --plots`",
            Self::TrueCounts => "`query --policy`",
            Self::AuditModel => "`audit --policy`",
            Self::AuditUtility => "`audit --measure`",
        }
    }

    /// Returns why the extra cannot be combined with a kind of publication; none if it can. **The
    /// table.**
    pub fn refused_with(self, kind: KindName) -> Option<Words> {
        use KindName::{Each, History, Persons, Rules, Ties};
        Some(match (self, kind) {
            (Self::Strata, History) => (
                text!(
                    "[history] is not possible with `strata`: people may move from one to another"
                ),
                text!("leave `strata` out"),
            ),
            (Self::Combine, History) => {
                (text!("[history] is not possible with `combine`"), text!("protect one column"))
            }
            (Self::Combine, Persons) => {
                (text!("[persons] is not possible with `combine`"), text!("protect one column"))
            }
            (Self::Merge, History) => (
                text!(
                    "[history] is not possible with `merge`: the spelling that stands for a value may change between releases"
                ),
                text!("correct the table, so that each value has one spelling"),
            ),
            (Self::Coarsening, History) => (
                text!("[history] is not possible if the program coarsens the sensitive column"),
                text!("coarsen the column in the table instead"),
            ),
            (Self::InformedOfAll, History) => (
                text!(
                    "[history] has no guarantee against readers informed about everybody, who may know something about the order in which people came"
                ),
                text!("name a number of people under [reader]"),
            ),
            (Self::InformedOfEpisodes, History) => (
                text!(
                    "[history] with an `episode` has no guarantee against informed readers, who may know something about every episode"
                ),
                text!("leave [reader] out"),
            ),
            (Self::Person, Persons) => (
                text!(
                    "[persons] is not possible with `person` under [input], which states that every row is another person"
                ),
                text!("leave `person` out"),
            ),
            (Self::Sample, Persons) => (
                text!(
                    "[persons] is not possible with a sample, which consists of rows, not of people"
                ),
                text!("compare on another table"),
            ),
            (Self::OtherColumns, Persons) => (
                text!(
                    "[persons] is not possible with columns of the role `other`, because a person may have several of their values"
                ),
                text!("drop them"),
            ),
            (Self::OtherModel, Persons) => (
                text!("[persons] works with ratio l-diversity only"),
                text!("write `model = \"l-diversity\"` and `l`, without `variant`"),
            ),
            (Self::Certificate, Rules) => (
                text!("the policy has [[rules]]; `--certify` works for a single table only"),
                text!("leave `--certify` out"),
            ),
            (Self::Certificate, History) => (
                text!("`--certify` covers a single release, so it is not possible with [history]"),
                text!("leave `--certify` out"),
            ),
            (Self::Certificate, Persons) => (
                text!(
                    "`--certify` covers one row per person, so it is not possible with [persons]"
                ),
                text!("leave `--certify` out"),
            ),
            (Self::Measure, Rules) => (
                text!(
                    "the policy has [[rules]]; several tables are measured together only if their rows are exact"
                ),
                text!(
                    "leave `--measure` out, or write `style = \"anatomy\"` and no `publish`; `openveil query` with `--policy` shows estimates beside true counts"
                ),
            ),
            (Self::Chunks, Rules) => (
                text!("[[rules]] are for tables in memory only"),
                text!("raise `--memory`, or leave that out"),
            ),
            (Self::Chunks, History) => (
                text!("[history] is for tables in memory only"),
                text!("raise `--memory`, or leave that out"),
            ),
            (Self::Chunks, Persons) => (
                text!("[persons] is for tables in memory only"),
                text!("raise `--memory`, or leave that out"),
            ),
            (Self::Stream, Rules) => (
                text!("`--stdout` takes one table, and the policy makes several"),
                text!("write to a folder: `--out`"),
            ),
            (Self::Stream, History) => (
                text!(
                    "`--stdout` is not possible with [history], whose state must be written together with the folder"
                ),
                text!("write to a folder: `--out`"),
            ),
            (Self::Compare, Rules) => (
                text!("has [[rules]]; `compare` works with a single table only"),
                text!("compare a policy of `quasi-identifier` and `sensitive` columns"),
            ),
            (Self::AttackPictures, Rules) => (
                text!("`--plots` draws the attack on a single table, but the policy has [[rules]]"),
                text!("leave `--plots` out"),
            ),
            (Self::AuditUtility, Rules) => (
                text!("has [[rules]]: releases of several tables are not measured together"),
                text!("measure one table with its own policy"),
            ),
            (Self::Strata, Ties) => (
                text!(
                    "[ties] is not possible with `strata`: the rows of a tie may be in several strata"
                ),
                text!("leave `strata` out"),
            ),
            (Self::Informed | Self::InformedOfAll, Ties) => (
                text!(
                    "[ties] has no guarantee against informed readers, who may know something about every row of a tie"
                ),
                text!("leave `odds` out"),
            ),
            (Self::Sample, Ties) => (
                text!("[ties] is not possible with a sample, which consists of rows, not of ties"),
                text!("compare on another table"),
            ),
            (Self::Certificate, Ties) => (
                text!("`--certify` assumes unrelated rows, so it is not possible with [ties]"),
                text!("leave `--certify` out"),
            ),
            (Self::Chunks, Ties) => (
                text!("[ties] is for tables in memory only"),
                text!("raise `--memory`, or leave that out"),
            ),
            (Self::Compare, Ties) => (
                text!(
                    "has [ties]: a shuffled copy would have to keep the values of every size of ties, and a record of these histograms is not kept"
                ),
                text!("compare a policy without [ties]"),
            ),
            (Self::Combine, Each) => (
                text!(
                    "`protect = \"each\"` is not possible with `combine`: columns are protected either separately or as one combination"
                ),
                text!("remove one of the two"),
            ),
            (Self::Informed | Self::InformedOfAll, Each) => (
                text!(
                    "`protect = \"each\"` has no guarantee against informed readers, who may know something about every column"
                ),
                text!("leave `odds` out"),
            ),
            (Self::OtherModel, Each) => (
                text!("`protect = \"each\"` works with ratio l-diversity only"),
                text!("write `model = \"l-diversity\"` and `l`, without `variant`"),
            ),
            (Self::Certificate, Each) => (
                text!(
                    "`--certify` covers one sensitive value per person, so it is not possible with `protect = \"each\"`"
                ),
                text!("leave `--certify` out"),
            ),
            (Self::Chunks, Each) => (
                text!("`protect = \"each\"` is for tables in memory only"),
                text!("raise `--memory`, or leave that out"),
            ),
            _ => return None,
        })
    }

    /// Returns whether it is an option of a command rather than a line of the policy.
    fn is_option(self) -> bool {
        use Extra::{AttackPictures, Certificate, Measure, Stream};
        matches!(self, AttackPictures | Certificate | Measure | Stream)
    }

    /// Returns whether a policy uses the extra. Commands check their own extras and options.
    fn is_of(self, policy: &Policy) -> bool {
        let mut secret = policy.columns.values().filter(|column| column.role == Role::Sensitive);
        let informed = policy.privacy.model.informed();
        match self {
            // People with several rows are published in strata by their number of rows.
            Self::Strata => !policy.privacy.strata.is_empty(),
            Self::Combine => !policy.privacy.combine.is_empty(),
            Self::Merge => secret.any(|column| column.alike == Some(Alike::Merge)),
            Self::Coarsening => secret.any(|column| column.coarsening.is_some()),
            Self::Informed => informed.is_some(),
            Self::InformedOfAll => informed.is_some_and(|own| own.about() == About::Everybody),
            Self::InformedOfEpisodes => policy.episode().is_some() && informed.is_some(),
            Self::OtherModel => {
                policy.rules().is_none() && policy.privacy.model.asked_ratio().is_none()
            }
            Self::Person => policy.input.person.is_some(),
            Self::Sample => policy.input.part != ReadRows::Everybody,
            Self::OtherColumns => policy.columns.values().any(|column| column.role == Role::Other),
            Self::Certificate
            | Self::Measure
            | Self::Chunks
            | Self::Stream
            | Self::Compare
            | Self::Attack
            | Self::AttackPictures
            | Self::TrueCounts
            | Self::AuditModel
            | Self::AuditUtility => false,
        }
    }
}

impl Policy {
    /// Refuses an extra that cannot be combined with the kind of publication.
    ///
    /// # Errors
    /// The texts of [`Extra::refused_with`].
    pub fn allow(&self, extra: Extra) -> Result<(), Error> {
        match extra.refused_with(self.kind.name()) {
            None => Ok(()),
            Some((problem, help)) => Err(if extra.is_option() {
                Error::new(Location::default(), problem).of_kind(ErrorKind::Refused)
            } else {
                Error::new(Location::file(&self.path), problem)
            }
            .help(help)),
        }
    }

    /// Refuses all extras of the policy that cannot be combined with its kind.
    ///
    /// # Errors
    /// The first extra that is refused.
    pub fn allow_all(&self) -> Result<(), Error> {
        Extra::ALL
            .into_iter()
            .filter(|extra| extra.is_of(self))
            .try_for_each(|extra| self.allow(extra))
    }
}
