//! The three risks of the European regulators' opinion on anonymisation (WP216), measured
//! on any pair of tables as Anonymeter does (Giomi, Boenisch, Wehmeyer & Tasnádi, *A
//! unified framework for quantifying privacy risk in synthetic data*, PoPETs 2023): how
//! often an attacker who has the other table succeeds against people of the original one,
//! beside one who guesses, and beside attacks on people who are in neither.
//!
//! These are measurements, no guarantees: attackers who do something else are not bounded.

mod nearest;
mod queries;

use nearest::{CommonScale, nearest};
use openveil_core::coins::{Coins, draw};
use rayon::prelude::*;

/// One column of all tables that are compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Feature {
    /// Numbers; not a number where one is missing.
    Numbers(Vec<f64>),
    /// Codes of values, the same code for the same value in every table; a missing value
    /// is one of them.
    Codes(Vec<u32>),
}

/// Records of one table. All tables that are compared have the same features.
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
            features: features
                .iter()
                .map(|&at| self.features[at].clone())
                .collect(),
            rows: self.rows,
        }
    }
}

/// How attacks went.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Attacks {
    /// Attacks with the help of the other table, on guesses, and on the control.
    pub attacks: [usize; 3],
    /// How many succeeded.
    pub successes: usize,
    /// How many guesses did.
    pub guessed: usize,
    /// How many did against people who are in neither table, if there are any; corrected
    /// for their number where it matters.
    pub control: Option<f64>,
}

/// The tables that are compared, and how often to attack.
#[derive(Debug, Clone, Copy)]
pub struct ComparedTables<'a> {
    /// The people who are attacked.
    pub original: &'a Records,
    /// The table that the attacker has.
    pub other: &'a Records,
    /// People like the original's who are not in it.
    pub control: Option<&'a Records>,
    /// Attacks at most.
    pub attacks: usize,
}

/// Linkability: for how many people do two parts of their record lead to the same record
/// of the other table? `parts` are the features that the attacker has of each; a link is
/// made if one of the `neighbours` nearest records of both parts is the same.
///
/// Records that are equally near are taken in a random order. O(attacks · rows · features),
/// in parallel.
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
            nearest(
                &CommonScale::of(&own, &others[at]),
                &targets,
                neighbours,
                coins,
            )
        });
        let links = found[0].iter().zip(&found[1]);
        let links = links.filter(|(one, two)| one.iter().any(|record| two.contains(record)));
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

/// Inference: of how many people is the secret feature that of the record of the other
/// table that is nearest by the features `known`? Numbers are right within `tolerance`
/// times the guess, where there is one; otherwise only the same value is.
///
/// Anonymeter divides by the guess with its sign, by which every negative guess is right;
/// here it is the size that counts.
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
        let found = nearest(&CommonScale::of(&scale, &other), &targets, 1, coins);
        let hits = targets.iter().zip(&found);
        let hits = hits.filter(|&(&person, found)| right(people, person, found[0]));
        (hits.count(), targets.len())
    };
    let (successes, attacks) = inferred(tables.original, coins);
    let control = tables.control.map(|control| inferred(control, coins));
    let guesses = attacks.min(tables.other.rows);
    let people = sample(tables.original.rows, guesses, coins);
    let records = sample(tables.other.rows, guesses, coins);
    let pairs = people.into_par_iter().zip(records);
    let guessed = pairs.filter(|&(person, record)| right(tables.original, person, record));
    Attacks {
        guessed: guessed.count(),
        attacks: [attacks, guesses, control.map_or(0, |(_, attacks)| attacks)],
        successes,
        control: control.map(|(successes, _)| successes as f64),
    }
}

pub use queries::{Mode, singling_out};

/// Some of so many, in a random order: all of them, if there are not more.
fn sample(of: usize, most: usize, coins: &mut dyn Coins) -> Vec<u32> {
    let mut all: Vec<u32> = (0..of as u32).collect();
    let count = most.min(of);
    draw(&mut all, count, coins);
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests;
