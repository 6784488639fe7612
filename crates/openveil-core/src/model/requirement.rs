//! The list of all models that a policy may ask for.

use super::bind::Binding;
use super::parameters::Parameters;
use super::{
    AlphaKAnonymity, BetaLikeness, BreachLimit, DeltaDisclosure, DistinctDiversity,
    EntropyDiversity, GenericDistance, InvalidModel, KAnonymity, LAlphaDiversity,
    PSensitiveKAnonymity, Property, RatioDiversity, RecursiveDiversity, TCloseness,
};
use openveil_text::Text;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The parameters of one model, with everything that they define. Each model is a file that
/// implements this trait, and the [`Property`] that the model means for a table.
pub(super) trait ModelParameters:
    Clone + Serialize + for<'de> serde::Deserialize<'de>
{
    /// The model's name in policies.
    const MODEL: &'static str;

    /// The variant's name in policies, if variants are separate models.
    const VARIANT: Option<&'static str> = None;

    /// Whether this variant is the default.
    const IS_DEFAULT: bool = true;

    /// Whether protecting one column of a combination in this way protects the combination. This is
    /// true if uncertainty about a part implies uncertainty about the whole.
    const COVERS_COMBINATIONS: bool = false;

    /// Checks the parameters by themselves.
    fn check(&self) -> Result<(), InvalidModel>;

    /// The model with its parameters, in the words of messages: `entropy 3-diversity`.
    fn name(&self) -> String;

    /// The meaning of the model for the people of a release. `exempt`: some values need no
    /// protection.
    fn in_words(&self, exempt: bool) -> Text;

    /// The properties that the model means for one table, at least one.
    fn bind(&self, table: &Binding<'_>) -> Result<Vec<Arc<dyn Property>>, InvalidModel>;
}

/// The subject of a bound on single values, in words.
pub(super) fn protected_value(exempt: bool) -> Text {
    if exempt { "value but exempt ones".into() } else { "value".into() }
}

macro_rules! requirements {
    ($($(#[$doc:meta])* $name:ident($parameters:ident),)*) => {
        /// One condition of a policy, given by its parameters.
        ///
        /// In policies and manifests it is a table with its `model`, its `variant` if needed, and
        /// its parameters.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Requirement {
            $($(#[$doc])* $name($parameters),)*
        }

        $(impl From<$parameters> for Requirement {
            fn from(parameters: $parameters) -> Self {
                Self::$name(parameters)
            }
        })*

        impl Requirement {
            /// The names of all models in policies with their variants. The default variant comes
            /// first.
            pub const ALL: &'static [(&'static str, Option<&'static str>)] =
                &[$(($parameters::MODEL, $parameters::VARIANT),)*];

            /// Reads the parameters of a model, which are not yet checked.
            pub(super) fn read(model: &str, parameters: Parameters) -> Result<Self, String> {
                // The name in the versatile publishing paper.
                let model = if model == "generic" { GenericDistance::MODEL } else { model };
                let variant = parameters.text("variant").map(str::to_owned);
                $(if let Some(parameters) = own::<$parameters>(model, variant.as_deref(), &parameters) {
                    return parameters.read::<$parameters>(model).map(Self::$name);
                })*
                Err(unknown(model, variant))
            }

            /// Checks the parameters by themselves.
            ///
            /// # Errors
            /// [`InvalidModel`] names the first one out of range.
            pub fn check(&self) -> Result<(), InvalidModel> {
                match self {
                    $(Self::$name(parameters) => parameters.check(),)*
                }
            }

            /// The requirement with its parameters, in the words of messages.
            pub fn name(&self) -> String {
                match self {
                    $(Self::$name(parameters) => ModelParameters::name(parameters),)*
                }
            }

            /// The model's name in policies.
            pub fn model(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $parameters::MODEL,)*
                }
            }

            /// The variant's name in policies, if variants are separate models.
            pub fn variant(&self) -> Option<&'static str> {
                match self {
                    $(Self::$name(_) => $parameters::VARIANT,)*
                }
            }

            /// The meaning of the requirement for the people of a release. `exempt` says that some
            /// values need no protection.
            pub fn in_words(&self, exempt: bool) -> Text {
                match self {
                    $(Self::$name(parameters) => parameters.in_words(exempt),)*
                }
            }

            /// Whether protecting one column of a combination in this way protects the
            /// combination.
            pub fn covers_combinations(&self) -> bool {
                match self {
                    $(Self::$name(_) => $parameters::COVERS_COMBINATIONS,)*
                }
            }

            /// The properties that the requirement means for a table, at least one.
            pub(super) fn bind(
                &self,
                table: &Binding<'_>,
            ) -> Result<Vec<Arc<dyn Property>>, InvalidModel> {
                self.check()?;
                match self {
                    $(Self::$name(parameters) => parameters.bind(table),)*
                }
            }
        }

        impl Serialize for Requirement {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(parameters) => Tagged {
                        model: $parameters::MODEL,
                        variant: $parameters::VARIANT,
                        parameters,
                    }.serialize(serializer),)*
                }
            }
        }
    };
}

