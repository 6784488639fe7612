use super::*;
use crate::evidence::Meaning;
use crate::model::KnownLevels;
use crate::orders::uniform;
use crate::worlds::tests::{below, evidence};
use openveil_core::coins::SecretCoins;
use openveil_core::release::Cells;
use openveil_core::table::{Column, Domain, Secret};

const VALUES: u32 = 12;

/// A release with groups of these sizes.
struct Case {
    evidence: Evidence,
    meaning: Meaning,
}

impl Case {
    fn new(sizes: &[usize], values: u32) -> Self {
        let mut coins = SecretCoins::from_test_seed(11);
        let mut value = || below(&mut coins, values as usize) as u32;
        let groups: Vec<Vec<u32>> =
            sizes.iter().map(|&m| (0..m).map(|_| value()).collect()).collect();
        let rows: usize = sizes.iter().sum();
        let mut codes = |codes: usize| (0..rows).map(|_| below(&mut coins, codes) as u32).collect();
        let (town, age): (Vec<u32>, Vec<u32>) = (codes(3), codes(9));
        let cells = vec![Cells::Exact(town), Cells::Exact(age)];
        let known = [
            Column::new("town", Vec::new(), Domain::unordered(["a", "b", "c"])),
            Column::new("age", Vec::new(), Domain::integers(20..29)),
        ];
        let labels = (0..values).map(|value| format!("v{value:03}"));
        let secret = Secret::new("ill", Vec::new(), labels);
        Self { evidence: evidence(&groups, cells), meaning: Meaning::new(&known, &secret) }
    }

    fn at(&self, shape: &ModelShape, theta: &[f64]) -> (f64, Vec<f64>) {
        let people =
            crate::people::People::possible(&self.evidence, &mut SecretCoins::from_test_seed(1));
        let row_classes = shape.row_classes(&self.evidence);
        let kinds = Kinds::new(&people.levels(shape));
        let groups: Vec<u32> = (0..self.evidence.groups() as u32).collect();
        let likelihood = Likelihood::new(&self.evidence, shape, &row_classes, &kinds, &groups);
        let (log, gradient) = likelihood.at(theta);
        assert!((likelihood.log(theta) - log).abs() < 1e-6);
        (log, gradient)
    }

    /// The likelihood by its definition: over all orders, with chances of values.
    fn naive(&self, shape: &ModelShape, theta: &[f64]) -> f64 {
        let (shared, tables) = shape.tables(theta);
        let classes = shared.len();
        let people =
            crate::people::People::possible(&self.evidence, &mut SecretCoins::from_test_seed(1));
        let levels = people.levels(shape);
        let chance = |row: usize, value: u32| {
            let score = |class: usize| {
                let own = tables
                    .iter()
                    .zip(&levels)
                    .map(|(table, levels)| table[levels[row] as usize * classes + class]);
                (shared[class] + own.sum::<f64>()).exp()
            };
            let class = shape.classes.of_value[value as usize] as usize;
            let all: f64 = (0..classes).map(score).sum();
            shape.classes.share[value as usize] * score(class) / all
        };
        let mut log = 0.0;
        for group in 0..self.evidence.groups() {
            let rows: Vec<usize> = self.evidence.rows_of(group).collect();
            let values = &self.evidence.values()[self.evidence.rows_of(group)];
            log += permanent(rows.len(), &|i, j| chance(rows[i], values[j])).ln();
        }
        log
    }

    fn shape(&self) -> ModelShape {
        ModelShape::new(&self.evidence, &self.meaning)
    }
}

/// The sum over all orders of the products.
fn permanent(m: usize, weight: &dyn Fn(usize, usize) -> f64) -> f64 {
    fn visit(i: usize, m: usize, taken: u32, weight: &dyn Fn(usize, usize) -> f64) -> f64 {
        if i == m {
            return 1.0;
        }
        (0..m)
            .filter(|j| taken >> j & 1 == 0)
            .map(|j| weight(i, j) * visit(i + 1, m, taken | 1 << j, weight))
            .sum()
    }
    visit(0, m, 0, weight)
}

