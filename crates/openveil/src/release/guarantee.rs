//! What is promised of a release, in words and numbers, from what is proved.
//!
//! One function of the model, the algorithm, the values that need no protection and of
//! what keeps a rule makes every guarantee; documents only show it. Two things do not
//! enter, since they change nothing: the style (a release is a function of the groups,
//! their people's quasi-identifiers and coins of its own, and groups are what the
//! proofs speak of), and the reader's own column of a rule (a guardian counts all its
//! other columns as known).

use crate::algorithm::{Adversary, Inside, Posterior, Profile};
use crate::exact::{Fraction, fraction, text};
use crate::model::{About, Criteria, Informed};
use crate::table::{Histogram, Secret};
use num_traits::One;
use std::fmt;

/// How probable a guess of somebody's protected value can be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chance {
    /// Never above a bound, which is below 1.
    AtMost(Fraction),
    /// Never 1; closer to it than any bound, as far as is known.
    BelowOne,
    /// A value may become certain.
    MayBeCertain,
}

impl Chance {
    /// The bound as a fraction: 1 where values may become certain, none where values
    /// remain uncertain without a bound.
    pub fn bound(&self) -> Option<Fraction> {
        match self {
            Self::AtMost(bound) => Some(bound.clone()),
            Self::BelowOne => None,
            Self::MayBeCertain => Some(Fraction::one()),
        }
    }

    fn of_bound(bound: Fraction) -> Self {
        if bound < Fraction::one() {
            Self::AtMost(bound)
        } else {
            Self::MayBeCertain
        }
    }

    /// The same for a reader to whom bounds are others.
    fn with_bound(&self, change: impl Fn(&Fraction) -> Fraction) -> Self {
        match self {
            Self::AtMost(bound) => Self::of_bound(change(bound)),
            other => other.clone(),
        }
    }

    /// The weaker of two promises.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::AtMost(one), Self::AtMost(other)) => Self::AtMost(one.max(other)),
            (Self::MayBeCertain, _) | (_, Self::MayBeCertain) => Self::MayBeCertain,
            _ => Self::BelowOne,
        }
    }
}

/// Releases of people whose slots persist ([`crate::history`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct History {
    /// How many there are, this one included.
    pub releases: u32,
    /// Whether people have episodes with values of their own, taken to be independent.
    pub has_episodes: bool,
}

/// What keeps a promise.
#[derive(Debug, Clone, Copy)]
pub enum Keeper<'a> {
    /// The groups of a table.
    Groups {
        /// What the model means for each stratum of the table; for a table without
        /// strata, for the whole.
        criteria: &'a [Criteria],
        /// The columns that fix the strata; none without.
        strata: &'a [String],
        /// The algorithm.
        profile: &'a Profile,
        /// The highest share of a protected value in a group, once groups were made
        /// ([`Tally::highest_share`](super::Tally::highest_share)).
        highest: Option<&'a Fraction>,
        /// How people were put into groups.
        inside: Inside,
        /// Where they were by blurred positions: the odds by which those tell two people of a
        /// group apart, at most ([`crate::algorithm::cover::greatest_odds`]).
        blur: Option<&'a Fraction>,
        /// Releases of the same people before, if their slots persist.
        history: Option<History>,
    },
    /// Nothing that is published leads to the column: its histogram is all that a
    /// reader has.
    Histogram {
        /// What the model means for the column.
        criteria: &'a Criteria,
        /// The algorithm that made the tables.
        profile: &'a Profile,
        /// How many rows carry each value.
        histogram: &'a Histogram,
    },
}

