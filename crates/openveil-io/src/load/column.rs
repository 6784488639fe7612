//! Loads one column: reads its values by type, coarsens them and puts them in order.

use super::alike;
use super::coarsen::coarsen;
use super::hierarchy;
use super::missing::MISSING_LABEL;
use super::values::{ReadValues, recode};
use crate::policy::{Coarsening, Policy, Role};
use crate::source::{RawColumn, RawTable};
use crate::spelling::or_meant;
use crate::{Error, Location, policy};
use openveil_core::hierarchy::Hierarchy;
use openveil_core::table::{Column, Domain};
use openveil_text::text;
use std::collections::HashMap;

/// Makes a column of the table, and returns the code that each text of the dictionary has in it.
/// Takes the codes out of the text.
pub(super) fn column(
    policy: &Policy,
    column: &policy::ColumnPolicy,
    raw: &mut RawTable,
    index: usize,
) -> Result<(Column, Vec<u32>), Error> {
    let read_as = &policy::ColumnPolicy {
        decimal_comma: column.decimal_comma && policy.input.source.is_text(),
        is_zoned: !policy.input.source.is_text(),
        ..column.clone()
    };
    let column = read_as;
    let reader = ColumnText {
        policy,
        column,
        read: ReadValues::new(policy, column, raw, &raw.columns[index])?,
        raw_column: &raw.columns[index],
        raw,
    };
    let (domain, code_of) = reader.domain()?;
    let relations = reader.relations(&domain)?;
    let exempt = reader.exempt(&domain)?;
    let name = raw.columns[index].name.clone();
    let codes = recode(std::mem::take(&mut raw.columns[index].codes), &code_of);
    let made = Column::new(name, codes, domain).with_weight(column.weight).with_exempt(exempt);
    let made = match column.form {
        Some(form) => made.with_form(form),
        None => made,
    };
    let made = match relations {
        Some(relations) => made.with_relations(relations),
        None => made,
    };
    Ok((made, code_of))
}

/// A column as text, and its settings in the policy.
struct ColumnText<'a> {
    policy: &'a Policy,
    column: &'a policy::ColumnPolicy,
    read: ReadValues,
    raw_column: &'a RawColumn,
    raw: &'a RawTable,
}

