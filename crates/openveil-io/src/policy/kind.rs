//! Kinds of publications.

use super::written::WrittenPolicy;
use super::{EachPolicy, Extra, HistoryPolicy, Persons, Policy, Rules, TiesPolicy};
use crate::Error;
use openveil_text::{Text, text};

/// The kind of a publication; each has exactly one.
#[derive(Debug, Clone)]
pub enum PublicationKind {
    /// One table, published once.
    Single,
    /// Several tables that satisfy rules together.
    Rules(Rules),
    /// A table that is published repeatedly.
    History(HistoryPolicy),
    /// People with several rows.
    Persons(Persons),
    /// Rows that share their sensitive value.
    Ties(TiesPolicy),
    /// Several sensitive columns, each protected by itself.
    Each(EachPolicy),
}

/// The name of a kind of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindName {
    /// One table, published once.
    Single,
    /// Several tables that satisfy rules together.
    Rules,
    /// A table that is published repeatedly.
    History,
    /// People with several rows.
    Persons,
    /// Rows that share their sensitive value.
    Ties,
    /// Several sensitive columns, each protected by itself.
    Each,
}

impl KindName {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Single, Self::Rules, Self::History, Self::Persons, Self::Ties, Self::Each];

    /// Returns the section or key that makes a policy of the kind; empty for a single table.
    pub fn section(self) -> Text {
        match self {
            Self::Single => Text::default(),
            Self::Rules => text!("[[rules]]"),
            Self::History => text!("[history]"),
            Self::Persons => text!("[persons]"),
            Self::Ties => text!("[ties]"),
            Self::Each => text!("`protect = \"each\"`"),
        }
    }

    /// Returns the extras that cannot be combined with it.
    pub fn lacks(self) -> impl Iterator<Item = Extra> {
        Extra::ALL.into_iter().filter(move |extra| extra.refused_with(self).is_some())
    }
}

impl PublicationKind {
    /// Returns the name of the kind.
    pub fn name(&self) -> KindName {
        match self {
            Self::Single => KindName::Single,
            Self::Rules(_) => KindName::Rules,
            Self::History(_) => KindName::History,
            Self::Persons(_) => KindName::Persons,
            Self::Ties(_) => KindName::Ties,
            Self::Each(_) => KindName::Each,
        }
    }

    /// Returns the kind, given the sections that each make one; a policy has at most one of them.
    ///
    /// # Errors
    /// Two such sections.
    pub(super) fn new(
        check: &WrittenPolicy<'_>,
        sections: [Option<Self>; 5],
    ) -> Result<Self, Error> {
        let mut given = sections.into_iter().flatten();
        let first = given.next().unwrap_or(Self::Single);
        let Some(second) = given.next() else {
            return Ok(first);
        };
        let (one, other) = (first.name(), second.name());
        let help = match (one, other) {
            (KindName::Rules, KindName::History) => {
                text!("publish one table, or each release without [history]")
            }
            (KindName::Rules, _) => text!("publish one table"),
            _ => text!("remove one of the two"),
        };
        let problem = text!("{:text} is not possible with {:text}", other.section(), one.section());
        Err(check.error(problem).help(help))
    }
}

impl Policy {
    /// Returns the rules that several tables satisfy together; none for a single table.
    pub fn rules(&self) -> Option<&Rules> {
        match &self.kind {
            PublicationKind::Rules(rules) => Some(rules),
            _ => None,
        }
    }

    /// Returns how the table is published repeatedly, if it is.
    pub fn history(&self) -> Option<&HistoryPolicy> {
        match &self.kind {
            PublicationKind::History(history) => Some(history),
            _ => None,
        }
    }

    /// Returns how rows belong to people, if people have several.
    pub fn persons(&self) -> Option<&Persons> {
        match &self.kind {
            PublicationKind::Persons(persons) => Some(persons),
            _ => None,
        }
    }

    /// Returns how several sensitive columns are protected, if each is by itself.
    pub fn each(&self) -> Option<&EachPolicy> {
        match &self.kind {
            PublicationKind::Each(each) => Some(each),
            _ => None,
        }
    }

    /// Returns which rows share their sensitive value, if some do.
    pub fn ties(&self) -> Option<&TiesPolicy> {
        match &self.kind {
            PublicationKind::Ties(ties) => Some(ties),
            _ => None,
        }
    }
}
