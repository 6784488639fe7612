use super::{Column, Groups, Histogram, View};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// People who are alike on the columns that fix a view's strata; without such columns,
/// everybody.
///
/// Strata are fixed by known columns only, before any secret value is read. An algorithm runs in
/// each stratum on the stratum's own table, with the model bound to the stratum's own histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stratum {
    /// The code on each of the view's strata columns.
    codes: Vec<u32>,
    people: StratumPeople,
}

/// The people in a stratum.
#[derive(Debug, Clone, PartialEq, Eq)]
enum StratumPeople {
    /// The whole table.
    All,
    /// These rows of the view, ascending.
    Rows(Vec<u32>),
    /// The number of people with each value, in a view without rows.
    Counted(Histogram),
}

/// The strata of a view without rows, in their order, each with the histogram of the secret.
#[derive(Debug, Clone)]
pub(super) struct StrataCounts(Arc<[(Vec<u32>, Histogram)]>);

impl StrataCounts {
    pub(super) fn new(view: &View, mut counts: Vec<(Vec<u32>, Histogram)>) -> Self {
        let columns: Vec<&Column> = view.strata_columns().collect();
        counts.sort_by(|(a, _), (b, _)| compare(&columns, a, b));
        Self(counts.into())
    }

    pub(super) fn rows(&self) -> usize {
        self.0.iter().map(|(_, histogram)| histogram.rows() as usize).sum()
    }

    pub(super) fn histogram(&self, values: usize) -> Histogram {
        let mut all = vec![0; values];
        for (_, histogram) in self.0.iter() {
            all.iter_mut().zip(histogram.counts()).for_each(|(all, own)| *all += own);
        }
        Histogram::from_counts(all)
    }

    pub(super) fn strata(&self) -> Vec<Stratum> {
        self.0
            .iter()
            .map(|(codes, histogram)| Stratum {
                codes: codes.clone(),
                people: StratumPeople::Counted(histogram.clone()),
            })
            .collect()
    }
}

/// Compares strata by their labels. If two values have the same label, their codes decide.
fn compare(columns: &[&Column], a: &[u32], b: &[u32]) -> std::cmp::Ordering {
    let labels = |codes: &[u32]| -> Vec<&str> {
        columns.iter().zip(codes).map(|(c, &code)| c.domain().label(code)).collect()
    };
    (labels(a), a).cmp(&(labels(b), b))
}

impl Stratum {
    /// The code of its people on each of the view's strata columns.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Its people as rows of the view, ascending; `None` if it is the whole table, or the view has
    /// no rows.
    pub fn rows(&self) -> Option<&[u32]> {
        match &self.people {
            StratumPeople::Rows(rows) => Some(rows),
            StratumPeople::All | StratumPeople::Counted(_) => None,
        }
    }

    /// The number of its people.
    pub fn size(&self, view: &View) -> usize {
        match &self.people {
            StratumPeople::All => view.rows(),
            StratumPeople::Rows(rows) => rows.len(),
            StratumPeople::Counted(histogram) => histogram.rows() as usize,
        }
    }

    /// Whether columns fix it. The only stratum of a table without such columns is the whole table.
    pub fn is_part(&self) -> bool {
        !self.codes.is_empty()
    }

    /// The row of the view for a person of the stratum's table.
    ///
    /// # Panics
    /// If there is no such person.
    pub fn row(&self, position: u32) -> u32 {
        match self.rows() {
            None => position,
            Some(rows) => rows[position as usize],
        }
    }

    /// The rows of the view among `rows` that lie in the stratum, as rows of its own table. O(log
    /// n) for each.
    pub fn positions(&self, rows: &[u32]) -> Vec<u32> {
        match self.rows() {
            None => rows.to_vec(),
            Some(own) => {
                let position = |row| own.binary_search(row).ok();
                rows.iter().filter_map(position).map(|position| position as u32).collect()
            }
        }
    }

    /// The stratum as a separate table without strata. O(rows · columns), or O(columns) if it is
    /// the whole table.
    ///
    /// # Panics
    /// If it is not a stratum of `view`.
    pub fn view(&self, view: &View) -> View {
        match &self.people {
            StratumPeople::All => view.clone(),
            StratumPeople::Rows(rows) => view.of_rows(rows).expect("a stratum has people"),
            StratumPeople::Counted(histogram) => {
                let only = (Vec::new(), histogram.clone());
                view.of_counts(StrataCounts(Arc::new([only])))
            }
        }
    }

    /// Groups of the stratum's table as groups of the view.
    ///
    /// # Panics
    /// If the groups are of another table.
    #[must_use]
    pub fn in_view(&self, groups: Groups) -> Groups {
        match self.rows() {
            None => groups,
            Some(_) => groups.renumbered(|position| self.row(position)),
        }
    }

    /// The values that its people have in common, such as `sex = Female, region = West`.
    pub fn describe(&self, view: &View) -> String {
        let mut words = String::new();
        for (column, &code) in view.strata_columns().zip(&self.codes) {
            let separator = if words.is_empty() { "" } else { ", " };
            let label = column.domain().label(code);
            // Writing to a text cannot fail.
            let _ = write!(words, "{separator}{} = {label}", column.name());
        }
        words
    }
}

