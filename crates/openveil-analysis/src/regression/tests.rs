use super::*;
use crate::worlds::tests::{evidence, meaning, view as people};
use openveil_core::release::Cells;
use openveil_core::table::{Column, Domain, Secret, View};

/// A table with all values known: each group has one row.
fn known(view: &View) -> Analysis {
    let groups: Vec<Vec<u32>> = view.secret().codes().iter().map(|&code| vec![code]).collect();
    let cells = view.known().iter().map(|column| Cells::Exact(column.codes().to_vec()));
    let evidence = evidence(&groups, cells.collect());
    Analysis::new(evidence, meaning(view), None, 1).expect("no world is published")
}

/// Ages, sexes, and an income associated with both.
fn incomes() -> View {
    let view = people(400, 61);
    let (age, sex) = (view.known()[0].codes(), view.known()[1].codes());
    let noise = view.secret().codes();
    let income = (0..400).map(|row| age[row] / 2 + 3 * sex[row] + 2 * noise[row]);
    let secret = Column::new("income", income.collect(), Domain::integers(100..140));
    View::new(view.known().to_vec(), Secret::from_column(&secret)).expect("columns of one length")
}

/// The rows of the matrix of `1 + age + sex=m + town=b + town=c`.
fn design(view: &View) -> Vec<Vec<f64>> {
    let codes = |column: usize, row: usize| view.known()[column].codes()[row];
    let row = |row: usize| {
        let is = |own: bool| f64::from(u8::from(own));
        vec![
            1.0,
            20.0 + f64::from(codes(0, row)),
            is(codes(1, row) == 1),
            is(codes(2, row) == 1),
            is(codes(2, row) == 2),
        ]
    };
    (0..view.rows()).map(row).collect()
}

/// The inverse, by Gauss–Jordan elimination.
fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut all: Vec<Vec<f64>> = (0..size)
        .map(|row| {
            let mut own = matrix[row].clone();
            own.extend((0..size).map(|at| f64::from(u8::from(at == row))));
            own
        })
        .collect();
    for at in 0..size {
        let best = (at..size).max_by(|&a, &b| all[a][at].abs().total_cmp(&all[b][at].abs()));
        all.swap(at, best.expect("rows are left"));
        let pivot = all[at].clone();
        for (row, own) in all.iter_mut().enumerate() {
            let factor = if row == at { 1.0 - 1.0 / pivot[at] } else { own[at] / pivot[at] };
            own.iter_mut().zip(&pivot).for_each(|(own, pivot)| *own -= factor * pivot);
        }
    }
    all.into_iter().map(|row| row[size..].to_vec()).collect()
}

#[test]
fn least_squares_of_a_known_table_are_plain_ones() {
    let view = incomes();
    let analysis = known(&view);
    let found = analysis.regression(
        ResponseKind::Linear,
        &[vec![0], vec![1], vec![2]],
        &analysis.references(""),
    );
    let RegressionFit { coefficients: found, covariance, levels } =
        found.expect("fewer coefficients than groups");
    let rows = design(&view);
    let y: Vec<f64> = view.secret().codes().iter().map(|&code| 100.0 + f64::from(code)).collect();
    let products = |a: usize, b: usize| rows.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let matrix: Vec<Vec<f64>> = (0..5).map(|a| (0..5).map(|b| products(a, b)).collect()).collect();
    let inverse = inverse(&matrix);
    let right: Vec<f64> =
        (0..5).map(|a| rows.iter().zip(&y).map(|(row, y)| row[a] * y).sum()).collect();
    let beta: Vec<f64> =
        inverse.iter().map(|row| row.iter().zip(&right).map(|(a, b)| a * b).sum()).collect();
    let residual = |(row, y): (&Vec<f64>, &f64)| {
        let fitted: f64 = row.iter().zip(&beta).map(|(x, b)| x * b).sum();
        (y - fitted).powi(2)
    };
    let variance = rows.iter().zip(&y).map(residual).sum::<f64>() / (400.0 - 5.0);
    assert_eq!(found.len(), 5);
    for (at, own) in found.iter().enumerate() {
        let error = (variance * inverse[at][at]).sqrt();
        assert!((own.figure.estimate - beta[at]).abs() < 1e-4, "{at}: {own:?} {}", beta[at]);
        assert!((own.figure.error / error - 1.0).abs() < 1e-3, "{at}: {own:?} {error}");
        assert!((own.figure.interval[1] - own.figure.estimate - 1.96 * error).abs() < 1e-3);
    }
    assert_eq!(levels.first(), Some(&(1, vec![0, 1])));
    for (entry, inverse) in covariance.iter().zip(inverse.iter().flatten()) {
        assert!((entry - variance * inverse).abs() < 1e-3 * variance * inverse.abs() + 1e-9);
    }
    assert_eq!(found[2].of, [(1, Some(1))]);
    assert_eq!(found[1].of, [(0, None)]);
}

