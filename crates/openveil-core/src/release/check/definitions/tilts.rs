use crate::model::{Informed, Requirement};

/// With up to this many values, every set of them is tried, whatever the requirement.
const EVERY_SET: usize = 6;

/// The sets of values that a reader may believe likelier and that must be tried: as bits by
/// position, single positions, or all but one position.
enum Sets {
    Every,
    OneAndRest,
}

/// Whether a condition holds on every multiset that an informed reader's beliefs can make of a
/// group: a set of its values has odds^people times the weight of the others. Counts only grow, so
/// conditions on sizes still hold.
pub(super) fn all(
    requirement: &Requirement,
    informed: Informed,
    counts: &[(usize, u64)],
    holds: impl Fn(&[(usize, u64)]) -> bool,
) -> bool {
    let weighed = |raised: &dyn Fn(usize) -> bool| {
        let factor = informed.factor();
        let entries = counts.iter().enumerate().map(|(place, &(value, count))| {
            let times = if raised(place) { *factor.numer() } else { *factor.denom() };
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

/// The sets that matter. A bound on single shares, and a comparison of one value with the rest, is
/// reached by raising one value or all others. `None` if there are too many sets.
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