impl<'a> Keeper<'a> {
    /// What the model means, in every stratum by itself.
    fn criteria(&self) -> &'a [Criteria] {
        match self {
            Self::Groups { criteria, .. } => criteria,
            Self::Histogram { criteria, .. } => std::slice::from_ref(*criteria),
        }
    }

    fn strata(&self) -> &'a [String] {
        match self {
            Self::Groups { strata, .. } => strata,
            Self::Histogram { .. } => &[],
        }
    }

    /// What is proved about readers who know more of some people than of all.
    fn informed(&self, chance: &Chance) -> Vec<Promise> {
        let model = self.criteria()[0].model();
        let Some(informed) = model.informed() else {
            return Vec::new();
        };
        // What was asked, where that is a whole l.
        let asked = model
            .asked_ratio()
            .map(|ratio| fraction(1, ratio.l().into()));
        let bounded = |tilt: &dyn Fn(&Fraction) -> Fraction| {
            chance.with_bound(|bound| asked.clone().unwrap_or_else(|| tilt(bound)))
        };
        let promise = |reader| Promise {
            reader,
            informed,
            chance: match reader {
                Reader::Informed => bounded(&|bound| informed.tilted(bound)),
                _ => bounded(&|bound| informed.tilted_in_group(bound)),
            },
        };
        let knows = self.profile().adversary == Adversary::KnowsAlgorithm;
        let mut promises = Vec::new();
        match (informed.about(), self) {
            (About::Few(_), _) if knows => promises.push(promise(Reader::Informed)),
            (
                About::Everybody,
                Self::Groups {
                    inside: Inside::Random,
                    history: None,
                    ..
                },
            ) if knows && self.profile().takes_inside => {
                promises.push(promise(Reader::InformedOfAll));
            }
            _ => {}
        }
        promises.extend(self.informed_of_blurred(informed, chance));
        match self {
            // It is promised to readers who ask more.
            Self::Groups { .. } if promises.iter().any(|p| p.reader == Reader::InformedOfAll) => {}
            // Groups of several releases, taken as given, say more than those of one.
            Self::Groups { history: None, .. } => promises.push(promise(Reader::FaceValue)),
            Self::Groups { .. } | Self::Histogram { .. } => {}
        }
        promises
    }

    /// What is proved about readers who are informed about everybody and ask how groups came
    /// about, where noise says little enough.
    fn informed_of_blurred(&self, informed: Informed, chance: &Chance) -> Option<Promise> {
        let Self::Groups {
            inside: Inside::Jittered(_),
            blur: Some(blur),
            history: None,
            ..
        } = self
        else {
            return None;
        };
        let chance = chance.with_bound(|bound| informed.tilted_further(bound, blur));
        let is_of_use = matches!(&chance, Chance::AtMost(bound) if *bound <= fraction(9, 10));
        let knows = self.profile().adversary == Adversary::KnowsAlgorithm;
        (is_of_use && knows && self.profile().takes_inside).then_some(Promise {
            reader: Reader::InformedOfBlurred,
            informed,
            chance,
        })
    }

    fn history(&self) -> Option<History> {
        match self {
            Self::Groups { history, .. } => *history,
            Self::Histogram { .. } => None,
        }
    }

    fn profile(&self) -> &'a Profile {
        match self {
            Self::Groups { profile, .. } | Self::Histogram { profile, .. } => profile,
        }
    }

    /// How probable a guess can be of a value that is not exempt.
    fn chance(&self, secret: &Secret) -> Chance {
        let exempt = secret.exempt();
        match self {
            Self::Histogram { histogram, .. } => {
                let counts = histogram.counts().iter().zip(exempt);
                let most = counts
                    .filter(|(_, exempt)| !**exempt)
                    .map(|(count, _)| *count);
                let most = most.max().unwrap_or(0);
                Chance::of_bound(fraction(most.into(), histogram.rows().into()))
            }
            Self::Groups {
                criteria,
                profile,
                highest,
                ..
            } => {
                let shown = highest.filter(|_| profile.posterior == Posterior::OfGroups);
                let strata = criteria.iter();
                let chances = strata.map(|own| of_groups(own, shown, secret));
                chances.reduce(Chance::or).expect("a table has a stratum")
            }
        }
    }
}

/// The model's own bound in a stratum or the highest share in a group of any, whichever
/// is less. Ratio l-diversity promises 1/l, whatever came out.
fn of_groups(criteria: &Criteria, shown: Option<&Fraction>, secret: &Secret) -> Chance {
    let own = criteria.max_posterior();
    let shown = shown.filter(|_| criteria.ratio().is_none());
    match own.into_iter().chain(shown.cloned()).min() {
        Some(bound) => Chance::of_bound(bound),
        None if criteria.excludes_certainty(secret.exempt()) => Chance::BelowOne,
        None => Chance::MayBeCertain,
    }
}

/// A reader who knows more of some people than of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reader {
    /// Knows the algorithm, and something about a few people.
    Informed,
    /// Knows the algorithm, and something about everybody.
    InformedOfAll,
    /// Knows the algorithm, and something about everybody, and everybody's value but for one
    /// group; people were grouped by blurred positions.
    InformedOfBlurred,
    /// Knows something about everybody, and takes the groups as given, without asking how
    /// they came about.
    FaceValue,
}

impl Reader {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Informed => "informed",
            Self::InformedOfAll => "informed-about-everybody",
            Self::InformedOfBlurred => "informed-about-everybody-blurred",
            Self::FaceValue => "face-value",
        }
    }
}

/// What is promised to a reader who knows more of some people than of all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Promise {
    /// The reader.
    pub reader: Reader,
    /// What the reader knows.
    pub informed: Informed,
    /// How probable a guess of a protected value can be.
    pub chance: Chance,
}

