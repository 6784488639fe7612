//! Publishes a table repeatedly: groups newcomers, and makes the next state from the state of the last
//! release.

mod attendance;
mod fakes;
mod file;
mod state;

use crate::asked::check_state;
use attendance::Attendance;
use fakes::{Fakes, extended};
use file::HistoryFiles;
use openveil_core::coins::Coins;
use openveil_core::guarantee;
use openveil_core::history::{Place, Presence};
use openveil_core::table::{Groups, View};
use openveil_io::load::Loaded;
use openveil_io::policy::Policy;
use openveil_io::release_dir::digest;
use openveil_io::release_dir::write::manifest::{FakesEntry, HistoryEntry};
use openveil_io::{Error, ErrorKind, Location, Seen, Sight};
use openveil_text::{Text, text};
use rayon::prelude::*;
use state::{HistoryState, PersonPlace, ReleaseEntry};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// A history that is locked for a run, before the table is read.
#[derive(Debug)]
pub(crate) struct Opened {
    files: HistoryFiles,
    state: Option<HistoryState>,
    /// Whether the state of an earlier history is missing.
    lost: bool,
}

/// Checks that the output folder's name is text, because the state stores it.
fn check_name(out: &Path) -> Result<(), Error> {
    match std::path::absolute(out) {
        Ok(absolute) if absolute.to_str().is_none() => Err(Error::new(
            Location::file(out),
            "is, or is in, a folder whose name is not UTF-8, which the state of a history cannot store",
        )
        .help(text!("rename the folder, or name another one under [output]"))),
        _ => Ok(()),
    }
}

impl Opened {
    /// Opens and locks the history of a policy.
    ///
    /// # Errors
    /// A policy that cannot have a history, a state that cannot be used, another run that uses it.
    pub(crate) fn new(policy: &Policy) -> Result<Self, Error> {
        check_state(policy)?;
        let history = policy.history().expect("the policy has a history");
        check_name(&policy.output.dir)?;
        let files = HistoryFiles::lock(history, &policy.output.dir)?;
        let (state, lost) = files.open()?;
        Ok(Self { files, state, lost })
    }

    /// Returns the values that it knows: a release may have to show values that no person has any
    /// more.
    pub(crate) fn values(&self) -> &[String] {
        let state = self.state.as_ref();
        state.map_or(&[], |state| &state.header.values)
    }
}

/// A release of a history, before it is made: the people who are published, the filler rows, and
/// their groups.
#[derive(Debug)]
pub(crate) struct Continued {
    files: HistoryFiles,
    /// The groups of the published table.
    pub(crate) groups: Groups,
    next: HistoryState,
    /// Keys and places of the people, in the order of their rows.
    people: Vec<(u64, Place)>,
    entry: HistoryEntry,
    has_episodes: bool,
}

impl Continued {
    /// Continues the history of a policy, or begins one. Also returns the published table, which
    /// holds people and then filler rows. The last `ghosts` rows of the table that was read are no
    /// people: they only ensure that values have codes.
    ///
    /// # Errors
    /// A state of another table, changed values that are not allowed, a first release that
    /// the model does not allow.
    pub(crate) fn new(
        opened: Opened,
        policy: &Policy,
        loaded: Loaded,
        ghosts: usize,
        seeded: bool,
        coins: &mut dyn Coins,
    ) -> Result<(Loaded, Self), Error> {
        let history = policy.history().expect("the policy has a history");
        let view = loaded.view(policy)?;
        let Opened { files, state, lost } = opened;
        let model = policy.privacy.model.to_string();
        let mut state = match state {
            Some(state) if !state.header.releases.is_empty() => state,
            begun => {
                let before = begun.unwrap_or_default().header;
                let mut state = HistoryState::begin(history, view.secret().name(), &model, coins);
                (state.header.seeded, state.header.lost) = (seeded, lost || before.lost);
                state.header.refused = before.refused;
                state
            }
        };
        refuse_other(policy, &state, &view, &model, seeded)?;
        let rows = loaded.table.rows() - ghosts;
        let mut attendance = Attendance::new(&state, &loaded, rows)?;
        attendance.refuse_strangers(policy, &state)?;
        let least = policy.privacy.model.bind(&view)?.least_size();
        let before = state.header.clone();
        let unchanged = attendance.refuse_changed(policy, &state, &view);
        let has_changed = unchanged.is_err();
        let admitted = unchanged.and_then(|()| attendance.admit(policy, &mut state, &view, coins));
        let (arrived, waiting) = admitted.or_else(|refused| {
            // A refusal for too few people does not depend on their values.
            let is_of_values = refused.refusal().is_some() && rows >= least as usize;
            if has_changed || is_of_values {
                // A missing release discloses something, so later releases have to mention the
                // refusal.
                state.header = before;
                state.header.refused += 1;
                files.replace(&state)?;
                let seen = Seen {
                    history: Some(history.state.clone()),
                    ..Seen::new(Sight::History)
                };
                return Err(refused.of_values(seen).and_help(
                    "The refusal is recorded in the state: later releases of this history mention it",
                ));
            }
            Err(refused)
        })?;
        let (published, people) = attendance.published();
        let last = state.published();
        let stayed = people
            .iter()
            .filter(|(key, _)| {
                let known = state.place(*key);
                known.is_some_and(|known| known.is_here)
            })
            .count();
        let same = stayed == last && stayed == people.len();
        let here: Vec<Place> = people.iter().map(|&(_, place)| place).collect();
        let keys: HashSet<u64> = people.iter().map(|&(key, _)| key).collect();
        let away = state.places.iter().filter(|own| !keys.contains(&own.key));
        let presence = Presence::new(&here, away.map(|own| own.place));
        let fakes = Fakes::new(&presence, coins);
        let entry = HistoryEntry {
            id: state.header.id.clone(),
            release: state.header.releases.len() + 1,
            people: people.len(),
            arrived,
            left: last - stayed,
            waiting,
            same_groups: same,
            lost: state.header.lost,
            refused: state.header.refused,
            fakes: FakesEntry::default(),
        };
        let loaded = extended(policy, loaded, &published, &fakes, &state)?;
        let continued = Self {
            files,
            groups: fakes.join(presence.groups, people.len()),
            next: state,
            people,
            entry,
            has_episodes: history.episode.is_some(),
        };
        Ok((loaded, continued))
    }

