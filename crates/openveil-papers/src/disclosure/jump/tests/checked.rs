//! Checks the conclusions by the model checker, which does not use classes, disclosure sets or
//! plans.

use super::*;
use crate::verify::{Scenario, verify};
use openveil_core::Error;
use openveil_core::coins::Coins;
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::table::View;

/// Publishes by a plan that coins choose. Silence is one group of everybody: it shows what a reader
/// who knows the multiset has anyway.
fn check(functions: &Functions, values: &[u32], counts: &[u32], plans: &[JumpPlan]) {
    let space = ContingencyTables::new(functions, counts, LIMIT).unwrap();
    let reader = PlanReader::new(&space, &half(), plans).unwrap();
    let publish = |table: &View, _: &Model, coins: &mut dyn Coins| -> Result<Groups, Error> {
        let choice = coins.below(plans.len() as u32) as usize;
        let class = space.class_of(table.secret().codes())?;
        Ok(match reader.evaluations()[choice].released_function(class) {
            Some(function) => functions.partitions()[function].clone(),
            None => Groups::from_labels(&vec![0; values.len()], 1),
        })
    };
    let model = RatioDiversity::new(2).unwrap();
    let scenario = Scenario::of_values(values.iter().copied(), model).unwrap();
    let found = verify(&publish, &scenario).unwrap();

    let releases = reader.releases(&half());
    let silence = reader.conclusion(Output::Nothing);
    let silent = u64::from(silence.tables() > 0);
    let unsafe_silence = u64::from(!silence.satisfies(&half()));
    assert_eq!(u128::from(found.tables), space.tables());
    assert_eq!(found.releases, releases.outputs + silent);
    assert_eq!(found.unsafe_releases, releases.unsafe_outputs + unsafe_silence);
    let highest = releases.highest_posterior.max(silence.highest_posterior());
    assert_eq!(found.max_posterior, highest);
}

#[test]
fn single_plans_and_secret_choices_are_judged_alike() {
    let functions = functions(
        6,
        &[&[&[2, 5], &[1, 3], &[0, 4]], &[&[4, 5], &[2, 3], &[0, 1]], &[&[2, 3], &[0, 1, 4, 5]]],
    );
    let (values, counts) = ([1, 1, 2, 2, 3, 4], [2, 2, 1, 1]);
    let again = |strategy| JumpPlan::new(vec![2, 0, 1, 0], strategy).unwrap();
    let mut plans = vec![
        plan(&functions, Strategy::Naive),
        plan(&functions, Strategy::Safe),
        jump(&functions, &[1, 2, 1]),
        again(Strategy::Naive),
        again(Strategy::Safe),
        again(Strategy::Jump(vec![1; 4])),
    ];
    for plan in &plans {
        check(&functions, &values, &counts, std::slice::from_ref(plan));
    }
    check(&functions, &values, &counts, &plans);
    plans = JumpPlan::naive_subsets(&[0, 1, 2], 7).unwrap();
    check(&functions, &values, &counts, &plans);
}