requirements! {
    /// Ratio l-diversity: no protected value has a share above 1/l.
    Ratio(RatioDiversity),
    /// Distinct l-diversity: at least `l` different values.
    Distinct(DistinctDiversity),
    /// Entropy l-diversity: entropy of at least log `l`.
    Entropy(EntropyDiversity),
    /// Recursive (c, l)-diversity: the count of the most frequent value is below `c` times the
    /// total count of all values except the l − 1 most frequent.
    Recursive(RecursiveDiversity),
    /// k-anonymity: groups of at least `k` rows.
    KAnonymity(KAnonymity),
    /// (α, k)-anonymity: groups of at least `k` rows, no protected value with a
    /// share above `alpha`.
    AlphaK(AlphaKAnonymity),
    /// p-sensitive k-anonymity: groups of at least `k` rows with at least `p`
    /// different values.
    PSensitive(PSensitiveKAnonymity),
    /// t-closeness: the distribution is no farther than `t` from the whole table's.
    Closeness(TCloseness),
    /// No ρ₁-to-ρ₂ breach: no protected value that has a share of at most `rho1` in
    /// the whole table has one of `rho2` or more.
    Breach(BreachLimit),
    /// Kifer's generic measure: the distribution is within `bound` of the whole
    /// table's.
    Generic(GenericDistance),
    /// β-likeness: the share of a protected value exceeds its share in the whole table by at most a
    /// fixed part of that share.
    Likeness(BetaLikeness),
    /// δ-disclosure privacy: every protected value's share differs from its share
    /// in the whole table by less than a factor of e^`delta`, up or down.
    DeltaDisclosure(DeltaDisclosure),
    /// One of the (l, α)-diversity models.
    LAlpha(LAlphaDiversity),
}

/// The parameters without the variant, if model and variant are those of `P`.
fn own<P: ModelParameters>(
    model: &str,
    variant: Option<&str>,
    parameters: &Parameters,
) -> Option<Parameters> {
    if model != P::MODEL {
        return None;
    }
    let Some(own) = P::VARIANT else {
        return Some(parameters.clone());
    };
    let meant = variant.map_or(P::IS_DEFAULT, |variant| variant == own);
    meant.then(|| {
        let mut parameters = parameters.clone();
        parameters.take("variant");
        parameters
    })
}

/// The error message, in the form that serde uses.
fn unknown(model: &str, variant: Option<String>) -> String {
    let all = Requirement::ALL.iter();
    let known = all.clone().any(|entry| entry.0 == model);
    let (kind, found, mut names): (_, _, Vec<&str>) = match variant {
        Some(variant) if known => {
            let variants = all.filter(|entry| entry.0 == model);
            ("variant", variant, variants.filter_map(|entry| entry.1).collect())
        }
        _ => ("variant", model.to_owned(), all.map(|entry| entry.0).collect()),
    };
    names.dedup();
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("unknown {kind} `{found}`, expected one of {}", names.join(", "))
}

/// A model's name together with its parameters.
#[derive(Serialize)]
struct Tagged<'a, P: Serialize> {
    model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'static str>,
    #[serde(flatten)]
    parameters: &'a P,
}

#[cfg(test)]
mod tests;
