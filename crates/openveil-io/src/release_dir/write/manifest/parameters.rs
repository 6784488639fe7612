//! The entry about the algorithm's parameters: worlds run it again with them.

use openveil_core::algorithm::{Algorithm, Inside, Settings};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Parameters of the algorithm: with the rest of the manifest, they suffice to run it on
/// another table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParametersEntry {
    /// The fewest rows that were left in a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_group: Option<u32>,
    /// The fewest rows of a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<u32>,
    /// `random` if people are put into groups by random draws alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
}

impl ParametersEntry {
    /// Returns the parameters of an algorithm; none for algorithms without any. `class` is the
    /// fewest rows of a class, if groups are divided.
    pub fn new(algorithm: &dyn Algorithm, settings: &Settings, class: Option<u32>) -> Option<Self> {
        let profile = algorithm.profile();
        let is_random = profile.takes_inside && settings.inside == Inside::Random;
        let entry = Self {
            smallest_group: settings
                .smallest_group
                .filter(|_| profile.takes_smallest_group)
                .map(NonZeroU32::get),
            class,
            inside: is_random.then(|| settings.inside.name().to_owned()),
        };
        (entry != Self::default()).then_some(entry)
    }
}
