//! The algorithms of others against a reader who knows them.

use super::*;
use crate::algorithm::Algorithm;
use crate::exact::fraction;
use crate::privacy::Requirement;

const HARMLESS: &[u32] = &[1, 1, 2, 2];
const THREE_PAIRS: &[u32] = &[1, 1, 2, 2, 3, 3];

#[test]
fn report() {
    for algorithm in [
        Algorithm::TopDown,
        Algorithm::Mondrian,
        Algorithm::MondrianRelaxed,
        Algorithm::Incognito,
        Algorithm::Anatomy,
    ] {
        for values in [
            HARMLESS,
            THREE_PAIRS,
            &[1, 1, 2, 2, 3, 4],
            &[1, 1, 1, 2, 2, 3],
            &[1, 1, 2, 2, 3, 3, 4],
            &[1, 1, 2, 2, 3, 3, 4, 4],
        ] {
            for l in [2, 3] {
                let distinct: Model = Requirement::Distinct { l }.into();
                let ratio: Model = RatioDiversity::new(l).unwrap().into();
                for model in [ratio, distinct] {
                    let name = model.to_string();
                    let scenario = Scenario::of_values(values.iter().copied(), model).unwrap();
                    match verify(&algorithm, &scenario) {
                        Ok(v) => println!(
                            "{} {values:?} {name}: tables {} unsafe releases {} unsafe tables {} certain {} max {}",
                            algorithm.name(),
                            v.tables,
                            v.unsafe_releases,
                            v.unsafe_tables,
                            v.certain_tables,
                            v.max_posterior
                        ),
                        Err(e) => println!("{} {values:?} {name}: {e}", algorithm.name()),
                    }
                }
            }
        }
    }
    let _ = fraction(1, 1);
}
