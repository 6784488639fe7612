use super::{CoverColours, CoverCondition, CoverStrength};
use openveil_core::table::Groups;
use std::collections::{BTreeMap, HashSet};

/// The covers of one colour, with their bijections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColourCovers {
    /// The sensitive value of the colour.
    pub value: u32,
    /// The people who have it, ascending.
    pub rows: Vec<u32>,
    /// The bijections: `images[w][a]` stands for `rows[a]` in the w-th cover.
    pub images: Vec<Vec<u32>>,
}

/// Covers of every colour of a table. They belong to the owner, because they name who could stand
/// for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covers {
    condition: CoverCondition,
    people: usize,
    per_colour: Vec<ColourCovers>,
}

/// The reason why covers are not as required, or are no longer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Breach {
    /// A colour does not have l − 1 covers of its own size.
    #[error("the value {value} has not as many covers, or not as large ones, as it needs")]
    Missing {
        /// The colour's value.
        value: u32,
    },
    /// The covers of a colour overlap with each other or with the colour, or name nobody.
    #[error("the covers of the value {value} meet, or leave the table")]
    Meeting {
        /// The colour's value.
        value: u32,
    },
    /// Two images of one row are of one colour.
    #[error("two images of row {row}, which has the value {value}, are of one colour")]
    SharedColour {
        /// The colour's value.
        value: u32,
        /// The row.
        row: u32,
    },
    /// Exchanging a colour with a cover turns a group into one that occurs in no partition, so the
    /// reader can tell them apart.
    #[error(
        "cover {cover} of the value {value} turns the group {group:?} into one that never occurs"
    )]
    Distinguishable {
        /// The colour's value.
        value: u32,
        /// The cover, counted from 0.
        cover: usize,
        /// The group, ascending.
        group: Vec<u32>,
    },
    /// A group has more or fewer rows of a colour than of its cover, so its values would tell them
    /// apart.
    #[error("the group {group:?} divides the value {value} and its cover {cover} unequally")]
    Unbalanced {
        /// The colour's value.
        value: u32,
        /// The cover, counted from 0.
        cover: usize,
        /// The group, ascending.
        group: Vec<u32>,
    },
}

impl Covers {
    /// Makes covers that were constructed before any partition is considered:
    /// `images[colour][w][a]` stands for the a-th row (ascending) of the colour in its w-th cover;
    /// colours by value. O(n · l · log n) time.
    ///
    /// # Errors
    /// [`Breach::Missing`], [`Breach::Meeting`] or [`Breach::SharedColour`].
    pub fn new(
        values: &[u32],
        condition: CoverCondition,
        images: Vec<Vec<Vec<u32>>>,
    ) -> Result<Self, Breach> {
        let mut images = images.into_iter();
        let per_colour = colours(values).into_iter().map(|(value, rows)| {
            let images = images.next().unwrap_or_default();
            let covers = ColourCovers { value, rows, images };
            covers.check(values, condition)?;
            Ok(covers)
        });
        Ok(Self {
            condition,
            people: values.len(),
            per_colour: per_colour.collect::<Result<_, Breach>>()?,
        })
    }

    /// Returns the condition that the covers were made for.
    pub fn condition(&self) -> CoverCondition {
        self.condition
    }

    /// Returns the covers of each colour, by value.
    pub fn per_colour(&self) -> &[ColourCovers] {
        &self.per_colour
    }

    /// Checks whether a set of partitions satisfies the property by these covers. O(groups ·
    /// colours · l · n) time.
    ///
    /// # Errors
    /// [`Breach::Distinguishable`] or [`Breach::Unbalanced`].
    ///
    /// # Panics
    /// If a partition names a person beyond the table.
    pub fn check(&self, partitions: &[Groups]) -> Result<(), Breach> {
        let known: HashSet<Vec<u32>> = partitions.iter().flat_map(groups_of).collect();
        self.check_groups(partitions.iter().flat_map(groups_of), &known)
    }

