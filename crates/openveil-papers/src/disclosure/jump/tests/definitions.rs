//! Compares the strategies as they are defined, recursively and table by table, with the forward
//! evaluation over either engine.

use super::*;
use crate::disclosure::{ListedTables, Predicate};
use openveil_core::table::Worlds;
use proptest::prelude::*;
use std::collections::HashMap;

type World = Vec<u32>;

/// A recursive k-jump that follows its definition and caches only paths.
struct Definition<'a> {
    functions: &'a Functions,
    worlds: Vec<World>,
    distances: Vec<u32>,
    outcomes: HashMap<World, PlanOutcome>,
}

impl Definition<'_> {
    fn permutation_set(&self, step: usize, world: &World) -> Vec<World> {
        let groups = &self.functions.partitions()[step];
        let generalized = |world: &World| -> Vec<World> {
            let of = |group: &[u32]| {
                let mut values: World = group.iter().map(|&p| world[p as usize]).collect();
                values.sort_unstable();
                values
            };
            groups.iter().map(of).collect()
        };
        let seen = generalized(world);
        self.worlds.iter().filter(|other| generalized(other) == seen).cloned().collect()
    }

    /// Returns the path up to a step: its verdicts need only earlier steps of other tables.
    fn outcome(&mut self, world: &World, before: usize) -> PlanOutcome {
        let mut path = Vec::new();
        let mut step = 0;
        while step < before {
            path.push(Station { step, stage: EvaluatedSet::Permutations });
            let permutations = self.permutation_set(step, world);
            if !holds(&permutations) {
                step += 1;
                continue;
            }
            path.push(Station { step, stage: EvaluatedSet::Disclosures });
            if holds(&self.disclosure_set(step, permutations)) {
                return PlanOutcome { released: Some(step), path };
            }
            step += self.distances[step] as usize;
        }
        if before < self.distances.len() && step == before {
            path.push(Station { step, stage: EvaluatedSet::Permutations });
        }
        PlanOutcome { released: None, path }
    }

    /// Returns the tables whose path reaches the step. All share the verdict on the permutation
    /// set, which is known to hold.
    fn disclosure_set(&mut self, step: usize, permutations: Vec<World>) -> Vec<World> {
        let arrives = Station { step, stage: EvaluatedSet::Permutations };
        permutations
            .into_iter()
            .filter(|other| self.outcome(other, step).path.contains(&arrives))
            .collect()
    }

    fn full(&mut self, world: &World) -> PlanOutcome {
        if let Some(known) = self.outcomes.get(world) {
            return known.clone();
        }
        let found = self.outcome(world, self.distances.len());
        self.outcomes.insert(world.clone(), found.clone());
        found
    }
}

fn holds(worlds: &[World]) -> bool {
    (0..worlds[0].len()).all(|person| {
        let mut counts = vec![0; 8];
        worlds.iter().for_each(|world| counts[world[person] as usize] += 1);
        half().holds(&counts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_sweep_follows_the_definition(
        labels in prop::collection::vec(prop::collection::vec(0u32..3, 5), 4),
        distances in prop::collection::vec(1u32..4, 4),
        counts in prop::sample::select(vec![[2, 1, 1, 1], [2, 2, 1, 0], [1, 2, 2, 0]]),
    ) {
        let groups = labels.iter().map(|of| Groups::from_labels(of, 3));
        let functions = Functions::new(5, groups).unwrap();
        let tables = ListedTables::new(&functions, &counts, LIMIT).unwrap();
        let classes = ContingencyTables::new(&functions, &counts, LIMIT).unwrap();
        let plan = jump(&functions, &distances);
        let listed = evaluate(&tables, &half(), &plan).unwrap();
        let counted = evaluate(&classes, &half(), &plan).unwrap();
        let mut worlds = Worlds::new(&tables.example(0));
        let mut definition = Definition {
            functions: &functions,
            worlds: Vec::new(),
            distances,
            outcomes: HashMap::new(),
        };
        while let Some(world) = worlds.next_world() {
            definition.worlds.push(world.to_vec());
        }
        for table in 0..tables.classes() {
            let world = tables.example(table);
            let class = classes.class_of(&world).unwrap();
            let expected = definition.full(&world);
            prop_assert_eq!(&listed.outcome(table), &expected);
            prop_assert_eq!(&counted.outcome(class), &expected);
            for step in 0..4 {
                let listed = listed.disclosure_set(&tables, step, table);
                let counted = counted.disclosure_set(&classes, step, class);
                prop_assert_eq!(listed.tables(), counted.tables());
                prop_assert!((0..5).all(|p| listed.counts(p) == counted.counts(p)));
            }
        }
    }
}