/// At the coefficients of a logit, residuals are orthogonal to columns except for the penalty, and
/// errors are those of the inverse information.
#[test]
fn a_logit_of_a_known_table_is_a_plain_one() {
    let view = people(500, 62);
    let analysis = known(&view);
    let found = analysis.regression(
        ResponseKind::Logit,
        &[vec![0], vec![1], vec![2]],
        &analysis.references(""),
    );
    let found = found.expect("fewer coefficients than groups").coefficients;
    let rows = design(&view);
    let beta = |value: usize, at: usize| match value {
        0 => 0.0,
        _ => found[(value - 1) * 5 + at].figure.estimate,
    };
    let chances = |row: &Vec<f64>| -> Vec<f64> {
        let score = |value| row.iter().enumerate().map(|(at, x)| x * beta(value, at)).sum::<f64>();
        let scores: Vec<f64> = (0..6).map(|value| score(value).exp()).collect();
        let all: f64 = scores.iter().sum();
        scores.iter().map(|score| score / all).collect()
    };
    let all: Vec<Vec<f64>> = rows.iter().map(chances).collect();
    let truth = view.secret().codes();
    for value in 1..6 {
        for at in 0..5 {
            let gradient = (0..500)
                .map(|row| {
                    let own = f64::from(u8::from(truth[row] as usize == value));
                    (all[row][value] - own) * rows[row][at]
                })
                .sum::<f64>()
                + 0.01 * beta(value, at);
            assert!(gradient.abs() < 1.0, "{value} {at}: {gradient}");
            let own = &found[(value - 1) * 5 + at];
            assert_eq!(own.value, Some(value as u32));
        }
    }
    let information = |a: usize, b: usize| {
        let (v, i, w, j) = (a / 5 + 1, a % 5, b / 5 + 1, b % 5);
        (0..500)
            .map(|row| {
                let same = if v == w { all[row][v] } else { 0.0 };
                rows[row][i] * rows[row][j] * (same - all[row][v] * all[row][w])
            })
            .sum::<f64>()
            + if a == b { 0.01 } else { 0.0 }
    };
    let matrix: Vec<Vec<f64>> =
        (0..25).map(|a| (0..25).map(|b| information(a, b)).collect()).collect();
    let inverse = inverse(&matrix);
    for (at, own) in found.iter().enumerate() {
        let ratio = own.figure.error / inverse[at][at].sqrt();
        assert!((ratio - 1.0).abs() < 0.01, "{at}: {ratio}");
    }
}

#[test]
fn pairs_multiply_and_what_cannot_be_told_is_refused() {
    let view = incomes();
    let analysis = known(&view);
    let pair = analysis.regression(
        ResponseKind::Linear,
        &[vec![0], vec![1], vec![0, 1]],
        &analysis.references(""),
    );
    let pair = pair.expect("a slope for each sex").coefficients;
    assert_eq!(pair[3].of, [(0, None), (1, Some(1))]);
    // A column that duplicates another one.
    let sex = &view.known()[1];
    let both = View::new(
        vec![sex.clone(), Column::new("again", sex.codes().to_vec(), sex.domain().clone())],
        view.secret().clone(),
    );
    let both = known(&both.expect("columns of one length"));
    let twice = both.regression(ResponseKind::Linear, &[vec![0], vec![1]], &both.references(""));
    assert_eq!(twice, Err(RegressionError::Singular));
    let few_people = people(4, 1);
    let few = known(&few_people);
    let few =
        few.regression(ResponseKind::Logit, &[vec![1], vec![2], vec![1, 2]], &few.references(""));
    assert!(matches!(few, Err(RegressionError::TooFewGroups { groups: 4, .. })));
    let small = people(20, 1);
    let texts = known(&small);
    let texts = texts.regression(ResponseKind::Linear, &[vec![2]], &texts.references(""));
    assert_eq!(texts, Err(RegressionError::NoNumber));
}
