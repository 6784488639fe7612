use openveil_core::exact::Rational;

/// The least diverse group, by each definition of l-diversity.
#[derive(Debug, Clone, PartialEq)]
pub struct Diversity {
    /// The fewest different values in a group.
    pub distinct: u32,
    /// The least e^H: the real number l for which entropy l-diversity just holds. For a group with
    /// k equally frequent values it is exactly k.
    pub entropy: f64,
    /// The highest share of one value in a group: 1/l of the ratio definition, and
    /// α of (α, k)-anonymity.
    pub highest_share: Rational,
    /// For each requested l, the infimum of the c for which recursive (c, l)-diversity holds;
    /// `None` if no c is enough. The definition is strict, so the infimum itself does not satisfy
    /// it. Ascending by l.
    pub recursive: Vec<(u32, Option<Rational>)>,
    /// A buffer for the counts of one group.
    sorted: Vec<u32>,
}

impl Diversity {
    /// The diversity of no groups.
    pub(super) fn none(asked: &[u32]) -> Self {
        let mut asked = asked.to_vec();
        asked.sort_unstable();
        asked.dedup();
        Self {
            distinct: u32::MAX,
            entropy: f64::INFINITY,
            highest_share: Rational::new_raw(0, 1),
            recursive: asked.into_iter().map(|l: u32| (l, Some(Rational::new_raw(0, 1)))).collect(),
            sorted: Vec::new(),
        }
    }

    /// Adds a group of `size` rows, given how often its values occur.
    pub(super) fn see(&mut self, counts: impl Iterator<Item = u32>, size: u32) {
        self.sorted.clear();
        self.sorted.extend(counts);
        self.sorted.sort_unstable_by(|a, b| b.cmp(a));
        let most = u64::from(self.sorted[0]);
        self.distinct = self.distinct.min(self.sorted.len() as u32);
        self.entropy = self.entropy.min(entropy_l(&self.sorted, size));
        raise(&mut self.highest_share, most, size.into());
        let (mut taken, mut left) = (0, u64::from(size));
        for (l, infimum) in &mut self.recursive {
            // Ascending l, so each tail is a part of the one before.
            let above = (*l as usize).saturating_sub(1).min(self.sorted.len());
            let next = self.sorted[taken..above].iter().copied().map(u64::from);
            left -= next.sum::<u64>();
            taken = above;
            match (infimum.as_mut(), left) {
                (None, _) => {}
                (Some(_), 0) => *infimum = None,
                (Some(highest), left) => raise(highest, most, left),
            }
        }
    }

    /// The worse of both.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.distinct = self.distinct.min(other.distinct);
        self.entropy = self.entropy.min(other.entropy);
        let share = other.highest_share;
        raise(&mut self.highest_share, *share.numer(), *share.denom());
        for ((_, ours), (_, theirs)) in self.recursive.iter_mut().zip(other.recursive) {
            match (ours.as_mut(), theirs) {
                (Some(ours), Some(theirs)) => raise(ours, *theirs.numer(), *theirs.denom()),
                _ => *ours = None,
            }
        }
        self
    }

    /// The l of the ratio definition: 1 / the highest share.
    pub fn ratio(&self) -> Rational {
        Rational::new(*self.highest_share.denom(), *self.highest_share.numer())
    }
}

/// Makes `highest` the larger of itself and `numerator / denominator`.
fn raise(highest: &mut Rational, numerator: u64, denominator: u64) {
    let wide = u128::from;
    if wide(numerator) * wide(*highest.denom()) > wide(*highest.numer()) * wide(denominator) {
        *highest = Rational::new_raw(numerator, denominator);
    }
}

/// e^H of some counts, given highest first.
fn entropy_l(sorted: &[u32], size: u32) -> f64 {
    if sorted.first() == sorted.last() {
        return sorted.len() as f64;
    }
    let weighted: f64 = sorted.iter().map(|&count| f64::from(count) * f64::from(count).ln()).sum();
    let size = f64::from(size);
    (size.ln() - weighted / size).exp()
}
