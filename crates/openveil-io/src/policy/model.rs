//! Privacy models: which parameters each takes, and what they make.

use super::check::Check;
use super::document::PrivacySection;
use super::numbers::Number;
use crate::Error;
use openveil::exact::{Rational, text};
use openveil::model::{
    Distance, GroundDistance, LAlpha, Model, Over, RatioDiversity, Requirement, Variant, Weights,
};

/// The names of all models.
const MODELS: [&str; 10] = [
    "l-diversity",
    "k-anonymity",
    "alpha-k-anonymity",
    "p-sensitive-k-anonymity",
    "t-closeness",
    "rho1-rho2",
    "kifer",
    "beta-likeness",
    "delta-disclosure",
    "l-alpha-diversity",
];

/// Makes the model of a `[privacy]` section.
pub(super) fn model(check: &Check<'_>, section: &PrivacySection) -> Result<Model, Error> {
    let Some(all) = &section.all else {
        return Ok(Parameters { check, section }.requirement()?.into());
    };
    let outside = Parameters { check, section };
    let mut own = PARAMETERS.iter().chain(&["model"]);
    if let Some(key) = own.find(|key| outside.has(key)) {
        let problem = format!("`{key}` stands beside `all`");
        let help = "every model of `all` has its own parameters, in its own braces";
        return Err(check.error(problem).help(help));
    }
    let requirements = all.iter().map(|section| {
        let inside = Parameters { check, section };
        match ["all", "combine"].iter().find(|key| inside.has(key)) {
            Some(key) => Err(check.error(format!("`{key}` must not stand inside of `all`"))),
            None => inside.requirement(),
        }
    });
    let requirements = requirements.collect::<Result<_, _>>()?;
    Model::all_of(requirements).map_err(|_| {
        check
            .error("`all` is empty")
            .help("list models, as in `all = [{ model = \"k-anonymity\", k = 5 }]`")
    })
}

/// The parameters of one model.
struct Parameters<'a> {
    check: &'a Check<'a>,
    section: &'a PrivacySection,
}

