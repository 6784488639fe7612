use super::*;
use crate::algorithm::baseline::testing::{hold, is_sound, models, tables};
use openveil_core::hierarchy::{Hierarchy, prefixes};
use openveil_core::model::{DistinctDiversity, KAnonymity, Model, Requirement};
use openveil_core::table::{Column, Domain, Secret};
use proptest::prelude::*;

/// The worked example (Table 8, Figure 3): rows 3 and 4 end at `435*`.
#[test]
fn row_3_is_taken_back() {
    let tree = Hierarchy::from_paths(prefixes(&["4351", "4352"], &[3, 2, 1])).unwrap();
    let zip = Column::new("zip", vec![0, 0, 0, 1], Domain::tree(tree));
    let ill = Secret::new("disease", vec![0, 1, 0, 1], ["HIV", "Flu"]);
    let table = View::new(vec![zip], ill).unwrap();
    let model = Model::from(Requirement::Distinct(DistinctDiversity { l: 2 }));
    let groups = top_down(&table, &model.bind(&table).unwrap()).unwrap();
    let expected: Groups = [vec![0, 1], vec![2, 3]].into_iter().collect();
    assert_eq!(groups.sorted(), expected);
}

/// The staying rows need a value that only a branch that cannot spare it has: the whole branch
/// comes back.
#[test]
fn a_whole_branch_is_taken_back() {
    // Branches {1, 2}, {1, 2, 3, 3} and {3}. No row can be spared for the 3: the larger branch
    // could spare only a 3, which would not help.
    let place = Column::new("place", vec![0, 0, 1, 1, 1, 1, 2], Domain::unordered(["a", "b", "c"]));
    let value = Secret::new("value", vec![0, 1, 0, 1, 2, 2, 2], ["1", "2", "3"]);
    let table = View::new(vec![place], value).unwrap();
    let model = Model::all_of(vec![
        Requirement::Distinct(DistinctDiversity { l: 2 }),
        Requirement::KAnonymity(KAnonymity { k: 2 }),
    ]);
    let criteria = model.unwrap().bind(&table).unwrap();
    let groups = top_down(&table, &criteria).unwrap();
    // The largest branch spares a 1 and stays {2, 3, 3}.
    let expected: Groups = [vec![0, 1], vec![2, 6], vec![3, 4, 5]].into_iter().collect();
    assert_eq!(groups.sorted(), expected);
}

#[test]
fn a_table_that_is_not_diverse_is_refused() {
    let value = Secret::new("value", vec![0, 0], ["1"]);
    let table = View::new(Vec::new(), value).unwrap();
    let criteria =
        Model::from(Requirement::Distinct(DistinctDiversity { l: 2 })).bind(&table).unwrap();
    let refused = top_down(&table, &criteria).unwrap_err();
    assert!(matches!(refused, Error::Unsatisfiable(_)), "{refused}");
}

/// Moves rows about in lists, as the text describes it.
struct Naive<'a> {
    table: &'a View,
    criteria: &'a Criteria,
    taxonomies: Vec<Taxonomy>,
}

