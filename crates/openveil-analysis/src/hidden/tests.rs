use super::*;
use crate::fit::Fit;
use crate::worlds::tests::{meaning, recipe, view};
use openveil_core::release::Style;

/// Asserts that people have the codes that their classes show.
pub(crate) fn assert_shown(people: &People, evidence: &Evidence) {
    for (column, shown) in evidence.known().iter().enumerate() {
        for (class, rows) in evidence.classes().iter().enumerate() {
            let rows = rows.clone();
            let own = &people.codes(column)[rows.clone()];
            match shown {
                ShownCodes::Rows(codes) => assert_eq!(own, &codes[rows]),
                ShownCodes::Shuffled(codes) => {
                    let (mut own, mut codes) = (own.to_vec(), codes[rows].to_vec());
                    own.sort_unstable();
                    codes.sort_unstable();
                    assert_eq!(own, codes);
                }
                ShownCodes::Cells { ends, ranges } => {
                    let start = if class == 0 { 0 } else { ends[class - 1] as usize };
                    let cell = &ranges[start..ends[class] as usize];
                    let is_in = |code| cell.iter().any(|&(low, high)| (low..=high).contains(code));
                    assert!(own.iter().all(is_in), "{own:?} {cell:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_drawn_anew_is_what_groups_show() {
    for style in [Style::Slice, Style::Generalize] {
        let view = view(500, 4);
        let coins = &mut SecretCoins::from_test_seed(5);
        let evidence = recipe(style).publish(view.clone(), coins);
        let evidence = evidence.expect("a table that can be published");
        let meaning = meaning(&view);
        let fit = Fit::new(&evidence, &meaning, coins);
        let mut people = fit.people()[0].clone();
        assert_shown(&people, &evidence);
        let scores = Scores::new(&fit.shape, &fit.theta);
        let kinship = Kinship::new(&people, &fit.shape.axes);
        let before = people.clone();
        let model = (&fit.shape, &*fit.row_classes, &scores, &kinship);
        redraw(&mut people, &evidence, model, 3, coins);
        assert_shown(&people, &evidence);
        let moved = (0..3).filter(|&column| people.codes(column) != before.codes(column));
        assert!(moved.count() >= 2, "{style:?}: something is drawn anew");
    }
}

/// A pair of codes is equally likely computed from either side.
#[test]
fn kinship_is_symmetric() {
    let view = view(2_000, 6);
    let coins = &mut SecretCoins::from_test_seed(7);
    let evidence = recipe(Style::Anatomy).publish(view.clone(), coins);
    let evidence = evidence.expect("a table that can be published");
    let all = meaning(&view);
    let shape = ModelShape::new(&evidence, &all);
    // Two columns: all people of the older half live in the same town.
    let mut people = People::possible(&evidence, coins);
    let town: Vec<u32> = people.codes(0).iter().map(|&age| u32::from(age >= 20)).collect();
    people.code_mut(1).copy_from_slice(&town);
    let kinship = Kinship::new(&people, &shape.axes[..2]);
    let mut differ = 0;
    for age in 0..40 {
        for town in 0..2 {
            let one = kinship.log(0, age, |column| if column == 1 { town } else { 0 });
            let other = kinship.log(1, town, |column| if column == 0 { age } else { 0 });
            assert_eq!(one, other, "{age} {town}");
            let goes = (age >= 20) == (town == 1);
            differ += usize::from((one > 0.0) == goes);
        }
    }
    assert!(differ >= 76, "{differ}");
}
