use super::*;
use crate::evidence::Meaning;
use crate::fit::Fit;
use crate::worlds::tests::{below, meaning, recipe, view};
use openveil_core::release::{Cells, Style};
use openveil_core::table::{Column, Domain, Secret};

/// Groups of 2 to 15 rows with more values than the model has classes.
fn large() -> (Evidence, Meaning) {
    let coins = &mut SecretCoins::from_test_seed(41);
    let groups: Vec<Vec<u32>> = (0..60)
        .map(|_| (0..2 + below(coins, 14)).map(|_| below(coins, 90) as u32).collect())
        .collect();
    let rows = groups.concat().len();
    let codes = (0..rows).map(|_| below(coins, 3) as u32).collect();
    let meaning = Meaning::new(
        &[Column::new("town", Vec::new(), Domain::unordered(["a", "b", "c"]))],
        &Secret::new("ill", Vec::new(), (0..90).map(|value| format!("v{value:02}"))),
    );
    (crate::worlds::tests::evidence(&groups, vec![Cells::Exact(codes)]), meaning)
}

fn released(style: Style) -> (Evidence, Meaning) {
    let view = view(600, 2);
    let coins = &mut SecretCoins::from_test_seed(3);
    let evidence = recipe(style).publish(view.clone(), coins);
    (evidence.expect("a table that can be published"), meaning(&view))
}

/// Each row's chances add up to 1, and each value's chances add up to the number of rows that its
/// group shows.
#[test]
fn chances_add_up_by_row_and_by_value() {
    for (evidence, meaning) in [large(), released(Style::Anatomy), released(Style::Generalize)] {
        let coins = &mut SecretCoins::from_test_seed(1);
        let fit = Fit::new(&evidence, &meaning, coins);
        let posterior = fit.posteriors(&evidence).swap_remove(0);
        let mut uneven = 0;
        for group in 0..evidence.groups() {
            let own = &evidence.values()[evidence.rows_of(group)];
            let mut sums = vec![0.0; posterior.values(group).len()];
            for chances in posterior.chances(group) {
                let sum: f64 = chances.iter().map(|&chance| f64::from(chance)).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{group}: {sum}");
                sums.iter_mut().zip(chances).for_each(|(sum, own)| *sum += f64::from(*own));
                uneven += usize::from(chances.iter().any(|own| (own - chances[0]).abs() > 0.01));
            }
            for (value, sum) in posterior.values(group).iter().zip(sums) {
                let count = own.iter().filter(|own| *own == value).count() as f64;
                assert!((sum - count).abs() < 1e-3, "{group} {value}: {sum} {count}");
            }
        }
        assert!(uneven > 20);
    }
}

/// A drawn table has exactly the values and codes that its groups show.
#[test]
fn completed_tables_are_of_the_release() {
    for (evidence, meaning) in
        [large(), released(Style::Anatomy), released(Style::Slice), released(Style::Generalize)]
    {
        let coins = &mut SecretCoins::from_test_seed(1);
        let fit = Fit::new(&evidence, &meaning, coins);
        let mut drawn = Vec::new();
        for _ in 0..3 {
            let (people, values) = fit.complete(&evidence, &fit.theta, &[1.0], coins);
            for group in 0..evidence.groups() {
                let rows = evidence.rows_of(group);
                let mut own = values[rows.clone()].to_vec();
                own.sort_unstable();
                assert_eq!(own, evidence.values()[rows]);
            }
            crate::hidden::tests::assert_shown(&people, &evidence);
            drawn.push(values);
        }
        assert!(drawn[0] != drawn[1] && drawn[1] != drawn[2], "random draws");
    }
}

#[test]
fn beliefs_are_means_over_rows() {
    let posterior = RowPosterior {
        values: vec![0, 1, 1, 2],
        ends: vec![2, 4],
        starts: vec![0, 4],
        chances: vec![0.5, 0.5, 0.5, 0.5, 0.95, 0.05, 0.05, 0.95],
    };
    let beliefs = posterior.beliefs(&[true, true, false], 0.5);
    assert!((beliefs.mean - 0.725).abs() < 1e-6);
    assert_eq!((beliefs.above_bound, beliefs.nearly_certain), (0.25, 0.25));
}