fn random(width: usize, seed: u64) -> Vec<f64> {
    let mut coins = SecretCoins::from_test_seed(seed);
    (0..width).map(|_| 3.0 * uniform(&mut coins) - 1.5).collect()
}

/// The naive sum over all orders gives the same result, with few values and with more than there are
/// classes.
#[test]
fn values_are_those_of_all_orders() {
    // Runs of equal sizes, several of which are summed at once.
    let sizes: Vec<usize> =
        [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 3, 3, 2, 5].into_iter().flat_map(|m| [m; 20]).collect();
    for values in [VALUES, 90] {
        let case = Case::new(&sizes, values);
        let shape = case.shape();
        let [one, other] = [1, 2].map(|seed| random(shape.width(), seed));
        // The shares of values in their classes add the same amount to both.
        let found = case.at(&shape, &one).0 - case.at(&shape, &other).0;
        let expected = case.naive(&shape, &one) - case.naive(&shape, &other);
        assert!((found - expected).abs() < 1e-8, "{values}: {found} {expected}");
        assert!(found.abs() > 0.1, "{values}: nothing was compared");
    }
}

#[test]
fn gradients_are_those_of_small_steps() {
    let small: &[usize] = &[1, 2, 3, 4, 5, 3, 2];
    let large: &[usize] = &[11, 12, 3, 11];
    for (number, sizes) in [small, large].into_iter().enumerate() {
        let case = Case::new(sizes, VALUES);
        let shape = case.shape();
        let theta = random(shape.width(), 5);
        let (_, gradient) = case.at(&shape, &theta);
        const STEP: f64 = 1e-4;
        for at in (0..shape.width()).step_by(3) {
            let beside = |by: f64| {
                let mut theta = theta.clone();
                theta[at] += by;
                case.at(&shape, &theta).0
            };
            let expected = (beside(STEP) - beside(-STEP)) / (2.0 * STEP);
            let off = (gradient[at] - expected).abs();
            assert!(off < 1e-4, "{number} {at}: {} {expected}", gradient[at]);
        }
        assert!(gradient.iter().any(|own| own.abs() > 0.1), "{number}");
    }
}

/// The change in the likelihood for hidden rows equals the change of the full likelihood.
#[test]
fn a_group_of_which_members_change_has_the_same_sum() {
    for size in [4, 12] {
        let case = Case::new(&[size], VALUES);
        let shape = case.shape();
        let theta = random(shape.width(), 8);
        let scores = Scores::new(&shape, &theta);
        let row_classes = shape.row_classes(&case.evidence);
        let people =
            crate::people::People::possible(&case.evidence, &mut SecretCoins::from_test_seed(1));
        let levels = people.levels(&shape);
        let of = |member: usize| levels.iter().map(move |own| own[member]);
        let mut group = ChangingGroup::new(&scores);
        group.enter(&row_classes, of);
        for changing in [vec![2], vec![3, 1]] {
            group.choose(&changing);
            let before = group.log();
            // They exchange all their known codes, or get those of the first member.
            let other = |at: usize| changing.get(1 - at).copied().unwrap_or(0);
            for (at, &member) in changing.iter().enumerate() {
                group.see(of(other(at)), member);
            }
            let gain = group.log() - before;
            let mut changed = levels.clone();
            for (own, levels) in changed.iter_mut().zip(&levels) {
                for (at, &member) in changing.iter().enumerate() {
                    own[member] = levels[other(at)];
                }
            }
            let log = |levels: &KnownLevels| {
                let mut space = GroupMemory::default();
                space.look(&scores, levels, 0..size);
                space.weigh_seen(&row_classes, shape.classes.len());
                space.sum_orders(size) - space.sums.iter().map(|sum| sum.ln()).sum::<f64>()
            };
            let expected = log(&changed) - log(&levels);
            // The factors of large groups keep their earlier values.
            let error = if size > 10 { 0.1 } else { 1e-9 };
            assert!((gain - expected).abs() < error, "{size} {changing:?}: {gain} {expected}");
            for &member in &changing {
                group.see(of(member), member);
            }
        }
    }
}
