use crate::model::{Informed, Requirement};

/// Up to so many values, every set of them is tried, whatever the requirement.
const EVERY_SET: usize = 6;

/// The sets of values of which a reader may think more, that have to be tried: as bits by
/// position, or a position alone, or all but a position.
enum Sets {
    Every,
    OneAndRest,
}

/// Whether something holds on every multiset that an informed reader's beliefs may make of
/// a group: some of its values, whichever they are, weigh odds^people times as much as the
/// others. Counts only grow, so what is said of sizes stays true.
pub(super) fn all(
    requirement: &Requirement,
    informed: Informed,
    counts: &[(usize, u64)],
    holds: impl Fn(&[(usize, u64)]) -> bool,
) -> bool {
    let weighed = |raised: &dyn Fn(usize) -> bool| {
        let factor = informed.factor();
        let entries = counts.iter().enumerate().map(|(place, &(value, count))| {
            let times = if raised(place) {
                *factor.numer()
            } else {
                *factor.denom()
            };
            (value, count * times)
        });
        holds(&entries.collect::<Vec<_>>())
    };
    let places = counts.len();
    match sets(requirement, places) {
        None => false,
        Some(Sets::Every) => (0u32..1 << places).all(|set| weighed(&|place| set >> place & 1 == 1)),
        Some(Sets::OneAndRest) => {
            (0..places).all(|one| weighed(&|place| place == one) && weighed(&|place| place != one))
        }
    }
}

/// Which sets matter: a bound on single shares is reached by raising one value or all
/// others; so is a comparison of one value with the rest. None if there are too many.
fn sets(requirement: &Requirement, places: usize) -> Option<Sets> {
    let is_about_shares = matches!(
        requirement,
        Requirement::Ratio(_)
            | Requirement::Distinct(_)
            | Requirement::Recursive(_)
            | Requirement::KAnonymity(_)
            | Requirement::AlphaK(_)
            | Requirement::PSensitive(_)
            | Requirement::Breach(_)
            | Requirement::Likeness(_)
            | Requirement::DeltaDisclosure(_)
    );
    match places {
        0..=EVERY_SET => Some(Sets::Every),
        _ if is_about_shares => Some(Sets::OneAndRest),
        7..=12 => Some(Sets::Every),
        _ => None,
    }
}
