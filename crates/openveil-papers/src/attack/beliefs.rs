//! The beliefs about each person's value of a reader who takes the groups at face value. The
//! learning attack and the intersection start from them.

mod covering;

use covering::{Covering, Search};
use openveil_core::release::{Cells, Content};
use openveil_core::table::{Groups, View};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The largest number of stored pairs of a kind of person and a value.
const MAX_ENTRIES: usize = 1 << 25;

/// The number of kinds of people that are looked up in sequence.
const KINDS_AT_ONCE: usize = 1_024;

/// The way in which people are found in their groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Membership {
    /// Everybody's group is known: the algorithm uses no coins, so running it again shows the
    /// groups.
    Known,
    /// A person may be in any group whose cells cover the person's quasi-identifiers, with weight
    /// by its rows that do.
    ByCells {
        /// The number of possible groups, on average over people.
        mean_groups: f64,
    },
}

/// The interpretation of a person whom no group covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncovered {
    /// The release is not of this table.
    Refused,
    /// The release is of other people, and says nothing about this one: the reader believes the
    /// histogram.
    NothingSaid,
}

/// The reason why beliefs could not be formed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BeliefError {
    /// No group's cells cover a person.
    #[error("no group of the release covers row {} of the table", row + 1)]
    NotCovered {
        /// The row, counted from 0.
        row: u32,
    },
    /// The release is too large to look up everybody.
    #[error("{needed} {what} are more than the {limit} that fit into memory")]
    TooLarge {
        /// The items of which there are too many.
        what: &'static str,
        /// Their number.
        needed: u64,
        /// The limit.
        limit: u64,
    },
}

/// A distribution over sensitive values for each person. People of one kind (who cannot be told
/// apart) share it.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonBeliefs {
    /// The kind of each person.
    kind_of: Vec<u32>,
    /// The end of the values of each kind.
    ends: Vec<usize>,
    /// Possible values of all kinds, ascending within a kind.
    values: Vec<u32>,
    /// Their probabilities, which sum to 1 within a kind.
    shares: Vec<f64>,
    /// The number of possible groups of each kind.
    groups: Vec<u64>,
    membership: Membership,
}

impl PersonBeliefs {
    /// Returns the beliefs if everybody's group is known: the shares of the values in it. O(rows).
    ///
    /// # Panics
    /// If `membership` is not one of the release's groups.
    pub fn of_members(release: &Content, membership: &Groups) -> Self {
        let mut beliefs = Self::empty(release.rows(), Membership::Known);
        // Groups with the same values give the same beliefs.
        let mut kinds: HashMap<Vec<(u32, u32)>, u32> = HashMap::new();
        for (group, rows) in membership.iter().enumerate() {
            let counts: Vec<(u32, u32)> = release.value_counts(group).collect();
            let next = kinds.len() as u32;
            let kind = *kinds.entry(counts).or_insert_with_key(|counts| {
                let weights = counts.iter();
                beliefs.push(1, weights.map(|&(value, count)| (value, f64::from(count))));
                next
            });
            rows.iter().for_each(|&row| beliefs.kind_of[row as usize] = kind);
        }
        beliefs
    }

    /// Returns the beliefs of a reader who looks up people by their exact quasi-identifiers, taken
    /// from the table, among the released cells: the average over all possible groups, each
    /// weighted by its rows that cover the person.
    ///
    /// A release that also covers other people may say nothing about a person; a release of this
    /// table alone has to cover everybody.
    ///
    /// The average is the right belief for a reader who has no reason to prefer one covering row to
    /// another. It ignores that other people need their rows, too, so it may state a little less
    /// than what can be known.
    ///
    /// Time: the groups found, and for each kind of person those groups / 64 words that are left
    /// after all columns but the last; O(rows) for exact cells.
    ///
    /// # Errors
    /// [`BeliefError`].
    pub fn by_cells(
        release: &Content,
        table: &View,
        uncovered: Uncovered,
    ) -> Result<Self, BeliefError> {
        let (kind_of, first_row) = kinds(table);
        let exact = release.cells().iter().any(|cells| matches!(cells, Cells::Exact(_)));
        let found = if exact {
            by_exact_cells(release, table, &first_row)
        } else {
            by_boxes(release, table, &first_row)?
        };
        let mut people = vec![0u64; first_row.len()];
        kind_of.iter().for_each(|&kind| people[kind as usize] += 1);
        let groups: u64 =
            found.iter().zip(&people).map(|(found, people)| found.groups * people).sum();
        let mean_groups = groups as f64 / table.rows() as f64;
        let mut beliefs = Self::empty(0, Membership::ByCells { mean_groups });
        beliefs.kind_of = kind_of;
        for (found, &row) in found.into_iter().zip(&first_row) {
            match (found.weights.is_empty(), uncovered) {
                (false, _) => beliefs.push(found.groups, found.weights),
                (true, Uncovered::Refused) => return Err(BeliefError::NotCovered { row }),
                (true, Uncovered::NothingSaid) => {
                    let counts = (0..)
                        .zip(table.histogram().counts().to_vec())
                        .filter(|&(_, count)| count > 0);
                    beliefs.push(0, counts.map(|(value, count)| (value, f64::from(count))));
                }
            }
        }
        Ok(beliefs)
    }

