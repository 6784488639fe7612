use super::*;
use crate::coins::{SecretCoins, shuffle};
use crate::exact::Rational;
use crate::model::{
    DistinctDiversity, EntropyDiversity, GroundDistance, KAnonymity, Model, Requirement,
    TCloseness, l_diversity,
};
use crate::table::{Column, Domain, Secret};

/// A table with `counts[v]` people of value v and this many columns of 20 positions.
fn table(counts: &[u32], columns: usize) -> View {
    let values = (0u32..).zip(counts);
    let values: Vec<u32> = values
        .flat_map(|(value, &count)| vec![value; count as usize])
        .collect();
    let rows = values.len() as u32;
    let column = |index: usize| {
        let codes = (0..rows).map(|row| row * (3 + index as u32) % 20).collect();
        Column::new(format!("q{index}"), codes, Domain::integers(0..20))
    };
    let labels = (0..counts.len()).map(|value| value.to_string());
    let secret = Secret::new("s", values, labels);
    View::new((0..columns).map(column).collect(), secret).unwrap()
}

fn chosen(view: &View, model: &Model) -> &'static str {
    engine(&[(view, model)], &Settings::default())
        .unwrap()
        .name()
}

fn distinct(l: u32) -> Model {
    Requirement::Distinct(DistinctDiversity { l }).into()
}

/// Ten values, the most frequent with 14 % of the rows.
const MANY: [u32; 10] = [280, 260, 240, 230, 220, 200, 190, 160, 120, 100];

#[test]
fn the_engine_follows_the_slack_of_the_model() {
    let view = table(&MANY, 3);
    let entropy = |l| Requirement::Entropy(EntropyDiversity { l }).into();
    let closeness = Requirement::Closeness(TCloseness {
        t: Rational::new(1, 2),
        ground: GroundDistance::Equal,
    });
    for model in [
        distinct(3),
        entropy(Rational::from_integer(3)),
        closeness.into(),
        Requirement::KAnonymity(KAnonymity { k: 5 }).into(),
    ] {
        assert_eq!(chosen(&view, &model), "halving", "{model}");
    }
    for model in [
        l_diversity(7).unwrap(),
        l_diversity(5).unwrap(),
        distinct(10),
        entropy(Rational::from_integer(9)),
    ] {
        assert_eq!(chosen(&view, &model), "cover", "{model}");
    }
    // Ratio diversity has slack where every value is rare.
    let rare = table(&[4; 500], 3);
    assert_eq!(chosen(&rare, &l_diversity(4).unwrap()), "halving");
    // Too few people for more than a group or two.
    assert_eq!(chosen(&table(&[2; 8], 3), &distinct(3)), "cover");
}

/// Large groups cost less where cells are not generalised.
#[test]
fn exact_values_are_halved_sooner() {
    let view = table(&MANY, 3);
    let engine = |keeps_marginals| {
        let settings = Settings {
            keeps_marginals,
            ..Settings::default()
        };
        let model = l_diversity(3).unwrap();
        engine(&[(&view, &model)], &settings).unwrap().name()
    };
    assert_eq!((engine(true), engine(false)), ("cover", "halving"));
}

/// One engine serves all tables of a run, and it is one that can arrange all of them.
#[test]
fn tables_share_an_engine() {
    let (view, wide) = (table(&MANY, 3), table(&MANY, 40));
    let (slack, tight) = (distinct(3), l_diversity(7).unwrap());
    let together = |tables: &[(&View, &Model)]| {
        let settings = Settings::default();
        engine(tables, &settings).unwrap().name()
    };
    assert_eq!(together(&[(&view, &slack), (&view, &slack)]), "halving");
    assert_eq!(together(&[(&view, &slack), (&view, &tight)]), "cover");
    assert_eq!(together(&[(&view, &tight), (&wide, &tight)]), "halving");
}

/// Every stratum must have slack: strata of twelve people are too small to try random groups.
#[test]
fn small_strata_are_covered() {
    let view = table(&MANY, 3);
    let cells: Vec<u32> = (0..view.rows() as u32).map(|row| row / 12).collect();
    let names = (0..=cells[cells.len() - 1]).map(|cell| cell.to_string());
    let cell = Column::new("cell", cells, Domain::unordered(names));
    let known = view.known().iter().cloned().chain([cell]).collect();
    let whole = View::new(known, view.secret().clone()).unwrap();
    assert_eq!(chosen(&whole, &distinct(2)), "halving");
    let cut = whole.with_strata(["cell"]).unwrap();
    assert_eq!(chosen(&cut, &distinct(2)), "cover");
}

/// The engine depends neither on who has which value nor on the order of rows.
#[test]
fn the_engine_is_chosen_by_the_histogram() {
    let view = table(&MANY, 3);
    let mut coins = SecretCoins::from_test_seed(3);
    for l in 2..9 {
        let mut values = view.secret().codes().to_vec();
        shuffle(&mut values, &mut coins);
        let other = view.with_secret_codes(values).unwrap();
        for model in [distinct(l), l_diversity(l).unwrap_or(distinct(l))] {
            if Auto.check(&view, &model).is_ok() {
                assert_eq!(chosen(&view, &model), chosen(&other, &model), "{model}");
            }
        }
    }
}

#[test]
fn what_comes_out_is_what_the_engine_makes() {
    let view = table(&MANY, 3);
    for model in [distinct(3), l_diversity(6).unwrap()] {
        let engine = engine(&[(&view, &model)], &Settings::default()).unwrap();
        let groups = |algorithm: &dyn Algorithm| {
            let mut coins = SecretCoins::from_test_seed(9);
            algorithm.partition(&view, &model, &mut coins).unwrap()
        };
        assert_eq!(groups(&Auto), groups(engine));
    }
}

/// More quasi-identifiers than `cover` arranges are no obstacle.
#[test]
fn wide_tables_are_halved() {
    let view = table(&MANY, 40);
    let model = l_diversity(6).unwrap();
    assert_eq!(chosen(&view, &model), "halving");
    assert!(
        Auto.partition(&view, &model, &mut SecretCoins::from_test_seed(1))
            .is_ok()
    );
}

#[test]
fn columns_that_are_protected_each_are_left_to_cover() {
    let values = |many: u32| (0..800).map(|row| row % many).collect();
    let labels = |many: u32| (0..many).map(|value| value.to_string());
    let columns = [
        Secret::new("a", values(5), labels(5)),
        Secret::new("b", values(400), labels(400)),
    ];
    let known = table(&[160; 5], 2).known().to_vec();
    let secret = Secret::of_each(&columns, &[2, 2], false);
    let each = View::new(known.clone(), secret).unwrap();
    let together = View::new(known, Secret::combination(&columns)).unwrap();
    let model = l_diversity(2).unwrap();
    assert_eq!(chosen(&each, &model), "cover");
    assert_eq!(chosen(&together, &model), "halving");
}
