use super::{Counts, Measured, Property, Traits};
use crate::exact::{Fraction, Rational, compare_products, widen};
use crate::table::Members;
use std::cmp::Ordering;

/// The property, for values that are sets, that no protected member is in more than 1/l of them.
/// The l is the model's or the member's own.
///
/// If a set holds the values of a person's rows, this is ratio l-diversity for all of them, however
/// they depend on each other. Convex and monotone: the number of a multiset's sets that have a
/// member is a sum. (READERS, C2, C4.)
#[derive(Debug, Clone)]
pub(super) struct MemberShare {
    pub(super) name: String,
    /// The model's l; smaller groups are not published.
    pub(super) l: u32,
    pub(super) members: Members,
}

impl MemberShare {
    /// The protected member that exceeds its allowed share most, or else comes closest to it: how
    /// many sets have it, and its l.
    fn worst(&self, counts: &Counts<'_>) -> Option<(u128, u32)> {
        let mut sets = vec![0; self.members.count()];
        for &(value, count) in counts.entries() {
            for &member in self.members.members(value) {
                sets[member as usize] += count;
            }
        }
        let protected = (0..).zip(&sets).zip(self.members.exempt()).filter(|(_, exempt)| !**exempt);
        let shares =
            protected.map(|((member, &count), _)| (count, self.members.l_of(member, self.l)));
        shares.max_by(|a, b| compare_products(&[a.0, a.1.into()], &[b.0, b.1.into()]))
    }
}

impl Property for MemberShare {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn traits(&self) -> Traits {
        Traits::OF_DISTRIBUTIONS
    }

    fn max_posterior(&self) -> Option<Fraction> {
        Some(widen(Rational::new(1, self.l.into())))
    }

    fn holds(&self, counts: &Counts<'_>) -> bool {
        let Some((count, l)) = self.worst(counts) else {
            return true;
        };
        compare_products(&[count, l.into()], &[counts.total()]) != Ordering::Greater
    }

    fn least_size(&self) -> u32 {
        self.l
    }

    fn measure(&self, counts: &Counts<'_>) -> Measured {
        let (count, l) = self.worst(counts).unwrap_or((0, self.l));
        Measured {
            what: "share of people with one value",
            value: None,
            found: count as f64 / counts.total() as f64,
            bound: 1.0 / f64::from(l),
        }
    }
}
