//! The one table of which extras can be combined with which kind of publication. Refusals,
//! documentation, `--help` and the test of every cell read it.

use super::{Alike, KindName, Policy, ReadRows, Role};
use crate::{Error, ErrorKind, Location};
use openveil_core::algorithm::{Algorithm, Inside};
use openveil_core::model::About;

/// An extra that cannot be combined with every kind of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Strata by columns of the table.
    Strata,
    /// Several sensitive columns as one.
    Combine,
    /// Values that need no protection.
    Exempt,
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
    /// Groups formed by blurred positions.
    Jitter,
    /// A model other than ratio l-diversity.
    OtherModel,
    /// An algorithm that does not arrange columns of slots.
    OtherAlgorithm,
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
type Words = (&'static str, &'static str);

impl Extra {
    /// All extras, in the order in which they are checked.
    pub const ALL: [Self; 24] = [
        Self::Strata,
        Self::Combine,
        Self::Exempt,
        Self::Merge,
        Self::Coarsening,
        Self::Informed,
        Self::InformedOfAll,
        Self::Jitter,
        Self::InformedOfEpisodes,
        Self::Person,
        Self::Sample,
        Self::OtherColumns,
        Self::OtherModel,
        Self::OtherAlgorithm,
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
            Self::Exempt => "`exempt`",
            Self::Merge => "`merge`",
            Self::Coarsening => "`prefix`, `bins`, `quantiles`",
            Self::Informed => "`odds`",
            Self::InformedOfAll => "`odds` about everybody",
            Self::Jitter => "`jitter`",
            Self::InformedOfEpisodes => "`odds` with `episode`",
            Self::Person => "`person` under [input]",
            Self::Sample => "`--without-sample`",
            Self::OtherColumns => "columns with the role `other`",
            Self::OtherModel => "models but ratio l-diversity",
            Self::OtherAlgorithm => "algorithms but `cover`, `auto`",
            Self::Certificate => "`--certify`",
            Self::Measure => "`--measure` of ranges",
            Self::Chunks => "tables larger than memory, Spark",
            Self::Stream => "`--stdout`",
            Self::Compare => "`compare`",
            Self::Attack => "`attack`",
            Self::AttackPictures => "`attack --plots`",
            Self::TrueCounts => "`query --policy`",
            Self::AuditModel => "`audit --policy`",
            Self::AuditUtility => "`audit --policy --measure`",
        }
    }

    /// Returns why the extra cannot be combined with a kind of publication; none if it can. **The
    /// table.**
    pub fn refused_with(self, kind: KindName) -> Option<Words> {
        use KindName::{Each, History, Persons, Rules, Ties};
        Some(match (self, kind) {
            (Self::Strata, History) => (
                "[history] is not possible with `strata`: people may move from one to another",
                "leave `strata` out",
            ),
            (Self::Combine, History) => (
                "[history] is not possible with `combine`",
                "protect one column",
            ),
            (Self::Combine, Persons) => (
                "[persons] is not possible with `combine`",
                "protect one column",
            ),
            (Self::Exempt, History) => (
                "[history] is not possible with `exempt` values",
                "leave `exempt` out",
            ),
            (Self::Merge, History) => (
                "[history] is not possible with `merge`: which spelling stands for a value may change",
                "write each value in one way before",
            ),
            (Self::Coarsening, History) => (
                "[history] is not possible where the sensitive column is coarsened by the program",
                "coarsen it before",
            ),
            (Self::InformedOfAll, History) => (
                "[history] promises nothing to readers informed about everybody: groups of several releases show who shares a place",
                "name a number of people under [reader]",
            ),
            (Self::Jitter, History) => (
                "[history] is not possible with `jitter`: its bound is about one release",
                "leave `jitter` out",
            ),
            (Self::InformedOfEpisodes, History) => (
                "[history] with an `episode` promises nothing to informed readers, who may know something of every episode",
                "leave [reader] out",
            ),
            (Self::Person, Persons) => (
                "[persons] is not possible with `person` under [input], which says that every row is another person's",
                "leave `person` out",
            ),
            (Self::Sample, Persons) => (
                "[persons] is not possible with a sample: it is of rows, not of people",
                "choose on another table",
            ),
            (Self::OtherColumns, Persons) => (
                "[persons] is not possible with columns of the role `other`, of which a person has several values",
                "drop them",
            ),
            (Self::OtherModel, History) => (
                "[history] keeps ratio l-diversity only",
                "write `model = \"l-diversity\"` and `l`, without `variant`",
            ),
            (Self::OtherModel, Persons) => (
                "[persons] keeps ratio l-diversity only",
                "write `model = \"l-diversity\"` and `l`, without `variant`",
            ),
            (Self::OtherAlgorithm, History) => {
                ("[history] is kept by `cover`", "leave the algorithm out")
            }
            (Self::Certificate, Rules) => (
                "the policy has [[rules]]; an l-cover is of one table: there is no `--certify` for several tables",
                "leave `--certify` out",
            ),
            (Self::Certificate, History) => (
                "a certificate is of one release: there is no `--certify` with [history]",
                "leave `--certify` out",
            ),
            (Self::Certificate, Persons) => (
                "there are certificates for rows, not for people with several: there is no `--certify` with [persons]",
                "leave `--certify` out",
            ),
            (Self::Measure, Rules) => (
                "the policy has [[rules]]; what several tables say together is measured where their rows are exact",
                "leave `--measure` out, or write `style = \"anatomy\"` and no `publish`; `openveil query` with `--policy` shows estimates beside true counts",
            ),
            (Self::Chunks, Rules) => (
                "[[rules]] are for tables in memory only",
                "give it more `--memory`, or leave that out",
            ),
            (Self::Chunks, History) => (
                "[history] is for tables in memory only",
                "give it more `--memory`, or leave that out",
            ),
            (Self::Chunks, Persons) => (
                "[persons] is for tables in memory only",
                "give it more `--memory`, or leave that out",
            ),
            (Self::Stream, Rules) => (
                "`--stdout` takes one table, and the policy makes several",
                "write to a folder: `--out`",
            ),
            (Self::Stream, History) => (
                "`--stdout` takes no release with [history]: its state is written with its folder, or neither",
                "write to a folder: `--out`",
            ),
            (Self::Compare, Rules) => (
                "has [[rules]]; what is compared are releases of a single table",
                "compare with a policy of `quasi-identifier` and `sensitive` columns",
            ),
            (Self::Compare, Persons) => (
                "has [persons]: people with several rows are for `publish` so far",
                "compare with a policy of a table with one row per person",
            ),
            (Self::Attack | Self::AttackPictures, History) => (
                "has [history]: the rows of its releases are not those of the table, and they cannot be attacked yet",
                "attack a release of a policy without [history]",
            ),
            (Self::Attack | Self::AttackPictures, Persons) => (
                "has [persons]: people with several rows are for `publish` so far",
                "attack a release of a table with one row per person",
            ),
            (Self::AttackPictures, Rules) => (
                "`--plots` draws the attack on one table, and the policy has [[rules]]",
                "leave `--plots` out",
            ),
            (Self::TrueCounts, Persons) => (
                "has [persons]: a release shows people, and the table rows",
                "ask the release without `--policy`",
            ),
            (Self::AuditModel, Persons) => (
                "has [persons]: whether sets of people's values satisfy a model is decided by `publish` only, so far",
                "audit without `--policy`: the measures are then of whole sets",
            ),
            (Self::AuditUtility, Persons) => (
                "has [persons]: people with several rows are for `publish` so far",
                "leave `--measure` out",
            ),
            (Self::AuditUtility, Rules) => (
                "has rules: releases of several tables are not measured together",
                "measure one table with a policy of its own",
            ),
            (Self::Strata, Ties) => (
                "[ties] is not possible with `strata`: rows of a tie may be in several",
                "leave `strata` out",
            ),
            (Self::Exempt, Ties) => (
                "[ties] is not possible with `exempt` values",
                "leave `exempt` out",
            ),
            (Self::Informed | Self::InformedOfAll, Ties) => (
                "[ties] promises nothing to informed readers, who may know something of every row of a tie",
                "leave `odds` out",
            ),
            (Self::Jitter, Ties) => ("[ties] is not possible with `jitter`", "leave `jitter` out"),
            (Self::Sample, Ties) => (
                "[ties] is not possible with a sample: it is of rows, not of ties",
                "choose on another table",
            ),
            (Self::OtherModel, Ties) => (
                "[ties] keeps ratio l-diversity only",
                "write `model = \"l-diversity\"` and `l`, without `variant`",
            ),
            (Self::OtherAlgorithm, Ties) => {
                ("[ties] is kept by `cover`", "leave the algorithm out")
            }
            (Self::Certificate, Ties) => (
                "there are certificates for rows that are unrelated: there is no `--certify` with [ties]",
                "leave `--certify` out",
            ),
            (Self::Chunks, Ties) => (
                "[ties] is for tables in memory only",
                "give it more `--memory`, or leave that out",
            ),
            (Self::Compare, Ties) => (
                "has [ties]: rows that share their value are for `publish` so far",
                "compare with a policy without [ties]",
            ),
            (Self::Attack | Self::AttackPictures, Ties) => (
                "has [ties]: the other attacks are on rows that are unrelated",
                "say `--ties`",
            ),
            (Self::Combine, Each) => (
                "`protect = \"each\"` is not possible with `combine`: columns are protected each by itself, or as one",
                "leave one of the two out",
            ),
            (Self::Strata, Each) => (
                "`protect = \"each\"` is not possible with `strata` so far",
                "leave `strata` out",
            ),
            (Self::Informed | Self::InformedOfAll, Each) => (
                "`protect = \"each\"` promises nothing to informed readers, who may know something of every column",
                "leave `odds` out",
            ),
            (Self::OtherModel, Each) => (
                "`protect = \"each\"` keeps ratio l-diversity only",
                "write `model = \"l-diversity\"` and `l`, without `variant`",
            ),
            (Self::OtherAlgorithm, Each) => (
                "`protect = \"each\"` is kept by `cover` and by what `auto` chooses",
                "leave the algorithm out",
            ),
            (Self::Certificate, Each) => (
                "there are certificates for one value of a person: there is no `--certify` with `protect = \"each\"`",
                "leave `--certify` out",
            ),
            (Self::Chunks, Each) => (
                "`protect = \"each\"` is for tables in memory only",
                "give it more `--memory`, or leave that out",
            ),
            (Self::Compare, Each) => (
                "has `protect = \"each\"`: what is compared are releases of one sensitive column",
                "compare with a policy that protects one column",
            ),
            (Self::Attack | Self::AttackPictures, Each) => (
                "has `protect = \"each\"`: the attacks are on one sensitive column",
                "attack a release of a policy that protects one column",
            ),
            (Self::AuditModel, Each) => (
                "has `protect = \"each\"`: whether groups keep every column's bound is decided by `publish` only, so far",
                "audit one column: `--qi … --sensitive …`",
            ),
            (Self::AuditUtility, Each) => (
                "has `protect = \"each\"`: releases of several sensitive columns are not measured yet",
                "leave `--measure` out",
            ),
            (Self::Measure, Each) => (
                "`protect = \"each\"` is not possible with `--measure`, which is about one sensitive column",
                "leave `--measure` out; `openveil query` with `--policy` shows estimates beside true counts",
            ),
            _ => return None,
        })
    }

    /// Returns whether it is an option of a command rather than a line of the policy.
    fn is_option(self) -> bool {
        use Extra::{AttackPictures, Certificate, Measure, Stream};
        matches!(self, AttackPictures | Certificate | Measure | Stream)
    }

    /// Returns whether a policy that `algorithm` runs uses the extra. Commands check their own
    /// extras and options.
    fn is_of(self, policy: &Policy, algorithm: &dyn Algorithm) -> bool {
        let mut secret = policy
            .columns
            .values()
            .filter(|column| column.role == Role::Sensitive);
        let informed = policy.model.informed();
        match self {
            // People with several rows are published in strata by their number of rows.
            Self::Strata => !policy.strata.is_empty(),
            Self::Combine => !policy.combine.is_empty(),
            Self::Exempt => secret.any(|column| !column.exempt.is_empty()),
            Self::Merge => secret.any(|column| column.alike == Some(Alike::Merge)),
            Self::Coarsening => secret.any(|column| column.coarsening.is_some()),
            Self::Informed => informed.is_some(),
            Self::InformedOfAll => informed.is_some_and(|own| own.about() == About::Everybody),
            Self::InformedOfEpisodes => policy.episode().is_some() && informed.is_some(),
            Self::Jitter => matches!(policy.inside, Inside::Jittered(_)),
            Self::OtherModel => policy.rules().is_none() && policy.model.asked_ratio().is_none(),
            Self::OtherAlgorithm => !algorithm.profile().takes_inside,
            Self::Person => policy.person.is_some(),
            Self::Sample => policy.part != ReadRows::Everybody,
            Self::OtherColumns => {
                let mut columns = policy.columns.values();
                columns.any(|column| column.role == Role::Other)
            }
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

    /// Refuses all extras of the policy that cannot be combined with its kind, for a run by
    /// `algorithm`.
    ///
    /// # Errors
    /// The first extra that is refused.
    pub fn allow_all(&self, algorithm: &dyn Algorithm) -> Result<(), Error> {
        let mut extras = Extra::ALL
            .into_iter()
            .filter(|extra| extra.is_of(self, algorithm));
        extras.try_for_each(|extra| self.allow(extra))
    }
}
