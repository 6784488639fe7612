use super::bind::Binding;
use super::classes::DiversityClasses;
use super::distinct::Distinct;
use super::entropy::Entropy;
use super::range::Range;
use super::recursive::Recursive;
use super::requirement::ModelParameters;
use super::weight::{TotalWeight, category_weights};
use super::{DistinctDiversity, EntropyDiversity, InvalidModel, Property, RecursiveDiversity};
use crate::exact::number::{rational, whole};
use crate::exact::{Rational, text};
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of (l, α)-diversity: diversity, and a total weight of at least `alpha` per group,
/// where less sensitive values have a greater weight. (Sun, Li, Wang: A family of enhanced (L,
/// α)-diversity models, 2010.)
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "LAlphaParameters", into = "LAlphaParameters")]
pub struct LAlphaDiversity {
    /// The kind of diversity.
    pub variant: Variant,
    /// At least 2.
    pub l: u32,
    /// Above 0.
    pub alpha: Rational,
    /// The weights of the categories.
    pub weights: CategoryWeights,
    /// The sensitive values, in at least two categories, most sensitive first.
    pub categories: Vec<Vec<String>>,
    /// The units that must be diverse.
    pub over: Over,
}

/// The kind of diversity in (l, α)-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// At least l different values or categories (Definition 4).
    Distinct,
    /// Entropy of at least log l (Definition 5).
    Entropy,
    /// Recursive diversity (Definition 6).
    Recursive {
        /// Above 0.
        c: Rational,
    },
}

/// The weights of the categories of (l, α)-diversity: from 0 for the most sensitive to 1 for the
/// least (Equation 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CategoryWeights {
    /// Equal steps.
    Uniform,
    /// The i-th step is 1/i^β times the first.
    Sensitivity {
        /// 1 to 16. It is a whole number, so that weights are rational.
        beta: u32,
    },
}

/// The units that must be diverse in (l, α)-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Categories, as in Definitions 5 and 6.
    Categories,
    /// Values, as in Definition 4.
    Values,
}

