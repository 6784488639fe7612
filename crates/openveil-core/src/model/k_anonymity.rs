use super::bind::Binding;
use super::range::Range;
use super::requirement::ModelParameters;
use super::{Counts, InvalidModel, Measured, Property, Traits};
use crate::exact::number::whole;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// k-anonymity: every group has at least k rows.
///
/// A condition on the size of groups, which by itself protects no values. Monotone. Definition 1 of
/// the (l, α)-diversity paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KAnonymity {
    /// At least 1.
    #[serde(with = "whole")]
    pub k: u32,
}

impl KAnonymity {
    /// The condition on sizes in words.
    pub(super) fn of_sizes(k: u32) -> Text {
        text!("every group has at least {k} people")
    }
}

impl ModelParameters for KAnonymity {
    const MODEL: &'static str = "k-anonymity";
    const COVERS_COMBINATIONS: bool = true;

    fn check(&self) -> Result<(), InvalidModel> {
        Range(Self::MODEL).at_least("k", self.k, 1)
    }

    fn name(&self) -> String {
        format!("{}-anonymity", self.k)
    }

    fn in_words(&self, _exempt: bool) -> Text {
        Self::of_sizes(self.k)
    }

    fn bind(&self, _table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(*self)])
    }
}

impl Property for KAnonymity {
    fn name(&self) -> String {
        ModelParameters::name(self)
    }

    fn traits(&self) -> Traits {
        Traits::OF_GROUPS
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        counts.total() >= self.k.into()
    }

    fn treats_values_alike(&self) -> bool {
        true
    }

    fn least_size(&self) -> u32 {
        self.k
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        Measured {
            what: "number of rows",
            value: None,
            found: counts.total() as f64,
            bound: self.k.into(),
        }
    }
}
