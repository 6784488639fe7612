//! Writes the guarantee as a sentence.

use super::Guarantee;
use super::chance::Chance;
use super::keeper::{Keeper, PromisedHistory};
use super::phrases::in_words;
use super::reader::{InformedReader, Promise};
use crate::algorithm::Adversary;
use crate::model::Criteria;
use crate::table::Secret;

/// The parts of a sentence.
pub(super) struct SentenceParts<'a> {
    pub(super) adversary: Adversary,
    chance: Chance,
    readers: Vec<Promise>,
    /// The model's criteria in any stratum: their words are the same in all.
    criteria: &'a Criteria,
    strata: &'a [String],
    history: Option<PromisedHistory>,
    ties: Option<&'a str>,
    secret: &'a Secret,
    exempt: Vec<String>,
}

impl<'a> SentenceParts<'a> {
    pub(super) fn new(secret: &'a Secret, keeper: Keeper<'a>) -> Self {
        let chance = keeper.chance(secret);
        Self {
            adversary: keeper.profile().adversary,
            readers: keeper.informed(secret, &chance),
            chance,
            criteria: keeper.criteria().first().expect("a table has a stratum"),
            strata: keeper.strata(),
            history: keeper.history(),
            ties: keeper.ties(),
            secret,
            exempt: secret.exempt_labels(),
        }
    }

    /// `nobody's value of … can be guessed with a chance above 1/6 by`.
    pub(super) fn sentence(&self) -> String {
        let what = self.what();
        match &self.chance {
            Chance::AtMost(bound) => {
                let bound = in_words(bound);
                format!("nobody's {what} can be guessed with a chance above {bound} by")
            }
            Chance::BelowOne => format!(
                "nobody's {what} can become certain, though no bound is promised on the chance of a guess, to"
            ),
            Chance::MayBeCertain => {
                format!("the model does not keep anybody's {what} from becoming certain to")
            }
        }
    }

    /// The subject of the sentence, with its exceptions.
    fn what(&self) -> String {
        let labels: Vec<String> = self.exempt.iter().map(|label| format!("`{label}`")).collect();
        let exception = if labels.is_empty() {
            String::new()
        } else {
            format!(
                ", unless it is {} (exempt: it may become certain who has it),",
                labels.join(" or ")
            )
        };
        match self.secret.columns() {
            [one] if self.secret.members().is_some() => {
                format!("having some value of `{one}` in any of the rows that count{exception}")
            }
            [one] => format!("value of `{one}`{exception}"),
            several if self.secret.each().is_some() => {
                let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
                let comma = if exception.is_empty() { "," } else { "" };
                format!("value of {}, each by itself{comma}{exception}", names.join(" or "))
            }
            several => format!(
                "combination of {} (not of each column by itself){exception}",
                several.join(", ")
            ),
        }
    }

    /// The terms of the guarantee, besides the chance.
    pub(super) fn terms(&self) -> String {
        self.model_in_words()
            + &self.strata_in_words()
            + &self.history_in_words()
            + &self.ties_in_words()
            + &self.each_in_words()
            + &self.readers_in_words()
    }

    /// The guarantee after several releases.
    fn history_in_words(&self) -> String {
        let Some(PromisedHistory { releases, refused, has_episodes }) = self.history else {
            return String::new();
        };
        let all = match releases {
            1 => "this holds after this release and any further ones of this history".to_owned(),
            several => format!(
                "this holds after all {several} releases of this history together, and after any further ones"
            ),
        };
        let episodes = if has_episodes {
            ", and to whom a person's value in one episode says nothing about that in another"
        } else {
            ""
        };
        let not_covered = match refused {
            0 => String::new(),
            1 => "; not covered: a reader who knows that 1 run of this history was refused, and who was in the table then".to_owned(),
            _ => format!("; not covered: a reader who knows that {refused} runs of this history were refused, and who was in the table then"),
        };
        format!(
            "; {all}, for a reader who also knows who was in the table when, and how often every value occurs among people who came together, as long as coming and leaving do not depend on values{episodes}{not_covered}"
        )
    }

    /// The guarantee about rows that share their value.
    fn ties_in_words(&self) -> String {
        match self.ties {
            None => String::new(),
            Some(id) => format!(
                "; rows with one value of `{id}` are tied, and have one value here: this holds for a reader who also knows which rows are tied, and how often every value occurs among ties of each size; assignments are those of values to ties"
            ),
        }
    }

    /// The guarantee about several columns, each by itself.
    fn each_in_words(&self) -> String {
        let Some(each) = self.secret.each() else {
            return String::new();
        };
        let least = each.l.iter().min();
        let stricter: String = self
            .secret
            .columns()
            .iter()
            .zip(&each.l)
            .filter(|(_, l)| Some(*l) != least)
            .map(|(name, l)| format!("; a value of `{name}` not above 1/{l}"))
            .collect();
        let linked = if each.linked {
            "rows show which values go together, so a reader who knows one of a person's values learns the others"
        } else {
            "each column is shuffled by itself, and rows do not show which values go together"
        };
        format!(
            "{stricter}; assignments are those of all columns' values together; {linked}; not covered: a reader who knows one of these values of a person, and infers the others from it"
        )
    }

    /// The guarantees for readers who know more, except readers who take the groups as given.
    fn readers_in_words(&self) -> String {
        self.readers
            .iter()
            .filter(|promise| promise.reader != InformedReader::FaceValue)
            .map(|promise| format!("; {}", promise.in_words()))
            .collect()
    }

    /// The strata that a reader is assumed to know, and with which the model compares.
    fn strata_in_words(&self) -> String {
        if self.strata.is_empty() {
            return String::new();
        }
        let columns: Vec<String> = self.strata.iter().map(|name| format!("`{name}`")).collect();
        format!(
            "; people of equal {} are a stratum: how often every value occurs in each stratum is published and counts as known, and what is said of the whole table holds of the person's own stratum",
            columns.join(" and ")
        )
    }

    /// The rest of the model's meaning. Empty for ratio l-diversity, whose meaning is in the
    /// chance.
    fn model_in_words(&self) -> String {
        // This includes sets: the chance is about their members in the rows that count.
        let asks_ratio = self.criteria.model().ratio().is_some();
        if asks_ratio && matches!(self.chance, Chance::AtMost(_)) {
            return String::new();
        }
        let (model, exempt) = (self.criteria.model(), !self.exempt.is_empty());
        let words: Vec<String> = model.requirements().iter().map(|r| r.in_words(exempt)).collect();
        format!("; {} ({model})", words.join("; "))
    }

    pub(super) fn guarantee(self, statement: String) -> Guarantee {
        Guarantee {
            adversary: self.adversary,
            protects: match self.chance {
                Chance::MayBeCertain => Vec::new(),
                _ => self.secret.columns().to_vec(),
            },
            chance: self.chance,
            exempt: self.exempt,
            readers: self.readers,
            statement,
        }
    }
}