    /// Checks whether a candidate generalisation breaks the covers built before. In this way a
    /// publisher stays within a set that satisfies the property, without ever computing the locally
    /// safe set (L-Cover paper, end of section 4.2).
    ///
    /// `considered` are the partitions accepted so far, which must satisfy the property by these
    /// covers. If the answer is `Ok`, they do so together with the candidate, too. O(groups ·
    /// colours · l · n) time.
    ///
    /// # Errors
    /// [`Breach::Distinguishable`] or [`Breach::Unbalanced`], which states how the candidate breaks
    /// them.
    ///
    /// # Panics
    /// If a partition names a person beyond the table.
    pub fn admit(&self, considered: &[Groups], candidate: &Groups) -> Result<(), Breach> {
        let known: HashSet<Vec<u32>> =
            considered.iter().chain(std::iter::once(candidate)).flat_map(groups_of).collect();
        // Further partitions never break a match, so checking the new ones suffices.
        self.check_groups(groups_of(candidate), &known)
    }

    fn check_groups(
        &self,
        groups: impl Iterator<Item = Vec<u32>>,
        known: &HashSet<Vec<u32>>,
    ) -> Result<(), Breach> {
        for group in groups {
            for colour in &self.per_colour {
                for (cover, images) in colour.images.iter().enumerate() {
                    colour.check_group(cover, images, &group, known, self)?;
                }
            }
        }
        Ok(())
    }
}

impl ColourCovers {
    /// Checks the conditions that do not depend on partitions.
    fn check(&self, values: &[u32], condition: CoverCondition) -> Result<(), Breach> {
        let value = self.value;
        let are_as_large = self.images.iter().all(|image| image.len() == self.rows.len());
        if self.images.len() != condition.covers() || !are_as_large {
            return Err(Breach::Missing { value });
        }
        let mut all: Vec<u32> = self.images.iter().flatten().chain(&self.rows).copied().collect();
        all.sort_unstable();
        let is_inside = all.iter().all(|&row| (row as usize) < values.len());
        if !is_inside || all.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Breach::Meeting { value });
        }
        for (place, &row) in self.rows.iter().enumerate() {
            let distinct: HashSet<u32> =
                self.images.iter().map(|image| values[image[place] as usize]).collect();
            if condition.reading == CoverColours::Streamliner && distinct.len() < self.images.len()
            {
                return Err(Breach::SharedColour { value, row });
            }
        }
        Ok(())
    }

    fn check_group(
        &self,
        cover: usize,
        images: &[u32],
        group: &[u32],
        known: &HashSet<Vec<u32>>,
        covers: &Covers,
    ) -> Result<(), Breach> {
        let value = self.value;
        let count = |set: &[u32]| set.iter().filter(|row| group.contains(row)).count();
        if covers.condition.strength == CoverStrength::Full && count(&self.rows) != count(images) {
            let group = group.to_vec();
            return Err(Breach::Unbalanced { value, cover, group });
        }
        let mut swap: Vec<u32> = (0..covers.people as u32).collect();
        for (&row, &image) in self.rows.iter().zip(images) {
            swap.swap(row as usize, image as usize);
        }
        let mut exchanged: Vec<u32> = group.iter().map(|&row| swap[row as usize]).collect();
        exchanged.sort_unstable();
        if !known.contains(&exchanged) {
            let group = group.to_vec();
            return Err(Breach::Distinguishable { value, cover, group });
        }
        Ok(())
    }
}

/// Returns the rows of each value, ascending.
pub(super) fn colours(values: &[u32]) -> BTreeMap<u32, Vec<u32>> {
    let mut colours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (row, &value) in (0..).zip(values) {
        colours.entry(value).or_default().push(row);
    }
    colours
}

fn groups_of(partition: &Groups) -> impl Iterator<Item = Vec<u32>> {
    partition.iter().map(|group| {
        let mut group = group.to_vec();
        group.sort_unstable();
        group
    })
}
