use super::bind::Binding;
use super::range::Range;
use super::requirement::{ModelParameters, protected_value};
use super::{InvalidModel, KAnonymity, Property};
use crate::exact::number::{rational, whole};
use crate::exact::{Rational, text};
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of (α, k)-anonymity: groups of at least k rows, in which no protected
/// value has a share above α. (Wong, Li, Fu, Wang: (α, k)-anonymity, 2006.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlphaKAnonymity {
    /// Above 0 and below 1.
    #[serde(with = "rational")]
    pub alpha: Rational,
    /// At least 1.
    #[serde(with = "whole")]
    pub k: u32,
}

impl ModelParameters for AlphaKAnonymity {
    const MODEL: &'static str = "alpha-k-anonymity";

    fn check(&self) -> Result<(), InvalidModel> {
        let range = Range(Self::MODEL);
        range.proper("alpha", &self.alpha)?;
        range.at_least("k", self.k, 1)
    }

    fn name(&self) -> String {
        format!("({}, {})-anonymity", text(self.alpha), self.k)
    }

    fn in_words(&self, exempt: bool) -> Text {
        let value = protected_value(exempt);
        let sizes = KAnonymity::of_sizes(self.k);
        text!(
            "no {value:text} is more probable than {} for anybody, and {sizes:text}",
            text(self.alpha)
        )
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![
            Arc::new(KAnonymity { k: self.k }),
            Arc::new(table.share(self.name(), self.alpha, self.k)),
        ])
    }
}
