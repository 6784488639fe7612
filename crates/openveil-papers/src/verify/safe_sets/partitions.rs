use openveil_core::Error;
use openveil_core::table::Groups;

/// The largest number of people whose partitions are enumerated: 10 have 115,975.
pub const PARTITIONED_PEOPLE: usize = 10;

/// Returns all partitions of `people` people, each once: groups in the order of their first person,
/// people ascending.
///
/// Follows the restricted growth strings (the group of each person, where a new group takes the
/// next number) in lexicographic order, from one group of everybody to groups of one. O(people)
/// each.
///
/// # Errors
/// [`Error::BeyondLimit`] beyond [`PARTITIONED_PEOPLE`].
pub fn partitions(people: usize) -> Result<impl Iterator<Item = Groups>, Error> {
    if people > PARTITIONED_PEOPLE {
        return Err(Error::BeyondLimit {
            what: "people whose partitions are enumerated",
            needed: people.to_string(),
            limit: PARTITIONED_PEOPLE as u64,
        });
    }
    let first = vec![0u32; people];
    let strings = std::iter::successors(Some(first), |string| successor(string));
    Ok(strings.map(|string| {
        let groups = string.iter().max().map_or(0, |&last| last as usize + 1);
        Groups::from_labels(&string, groups)
    }))
}

/// Returns the next restricted growth string: the last person who can move to the next group does
/// so, and everybody after returns to the first group.
fn successor(string: &[u32]) -> Option<Vec<u32>> {
    let can_move = |person: usize| {
        let greatest = string[..person].iter().max();
        greatest.is_some_and(|&greatest| string[person] <= greatest)
    };
    let person = (1..string.len()).rev().find(|&person| can_move(person))?;
    let mut next = string[..=person].to_vec();
    next[person] += 1;
    next.resize(string.len(), 0);
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn there_are_as_many_partitions_as_bell_numbers_say() {
        for (people, bell) in [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203), (7, 877)] {
            let all: HashSet<Groups> = partitions(people).unwrap().collect();
            assert_eq!(all.len(), bell);
            assert_eq!(partitions(people).unwrap().count(), bell, "each once");
            for partition in all {
                assert_eq!(partition.check_partition(people), Ok(()));
                assert_eq!(partition.sorted(), partition);
            }
        }
    }

    #[test]
    fn too_many_people_are_refused() {
        assert!(matches!(
            partitions(11).map(Iterator::count),
            Err(Error::BeyondLimit { limit: 10, .. })
        ));
    }
}
