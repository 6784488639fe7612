use super::InvalidModel;
use super::classes::DiversityClasses;
use super::ground::TreeDistance;
use super::prior::Prior;
use super::share::HighestShare;
use crate::exact::Rational;
use crate::table::{Histogram, Members, Secret, View};
use std::collections::HashMap;

/// The parts of a model that depend on the table: shares of the whole table, exempt values,
/// categories and distances.
pub(super) struct Binding<'a> {
    sensitive: &'a Secret,
    histogram: Histogram,
}

impl<'a> Binding<'a> {
    pub(super) fn to(table: &'a View) -> Self {
        Self { sensitive: table.secret(), histogram: table.histogram() }
    }

    pub(super) fn exempt(&self) -> Vec<bool> {
        self.sensitive.exempt().to_vec()
    }

    /// The members of values, if values are sets.
    pub(super) fn members(&self) -> Option<&Members> {
        self.sensitive.members()
    }

    /// The number of values that occur.
    pub(super) fn present(&self) -> usize {
        self.histogram.distinct()
    }

    /// The reader's belief before the release.
    pub(super) fn prior(&self) -> Prior {
        Prior::new(self.histogram.counts().to_vec(), self.exempt())
    }

    /// The classes in which every value is by itself.
    pub(super) fn values(&self) -> DiversityClasses {
        DiversityClasses::values(self.exempt(), self.histogram.distinct())
    }

    /// The classes of categories of values.
    pub(super) fn classes(&self, category_of: Vec<u32>) -> DiversityClasses {
        DiversityClasses::categories(category_of, self.sensitive.exempt(), self.histogram.counts())
    }

    /// The property that no protected value has a share above a bound.
    pub(super) fn share(&self, name: String, bound: Rational, least_size: u32) -> HighestShare {
        HighestShare { name, bound, least_size, exempt: self.exempt() }
    }

    /// The category of each value. Values without rows need none.
    pub(super) fn categories(&self, categories: &[Vec<String>]) -> Result<Vec<u32>, InvalidModel> {
        let labels = self.sensitive.labels();
        let known: HashMap<&str, ()> = labels.iter().map(|label| (&**label, ())).collect();
        let mut category_of: HashMap<&str, u32> = HashMap::new();
        for (category, values) in (0..).zip(categories) {
            for value in values {
                if !known.contains_key(&**value) {
                    return Err(InvalidModel::UnknownValue { value: value.clone() });
                }
                category_of.insert(value, category);
            }
        }
        labels
            .iter()
            .zip(self.histogram.counts())
            .map(|(label, &count)| match category_of.get(&**label) {
                Some(&category) => Ok(category),
                None if count == 0 => Ok(0),
                None => Err(InvalidModel::NoCategory { value: label.clone() }),
            })
            .collect()
    }

    /// The distances between values in the secret column's tree.
    pub(super) fn tree(&self) -> Result<TreeDistance, InvalidModel> {
        let hierarchy = self.sensitive.hierarchy().ok_or_else(|| InvalidModel::NoHierarchy {
            column: self.sensitive.name().to_owned(),
        })?;
        let leaf_of: HashMap<&str, u32> = hierarchy.leaf_labels().zip(0..).collect();
        let values = 0..self.sensitive.values() as u32;
        let leaves = values
            .map(|code| {
                let label = self.sensitive.label(code);
                leaf_of.get(&*label).copied().ok_or(InvalidModel::OutsideHierarchy { value: label })
            })
            .collect::<Result<_, _>>()?;
        Ok(TreeDistance::new(hierarchy.clone(), leaves))
    }
}