impl Promise {
    /// The promise in words, to go on a sentence about the reader who knows no more of
    /// anybody than of all.
    fn in_words(&self) -> String {
        let (odds, about) = (self.informed.odds(), self.informed.about());
        let (up, down) = (odds.numer(), odds.denom());
        let chance = match &self.chance {
            Chance::AtMost(bound) => format!("the chance is never above {}", in_words(bound)),
            Chance::BelowOne => "nothing becomes certain".to_owned(),
            Chance::MayBeCertain => "values may become certain".to_owned(),
        };
        match self.reader {
            Reader::Informed => {
                let whom = match about {
                    About::Few(1) => "for that person".to_owned(),
                    _ => "for each of them".to_owned(),
                };
                format!(
                    "even if somebody knows {up} to {down} about {about} (of two values, one is up to {} times as likely {whom}, compared with everybody else), {chance}",
                    text(odds)
                )
            }
            Reader::InformedOfAll => format!(
                "even if somebody knows {up} to {down} about everybody (of two values, one is up to {} times as likely for one person of a stratum as for another), {chance}, since groups were formed by coins and tell nothing beyond themselves",
                text(odds)
            ),
            Reader::InformedOfBlurred => format!(
                "even if somebody knows {up} to {down} about everybody (of two values, one is up to {} times as likely for one person of a group as for another), and the values of everybody outside of the group, {chance} in this release, since people were put into groups by blurred positions",
                text(odds)
            ),
            Reader::FaceValue => format!(
                "to a reader who knows {up} to {down} about everybody, and takes the groups as given without asking how they came about, {chance}; somebody who asks that may learn more, and no bound is possible where people are grouped by what is known of them"
            ),
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&capitalized(&self.in_words()))
    }
}

/// What is promised, and against whom.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guarantee {
    /// The strongest reader against whom it holds.
    pub adversary: Adversary,
    /// How probable a guess of a protected value can be.
    pub chance: Chance,
    /// The columns whose values are protected; several as a combination. None where
    /// values may become certain.
    pub protects: Vec<String>,
    /// Values that need no protection: they may become certain.
    pub exempt: Vec<String>,
    /// The same to readers who know more of some people than of all.
    pub readers: Vec<Promise>,
    /// The promise in words.
    pub statement: String,
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.statement)
    }
}

impl Guarantee {
    /// What is promised of a table to a reader who knows everybody's
    /// quasi-identifiers.
    pub fn of_table(secret: &Secret, keeper: Keeper<'_>) -> Self {
        let part = Part::of(secret, keeper);
        let reader = match part.adversary {
            Adversary::KnowsAlgorithm => {
                "a reader who knows everybody's quasi-identifiers, this program and its parameters, but not its coins"
            }
            Adversary::SeesRelease => {
                "a reader who sees the release and does not know how it was made; one who re-runs the algorithm learns more"
            }
        };
        let statement = format!("{} {reader}{}", part.sentence(), part.terms());
        part.guarantee(statement)
    }

    /// What is promised of one rule, to a reader who knows its left side, `given`.
    pub fn of_rule(given: &[String], secret: &Secret, keeper: Keeper<'_>) -> Self {
        let part = Part::of(secret, keeper);
        let statement = format!(
            "{} a reader who knows {}{}",
            part.sentence(),
            given.join(", "),
            part.terms()
        );
        part.guarantee(statement)
    }

    /// What several rules promise together: each by itself.
    ///
    /// # Panics
    /// Without rules.
    pub fn of_rules(rules: &[Self]) -> Self {
        let adversary = rules[0].adversary;
        let reader = match adversary {
            Adversary::KnowsAlgorithm => {
                "Every reader also knows every column's histogram, all tables, this program and its parameters, but not its coins"
            }
            Adversary::SeesRelease => {
                "Every reader also sees all tables and does not know how they were made; one who re-runs the algorithm learns more"
            }
        };
        let promised = rules.iter().map(|rule| capitalized(&rule.statement));
        let promised: Vec<String> = promised.collect();
        let chances = rules.iter().map(|rule| rule.chance.clone());
        let all = |lists: &dyn Fn(&Self) -> &Vec<String>| {
            let mut all: Vec<String> = rules.iter().flat_map(lists).cloned().collect();
            all.sort();
            all.dedup();
            all
        };
        Self {
            adversary,
            chance: chances.reduce(Chance::or).expect("there are rules"),
            protects: all(&|rule| &rule.protects),
            exempt: all(&|rule| &rule.exempt),
            readers: together(rules),
            statement: format!("{}. {reader}.", promised.join(". ")),
        }
    }
}

