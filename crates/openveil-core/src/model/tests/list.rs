//! Every model of the list has all parts that a model needs.

use super::generators::requirement;
use super::{Counts, Model, Requirement, World, entries};
use crate::model::suite::models as models_of_the_suite;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

const POLICY_PAGE: &str = include_str!("../../../../../docs/reference/policy.md");

type Kind = (&'static str, Option<&'static str>);

fn kind(requirement: &Requirement) -> Kind {
    (requirement.model(), requirement.variant())
}

/// One requirement of each kind, drawn by the generators.
fn samples(world: &World) -> Vec<Requirement> {
    let mut runner = TestRunner::deterministic();
    let strategy = requirement(world);
    let mut found: Vec<Requirement> = Vec::new();
    for _ in 0..2_000 {
        let drawn = strategy.new_tree(&mut runner).unwrap().current();
        if !found.iter().any(|known| kind(known) == kind(&drawn)) {
            found.push(drawn);
        }
    }
    found
}

#[test]
fn every_model_has_a_check_a_measure_words_docs_and_its_place_in_the_suites() {
    let world = World::new(&[3, 2, 2, 1]);
    let listed: BTreeSet<Kind> = Requirement::ALL.iter().copied().collect();
    let drawn = samples(&world);
    let generated: BTreeSet<Kind> = drawn.iter().map(kind).collect();
    assert_eq!(generated, listed, "the generators draw every model");
    let models = models_of_the_suite(4);
    let enumerated: BTreeSet<Kind> =
        models.iter().flat_map(|model| model.requirements()).map(kind).collect();
    assert_eq!(enumerated, listed, "the model checker takes every model");
    for requirement in &drawn {
        let name = requirement.name();
        assert!(POLICY_PAGE.contains(&format!("`{}`", requirement.model())), "{name}");
        if let Some(variant) = requirement.variant() {
            assert!(POLICY_PAGE.contains(&format!("`variant = \"{variant}\"`")), "{name}");
        }
        for exempt in [false, true] {
            assert!(!requirement.in_words(exempt).to_string().is_empty());
        }
        if !matches!(requirement, Requirement::Closeness(_)) {
            let group = [2, 1, 0, 0];
            let (counts, criteria) = (entries(&group, 1), world.bind(requirement));
            let counts = Counts::new(&counts);
            // The independent definition decides, and agrees with the fast decision.
            assert_eq!(
                criteria.hold_on_group(&counts),
                world.defined(requirement, &group),
                "{name}"
            );
            for property in criteria.properties() {
                let measured = property.measure(&counts);
                assert!(!measured.what.is_empty() && !measured.bound.is_nan(), "{name}");
            }
        }
        // A written requirement is read back unchanged.
        let written = serde_json::to_string(requirement).unwrap();
        let read: super::super::Parameters = serde_json::from_str(&written).unwrap();
        assert_eq!(read.requirement().as_ref(), Ok(requirement), "{written}");
    }
}

/// Names and words of every model, and the names of its properties in messages. People reviewed
/// `words.txt`; change it only with their consent.
#[test]
fn words_are_those_that_were_agreed_on() {
    let world = World::new(&[3, 2, 2, 1]);
    let mut found = String::new();
    for model in models_of_the_suite(4) {
        for requirement in model.requirements() {
            let lines = [
                requirement.name(),
                requirement.in_words(false).to_string(),
                requirement.in_words(true).to_string(),
            ];
            lines.iter().for_each(|line| found += &format!("{line}\n"));
            let criteria = (Model::from(requirement.clone())).bind(&world.table);
            let names: BTreeSet<String> = criteria
                .iter()
                .flat_map(|criteria| criteria.properties())
                .map(|property| property.name())
                .collect();
            names.iter().for_each(|name| found += &format!("  {name}\n"));
            found += "\n";
        }
    }
    assert_eq!(found, include_str!("words.txt"), "{found}");
}
