//! Tests the stated least discernability.

use super::publish;
use openveil_core::model::{CountBuffer, Model};
use openveil_core::table::{Secret, View};
use serde_json::Value;
use std::fs;

/// Returns the least sum of squared group sizes over all partitions whose groups a model accepts.
fn least_dm(counts: &[u32], accepts: &dyn Fn(&[u32]) -> bool) -> Option<u64> {
    fn place(
        row: usize,
        values: &[u32],
        groups: &mut Vec<Vec<u32>>,
        best: &mut Option<u64>,
        accepts: &dyn Fn(&[u32]) -> bool,
    ) {
        if row == values.len() {
            if groups.iter().all(|group| accepts(group)) {
                let dm = groups.iter().map(|group| (group.len() as u64).pow(2)).sum();
                *best = Some(best.map_or(dm, |best| best.min(dm)));
            }
            return;
        }
        for group in 0..=groups.len() {
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(values[row]);
            place(row + 1, values, groups, best, accepts);
            groups[group].pop();
            if groups[group].is_empty() {
                groups.pop();
            }
        }
    }
    let values = (0..).zip(counts);
    let values: Vec<u32> =
        values.flat_map(|(value, &n)| std::iter::repeat_n(value, n as usize)).collect();
    let mut best = None;
    place(0, &values, &mut Vec::new(), &mut best, accepts);
    best
}

/// The stated least discernability is exact, and a stated bound is a bound.
#[test]
fn an_optimum_is_one() {
    let models = [
        "model = \"alpha-k-anonymity\", alpha = \"2/3\", k = 1",
        "model = \"l-diversity\", variant = \"recursive\", c = 1, l = 2",
        "model = \"t-closeness\", t = 0.3, distance = \"equal\"",
        "model = \"l-diversity\", l = 2",
        "model = \"l-diversity\", variant = \"distinct\", l = 2",
    ];
    let mut compared = [0, 0];
    for counts in [[2, 2, 1], [3, 2, 1], [2, 2, 2]] {
        for model in models {
            let folder = tempfile::tempdir().unwrap();
            let values: Vec<u32> =
                (0..).zip(counts).flat_map(|(value, n)| std::iter::repeat_n(value, n)).collect();
            let rows = values.iter().enumerate().map(|(i, value)| format!("{i},{value}\n"));
            let table = format!("age,s\n{}", rows.collect::<String>());
            let policy = format!(
                "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\ns = {{ role = \"sensitive\" }}\n[privacy]\nall = [{{ {model} }}]\n"
            );
            if !publish(folder.path(), &policy, &table).status.success() {
                continue;
            }
            let manifest = folder.path().join("out/release/manifest.json");
            let manifest: Value =
                serde_json::from_str(&fs::read_to_string(manifest).unwrap()).unwrap();
            let model: Model = openveil_io::policy::privacy(model).unwrap();
            let view = View::new(Vec::new(), Secret::new("s", values, ["0", "1", "2"])).unwrap();
            let criteria = model.bind(&view).unwrap();
            let accepts = |group: &[u32]| {
                criteria.hold_on_group(&CountBuffer::default().of_codes(group.iter().copied()))
            };
            let least = least_dm(&counts.map(|n| n as u32), &accepts).unwrap();
            let utility = &manifest["utility"];
            if let Some(optimal) = utility["dm_optimal"].as_u64() {
                compared[0] += 1;
                assert_eq!(optimal, least, "{counts:?} {model}");
            }
            if let Some(bound) = utility["dm_lower_bound"].as_u64() {
                compared[1] += 1;
                assert!(bound <= least, "{counts:?} {model}");
            }
        }
    }
    assert!(compared.iter().all(|&times| times >= 5), "{compared:?}");
}