/// The parameters as they are written in policies.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LAlphaParameters {
    #[serde(default)]
    variant: VariantName,
    #[serde(with = "whole")]
    l: u32,
    #[serde(with = "rational")]
    alpha: Rational,
    #[serde(default)]
    weights: WeightsName,
    #[serde(default, with = "optional_whole", skip_serializing_if = "Option::is_none")]
    beta: Option<u32>,
    #[serde(default, with = "optional_rational", skip_serializing_if = "Option::is_none")]
    c: Option<Rational>,
    categories: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    over: Option<Over>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum VariantName {
    #[default]
    Distinct,
    Entropy,
    Recursive,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WeightsName {
    #[default]
    Uniform,
    Sensitivity,
}

mod optional_whole {
    use super::whole;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(n: &Option<u32>, to: S) -> Result<S::Ok, S::Error> {
        match n {
            Some(number) => whole::serialize(number, to),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
        whole::deserialize(from).map(Some)
    }
}

mod optional_rational {
    use super::{Rational, rational};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(n: &Option<Rational>, to: S) -> Result<S::Ok, S::Error> {
        match n {
            Some(number) => rational::serialize(number, to),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D>(from: D) -> Result<Option<Rational>, D::Error>
    where
        D: Deserializer<'de>,
    {
        rational::deserialize(from).map(Some)
    }
}

impl TryFrom<LAlphaParameters> for LAlphaDiversity {
    type Error = String;

    fn try_from(written: LAlphaParameters) -> Result<Self, String> {
        let stray = |name| format!("`{name}` is not a parameter of l-alpha-diversity of this kind");
        let needs = |name: &str| format!("the model `l-alpha-diversity` needs `{name}`");
        // Definition 4 counts values, Definitions 5 and 6 categories.
        let (variant, over) = match (written.variant, written.c) {
            (VariantName::Distinct, None) => (Variant::Distinct, Over::Values),
            (VariantName::Entropy, None) => (Variant::Entropy, Over::Categories),
            (VariantName::Recursive, Some(c)) => (Variant::Recursive { c }, Over::Categories),
            (VariantName::Recursive, None) => return Err(needs("c")),
            (_, Some(_)) => return Err(stray("c")),
        };
        let weights = match (written.weights, written.beta) {
            (WeightsName::Uniform, None) => CategoryWeights::Uniform,
            (WeightsName::Sensitivity, Some(beta)) => CategoryWeights::Sensitivity { beta },
            (WeightsName::Sensitivity, None) => return Err(needs("beta")),
            (WeightsName::Uniform, Some(_)) => return Err(stray("beta")),
        };
        Ok(Self {
            variant,
            l: written.l,
            alpha: written.alpha,
            weights,
            categories: written.categories,
            over: written.over.unwrap_or(over),
        })
    }
}

impl From<LAlphaDiversity> for LAlphaParameters {
    fn from(parameters: LAlphaDiversity) -> Self {
        let (variant, c) = match parameters.variant {
            Variant::Distinct => (VariantName::Distinct, None),
            Variant::Entropy => (VariantName::Entropy, None),
            Variant::Recursive { c } => (VariantName::Recursive, Some(c)),
        };
        let (weights, beta) = match parameters.weights {
            CategoryWeights::Uniform => (WeightsName::Uniform, None),
            CategoryWeights::Sensitivity { beta } => (WeightsName::Sensitivity, Some(beta)),
        };
        Self {
            variant,
            l: parameters.l,
            alpha: parameters.alpha,
            weights,
            beta,
            c,
            categories: parameters.categories,
            over: Some(parameters.over),
        }
    }
}

impl LAlphaDiversity {
    fn what(&self) -> &'static str {
        match self.over {
            Over::Categories => "categories",
            Over::Values => "values",
        }
    }

    fn check_categories(&self, range: Range) -> Result<(), InvalidModel> {
        let several = self.categories.len() >= 2 && self.categories.iter().all(|c| !c.is_empty());
        let found = format!("[{} of them]", self.categories.len());
        let expected = text!("at least two lists of values, none of them empty");
        range.holds("categories", &found, several, expected)?;
        let mut seen = std::collections::HashSet::new();
        let mut values = self.categories.iter().flatten();
        match values.find(|value| !seen.insert(*value)) {
            Some(value) => Err(InvalidModel::TwoCategories { value: value.clone() }),
            None => Ok(()),
        }
    }
}

impl ModelParameters for LAlphaDiversity {
    const MODEL: &'static str = "l-alpha-diversity";

    fn check(&self) -> Result<(), InvalidModel> {
        let range = Range(Self::MODEL);
        range.at_least("l", self.l, 2)?;
        range.positive("alpha", &self.alpha)?;
        if let Variant::Recursive { c } = &self.variant {
            range.positive("c", c)?;
        }
        if let CategoryWeights::Sensitivity { beta } = &self.weights {
            let sensible = (1..=16).contains(beta);
            range.holds("beta", beta, sensible, text!("a whole number from 1 to 16"))?;
        }
        self.check_categories(range)
    }

    fn name(&self) -> String {
        let (l, alpha, over) = (self.l, text(self.alpha), self.what());
        match self.variant {
            Variant::Distinct => format!("distinct ({l}, {alpha})-diversity of {over}"),
            Variant::Entropy => format!("entropy ({l}, {alpha})-diversity of {over}"),
            Variant::Recursive { c } => {
                format!("recursive ({}, {l}, {alpha})-diversity of {over}", text(c))
            }
        }
    }

    fn in_words(&self, exempt: bool) -> Text {
        let (l, what) = (self.l, &self.what().into());
        let diverse = match self.variant {
            Variant::Distinct => DistinctDiversity::in_words(l, what, exempt),
            Variant::Entropy => {
                EntropyDiversity::in_words(Rational::from(u64::from(l)), what, exempt)
            }
            Variant::Recursive { c } => RecursiveDiversity::in_words(c, l, what, exempt),
        };
        let alpha = text(self.alpha);
        if exempt {
            text!(
                "{diverse:text}, and the values of every group of more than exempt values weigh at least {alpha}"
            )
        } else {
            text!("{diverse:text}, and the values of every group weigh at least {alpha}")
        }
    }

    /// Binds diversity and a total weight.
    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
        let category_of = table.categories(&self.categories)?;
        let of_category = category_weights(self.weights, self.categories.len());
        let classes: DiversityClasses = match self.over {
            Over::Values => table.values(),
            Over::Categories => table.classes(category_of.clone()),
        };
        let (name, l) = (self.name(), self.l);
        let diversity: Arc<dyn Property> = match self.variant {
            Variant::Distinct => Arc::new(Distinct {
                name: name.clone(),
                parameters: DistinctDiversity { l },
                classes,
            }),
            Variant::Entropy => {
                Arc::new(Entropy { name: name.clone(), l: Rational::from(u64::from(l)), classes })
            }
            Variant::Recursive { c } => Arc::new(Recursive { name: name.clone(), c, l, classes }),
        };
        let exempt = table.exempt();
        let weight = TotalWeight::new(name, self.alpha, category_of, &of_category, exempt);
        Ok(vec![diversity, Arc::new(weight)])
    }
}
