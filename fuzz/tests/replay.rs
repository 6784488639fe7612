//! Replays inputs from fuzzing, and some mutations of them that are the same each time.

use openveil_fuzz::TARGETS;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Mutations of each target's corpus; `OPENVEIL_TRIALS` sets more.
const TRIALS: usize = 60;

/// Returns an input with a few bytes changed, removed or doubled.
fn mutated(inputs: &[Vec<u8>], generator: &mut StdRng) -> Vec<u8> {
    let mut bytes = inputs[generator.random_range(0..inputs.len())].clone();
    for _ in 0..generator.random_range(1..6) {
        let from = generator.random_range(0..=bytes.len());
        let to = generator.random_range(from..=bytes.len().min(from + 16));
        match generator.random_range(0..4) {
            0 => drop(bytes.drain(from..to)),
            1 => bytes.splice(from..from, bytes[from..to].to_vec()).for_each(drop),
            2 => bytes.insert(from, generator.random_range(0..=255)),
            _ => {
                bytes[from..to].iter_mut().for_each(|byte| *byte = generator.random_range(0..=255))
            }
        }
    }
    bytes
}

#[test]
fn every_target_has_a_corpus() {
    for target in TARGETS {
        assert!(!target.kept().unwrap().is_empty(), "{}", target.name);
    }
}

#[test]
fn nothing_that_was_kept_breaks_anything() {
    for target in TARGETS {
        let inputs = target.kept().unwrap();
        inputs.iter().for_each(|input| (target.run)(input));
    }
}

#[test]
fn mutations_break_nothing() {
    let trials = std::env::var("OPENVEIL_TRIALS").ok();
    let trials = trials.and_then(|text| text.parse().ok()).unwrap_or(TRIALS);
    for target in TARGETS {
        let inputs = target.kept().unwrap();
        let mut generator = StdRng::seed_from_u64(1);
        let start = std::time::Instant::now();
        for _ in 0..trials {
            (target.run)(&mutated(&inputs, &mut generator));
        }
        eprintln!("{} {:?}", target.name, start.elapsed());
    }
}