impl ColumnText<'_> {
    fn name(&self) -> &str {
        &self.raw_column.name
    }

    /// The place in the policy where the column is described.
    fn place(&self) -> Location {
        Location::file(&self.policy.path).column(self.name())
    }

    /// Returns the domain of the column, and the code in it of each text of the dictionary.
    fn domain(&self) -> Result<(Domain, Vec<u32>), Error> {
        let (labels, class_of) = match &self.column.coarsening {
            None => {
                let labels = self.read.labels().to_vec();
                let ranks = (0..labels.len() as u32).collect();
                (labels, ranks)
            }
            Some(coarsening) => coarsen(self.column, coarsening, &self.read, self.raw_column),
        };
        let described = (self.name(), self.column);
        let rows = self.rows_of(labels.len(), &class_of);
        let (labels, spelled_as) = alike::decided(self.policy, described, labels, &rows)?;
        let (domain, place_of) = self.ordered(&labels)?;
        Ok((
            domain,
            self.read
                .ranks()
                .iter()
                .map(|&rank| match class_of.get(rank as usize) {
                    Some(&class) => place_of[spelled_as[class as usize] as usize],
                    // No row holds the text any more.
                    None => 0,
                })
                .collect(),
        ))
    }

    /// Returns the number of rows of each label.
    fn rows_of(&self, labels: usize, class_of: &[u32]) -> Vec<u64> {
        let mut rows = vec![0; labels];
        let counts = self.raw_column.counts();
        for (&rank, &count) in self.read.ranks().iter().zip(&*counts) {
            if let Some(&class) = class_of.get(rank as usize) {
                rows[class as usize] += count as u64;
            }
        }
        rows
    }

    /// Returns the values in the order of the policy or of their type, or as the leaves of a tree;
    /// also returns the position of each label.
    fn ordered(&self, labels: &[String]) -> Result<(Domain, Vec<u32>), Error> {
        if let Some(section) = self.tree_of_domain() {
            let file = hierarchy::place(self.policy, section, self.name());
            let tree = hierarchy::build(self.policy, section, self.column, self.name(), labels)?;
            let leaves: Vec<String> = tree.leaf_labels().map(str::to_owned).collect();
            let places = self.positions(labels, &leaves, |value| {
                let problem = text!("has no entry for the value `{value}`");
                Error::new(file.clone(), problem)
                    .help("add the value to the hierarchy, or correct it in the table")
            })?;
            return Ok((Domain::tree(tree), places));
        }
        if let Some(order) = &self.column.order {
            // A missing value that is kept sorts before all others.
            let order: Vec<String> = labels
                .iter()
                .find(|label| *label == MISSING_LABEL)
                .into_iter()
                .chain(order)
                .cloned()
                .collect();
            let places = self.positions(labels, &order, |value| {
                let problem = text!("`order` does not list the value `{value}`");
                Error::new(self.place(), problem)
                    .help("list every value of the column as it is published, lowest first")
            })?;
            return Ok((Domain::ordered(order), places));
        }
        let binned =
            matches!(self.column.coarsening, Some(Coarsening::Bins(_) | Coarsening::Quantiles(_)));
        let typed = self.read.is_ordered() && self.column.coarsening.is_none();
        let texts = labels.iter().map(String::as_str);
        let domain =
            if binned || typed { Domain::ordered(texts) } else { Domain::unordered(texts) };
        Ok((domain, (0..labels.len() as u32).collect()))
    }

    /// Returns the tree that the column is generalised by. The tree of a sensitive column is not
    /// one: it states how values are related, not how they are published.
    fn tree_of_domain(&self) -> Option<&policy::HierarchySection> {
        let section = self.column.hierarchy.as_ref();
        section.filter(|_| self.column.role != Role::Sensitive)
    }

    /// Returns the position of each label in a list that should hold all of them.
    fn positions(
        &self,
        labels: &[String],
        list: &[String],
        absent: impl Fn(&str) -> Error,
    ) -> Result<Vec<u32>, Error> {
        let position_of: HashMap<&str, u32> = list.iter().map(String::as_str).zip(0..).collect();
        labels
            .iter()
            .map(|label| {
                position_of.get(label.as_str()).copied().ok_or_else(|| {
                    let error = absent(label);
                    let Some(seen) = self.seen(label) else {
                        return error;
                    };
                    let problem = text!("{:text} (first seen in {seen})", error.problem());
                    error.with_problem(problem)
                })
            })
            .collect()
    }

    /// Returns where a value first occurs, if the input holds it in its published form.
    fn seen(&self, label: &str) -> Option<Location> {
        if self.column.coarsening.is_some() {
            return None;
        }
        let rank = self.read.labels().iter().position(|known| known == label)?;
        let code = self.read.ranks().iter().position(|&known| known as usize == rank)?;
        Some(self.raw.place_of(self.raw_column, code as u32))
    }

    /// Returns the tree that states how sensitive values are related, with every value in it.
    fn relations(&self, domain: &Domain) -> Result<Option<Hierarchy>, Error> {
        let Some(section) = &self.column.hierarchy else {
            return Ok(None);
        };
        if self.tree_of_domain().is_some() {
            return Ok(None);
        }
        let labels: Vec<String> = domain.labels().map(str::to_owned).collect();
        let tree = hierarchy::relations(self.policy, self.column, self.name(), &labels)?;
        let Some(tree) = tree else { return Ok(None) };
        let leaves: Vec<String> = tree.leaf_labels().map(str::to_owned).collect();
        let file = hierarchy::place(self.policy, section, self.name());
        self.positions(&labels, &leaves, |value| {
            let problem = text!("has no entry for the value `{value}`");
            Error::new(file.clone(), problem)
                .help("add the value to the hierarchy, or correct it in the table")
        })?;
        Ok(Some(tree))
    }

    /// Returns for each value whether it needs no protection.
    fn exempt(&self, domain: &Domain) -> Result<Vec<bool>, Error> {
        for value in &self.column.exempt {
            if !domain.labels().any(|label| label == value) {
                let problem = text!("`exempt` names `{value}`, which no row has");
                let error = Error::new(self.place(), problem);
                return Err(or_meant(
                    error,
                    value,
                    domain.labels(),
                    || "name values as they are published",
                ));
            }
        }
        Ok(domain
            .labels()
            .map(|label| self.column.exempt.iter().any(|value| value == label))
            .collect())
    }
}
