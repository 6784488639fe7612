//! Exchanges: two groups of a block swap their members of one column where both together cost
//! less afterwards.

/// Groups that a block may have.
pub(super) const MOST: usize = 32;

/// What each member of a column costs in each group: `costs[member][group]`.
pub(super) type Costs = [[f32; MOST]; MOST];

/// How often every group looks for a partner. Beyond that, hardly anything is left to gain:
/// what the cheapest of all assignments would lower further is less than another neighbourhood
/// does in the same time.
const PASSES: usize = 4;

/// An exchange has to lower costs by this much, in nats: float sums that differ in their last bits
/// are the same.
const LEAST_GAIN: f32 = 1e-4;

/// Exchanges the members of the first `groups` groups, which group g starts with its own of:
/// `members[g]` is who is there now. Says whether somebody moved. Rows of `costs` move with their
/// members.
///
/// One group after the other exchanges with that one with which it gains most, until nobody
/// gains or [`PASSES`] are over. O(groups²).
pub(super) fn exchange(costs: &mut Costs, groups: usize, members: &mut [u8; MOST]) -> bool {
    *members = std::array::from_fn(|group| group as u8);
    // Groups that are not there cost so much less where they are that nobody goes there.
    let mut now = [f32::NEG_INFINITY; MOST];
    for (group, now) in now[..groups].iter_mut().enumerate() {
        *now = costs[group][group];
    }
    let mut has_moved = false;
    for _ in 0..PASSES {
        let mut moves = false;
        for group in 0..groups {
            if let Some(other) = partner(costs, &now, group) {
                costs.swap(group, other);
                members.swap(group, other);
                for place in [group, other] {
                    now[place] = costs[place][place];
                }
                moves = true;
            }
        }
        if !moves {
            break;
        }
        has_moved = true;
    }
    has_moved
}

/// The group with which another gains most by an exchange, if it gains.
fn partner(costs: &Costs, now: &[f32; MOST], group: usize) -> Option<usize> {
    let mut after = [0.0; MOST];
    for (after, others) in after.iter_mut().zip(costs) {
        *after = others[group];
    }
    for ((after, own), now) in after.iter_mut().zip(&costs[group]).zip(now) {
        *after += own - now;
    }
    let limit = now[group] - LEAST_GAIN;
    let mut gaining = [0u32; MOST];
    for (gains, &after) in gaining.iter_mut().zip(&after) {
        *gains = u32::from(after < limit);
    }
    if gaining.iter().sum::<u32>() == 0 {
        return None;
    }
    let mut best = (limit, None);
    for (other, &after) in after.iter().enumerate() {
        if after < best.0 {
            best = (after, Some(other));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(costs: &Costs, members: &[u8]) -> f32 {
        let groups = members.iter().enumerate();
        groups
            .map(|(group, &member)| costs[usize::from(member)][group])
            .sum()
    }

    fn costs(groups: usize, costs: &[u32]) -> Costs {
        let mut found = [[0.0; MOST]; MOST];
        for member in 0..groups {
            for group in 0..groups {
                found[member][group] = costs[member * groups + group] as f32;
            }
        }
        found
    }

    proptest! {
        /// Everybody is somewhere, costs fall where somebody moves, and nobody gains by an exchange
        /// where nobody does.
        #[test]
        fn exchanges_lower_costs(
            groups in 1usize..=MOST, own in prop::collection::vec(0u32..12, MOST * MOST),
        ) {
            let before = costs(groups, &own);
            let (mut moved, mut members) = (before, [0; MOST]);
            let has_moved = exchange(&mut moved, groups, &mut members);
            let members = &members[..groups];
            let mut all = members.to_vec();
            all.sort_unstable();
            prop_assert_eq!(all, (0..groups as u8).collect::<Vec<_>>());
            for (group, &member) in members.iter().enumerate() {
                prop_assert_eq!(moved[group], before[usize::from(member)]);
            }
            let now: Vec<u8> = (0..groups as u8).collect();
            let saved = total(&before, &now) - total(&before, members);
            prop_assert_eq!(has_moved, saved > 0.0);
            if !has_moved {
                for a in 0..groups {
                    for b in 0..groups {
                        let apart = before[a][a] + before[b][b];
                        prop_assert!(before[a][b] + before[b][a] >= apart);
                    }
                }
            }
        }

        #[test]
        fn two_groups_are_assigned_at_the_least_cost(own in prop::collection::vec(0u32..12, 4)) {
            let before = costs(2, &own);
            let mut members = [0; MOST];
            exchange(&mut before.clone(), 2, &mut members);
            let least = total(&before, &[0, 1]).min(total(&before, &[1, 0]));
            prop_assert_eq!(total(&before, &members[..2]), least);
        }
    }
}
