//! What a policy may ask for, as plain parameters.

use super::{InvalidModel, RatioDiversity};
use crate::exact::{Rational, text};
use num_traits::{One, Zero};

/// One thing that a policy asks for, by its parameters. Parameters are checked by
/// [`Requirement::check`]; what they mean for a table is told by
/// [`super::Model::bind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// k-anonymity: groups of at least `k` rows.
    KAnonymity {
        /// At least 1.
        k: u32,
    },
    /// Ratio l-diversity: no protected value has a share above 1/l.
    Ratio(RatioDiversity),
    /// Distinct l-diversity: at least `l` different values.
    Distinct {
        /// At least 2.
        l: u32,
    },
    /// Entropy l-diversity: entropy of at least log `l`.
    Entropy {
        /// Above 1.
        l: Rational,
    },
    /// Recursive (c, l)-diversity: the most frequent value is rarer than `c` times
    /// all but the l − 1 most frequent ones together.
    Recursive {
        /// Above 0.
        c: Rational,
        /// At least 2.
        l: u32,
    },
    /// (α, k)-anonymity: groups of at least `k` rows, no protected value with a
    /// share above `alpha`.
    AlphaK {
        /// Above 0 and below 1.
        alpha: Rational,
        /// At least 1.
        k: u32,
    },
    /// p-sensitive k-anonymity: groups of at least `k` rows with at least `p`
    /// different values.
    PSensitive {
        /// At least 2, at most `k`.
        p: u32,
        /// At least 2.
        k: u32,
    },
    /// t-closeness: the distribution is no farther than `t` from the whole table's.
    Closeness {
        /// Above 0 and below 1.
        t: Rational,
        /// How far values are from each other.
        ground: GroundDistance,
    },
    /// No ρ₁-to-ρ₂ breach: no protected value that has a share of at most `rho1` in
    /// the whole table has one of `rho2` or more.
    Breach {
        /// Above 0, below `rho2`.
        rho1: Rational,
        /// At most 1.
        rho2: Rational,
    },
    /// Kifer's generic measure: the distribution is within `bound` of the whole
    /// table's.
    Generic {
        /// How far distributions are from each other.
        distance: Distance,
        /// Above 0.
        bound: Rational,
    },
    /// β-likeness: no protected value's share exceeds its share in the whole table
    /// by more than a part of it.
    Likeness {
        /// Above 0.
        beta: Rational,
        /// Whether frequent values are bounded more closely.
        enhanced: bool,
    },
    /// δ-disclosure privacy: every protected value's share differs from its share
    /// in the whole table by less than a factor of e^`delta`, up or down.
    DeltaDisclosure {
        /// Above 0.
        delta: Rational,
    },
    /// One of the (l, α)-diversity models.
    LAlpha(LAlpha),
}

/// How far sensitive values are from each other: 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroundDistance {
    /// All different values are at distance 1.
    Equal,
    /// Ranks apart in the order of the values, as a part of the greatest.
    Ordered,
    /// Height of the common ancestor in the sensitive column's hierarchy, as a part
    /// of the root's.
    Hierarchical,
}

/// How far two distributions are from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// Half the sum of the differences: 0 to 1.
    TotalVariation,
    /// The greatest difference of one value's shares: 0 to 1.
    Maximum,
    /// Root of the summed squared differences.
    Euclidean,
    /// Kullback–Leibler divergence from the whole table's, in nats.
    KullbackLeibler,
}

/// Parameters of (l, α)-diversity: diversity, and a total weight of at least `alpha`
/// per group, where less sensitive values weigh more. (Sun, Li, Wang: A family of
/// enhanced (L, α)-diversity models, 2010.)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LAlpha {
    /// The kind of diversity.
    pub variant: Variant,
    /// At least 2.
    pub l: u32,
    /// Above 0.
    pub alpha: Rational,
    /// How much the categories weigh.
    pub weights: Weights,
    /// The sensitive values, in at least two categories, most sensitive first.
    pub categories: Vec<Vec<String>>,
    /// What has to be diverse.
    pub over: Over,
}

/// The kind of diversity in (l, α)-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// At least l different ones (Definition 4).
    Distinct,
    /// Entropy of at least log l (Definition 5).
    Entropy,
    /// Recursive diversity (Definition 6).
    Recursive {
        /// Above 0.
        c: Rational,
    },
}

/// How much the categories of (l, α)-diversity weigh: from 0 for the most sensitive
/// to 1 for the least (Equation 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Equal steps.
    Uniform,
    /// The i-th step is 1/i^β times the first.
    Sensitivity {
        /// 1 to 16; whole, so that weights are rational.
        beta: u32,
    },
}

/// What has to be diverse in (l, α)-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Categories, as in Definitions 5 and 6.
    Categories,
    /// Values, as in Definition 4.
    Values,
}

