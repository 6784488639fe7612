use openveil_core::release::Content;

/// Groups that disclose the category of their people's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similarity {
    /// Number of groups whose values are all of one category.
    pub groups: usize,
    /// Number of rows of these groups.
    pub rows: usize,
}

/// Counts the groups of one category; `category_of[value]` numbers the category
/// of each value. A group of one value is of one category. O(rows).
///
/// The similarity attack of the (l, α)-diversity paper, section 1.
///
/// # Panics
/// If the release holds a value for which `category_of` has no entry.
pub fn similarity(release: &Content, category_of: &[u32]) -> Similarity {
    let is_similar = |&group: &usize| {
        let mut categories = release.values(group).iter().map(|&value| category_of[value as usize]);
        let first = categories.next();
        categories.all(|category| Some(category) == first)
    };
    let similar: Vec<usize> = (0..release.group_count()).filter(is_similar).collect();
    let rows = similar.iter().map(|&group| release.group_rows(group).len());
    Similarity { groups: similar.len(), rows: rows.sum() }
}
