//! A look: an output of an earlier run that depended on who has which value, as it is recorded.

use crate::load::Loaded;
use crate::policy::Policy;
use crate::policy::persons::ROWS;
use crate::prints::RowPrints;
use crate::sight::{Seen, Sight, published_together};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::table::View;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// An output that depended on who has which value, and the fingerprints of the rows that it was
/// about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Look {
    /// The kind of output; records of 1.0 list refusals only.
    #[serde(default = "refusal")]
    pub(super) sight: Sight,
    /// The columns that fixed the strata, sorted.
    pub(super) strata: Vec<String>,
    /// The protected columns; those of one set together. In records of 1.0, one set.
    protects: Protects,
    /// The model, for the owner.
    #[serde(default)]
    model: String,
    /// The columns that the fingerprint is over; empty if the rows are not known.
    #[serde(default)]
    pub(super) columns: Vec<String>,
    /// The fingerprint; none if the rows are not known.
    #[serde(default)]
    print: Option<String>,
    /// The history whose state records it, too.
    #[serde(default)]
    history: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Protects {
    Sets(Vec<Vec<String>>),
    One(Vec<String>),
}

fn refusal() -> Sight {
    Sight::Model
}

impl Look {
    /// Returns the record of an output of a run by a policy.
    pub(super) fn new(policy: &Policy, seen: &Seen) -> Self {
        let mut strata = seen.strata.clone();
        strata.sort_unstable();
        let protects = seen.protects.clone();
        let mut look = Self {
            sight: seen.sight,
            model: policy.privacy.model.to_string(),
            columns: Vec::new(),
            print: None,
            history: seen.history.clone(),
            protects: Protects::Sets(protects),
            strata,
        };
        let is_comparable = seen.sight.is_of_rows() || seen.sight.is_of_histograms();
        if let (Some(prints), true) = (&seen.prints, is_comparable) {
            let own = match seen.sight.is_of_histograms() {
                true => &prints.columns,
                false => &prints.open,
            };
            look.columns.clone_from(own);
            look.print = match seen.sight {
                Sight::Missing => prints.print(&look.columns, std::iter::empty(), ""),
                _ => look.print_of(policy, prints),
            };
        }
        look
    }

    /// Returns the fingerprint that the look would have if it were of this table; none if it cannot
    /// be known.
    fn print_of(&self, policy: &Policy, prints: &RowPrints) -> Option<String> {
        let Protects::Sets(sets) = &self.protects else {
            return None;
        };
        if self.sight == Sight::Missing {
            // A release says how many rows of these lack a value, or publishes them.
            let input = prints.input.as_ref()?;
            return input.print(&self.columns, std::iter::empty(), "");
        }
        if self.sight.is_of_rows() {
            return prints.print(&self.columns, std::iter::empty(), "");
        }
        // The sizes of ties, and the numbers of a person's rows, follow from the rows.
        let is_added = |name: &String| name == ROWS || policy.identity() == Some(name);
        let cut = self.strata.iter().chain(sets.iter().flatten()).filter(|name| !is_added(name));
        prints.print(&self.columns, cut, &drawn(policy, prints))
    }

    /// Returns whether a release of this table shows what the look was about: the same rows, and
    /// for an output about histograms at least these, in these strata. Then the look discloses
    /// nothing more.
    pub(super) fn is_shown<'a>(
        &self,
        policy: &Policy,
        loaded: &Loaded,
        mut views: impl Iterator<Item = &'a View>,
    ) -> bool {
        let are_same_rows =
            self.print.is_some() && self.print == self.print_of(policy, &loaded.prints);
        let Protects::Sets(sets) = &self.protects else {
            return false;
        };
        are_same_rows
            && (self.sight.is_of_rows()
                || views.any(|view| {
                    let fixes = |name: &String| {
                        let is_tie = policy.ties().is_some_and(|ties| ties.id == *name);
                        is_tie || view.strata_columns().any(|own| own.name() == name)
                    };
                    let is_in = |set: &[String], name: &String| set.contains(name) || fixes(name);
                    let shown = published_together(view);
                    self.strata.iter().all(fixes)
                        && sets.iter().all(|set| {
                            shown.iter().any(|own| set.iter().all(|name| is_in(own, name)))
                        })
                }))
    }

    /// Returns whether a written release that shows it tells as much: it led to no refusal.
    pub(super) fn ends(&self) -> bool {
        matches!(self.sight, Sight::Plan | Sight::Comparison)
    }

    /// Returns whether it was a run of this history, whose state counts it.
    pub(super) fn is_counted_by(&self, policy: &Policy) -> bool {
        let history = policy.history().map(|history| &history.state);
        self.history.is_some() && self.history.as_ref() == history
    }

    /// Returns what happened, and the people whose values it depended on.
    pub(super) fn in_words(&self) -> (String, &'static str) {
        let (strata, them) = match &self.strata[..] {
            [] => (String::new(), "the rows that it read"),
            names => (format!(" in strata by {}", names.join(", ")), "them"),
        };
        let what = match self.sight {
            Sight::Model => format!("An earlier run{strata} was refused"),
            Sight::Cells => "An earlier run stopped at protected values".to_owned(),
            Sight::Missing => "An earlier run stopped at missing protected values".to_owned(),
            Sight::Ties => "An earlier run stopped at tied rows with several values".to_owned(),
            Sight::Sample => {
                "An earlier run was refused because of the values of a sample".to_owned()
            }
            Sight::History => {
                "A run of a history was refused because of the values of people".to_owned()
            }
            Sight::Plan => format!("An earlier dry run{strata} told whether a release is possible"),
            Sight::Comparison => format!("Settings{strata} were compared"),
        };
        (what, them)
    }
}

/// Returns which rows of people count, as far as the rows of the table do not fix it.
fn drawn(policy: &Policy, prints: &RowPrints) -> String {
    if let Some(persons) = policy.persons() {
        let draw = super::draw::known(policy)
            .ok()
            .flatten()
            .map(|key| prints.key.hash(&["draw", &format!("{:?}", key.coins().below(u32::MAX))]));
        return format!("{} {:?} {:?} {draw:?}", persons.id, persons.rows, persons.varying);
    }
    match policy.ties() {
        Some(ties) if ties.largest.is_some() => {
            // Drawn anew by every run.
            SecretCoins::from_os().below(u32::MAX).to_string()
        }
        Some(ties) => ties.id.clone(),
        None => String::new(),
    }
}
