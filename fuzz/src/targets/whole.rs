//! From a table to its release and back, compared with counts by another method.

use super::case::{FuzzedPerson, FuzzedTable, published};
use crate::{in_folder, write};
use arbitrary::{Arbitrary, Unstructured};
use openveil_core::algorithm::Settings;
use openveil_core::coins::SecretCoins;
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::table::{Column, Domain, Secret, View};
use openveil_io::release_dir::ReleasePlace;
use openveil_papers::algorithm::cover::{cover, decompose};
use openveil_reader::query::Reader;
use openveil_tools::audit;
use openveil_tools::audit::{AuditRequest, Audited};
use std::collections::BTreeMap;
use std::path::Path;

/// More people would make a case slower, but not different.
const MOST_PEOPLE: usize = 60;

fn case(data: &[u8]) -> Option<FuzzedTable> {
    let mut case = FuzzedTable::arbitrary(&mut Unstructured::new(data)).ok()?;
    case.people.truncate(MOST_PEOPLE);
    Some(case)
}

pub(super) fn publish(data: &[u8]) {
    let Some(case) = case(data) else {
        return;
    };
    in_folder(|folder| {
        write(folder, "table.csv", case.table());
        let Ok(release) = published(folder, &case.policy()) else {
            return;
        };
        let out = folder.join("out");
        release.write(&out).expect("a release that was made can be written");
        let place = ReleasePlace::from(out);
        let audited = audit::audit(&AuditRequest::new(Audited::Release(place.clone())), &|_| {})
            .expect("ours");
        assert!(audited.passes(), "{:?}, {:?}", audited.verdict, audited.checked);
        let reader = Reader::open(place).expect("ours");
        assert_eq!(reader.release().manifest.rows, case.people.len());
        assert_values(&case, &reader);
        if reader.release().manifest.files == ["release.csv"] && case.style() == "generalize" {
            let text = folder.join("out/release/release.csv");
            let groups = RowsByGroup::read(&text);
            groups.assert_hold(&case);
            groups.assert_counts(&case, &reader);
        }
    });
}

/// Checks that the release has as many rows of every value as the table.
fn assert_values(case: &FuzzedTable, reader: &Reader) {
    let mut counts: BTreeMap<char, u32> = BTreeMap::new();
    for person in &case.people {
        *counts.entry(person.value()).or_default() += 1;
    }
    for (value, count) in counts {
        let answer = reader.count(&format!("s = {value}"), None).expect("published");
        let off = (answer.figure.estimate - f64::from(count)).abs();
        assert!(off < 1e-6, "{value}: {answer:?}, not {count}");
    }
}

/// Rows of a release by group: cells as published, and values.
#[derive(Default)]
struct RowsByGroup {
    groups: BTreeMap<String, Vec<BTreeMap<String, String>>>,
}

impl RowsByGroup {
    fn read(path: &Path) -> Self {
        let mut groups = Self::default();
        let mut reader = csv::Reader::from_path(path).expect("written");
        for row in reader.deserialize() {
            let row: BTreeMap<String, String> = row.expect("a row");
            groups.groups.entry(row["group"].clone()).or_default().push(row);
        }
        groups
    }

    /// Checks that no group shows a protected value more often than the model allows.
    fn assert_hold(&self, case: &FuzzedTable) {
        let Some(l) = case.ratio() else {
            return;
        };
        for (name, rows) in &self.groups {
            let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(&row["s"]).or_default() += 1);
            for (value, count) in counts {
                let is_exempt = case.has_exempt() && value == "a";
                let holds = count * l <= rows.len() as u32;
                assert!(
                    is_exempt || holds,
                    "group {name}: {count} of {} rows are {value}",
                    rows.len()
                );
            }
        }
    }

    /// Checks the reader's even estimate: how many people between two numbers have a value, if
    /// every number of an interval is equally likely.
    fn assert_counts(&self, case: &FuzzedTable, reader: &Reader) {
        let is_interval = self.groups.values().flatten().all(|row| row.contains_key("x"));
        let Some(FuzzedPerson { x: low, .. }) = case.people.first().filter(|_| is_interval) else {
            return;
        };
        let high = case.people.last().map_or(0, |person| person.x);
        let (low, high) = (low.min(&high), low.max(&high));
        let share = |row: &BTreeMap<String, String>| {
            let cell = row["x"].trim_matches(['[', ']']);
            let (from, to) = cell.split_once(", ").unwrap_or((cell, cell));
            let number = |text: &str| text.parse::<f64>().expect("a number");
            let (from, to) = (number(from), number(to));
            let inside = to.min((*high).into()) - from.max((*low).into()) + 1.0;
            inside.max(0.0) / (to - from + 1.0)
        };
        let expected: f64 = self.groups.values().flatten().map(share).sum();
        let asked = format!("x >= {low} and x <= {high}");
        let answer = reader.count(&asked, None).expect("published");
        assert!(
            (answer.estimate_evenly - expected).abs() < 1e-6,
            "{asked}: {answer:?}, not {expected}"
        );
    }
}

/// The histogram alone determines the sizes of groups by `cover`.
pub(super) fn layout(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let Ok((l, seed, people)) = <(u8, u8, Vec<(u8, u8)>)>::arbitrary(&mut input) else {
        return;
    };
    let people = &people[..people.len().min(MOST_PEOPLE * 4)];
    let codes = |of: fn(&(u8, u8)) -> u8| people.iter().map(|person| of(person).into()).collect();
    let known = Column::new("x", codes(|person| person.0), Domain::integers(0..256));
    let values = (0..16).map(|value| value.to_string());
    let secret = Secret::new("s", codes(|person| person.1 % 16), values);
    let (Ok(view), Ok(model)) =
        (View::new(vec![known], secret), RatioDiversity::new(u32::from(l % 8)))
    else {
        return;
    };
    let criteria = Model::from(model).bind(&view).expect("the ratio fits every table");
    let mut coins = SecretCoins::from_test_seed(seed.into());
    let made = cover(&view, &criteria, &Settings::default(), &mut coins);
    let layout = decompose(&view.histogram(), view.secret().exempt(), None, model);
    let (groups, layout) = match (made, layout) {
        (Ok(groups), Ok(layout)) => (groups, layout),
        (made, layout) => return assert!(made.is_err() && layout.is_err(), "{made:?}, {layout:?}"),
    };
    groups.check_partition(view.rows()).expect("a partition");
    let units = layout.units().iter();
    let planned =
        units.flat_map(|unit| std::iter::repeat_n(unit.columns.len(), unit.groups as usize));
    let (mut sizes, mut planned): (Vec<usize>, Vec<usize>) =
        (groups.iter().map(<[u32]>::len).collect(), planned.collect());
    sizes.sort_unstable();
    planned.sort_unstable();
    assert_eq!(sizes, planned);
    for group in groups.iter() {
        let values = group.iter().map(|&row| view.secret().codes()[row as usize]);
        let of_value = |value: u32| values.clone().filter(|&own| own == value).count();
        let most = (0..16).map(of_value).max().unwrap_or(0) as u64;
        assert!(model.allows(most, group.len() as u64), "{most} of {} rows", group.len());
    }
}
