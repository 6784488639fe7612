//! A few figures on what can be learned from a release. They are functions of the release alone.

use crate::evidence::{Evidence, Meaning};
use crate::fit::Fit;
use crate::posterior::Beliefs;
use crate::table::Ask;
use openveil_core::coins::SecretCoins;
use openveil_core::table::{Groups, View};

/// Learning is measured on groups of about this many people.
const MOST_PEOPLE: usize = 10_000;

/// Number of parts of a column of numbers.
const PARTS: usize = 5;

/// The lessons of a release, for a reader who has no other data than the known columns, and for an
/// analyst.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The reader's beliefs about people.
    pub beliefs: Beliefs,
    /// The share of people whose value the same reader guesses if they are not in the table.
    pub outside: f64,
    /// For each known column, its association with the secret.
    pub columns: Vec<Link>,
}

/// The association of a known column with the secret, as far as the release shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The share of the observed association that is not due to chance: 0 to 1.
    pub recovered: f64,
    /// The strongest cell: a code of the column, a value of the secret, and the difference between
    /// the value's share among people with the code and its share among all people.
    pub strongest: Option<(u32, u32, f64)>,
}

/// Computes what can be learned from a release; `None` if there is nothing to fit.
/// `is_protected[value]` states which values the beliefs are about, and `bound` is compared with
/// their chances. Random draws start from `seed`. Time: five fits to the
/// groups of about 10,000 people.
pub fn learned(
    evidence: &Evidence,
    meaning: &Meaning,
    is_protected: &[bool],
    bound: f64,
    seed: u64,
) -> Option<Learned> {
    if meaning.known.is_empty() || !evidence.says_enough() {
        return None;
    }
    let evidence = &*evidence.sample(MOST_PEOPLE);
    let fit =
        Fit::rough(evidence, meaning, &mut SecretCoins::from_test_seed(seed)).calibrated(evidence);
    let posterior = fit.posteriors(evidence).swap_remove(0);
    let values = meaning.secret.values();
    Some(Learned {
        beliefs: posterior.beliefs(is_protected, bound),
        outside: fit.hits_outside(evidence),
        columns: (0..meaning.known.len())
            .map(|column: usize| {
                let ask = by_column(meaning, column, values);
                let found = ask.of_beliefs(&fit.people()[0], &posterior, evidence);
                link(&found.counts, &found.variances, values, |part| {
                    // A part of a column of numbers is identified by its first code.
                    ask.known[0].1.iter().clone().position(|own| *own == Some(part)).unwrap_or(0)
                        as u32
                })
            })
            .collect(),
    })
}

/// A comparison of a release with its table, which must stay with the owner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GivenBack {
    /// The share of people whose value is guessed correctly by a reader who knows everybody's
    /// group.
    pub guessed: f64,
    /// How much of the known columns' associations with the secret the fit finds, on average over
    /// columns: the slope of found on true deviations from independence. 1 means all of it.
    pub found: f64,
}

/// Compares a release with its table; `groups` lists the table's rows in each group of the
/// evidence. `None` if there is nothing to fit. Time: one fit.
pub fn given_back(
    table: &View,
    evidence: &Evidence,
    groups: &Groups,
    seed: u64,
) -> Option<GivenBack> {
    let meaning = Meaning::new(table.known(), table.secret());
    if meaning.known.is_empty() || !evidence.says_enough() {
        return None;
    }
    let fit = Fit::new(evidence, &meaning, &mut SecretCoins::from_test_seed(seed));
    let posterior = fit.posteriors(evidence).swap_remove(0);
    let values = meaning.secret.values();
    let truth = table.secret().codes();
    let slopes: Vec<f64> = (0..meaning.known.len())
        .filter_map(|column: usize| {
            let ask = by_column(&meaning, column, values);
            let found = ask.of_beliefs(&fit.people()[0], &posterior, evidence).counts;
            let mut own = vec![0.0; ask.cells()];
            for (&code, &value) in table.known()[column].codes().iter().zip(truth) {
                let part = ask.known[0].1[code as usize].unwrap_or(0);
                own[part as usize * values + value as usize] += 1.0;
            }
            slope(&found, &own, values)
        })
        .collect();
    Some(GivenBack {
        guessed: fit.guessed(evidence, table, groups),
        found: slopes.iter().sum::<f64>() / slopes.len().max(1) as f64,
    })
}

