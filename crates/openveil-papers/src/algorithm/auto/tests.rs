use super::*;
use openveil_core::coins::{SecretCoins, shuffle};
use openveil_core::model::{DistinctDiversity, Model, Requirement, l_diversity};
use openveil_core::table::{Column, Domain, Members, Secret};

/// A table with `counts[v]` people of value v and a column of 20 positions.
fn table(counts: &[u32]) -> View {
    let values: Vec<u32> =
        (0u32..).zip(counts).flat_map(|(value, &count)| vec![value; count as usize]).collect();
    let codes = (0..values.len() as u32).map(|row| row * 3 % 20).collect();
    let column = Column::new("q", codes, Domain::integers(0..20));
    let labels = (0..counts.len()).map(|value| value.to_string());
    View::new(vec![column], Secret::new("s", values, labels)).unwrap()
}

fn chosen(view: &View, settings: &Settings) -> &'static str {
    let model = l_diversity(2).unwrap();
    let chosen = Auto.chosen(&[(view, &model)], settings).unwrap();
    chosen.unwrap().name()
}

/// Ten values, the most frequent with 14 % of the rows.
const MANY: [u32; 10] = [280, 260, 240, 230, 220, 200, 190, 160, 120, 100];

#[test]
fn the_engine_follows_the_policy_alone() {
    let view = table(&MANY);
    let mut values = view.secret().codes().to_vec();
    shuffle(&mut values, &mut SecretCoins::from_test_seed(3));
    let other = view.with_secret_codes(values).unwrap();
    let settings = Settings::default();
    for view in [&view, &other, &table(&[2; 8])] {
        assert_eq!(chosen(view, &settings), "halving");
        let random = Settings { inside: Inside::Random, ..Settings::default() };
        assert_eq!(chosen(view, &random), "cover");
    }
    // Sets of values.
    let members = Members::new(
        (0..10).map(|value| value.to_string()).collect(),
        vec![false; 10],
        (0..10).map(|value| vec![value]).collect(),
    );
    let column = Column::new(
        "s",
        view.secret().codes().to_vec(),
        Domain::unordered((0..10).map(|value| value.to_string())),
    );
    let sets = Secret::from_column(&column.with_members(members));
    let sets = view.with_secret(sets).unwrap();
    assert_eq!(chosen(&sets, &settings), "halving");
}

#[test]
fn what_comes_out_is_what_the_engine_makes() {
    let view = table(&MANY);
    for model in
        [Model::from(Requirement::Distinct(DistinctDiversity { l: 3 })), l_diversity(6).unwrap()]
    {
        let groups = |algorithm: &dyn Algorithm| {
            let mut coins = SecretCoins::from_test_seed(9);
            algorithm.partition(&view, &model, &mut coins).unwrap()
        };
        assert_eq!(groups(&Auto), groups(&Halving));
    }
}
