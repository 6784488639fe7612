//! Generalisation functions: partitions of the people, fixed by public facts.

use openveil_core::Error;
use openveil_core::release::check::Violation;
use openveil_core::table::Groups;

/// The generalisation functions that an algorithm may apply, as partitions of
/// the people, and the *cells* of their common refinement.
///
/// Two people share a cell if every function puts them into one group; no function tells them
/// apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Functions {
    people: usize,
    partitions: Vec<Groups>,
    cell_of: Vec<u32>,
    cells: usize,
}

impl Functions {
    /// Makes functions from partitions of `people` people. Functions with equal groups are one
    /// function, so each needs to be given only once. O(people · partitions).
    ///
    /// # Errors
    /// [`Error::Violation`] if one of them is not a partition of the people.
    pub fn new(people: usize, partitions: impl IntoIterator<Item = Groups>) -> Result<Self, Error> {
        let partitions: Vec<Groups> = partitions.into_iter().map(|g| g.sorted()).collect();
        for partition in &partitions {
            let checked = partition.check_partition(people);
            checked.map_err(Violation::NotAPartition)?;
        }
        let mut cell_of = vec![0; people];
        let mut cells = usize::from(people > 0);
        for partition in &partitions {
            (cell_of, cells) = refine(&cell_of, partition);
        }
        Ok(Self { people, partitions, cell_of, cells })
    }

    /// Returns the number of people.
    pub fn people(&self) -> usize {
        self.people
    }

    /// Returns the functions, with rows and groups in ascending order.
    pub fn partitions(&self) -> &[Groups] {
        &self.partitions
    }

    /// Returns the cell of each person, counted from 0 without gaps.
    pub fn cell_of(&self) -> &[u32] {
        &self.cell_of
    }

    /// Returns the number of cells of the common refinement.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Returns the number of the first function with the same groups: a reader of a release cannot
    /// tell these functions apart.
    pub fn first_alike(&self, function: usize) -> usize {
        let groups = &self.partitions[function];
        self.partitions.iter().position(|other| other == groups).expect("a function is like itself")
    }
}

/// Divides the cells along the groups of a further partition; cells are numbered by their first
/// person.
fn refine(cell_of: &[u32], partition: &Groups) -> (Vec<u32>, usize) {
    let mut group_of = vec![0u32; cell_of.len()];
    for (group, people) in partition.iter().enumerate() {
        for &person in people {
            group_of[person as usize] = group as u32;
        }
    }
    let mut numbers = std::collections::HashMap::new();
    let refined = cell_of
        .iter()
        .zip(&group_of)
        .map(|pair| {
            let next = numbers.len() as u32;
            *numbers.entry(pair).or_insert(next)
        })
        .collect();
    (refined, numbers.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(groups: &[&[u32]]) -> Groups {
        groups.iter().map(|group| group.iter().copied()).collect()
    }

    #[test]
    fn cells_are_the_common_refinement() {
        let pairs = groups(&[&[4, 5], &[0, 1], &[2, 3]]);
        let triples = groups(&[&[0, 1, 2], &[3, 4, 5]]);
        let functions = Functions::new(6, [pairs.clone(), triples, pairs.sorted()]).unwrap();
        assert_eq!(functions.cell_of(), [0, 0, 1, 2, 3, 3]);
        assert_eq!(functions.cells(), 4);
        assert_eq!(functions.first_alike(2), 0);
        assert_eq!(functions.first_alike(1), 1);
    }

    #[test]
    fn what_is_no_partition_is_refused() {
        let found = Functions::new(3, [groups(&[&[0, 1]])]);
        assert!(matches!(found, Err(Error::Violation(Violation::NotAPartition(_)))));
    }
}
