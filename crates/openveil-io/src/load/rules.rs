//! Tables without fixed roles, for policies with rules.

use super::omitted::Omitted;
use super::values::{ReadValues, recode};
use super::{domain, read, sensitive, warnings};
use crate::policy::{Coarsening, Column, Policy};
use crate::source::{Progress, RawTable};
use crate::{Error, Place};
use openveil::table::{Domain, QuasiIdentifier, Sensitive, Table};
use openveil::versatile::{ColumnSet, Columns, Records};

/// A table in which every column may be known to one reader and secret from
/// another, and what did not get into it.
#[derive(Debug)]
pub struct Attributes {
    /// The columns' names, in the order of the file.
    pub columns: Columns,
    /// What each column is.
    pub attributes: Vec<Attribute>,
    /// The rows.
    pub records: Records,
    /// What was left out, for the manifest.
    pub omitted: Omitted,
    /// Things about the input that the owner should know.
    pub warnings: Vec<String>,
}

/// A column whose role depends on the reader.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its values, in their order.
    pub domain: Domain,
    /// How much its precision matters where it is known.
    pub weight: u32,
    /// Values that need no protection where it is secret: `exempt[value]`.
    pub exempt: Vec<bool>,
}

impl Attributes {
    /// The table of a guardian: `protect` is secret, the columns `given` are known.
    ///
    /// # Errors
    /// As [`Table::new`].
    ///
    /// # Panics
    /// If a column does not exist.
    pub fn table(&self, given: ColumnSet, protect: usize) -> Result<Table, openveil::Error> {
        let known = given.iter().map(|column| {
            let attribute = &self.attributes[column];
            let codes = self.records.column(column).to_vec();
            let name = self.columns.name(column);
            QuasiIdentifier::new(name, codes, attribute.domain.clone())
                .with_weight(attribute.weight)
        });
        let attribute = &self.attributes[protect];
        let name = self.columns.name(protect);
        let codes = self.records.column(protect).to_vec();
        let mut secret = Sensitive::new(name, codes, attribute.domain.labels())
            .with_exempt(attribute.exempt.clone());
        if let Some(tree) = attribute.domain.hierarchy() {
            secret = secret.with_hierarchy(tree.clone());
        }
        Table::new(known.collect(), secret)
    }
}

/// Reads the table that a policy with rules describes.
///
/// # Errors
/// Whatever is wrong with the input: its place, the problem and what to do.
pub fn load_attributes(policy: &Policy, progress: Progress<'_>) -> Result<Attributes, Error> {
    let (mut raw, omitted, published) = read(policy, progress)?;
    let failed = |cause: openveil::versatile::Error| {
        Error::new(Place::file(&policy.source.path), cause.to_string())
    };
    let columns = Columns::new(published).map_err(failed)?;
    let (mut attributes, mut codes) = (Vec::new(), Vec::new());
    for index in 0..raw.columns.len() {
        let column = &policy.columns[&raw.columns[index].name];
        if column.role.is_published() {
            let (attribute, own) = attribute(policy, column, &mut raw, index)?;
            attributes.push(attribute);
            codes.push(own);
        }
    }
    let mut warnings = warnings::repeated_people(&omitted);
    for (number, attribute) in attributes.iter().enumerate() {
        if attribute.domain.len() == 1 {
            warnings.push(format!(
                "the column `{}` has the same value in every row",
                columns.name(number)
            ));
        }
    }
    Ok(Attributes {
        columns,
        attributes,
        records: Records::new(codes).map_err(failed)?,
        omitted,
        warnings,
    })
}

fn attribute(
    policy: &Policy,
    column: &Column,
    raw: &mut RawTable,
    index: usize,
) -> Result<(Attribute, Vec<u32>), Error> {
    let read = ReadValues::of(policy, column, raw, &raw.columns[index])?;
    let name = raw.columns[index].name.clone();
    let (domain, code_of) = match &column.coarsening {
        None => domain(policy, column, raw, index, &read)?,
        Some(coarsening) => {
            let codes = &raw.columns[index].codes;
            let (labels, class_of) = sensitive::coarsen(policy, &name, coarsening, &read, codes)?;
            let class = |&rank: &u32| class_of.get(rank as usize).copied().unwrap_or(0);
            let code_of = read.ranks().iter().map(class).collect();
            let domain = match coarsening {
                Coarsening::Prefix(_) => Domain::unordered(labels),
                Coarsening::Bins(_) | Coarsening::Quantiles(_) => Domain::ordered(labels),
            };
            (domain, code_of)
        }
    };
    let labels: Vec<String> = domain.labels().map(str::to_owned).collect();
    let attribute = Attribute {
        exempt: sensitive::exempt(policy, &name, column, &labels)?,
        weight: column.weight,
        domain,
    };
    let codes = recode(std::mem::take(&mut raw.columns[index].codes), &code_of);
    Ok((attribute, codes))
}
