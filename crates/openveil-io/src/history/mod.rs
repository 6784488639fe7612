//! A table that is published again: who stands where, from the state of the last release to
//! that of this one.

mod file;
mod state;

pub(crate) use state::hexadecimal;

use crate::load::Loaded;
use crate::policy::Policy;
use crate::publish::explain;
use crate::release_dir::digest;
use crate::release_dir::write::manifest::{FakesEntry, HistoryEntry};
use crate::source::RawColumn;
use crate::{Error, ErrorKind, Location};
use file::Files;
use openveil::coins::Coins;
use openveil::history::{Slot, waits};
use openveil::model::RatioDiversity;
use openveil::release;
use openveil::table::{Column, Groups, Histogram, Table, View};
use rayon::prelude::*;
use state::{Entry, Place, State};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A history that a run has taken hold of, before the table is read.
#[derive(Debug)]
pub(crate) struct Opened {
    files: Files,
    state: Option<State>,
    /// Whether the state of an earlier history is not there.
    lost: bool,
}

impl Opened {
    /// Takes hold of the history of a policy.
    ///
    /// # Errors
    /// A policy that no history can have, a state that cannot be used, another run that
    /// uses it.
    pub(crate) fn of(policy: &Policy) -> Result<Self, Error> {
        policy.check_history()?;
        let history = policy.history.as_ref().expect("the policy has a history");
        let files = Files::lock(history, &policy.out)?;
        let (state, lost) = files.open()?;
        Ok(Self { files, state, lost })
    }

    /// The values that it knows: a release may have to show values that nobody has any more.
    pub(crate) fn values(&self) -> &[String] {
        let state = self.state.as_ref();
        state.map_or(&[], |state| &state.header.values)
    }
}

/// A release of a history, before it is made: the people who are published, with rows for
/// values that nobody has, and their groups.
#[derive(Debug)]
pub(crate) struct Continued {
    files: Files,
    /// The groups of the table that is published.
    pub(crate) groups: Groups,
    next: State,
    /// Keys and slots of the people, in the order of their rows.
    people: Vec<(u64, Slot)>,
    entry: HistoryEntry,
    has_episodes: bool,
}

/// Who is in the table, seen from the state.
struct Attendance {
    /// By row.
    keys: Vec<u64>,
    slots: Vec<Option<Slot>>,
}

