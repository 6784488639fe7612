//! Results cached from table to table equal results computed anew.

use super::*;
use crate::algorithm;
use openveil_core::model::suite::models;
use openveil_core::table::{Column, Domain};

/// The number of worlds of each scenario that are queried twice.
const ASKED: usize = 6;

/// Returns six people who all differ, as one table and in two strata.
fn scenarios(model: &Model) -> [Scenario; 2] {
    let column = |name: &str, codes: &[u32]| {
        Column::new(name, codes.to_vec(), Domain::integers(0..codes.len() as i64))
    };
    let columns = vec![column("age", &[0, 1, 2, 3, 4, 5]), column("sex", &[0, 1, 0, 1, 0, 1])];
    let of = Scenario::of_values([0, 1, 2, 0, 1, 2], model.clone()).unwrap();
    let whole = of.with_quasi_identifiers(columns).unwrap();
    [whole.clone(), whole.with_strata(["sex"]).unwrap()]
}

#[test]
fn a_memory_changes_nothing() {
    let mut compared = 0;
    for model in models(3) {
        for scenario in scenarios(&model) {
            let mut worlds = scenario.worlds();
            let mut tables = Vec::new();
            while let Some(world) = worlds.next_world() {
                tables.push(scenario.world(world).unwrap());
            }
            let some = tables.iter().step_by(tables.len().div_ceil(ASKED));
            for algorithm in algorithm::all() {
                let memory = Memory::default();
                for table in some.clone() {
                    let of = |memory: &Memory| {
                        algorithm::Algorithm::distribution(algorithm, table, &model, 50_000, memory)
                    };
                    let anew = of(&Memory::default());
                    compared += usize::from(anew.is_ok());
                    assert_eq!(of(&memory), anew, "{} with {model}", algorithm.name());
                }
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Results for one histogram are not used for another's, nor one kind of result for another.
#[test]
fn a_memory_tells_histograms_and_strata_apart() {
    let memory = Memory::default();
    let model = Model::from(RatioDiversity::new(2).unwrap());
    let of = |values: &[u32]| Scenario::of_values(values.iter().copied(), model.clone()).unwrap();
    let kept = |scenario: &Scenario, fresh: u32| {
        *memory.of(scenario.table(), || Ok::<_, openveil_core::Error>(fresh)).unwrap()
    };
    assert_eq!(kept(&of(&[1, 1, 2, 2]), 1), 1);
    assert_eq!(kept(&of(&[2, 1, 2, 1]), 2), 1);
    assert_eq!(kept(&of(&[1, 2, 2, 2]), 3), 3);
    // Strata of three people each have another histogram, although the whole table has the same.
    let [whole, strata] = scenarios(&model);
    assert_eq!((kept(&whole, 4), kept(&strata, 5), kept(&whole, 6)), (4, 5, 4));
    let other = memory.of(whole.table(), || Ok("text")).unwrap();
    assert_eq!(*other, "text");
    // A failure is not cached.
    let failed: Result<_, _> =
        memory.of::<u8>(whole.table(), || Err(openveil_core::Error::EmptyTable));
    assert_eq!(failed.map(|kept| *kept), Err(openveil_core::Error::EmptyTable));
    assert_eq!(*memory.of(whole.table(), || Ok(7u8)).unwrap(), 7);
}