    /// Returns the facts about it that the guarantee has to state.
    pub(crate) fn claim(&self) -> guarantee::PromisedHistory {
        guarantee::PromisedHistory {
            releases: self.entry.release as u32,
            refused: self.entry.refused as u32,
            has_episodes: self.has_episodes,
        }
    }

    /// Counts the filler rows of the release, given its groups in the release's order, and stores who
    /// is there.
    pub(crate) fn settle(&mut self, membership: &Groups) {
        let mut fakes = BTreeMap::new();
        for (group, rows) in membership.iter().enumerate() {
            let own = rows.iter().filter(|&&row| row as usize >= self.people.len());
            match own.count() {
                0 => {}
                rows => drop(fakes.insert(group + 1, rows)),
            }
        }
        self.entry.fakes = FakesEntry { rows: fakes.values().sum(), groups: fakes };
        let people =
            self.people.iter().map(|&(key, place)| PersonPlace { key, place, is_here: true });
        let mut people: Vec<PersonPlace> = people.collect();
        people.par_sort_unstable_by_key(|place| place.key);
        // People who are absent keep their place.
        let is_here =
            |place: &PersonPlace| people.binary_search_by_key(&place.key, |p| p.key).is_ok();
        let away =
            std::mem::take(&mut self.next.places).into_par_iter().filter(|place| !is_here(place));
        let away: Vec<PersonPlace> =
            away.map(|place| PersonPlace { is_here: false, ..place }).collect();
        people.extend(away);
        people.par_sort_unstable_by_key(|place| place.key);
        self.next.places = people;
    }

    /// Returns the entry that is published.
    pub(crate) fn entry(&self) -> &HistoryEntry {
        &self.entry
    }

    /// Writes the next state beside the present one, calls `place`, which puts the release in
    /// place, and replaces the present state: all of it happens, or nothing.
    ///
    /// # Errors
    /// The errors of writing, and of the call.
    pub(crate) fn commit<T>(
        &self,
        out: &Path,
        release: &Path,
        place: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let files = &self.files;
        let absolute = std::path::absolute(out)
            .map_err(|cause| Error::io(out, "find the output folder", &cause))?;
        let mut next = self.next.clone();
        let manifest =
            digest(release).map_err(|cause| Error::io(release, "read the manifest", &cause))?;
        let entry = ReleaseEntry {
            replaced: digest(&absolute.join("release")).ok(),
            out: absolute,
            manifest,
            people: self.people.len(),
        };
        next.header.releases.push(entry.clone());
        files.prepare(&next).inspect_err(|_| files.forget())?;
        // If the release could not be removed again, it counts, and the next run completes the
        // state.
        let placed = place().inspect_err(|_| {
            if !entry.is_in_place().unwrap_or(false) {
                files.forget();
            }
        })?;
        files.promote(&next).map_err(|error| {
            error.help(text!(
                "the release was written to {} and counts: the next run with this state completes the steps that failed here",
                out.join("release").display()
            ))
        })?;
        Ok(placed)
    }
}

/// Refuses a state of another table, of another model, or of a test.
fn refuse_other(
    policy: &Policy,
    state: &HistoryState,
    view: &View,
    model: &str,
    seeded: bool,
) -> Result<(), Error> {
    let history = policy.history().expect("the policy has a history");
    let error = |problem: Text, help: Text| {
        Err(Error::new(Location::file(&history.state), problem)
            .of_kind(ErrorKind::Refused)
            .help(help.to_owned()))
    };
    let (sensitive, header) = (view.secret().name(), &state.header);
    if header.sensitive != sensitive {
        let problem = text!(
            "is the state of a history that protects `{}`, but the policy protects `{sensitive}`",
            header.sensitive
        );
        return error(
            problem,
            text!(
                "a second sensitive column of the same people is not covered: what is known about one column may disclose the other. Use a history for one column only"
            ),
        );
    }
    if header.model != model {
        let problem = text!(
            "is the state of a history with {}, but the policy asks for {model}",
            header.model
        );
        return error(
            problem,
            text!(
                "groups stay for all releases: keep the model, or begin a new history with another `state`, whose releases must not go to the same readers"
            ),
        );
    }
    if header.person != history.person || header.episode != history.episode {
        let problem =
            text!("is the state of a history that identifies people by `{}`", header.person);
        return error(
            problem,
            text!(
                "keep `person` and `episode` as they were: otherwise everybody would be assigned anew"
            ),
        );
    }
    if header.reads && history.is_distinct {
        return error(
            text!(
                "is the state of a history in which spellings of one `{}` are one person",
                header.person
            ),
            text!("leave `distinct` out of the column: otherwise people would be assigned anew"),
        );
    }
    if seeded && !header.seeded {
        return error(
            text!("belongs to releases made without a test seed"),
            text!(
                "use another `state` for tests: a seeded release would disclose the groups of new people"
            ),
        );
    }
    if header.seeded && !seeded {
        return error(
            text!(
                "belongs to releases made with a test seed: a reader who knows the seed knows how groups were made"
            ),
            text!("begin a new history with another `state`"),
        );
    }
    Ok(())
}