    /// Returns how people were found.
    pub fn membership(&self) -> Membership {
        self.membership
    }

    /// Returns the number of people.
    pub fn people(&self) -> usize {
        self.kind_of.len()
    }

    /// Returns the values that a person may have, ascending, with their probabilities.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn chances(&self, row: u32) -> impl Iterator<Item = (u32, f64)> + Clone {
        let kind = self.kind_of[row as usize] as usize;
        let start = if kind == 0 { 0 } else { self.ends[kind - 1] };
        let span = start..self.ends[kind];
        self.values[span.clone()].iter().copied().zip(self.shares[span].iter().copied())
    }

    /// Returns the number of possible groups of a person: 0 if the release says nothing.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn groups(&self, row: u32) -> u64 {
        self.groups[self.kind_of[row as usize] as usize]
    }

    /// Returns the number of people of each person's kind, who cannot be told apart. O(people).
    pub fn people_alike(&self) -> Vec<u32> {
        let mut people = vec![0; self.ends.len()];
        self.kind_of.iter().for_each(|&kind| people[kind as usize] += 1);
        self.kind_of.iter().map(|&kind| people[kind as usize]).collect()
    }

    /// Returns groups of people with equal beliefs and equal quasi-identifiers. O(people · log).
    pub(super) fn alike(&self, table: &View) -> Groups {
        let (known, _) = kinds(table);
        let key = |row: &u32| (known[*row as usize], self.kind_of[*row as usize]);
        let mut rows: Vec<u32> = (0..self.people() as u32).collect();
        rows.par_sort_unstable_by_key(|row| (key(row), *row));
        let alike = rows.chunk_by(|a, b| key(a) == key(b));
        alike.map(|people| people.iter().copied()).collect()
    }

    fn empty(people: usize, membership: Membership) -> Self {
        Self {
            kind_of: vec![0; people],
            ends: Vec::new(),
            values: Vec::new(),
            shares: Vec::new(),
            groups: Vec::new(),
            membership,
        }
    }

    /// Adds a kind by its number of groups and the weights of its values, ascending.
    fn push(&mut self, groups: u64, weights: impl IntoIterator<Item = (u32, f64)>) {
        self.groups.push(groups);
        let start = self.shares.len();
        for (value, weight) in weights {
            self.values.push(value);
            self.shares.push(weight);
        }
        let total: f64 = self.shares[start..].iter().sum();
        self.shares[start..].iter_mut().for_each(|share| *share /= total);
        self.ends.push(self.values.len());
    }
}

/// The groups and values found for one kind of person.
#[derive(Default)]
struct GroupsOfKind {
    /// The number of possible groups.
    groups: u64,
    /// Weights of values, ascending.
    weights: Vec<(u32, f64)>,
}

/// Numbers people by their quasi-identifiers; returns the kind of each row, and the first row of
/// each kind.
pub(super) fn kinds(table: &View) -> (Vec<u32>, Vec<u32>) {
    let mut number_of: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut first_row = Vec::new();
    let mut codes = Vec::with_capacity(table.known().len());
    let kind_of = (0..table.rows())
        .map(|row: usize| {
            codes_of(table, row, &mut codes);
            if let Some(&kind) = number_of.get(&codes) {
                return kind;
            }
            first_row.push(row as u32);
            number_of.insert(codes.clone(), first_row.len() as u32 - 1);
            first_row.len() as u32 - 1
        })
        .collect();
    (kind_of, first_row)
}

fn codes_of(table: &View, row: usize, codes: &mut Vec<u32>) {
    codes.clear();
    let columns = table.known().iter();
    codes.extend(columns.map(|column| column.codes()[row]));
}