impl Requirement {
    /// Checks the parameters by themselves.
    ///
    /// # Errors
    /// [`InvalidModel::Parameter`] names the first one out of range, and
    /// [`InvalidModel::TwoCategories`] a value in several categories.
    pub fn check(&self) -> Result<(), InvalidModel> {
        let one = Rational::one();
        let range = Range(self.model());
        match self {
            Self::Ratio(_) => Ok(()),
            Self::KAnonymity { k } => range.at_least("k", *k, 1),
            Self::Distinct { l } => range.at_least("l", *l, 2),
            Self::Entropy { l } => range.holds("l", l, *l > one, "above 1"),
            Self::Recursive { c, l } => {
                range.positive("c", c)?;
                range.at_least("l", *l, 2)
            }
            Self::AlphaK { alpha, k } => {
                range.proper("alpha", alpha)?;
                range.at_least("k", *k, 1)
            }
            Self::PSensitive { p, k } => {
                range.at_least("p", *p, 2)?;
                range.holds(
                    "p",
                    p,
                    p <= k,
                    "at most `k`: more values than rows cannot be",
                )
            }
            Self::Closeness { t, .. } => range.proper("t", t),
            Self::Breach { rho1, rho2 } => {
                range.proper("rho1", rho1)?;
                let sensible = rho1 < rho2 && *rho2 <= one;
                range.holds("rho2", &text(*rho2), sensible, "above `rho1` and at most 1")
            }
            Self::Generic { bound, .. } => range.positive("bound", bound),
            Self::Likeness { beta, .. } => range.positive("beta", beta),
            Self::DeltaDisclosure { delta } => range.positive("delta", delta),
            Self::LAlpha(parameters) => parameters.check(range),
        }
    }
}

impl LAlpha {
    fn check(&self, range: Range) -> Result<(), InvalidModel> {
        range.at_least("l", self.l, 2)?;
        range.positive("alpha", &self.alpha)?;
        if let Variant::Recursive { c } = &self.variant {
            range.positive("c", c)?;
        }
        if let Weights::Sensitivity { beta } = &self.weights {
            let sensible = (1..=16).contains(beta);
            range.holds("beta", beta, sensible, "a whole number from 1 to 16")?;
        }
        let several = self.categories.len() >= 2 && self.categories.iter().all(|c| !c.is_empty());
        let found = self.categories.len();
        range.holds(
            "categories",
            &format!("[{found} of them]"),
            several,
            "at least two lists of values, none of them empty",
        )?;
        let mut seen = std::collections::HashSet::new();
        match self
            .categories
            .iter()
            .flatten()
            .find(|value| !seen.insert(*value))
        {
            Some(value) => Err(InvalidModel::TwoCategories {
                value: value.clone(),
            }),
            None => Ok(()),
        }
    }
}

/// Says which parameter of a model is out of range.
#[derive(Clone, Copy)]
struct Range(&'static str);

impl Range {
    fn holds(
        self,
        parameter: &'static str,
        found: &impl ToString,
        holds: bool,
        expected: &'static str,
    ) -> Result<(), InvalidModel> {
        match holds {
            true => Ok(()),
            false => Err(InvalidModel::Parameter {
                model: self.0,
                parameter,
                found: found.to_string(),
                expected,
            }),
        }
    }

    fn at_least(self, parameter: &'static str, found: u32, least: u32) -> Result<(), InvalidModel> {
        let expected = match least {
            1 => "a whole number of at least 1",
            _ => "a whole number of at least 2",
        };
        self.holds(parameter, &found, found >= least, expected)
    }

    fn positive(self, parameter: &'static str, found: &Rational) -> Result<(), InvalidModel> {
        self.holds(parameter, &text(*found), !found.is_zero(), "above 0")
    }

    fn proper(self, parameter: &'static str, found: &Rational) -> Result<(), InvalidModel> {
        let proper = !found.is_zero() && *found < Rational::one();
        self.holds(parameter, &text(*found), proper, "above 0 and below 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(requirement: Requirement) -> String {
        requirement.check().unwrap_err().to_string()
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let r = Rational::new;
        let ground = GroundDistance::Equal;
        let cases = [
            (Requirement::KAnonymity { k: 0 }, "`k = 0`"),
            (Requirement::Distinct { l: 1 }, "`l = 1`"),
            (Requirement::Entropy { l: r(1, 1) }, "`l = 1`"),
            (Requirement::Recursive { c: r(0, 1), l: 2 }, "`c = 0`"),
            (Requirement::Recursive { c: r(1, 1), l: 1 }, "`l = 1`"),
            (
                Requirement::AlphaK {
                    alpha: r(1, 1),
                    k: 2,
                },
                "`alpha = 1`",
            ),
            (Requirement::PSensitive { p: 3, k: 2 }, "`p = 3`"),
            (Requirement::Closeness { t: r(0, 1), ground }, "`t = 0`"),
            (
                Requirement::Breach {
                    rho1: r(1, 2),
                    rho2: r(1, 2),
                },
                "`rho2 = 0.5`",
            ),
            (
                Requirement::Likeness {
                    beta: r(0, 1),
                    enhanced: true,
                },
                "`beta = 0`",
            ),
            (
                Requirement::DeltaDisclosure { delta: r(0, 1) },
                "`delta = 0`",
            ),
        ];
        for (requirement, parameter) in cases {
            let message = refused(requirement);
            assert!(message.contains(parameter), "{message}");
        }
    }

    #[test]
    fn categories_are_at_least_two_and_disjoint() {
        let with = |categories: &[&[&str]]| {
            let list = |values: &&[&str]| values.iter().map(|value| value.to_string()).collect();
            Requirement::LAlpha(LAlpha {
                variant: Variant::Distinct,
                l: 2,
                alpha: Rational::one(),
                weights: Weights::Uniform,
                categories: categories.iter().map(list).collect(),
                over: Over::Values,
            })
        };
        assert_eq!(with(&[&["a"], &["b", "c"]]).check(), Ok(()));
        assert!(refused(with(&[&["a"]])).contains("at least two lists"));
        assert!(refused(with(&[&["a"], &[]])).contains("at least two lists"));
        assert!(refused(with(&[&["a"], &["b", "a"]])).contains("two of the"));
    }
}
