//! Finds the people of a table in the state, and admits newcomers.

use super::state::HistoryState;
use openveil_core::coins::Coins;
use openveil_core::history::{self, Place, waits};
use openveil_core::table::View;
use openveil_io::load::Loaded;
use openveil_io::load::explain;
use openveil_io::policy::Policy;
use openveil_io::{Error, ErrorKind, Location};
use openveil_text::text;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// The people in the table, as the state knows them.
pub(super) struct Attendance {
    /// The key of each row.
    keys: Vec<u64>,
    places: Vec<Option<Place>>,
}

impl Attendance {
    pub(super) fn new(state: &HistoryState, loaded: &Loaded, rows: usize) -> Result<Self, Error> {
        let person = loaded.person.as_ref().expect("people are told apart");
        let key = |row: usize| {
            let episode = loaded
                .episode
                .as_ref()
                .map(|column| column.values.get(column.codes[row]).to_owned());
            state.key_of(person.values.get(person.codes[row]), episode.as_deref())
        };
        let keys: Vec<u64> = (0..rows).into_par_iter().map(key).collect();
        let mut sorted = keys.clone();
        sorted.par_sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::new(
                Location::default(),
                "two people cannot be told apart by what the state stores about them (a coincidence of one in millions)",
            )
            .help("remove the state and begin a new history"));
        }
        let places = keys.par_iter().map(|&key| Some(state.place(key)?.place)).collect();
        Ok(Self { keys, places })
    }

    /// Refuses a table in which a person's value differs from the one at an earlier release.
    pub(super) fn refuse_changed(
        &self,
        policy: &Policy,
        state: &HistoryState,
        view: &View,
    ) -> Result<(), Error> {
        let (labels, codes) = (view.secret().labels(), view.secret().codes());
        let changed = self.places.iter().zip(codes).filter(|(place, code)| {
            place
                .map(|place| &state.header.values[place.value as usize])
                .is_some_and(|label| *label != labels[**code as usize])
        });
        let (people, verb) = match changed.count() {
            0 => return Ok(()),
            1 => ("1 person".to_owned(), "has"),
            several => (format!("{several} people"), "have"),
        };
        Err(Error::new(
            Location::file(&policy.input.source.path).column(&state.header.sensitive),
            text!("{people} {verb} another value than at an earlier release"),
        )
        .of_kind(ErrorKind::Refused)
        .help(text!("correct the values, and do not leave these people out: their absence would disclose values. If values belong to episodes that are independent of one another (a visit, a year), set `changes = \"new-episode\"` and `episode = \"year\"` under [history]")))
    }

    /// Refuses a table in which no person of an earlier release is recognised.
    pub(super) fn refuse_strangers(
        &self,
        policy: &Policy,
        state: &HistoryState,
    ) -> Result<(), Error> {
        let was_anybody = !state.places.is_empty();
        if !was_anybody || self.places.iter().any(Option::is_some) || state.header.episode.is_some()
        {
            return Ok(());
        }
        Err(Error::new(
            Location::file(&policy.input.source.path).column(&state.header.person),
            "contains no one from an earlier release of this history",
        )
        .of_kind(ErrorKind::Refused)
        .help("write the identifiers of people as they were written then. If these are other people, begin another history with another `state`"))
    }

    /// Groups newcomers, or holds them back until the next release if they are too few.
    /// Returns how many got a place and how many are held back.
    pub(super) fn admit(
        &mut self,
        policy: &Policy,
        state: &mut HistoryState,
        view: &View,
        coins: &mut dyn Coins,
    ) -> Result<(usize, usize), Error> {
        let arrivals: Vec<usize> =
            (0..self.places.len()).filter(|&row| self.places[row].is_none()).collect();
        if arrivals.is_empty() {
            return Ok((0, 0));
        }
        let everybody = arrivals.len() == self.places.len();
        let rows: Vec<u32> = arrivals.iter().map(|&row| row as u32).collect();
        let came = view.of_rows(&rows)?;
        let least = policy.privacy.model.bind(&came)?.least_size();
        if waits(state.places.is_empty(), arrivals.len(), least) {
            return if everybody {
                Err(Error::new(
                    Location::file(&policy.input.source.path),
                    "contains no one from the last release and too few newcomers to publish. Nothing was published",
                )
                .of_kind(ErrorKind::Refused)
                .help("publish again when more people have come"))
            } else {
                Ok((0, arrivals.len()))
            };
        }
        let settings = policy.settings();
        let made = history::groups(
            &came,
            &policy.privacy.model,
            policy.method.algorithm,
            &settings,
            coins,
        ).map_err(|cause| {
            let error = explain(policy, &came, cause);
            if everybody {
                return error;
            }
            let problem = text!(
                "{} people are new since the last release, and their values allow none: {}",
                arrivals.len(),
                error.problem()
            );
            error.with_problem(problem).help("a release without them would disclose what they have in common. Nothing was published. Publish less often, so that more people come together; waiting now because of this refusal discloses that it happened")
        })?;
        let values = values_of(state, view, &arrivals);
        for (group, rows) in (state.next_group()..).zip(made.iter()) {
            for &row in rows {
                let value = values[row as usize];
                self.places[arrivals[row as usize]] = Some(Place { group, value });
            }
        }
        Ok((arrivals.len(), 0))
    }

    /// Returns the rows of the people who have a place, and the key and place of each.
    pub(super) fn published(&self) -> (Vec<u32>, Vec<(u64, Place)>) {
        (0..)
            .zip(self.keys.iter().zip(&self.places))
            .filter_map(|(row, (&key, place))| Some((row, (key, (*place)?))))
            .unzip()
    }
}

/// Returns the state's codes of some people's values. Adds values that the state does not know,
/// sorted by label: their codes must not depend on the order of rows, nor on the values of people
/// who are held back.
fn values_of(state: &mut HistoryState, view: &View, rows: &[usize]) -> Vec<u32> {
    let mut known: HashMap<String, u32> = state.header.values.iter().cloned().zip(0..).collect();
    let (labels, codes) = (view.secret().labels(), view.secret().codes());
    let seen: BTreeSet<u32> = rows.iter().map(|&row| codes[row]).collect();
    let seen: BTreeSet<&String> = seen.iter().map(|&code| &labels[code as usize]).collect();
    for label in seen {
        if !known.contains_key(label) {
            known.insert(label.clone(), state.header.values.len() as u32);
            state.header.values.push(label.clone());
        }
    }
    rows.iter().map(|&row| known[&labels[codes[row] as usize]]).collect()
}
