//! Findings with the original values.

use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::exact::Fraction;
use openveil_core::model::RatioDiversity;
use openveil_papers::verify::{
    Counterexample, Exchanges, InformedVerification, Observation, Scenario, Verification,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Conclusions of a reader from the releases of one multiset.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyReport {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The engine that it chose for the multiset, if it chooses one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<&'static str>,
    /// The model with its parameters.
    pub model: String,
    /// The bound, if the model is ratio l-diversity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<u32>,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Whether everybody's posterior satisfies the model.
    pub safe: bool,
    /// What readers learn who tell people of a group apart, if they are asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchanges: Option<Exchanges>,
    /// A release that discloses a value, if there is one.
    pub counterexample: Option<Example>,
}

/// The figures of one or several verifications.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Tables of the multiset.
    pub tables: u64,
    /// Releases that they can lead to.
    pub releases: u64,
    /// Releases that disclose a value.
    pub unsafe_releases: u64,
    /// Tables that can lead to an unsafe release.
    pub unsafe_tables: u64,
    /// Tables with which a person's value can become certain.
    pub certain_tables: u64,
    /// The highest posterior of any value of any person.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub max_posterior: Fraction,
    /// Conclusions of readers who are informed about some people, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub informed: Option<InformedFigures>,
}

/// Conclusions of readers who are informed about some people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InformedFigures {
    /// The odds by which their beliefs differ, and the number of people.
    pub reader: String,
    /// Readers that were enumerated; the beliefs of all others are mixtures of theirs.
    pub readers: u64,
    /// Releases after which a posterior of one of these readers breaks the model.
    pub unsafe_releases: u64,
    /// The highest posterior of any value of any person to any of them.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub max_posterior: Fraction,
}

/// A table, its release, and a reader's conclusions.
#[derive(Debug, Clone, Serialize)]
pub struct Example {
    /// Everybody's value.
    pub table: Vec<String>,
    /// The groups: their members, if the reader sees them, and their values.
    pub groups: Vec<(Vec<u32>, Vec<String>)>,
    /// Tables that lead to this release.
    pub surviving_tables: u64,
    /// Some of them: everybody's value.
    #[serde(skip)]
    pub survivors: Vec<Vec<String>>,
    /// The person whose value is disclosed.
    pub person: u32,
    /// The person's most likely value.
    pub value: String,
    /// Its probability.
    pub posterior: String,
}

/// Writes a fraction as text: 1/3.
pub(super) fn as_text<S: Serializer>(
    fraction: &Fraction,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(fraction)
}

fn from_text<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Fraction, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(de::Error::custom)
}

impl VerifyReport {
    pub(super) fn new(
        algorithm: &'static dyn Algorithm,
        scenario: &Scenario,
        found: &Verification,
    ) -> Self {
        let example = found.counterexample.as_ref();
        let table = (scenario.table(), scenario.model());
        let chosen = algorithm.chosen(&[table], &Settings::default());
        Self {
            algorithm: algorithm.name(),
            chosen: chosen.ok().flatten().map(|engine| engine.name()),
            model: scenario.model().to_string(),
            l: scenario.model().asked_ratio().map(RatioDiversity::l),
            figures: Figures::new(found),
            safe: found.is_safe(),
            exchanges: None,
            counterexample: example.map(|example| Example::new(scenario, example)),
        }
    }
}

impl Figures {
    /// Whether no release discloses a value to any reader.
    pub fn is_safe(&self) -> bool {
        let informed = self.informed.as_ref();
        self.unsafe_releases == 0 && informed.is_none_or(|found| found.unsafe_releases == 0)
    }

    pub(super) fn new(found: &Verification) -> Self {
        Self {
            tables: found.tables,
            releases: found.releases,
            unsafe_releases: found.unsafe_releases,
            unsafe_tables: found.unsafe_tables,
            certain_tables: found.certain_tables,
            max_posterior: found.max_posterior.clone(),
            informed: found.informed.as_ref().map(InformedFigures::new),
        }
    }

    /// Adds the figures of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            tables: self.tables + other.tables,
            releases: self.releases + other.releases,
            unsafe_releases: self.unsafe_releases + other.unsafe_releases,
            unsafe_tables: self.unsafe_tables + other.unsafe_tables,
            certain_tables: self.certain_tables + other.certain_tables,
            max_posterior: self.max_posterior.max(other.max_posterior),
            informed: match (self.informed, other.informed) {
                (Some(one), Some(other)) => Some(one.and(other)),
                (one, other) => one.or(other),
            },
        }
    }
}

impl InformedFigures {
    fn new(found: &InformedVerification) -> Self {
        Self {
            reader: found.informed.to_string(),
            readers: found.readers,
            unsafe_releases: found.unsafe_releases,
            max_posterior: found.max_posterior.clone(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            readers: self.readers + other.readers,
            unsafe_releases: self.unsafe_releases + other.unsafe_releases,
            max_posterior: self.max_posterior.max(other.max_posterior),
            ..self
        }
    }
}

impl Example {
    fn new(scenario: &Scenario, example: &Counterexample) -> Self {
        let survivors = example.survivors.iter().map(|survivor| labels(scenario, &survivor.table));
        Self {
            table: labels(scenario, &example.table),
            groups: groups(scenario, &example.release),
            surviving_tables: example.survivor_count,
            survivors: survivors.collect(),
            person: example.person,
            value: scenario.table().secret().label(example.value),
            posterior: example.posterior.to_string(),
        }
    }
}

fn labels(scenario: &Scenario, codes: &[u32]) -> Vec<String> {
    let secret = scenario.table().secret();
    codes.iter().map(|&code| secret.label(code)).collect()
}

fn groups(scenario: &Scenario, seen: &Observation) -> Vec<(Vec<u32>, Vec<String>)> {
    match seen {
        Observation::Membership(groups, _) => groups
            .iter()
            .map(|group| (group.people.clone(), labels(scenario, &group.values)))
            .collect(),
        Observation::Release(release) => (0..release.group_count())
            .map(|group| (Vec::new(), labels(scenario, release.values(group))))
            .collect(),
    }
}
