//! Parts of sentences that say nothing about a guarantee by themselves.

use crate::exact::{Fraction, fraction};

/// A chance as a fraction if it is a simple one, otherwise in percent, rounded up.
pub(super) fn in_words(bound: &Fraction) -> String {
    if *bound.denom() <= 1_000.into() {
        return bound.to_string();
    }
    let hundredths = (bound * fraction(10_000, 1)).ceil().to_integer();
    let (percent, rest) = (&hundredths / 100u32, &hundredths % 100u32);
    format!("{percent}.{rest:0>2} %")
}
