use super::*;
use crate::worlds::Analysis;
use crate::worlds::tests::{below, evidence, meaning};
use openveil_core::coins::SecretCoins;
use openveil_core::release::Cells;
use openveil_core::table::{Column, Domain, Secret, View};

#[test]
fn errors_are_those_of_orders_fits_and_bias() {
    // Too high by two on average, with a spread of 1.
    let worlds: Vec<(f64, f64)> = [11.0, 12.0, 13.0].map(|found| (found, 10.0)).to_vec();
    let of = |parts: &[f64], trust| Figure::new(20.0, &worlds, parts, 2.0, 0.0, trust);
    // The jackknife of 19, 20, 21, 20: 3/4 of the sum of squares.
    let figure = of(&[19.0, 20.0, 21.0, 20.0], Trust::CODES);
    assert_eq!((figure.estimate, figure.method), (20.0, Method::Worlds));
    let error = (4.0 + 1.5 + 4.0f64).sqrt();
    assert!((figure.error - error).abs() < 1e-9);
    assert!((figure.interval[1] - 20.0 - 3.182 * error).abs() < 1e-9);
    // Where codes are drawn, bias is subtracted, and doubted twice.
    let cells = of(&[], Trust::CELLS);
    assert_eq!(cells.estimate, 18.0);
    assert!((cells.error - 20.0f64.sqrt()).abs() < 1e-9);
    // A greater spread in worlds than in the fit counts.
    let narrow = Figure::new(20.0, &worlds, &[], 0.1, 0.0, Trust::CODES);
    assert!((narrow.error - 5.0f64.sqrt()).abs() < 1e-9);
    let without = Figure::new(20.0, &worlds[..1], &[], 2.0, 0.0, Trust::CODES);
    assert_eq!((without.estimate, without.method), (20.0, Method::Fit));
    assert!((without.interval[0] - 16.08).abs() < 1e-9);
    let within = figure.within(19.0, 21.0);
    assert_eq!((within.estimate, within.interval), (20.0, [19.0, 21.0]));
}

#[test]
fn means_and_quantiles_are_those_of_counts() {
    let cells = |counts: &[f64]| -> Vec<CountedRows> {
        (1..)
            .map(f64::from)
            .zip(counts)
            .map(|(number, &count)| CountedRows { number, count, variance: 0.0 })
            .collect()
    };
    assert_eq!(mean(&cells(&[1.0, 2.0, 1.0])), Some((2.0, 0.0)));
    assert_eq!(mean(&cells(&[0.0, 0.0])), None);
    for (share, expected) in [(0.0, 2.0), (0.25, 2.0), (0.5, 3.0), (0.75, 3.0), (1.0, 4.0)] {
        let found = quantile(&cells(&[0.0, 1.0, 2.0, 1.0, 0.0]), share);
        assert_eq!(found, Some((expected, 0.0)), "{share}");
    }
    assert_eq!(quantile(&[], 0.5), None);
}

/// For columns in intact rows, means and quantiles of one by the other equal those of the rows,
/// whichever comes first. Missing numbers do not count.
#[test]
fn figures_of_rows_are_exact() {
    let coins = &mut SecretCoins::from_test_seed(51);
    const ROWS: usize = 60;
    let mut codes =
        |codes: usize| -> Vec<u32> { (0..ROWS).map(|_| below(coins, codes) as u32).collect() };
    let (age, town) = (codes(5), codes(3));
    let groups: Vec<Vec<u32>> = (0..ROWS / 2).map(|_| vec![0, 1]).collect();
    let known = [
        Column::new("age", age.clone(), Domain::integers(20..25)),
        Column::new("town", town.clone(), Domain::unordered(["a", "b", "c"])),
    ];
    let secret = Secret::new("ill", vec![0; ROWS], ["u", "v"]);
    let meaning = meaning(&View::new(known.to_vec(), secret).expect("columns of one length"));
    let cells = vec![Cells::Exact(age.clone()), Cells::Exact(town.clone())];
    let analysis = Analysis::new(evidence(&groups, cells), meaning, None, 1);
    let analysis = analysis.expect("no world is published");
    let of_age = [10.0, 20.0, f64::NAN, 40.0, 50.0];
    for first in [0, 1] {
        let sizes = [5, 3];
        let columns = [first, 1 - first];
        let ask = Ask {
            known: columns.map(|c| (c, (0..sizes[c] as u32).map(Some).collect())).to_vec(),
            parts: columns.map(|c| sizes[c] as u32).to_vec(),
            secret: vec![Some(0); 2],
            secret_parts: 1,
        };
        let place = |cell: usize| [cell / sizes[1 - first], cell % sizes[1 - first]];
        let code = |cell: usize, column: usize| place(cell)[usize::from(column != first)];
        let lists: Vec<Vec<usize>> = (0..3)
            .map(|town| (0..15).rev().filter(|&cell| code(cell, 1) == town).collect())
            .collect();
        let numbers: Vec<f64> = (0..15).map(|cell| of_age[code(cell, 0)]).collect();
        let numbers = CellNumbers { numbers, weights: vec![1.0; 15] };
        let of = |statistic| analysis.statistics(&ask, &lists, &numbers, statistic);
        let (means, medians) = (of(Statistic::Mean), of(Statistic::Quantile(0.5)));
        for own in 0..3 {
            let mut there: Vec<f64> = (0..ROWS)
                .filter(|&row| town[row] == own as u32)
                .map(|row| of_age[age[row] as usize])
                .collect();
            there.retain(|number| !number.is_nan());
            there.sort_by(f64::total_cmp);
            let mean = there.iter().sum::<f64>() / there.len() as f64;
            let found = means[own].expect("people");
            assert_eq!(found.method, Method::Exact);
            assert!((found.estimate - mean).abs() < 1e-9, "{first} {own}");
            let median = there[there.len().div_ceil(2) - 1];
            assert_eq!(medians[own], Some(Figure::exact(median)), "{first} {own}");
        }
    }
}
