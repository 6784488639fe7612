//! The file that stores which person is in which group.
//!
//! Layout, with all numbers little-endian:
//! * a line of text that names the format;
//! * the length of the header (u32) and the header (JSON);
//! * the number of people (u64);
//! * for each person, in the order of their keys: key (u64), group and value (u32 each; the highest bit
//!   of the value is set if the person is away), so 16 bytes per person;
//! * the SHA-256 of everything before.
//!
//! With a key, the whole file is encrypted by XChaCha20-Poly1305.
//!
//! People are identified by a part of the SHA-256 of a salt and their identifier. Together with the table, the file discloses nothing that the table's owner
//! does not know.

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use openveil_core::coins::{CoinKey, Coins};
use openveil_core::history::Place;
use openveil_io::load::readings;
use openveil_io::policy::HistoryPolicy;
use openveil_io::release_dir::write::hidden;
use openveil_io::release_dir::{digest, hexadecimal, regular};
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

const PLAIN: &[u8] = b"openveil history 3\n";
/// The first lines of states with slots of signatures, before version 2.0.
const PLAIN_BEFORE: [&[u8]; 2] = [b"openveil history 2\n", b"openveil history 1\n"];
/// Marks the value of a person who is away.
const AWAY: u32 = 1 << 31;
const SEALED: &[u8] = b"openveil sealed history 1\n";
const PERSON: usize = 16;
const NONCE: usize = 24;

/// The facts that are stored beside people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The history's name in manifests.
    pub(super) id: String,
    /// The salt of people's keys.
    salt: [u8; 16],
    /// Whether releases are made with test seeds.
    pub(super) seeded: bool,
    /// Whether the state of an earlier history was missing when this one began.
    pub(super) lost: bool,
    /// Number of runs that were refused because of the values of the people in the table.
    #[serde(default)]
    pub(super) refused: usize,
    /// Whether identifiers are compared as people read them, rather than as they are written.
    #[serde(default)]
    pub(super) reads: bool,
    /// The columns that tell people, and episodes, apart.
    pub(super) person: String,
    pub(super) episode: Option<String>,
    /// The protected column, and its model.
    pub(super) sensitive: String,
    pub(super) model: String,
    /// Published values, by code.
    pub(super) values: Vec<String>,
    /// In states with slots: the signatures, each with a number that is no longer used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signatures: Vec<(Vec<u32>, u32)>,
    /// Every release so far.
    pub(super) releases: Vec<ReleaseEntry>,
}

/// A release that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ReleaseEntry {
    /// The folder to which it was written.
    pub(super) out: PathBuf,
    /// The SHA-256 of its manifest.
    pub(super) manifest: String,
    /// Number of people who were published.
    pub(super) people: usize,
    /// The SHA-256 of the manifest of the release that it replaced, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) replaced: Option<String>,
}

impl ReleaseEntry {
    /// Returns whether the release in its folder is this one.
    pub(super) fn is_in_place(&self) -> std::io::Result<bool> {
        Ok(digest(&self.out.join("release"))? == self.manifest)
    }

    /// Returns whether its folder still holds what was there before it.
    pub(super) fn is_as_before(&self) -> bool {
        let own = digest(&self.out.join("release")).ok();
        own.is_some() && own == self.replaced
    }

    /// Returns whether it is in the hidden folder of a run that ended before it was put in place.
    pub(super) fn is_hidden(&self) -> bool {
        hidden(&self.out)
            .unwrap_or_default()
            .into_iter()
            .any(|folder| digest(&folder.join("release")).is_ok_and(|own| own == self.manifest))
    }
}

/// A person's place, and whether the person was in the last release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PersonPlace {
    pub(super) key: u64,
    pub(super) place: Place,
    pub(super) is_here: bool,
}

/// The whole state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HistoryState {
    pub(super) header: Header,
    /// Ascending by key.
    pub(super) places: Vec<PersonPlace>,
}

impl HistoryState {
    /// Returns the state of a new history.
    pub(super) fn begin(
        history: &HistoryPolicy,
        sensitive: &str,
        model: &str,
        coins: &mut dyn Coins,
    ) -> Self {
        let mut bytes = [0u8; 24];
        bytes.iter_mut().for_each(|byte| *byte = coins.below(256) as u8);
        let (salt, id) = bytes.split_at(16);
        Self {
            header: Header {
                id: hexadecimal(id),
                salt: salt.try_into().expect("16 bytes"),
                reads: !history.is_distinct,
                person: history.person.clone(),
                episode: history.episode.clone(),
                sensitive: sensitive.to_owned(),
                model: model.to_owned(),
                ..Header::default()
            },
            places: Vec::new(),
        }
    }