impl Continued {
    /// Goes on with the history of a policy, or begins one: also returns the table that is
    /// published, of people and then fakes. `ghosts` rows at the end of the table that was
    /// read are nobody: they only bring values along.
    ///
    /// # Errors
    /// A state of another table, changed values that are not allowed, a first release that
    /// the model does not allow.
    pub(crate) fn of(
        opened: Opened,
        policy: &Policy,
        loaded: Loaded,
        ghosts: usize,
        seeded: bool,
        coins: &mut dyn Coins,
    ) -> Result<(Loaded, Self), Error> {
        let history = policy.history.as_ref().expect("the policy has a history");
        let view = loaded.view(policy)?;
        let Opened { files, state, lost } = opened;
        let model = policy.model.to_string();
        let mut state = match state {
            Some(state) => state,
            None => {
                let mut state = State::begin(history, view.secret().name(), &model, coins);
                (state.header.seeded, state.header.lost) = (seeded, lost);
                state
            }
        };
        refuse_other(policy, &state, &view, &model, seeded)?;
        let rows = loaded.table.rows() - ghosts;
        let mut attendance = Attendance::of(&state, &loaded, rows)?;
        attendance.refuse_changed(policy, &state, &view)?;
        let ratio = policy.model.ratio().expect("a history keeps the ratio");
        attendance.refuse_strangers(policy, &state)?;
        let (arrived, waiting) = attendance.admit(policy, &mut state, &view, ratio, coins)?;
        let published: Vec<u32> = (0..rows as u32)
            .filter(|&row| attendance.slots[row as usize].is_some())
            .collect();
        let people: Vec<(u64, Slot)> = published
            .iter()
            .map(|&row| row as usize)
            .map(|row| {
                (
                    attendance.keys[row],
                    attendance.slots[row].expect("they have slots"),
                )
            })
            .collect();
        let last = state
            .places
            .iter()
            .filter(|place| place.group.is_some())
            .count();
        let stayed = people.iter().filter(|(key, slot)| {
            let place = state.place(*key);
            place.is_some_and(|place| place.group.is_some() && place.slot == *slot)
        });
        let stayed = stayed.count();
        let same = stayed == last && stayed == people.len();
        let book = state
            .book()
            .map_err(|cause| Error::new(Location::file(&history.state), cause))?;
        let slots: Vec<Slot> = people.iter().map(|&(_, slot)| slot).collect();
        let shown = view.of_rows(&published).map_err(plain)?;
        let groups = match same {
            true => kept(&state, &people),
            false => book
                .groups(&shown, &slots, &policy.settings(), coins)
                .map_err(plain)?,
        };
        let fakes = Fakes::of(&book, &slots, &groups, coins);
        let entry = HistoryEntry {
            id: state.header.id.clone(),
            release: state.header.releases.len() + 1,
            people: people.len(),
            arrived,
            left: last - stayed,
            waiting,
            same_groups: same,
            lost: state.header.lost,
            fakes: FakesEntry::default(),
        };
        let loaded = extended(policy, loaded, &published, &fakes, &state)?;
        let continued = Self {
            files,
            groups: fakes.join(groups, people.len()),
            next: state,
            people,
            entry,
            has_episodes: history.episode.is_some(),
        };
        Ok((loaded, continued))
    }

    /// What the promise has to say of it.
    pub(crate) fn claim(&self) -> release::History {
        release::History {
            releases: self.entry.release as u32,
            has_episodes: self.has_episodes,
        }
    }

    /// Learns who is in which group of the release, in the release's order.
    pub(crate) fn settle(&mut self, membership: &Groups) {
        let mut group_of = vec![None; self.people.len()];
        let mut fakes = BTreeMap::new();
        for (group, rows) in membership.iter().enumerate() {
            for &row in rows {
                match group_of.get_mut(row as usize) {
                    Some(own) => *own = Some(group as u32),
                    None => *fakes.entry(group + 1).or_insert(0) += 1,
                }
            }
        }
        self.entry.fakes = FakesEntry {
            rows: fakes.values().sum(),
            groups: fakes,
        };
        let people = self.people.iter().zip(group_of);
        let people = people.map(|(&(key, slot), group)| Place { key, slot, group });
        let mut people: Vec<Place> = people.collect();
        people.par_sort_unstable_by_key(|place| place.key);
        // Who is away keeps the slot, and has no group.
        let is_here = |place: &Place| people.binary_search_by_key(&place.key, |p| p.key).is_ok();
        let before = std::mem::take(&mut self.next.places).into_par_iter();
        let away = before.filter(|place| !is_here(place));
        let away: Vec<Place> = away
            .map(|place| Place {
                group: None,
                ..place
            })
            .collect();
        people.extend(away);
        people.par_sort_unstable_by_key(|place| place.key);
        self.next.places = people;
    }

    /// What is published of it.
    pub(crate) fn entry(&self) -> &HistoryEntry {
        &self.entry
    }

    /// Writes the next state beside the present one, calls what puts the release in place,
    /// and puts the next state in place: all of it happens, or nothing.
    ///
    /// # Errors
    /// Those of writing, and of the call.
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
        let entry = Entry {
            out: absolute,
            manifest,
            people: self.people.len(),
        };
        next.header.releases.push(entry.clone());
        files.prepare(&next).inspect_err(|_| files.forget())?;
        // A release that could not be taken back is there, and the next run ends what this began.
        let placed = place().inspect_err(|_| {
            if !entry.is_in_place().unwrap_or(false) {
                files.forget();
            }
        })?;
        files.promote(&next)?;
        Ok(placed)
    }
}

