use super::Counts;

/// Aggregated counts of up to this many classes stay on the stack.
const FEW: usize = 32;

/// The units of diversity: values, or categories of values.
#[derive(Debug, Clone)]
pub(super) struct DiversityClasses {
    /// The category of each value; `None` if the classes are the values themselves.
    of_value: Option<Vec<u32>>,
    /// `exempt[class]`: no value of the class needs protection.
    exempt: Vec<bool>,
    /// Number of classes that occur in the whole table.
    present: usize,
}

impl DiversityClasses {
    /// The classes in which every value is by itself; `present` of them occur.
    pub(super) fn values(exempt: Vec<bool>, present: usize) -> Self {
        Self { of_value: None, exempt, present }
    }

    /// Categories, numbered from 0 without a gap. A category is exempt if all of
    /// its values are.
    pub(super) fn categories(of_value: Vec<u32>, exempt: &[bool], counts: &[u32]) -> Self {
        let number = of_value.iter().max().map_or(0, |&last| last as usize + 1);
        let mut all_exempt = vec![true; number];
        let mut occurs = vec![false; number];
        for (value, &category) in of_value.iter().enumerate() {
            all_exempt[category as usize] &= exempt[value];
            occurs[category as usize] |= counts[value] > 0;
        }
        Self {
            of_value: Some(of_value),
            exempt: all_exempt,
            present: occurs.into_iter().filter(|&occurs| occurs).count(),
        }
    }

    /// The category of each value, if there are categories.
    pub(super) fn of_value(&self) -> Option<&[u32]> {
        self.of_value.as_deref()
    }

    pub(super) fn is_exempt(&self, class: u32) -> bool {
        self.exempt[class as usize]
    }

    pub(super) fn any_exempt(&self) -> bool {
        self.exempt.contains(&true)
    }

    /// Whether all classes are single values without exemptions, so that the model treats them
    /// alike.
    pub(super) fn are_alike(&self) -> bool {
        self.of_value.is_none() && !self.any_exempt()
    }

    /// Number of classes that occur in the whole table.
    pub(super) fn present(&self) -> usize {
        self.present
    }

    /// The value of a class, if classes are values.
    pub(super) fn value(&self, class: u32) -> Option<u32> {
        self.of_value.is_none().then_some(class)
    }

    /// Reads the counts of classes: those that occur, ascending.
    pub(super) fn read<R>(&self, counts: &Counts<'_>, read: impl FnOnce(&[(u32, u128)]) -> R) -> R {
        let Some(of_value) = &self.of_value else {
            return read(counts.entries());
        };
        let (mut stack, mut heap) = ([(0, 0); FEW], Vec::new());
        let room = if self.exempt.len() <= FEW {
            &mut stack[..self.exempt.len()]
        } else {
            heap.resize(self.exempt.len(), (0, 0));
            &mut heap[..]
        };
        for (class, entry) in (0..).zip(room.iter_mut()) {
            entry.0 = class;
        }
        for &(value, count) in counts.entries() {
            room[of_value[value as usize] as usize].1 += count;
        }
        let mut filled = 0;
        for index in 0..room.len() {
            if room[index].1 > 0 {
                room[filled] = room[index];
                filled += 1;
            }
        }
        read(&room[..filled])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_counted_together() {
        // Four categories. The second has no rows, and all values of the third are exempt.
        let of_value = vec![0, 1, 2, 0, 2, 3];
        let exempt = [true, false, true, false, true, false];
        let classes = DiversityClasses::categories(of_value.clone(), &exempt, &[3, 0, 1, 2, 0, 5]);
        assert_eq!(classes.present(), 3);
        assert_eq!(classes.of_value(), Some(&of_value[..]));
        let is_exempt: Vec<bool> = (0..4).map(|class| classes.is_exempt(class)).collect();
        assert_eq!(is_exempt, [false, false, true, false]);
        assert!(classes.any_exempt() && !classes.are_alike());
        assert_eq!(classes.value(0), None);
        let entries = [(0, 3), (2, 1), (3, 2), (5, 5)];
        let found = classes.read(&Counts::new(&entries), |counts| counts.to_vec());
        assert_eq!(found, [(0, 5), (2, 1), (3, 5)]);
    }

    #[test]
    fn values_are_classes_of_their_own() {
        let classes = DiversityClasses::values(vec![false, false, true], 2);
        assert_eq!((classes.present(), classes.of_value()), (2, None));
        assert_eq!(classes.value(2), Some(2));
        assert!(classes.any_exempt() && !classes.are_alike() && classes.is_exempt(2));
        assert!(DiversityClasses::values(vec![false; 3], 3).are_alike());
        let all = DiversityClasses::categories(vec![0, 1], &[false, false], &[1, 1]);
        assert!(!all.any_exempt() && !all.are_alike());
    }

    /// Few classes stay on the stack; more do not.
    #[test]
    fn any_number_of_categories_is_read() {
        for number in [FEW - 1, FEW, FEW + 1, 3 * FEW] {
            let of_value: Vec<u32> = (0..2 * number as u32).map(|value| value / 2).collect();
            let exempt = vec![false; of_value.len()];
            let classes = DiversityClasses::categories(of_value, &exempt, &vec![1; 2 * number]);
            let entries: Vec<(u32, u128)> =
                (0..2 * number as u32).map(|value| (value, 1)).collect();
            let found = classes.read(&Counts::new(&entries), |counts| counts.to_vec());
            let all: Vec<(u32, u128)> = (0..number as u32).map(|class| (class, 2)).collect();
            assert_eq!(found, all);
        }
    }
}
