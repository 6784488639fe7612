use super::*;
use crate::utility::{Contingency, CountedPeople};
use openveil_core::model::{Model, l_diversity};
use openveil_core::release::{Style, publish};
use openveil_core::table::{Column, Domain, Groups, Secret};
use proptest::prelude::*;

/// One group per value of the only known column, so that the column shows everything that groups
/// show.
fn told_by_groups(groups: &[Vec<u32>], domain: Domain) -> (View, Groups) {
    let codes = (0u32..).zip(groups).flat_map(|(group, values)| vec![group; values.len()]);
    let column = Column::new("group", codes.collect(), Domain::integers(0..groups.len() as i64));
    let secret = Column::new("s", groups.concat(), domain);
    let view = View::new(vec![column], Secret::from_column(&secret)).unwrap();
    let mut row = 0..;
    let rows =
        groups.iter().map(|values| row.by_ref().take(values.len()).collect::<Vec<u32>>()).collect();
    (view, rows)
}

/// φ² by Cramér's V, and η², of the release of some groups.
fn found(view: &View, groups: &Groups) -> (f64, f64) {
    let (release, _) = publish(view, groups, Style::Generalize);
    let table = Contingency::new(CountedPeople::Release(view, &release), &[0], 1 << 16, 1 << 16);
    let present = |margin: Vec<f64>| margin.into_iter().filter(|&count| count > 0.0).count();
    let degrees = present(table.margin()).min(present(table.value_margin())).saturating_sub(1);
    let eta = numbers(view).map_or(0.0, |numbers| table.correlation_ratio(&numbers));
    (table.cramers_v().powi(2) * degrees as f64, eta.powi(2))
}

fn groups() -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(0u32..5, 1..8), 1..7)
}

const MODELS: [&str; 7] = [
    r#"{"model": "l-diversity", "l": 2}"#,
    r#"{"model": "l-diversity", "variant": "entropy", "l": 2}"#,
    r#"{"model": "t-closeness", "t": 0.3, "distance": "equal"}"#,
    r#"{"model": "t-closeness", "t": 0.2, "distance": "ordered"}"#,
    r#"{"model": "beta-likeness", "beta": 0.5}"#,
    r#"{"model": "delta-disclosure", "delta": 0.7}"#,
    r#"{"model": "k-anonymity", "k": 2}"#,
];

fn model(text: &str) -> Model {
    let parameters: openveil_core::model::Parameters = serde_json::from_str(text).unwrap();
    parameters.requirement().unwrap().into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    /// Links are within the model's bound, whatever groups satisfy it.
    #[test]
    fn no_grouping_beats_its_models_bound(groups in groups(), ordered: bool) {
        let labels = ["a", "b", "c", "d", "e"];
        let domain = if ordered { Domain::ordered(labels) } else { Domain::unordered(labels) };
        let (view, rows) = told_by_groups(&groups, domain);
        for text in MODELS {
            let criteria = model(text).bind(&view).unwrap();
            let mut buffer = openveil_core::model::CountBuffer::default();
            let satisfied = groups.iter().all(|values| {
                let mut counts = [0u32; 5];
                values.iter().for_each(|&value| counts[value as usize] += 1);
                criteria.hold_on_group(&buffer.of_dense(&counts))
            });
            if satisfied {
                let best = BestLinks::of_model(&view, &criteria);
                let (phi, eta) = found(&view, &rows);
                prop_assert!(phi <= best.phi_squared + 1e-9, "{} {} {}", text, phi, best.phi_squared);
                prop_assert!(eta <= best.eta_squared + 1e-9, "{} {} {}", text, eta, best.eta_squared);
            }
        }
    }
}

#[test]
fn two_values_in_halves_keep_nothing() {
    let (view, _) = told_by_groups(&[vec![0, 1], vec![0, 1]], Domain::unordered(["a", "b"]));
    let criteria = l_diversity(2).unwrap().bind(&view).unwrap();
    let best = BestLinks::of_model(&view, &criteria);
    // No share above 1/2, two values: 2 · 1/2 − 1.
    assert_eq!(best.strength(StrengthMeasure::CramersV, 2), 0.0);
}

#[test]
fn four_values_keep_what_groups_can_show() {
    let groups = [vec![0, 2], vec![1, 3]];
    let (view, rows) = told_by_groups(&groups, Domain::unordered(["a", "b", "c", "d"]));
    let criteria = l_diversity(2).unwrap().bind(&view).unwrap();
    let best = BestLinks::of_model(&view, &criteria);
    // k/l − 1 = 1, which these groups reach.
    assert!((best.phi_squared - 1.0).abs() < 1e-12);
    assert!((found(&view, &rows).0 - 1.0).abs() < 1e-12);
    assert_eq!(best.strength(StrengthMeasure::CramersV, 2), 1.0);
    assert!((best.strength(StrengthMeasure::CramersV, 9) - (1.0f64 / 3.0).sqrt()).abs() < 1e-12);
}