    /// Returns the key under which a person, or an episode of a person, is stored. It is equal for
    /// all spellings, unless the policy says that they are different people.
    pub(super) fn key_of(&self, person: &str, episode: Option<&str>) -> u64 {
        let identity = |text: &str| match self.header.reads {
            true => readings(text).swap_remove(0),
            false => text.trim().to_owned(),
        };
        let (person, episode) = (identity(person), episode.map(identity));
        // The length keeps "1" with "23" apart from "12" with "3".
        let digest = Sha256::new_with_prefix(self.header.salt)
            .chain_update((person.len() as u64).to_le_bytes())
            .chain_update(&person)
            .chain_update(episode.unwrap_or_default())
            .finalize();
        u64::from_le_bytes(digest[..8].try_into().expect("8 bytes"))
    }

    /// Returns the place of a person, if it is known. O(log people).
    pub(super) fn place(&self, key: u64) -> Option<PersonPlace> {
        let found = self.places.binary_search_by_key(&key, |place| place.key);
        found.ok().map(|number| self.places[number])
    }

    /// Returns the number of people in the last release.
    pub(super) fn published(&self) -> usize {
        self.places.iter().filter(|place| place.is_here).count()
    }

    /// Returns the number of the next group.
    pub(super) fn next_group(&self) -> u32 {
        self.places.iter().map(|own| own.place.group + 1).max().unwrap_or(0)
    }

    /// Reads a state.
    ///
    /// # Errors
    /// A file that is no state, was changed, or is sealed with another key.
    pub(super) fn read(path: &Path, key: Option<&Path>) -> Result<Self, Error> {
        let bytes = regular::read(path)
            .map_err(|cause| Error::io(path, "read the state of the history", &cause))?;
        let broken = |problem: Text| {
            Error::new(Location::file(path), problem)
                .help("restore the file as it was after the last release; without it, the next release begins a new history, and says so")
        };
        let plain = match bytes.strip_prefix(SEALED) {
            None => bytes,
            Some(sealed) => {
                let Some(key) = key else {
                    return Err(Error::new(
                        Location::file(path),
                        text!("is encrypted, and [history] names no `key`"),
                    )
                    .help(text!("name the file with the key: `key = \"secret/people.key\"`")));
                };
                let (nonce, sealed) =
                    sealed.split_at_checked(NONCE).ok_or_else(|| broken(text!("is cut off")))?;
                let nonce = XNonce::try_from(nonce).expect("24 bytes");
                let opened = cipher(key)?.decrypt(&nonce, sealed);
                opened.map_err(|_| {
                    broken(text!("cannot be decrypted: it was changed, or this is another key"))
                })?
            }
        };
        Self::of_bytes(&plain)
            .ok_or_else(|| broken(text!("is not the state of a history, or was changed")))
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (content, digest) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        if Sha256::digest(content).as_slice() != digest {
            return None;
        }
        let has_slots = !content.starts_with(PLAIN);
        let rest = content
            .strip_prefix(PLAIN)
            .or_else(|| PLAIN_BEFORE.iter().find_map(|own| content.strip_prefix(*own)))?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (header, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let mut header: Header = serde_json::from_slice(header).ok()?;
        let (count, rest) = rest.split_first_chunk::<8>()?;
        let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        if Some(rest.len()) != count.checked_mul(PERSON) {
            return None;
        }
        let signatures = std::mem::take(&mut header.signatures);
        let places = rest.chunks_exact(PERSON).map(|bytes| match has_slots {
            true => PersonPlace::of_slot(bytes, &signatures),
            false => Some(PersonPlace::of_bytes(bytes)),
        });
        let state = Self { header, places: places.collect::<Option<_>>()? };
        let values = state.header.values.len() as u32;
        let fits = state
            .places
            .iter()
            .map(|own| own.place)
            .all(|own| own.value < values && (own.group as usize) < count)
            && state.places.windows(2).all(|pair| pair[0].key < pair[1].key);
        fits.then_some(state)
    }

    fn bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header).expect("a header has a JSON form");
        let mut bytes =
            Vec::with_capacity(PLAIN.len() + header.len() + 44 + self.places.len() * PERSON);
        bytes.extend_from_slice(PLAIN);
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&(self.places.len() as u64).to_le_bytes());
        for place in &self.places {
            let Place { group, value } = place.place;
            let away = if place.is_here { 0 } else { AWAY };
            bytes.extend_from_slice(&place.key.to_le_bytes());
            bytes.extend_from_slice(&group.to_le_bytes());
            bytes.extend_from_slice(&(value | away).to_le_bytes());
        }
        let digest = Sha256::digest(&bytes);
        bytes.extend_from_slice(&digest);
        bytes
    }

    /// Returns the file's content, encrypted if there is a key.
    ///
    /// # Errors
    /// A key that cannot be read.
    pub(super) fn sealed(&self, key: Option<&Path>) -> Result<Vec<u8>, Error> {
        let Some(key) = key else {
            return Ok(self.bytes());
        };
        // Nonces come from the operating system, even if the release's coins have a test seed.
        let mut coins = CoinKey::drawn(&mut openveil_core::coins::SecretCoins::from_os()).coins();
        let nonce: [u8; NONCE] = std::array::from_fn(|_| coins.below(256) as u8);
        let sealed = cipher(key)?
            .encrypt(&XNonce::from(nonce), &*self.bytes())
            .expect("the state is shorter than a stream of the cipher");
        Ok([SEALED, &nonce, &sealed].concat())
    }
}

