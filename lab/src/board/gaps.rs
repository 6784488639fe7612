//! What a reader who tells the people of a group apart concludes from `halving` beyond the groups'
//! values: the gap of [`openveil_papers::verify::exchange`], for tables too large to enumerate.

use super::{Board, BoardCell, BoardRows, CellFormat, Setup};
use crate::alias::Alias;
use crate::keeps::SEED;
use openveil_core::algorithm::{Algorithm, Halving, Settings};
use openveil_core::coins::SecretCoins;
use openveil_core::model::{Model, l_diversity};
use openveil_core::table::{Column, Domain, Groups, Secret, View};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub(super) const GAPS: Board = Board {
    name: "gaps",
    columns: &[
        ("ratio", CellFormat::Text),
        ("people", CellFormat::Whole),
        ("groups", CellFormat::Digits(1)),
        ("under a refusal", CellFormat::Digits(2)),
        ("mean gap", CellFormat::Digits(3)),
        ("of drawing", CellFormat::Digits(3)),
        ("99th percentile", CellFormat::Digits(3)),
        ("gain in hits", CellFormat::Digits(4)),
    ],
    measure,
};

/// By how much one value is likelier than another for the oldest than for the youngest.
const ODDS: f64 = 1.5;

/// The tables of a row.
const TABLES: u64 = 20;

/// The number of worlds that must lead to the release …
const ENOUGH: usize = 5_000;

/// … or the number that is drawn at most.
const MOST: usize = 20_000;

/// The frequencies of values for a ratio: with some room for cuts, as real tables have.
const SHARES: [(u32, &[f64]); 3] = [
    (2, &[0.45, 0.3, 0.25]),
    (3, &[0.3, 0.25, 0.2, 0.15, 0.1]),
    (4, &[0.22, 0.2, 0.18, 0.15, 0.13, 0.12]),
];

const AGES: u32 = 40;

fn measure(_setup: &Setup) -> BoardRows {
    let mut rows = Vec::new();
    for (ratio, shares) in SHARES {
        let model = l_diversity(ratio)?;
        for people in [60, 100, 200] {
            let mut gaps = Gaps::default();
            for seed in SEED..SEED + TABLES {
                gaps.add(&Reader::new(people, shares, seed), &model, seed)?;
            }
            rows.push(vec![
                BoardCell::Text(ratio.to_string()),
                (people as f64).into(),
                (gaps.groups as f64 / TABLES as f64).into(),
                (gaps.refused as f64 / (people as f64 * TABLES as f64)).into(),
                mean(&gaps.of_people).into(),
                mean(&gaps.of_drawing).into(),
                gaps.high().into(),
                (gaps.gain / gaps.of_people.len() as f64).into(),
            ]);
        }
    }
    Ok(Some(rows))
}

/// A table, drawn from a reader's belief.
struct Reader {
    ages: Vec<u32>,
    view: View,
    /// The log-odds of each value per year.
    slopes: Vec<f64>,
}

impl Reader {
    /// A table of people with an age and a sex. Every other table shows a direction of the first
    /// value, the others one of all values in their order.
    fn new(people: usize, shares: &[f64], seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let values = shares.len();
        let slope = ODDS.ln() / f64::from(AGES - 1);
        let slopes: Vec<f64> = (0..values)
            .map(|value| match seed % 2 {
                0 => slope * f64::from(u8::from(value == 0)),
                _ => slope * value as f64 / (values - 1) as f64,
            })
            .collect();
        let ages: Vec<u32> = (0..people).map(|_| random.random_range(0..AGES)).collect();
        let sexes: Vec<u32> = (0..people).map(|_| random.random_range(0..2)).collect();
        let middle = f64::from(AGES - 1) / 2.0;
        let draw = |&age: &u32| {
            let of =
                |(share, slope): (&f64, &f64)| share * (slope * (f64::from(age) - middle)).exp();
            let chances: Vec<f64> = shares.iter().zip(&slopes).map(of).collect();
            Alias::new(&chances).draw(&mut random)
        };
        let secrets: Vec<u32> = ages.iter().map(draw).collect();
        let known = vec![
            Column::new("age", ages.clone(), Domain::integers(0..i64::from(AGES))),
            Column::new("sex", sexes, Domain::unordered(["f", "m"])),
        ];
        let labels = (0..values).map(|value| value.to_string());
        let secret = Secret::new("secret", secrets, labels);
        let view = View::new(known, secret).expect("the columns are of the same people");
        Self { ages, view, slopes }
    }