impl Attendance {
    fn of(state: &State, loaded: &Loaded, rows: usize) -> Result<Self, Error> {
        let person = loaded.person.as_ref().expect("people are told apart");
        let key = |row: usize| {
            let text = |column: &RawColumn| column.values.get(column.codes[row]).to_owned();
            let episode = loaded.episode.as_ref().map(text);
            state.key_of(person.values.get(person.codes[row]), episode.as_deref())
        };
        let keys: Vec<u64> = (0..rows).into_par_iter().map(key).collect();
        let mut sorted = keys.clone();
        sorted.par_sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::new(
                Location::default(),
                "two people cannot be told apart by what the state remembers of them: a coincidence of one in millions",
            )
            .help("remove the state and begin a new history"));
        }
        let slots = keys
            .par_iter()
            .map(|&key| Some(state.place(key)?.slot))
            .collect();
        Ok(Self { keys, slots })
    }

    /// Nobody has another value than the own slot.
    fn refuse_changed(&self, policy: &Policy, state: &State, view: &View) -> Result<(), Error> {
        let book = state
            .book()
            .map_err(|cause| Error::new(Location::default(), cause))?;
        let (labels, codes) = (view.secret().labels(), view.secret().codes());
        let has_changed = |(slot, code): &(&Option<Slot>, &u32)| {
            let remembered = slot.map(|slot| &state.header.values[book.value_of(slot) as usize]);
            remembered.is_some_and(|label| *label != labels[**code as usize])
        };
        let changed = self.slots.iter().zip(codes).filter(has_changed);
        let (people, verb) = match changed.count() {
            0 => return Ok(()),
            1 => ("1 person".to_owned(), "has"),
            several => (format!("{several} people"), "have"),
        };
        Err(Error::new(
            Location::file(&policy.source.path).column(&state.header.sensitive),
            format!("{people} {verb} another value than at an earlier release"),
        )
        .of_kind(ErrorKind::Refused)
        .help("correct the values, and do not leave these people out: who is missing would tell. If values belong to episodes that are independent of one another (a visit, a year), say `changes = \"new-episode\"` and `episode = \"year\"` under [history]"))
    }

    /// Somebody of the last release is recognised.
    fn refuse_strangers(&self, policy: &Policy, state: &State) -> Result<(), Error> {
        let was_anybody = !state.places.is_empty();
        if !was_anybody || self.slots.iter().any(Option::is_some) || state.header.episode.is_some()
        {
            return Ok(());
        }
        Err(Error::new(
            Location::file(&policy.source.path).column(&state.header.person),
            "tells of nobody who was in an earlier release of the history",
        )
        .of_kind(ErrorKind::Refused)
        .help("write people's identifiers as they were written then. If they are other people, begin another history with another `state`"))
    }

    /// Gives those who have none a slot, or lets them wait if they are too few: how many came,
    /// how many wait.
    fn admit(
        &mut self,
        policy: &Policy,
        state: &mut State,
        view: &View,
        ratio: RatioDiversity,
        coins: &mut dyn Coins,
    ) -> Result<(usize, usize), Error> {
        let arrivals: Vec<usize> = (0..self.slots.len())
            .filter(|&row| self.slots[row].is_none())
            .collect();
        if arrivals.is_empty() {
            return Ok((0, 0));
        }
        let everybody = arrivals.len() == self.slots.len();
        if waits(state.places.is_empty(), arrivals.len(), ratio) {
            return match everybody {
                false => Ok((0, arrivals.len())),
                true => Err(Error::new(
                    Location::file(&policy.source.path),
                    "has nobody who was in the last release, and those who came are too few to be published: all wait, and nothing is",
                )
                .of_kind(ErrorKind::Refused)
                .help("publish again when others have come")),
            };
        }
        let values = values_of(state, view, &arrivals);
        let histogram = Histogram::of(&values, state.header.values.len());
        let mut book = state
            .book()
            .map_err(|cause| Error::new(Location::default(), cause))?;
        let admission = match book.admit(&histogram, ratio) {
            Ok(admission) => admission,
            Err(cause) => {
                let rows: Vec<u32> = arrivals.iter().map(|&row| row as u32).collect();
                let came = view.of_rows(&rows).map_err(plain)?;
                let error = explain(policy, &came, renamed(cause, state, view).into());
                if everybody {
                    return Err(error);
                }
                let problem = format!(
                    "{} people came since the last release, and their values allow none: {}",
                    arrivals.len(),
                    error.problem()
                );
                return Err(error.with_problem(problem).help("a release without them would tell what they have in common, and nothing was published. Publish less often, so that more people come together; whoever waits now because of this tells that it happened"));
            }
        };
        let slots = book.enter(&admission, &values, coins);
        for (&row, slot) in arrivals.iter().zip(slots) {
            self.slots[row] = Some(slot);
        }
        state.header.signatures = book.entries();
        Ok((arrivals.len(), 0))
    }
}

