use super::{Column, Domain, Generalization, Members};
use crate::hierarchy::Hierarchy;
use std::collections::HashMap;
use std::sync::Arc;

/// The secret of a [`View`](super::View): one column, or several columns protected as a
/// combination. A value of several columns has one part per column, and the guarantee is about the
/// combination.
#[derive(Debug, Clone)]
pub struct Secret {
    name: String,
    columns: Vec<String>,
    codes: Arc<Vec<u32>>,
    values: SecretValues,
    exempt: Arc<[bool]>,
    relations: Option<Hierarchy>,
    members: Option<Arc<Members>>,
    each: Option<ProtectedEach>,
}

/// Several columns, each of which is protected by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedEach {
    /// The l by which each column is protected.
    pub l: Vec<u32>,
    /// The number of each column's first value among the members.
    first: Vec<u32>,
    /// Whether rows show which values of the columns go together.
    pub linked: bool,
}

/// The meaning of the codes.
#[derive(Debug, Clone)]
enum SecretValues {
    /// The values of one column.
    Of(Arc<Domain>),
    /// Combinations, with one part per column.
    Combined(Arc<[Box<[Box<str>]>]>),
}

impl Secret {
    /// One column with these values; `codes[row]` is a position in them.
    pub fn new<L: Into<Box<str>>>(
        column: impl Into<String>,
        codes: Vec<u32>,
        values: impl IntoIterator<Item = L>,
    ) -> Self {
        Self::from_column(&Column::new(column.into(), codes, Domain::unordered(values)))
    }

    /// The secret of one column of a table. O(1), except for a tree of how values are related.
    pub fn from_column(column: &Column) -> Self {
        Self {
            name: column.name().to_owned(),
            columns: vec![column.name().to_owned()],
            codes: column.shared_codes(),
            values: SecretValues::Of(column.shared_domain()),
            exempt: column.exempt().into(),
            relations: column.relations().cloned(),
            members: column.shared_members(),
            each: None,
        }
    }

