use super::*;
use crate::bounds::tests::orders;
use crate::fit::Fit;
use crate::worlds::tests::{below, evidence};
use openveil_core::coins::SecretCoins;
use openveil_core::release::Cells;
use openveil_core::table::{Column, Domain, Secret};

/// If all orders are equally likely, and any rows may be fillers, means and variances equal those
/// over all orders and fillers.
#[test]
fn counts_and_variances_are_those_of_all_orders() {
    let coins = &mut SecretCoins::from_test_seed(31);
    for round in 0..40 {
        let group: Vec<u32> = (0..2 + below(coins, 4)).map(|_| below(coins, 4) as u32).collect();
        let m = group.len();
        let codes: Vec<u32> = (0..m).map(|_| below(coins, 2) as u32).collect();
        let people = 1 + below(coins, m);
        let own = evidence(&[group], vec![Cells::Exact(codes.clone())]);
        let own = own.with_weights(vec![people as f64 / m as f64]);
        let meaning = crate::evidence::Meaning::new(
            &[Column::new("sex", Vec::new(), Domain::unordered(["f", "m"]))],
            &Secret::new("ill", Vec::new(), ["a", "b", "c", "d"]),
        );
        // With only one group the fit cannot learn anything, so chances follow the counts.
        let mut fit = Fit::new(&own, &meaning, coins);
        fit.theta.iter_mut().for_each(|own| *own = 0.0);
        let posterior = fit.posteriors(&own).swap_remove(0);
        let part = |parts: usize, coins: &mut SecretCoins| {
            (below(coins, 5) > 0).then(|| below(coins, parts) as u32)
        };
        let ask = Ask {
            known: vec![(0, vec![part(2, coins), part(2, coins)])],
            parts: vec![2],
            secret: (0..4).map(|_| part(2, coins)).collect(),
            secret_parts: 2,
        };
        let found = ask.of_beliefs(&fit.people()[0], &posterior, &own);
        let (mut sums, mut squares, mut worlds) = ([0.0; 4], [0.0; 4], 0.0);
        for values in orders(own.values()) {
            for chosen in (0u32..1 << m).filter(|chosen| chosen.count_ones() as usize == people) {
                let mut counts = [0.0; 4];
                for row in (0..m).filter(|row| chosen >> row & 1 == 1) {
                    let at = ask.known[0].1[codes[row] as usize];
                    if let (Some(at), Some(part)) = (at, ask.secret[values[row] as usize]) {
                        counts[(2 * at + part) as usize] += 1.0;
                    }
                }
                worlds += 1.0;
                for cell in 0..4 {
                    sums[cell] += counts[cell];
                    squares[cell] += counts[cell] * counts[cell];
                }
            }
        }
        for cell in 0..4 {
            let mean = sums[cell] / worlds;
            let variance = squares[cell] / worlds - mean * mean;
            assert!((found.counts[cell] - mean).abs() < 1e-5, "{round} {cell}");
            let off = (found.variances[cell] - variance).abs();
            assert!(off < 1e-5, "{round} {cell}: {} {variance}", found.variances[cell]);
        }
    }
}

/// One of two members certainly has the value: the number of members with it does not vary, though
/// who has it does.
#[test]
fn a_value_that_members_share_does_not_vary() {
    let shared: &[f32] = &[0.5, 0.5, 0.0, 0.0];
    let members = [(0, shared), (0, shared)];
    let mut seen = MembersByPart::default();
    let secret = [Some(0), None, None, None];
    seen.look(&secret, &[0, 1, 2, 3], &[1.0; 4], &members);
    assert_eq!(seen.parts[0].expected, 1.0);
    assert_eq!(seen.parts[0].variance(2.0, 4.0), 0.0);
    seen.look(&secret, &[0, 1, 2, 3], &[1.0; 4], &members[..1]);
    assert_eq!(seen.parts[0].variance(1.0, 4.0), 0.25);
}
