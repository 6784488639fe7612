//! Measures the three risks of the European regulators' opinion on anonymisation (WP216) on any
//! pair of tables, by the method of Anonymeter (Giomi, Boenisch, Wehmeyer & Tasnádi, *A unified
//! framework for quantifying privacy risk in synthetic data*, PoPETs 2023). It counts how often an
//! attacker who has the other table succeeds against people of the original table, and compares
//! this with an attacker who guesses and with attacks on people who are in neither table.
//!
//! These are measurements, not guarantees: they do not bound other attacks.

mod nearest;
mod queries;

use nearest::{CommonScale, nearest};
use openveil_core::coins::{Coins, draw};
use rayon::prelude::*;

/// One column of all compared tables.
#[derive(Debug, Clone, PartialEq)]
pub enum Feature {
    /// Numbers; NaN if a number is missing.
    Numbers(Vec<f64>),
    /// Codes of values: the same code for the same value in every table. A missing value also has a
    /// code.
    Codes(Vec<u32>),
}

/// The records (rows) of one table with their features (columns). All compared tables have the
/// same features.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    /// The columns, each with a value per record.
    pub features: Vec<Feature>,
    /// Number of records.
    pub rows: usize,
}

impl Records {
    /// Some of the features.
    fn only(&self, features: &[usize]) -> Self {
        Self {
            features: features.iter().map(|&at| self.features[at].clone()).collect(),
            rows: self.rows,
        }
    }
}

/// The results of attacks.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Attacks {
    /// Number of attacks with the other table, of guesses, and of attacks on the control.
    pub attacks: [usize; 3],
    /// Number of successful attacks.
    pub successes: usize,
    /// Number of successful guesses.
    pub guessed: usize,
    /// Number of successful attacks on people who are in neither table, if there are any; corrected
    /// for their number if it matters.
    pub control: Option<f64>,
}

/// The compared tables, and the number of attacks.
#[derive(Debug, Clone, Copy)]
pub struct ComparedTables<'a> {
    /// The people who are attacked.
    pub original: &'a Records,
    /// The table that the attacker has.
    pub other: &'a Records,
    /// People who are similar to those of the original, but not in it.
    pub control: Option<&'a Records>,
    /// The most attacks.
    pub attacks: usize,
}

/// Measures linkability: for how many people two parts of their record lead to the same record of
/// the other table. `parts` lists the features of each part that the attacker has. A link is made
/// if the parts share one of their `neighbours` nearest records.
///
/// Equally near records are taken in random order. O(attacks · rows · features), in parallel.
pub fn linkability(
    tables: ComparedTables<'_>,
    parts: [&[usize]; 2],
    neighbours: usize,
    coins: &mut dyn Coins,
) -> Attacks {
    let others = parts.map(|part| tables.other.only(part));
    let linked = |people: &Records, coins: &mut dyn Coins| -> (usize, usize) {
        let targets = sample(people.rows, tables.attacks, coins);
        let found = [0, 1].map(|at| {
            let own = people.only(parts[at]);
            nearest(&CommonScale::new(&own, &others[at]), &targets, neighbours, coins)
        });
        let links = found[0]
            .iter()
            .zip(&found[1])
            .filter(|(one, two)| one.iter().any(|record| two.contains(record)));
        (links.count(), targets.len())
    };
    let (successes, attacks) = linked(tables.original, coins);
    let control = tables.control.map(|control| linked(control, coins));
    let mut guess = || sample(tables.other.rows, neighbours, coins);
    let guessed = (0..attacks).filter(|_| {
        let (one, two) = (guess(), guess());
        one.iter().any(|record| two.contains(record))
    });
    Attacks {
        guessed: guessed.count(),
        attacks: [attacks, attacks, control.map_or(0, |(_, attacks)| attacks)],
        successes,
        control: control.map(|(successes, _)| successes as f64),
    }
}

/// Measures inference: for how many people the secret feature equals that of the other table's
/// record that is nearest by the features `known`. With a `tolerance`, numbers are correct within
/// `tolerance` times the guess; otherwise only the same value is correct.
///
/// Anonymeter divides by the signed guess, so that every negative guess counts as correct. Here its
/// absolute value is used.
pub fn inference(
    tables: ComparedTables<'_>,
    known: &[usize],
    secret: usize,
    tolerance: Option<f64>,
    coins: &mut dyn Coins,
) -> Attacks {
    let other = tables.other.only(known);
    let right = |people: &Records, person: u32, record: u32| {
        let of = |records: &Records, at: u32| match &records.features[secret] {
            Feature::Numbers(numbers) => numbers[at as usize],
            Feature::Codes(codes) => f64::from(codes[at as usize]),
        };
        let (truth, guess) = (of(people, person), of(tables.other, record));
        match tolerance {
            _ if truth.is_nan() || guess.is_nan() => truth.is_nan() && guess.is_nan(),
            None => truth == guess,
            Some(tolerance) => (guess - truth).abs() <= tolerance * guess.abs(),
        }
    };
    let inferred = |people: &Records, coins: &mut dyn Coins| -> (usize, usize) {
        let targets = sample(people.rows, tables.attacks, coins);
        let scale = people.only(known);
        let found = nearest(&CommonScale::new(&scale, &other), &targets, 1, coins);
        let hits =
            targets.iter().zip(&found).filter(|&(&person, found)| right(people, person, found[0]));
        (hits.count(), targets.len())
    };
    let (successes, attacks) = inferred(tables.original, coins);
    let control = tables.control.map(|control| inferred(control, coins));
    let guesses = attacks.min(tables.other.rows);
    let people = sample(tables.original.rows, guesses, coins);
    let records = sample(tables.other.rows, guesses, coins);
    let guessed = people
        .into_par_iter()
        .zip(records)
        .filter(|&(person, record)| right(tables.original, person, record));
    Attacks {
        guessed: guessed.count(),
        attacks: [attacks, guesses, control.map_or(0, |(_, attacks)| attacks)],
        successes,
        control: control.map(|(successes, _)| successes as f64),
    }
}

pub use queries::{Mode, singling_out};

/// Draws at most `most` of `of` positions, in random order.
fn sample(of: usize, most: usize, coins: &mut dyn Coins) -> Vec<u32> {
    let mut all: Vec<u32> = (0..of as u32).collect();
    let count = most.min(of);
    draw(&mut all, count, coins);
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests;
