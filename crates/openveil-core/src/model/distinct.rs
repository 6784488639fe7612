use super::bind::Binding;
use super::classes::DiversityClasses;
use super::range::Range;
use super::requirement::ModelParameters;
use super::{Counts, InvalidModel, Measured, Property, Tilts, Traits};
use crate::exact::number::whole;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of distinct l-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistinctDiversity {
    /// The least number of different values: at least 2.
    #[serde(with = "whole")]
    pub l: u32,
}

impl DistinctDiversity {
    /// The meaning of the property for values or categories, in words.
    pub(super) fn in_words(l: u32, what: &Text, exempt: bool) -> Text {
        if exempt {
            text!("at least {l} {what:text} remain possible for everybody, or none but exempt ones")
        } else {
            text!("at least {l} {what:text} remain possible for everybody")
        }
    }
}

impl ModelParameters for DistinctDiversity {
    const MODEL: &'static str = "l-diversity";
    const VARIANT: Option<&'static str> = Some("distinct");
    const IS_DEFAULT: bool = false;
    const COVERS_COMBINATIONS: bool = true;

    fn check(&self) -> Result<(), InvalidModel> {
        Range(Self::MODEL).at_least("l", self.l, 2)
    }

    fn name(&self) -> String {
        format!("distinct {}-diversity", self.l)
    }

    fn in_words(&self, exempt: bool) -> Text {
        Self::in_words(self.l, &"values".into(), exempt)
    }

    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        Ok(vec![Arc::new(Distinct {
            name: self.name(),
            parameters: *self,
            classes: table.values(),
        })])
    }
}

/// Distinct l-diversity: at least l different values, or categories.
///
/// Convex: a mixture has every value that one of its parts has. Monotone for the same reason. It
/// does not bound posteriors below 1: one value may have nearly all of the share. Definition 2 of
/// the (l, α)-diversity paper.
///
/// With exempt values: a multiset without any protected value satisfies it, since it discloses
/// nothing; otherwise exempt values count as values.
#[derive(Debug, Clone)]
pub(super) struct Distinct {
    pub(super) name: String,
    pub(super) parameters: DistinctDiversity,
    pub(super) classes: DiversityClasses,
}

impl Distinct {
    fn suffices(&self, classes: &[(u32, u128)]) -> bool {
        classes.len() >= self.parameters.l as usize
            || classes.iter().all(|&(class, _)| self.classes.is_exempt(class))
    }
}

impl Property for Distinct {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        self.classes.read(counts, |classes| self.suffices(classes))
    }

    fn treats_values_alike(&self) -> bool {
        self.classes.are_alike()
    }

    fn least_size(&self) -> u32 {
        if self.classes.any_exempt() { 1 } else { self.parameters.l }
    }

    fn classes(&self) -> Option<&[u32]> {
        self.classes.of_value()
    }

    /// A tilt keeps every value.
    fn worst_tilts(&self) -> Tilts {
        Tilts::None
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        Measured {
            what: "number of different ones",
            value: None,
            found: self.classes.read(counts, <[_]>::len) as f64,
            bound: self.parameters.l.into(),
        }
    }
}