/// An error about a value, by the table's code instead of the state's.
fn renamed(
    cause: openveil::model::Ineligible,
    state: &State,
    view: &View,
) -> openveil::model::Ineligible {
    use openveil::model::Ineligible::TooFrequent;
    match cause {
        TooFrequent {
            l,
            value,
            count,
            rows,
        } => {
            let label = &state.header.values[value as usize];
            let own = view
                .secret()
                .labels()
                .iter()
                .position(|known| known == label);
            TooFrequent {
                l,
                value: own.unwrap_or(0) as u32,
                count,
                rows,
            }
        }
        other => other,
    }
}

/// The state's codes of some people's values; values that it does not know are added, by their
/// labels: the order of rows must not number them, nor the values of people who wait.
fn values_of(state: &mut State, view: &View, rows: &[usize]) -> Vec<u32> {
    let known = state.header.values.iter().cloned().zip(0..);
    let mut known: HashMap<String, u32> = known.collect();
    let (labels, codes) = (view.secret().labels(), view.secret().codes());
    let seen: BTreeSet<u32> = rows.iter().map(|&row| codes[row]).collect();
    let seen: BTreeSet<&String> = seen.iter().map(|&code| &labels[code as usize]).collect();
    for label in seen {
        if !known.contains_key(label) {
            known.insert(label.clone(), state.header.values.len() as u32);
            state.header.values.push(label.clone());
        }
    }
    rows.iter()
        .map(|&row| known[&labels[codes[row] as usize]])
        .collect()
}

/// A state of another table, of another model, or of a test.
fn refuse_other(
    policy: &Policy,
    state: &State,
    view: &View,
    model: &str,
    seeded: bool,
) -> Result<(), Error> {
    let history = policy.history.as_ref().expect("the policy has a history");
    let error = |problem: String, help: &str| {
        Err(Error::new(Location::file(&history.state), problem)
            .of_kind(ErrorKind::Refused)
            .help(help.to_owned()))
    };
    let (sensitive, header) = (view.secret().name(), &state.header);
    if header.sensitive != sensitive {
        let problem = format!(
            "is the state of a history that protects `{}`, and the policy protects `{sensitive}`",
            header.sensitive
        );
        return error(
            problem,
            "another sensitive column of the same people is not covered: what is known of one may tell of the other. Keep a history for one column",
        );
    }
    if header.model != model {
        let problem = format!(
            "is the state of a history that keeps {}, and the policy asks for {model}",
            header.model
        );
        return error(
            problem,
            "signatures last for all releases: keep the model, or begin a new history with another `state`, whose releases must not go to the same readers",
        );
    }
    if header.person != history.person || header.episode != history.episode {
        let problem = format!(
            "is the state of a history that tells people apart by `{}`",
            header.person
        );
        return error(
            problem,
            "keep `person` and `episode` as they were: with others, everybody would be dealt anew",
        );
    }
    if seeded && !header.seeded {
        return error(
            "is of releases made without a test seed".to_owned(),
            "try things with another `state`: a seeded release would give the slots of new people away",
        );
    }
    if header.seeded && !seeded {
        return error(
            "is of releases made with a test seed: whoever knows the seed knows everybody's slot"
                .to_owned(),
            "begin a new history with another `state`",
        );
    }
    Ok(())
}

