//! What requirements and their parameters are called.

use super::requirement::{Distance, GroundDistance, LAlpha, Over, Requirement, Variant};
use crate::exact::text;

impl Requirement {
    /// The requirement with its parameters, as in messages.
    pub fn name(&self) -> String {
        match self {
            Self::KAnonymity { k } => format!("{k}-anonymity"),
            Self::Ratio(ratio) => format!("ratio {}-diversity", ratio.l()),
            Self::Distinct { l } => format!("distinct {l}-diversity"),
            Self::Entropy { l } => format!("entropy {}-diversity", text(*l)),
            Self::Recursive { c, l } => format!("recursive ({}, {l})-diversity", text(*c)),
            Self::AlphaK { alpha, k } => format!("({}, {k})-anonymity", text(*alpha)),
            Self::PSensitive { p, k } => format!("{p}-sensitive {k}-anonymity"),
            Self::Closeness { t, ground } => {
                format!("{}-closeness ({} distance)", text(*t), ground.name())
            }
            Self::Breach { rho1, rho2 } => {
                format!("no {}-to-{} breach", text(*rho1), text(*rho2))
            }
            Self::Generic { distance, bound } => {
                format!("{} distance of at most {}", distance.name(), text(*bound))
            }
            Self::Likeness { beta, enhanced } => {
                let kind = if *enhanced { "enhanced" } else { "basic" };
                format!("{kind} {}-likeness", text(*beta))
            }
            Self::DeltaDisclosure { delta } => format!("{}-disclosure privacy", text(*delta)),
            Self::LAlpha(parameters) => parameters.name(),
        }
    }

    /// The model's name in policies.
    pub fn model(&self) -> &'static str {
        match self {
            Self::KAnonymity { .. } => "k-anonymity",
            Self::Ratio(_)
            | Self::Distinct { .. }
            | Self::Entropy { .. }
            | Self::Recursive { .. } => "l-diversity",
            Self::AlphaK { .. } => "alpha-k-anonymity",
            Self::PSensitive { .. } => "p-sensitive-k-anonymity",
            Self::Closeness { .. } => "t-closeness",
            Self::Breach { .. } => "rho1-rho2",
            Self::Generic { .. } => "kifer",
            Self::Likeness { .. } => "beta-likeness",
            Self::DeltaDisclosure { .. } => "delta-disclosure",
            Self::LAlpha(_) => "l-alpha-diversity",
        }
    }
}

impl LAlpha {
    fn name(&self) -> String {
        let (l, alpha) = (self.l, text(self.alpha));
        let over = match self.over {
            Over::Categories => "categories",
            Over::Values => "values",
        };
        match self.variant {
            Variant::Distinct => format!("distinct ({l}, {alpha})-diversity of {over}"),
            Variant::Entropy => format!("entropy ({l}, {alpha})-diversity of {over}"),
            Variant::Recursive { c } => {
                format!("recursive ({}, {l}, {alpha})-diversity of {over}", text(c))
            }
        }
    }
}

impl GroundDistance {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered => "ordered",
            Self::Hierarchical => "hierarchical",
        }
    }
}

impl Distance {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::TotalVariation => "total-variation",
            Self::Maximum => "maximum",
            Self::Euclidean => "euclidean",
            Self::KullbackLeibler => "kullback-leibler",
        }
    }
}
