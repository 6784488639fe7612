//! Candidates, l-candidates with their bijections, and the partitions that do not break them
//! (Privacy Streamliner, sections 2.2 and 2.3).
//!
//! This module is for small tables and for checking the algorithms. The algorithms themselves keep
//! flat lists of links and share the merge.

use super::bijections;
use super::colours::Colours;
use super::union_find::UnionFind;
use openveil_core::table::Groups;

/// Returns whether two sets of rows are candidates for each other (Definition 1): they are
/// disjoint, equally large, and some bijection maps every row to one of another colour. O(m log m)
/// for m rows.
pub fn are_candidates(colours: &Colours, a: &[u32], b: &[u32]) -> bool {
    are_disjoint(a, b) && bijections::between(colours, a, b).is_some()
}

/// Checks the condition of Lemma 3 on a set of rows and a colour: it has as many rows as the
/// colour, and none of the colour's own. Such a set is a candidate for the colour.
pub fn fits_colour(colours: &Colours, colour: usize, rows: &[u32]) -> bool {
    rows.len() == colours.get(colour).len()
        && rows.iter().all(|&row| colours.colour_of(row) as usize != colour)
        && has_no_repeats(rows)
}

/// Checks the conditions of Lemma 4 on two sets of rows: they are disjoint and equally large, and
/// no colour has more rows in both together than one of them has. Sets are candidates for each
/// other if and only if they meet these conditions.
pub fn share_no_majority(colours: &Colours, a: &[u32], b: &[u32]) -> bool {
    a.len() == b.len()
        && are_disjoint(a, b)
        && largest_count(colours, a.iter().chain(b).copied()) <= a.len()
}

/// Checks the conditions of Theorem 2 on the sets that are to be candidates for a colour: each fits
/// it, no two share a row, and no other colour has more rows in all of them together than the
/// colour has.
pub fn satisfy_theorem_2(colours: &Colours, colour: usize, sets: &[Vec<u32>]) -> bool {
    let all: Vec<u32> = sets.iter().flatten().copied().collect();
    sets.iter().all(|set| fits_colour(colours, colour, set))
        && has_no_repeats(&all)
        && largest_count(colours, all.iter().copied()) <= colours.get(colour).len()
}

/// The reason why sets and mappings are not l-candidates for all colours of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotCandidates {
    /// The numbers of colours and of l-candidates differ.
    #[error("there are {found} l-candidates for {expected} colours")]
    Missing {
        /// Number of colours of the table.
        expected: usize,
        /// Number of l-candidates given.
        found: usize,
    },
    /// The sets for a colour violate a condition of Theorem 2.
    #[error("the sets for colour {colour} break a condition of Theorem 2")]
    Sets {
        /// The colour.
        colour: usize,
    },
    /// A row is mapped to several rows of one colour.
    #[error("row {row} is mapped to several rows of one colour")]
    ImagesShareColour {
        /// The row, counted from 0.
        row: u32,
    },
}

/// The l-candidate of one colour, with its l−1 bijections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LCandidate {
    colour: usize,
    images: Vec<Vec<u32>>,
}

impl LCandidate {
    /// Makes an l-candidate from its mappings: `images[w][a]` is the image under mapping w of the
    /// colour's a-th row (rows ascending).
    ///
    /// Beyond Definition 1, the images of one row must have different colours, as in Definition 5:
    /// otherwise {a₁, b₁, b₂} could become a group.
    ///
    /// # Errors
    /// [`NotCandidates::Sets`] or [`NotCandidates::ImagesShareColour`].
    pub fn new(
        colours: &Colours,
        colour: usize,
        images: Vec<Vec<u32>>,
    ) -> Result<Self, NotCandidates> {
        if !satisfy_theorem_2(colours, colour, &images) {
            return Err(NotCandidates::Sets { colour });
        }
        for (a, &row) in colours.get(colour).iter().enumerate() {
            if largest_count(colours, images.iter().map(|image| image[a])) > 1 {
                return Err(NotCandidates::ImagesShareColour { row });
            }
        }
        Ok(Self { colour, images })
    }

    /// Makes an l-candidate from its l−1 sets, and finds mappings for them. They exist whenever
    /// Theorem 2's conditions hold. O(l² · rows of the colour).
    ///
    /// # Errors
    /// [`NotCandidates::Sets`] if a condition is violated.
    pub fn from_sets(
        colours: &Colours,
        colour: usize,
        sets: &[Vec<u32>],
    ) -> Result<Self, NotCandidates> {
        if !satisfy_theorem_2(colours, colour, sets) {
            return Err(NotCandidates::Sets { colour });
        }
        let images = bijections::in_columns(colours, sets, colours.get(colour).len())
            .ok_or(NotCandidates::Sets { colour })?;
        Self::new(colours, colour, images)
    }

    /// Returns the colour.
    pub fn colour(&self) -> usize {
        self.colour
    }

    /// Returns the l−1 mappings: `images()[w][a]` is the image of the a-th row.
    pub fn images(&self) -> &[Vec<u32>] {
        &self.images
    }
}

/// One l-candidate for every colour of a table, with all bijections; the paper calls it *Can*ˡ.
#[derive(Debug, Clone)]
pub struct Candidates {
    rows: usize,
    links: Vec<(u32, u32)>,
    per_colour: Vec<LCandidate>,
}

