//! What a requirement means for one table: shares of the whole table, exempt
//! values, categories and distances are filled in.

use super::breach::NoBreach;
use super::classes::Classes;
use super::closeness::Closeness;
use super::disclosure::DeltaDisclosure;
use super::distinct::DistinctDiversity;
use super::entropy::EntropyDiversity;
use super::generic::Generic;
use super::ground::{Ground, TreeDistance};
use super::k_anonymity::KAnonymity;
use super::likeness::Likeness;
use super::prior::Prior;
use super::recursive::RecursiveDiversity;
use super::requirement::{GroundDistance, LAlpha, Over, Requirement, Variant};
use super::share::HighestShare;
use super::weight::{TotalWeight, category_weights};
use super::{InvalidModel, Property};
use crate::exact::Rational;
use crate::table::Histogram;
use crate::table::{Secret, View};
use std::collections::HashMap;
use std::sync::Arc;

/// A table's side of a requirement.
pub(super) struct Bind<'a> {
    sensitive: &'a Secret,
    histogram: Histogram,
}

type Properties = Vec<Arc<dyn Property>>;

impl<'a> Bind<'a> {
    pub(super) fn to(table: &'a View) -> Self {
        Self {
            sensitive: table.secret(),
            histogram: table.histogram(),
        }
    }

    /// The properties that a requirement means, at least one.
    pub(super) fn requirement(
        &self,
        requirement: &Requirement,
    ) -> Result<Properties, InvalidModel> {
        requirement.check()?;
        let name = requirement.name();
        let prior = || Prior::new(self.histogram.counts().to_vec(), self.exempt());
        Ok(match requirement {
            Requirement::KAnonymity { k } => vec![Arc::new(KAnonymity { k: *k })],
            Requirement::Ratio(ratio) => {
                // The engines make groups of l rows even of exempt values.
                let bound = Rational::new(1, ratio.l().into());
                vec![self.share(name, bound, ratio.l())]
            }
            Requirement::Distinct { l } => vec![self.distinct(name, *l, self.values())],
            Requirement::Entropy { l } => vec![self.entropy(name, *l, self.values())],
            Requirement::Recursive { c, l } => vec![Arc::new(RecursiveDiversity {
                name,
                c: *c,
                l: *l,
                classes: self.values(),
            })],
            Requirement::AlphaK { alpha, k } => {
                vec![Arc::new(KAnonymity { k: *k }), self.share(name, *alpha, *k)]
            }
            Requirement::PSensitive { p, k } => vec![
                Arc::new(KAnonymity { k: *k }),
                self.distinct(name, *p, self.values()),
            ],
            Requirement::Closeness { t, ground } => vec![Arc::new(Closeness {
                name,
                t: *t,
                ground: self.ground(*ground)?,
                prior: prior(),
            })],
            Requirement::Breach { rho1, rho2 } => vec![Arc::new(NoBreach {
                name,
                rho1: *rho1,
                rho2: *rho2,
                prior: prior(),
            })],
            Requirement::Generic { distance, bound } => vec![Arc::new(Generic {
                name,
                distance: *distance,
                bound: *bound,
                prior: prior(),
            })],
            Requirement::Likeness { beta, enhanced } => vec![Arc::new(Likeness {
                name,
                beta: *beta,
                enhanced: *enhanced,
                prior: prior(),
            })],
            Requirement::DeltaDisclosure { delta } => vec![Arc::new(DeltaDisclosure {
                name,
                delta: *delta,
                prior: prior(),
            })],
            Requirement::LAlpha(parameters) => self.l_alpha(name, parameters)?,
        })
    }

    fn exempt(&self) -> Vec<bool> {
        self.sensitive.exempt().to_vec()
    }

    fn values(&self) -> Classes {
        Classes::values(self.exempt(), self.histogram.distinct())
    }

    fn share(&self, name: String, bound: Rational, least_size: u32) -> Arc<dyn Property> {
        let exempt = self.exempt();
        Arc::new(HighestShare {
            name,
            bound,
            least_size,
            exempt,
        })
    }

    fn distinct(&self, name: String, l: u32, classes: Classes) -> Arc<dyn Property> {
        Arc::new(DistinctDiversity { name, l, classes })
    }

    fn entropy(&self, name: String, l: Rational, classes: Classes) -> Arc<dyn Property> {
        Arc::new(EntropyDiversity { name, l, classes })
    }

    /// Diversity, and a total weight.
    fn l_alpha(&self, name: String, parameters: &LAlpha) -> Result<Properties, InvalidModel> {
        let category_of = self.categories(&parameters.categories)?;
        let of_category = category_weights(parameters.weights, parameters.categories.len());
        let classes = match parameters.over {
            Over::Values => self.values(),
            Over::Categories => Classes::categories(
                category_of.clone(),
                self.sensitive.exempt(),
                self.histogram.counts(),
            ),
        };
        let l = parameters.l;
        let diversity: Arc<dyn Property> = match parameters.variant {
            Variant::Distinct => self.distinct(name.clone(), l, classes),
            Variant::Entropy => self.entropy(name.clone(), Rational::from(u64::from(l)), classes),
            Variant::Recursive { c } => Arc::new(RecursiveDiversity {
                name: name.clone(),
                c,
                l,
                classes,
            }),
        };
        let exempt = self.exempt();
        let weight = TotalWeight::new(name, parameters.alpha, category_of, &of_category, exempt);
        Ok(vec![diversity, Arc::new(weight)])
    }

    /// The category of each value. Values without rows need none.
    fn categories(&self, categories: &[Vec<String>]) -> Result<Vec<u32>, InvalidModel> {
        let labels = (0..self.sensitive.values() as u32).map(|code| self.sensitive.label(code));
        let labels: Vec<String> = labels.collect();
        let known: HashMap<&str, ()> = labels.iter().map(|label| (&**label, ())).collect();
        let mut category_of: HashMap<&str, u32> = HashMap::new();
        for (category, values) in (0..).zip(categories) {
            for value in values {
                if !known.contains_key(&**value) {
                    return Err(InvalidModel::UnknownValue {
                        value: value.clone(),
                    });
                }
                category_of.insert(value, category);
            }
        }
        let of_value = labels
            .iter()
            .zip(self.histogram.counts())
            .map(|(label, &count)| match category_of.get(&**label) {
                Some(&category) => Ok(category),
                None if count == 0 => Ok(0),
                None => Err(InvalidModel::NoCategory {
                    value: label.clone(),
                }),
            });
        of_value.collect()
    }

    fn ground(&self, ground: GroundDistance) -> Result<Ground, InvalidModel> {
        Ok(match ground {
            GroundDistance::Equal => Ground::Equal,
            GroundDistance::Ordered => Ground::Ordered,
            GroundDistance::Hierarchical => Ground::Tree(self.tree()?),
        })
    }

    fn tree(&self) -> Result<TreeDistance, InvalidModel> {
        let hierarchy = self
            .sensitive
            .hierarchy()
            .ok_or_else(|| InvalidModel::NoHierarchy {
                column: self.sensitive.name().to_owned(),
            })?;
        let leaf_of: HashMap<&str, u32> = hierarchy.leaf_labels().zip(0..).collect();
        let values = 0..self.sensitive.values() as u32;
        let leaves = values.map(|code| {
            let label = self.sensitive.label(code);
            leaf_of
                .get(&*label)
                .copied()
                .ok_or(InvalidModel::OutsideHierarchy { value: label })
        });
        let leaves = leaves.collect::<Result<_, _>>()?;
        Ok(TreeDistance::new(hierarchy.clone(), leaves))
    }
}