/// In the anatomy style, a person's row is one of the rows with the same exact cells, in groups
/// whose other cells cover the person.
fn by_exact_cells(release: &Content, table: &View, first_row: &[u32]) -> Vec<GroupsOfKind> {
    let columns = table.known().iter().zip(release.cells());
    let (mut exact, mut shared) = (Vec::new(), Vec::new());
    for (column, cells) in columns {
        match cells {
            Cells::Exact(codes) => exact.push((column, codes)),
            _ => shared.push((column, cells)),
        }
    }
    // By exact codes, the groups and classes that show them, and in how many rows.
    let mut rows_of: HashMap<Vec<u32>, BTreeMap<(u32, u32), u32>> = HashMap::new();
    for (group, class) in release.all_classes() {
        for row in release.class_rows(class) {
            let codes = exact.iter().map(|(_, codes)| codes[row]).collect();
            let classes = rows_of.entry(codes).or_default();
            *classes.entry((group as u32, class as u32)).or_default() += 1;
        }
    }
    let covers = |class: usize, row: u32| {
        shared.iter().all(|(column, cells)| {
            let code = column.codes()[row as usize];
            let mut spans = cells.spans(class, release.class_rows(class));
            spans.any(|(low, high)| (low..=high).contains(&code))
        })
    };
    let find = |&row: &u32| {
        let codes = exact.iter().map(|(column, _)| column.codes()[row as usize]);
        let Some(classes) = rows_of.get(&codes.collect::<Vec<u32>>()) else {
            return GroupsOfKind::default();
        };
        let mut found = GroupsOfKind::default();
        let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
        let mut last = None;
        for (&(group, _), &rows) in
            classes.iter().filter(|((_, class), _)| covers(*class as usize, row))
        {
            found.groups += u64::from(last != Some(group));
            last = Some(group);
            let size = release.group_rows(group as usize).len() as f64;
            for (value, count) in release.value_counts(group as usize) {
                *weights.entry(value).or_default() += f64::from(rows) * f64::from(count) / size;
            }
        }
        found.weights = weights.into_iter().collect();
        found
    };
    first_row.iter().map(find).collect()
}

/// In other styles, a person's row is one of the rows of the groups whose cells all cover the
/// person. If a column is sliced, only as many rows of a group can be the person's as show the
/// person's value.
fn by_boxes(
    release: &Content,
    table: &View,
    first_row: &[u32],
) -> Result<Vec<GroupsOfKind>, BeliefError> {
    let values = table.secret().values();
    let needed = first_row.len() as u64 * values as u64;
    if needed > MAX_ENTRIES as u64 {
        return Err(BeliefError::TooLarge {
            what: "pairs of a kind of person and a value",
            needed,
            limit: MAX_ENTRIES as u64,
        });
    }
    let covering = Covering::new(release, table)?;
    let group_of: Vec<u32> = release.all_classes().map(|(group, _)| group as u32).collect();
    let codes = |row: u32| {
        let mut codes = Vec::new();
        codes_of(table, row as usize, &mut codes);
        codes
    };
    let mut kinds: Vec<(Vec<u32>, usize)> =
        first_row.iter().map(|&row| codes(row)).zip(0..).collect();
    kinds.sort_unstable();
    let find = |search: &mut Search<'_>, (codes, kind): &(Vec<u32>, usize)| {
        let mut counts = vec![0.0; values];
        let (mut groups, mut last) = (0, None);
        search.each_class(codes, |class| {
            let group = group_of[class] as usize;
            groups += u64::from(last != Some(group));
            last = Some(group);
            let share = share_of_rows(release, codes, class) * release.class_share(group, class);
            for &value in release.values(group) {
                counts[value as usize] += share;
            }
        });
        let weights = (0..).zip(counts).filter(|&(_, count)| count > 0.0).collect();
        (*kind, GroupsOfKind { groups, weights })
    };
    let pieces: Vec<Vec<(usize, GroupsOfKind)>> = kinds
        .par_chunks(KINDS_AT_ONCE)
        .map(|kinds| {
            let mut search = covering.search();
            kinds.iter().map(|kind| find(&mut search, kind)).collect()
        })
        .collect();
    let mut found: Vec<(usize, GroupsOfKind)> = pieces.into_iter().flatten().collect();
    found.sort_unstable_by_key(|&(kind, _)| kind);
    Ok(found.into_iter().map(|(_, found)| found).collect())
}

/// Estimates the share of a class's rows that belong to people with these codes in sliced columns:
/// which row shows which value has no meaning.
fn share_of_rows(release: &Content, codes: &[u32], class: usize) -> f64 {
    let rows = release.class_rows(class);
    let shares = release.cells().iter().zip(codes).filter_map(|(cells, code)| match cells {
        Cells::Sliced(sliced) => {
            let shown = sliced[rows.clone()].iter();
            let equal = shown.filter(|&shown| shown == code).count();
            Some(equal as f64 / rows.len() as f64)
        }
        _ => None,
    });
    shares.product()
}
