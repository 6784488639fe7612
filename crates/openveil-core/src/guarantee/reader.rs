use super::chance::Chance;
use super::phrases::in_words;
use crate::exact::text;
use crate::model::{About, Informed};
use crate::table::Secret;
use openveil_text::{Text, text};
use std::fmt;

/// A reader who knows more of some people than of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InformedReader {
    /// Knows the algorithm, and something about a few people.
    Informed,
    /// Knows the algorithm, and something about everybody.
    InformedOfAll,
    /// Knows something about everybody, and takes the groups as given without asking how they came
    /// about.
    FaceValue,
}

impl InformedReader {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Informed => "informed",
            Self::InformedOfAll => "informed-about-everybody",
            Self::FaceValue => "face-value",
        }
    }
}

/// What a reader's odds are about: what one slot of a group holds. The proofs exchange whole slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BelievedAbout {
    /// A value.
    Value,
    /// The set of a person's values.
    Set,
    /// A combination of values of several columns.
    Combination,
}

impl BelievedAbout {
    pub(super) fn new(secret: &Secret) -> Self {
        match secret.columns() {
            [_, _, ..] => Self::Combination,
            _ if secret.members().is_some() => Self::Set,
            _ => Self::Value,
        }
    }

    /// Returns it in words, several and one; and what follows for beliefs about single values.
    fn in_words(self) -> [Text; 3] {
        match self {
            Self::Value => ["values", "value", ""],
            Self::Set => [
                "sets of a person's values",
                "set",
                "; odds about single values can make greater odds about sets, which are not covered",
            ],
            Self::Combination => [
                "combinations of values",
                "combination",
                "; odds about single values can make greater odds about combinations, which are not covered",
            ],
        }
        .map(Text::from)
    }
}

/// A guarantee for a reader who knows more of some people than of all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Promise {
    /// The reader.
    pub reader: InformedReader,
    /// The reader's knowledge.
    pub informed: Informed,
    /// What the odds are about.
    pub about: BelievedAbout,
    /// How probable a guess of a protected value can be.
    pub chance: Chance,
}

impl Promise {
    /// The guarantee in words, to be appended to a sentence about the reader who knows no more of
    /// anybody than of all.
    pub(super) fn in_words(&self) -> Text {
        let (odds, about) = (self.informed.odds(), self.informed.about());
        let (up, down) = (odds.numer(), odds.denom());
        // Odds here are cross odds: of one value against another, for one person against another.
        let ([several, one, beyond], highest) = (self.about.in_words(), text(odds));
        let meaning = |whom: Text| {
            text!(
                "for any two {several:text}, the ratio of their chances is at most {highest} times as high {whom:text}; a belief that raises one {one:text} and lowers the other counts for both{beyond:text}"
            )
        };
        let chance = match &self.chance {
            Chance::AtMost(bound) => text!("the chance is never above {}", in_words(bound)),
            Chance::BelowOne => text!("nothing becomes certain"),
            Chance::MayBeCertain => text!("values may become certain"),
        };
        match self.reader {
            InformedReader::Informed => {
                let meaning = meaning(match about {
                    About::Few(1) => text!("for that person as for everybody else"),
                    _ => text!("for each of them as for everybody else"),
                });
                let about = about.in_words();
                text!(
                    "even if a reader has prior odds of up to {up} to {down} about {about:text} ({meaning:text}), {chance:text}"
                )
            }
            InformedReader::InformedOfAll => {
                let meaning = meaning(text!("for one person of a stratum as for another"));
                text!(
                    "even if a reader has prior odds of up to {up} to {down} about everybody ({meaning:text}), {chance:text}, since groups were formed by random draws and tell nothing beyond themselves"
                )
            }
            InformedReader::FaceValue => {
                let meaning = meaning(text!("for one person as for another"));
                text!(
                    "to a reader with prior odds of up to {up} to {down} about everybody ({meaning:text}) who takes the groups as given, {chance:text}; a reader who asks how the groups were formed may learn more, and no bound exists where people are grouped by known columns"
                )
            }
        }
    }

    /// The guarantee in words, as a sentence.
    pub fn statement(&self) -> Text {
        self.in_words().into_sentence()
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement().fmt(f)
    }
}
