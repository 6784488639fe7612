//! Bounds on a share whose exact limit is irrational, rounded up.

use crate::exact::{Fraction, fraction};

/// Shares are tried in steps of 1/2^20.
pub(super) const STEPS: u32 = 1 << 20;

/// An upper bound on the shares `steps / STEPS` that are allowed, within one step of the least such
/// bound; `None` if even 1 is allowed. From `lowest` on, every share above one that is not allowed
/// must not be allowed either.
pub(super) fn ceiling(lowest: u32, allowed: impl Fn(u32) -> bool) -> Option<Fraction> {
    let (mut refused, mut below) = (STEPS, lowest);
    if allowed(refused) {
        return None;
    }
    while below < refused {
        let middle = below + (refused - below) / 2;
        if allowed(middle) { below = middle + 1 } else { refused = middle }
    }
    Some(fraction(refused.into(), STEPS.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_refused_share_is_the_bound() {
        assert_eq!(ceiling(0, |steps| steps < STEPS / 2), Some(fraction(1, 2)));
        assert_eq!(ceiling(0, |steps| steps <= 3 * STEPS / 4), {
            Some(fraction(u128::from(3 * STEPS / 4 + 1), STEPS.into()))
        });
        assert_eq!(ceiling(0, |_| true), None);
    }
}
