//! A classifier that a reader of a release trains.

use super::contingency::{CodeRuns, Contingency, CountedPeople};
use openveil_core::table::View;

/// The most classes of a column.
const CLASSES: usize = 64;

/// Added to every count, so that no chance is 0 (Laplace).
const PSEUDO_COUNT: f64 = 1.0;

/// Naive Bayes: predicts the likeliest class of sensitive values, assuming that known columns are
/// independent given the class. If there are more than 64 values, neighbouring codes form a class.
/// Deterministic.
#[derive(Debug)]
pub struct Classifier {
    values: CodeRuns,
    /// ln of the share of each class of values.
    prior: Vec<f64>,
    columns: Vec<LearnedChances>,
}

/// The learned chances of a column.
#[derive(Debug)]
struct LearnedChances {
    classes: CodeRuns,
    /// ln P(class | value), by class, then value.
    logs: Vec<f64>,
}

impl Classifier {
    /// Learns from a table or a release. Costs as much as [`Contingency::new`] for each column.
    pub fn trained_on(counted: CountedPeople<'_>) -> Self {
        let (CountedPeople::Table(view) | CountedPeople::Release(view, _)) = counted;
        let values = CodeRuns::new(view.secret().values(), CLASSES);
        let learned = |axis: usize| {
            let table = Contingency::new(counted, &[axis], CLASSES, CLASSES);
            let classes = CodeRuns::new(view.known()[axis].domain().len(), CLASSES);
            let people = table.value_margin();
            let all = PSEUDO_COUNT * classes.count() as f64;
            let logs = table.combinations().flat_map(|counts| {
                counts
                    .iter()
                    .zip(&people)
                    .map(|(count, people)| ((count + PSEUDO_COUNT) / (people + all)).ln())
            });
            LearnedChances { logs: logs.collect(), classes }
        };
        let people = Contingency::new(counted, &[], CLASSES, CLASSES).value_margin();
        Self {
            values,
            prior: people.iter().map(|people| (people + PSEUDO_COUNT).ln()).collect(),
            columns: (0..view.known().len()).map(learned).collect(),
        }
    }

    /// The share of a table's rows whose class of values it predicts correctly. Not for
    /// publication. The table must have the same columns and domains. O(rows · columns · values).
    ///
    /// # Panics
    /// If the table has other columns or domains.
    pub fn accuracy(&self, table: &View) -> f64 {
        let hits = (0..table.rows()).filter(|&row| {
            let mut scores = self.prior.clone();
            for (column, learned) in table.known().iter().zip(&self.columns) {
                let class = learned.classes.of_code(column.codes()[row]);
                let logs = &learned.logs[class * scores.len()..][..scores.len()];
                scores.iter_mut().zip(logs).for_each(|(score, log)| *score += log);
            }
            // Takes the first of equally likely classes.
            let better = |best: usize, at: usize| if scores[at] > scores[best] { at } else { best };
            let best = (1..scores.len()).fold(0, better);
            best == self.values.of_code(table.secret().codes()[row])
        });
        hits.count() as f64 / table.rows() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::release::{Style, publish};
    use openveil_core::table::{Column, Domain, Groups, Secret};

    /// Towns determine jobs, except for one person in four.
    fn table() -> View {
        let towns: Vec<u32> = (0..80).map(|row| row / 40).collect();
        let jobs = (0..80).map(|row| if row % 4 == 0 { 1 - row / 40 } else { row / 40 });
        let columns = vec![Column::new("town", towns, Domain::unordered(["a", "b"]))];
        View::new(columns, Secret::new("job", jobs.collect(), ["x", "y"])).unwrap()
    }

    #[test]
    fn what_a_release_shows_is_learned() {
        let table = table();
        let trained = Classifier::trained_on(CountedPeople::Table(&table));
        assert_eq!(trained.accuracy(&table), 0.75);
        let towns: Groups = (0..2).map(|town| 40 * town..40 * town + 40).collect();
        let (release, _) = publish(&table, &towns, Style::Generalize);
        let trained = Classifier::trained_on(CountedPeople::Release(&table, &release));
        assert_eq!(trained.accuracy(&table), 0.75);
        let all = Groups::from_labels(&[0; 80], 1);
        let (release, _) = publish(&table, &all, Style::Generalize);
        let trained = Classifier::trained_on(CountedPeople::Release(&table, &release));
        assert_eq!(trained.accuracy(&table), 0.5, "the first value for everybody");
    }
}