    /// Several columns, each of which is protected by itself: no value of a column may be in more
    /// than 1/l of a group, with that column's l. A value is still a combination, which is dealt as
    /// a unit; its parts are its members. The parts are published separately, with each column
    /// shuffled by itself inside a group, or, if `linked`, in one row. `l` has one entry per
    /// column. O(n log n).
    ///
    /// # Panics
    /// If the columns differ in length, or there is not one l for each.
    pub fn of_each(columns: &[Self], l: &[u32], linked: bool) -> Self {
        assert_eq!(columns.len(), l.len(), "one l per column");
        let (all, tuples) = Self::combined(columns);
        // Members are numbered column by column.
        let mut first = Vec::new();
        let (mut labels, mut exempt, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        for (column, &l) in columns.iter().zip(l) {
            first.push(labels.len() as u32);
            let values = column.labels().into_iter();
            labels.extend(values.map(|value| format!("{} = {value}", column.name())));
            exempt.extend_from_slice(column.exempt());
            asked.resize(labels.len(), l);
        }
        let of_value = tuples
            .iter()
            .map(|tuple| first.iter().zip(tuple).map(|(&first, &code)| first + code).collect());
        let members = Members::new(labels, exempt, of_value.collect()).with_l(asked);
        Self {
            members: Some(Arc::new(members)),
            each: Some(ProtectedEach { l: l.to_vec(), first, linked }),
            ..all
        }
    }

    /// The code that each value has in one of several columns that are each protected by itself.
    /// O(values).
    ///
    /// # Panics
    /// If the secret is not of such columns, or there are fewer.
    pub fn codes_in(&self, column: usize) -> Vec<u32> {
        let (each, members) = (self.each.as_ref(), self.members.as_ref());
        let (each, members) = each.zip(members).expect("columns are protected separately");
        let values = 0..self.values() as u32;
        values.map(|value| members.members(value)[column] - each.first[column]).collect()
    }

    /// Several columns protected as a combination. Combinations are in the order of their parts. A
    /// combination needs no protection if none of its parts does. O(n log n).
    ///
    /// # Panics
    /// If the columns differ in length (those of a table do not).
    pub fn combination(columns: &[Self]) -> Self {
        if let [only] = columns {
            return only.clone();
        }
        Self::combined(columns).0
    }

    /// The combination of several columns, and the codes of the parts of each value.
    fn combined(columns: &[Self]) -> (Self, Vec<Vec<u32>>) {
        let rows = columns.first().map_or(0, |column| column.codes().len());
        let (mut codes, mut tuples) = (vec![0; rows], vec![Vec::new()]);
        for column in columns {
            (codes, tuples) = paired(&codes, &tuples, column);
        }
        let parts = |tuple: &Vec<u32>| -> Box<[Box<str>]> {
            columns.iter().zip(tuple).map(|(column, &code)| column.label(code).into()).collect()
        };
        let names: Vec<String> = columns.iter().map(|c| c.name().to_owned()).collect();
        let combination = Self {
            name: names.join(" + "),
            columns: names,
            exempt: tuples
                .iter()
                .map(|tuple| {
                    columns.iter().zip(tuple).all(|(column, &code)| column.exempt()[code as usize])
                })
                .collect(),
            values: SecretValues::Combined(tuples.iter().map(parts).collect()),
            codes: Arc::new(codes),
            relations: None,
            members: None,
            each: None,
        };
        (combination, tuples)
    }

    /// Sets which values need no protection: `exempt[value]`.
    ///
    /// # Panics
    /// If `exempt` does not have one entry per value.
    #[must_use]
    pub fn with_exempt(mut self, exempt: Vec<bool>) -> Self {
        assert_eq!(exempt.len(), self.values(), "one flag per value");
        self.exempt = exempt.into();
        self
    }

    /// Sets how values are related: a tree over their labels.
    #[must_use]
    pub fn with_hierarchy(mut self, hierarchy: Hierarchy) -> Self {
        self.relations = Some(hierarchy);
        self
    }

    /// How values are related, if declared. This does not affect how they are published.
    pub fn hierarchy(&self) -> Option<&Hierarchy> {
        self.relations.as_ref()
    }

    /// The members of the values, if values are sets. Then the members are protected.
    pub fn members(&self) -> Option<&Members> {
        self.members.as_deref()
    }

    /// How its columns are protected, if each is protected by itself.
    pub fn each(&self) -> Option<&ProtectedEach> {
        self.each.as_ref()
    }

    /// Whether each column is published by itself, so that rows do not show which values belong
    /// together.
    pub fn is_apart(&self) -> bool {
        self.each.as_ref().is_some_and(|each| !each.linked)
    }

    /// Returns the secret with the same values held by other people: `codes[row]` is a position in
    /// them.
    #[must_use]
    pub fn with_codes(mut self, codes: Vec<u32>) -> Self {
        self.codes = Arc::new(codes);
        self
    }

    /// The columns that are protected together, usually one.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The column's name; several are joined by ` + `.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One code per row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Number of values in the domain.
    pub fn values(&self) -> usize {
        match &self.values {
            SecretValues::Of(domain) => domain.len(),
            SecretValues::Combined(combinations) => combinations.len(),
        }
    }

    /// Whether values have an order, which is then the order of their codes.
    pub fn is_ordered(&self) -> bool {
        match &self.values {
            SecretValues::Of(domain) => matches!(domain.generalization(), Generalization::Interval),
            SecretValues::Combined(_) => false,
        }
    }

    /// The part of a value in one of the columns.
    pub fn part(&self, code: u32, column: usize) -> &str {
        match &self.values {
            SecretValues::Of(domain) => domain.label(code),
            SecretValues::Combined(combinations) => &combinations[code as usize][column],
        }
    }

    /// The parts of a value, one per column.
    pub fn parts(&self, code: u32) -> Vec<&str> {
        let columns = 0..self.columns.len();
        columns.map(|column| self.part(code, column)).collect()
    }

    /// A value as text; parts are joined by ` + `.
    pub fn label(&self, code: u32) -> String {
        self.parts(code).join(" + ")
    }

    /// All values as text, in the order of their codes.
    pub fn labels(&self) -> Vec<String> {
        let codes = 0..self.values() as u32;
        codes.map(|code| self.label(code)).collect()
    }

    /// The values in the order that the user declared, if any: the order of an ordered column, or
    /// the leaves of the tree that relates values. O(values).
    pub fn declared_order(&self) -> Option<Vec<u32>> {
        let codes = 0..self.values() as u32;
        if let Some(tree) = &self.relations {
            let places: HashMap<&str, usize> = tree.leaf_labels().zip(0..).collect();
            let place = |code: u32| places.get(&*self.label(code)).copied();
            let mut order: Vec<u32> = codes.collect();
            order.sort_by_key(|&code| (place(code).unwrap_or(usize::MAX), code));
            return Some(order);
        }
        match &self.values {
            SecretValues::Of(domain) if domain.is_ordered() => Some(codes.collect()),
            _ => None,
        }
    }

    /// Which values need no protection.
    pub fn exempt(&self) -> &[bool] {
        &self.exempt
    }

    /// The names of the values that need no protection. If columns are protected each by itself,
    /// they have the form `column = value`.
    pub fn exempt_labels(&self) -> Vec<String> {
        match (&self.each, &self.members) {
            (Some(_), Some(members)) => (0..)
                .zip(members.exempt())
                .filter(|(_, exempt)| **exempt)
                .map(|(own, _)| members.label(own).to_owned())
                .collect(),
            _ => self
                .labels()
                .into_iter()
                .zip(&*self.exempt)
                .filter(|(_, exempt)| **exempt)
                .map(|(label, _)| label)
                .collect(),
        }
    }
}

/// Combines the codes of rows with those of another column: the codes of the pairs that occur, in the
/// order of the pairs, and what they stand for. O(rows · log rows).
fn paired(codes: &[u32], tuples: &[Vec<u32>], column: &Secret) -> (Vec<u32>, Vec<Vec<u32>>) {
    let width = column.values() as u64;
    let both = codes.iter().zip(column.codes());
    let pairs: Vec<u64> =
        both.map(|(&code, &own)| u64::from(code) * width + u64::from(own)).collect();
    let mut found = pairs.clone();
    found.sort_unstable();
    found.dedup();
    let code_of: HashMap<u64, u32> = found.iter().copied().zip(0..).collect();
    let tuple = |&pair: &u64| {
        let mut tuple = tuples[(pair / width) as usize].clone();
        tuple.push((pair % width) as u32);
        tuple
    };
    (pairs.iter().map(|pair| code_of[pair]).collect(), found.iter().map(tuple).collect())
}
