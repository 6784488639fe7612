//! Writes the guarantee as a sentence.

use super::Guarantee;
use super::chance::Chance;
use super::keeper::{Keeper, PromisedHistory};
use super::phrases::in_words;
use super::reader::{InformedReader, Promise};
use crate::algorithm::Adversary;
use crate::model::Criteria;
use crate::table::Secret;
use openveil_text::{Text, text};

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

    /// `nobody's value of … can be guessed with a chance above 1/6 by a reader who …`.
    pub(super) fn sentence(&self, reader: &Text) -> Text {
        let what = self.what();
        match &self.chance {
            Chance::AtMost(bound) => {
                let bound = in_words(bound);
                text!(
                    "nobody's {what:text} can be guessed with a chance above {bound} by {reader:text}"
                )
            }
            Chance::BelowOne => text!(
                "nobody's {what:text} can become certain, though no bound is promised on the chance of a guess, to {reader:text}"
            ),
            Chance::MayBeCertain => text!(
                "the model does not keep anybody's {what:text} from becoming certain to {reader:text}"
            ),
        }
    }

    /// The subject of the sentence, with its exceptions.
    fn what(&self) -> Text {
        let exempt = quoted(&self.exempt).map(|labels| alternatives(&labels));
        let exception = exempt.map_or_else(Text::default, |labels| {
            text!(", unless it is {labels:text} (exempt: it may become certain who has it),")
        });
        match self.secret.columns() {
            [one] if self.secret.members().is_some() => {
                text!("having some value of `{one}` in any of the rows that count{exception:text}")
            }
            [one] => text!("value of `{one}`{exception:text}"),
            several if self.secret.each().is_some() => {
                let names = alternatives(&quoted(several).unwrap_or_default());
                let comma = if self.exempt.is_empty() { "," } else { "" };
                text!("value of {names:text}, each by itself{comma}{exception:text}")
            }
            several => {
                let names = several.join(", ");
                text!("combination of {names} (not of each column by itself){exception:text}")
            }
        }
    }

    /// The terms of the guarantee, besides the chance.
    pub(super) fn terms(&self) -> Text {
        self.model_in_words()
            .and(self.strata_in_words())
            .and(self.history_in_words())
            .and(self.ties_in_words())
            .and(self.each_in_words())
            .and(self.readers_in_words())
    }

    /// The guarantee after several releases.
    fn history_in_words(&self) -> Text {
        let Some(PromisedHistory { releases, refused, has_episodes }) = self.history else {
            return Text::default();
        };
        let all = match releases {
            1 => text!("this holds after this release and any further ones of this history"),
            several => text!(
                "this holds after all {several} releases of this history together, and after any further ones"
            ),
        };
        let episodes = if has_episodes {
            text!(
                ", and to whom a person's value in one episode says nothing about that in another"
            )
        } else {
            Text::default()
        };
        let not_covered = match refused {
            0 => Text::default(),
            1 => text!(
                "; not covered: a reader who knows that 1 run of this history was refused, and who was in the table then"
            ),
            _ => text!(
                "; not covered: a reader who knows that {refused} runs of this history were refused, and who was in the table then"
            ),
        };
        text!(
            "; {all:text}, for a reader who also knows who was in the table when, and how often every value occurs among people who came together, as long as coming and leaving do not depend on values{episodes:text}{not_covered:text}"
        )
    }

    /// The guarantee about rows that share their value.
    fn ties_in_words(&self) -> Text {
        match self.ties {
            None => Text::default(),
            Some(id) => text!(
                "; rows with one value of `{id}` are tied, and have one value here: this holds for a reader who also knows which rows are tied, and how often every value occurs among ties of each size; assignments are those of values to ties"
            ),
        }
    }

    /// The guarantee about several columns, each by itself.
    fn each_in_words(&self) -> Text {
        let Some(each) = self.secret.each() else {
            return Text::default();
        };
        let least = each.l.iter().min();
        let stricter = self
            .secret
            .columns()
            .iter()
            .zip(&each.l)
            .filter(|(_, l)| Some(*l) != least)
            .map(|(name, l)| text!("; a value of `{name}` not above 1/{l}"))
            .fold(Text::default(), Text::and);
        let linked = if each.linked {
            text!(
                "rows show which values go together, so a reader who knows one of a person's values learns the others"
            )
        } else {
            text!(
                "each column is shuffled by itself, and rows do not show which values go together"
            )
        };
        text!(
            "{stricter:text}; assignments are those of all columns' values together; {linked:text}; not covered: a reader who knows one of these values of a person, and infers the others from it"
        )
    }

    /// The guarantees for readers who know more, except readers who take the groups as given.
    fn readers_in_words(&self) -> Text {
        self.readers
            .iter()
            .filter(|promise| promise.reader != InformedReader::FaceValue)
            .map(|promise| promise.in_words())
            .fold(Text::default(), |all, promise| text!("{all:text}; {promise:text}"))
    }

    /// The strata that a reader is assumed to know, and with which the model compares.
    fn strata_in_words(&self) -> Text {
        let Some(columns) = quoted(self.strata) else {
            return Text::default();
        };
        let columns = Text::listed(columns, &text!(" and "));
        text!(
            "; people of equal {columns:text} are a stratum: how often every value occurs in each stratum is published and counts as known, and what is said of the whole table holds of the person's own stratum"
        )
    }

    /// The rest of the model's meaning. Empty for ratio l-diversity, whose meaning is in the
    /// chance.
    fn model_in_words(&self) -> Text {
        // This includes sets: the chance is about their members in the rows that count.
        let asks_ratio = self.criteria.model().ratio().is_some();
        if asks_ratio && matches!(self.chance, Chance::AtMost(_)) {
            return Text::default();
        }
        let (model, exempt) = (self.criteria.model(), !self.exempt.is_empty());
        let words: Vec<Text> = model.requirements().iter().map(|r| r.in_words(exempt)).collect();
        let words = Text::listed(words, &text!("; "));
        text!("; {words:text} ({model})")
    }

    pub(super) fn guarantee(self, statement: Text) -> Guarantee {
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

/// Names in quotes; nothing for no names.
fn quoted(names: &[String]) -> Option<Vec<Text>> {
    (!names.is_empty()).then(|| names.iter().map(|name| text!("`{name}`")).collect())
}

/// `a or b`.
fn alternatives(names: &[Text]) -> Text {
    Text::listed(names.iter().cloned(), &text!(" or "))
}