impl Naive<'_> {
    fn grow(&self, rows: &[u32], levels: &[usize], groups: &mut Vec<Vec<u32>>) {
        let mut best: Option<(usize, Vec<Vec<u32>>, Vec<u32>)> = None;
        for column in (0..levels.len()).filter(|&column| levels[column] > 0) {
            let (branches, stay) = self.split(rows, column, levels[column] - 1);
            let down = rows.len() - stay.len();
            let better = best.as_ref().is_none_or(|(_, others, others_stay)| {
                let others_down = rows.len() - others_stay.len();
                down > others_down || (down == others_down && branches.len() < others.len())
            });
            if down > 0 && better {
                best = Some((column, branches, stay));
            }
        }
        let Some((column, branches, stay)) = best else {
            groups.push(rows.to_vec());
            return;
        };
        let mut lower = levels.to_vec();
        lower[column] -= 1;
        branches.iter().for_each(|rows| self.grow(rows, &lower, groups));
        if !stay.is_empty() {
            groups.push(stay);
        }
    }

    fn value(&self, row: u32) -> u32 {
        self.table.secret().codes()[row as usize]
    }

    fn split(&self, rows: &[u32], column: usize, level: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
        let codes = self.table.known()[column].codes();
        let class_of =
            |row: u32| self.taxonomies[column].classes(level)[codes[row as usize] as usize];
        let mut classes: Vec<u32> = Vec::new();
        let mut branches: Vec<Vec<u32>> = Vec::new();
        for &row in rows {
            match classes.iter().position(|&class| class == class_of(row)) {
                Some(branch) => branches[branch].push(row),
                None => {
                    classes.push(class_of(row));
                    branches.push(vec![row]);
                }
            }
        }
        let mut stay = Vec::new();
        for branch in &mut branches {
            if !hold(self.table, self.criteria, branch) {
                stay.append(branch);
            }
        }
        let mut given_up: Vec<(usize, u32)> = Vec::new();
        while !stay.is_empty() && !hold(self.table, self.criteria, &stay) {
            if self.take_back(rows, &mut branches, &mut stay, &mut given_up) {
                continue;
            }
            let open = branches.iter_mut().filter(|branch| !branch.is_empty());
            stay.append(open.min_by_key(|branch| branch.len()).unwrap());
        }
        branches.retain(|branch| !branch.is_empty());
        stay.sort_by_key(|&row| (self.value(row), row));
        (branches, stay)
    }

    /// Takes one row back from a branch that satisfies the model without it.
    fn take_back(
        &self,
        rows: &[u32],
        branches: &mut [Vec<u32>],
        stay: &mut Vec<u32>,
        given_up: &mut Vec<(usize, u32)>,
    ) -> bool {
        let count =
            |rows: &[u32], value: u32| rows.iter().filter(|&&row| self.value(row) == value).count();
        let mut wanted: Vec<u32> = (0..4).filter(|&value| count(rows, value) > 0).collect();
        wanted.retain(|&v| count(stay, v) * rows.len() <= stay.len() * count(rows, v));
        // Shares of values with at most 24 rows, in units that make them whole.
        let share = |v: u32| count(stay, v) * 5_354_228_880 / count(rows, v);
        wanted.sort_by_key(|&v| (share(v), std::cmp::Reverse(count(rows, v)), v));
        for value in wanted {
            let mut order: Vec<usize> = (0..branches.len()).collect();
            order.sort_by_key(|&branch| std::cmp::Reverse(branches[branch].len()));
            for branch in order {
                let last = branches[branch].iter().rposition(|&row| self.value(row) == value);
                let Some(last) = last.filter(|_| !given_up.contains(&(branch, value))) else {
                    continue;
                };
                let mut without = branches[branch].clone();
                let row = without.remove(last);
                if hold(self.table, self.criteria, &without) {
                    branches[branch] = without;
                    stay.push(row);
                    return true;
                }
                given_up.push((branch, value));
            }
        }
        false
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_group_holds_and_the_flat_arrays_do_what_lists_do(
        table in tables(), model in models(),
    ) {
        let criteria = model.bind(&table).unwrap();
        let Ok(groups) = top_down(&table, &criteria) else {
            prop_assert!(check_whole(&table, &criteria).is_err());
            return Ok(());
        };
        prop_assert!(is_sound(&table, &criteria, &groups));
        let taxonomies: Vec<Taxonomy> = table.known().iter()
            .map(|column| Taxonomy::by_depth(column.domain()))
            .collect();
        let levels: Vec<usize> = taxonomies.iter().map(|taxonomy| taxonomy.len() - 1).collect();
        let naive = Naive { table: &table, criteria: &criteria, taxonomies };
        let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
        rows.sort_by_key(|&row| (naive.value(row), row));
        let mut expected = Vec::new();
        naive.grow(&rows, &levels, &mut expected);
        let expected: Groups = expected.into_iter().collect();
        prop_assert_eq!(groups.sorted(), expected.sorted());
    }
}