/// The slope of one table's deviations from independence on those of another; `None` if the other
/// has none.
pub(crate) fn slope(found: &[f64], truth: &[f64], values: usize) -> Option<f64> {
    let shares = shares(truth, values);
    let (mut product, mut square) = (0.0, 0.0);
    for (found, truth) in found.chunks_exact(values).zip(truth.chunks_exact(values)) {
        let (of_found, people) = (found.iter().sum::<f64>(), truth.iter().sum::<f64>());
        if of_found > 0.0 && people > 0.0 {
            for ((found, truth), share) in found.iter().zip(truth).zip(&shares) {
                let (found, truth) = (found / of_found - share, truth / people - share);
                product += people * found * truth;
                square += people * truth * truth;
            }
        }
    }
    (square > 1e-9).then(|| product / square)
}

/// Each value's share of the rows of a table.
fn shares(counts: &[f64], values: usize) -> Vec<f64> {
    let total: f64 = counts.iter().sum();
    let mut shares = vec![0.0; values];
    for row in counts.chunks_exact(values) {
        shares.iter_mut().zip(row).for_each(|(share, own)| *share += own / total);
    }
    shares
}

/// The cells of one column by the secret: codes, or parts of numbers.
pub(crate) fn by_column(meaning: &Meaning, column: usize, values: usize) -> Ask {
    let codes = meaning.known[column].domain().len();
    let parts = match meaning.numbers[column] {
        Some(_) => codes.min(PARTS),
        None => codes,
    };
    Ask {
        known: vec![(
            column,
            (0..codes).map(|code: usize| Some((code * parts / codes) as u32)).collect(),
        )],
        parts: vec![parts as u32],
        secret: (0..values as u32).map(Some).collect(),
        secret_parts: values as u32,
    }
}

/// The strength of a table's association compared with the chance variation of its cells, and its
/// strongest cell.
pub(crate) fn link(
    counts: &[f64],
    variances: &[f64],
    values: usize,
    code: impl Fn(u32) -> u32,
) -> Link {
    let shares = shares(counts, values);
    let (mut signal, mut noise) = (0.0, 0.0);
    let mut strongest: Option<(f64, (u32, u32, f64))> = None;
    let rows = counts.chunks_exact(values).zip(variances.chunks_exact(values));
    for (part, (row, variances)) in (0..).zip(rows) {
        let people: f64 = row.iter().sum();
        if people <= 0.0 {
            continue;
        }
        noise += variances.iter().sum::<f64>() / people;
        for (value, (own, share)) in (0..).zip(row.iter().zip(&shares)) {
            let difference = own / people - share;
            signal += people * difference * difference;
            let weight = people * difference * difference / share.max(1e-9);
            if strongest.as_ref().is_none_or(|(most, _)| weight > *most) {
                strongest = Some((weight, (code(part), value, difference)));
            }
        }
    }
    let recovered = if signal > 0.0 { (1.0 - noise / signal).max(0.0) } else { 0.0 };
    Link { recovered, strongest: strongest.map(|(_, found)| found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds::tests::{below, evidence};
    use openveil_core::release::Cells;
    use openveil_core::table::{Column, Domain, Secret};

    /// Many columns that have nothing to do with the secret: a fit finds chance in them, and groups
    /// that it did not see show that it is chance.
    #[test]
    fn chance_is_not_learned() {
        const VALUES: usize = 12;
        let coins = &mut SecretCoins::from_test_seed(1);
        let mut draw = |codes| (0..2_000).map(|_| below(coins, codes) as u32).collect::<Vec<_>>();
        let labels = |codes: usize| (0..codes).map(|code| code.to_string()).collect::<Vec<_>>();
        let known: Vec<Column> = (0..12)
            .map(|column| Column::new(format!("c{column}"), draw(6), Domain::unordered(labels(6))))
            .collect();
        let values = draw(VALUES);
        let secret = Secret::new("s", values.clone(), labels(VALUES));
        let groups: Vec<Vec<u32>> = values.chunks(10).map(<[u32]>::to_vec).collect();
        let cells = known.iter().map(|column| Cells::Exact(column.codes().to_vec())).collect();
        let found = learned(
            &evidence(&groups, cells),
            &Meaning::new(&known, &secret),
            &[true; VALUES],
            1.0,
            1,
        );
        let most = (0..VALUES as u32)
            .map(|value| values.iter().filter(|own| **own == value).count() as f64 / 2_000.0)
            .fold(0.0, f64::max);
        let outside = found.expect("there is something to fit").outside;
        assert!((outside - most).abs() < 0.01, "{outside} beside {most}");
    }
}