/// What all rules promise to readers who know more: the weakest of each kind. What takes
/// groups as given is about one table's.
fn together(rules: &[Guarantee]) -> Vec<Promise> {
    let of = |rule: &Guarantee, reader| {
        let mut promises = rule.readers.iter();
        promises.find(|promise| promise.reader == reader).cloned()
    };
    let weakest = |one: Option<Promise>, other: Option<Promise>| {
        let (one, other) = (one?, other?);
        Some(Promise {
            chance: one.chance.or(other.chance),
            ..one
        })
    };
    let of_all = rules.iter().map(|rule| of(rule, Reader::Informed));
    of_all.reduce(weakest).flatten().into_iter().collect()
}

/// The parts of a sentence.
struct Part<'a> {
    adversary: Adversary,
    chance: Chance,
    readers: Vec<Promise>,
    /// What the model means in some stratum: its words are the same in all.
    criteria: &'a Criteria,
    strata: &'a [String],
    history: Option<History>,
    secret: &'a Secret,
    exempt: Vec<String>,
}

impl<'a> Part<'a> {
    fn of(secret: &'a Secret, keeper: Keeper<'a>) -> Self {
        let exempt = secret.labels().into_iter().zip(secret.exempt());
        let chance = keeper.chance(secret);
        Self {
            adversary: keeper.profile().adversary,
            readers: keeper.informed(&chance),
            chance,
            criteria: keeper.criteria().first().expect("a table has a stratum"),
            strata: keeper.strata(),
            history: keeper.history(),
            secret,
            exempt: exempt
                .filter(|(_, exempt)| **exempt)
                .map(|(label, _)| label)
                .collect(),
        }
    }

    /// `nobody's value of … can be guessed with a chance above 1/6 by`.
    fn sentence(&self) -> String {
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

    /// What the sentence is about, with what is not promised.
    fn what(&self) -> String {
        let labels: Vec<String> = self
            .exempt
            .iter()
            .map(|label| format!("`{label}`"))
            .collect();
        let exception = match labels.is_empty() {
            true => String::new(),
            false => format!(
                ", unless it is {} (exempt: who has it may become certain),",
                labels.join(" or ")
            ),
        };
        match self.secret.columns() {
            [one] if self.secret.members().is_some() => {
                format!("having some value of `{one}` in any of the rows that count{exception}")
            }
            [one] => format!("value of `{one}`{exception}"),
            several => format!(
                "combination of {} (not of each column by itself){exception}",
                several.join(", ")
            ),
        }
    }

    /// What the promise means beside the chance.
    fn terms(&self) -> String {
        self.model_in_words()
            + &self.strata_in_words()
            + &self.history_in_words()
            + &self.readers_in_words()
    }

    /// What holds after several releases.
    fn history_in_words(&self) -> String {
        let Some(History {
            releases,
            has_episodes,
        }) = self.history
        else {
            return String::new();
        };
        let all = match releases {
            1 => "this holds after this release and any further ones of this history".to_owned(),
            several => format!(
                "this holds after all {several} releases of this history together, and after any further ones"
            ),
        };
        let episodes = match has_episodes {
            true => {
                ", and to whom a person's value in one episode says nothing about that in another"
            }
            false => "",
        };
        format!(
            "; {all}, for a reader who also knows who was in the table when, and how often every value occurs among people who came together, as long as coming and leaving do not depend on values{episodes}"
        )
    }

    /// What is promised to readers who know more; what takes the groups as given stands
    /// apart.
    fn readers_in_words(&self) -> String {
        let readers = self.readers.iter();
        let readers = readers.filter(|promise| promise.reader != Reader::FaceValue);
        let words = readers.map(|promise| format!("; {}", promise.in_words()));
        words.collect()
    }

    /// What a reader is taken to know of strata, and what the model compares with there.
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

    /// What else the model means; ratio l-diversity says it all in the chance.
    fn model_in_words(&self) -> String {
        if self.criteria.ratio().is_some() && matches!(self.chance, Chance::AtMost(_)) {
            return String::new();
        }
        let (model, exempt) = (self.criteria.model(), !self.exempt.is_empty());
        let words = model.requirements().iter().map(|r| r.in_words(exempt));
        let words: Vec<String> = words.collect();
        format!("; {} ({model})", words.join("; "))
    }

    fn guarantee(self, statement: String) -> Guarantee {
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

fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// A chance as a fraction, if it is a simple one, or in percent, rounded up.
fn in_words(bound: &Fraction) -> String {
    if *bound.denom() <= 1_000.into() {
        return bound.to_string();
    }
    let hundredths = (bound * fraction(10_000, 1)).ceil().to_integer();
    let (percent, rest) = (&hundredths / 100u32, &hundredths % 100u32);
    format!("{percent}.{rest:0>2} %")
}

#[cfg(test)]
mod tests;
