//! Knowledge about sensitive values, from files and the policy.

use super::subject::AuditedSecret;
use super::{AuditRequest, lists};
use openveil_core::model::{LAlphaDiversity, Requirement};
use openveil_io::Error;
use openveil_measures::audit::{Categories, GroundTree, Knowledge};
use std::collections::HashMap;

pub(super) fn read(request: &AuditRequest, subject: &AuditedSecret) -> Result<Knowledge, Error> {
    let labels = subject.labels();
    let tree = subject.sensitive.hierarchy().map(|tree| {
        let leaf_of: HashMap<&str, u32> = tree.leaf_labels().zip(0..).collect();
        let leaves = labels.iter().filter_map(|label| leaf_of.get(label.as_str()));
        GroundTree::new(tree, &leaves.copied().collect::<Vec<_>>())
    });
    let file = match subject.sensitive.columns() {
        [column] => lists::about(&request.categories, column),
        // A file describes the values of one column.
        _ => None,
    };
    let categories = match file {
        None => model_categories(request, subject, &labels),
        Some(file) => {
            let (category_of, count) = lists::categories(file, &labels)?;
            Some(Categories::new(category_of, count, request.weights))
        }
    };
    Ok(Knowledge { ordered: subject.ordered, tree, categories })
}

/// The categories and weights of the policy's model, if it has some and they cover every value.
fn model_categories(
    request: &AuditRequest,
    subject: &AuditedSecret,
    labels: &[String],
) -> Option<Categories> {
    let policy = request.policy.as_ref().filter(|_| subject.only)?;
    let LAlphaDiversity { categories, weights, .. } =
        policy.privacy.model.requirements().iter().find_map(|r| match r {
            Requirement::LAlpha(parameters) => Some(parameters),
            _ => None,
        })?;
    let category_of: HashMap<&str, u32> = (0..)
        .zip(categories)
        .flat_map(|(number, values)| values.iter().map(move |value| (value.as_str(), number)))
        .collect();
    let category_of: Option<Vec<u32>> =
        labels.iter().map(|label| category_of.get(label.as_str()).copied()).collect();
    Some(Categories::new(category_of?, categories.len(), *weights))
}