impl PersonPlace {
    fn of_bytes(bytes: &[u8]) -> Self {
        let (key, group, value) = numbers(bytes);
        Self { key, place: Place { group, value: value & !AWAY }, is_here: value & AWAY == 0 }
    }

    /// Returns the place of a person with a slot: the people of a signature are one group.
    fn of_slot(bytes: &[u8], signatures: &[(Vec<u32>, u32)]) -> Option<Self> {
        let (key, mut slot, group) = numbers(bytes);
        for (number, (values, _)) in (0..).zip(signatures) {
            match values.get(slot as usize) {
                None => slot -= values.len() as u32,
                Some(&value) => {
                    return Some(Self {
                        key,
                        place: Place { group: number, value },
                        is_here: group != u32::MAX,
                    });
                }
            }
        }
        None
    }
}

/// Returns the numbers stored about a person: the key, and two more.
fn numbers(bytes: &[u8]) -> (u64, u32, u32) {
    let number =
        |from: usize| u32::from_le_bytes(bytes[from..from + 4].try_into().expect("4 bytes"));
    let key = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
    (key, number(8), number(12))
}

/// Returns the cipher of a key: a file with 64 hexadecimal digits.
fn cipher(path: &Path) -> Result<XChaCha20Poly1305, Error> {
    let text = regular::read_to_string(path).map_err(|cause| {
        Error::io(path, "read the key of the history", &cause)
            .help("make one with `openssl rand -hex 32`, and store it apart from the state")
    })?;
    let digits = text.trim();
    let is_hexadecimal = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let byte = |number: usize| {
        let pair = digits.get(2 * number..2 * number + 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    match bytes.filter(|_| is_hexadecimal) {
        Some(bytes) => {
            let key = Key::try_from(&bytes[..]).expect("32 bytes");
            Ok(XChaCha20Poly1305::new(&key))
        }
        None => Err(Error::new(Location::file(path), "is not a key of 64 hexadecimal digits")
            .help("make one with `openssl rand -hex 32`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::SecretCoins;

    fn state() -> HistoryState {
        let history = HistoryPolicy {
            state: "state".into(),
            person: "id".to_owned(),
            episode: None,
            key: None,
            is_distinct: false,
        };
        let mut coins = SecretCoins::from_test_seed(1);
        let mut state = HistoryState::begin(&history, "job", "ratio 2-diversity", &mut coins);
        state.header.values = vec!["a".to_owned(), "b".to_owned()];
        let place = |person: &str, group, value, is_here| PersonPlace {
            key: state.key_of(person, None),
            place: Place { group, value },
            is_here,
        };
        state.places = vec![place("ann", 1, 0, true), place("bob", 0, 1, false)];
        state.places.sort_unstable_by_key(|place| place.key);
        state
    }

    #[test]
    fn a_state_is_read_as_it_was_written_and_nothing_else_is() {
        let (folder, state) = (tempfile::tempdir().unwrap(), state());
        let (file, key) = (folder.path().join("state"), folder.path().join("key"));
        std::fs::write(&key, "0f".repeat(32) + "\n").unwrap();
        for key in [None, Some(&*key)] {
            let bytes = state.sealed(key).unwrap();
            std::fs::write(&file, &bytes).unwrap();
            assert_eq!(HistoryState::read(&file, key).unwrap(), state);
            for place in (0..bytes.len()).step_by(7) {
                let mut changed = bytes.clone();
                changed[place] ^= 1;
                std::fs::write(&file, &changed).unwrap();
                assert!(HistoryState::read(&file, key).is_err(), "byte {place}");
                std::fs::write(&file, &bytes[..place]).unwrap();
                assert!(HistoryState::read(&file, key).is_err(), "cut at {place}");
            }
        }
        std::fs::write(&file, state.sealed(Some(&key)).unwrap()).unwrap();
        let refused = |key: Option<&Path>| HistoryState::read(&file, key).unwrap_err().to_string();
        assert!(refused(None).contains("names no `key`"));
        std::fs::write(&key, "00".repeat(32)).unwrap();
        assert!(refused(Some(&key)).contains("cannot be decrypted"));
        for digits in ["short", &"0".repeat(65), &"0".repeat(66), &"+0".repeat(32)] {
            std::fs::write(&key, digits).unwrap();
            assert!(refused(Some(&key)).contains("64 hexadecimal digits"));
        }
    }

    /// The digest does not protect against a malicious writer, who can compute it: the content
    /// itself has to be consistent.
    #[test]
    fn a_state_that_contradicts_itself_is_none() {
        let read = |change: &dyn Fn(&mut HistoryState)| {
            let mut state = state();
            change(&mut state);
            HistoryState::of_bytes(&state.bytes()).is_some()
        };
        assert!(read(&|_| ()));
        // Two values, two people; groups are numbered from 0.
        let contradictions: [&dyn Fn(&mut HistoryState); 5] = [
            &|state| state.places[0].place.value = 2,
            &|state| state.places[1].place.value = 2,
            &|state| state.places[0].place.group = 2,
            &|state| state.places.swap(0, 1),
            &|state| state.places[1].key = state.places[0].key,
        ];
        for (number, change) in contradictions.iter().enumerate() {
            assert!(!read(change), "contradiction {number}");
        }
    }

    /// A state of version 1.0: two signatures, and the slots of three people.
    #[test]
    fn a_state_with_slots_has_a_group_for_each_signature() {
        let mut state = state();
        state.header.values = ["a", "b", "c"].map(str::to_owned).to_vec();
        state.header.signatures = vec![(vec![0, 1], 3), (vec![0, 2], 1)];
        let header = serde_json::to_vec(&state.header).unwrap();
        let people: [(u64, u32, u32); 3] = [(3, 1, 0), (5, 2, u32::MAX), (9, 3, 1)];
        let read = |people: &[(u64, u32, u32)]| {
            let mut bytes = PLAIN_BEFORE[0].to_vec();
            bytes.extend((header.len() as u32).to_le_bytes());
            bytes.extend(&header);
            bytes.extend((people.len() as u64).to_le_bytes());
            for (key, slot, group) in people {
                bytes.extend(key.to_le_bytes());
                bytes.extend(slot.to_le_bytes());
                bytes.extend(group.to_le_bytes());
            }
            bytes.extend(Sha256::digest(&bytes));
            HistoryState::of_bytes(&bytes)
        };
        let found = read(&people).unwrap();
        let places = found.places.iter().map(|own| (own.place.group, own.place.value, own.is_here));
        let expected = [(0, 1, true), (1, 0, false), (1, 2, true)];
        assert_eq!(places.collect::<Vec<_>>(), expected);
        assert_eq!(HistoryState::of_bytes(&found.bytes()), Some(found));
        assert_eq!(read(&[(3, 4, 0)]), None);
    }

    #[test]
    fn people_take_sixteen_bytes_each() {
        let (state, mut more) = (state(), state());
        more.places.clear();
        assert_eq!(state.bytes().len() - more.bytes().len(), 2 * 16);
        let known = state.place(state.key_of(" ann ", None)).unwrap();
        let place = Place { group: 1, value: 0 };
        assert_eq!((known.place, known.is_here), (place, true));
        assert_eq!(state.place(state.key_of("eve", None)), None);
        assert_eq!(state.key_of("Ann", None), state.key_of("ann", None));
        assert_eq!(state.key_of("007", Some("2023")), state.key_of("7.0", Some("2023.0")));
        assert_ne!(state.key_of("1", Some("23")), state.key_of("12", Some("3")));
        assert_ne!(state.key_of("1", Some("2023")), state.key_of("1", Some("2024")));
    }
}