impl Candidates {
    /// Combines one l-candidate per colour, in the order of colours.
    ///
    /// # Errors
    /// [`NotCandidates::Missing`] if a colour has none, or if it is not at its position.
    pub fn new(colours: &Colours, per_colour: Vec<LCandidate>) -> Result<Self, NotCandidates> {
        let in_place = per_colour.iter().enumerate().all(|(i, c)| c.colour == i);
        if per_colour.len() != colours.len() || !in_place {
            return Err(NotCandidates::Missing {
                expected: colours.len(),
                found: per_colour.len(),
            });
        }
        let mut links = Vec::new();
        for candidate in &per_colour {
            let rows = colours.get(candidate.colour);
            for image in &candidate.images {
                links.extend(rows.iter().copied().zip(image.iter().copied()));
            }
        }
        Ok(Self { rows: colours.row_count(), links, per_colour })
    }

    /// Returns l-candidates whose bijections stay inside of cells. If the cells are the common
    /// refinement of a set of partitions, the set is a family set with these l-candidates
    /// (Definition 2). There are some if and only if the ratio 1/l holds in every cell: if it holds
    /// for a cell's largest colour, it leaves every other colour enough images, since the number of
    /// rows with at most k of each colour is concave in k. O(n · colours² + n · the largest colour
    /// + l · n): for few people.
    ///
    /// # Errors
    /// The colour that has too few images in a cell.
    pub fn within(colours: &Colours, cells: &Groups, l: u32) -> Result<Self, usize> {
        let images = l as usize - 1;
        let per_colour = (0..colours.len()).map(|colour| {
            let own = colours.get(colour);
            if images > colours.row_count() {
                return Err(colour);
            }
            let mut image_of = vec![vec![0; own.len()]; images];
            for cell in cells.iter() {
                let of_colour = |of: usize| {
                    let rows = cell.iter().copied();
                    rows.filter(move |&row| colours.colour_of(row) as usize == of)
                };
                let rows: Vec<u32> = of_colour(colour).collect();
                // At most as many rows of another colour, one after the other: they then have
                // different positions, and so the images of one row have different colours.
                let others = (0..colours.len()).filter(|&other| other != colour);
                let chosen: Vec<u32> =
                    others.flat_map(|other| of_colour(other).take(rows.len())).collect();
                if chosen.len() < images * rows.len() {
                    return Err(colour);
                }
                for (position, &row) in rows.iter().enumerate() {
                    let place = own.iter().position(|&other| other == row).expect("its own row");
                    for (number, image_of) in image_of.iter_mut().enumerate() {
                        image_of[place] = chosen[number * rows.len() + position];
                    }
                }
            }
            LCandidate::new(colours, colour, image_of).map_err(|_| colour)
        });
        let per_colour = per_colour.collect::<Result<Vec<_>, usize>>()?;
        Self::new(colours, per_colour).map_err(|_| 0)
    }

    /// Returns the l-candidates, by colour.
    pub fn per_colour(&self) -> &[LCandidate] {
        &self.per_colour
    }

    /// Returns all pairs of a row and its image that occur in a bijection.
    pub fn links(&self) -> &[(u32, u32)] {
        &self.links
    }

    /// Returns whether a group holds both rows of every pair, or neither (Definition 2). O(n +
    /// links).
    pub fn is_self_contained_group(&self, group: &[u32]) -> bool {
        let mut inside = vec![false; self.rows];
        group.iter().for_each(|&row| inside[row as usize] = true);
        self.links.iter().all(|&(a, b)| inside[a as usize] == inside[b as usize])
    }

    /// Returns whether every group of a partition is self-contained (Definition 2).
    pub fn is_self_contained(&self, partition: &Groups) -> bool {
        partition.iter().all(|group| self.is_self_contained_group(group))
    }

    /// Returns whether a set of partitions is a family set: all of them are self-contained
    /// (Definition 2).
    pub fn is_family_set(&self, partitions: &[Groups]) -> bool {
        partitions.iter().all(|partition| self.is_self_contained(partition))
    }

    /// Returns the minimal self-contained partition (Definition 3, Table 9), with groups by their
    /// first row. Every self-contained partition is a union of its groups (Lemma 2). O(links), up
    /// to a factor that is constant in practice.
    pub fn minimal_partition(&self) -> Groups {
        merge(self.rows, self.links.iter().copied())
    }
}

/// Merges all rows that links connect, directly or through others: returns the finest partition of
/// `rows` rows such that no link crosses groups (Table 9, line 5).
pub fn merge(rows: usize, links: impl IntoIterator<Item = (u32, u32)>) -> Groups {
    let mut sets = UnionFind::new(rows);
    for (a, b) in links {
        sets.join(a, b);
    }
    sets.into_groups()
}

fn are_disjoint(a: &[u32], b: &[u32]) -> bool {
    let mut sorted = a.to_vec();
    sorted.sort_unstable();
    b.iter().all(|row| sorted.binary_search(row).is_err())
}

fn has_no_repeats(rows: &[u32]) -> bool {
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// Returns the number of rows of the most frequent colour.
fn largest_count(colours: &Colours, rows: impl Iterator<Item = u32>) -> usize {
    let mut found: Vec<u32> = rows.map(|row| colours.colour_of(row)).collect();
    found.sort_unstable();
    let runs = found.chunk_by(|a, b| a == b);
    runs.map(<[u32]>::len).max().unwrap_or(0)
}
