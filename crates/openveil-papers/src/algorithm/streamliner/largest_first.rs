//! Decides which colour is finished next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The unfinished colours, the one with the most incomplete rows first.
///
/// Priorities only decrease, so an outdated one is noticed and corrected when it reaches the top:
/// O(log colours) amortised per change.
pub(super) struct LargestFirst {
    waiting: BinaryHeap<(Priority, u32)>,
}

/// The number of incomplete rows, then a tie-breaker; the least comes first.
type Priority = (u32, Reverse<u32>);

impl LargestFirst {
    /// Makes the queue of colours `0..colours`, with `state` as in [`LargestFirst::pop`].
    pub(super) fn new(colours: usize, state: impl Fn(u32) -> Option<(u32, u32)>) -> Self {
        let colours = 0..colours as u32;
        Self {
            waiting: colours
                .filter_map(|colour| Some((priority(state(colour)?), colour)))
                .collect(),
        }
    }

    /// Removes and returns the largest colour. `state` returns a colour's number of incomplete rows
    /// and its tie-breaker, or none if it is complete.
    pub(super) fn pop(&mut self, state: impl Fn(u32) -> Option<(u32, u32)>) -> Option<u32> {
        while let Some((noted, colour)) = self.waiting.pop() {
            match state(colour).map(priority) {
                Some(current) if current == noted => return Some(colour),
                Some(current) => self.waiting.push((current, colour)),
                None => {}
            }
        }
        None
    }
}

fn priority((count, tie): (u32, u32)) -> Priority {
    (count, Reverse(tie))
}
