//! Generated wages in the shape of the Current Population Survey: weekly earnings, skewed, that
//! depend on education, age, sex and region. No one in it exists.

use crate::alias::Alias;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write;

/// The number of rows that the figures use.
pub const ROWS: usize = 28_000;

/// Years of education with their weights: most have finished school, college or more.
const EDUCATION: [(u32, f64); 13] = [
    (0, 1.0),
    (4, 2.0),
    (6, 5.0),
    (8, 8.0),
    (9, 10.0),
    (10, 15.0),
    (11, 20.0),
    (12, 330.0),
    (13, 190.0),
    (14, 120.0),
    (16, 200.0),
    (18, 80.0),
    (20, 19.0),
];

/// Regions, with their weights and their effect on the logarithm of wages.
const REGIONS: [(&str, f64, f64); 9] = [
    ("New England", 5.0, 0.10),
    ("Middle Atlantic", 13.0, 0.08),
    ("East North Central", 15.0, -0.02),
    ("West North Central", 7.0, -0.06),
    ("South Atlantic", 19.0, -0.03),
    ("East South Central", 6.0, -0.15),
    ("West South Central", 11.0, -0.08),
    ("Mountain", 7.0, -0.05),
    ("Pacific", 17.0, 0.09),
];

/// The return to a year of education.
const RETURN: f64 = 0.09;

/// The standard deviation of the unexplained part of a logarithmic wage, before its tails are
/// scaled.
const SPREAD: f64 = 0.42;

/// Returns `rows` people as CSV with the header `education,age,sex,region,wage`. Equal seeds give
/// equal people. Wages are whole numbers and end in 0 above 400, as people report them. O(rows).
pub fn csv(rows: usize, seed: u64) -> String {
    let mut generator = StdRng::seed_from_u64(seed);
    let educations = Alias::new(&EDUCATION.map(|(_, weight)| weight));
    let regions = Alias::new(&REGIONS.map(|(_, weight, _)| weight));
    let mut text = String::from("education,age,sex,region,wage\n");
    for _ in 0..rows {
        let (years, _) = EDUCATION[educations.draw(&mut generator) as usize];
        let (region, _, effect) = REGIONS[regions.draw(&mut generator) as usize];
        let age: u32 = generator.random_range(18..65);
        let is_woman = generator.random_range(0..100) < 47;
        let sex = if is_woman { "Female" } else { "Male" };
        let gap = if is_woman { -0.27 } else { 0.0 };
        let experience = f64::from(age - 18);
        let career = 0.035 * experience - 0.00055 * experience * experience;
        let luck = SPREAD * normal(&mut generator);
        // The upper tail is longer than the lower one.
        let luck = if luck > 0.0 { 1.25 * luck } else { 0.8 * luck };
        let log = 4.85 + RETURN * f64::from(years) + career + gap + effect + luck;
        let _ = writeln!(text, "{years},{age},{sex},{region},{}", rounded(log.exp()));
    }
    text
}

fn rounded(wage: f64) -> u32 {
    let step = if wage > 400.0 { 10.0 } else { 1.0 };
    ((wage / step).round() * step).max(1.0) as u32
}

/// Draws a standard normal number (Box and Muller).
fn normal(generator: &mut StdRng) -> f64 {
    let uniform = |generator: &mut StdRng| generator.random_range(f64::EPSILON..1.0);
    let radius = (-2.0 * uniform(generator).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(generator)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wages_are_skewed_and_rise_with_education() {
        let text = csv(8_000, 3);
        assert_eq!(text, csv(8_000, 3));
        let rows: Vec<Vec<&str>> =
            text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let mean = |educated: bool| {
            let number = |row: &Vec<&str>, at: usize| row[at].parse::<f64>().unwrap();
            let wages: Vec<f64> = rows
                .iter()
                .filter(|row| (number(row, 0) > 12.0) == educated)
                .map(|row| number(row, 4))
                .collect();
            wages.iter().sum::<f64>() / wages.len() as f64
        };
        assert!(mean(true) > 1.2 * mean(false));
        let mut wages: Vec<u32> = rows.iter().map(|row| row[4].parse().unwrap()).collect();
        wages.sort_unstable();
        let mean = wages.iter().sum::<u32>() / wages.len() as u32;
        assert!(mean > wages[wages.len() / 2]);
    }
}
