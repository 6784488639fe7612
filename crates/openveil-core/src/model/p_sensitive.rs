use super::bind::Binding;
use super::distinct::Distinct;
use super::range::Range;
use super::requirement::ModelParameters;
use super::{DistinctDiversity, InvalidModel, KAnonymity, Property};
use crate::exact::number::whole;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of p-sensitive k-anonymity: groups of at least k rows with at least p
/// different values. (Truta, Vinay: Privacy protection: p-sensitive k-anonymity
/// property, 2006.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PSensitiveKAnonymity {
    /// At least 2, at most `k`.
    #[serde(with = "whole")]
    pub p: u32,
    /// At least 2.
    #[serde(with = "whole")]
    pub k: u32,
}

impl ModelParameters for PSensitiveKAnonymity {
    const MODEL: &'static str = "p-sensitive-k-anonymity";

    fn check(&self) -> Result<(), InvalidModel> {
        let range = Range(Self::MODEL);
        range.at_least("p", self.p, 2)?;
        let expected = text!("at most `k`: more values than rows cannot be");
        range.holds("p", &self.p, self.p <= self.k, expected)
    }

    fn name(&self) -> String {
        format!("{}-sensitive {}-anonymity", self.p, self.k)
    }

    fn in_words(&self, exempt: bool) -> Text {
        let values = DistinctDiversity::in_words(self.p, &"values".into(), exempt);
        let sizes = KAnonymity::of_sizes(self.k);
        text!("{values:text}, and {sizes:text}")
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![
            Arc::new(KAnonymity { k: self.k }),
            Arc::new(Distinct {
                name: self.name(),
                parameters: DistinctDiversity { l: self.p },
                classes: table.values(),
            }),
        ])
    }
}
