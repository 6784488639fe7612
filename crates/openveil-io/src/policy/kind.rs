//! Kinds of publications.

use super::written::WrittenPolicy;
use super::{Extra, HistoryPolicy, Persons, Policy, Rules};
use crate::Error;

/// A publication is of one kind.
#[derive(Debug, Clone)]
pub enum PublicationKind {
    /// One table, published once.
    Single,
    /// Several tables that keep rules together.
    Rules(Rules),
    /// A table that is published again and again.
    History(HistoryPolicy),
    /// People with several rows.
    Persons(Persons),
}

/// The name of a kind of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindName {
    /// One table, published once.
    Single,
    /// Several tables that keep rules together.
    Rules,
    /// A table that is published again and again.
    History,
    /// People with several rows.
    Persons,
}

impl KindName {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Single, Self::Rules, Self::History, Self::Persons];

    /// The section of a policy that makes the kind; of a single table, none does.
    pub fn section(self) -> &'static str {
        match self {
            Self::Single => "",
            Self::Rules => "[[rules]]",
            Self::History => "[history]",
            Self::Persons => "[persons]",
        }
    }

    /// The extras that do not go with it.
    pub fn lacks(self) -> impl Iterator<Item = Extra> {
        let extras = Extra::ALL.into_iter();
        extras.filter(move |extra| extra.refused_with(self).is_some())
    }
}

impl PublicationKind {
    /// The name of the kind.
    pub fn name(&self) -> KindName {
        match self {
            Self::Single => KindName::Single,
            Self::Rules(_) => KindName::Rules,
            Self::History(_) => KindName::History,
            Self::Persons(_) => KindName::Persons,
        }
    }

    /// The sections of a policy that make a kind, of which it has one at most.
    ///
    /// # Errors
    /// Two of them.
    pub(super) fn of(
        check: &WrittenPolicy<'_>,
        rules: Option<Rules>,
        history: Option<HistoryPolicy>,
        persons: Option<Persons>,
    ) -> Result<Self, Error> {
        let refused = |problem: &str, help: &str| Err(check.error(problem).help(help));
        match (rules, history, persons) {
            (None, None, None) => Ok(Self::Single),
            (Some(rules), None, None) => Ok(Self::Rules(rules)),
            (None, Some(history), None) => Ok(Self::History(history)),
            (None, None, Some(persons)) => Ok(Self::Persons(persons)),
            (Some(_), Some(_), _) => refused(
                "[history] is not possible with [[rules]]",
                "publish one table, or each release without [history]",
            ),
            (Some(_), None, Some(_)) => refused(
                "[persons] is not possible with [[rules]]",
                "publish one table",
            ),
            (None, Some(_), Some(_)) => refused(
                "[persons] is not possible with [history]",
                "leave one of the two out",
            ),
        }
    }
}

impl Policy {
    /// Several rules at once, kept by several tables; none for a single table.
    pub fn rules(&self) -> Option<&Rules> {
        match &self.kind {
            PublicationKind::Rules(rules) => Some(rules),
            _ => None,
        }
    }

    /// How the table is published again and again, if it is.
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
}