impl Parameters<'_> {
    fn requirement(&self) -> Result<Requirement, Error> {
        let Some(name) = self.section.model.as_deref() else {
            let error = self.check.error("[privacy] names no `model`");
            return Err(error.help(format!("known: {}", MODELS.join(", "))));
        };
        let requirement = self.of_model(name)?;
        let checked = requirement.check();
        checked.map_err(|cause| self.check.error(cause.to_string()))?;
        Ok(requirement)
    }

    fn of_model(&self, name: &str) -> Result<Requirement, Error> {
        match name {
            "l-diversity" => self.l_diversity(),
            "k-anonymity" => {
                self.only(name, &["k"])?;
                Ok(Requirement::KAnonymity {
                    k: self.whole("k")?,
                })
            }
            "alpha-k-anonymity" => {
                self.only(name, &["alpha", "k"])?;
                Ok(Requirement::AlphaK {
                    alpha: self.rational("alpha")?,
                    k: self.whole("k")?,
                })
            }
            "p-sensitive-k-anonymity" => {
                self.only(name, &["p", "k"])?;
                Ok(Requirement::PSensitive {
                    p: self.whole("p")?,
                    k: self.whole("k")?,
                })
            }
            "t-closeness" => {
                self.only(name, &["t", "distance"])?;
                Ok(Requirement::Closeness {
                    t: self.rational("t")?,
                    ground: self.ground()?,
                })
            }
            "rho1-rho2" => {
                self.only(name, &["rho1", "rho2"])?;
                Ok(Requirement::Breach {
                    rho1: self.rational("rho1")?,
                    rho2: self.rational("rho2")?,
                })
            }
            "kifer" | "generic" => {
                self.only(name, &["distance", "bound"])?;
                Ok(Requirement::Generic {
                    distance: self.distance()?,
                    bound: self.rational("bound")?,
                })
            }
            "beta-likeness" => {
                self.only(name, &["beta", "variant"])?;
                let variants = [("basic", false), ("enhanced", true)];
                Ok(Requirement::Likeness {
                    beta: self.rational("beta")?,
                    enhanced: self.choice("variant", &variants, Some(false))?,
                })
            }
            "delta-disclosure" => {
                self.only(name, &["delta"])?;
                Ok(Requirement::DeltaDisclosure {
                    delta: self.rational("delta")?,
                })
            }
            "l-alpha-diversity" => self.l_alpha(),
            other => Err(self.check.unknown("privacy model", other, &MODELS)),
        }
    }

    fn l_diversity(&self) -> Result<Requirement, Error> {
        match self.section.variant.as_deref().unwrap_or("ratio") {
            "ratio" => {
                self.only("ratio l-diversity", &["variant", "l"])?;
                let ratio = RatioDiversity::new(self.whole("l")?);
                let ratio = ratio.map_err(|cause| self.check.error(cause.to_string()))?;
                Ok(Requirement::Ratio(ratio))
            }
            "distinct" => {
                self.only("distinct l-diversity", &["variant", "l"])?;
                Ok(Requirement::Distinct {
                    l: self.whole("l")?,
                })
            }
            "entropy" => {
                self.only("entropy l-diversity", &["variant", "l"])?;
                Ok(Requirement::Entropy {
                    l: self.rational("l")?,
                })
            }
            "recursive" => {
                self.only("recursive l-diversity", &["variant", "l", "c"])?;
                Ok(Requirement::Recursive {
                    c: self.rational("c")?,
                    l: self.whole("l")?,
                })
            }
            other => {
                let known = ["ratio", "distinct", "entropy", "recursive"];
                Err(self.check.unknown("variant of l-diversity", other, &known))
            }
        }
    }

    fn l_alpha(&self) -> Result<Requirement, Error> {
        let variant = self.section.variant.as_deref().unwrap_or("distinct");
        let sensitivity = self.section.weights.as_deref() == Some("sensitivity");
        let mut known = vec!["variant", "l", "alpha", "weights", "categories", "over"];
        known.extend((variant == "recursive").then_some("c"));
        known.extend(sensitivity.then_some("beta"));
        self.only("l-alpha-diversity of this kind", &known)?;
        // Definition 4 counts values, Definitions 5 and 6 categories.
        let (variant, over) = match variant {
            "distinct" => (Variant::Distinct, Over::Values),
            "entropy" => (Variant::Entropy, Over::Categories),
            "recursive" => {
                let c = self.rational("c")?;
                (Variant::Recursive { c }, Over::Categories)
            }
            other => {
                let known = ["distinct", "entropy", "recursive"];
                let what = "variant of l-alpha-diversity";
                return Err(self.check.unknown(what, other, &known));
            }
        };
        let weights = match sensitivity {
            true => Weights::Sensitivity {
                beta: self.whole("beta")?,
            },
            false => self.choice(
                "weights",
                &[
                    ("uniform", Weights::Uniform),
                    ("sensitivity", Weights::Uniform),
                ],
                Some(Weights::Uniform),
            )?,
        };
        let overs = [("categories", Over::Categories), ("values", Over::Values)];
        Ok(Requirement::LAlpha(LAlpha {
            variant,
            l: self.whole("l")?,
            alpha: self.rational("alpha")?,
            weights,
            categories: match &self.section.categories {
                Some(categories) => categories.clone(),
                None => return Err(self.missing("categories")),
            },
            over: self.choice("over", &overs, Some(over))?,
        }))
    }

    fn ground(&self) -> Result<GroundDistance, Error> {
        let all = [
            GroundDistance::Equal,
            GroundDistance::Ordered,
            GroundDistance::Hierarchical,
        ];
        self.choice("distance", &all.map(|ground| (ground.name(), ground)), None)
    }

    fn distance(&self) -> Result<Distance, Error> {
        let all = [
            Distance::TotalVariation,
            Distance::Maximum,
            Distance::Euclidean,
            Distance::KullbackLeibler,
        ];
        let named = all.map(|distance| (distance.name(), distance));
        self.choice("distance", &named, None)
    }

    fn choice<T: Copy>(
        &self,
        key: &'static str,
        known: &[(&str, T)],
        default: Option<T>,
    ) -> Result<T, Error> {
        let Some(found) = self.name_of(key) else {
            return default.ok_or_else(|| {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                self.missing(key)
                    .help(format!("known: {}", names.join(", ")))
            });
        };
        let choice = known.iter().find(|(name, _)| *name == found);
        choice.map(|&(_, choice)| choice).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            self.check
                .unknown(&format!("`{key}` called"), found, &names)
        })
    }

    fn rational(&self, key: &'static str) -> Result<Rational, Error> {
        let number = self.number(key).ok_or_else(|| self.missing(key))?;
        Ok(number.rational())
    }

    fn whole(&self, key: &'static str) -> Result<u32, Error> {
        let number = self.number(key).ok_or_else(|| self.missing(key))?;
        number.whole().ok_or_else(|| {
            let found = text(number.rational());
            let problem = format!("`{key} = {found}` is not a whole number of 32 bits");
            self.check.error(problem)
        })
    }

    fn missing(&self, key: &str) -> Error {
        let model = self.section.model.as_deref().unwrap_or_default();
        self.check
            .error(format!("the model `{model}` needs `{key}`"))
    }

    /// Nothing is given but these parameters.
    fn only(&self, what: &str, known: &[&str]) -> Result<(), Error> {
        let given = PARAMETERS.iter().filter(|key| self.has(key));
        match given.into_iter().find(|key| !known.contains(key)) {
            None => Ok(()),
            Some(key) => Err(self
                .check
                .error(format!("`{key}` is not a parameter of {what}"))
                .help(format!("it takes {}", known.join(", ")))),
        }
    }

    fn has(&self, key: &str) -> bool {
        match key {
            "all" => self.section.all.is_some(),
            "combine" => self.section.combine.is_some(),
            "categories" => self.section.categories.is_some(),
            _ => self.name_of(key).is_some() || self.number(key).is_some(),
        }
    }

    fn name_of(&self, key: &str) -> Option<&str> {
        let section = self.section;
        match key {
            "model" => section.model.as_deref(),
            "variant" => section.variant.as_deref(),
            "distance" => section.distance.as_deref(),
            "weights" => section.weights.as_deref(),
            "over" => section.over.as_deref(),
            _ => None,
        }
    }

    fn number(&self, key: &str) -> Option<Number> {
        let section = self.section;
        match key {
            "k" => section.k,
            "l" => section.l,
            "c" => section.c,
            "p" => section.p,
            "t" => section.t,
            "alpha" => section.alpha,
            "beta" => section.beta,
            "delta" => section.delta,
            "rho1" => section.rho1,
            "rho2" => section.rho2,
            "bound" => section.bound,
            _ => None,
        }
    }
}

/// Everything that a model may take.
const PARAMETERS: [&str; 16] = [
    "variant",
    "k",
    "l",
    "c",
    "p",
    "t",
    "alpha",
    "beta",
    "delta",
    "rho1",
    "rho2",
    "bound",
    "distance",
    "weights",
    "categories",
    "over",
];