/// See [`View::strata`].
pub(super) fn strata_of(view: &View) -> Vec<Stratum> {
    let columns: Vec<&Column> = view.strata_columns().collect();
    if columns.is_empty() {
        return vec![Stratum { codes: Vec::new(), people: StratumPeople::All }];
    }
    let mut number_of: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut rows_of: Vec<Vec<u32>> = Vec::new();
    let mut key = Vec::with_capacity(columns.len());
    for row in 0..view.rows() {
        key.clear();
        key.extend(columns.iter().map(|column| column.codes()[row]));
        let number = match number_of.get(&key) {
            Some(&number) => number,
            None => {
                rows_of.push(Vec::new());
                number_of.insert(key.clone(), rows_of.len() - 1);
                rows_of.len() - 1
            }
        };
        rows_of[number].push(row as u32);
    }
    let stratum = |(codes, number): (Vec<u32>, usize)| Stratum {
        codes,
        people: StratumPeople::Rows(std::mem::take(&mut rows_of[number])),
    };
    let mut strata: Vec<Stratum> = number_of.into_iter().map(stratum).collect();
    strata.sort_by(|a, b| compare(&columns, &a.codes, &b.codes));
    strata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::table::{Domain, Secret};

    fn view(sexes: &[u32], regions: &[u32]) -> View {
        let known = vec![
            Column::new("sex", sexes.to_vec(), Domain::unordered(["m", "f"])),
            Column::new("region", regions.to_vec(), Domain::integers([7, 10])),
        ];
        let rows = sexes.len() as u32;
        let secret = Secret::new("job", (0..rows).collect(), (0..rows).map(|n| n.to_string()));
        View::new(known, secret).unwrap()
    }

    #[test]
    fn strata_stand_in_the_order_of_their_labels_whatever_the_order_of_rows() {
        let view = view(&[0, 1, 0, 1, 1], &[1, 0, 0, 0, 1]);
        let both = view.clone().with_strata(["region", "sex"]).unwrap();
        let found: Vec<String> = both.strata().iter().map(|s| s.describe(&both)).collect();
        let expected = [
            "sex = f, region = 10",
            "sex = f, region = 7",
            "sex = m, region = 10",
            "sex = m, region = 7",
        ];
        assert_eq!(found, expected);
        let strata = both.strata();
        let rows: Vec<_> = strata.iter().map(|s| s.rows().unwrap()).collect();
        assert_eq!(rows, [&[4][..], &[1, 3], &[0], &[2]]);
        let whole = view.strata();
        assert_eq!((whole.len(), whole[0].rows()), (1, None));
        assert_eq!(whole[0].describe(&view), "");
    }

    #[test]
    fn a_stratum_is_a_table_whose_groups_are_groups_of_the_whole() {
        let view = view(&[0, 1, 0, 1], &[0, 0, 1, 1]).with_strata(["sex"]).unwrap();
        let women = &view.strata()[0];
        let part = women.view(&view);
        assert_eq!(part.secret().codes(), [1, 3]);
        assert_eq!(part.known()[1].codes(), [0, 1]);
        assert_eq!(part.strata_columns().len(), 0);
        let local: Groups = [vec![0], vec![1]].into_iter().collect();
        let groups: Vec<Vec<u32>> = women.in_view(local).iter().map(<[u32]>::to_vec).collect();
        assert_eq!(groups, [vec![1], vec![3]]);
        assert_eq!(women.positions(&[0, 3, 1]), [1, 0]);
    }

    #[test]
    fn counts_of_a_table_stand_for_it() {
        let view = view(&[0, 1, 0, 1, 1], &[1, 0, 0, 0, 1]);
        for columns in [&["region", "sex"][..], &["sex"], &[]] {
            let there = view.clone().with_strata(columns).unwrap();
            let mut counts: Vec<_> = there
                .strata()
                .iter()
                .map(|own| (own.codes().to_vec(), own.view(&there).histogram()))
                .collect();
            counts.reverse();
            let secret = view.secret().clone().with_codes(Vec::new());
            let known =
                view.known().iter().map(|column| column.clone().with_codes(Vec::new())).collect();
            let elsewhere = View::of_table(known, secret).counted(columns, counts).unwrap();
            assert_eq!(elsewhere.rows(), 5);
            assert_eq!(elsewhere.histogram(), view.histogram());
            let facts = |view: &View| -> Vec<_> {
                view.strata()
                    .iter()
                    .map(|own| (own.describe(view), own.size(view), own.view(view).histogram()))
                    .collect()
            };
            assert_eq!(facts(&elsewhere), facts(&there));
        }
    }

    #[test]
    fn only_known_columns_fix_strata() {
        let refused = view(&[0], &[0]).with_strata(["job"]).unwrap_err();
        let column = "job".to_owned();
        assert_eq!(refused, Error::NotAStratum { column });
    }
}