    /// Exchanges values inside groups so often that the result is a new table from the belief, given
    /// the groups' values.
    fn exchange(&self, groups: &Groups, codes: &mut [u32], random: &mut StdRng) {
        for group in groups.iter() {
            for _ in 0..6 * group.len() {
                let [a, b] = [0, 1].map(|_| group[random.random_range(0..group.len())] as usize);
                let years = f64::from(self.ages[a]) - f64::from(self.ages[b]);
                let rise = self.slopes[codes[b] as usize] - self.slopes[codes[a] as usize];
                if random.random::<f64>() < (years * rise).exp() {
                    codes.swap(a, b);
                }
            }
        }
    }
}

/// The figures of several tables.
#[derive(Default)]
struct Gaps {
    groups: usize,
    refused: u64,
    /// The greatest gap over a person's values.
    of_people: Vec<f64>,
    /// The gap that drawing worlds makes by itself: half of the gap between their halves.
    of_drawing: Vec<f64>,
    gain: f64,
}

impl Gaps {
    /// Compares worlds that the groups' values allow with those of them that lead to the same groups
    /// with the same coins: the reader even knows these.
    fn add(
        &mut self,
        reader: &Reader,
        model: &Model,
        seed: u64,
    ) -> Result<(), openveil_core::Error> {
        let published = |view: &View| {
            let mut coins = SecretCoins::from_test_seed(seed);
            let groups = Halving.partition_with(view, model, &Settings::default(), &mut coins);
            groups.map(|groups| groups.sorted())
        };
        let (people, values) = (reader.view.rows(), reader.slopes.len());
        let Ok(groups) = published(&reader.view) else {
            return Ok(()); // The table itself breaks the model, so there is no release.
        };
        self.groups += groups.len();
        self.refused += people as u64 - u64::from(groups.unrefused());
        let mut random = StdRng::seed_from_u64(seed);
        let mut codes = reader.view.secret().codes().to_vec();
        // All worlds; those that lead to the release, in two halves.
        let mut counts = [(); 3].map(|()| vec![0.0; people * values]);
        let mut worlds = [0; 3];
        while worlds[0] < MOST && worlds[1] + worlds[2] < ENOUGH {
            reader.exchange(&groups, &mut codes, &mut random);
            let is_same = published(&reader.view.with_secret_codes(codes.clone())?)
                .is_ok_and(|own| own == groups);
            let half = is_same.then_some(1 + worlds[0] % 2);
            for of in [Some(0), half].into_iter().flatten() {
                worlds[of] += 1;
                for (row, &code) in codes.iter().enumerate() {
                    counts[of][row * values + code as usize] += 1.0;
                }
            }
        }
        let share = |of: usize, at: usize| counts[of][at] / f64::from(worlds[of].max(1) as u32);
        let both = |at: usize| (counts[1][at] + counts[2][at]) / (worlds[1] + worlds[2]) as f64;
        let best = |of: usize, row: usize| {
            let own = row * values..(row + 1) * values;
            own.max_by(|&a, &b| share(of, a).total_cmp(&share(of, b))).expect("a value")
        };
        for row in 0..people {
            let own = row * values..(row + 1) * values;
            let greatest = |gap: &dyn Fn(usize) -> f64| {
                own.clone().map(|at| gap(at).abs()).fold(0.0, f64::max)
            };
            self.of_people.push(greatest(&|at| both(at) - share(0, at)));
            let halves = greatest(&|at| share(1, at) - share(2, at));
            self.of_drawing.push(halves / 2.0);
            // Chosen in one half of the worlds, and tried in the other.
            self.gain += share(2, best(1, row)) - share(2, best(0, row));
        }
        Ok(())
    }

    fn high(&self) -> f64 {
        let mut sorted = self.of_people.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() * 99 / 100]
    }
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}
