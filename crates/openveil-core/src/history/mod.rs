#![doc = include_str!("proof.md")]

use crate::Error;
use crate::algorithm::{Algorithm, Settings};
use crate::coins::Coins;
use crate::model::Model;
use crate::table::{Groups, View};
use std::num::NonZeroU32;

/// Whether newcomers are held back until the next release: too few of them never allow a release.
/// `least` is the fewest rows of a group that the model allows. This depends on their number only.
/// Holding people back for any other reason would disclose that their values allow no release.
pub fn waits(is_first: bool, arrivals: usize, least: u32) -> bool {
    !is_first && arrivals < least as usize
}

/// Returns the settings for people who come together: groups of at least
/// [`Settings::SMALLEST_GROUP`] people or what is asked for, but no more than there are.
pub fn settings(asked: &Settings, arrivals: usize) -> Settings {
    let smallest = asked.smallest_group.map_or(Settings::SMALLEST_GROUP, NonZeroU32::get);
    Settings { smallest_group: NonZeroU32::new(smallest.min(arrivals as u32)), ..asked.clone() }
}

/// Groups people who came together. They stay in these groups.
///
/// # Errors
/// The errors of [`Algorithm::partition_with`]; then nothing may be published.
pub fn groups(
    cohort: &View,
    model: &Model,
    algorithm: &dyn Algorithm,
    asked: &Settings,
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    algorithm.partition_with(cohort, model, &settings(asked, cohort.rows()), coins)
}

/// A person's permanent place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The group.
    pub group: u32,
    /// The value with which the person is in it, in codes that mean the same in all releases.
    pub value: u32,
}

/// A release: who of the people of groups is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presence {
    /// The rows of the people who are there, in groups.
    pub groups: Groups,
    /// For each of these groups, the values of its people who are away, ascending.
    pub missing: Vec<Vec<u32>>,
}

impl Presence {
    /// Puts people together with those of their groups. `here` are the places of the rows, and
    /// `away` those of all other people who ever came. A group of which nobody is there is left
    /// out. O(people + groups).
    pub fn new(here: &[Place], away: impl IntoIterator<Item = Place>) -> Self {
        let groups = here.iter().map(|place| place.group as usize + 1).max().unwrap_or(0);
        let of_row: Vec<u32> = here.iter().map(|place| place.group).collect();
        let mut missing = vec![Vec::new(); groups];
        for place in away {
            if let Some(own) = missing.get_mut(place.group as usize) {
                own.push(place.value);
            }
        }
        let mut is_there = vec![false; groups];
        of_row.iter().for_each(|&group| is_there[group as usize] = true);
        let mut there = is_there.into_iter();
        missing.retain_mut(|own| {
            own.sort_unstable();
            there.next() == Some(true)
        });
        Self { groups: Groups::from_labels(&of_row, groups), missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(group: u32, value: u32) -> Place {
        Place { group, value }
    }

    #[test]
    fn a_group_shows_the_values_of_people_who_are_away() {
        let here = [place(2, 0), place(0, 1), place(2, 1)];
        let away = [place(2, 4), place(1, 0), place(0, 3), place(2, 2), place(7, 0)];
        let found = Presence::new(&here, away);
        let groups: Vec<&[u32]> = found.groups.iter().collect();
        assert_eq!(groups, [&[1][..], &[0, 2]]);
        assert_eq!(found.missing, [vec![3], vec![2, 4]]);
        let none = Presence::new(&[], away);
        assert_eq!((none.groups.len(), none.missing.len()), (0, 0));
    }

    #[test]
    fn only_the_number_of_newcomers_decides_who_waits() {
        assert!(!waits(true, 1, 3) && waits(false, 2, 3) && !waits(false, 3, 3));
        let smallest = |people| settings(&Settings::default(), people).smallest_group;
        assert_eq!(smallest(100).map(NonZeroU32::get), Some(25));
        assert_eq!(smallest(9).map(NonZeroU32::get), Some(9));
    }
}
