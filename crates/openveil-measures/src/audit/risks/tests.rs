use super::*;
use openveil_core::coins::SecretCoins;

fn numbers(of: &[f64]) -> Feature {
    Feature::Numbers(of.to_vec())
}

fn records(features: Vec<Feature>) -> Records {
    let rows = match &features[0] {
        Feature::Numbers(numbers) => numbers.len(),
        Feature::Codes(codes) => codes.len(),
    };
    Records { features, rows }
}

/// People with numbers that are all different.
fn people(rows: usize, seed: u64) -> Records {
    let mut coins = SecretCoins::from_test_seed(seed);
    let mut column = || (0..rows).map(|_| f64::from(coins.below(1 << 30))).collect();
    let features = (0..4).map(|_| Feature::Numbers(column()));
    records(features.collect())
}

fn tables<'a>(original: &'a Records, other: &'a Records) -> ComparedTables<'a> {
    ComparedTables { original, other, control: None, attacks: original.rows }
}

/// An attacker with the original table links and infers everybody; one with another table, hardly
/// anybody.
#[test]
fn the_table_itself_gives_everybody_away() {
    let (own, stranger) = (people(300, 1), people(300, 2));
    let coins = &mut SecretCoins::from_test_seed(3);
    let parts: [&[usize]; 2] = [&[0, 1], &[2, 3]];
    let found = linkability(tables(&own, &own), parts, 1, coins);
    assert_eq!((found.successes, found.attacks[0]), (300, 300));
    assert!(linkability(tables(&own, &stranger), parts, 1, coins).successes < 20);
    let found = inference(tables(&own, &own), &[0, 1], 3, Some(0.05), coins);
    assert_eq!(found.successes, 300);
    let found = inference(tables(&own, &stranger), &[0, 1], 3, None, coins);
    assert_eq!(found.successes, 0);
    let mode = Mode::Multivariate { columns: 2, most_tried: 100_000 };
    let asked = ComparedTables { attacks: 50, ..tables(&own, &own) };
    let found = singling_out(asked, mode, coins);
    assert_eq!(found.successes, 50);
    let found = singling_out(ComparedTables { other: &stranger, ..asked }, mode, coins);
    assert!(found.successes < 40, "{}", found.successes);
}

/// Attacks on a control of similar people succeed equally often.
#[test]
fn a_control_is_attacked_as_well() {
    let (own, control, other) = (people(400, 1), people(400, 2), people(400, 3));
    let coins = &mut SecretCoins::from_test_seed(4);
    let asked = ComparedTables { control: Some(&control), ..tables(&own, &other) };
    let found = linkability(asked, [&[0], &[1]], 40, coins);
    let share = found.successes as f64 / found.control.unwrap();
    assert!((0.6..1.6).contains(&share), "{share}");
    // The result for a control of another size is corrected for its size.
    let half = people(200, 5);
    let asked = ComparedTables { control: Some(&half), attacks: 200, ..asked };
    let mode = Mode::Multivariate { columns: 2, most_tried: 100_000 };
    let found = singling_out(asked, mode, coins);
    let share = found.successes as f64 / found.control.unwrap();
    assert!((0.5..2.0).contains(&share), "{share}");
}

/// Distances by their definition, one by one.
fn distance(one: &Records, two: &Records, a: usize, b: usize) -> f64 {
    let features = one.features.iter().zip(&two.features);
    let apart = features.map(|pair| match pair {
        (Feature::Numbers(x), Feature::Numbers(y)) => {
            let all = || x.iter().chain(y).copied().filter(|number| !number.is_nan());
            let range = all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min);
            let apart = (x[a] - y[b]).abs() / if range > 0.0 { range } else { 1.0 };
            if apart.is_nan() { 1.0 } else { apart }
        }
        (Feature::Codes(x), Feature::Codes(y)) => f64::from(u8::from(x[a] != y[b])),
        _ => unreachable!("features are of one kind"),
    });
    apart.sum()
}

#[test]
fn the_nearest_are_the_nearest() {
    for seed in 0..20 {
        let coins = &mut SecretCoins::from_test_seed(seed);
        let mut table = |rows: usize| {
            let mut below = |n: u32| (0..rows).map(|_| coins.below(n)).collect::<Vec<u32>>();
            let mut holes: Vec<f64> = below(9).into_iter().map(f64::from).collect();
            holes[0] = f64::NAN;
            records(vec![
                Feature::Numbers(holes),
                Feature::Codes(below(3)),
                Feature::Codes(below(4)),
            ])
        };
        let (one, two) = (table(12), table(30));
        let queries: Vec<u32> = (0..12).collect();
        for count in [1, 5] {
            let found = nearest(&CommonScale::new(&one, &two), &queries, count, coins);
            for (query, found) in found.iter().enumerate() {
                let mut all: Vec<f64> = (0..30).map(|b| distance(&one, &two, query, b)).collect();
                let own: Vec<f64> = found.iter().map(|&b| all[b as usize]).collect();
                all.sort_by(f64::total_cmp);
                let close = own.iter().zip(&all).all(|(a, b)| (a - b).abs() < 1e-9);
                assert!(close, "{own:?} {all:?}");
            }
        }
    }
}

/// Equally near records come first equally often.
#[test]
fn ties_are_a_matter_of_coins() {
    let one = records(vec![Feature::Codes(vec![0])]);
    let two = records(vec![Feature::Codes(vec![0, 1, 0, 0])]);
    let coins = &mut SecretCoins::from_test_seed(1);
    for count in [1, 2] {
        let mut hits = [0; 4];
        for _ in 0..3_000 {
            let found = nearest(&CommonScale::new(&one, &two), &[0], count, coins);
            hits[found[0][0] as usize] += 1;
        }
        assert_eq!(hits[1], 0);
        assert!(hits.iter().all(|&hits| hits == 0 || (850..1_150).contains(&hits)), "{hits:?}");
    }
}

#[test]
fn guesses_are_right_within_the_tolerance() {
    let own =
        records(vec![numbers(&[1.0, 2.0, 3.0, 4.0]), numbers(&[100.0, -100.0, 100.0, f64::NAN])]);
    let other =
        records(vec![numbers(&[1.0, 2.0, 3.0, 4.0]), numbers(&[104.0, -200.0, 106.0, f64::NAN])]);
    let coins = &mut SecretCoins::from_test_seed(1);
    let found = inference(tables(&own, &other), &[0], 1, Some(0.05), coins);
    assert_eq!(found.successes, 2);
    assert_eq!(inference(tables(&own, &other), &[0], 1, None, coins).successes, 1);
}

#[test]
fn univariate_queries_are_extremes_and_rare_values() {
    let other = records(vec![numbers(&[1.0, 2.0, 2.0, 9.0]), Feature::Codes(vec![0, 0, 0, 7])]);
    let own = records(vec![numbers(&[0.0, 2.0, 3.0, 9.0]), Feature::Codes(vec![0, 7, 7, 1])]);
    let coins = &mut SecretCoins::from_test_seed(1);
    let asked = ComparedTables { attacks: 50, ..tables(&own, &other) };
    // The three different records of the other table give: ≤ 1, ≥ 9, = 1, = 2, = 9, = 7. In the
    // original nobody has 1, and two have 7.
    assert_eq!(singling_out(asked, Mode::Univariate, coins).successes, 4);
}
