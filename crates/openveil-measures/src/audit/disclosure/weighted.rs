//! Individual risk with survey weights.
//!
//! A person of the sample is one of F people of the population who look alike; f of them were
//! drawn. F is not known. Given f it is assumed to be negative binomial with p = f / F̂, where F̂
//! is the sum of the weights. The risk is the mean of 1/F. Source: Benedetti and Franconi (1998),
//! *Statistical and technological solutions for controlled data dissemination*; Franconi and
//! Polettini (2004), *Individual risk estimation in μ-Argus: a review*, (5).

/// Up to this many rows the recursion is used.
const FEW: u32 = 30;

/// The mean of 1/F for one of `rows` rows that look alike, whose weights sum to `people`. It lies
/// between 1/people and 1/rows; `people` is raised to `rows` if it is less. Exact to about 1e-12,
/// whereas sdcMicro's default uses an approximation from three rows on. O(rows) up to 30 rows,
/// otherwise O(1).
pub fn individual_risk(rows: u32, people: f64) -> f64 {
    let count = f64::from(rows);
    let p = (count / people).min(1.0);
    let q = 1.0 - p;
    // p · J(f), J(f) = ∫ y^(f−1) / (p + q y) dy from 0 to 1.
    if q > 0.5 && rows <= FEW {
        // J(1) = −ln p / q, and p J(f) + q J(f + 1) = 1/f.
        let first = -p.ln() / q;
        return p * (1..rows).fold(first, |own: f64, f: u32| (1.0 / f64::from(f) - p * own) / q);
    }
    // J(f) = Σ q^k k! / (f (f + 1) … (f + k)).
    let (mut term, mut sum) = (1.0 / count, 0.0);
    for k in 1.. {
        sum += term;
        let k = f64::from(k);
        term *= q * k / (count + k);
        if term < 1e-16 * sum {
            break;
        }
    }
    p * sum
}

/// The risk that at least one member of a household is found, given the risks of its members.
/// Source: Hundepool et al. (2012), *Statistical Disclosure Control*, 3.3.3.
pub fn household_risk(members: impl Iterator<Item = f64>) -> f64 {
    1.0 - members.map(|risk| 1.0 - risk).product::<f64>()
}