/// The groups of the last release, of the same people.
fn kept(state: &State, people: &[(u64, Slot)]) -> Groups {
    let group = |&(key, _): &(u64, Slot)| {
        let place = state.place(key).and_then(|place| place.group);
        place.expect("everybody was published")
    };
    let group_of: Vec<u32> = people.iter().map(group).collect();
    let count = group_of.iter().max().map_or(0, |&last| last as usize + 1);
    Groups::from_labels(&group_of, count)
}

/// Rows for values that nobody has: each a copy of somebody of the group, with the value.
struct Fakes {
    /// The state's code of the value, and whose quasi-identifiers it shows.
    rows: Vec<(u32, u32)>,
    /// The group of each.
    groups: Vec<usize>,
}

impl Fakes {
    fn of(
        book: &openveil::history::Book,
        slots: &[Slot],
        groups: &Groups,
        coins: &mut dyn Coins,
    ) -> Self {
        let mut fakes = Self {
            rows: Vec::new(),
            groups: Vec::new(),
        };
        for (group, rows) in groups.iter().enumerate() {
            let own: Vec<Slot> = rows.iter().map(|&row| slots[row as usize]).collect();
            for value in book.missing(&own) {
                let member = rows[coins.below(rows.len() as u32) as usize];
                fakes.rows.push((value, member));
                fakes.groups.push(group);
            }
        }
        fakes
    }

    /// The groups with their fakes, whose rows follow those of `people`.
    fn join(&self, groups: Groups, people: usize) -> Groups {
        let mut of_group: HashMap<usize, Vec<u32>> = HashMap::new();
        for (number, &group) in self.groups.iter().enumerate() {
            of_group
                .entry(group)
                .or_default()
                .push((people + number) as u32);
        }
        let mut all = Groups::with_capacity(people + self.rows.len(), groups.len());
        for (group, rows) in groups.iter().enumerate() {
            let fakes = of_group.get(&group).into_iter().flatten();
            all.push(rows.iter().chain(fakes).copied());
        }
        all
    }
}

/// The table of those who are published, and of fakes.
fn extended(
    policy: &Policy,
    loaded: Loaded,
    published: &[u32],
    fakes: &Fakes,
    state: &State,
) -> Result<Loaded, Error> {
    let column = |column: &Column| {
        let codes = column.codes();
        let own = published.iter().map(|&row| codes[row as usize]);
        let is_secret = column.name() == state.header.sensitive;
        let code_of = |&(value, member): &(u32, u32)| {
            if !is_secret {
                return Ok(codes[published[member as usize] as usize]);
            }
            let label = &state.header.values[value as usize];
            let found = column.domain().labels().position(|known| known == label);
            found.map(|code| code as u32).ok_or_else(|| {
                let problem =
                    format!("has no `{label}`, which a release of this history has to show");
                Error::new(
                    Location::file(&policy.source.path).column(column.name()),
                    problem,
                )
                .help("read the column as it was read at earlier releases: type, order, hierarchy")
            })
        };
        let codes = own.map(Ok).chain(fakes.rows.iter().map(code_of));
        let codes = codes.collect::<Result<Vec<u32>, Error>>()?;
        Ok::<_, Error>(column.clone().with_codes(codes))
    };
    let columns = loaded.table.columns().iter().map(column);
    let table = Table::new(columns.collect::<Result<_, _>>()?).map_err(plain)?;
    Ok(Loaded { table, ..loaded })
}

fn plain(cause: openveil::Error) -> Error {
    Error::new(Location::default(), cause.to_string())
}
